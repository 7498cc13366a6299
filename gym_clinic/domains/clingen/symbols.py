"""Symbols of genes in prose: the gene at hand, and all others."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gym_clinic.domains.clingen.lexicon import word_set

SYMBOL = re.compile(
    r"(?<![\w-])(?:MT-[A-Z]{2}\d?|C\d{1,2}orf\d{1,3}|[A-Z][A-Z0-9]{1,9}(?:-\d{1,2})?[A-Z]?"
    r"|[A-Z][a-z]{1,6}\d{1,2}[a-z]?\d?)(?![\w])"
)
"""What looks like the symbol of a human (ABCD1) or mouse (Abcd1) gene."""

NO_SYMBOLS = word_set(
    """
    DNA RNA MRNA CDNA TRNA RRNA SIRNA SHRNA GDNA MTDNA PCR RT QPCR RTPCR ELISA FACS MRI CT EEG ECG
    EMG ERG OCT PET SEM SD SE CI OR HR WT KO KI GFP EGFP YFP RFP MCHERRY FLAG HA GST MBP HIS MYC
    CRISPR CAS9 CAS12 TALEN TALENS ENU HEK HEK293 HEK293T COS COS7 COS-7 COS-1 HELA CHO U2OS SH
    SY5Y HAP1 HAP-1 K562 N2A C2C12 RPE1 IPSC IPSCS HIPSC HESC ESC ESCS LCL LCLS PBMC PBMCS MEF MEFS
    ATP ADP AMP GTP GDP NAD NADH NADP NADPH FAD COA ROS ER UPR NMD UTR ORF SNP SNV CNV VUS ACMG
    OMIM HPO HGNC PMID PMCID DAPI BSA PBS FBS PFA SDS PAGE HPLC MS LC GC NMR FRET BRET SPR ITC FRAP
    TUNEL AAV AAV8 AAV9 ERT BAC YAC RNAI RNASEQ CHIP GTEX GWAS WES WGS NGS IQ BMI AD AR XL XLR XLD
    CNS PNS CSF IGG IGM IGA II III IV VI VII VIII IX XI XII UK US USA EU NIH WHO ICU OMIM P0 P7 P14
    P21 P28 P30 E10 E12 E14 E18 F0 F1 F2 G1 G2 H2O2 CO2 O2 PH AB AA TG TM MO MOS BIOID TURBOID BN
    NGN2 S2 SF9 IP COIP IHC IF ISH WB TEM DPF HPF DIV OK TBD RPKM TPM FPKM AMPK NA NS SIM HET HOM
    TITLE ABSTRACT RESULTS METHODS INTRODUCTION DISCUSSION BACKGROUND CONCLUSION GENE DISEASE
    """
)
"""Capitals that are no gene."""

PROSE_SYMBOL = re.compile(
    r"^(?:Fig|Figs|Table|Tables|Exon|Day|Week|Year|Case|Family|Patient|Type|Stage|Part|Panel|Grade"
    r"|Group|Step|Sec|Ref|Refs|Supp|Eq|No|Vol|Chr|Arg|Lys|Gly|Ser|Thr|Leu|Val|Ala|Pro|Cys|Met|His"
    r"|Asp|Glu|Asn|Gln|Phe|Tyr|Trp|Ile|Ter|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Jan|Feb|Mar|SIM|Cos"
    r"|Hap|Cas|Grp|Tier|Class|Complex)\d",
    re.I,
)
"""Words followed by a number that look like a mouse symbol and are none."""

_GENE_AFTER = re.compile(r",? \(?(?:which|long|an?|already|the latter|mutated|recognised) ")
"""What follows a short symbol that does name a gene."""

_NO_GENE_AFTER = re.compile(
    r"[ -](?:(?:null |knockout )?(?:cells?|neurons|line|clone|precursors|thymocytes)\b|driven"
    r"|dependent|phosphorylation|loading|uptake|inactivation|activation|recruitment"
    r"|receptors?\b|signal\w*"
    r"|currents?\b|oxidase|levels after|secretion|release|reporter|channels?\b|clearance)"
)
"""What follows a symbol that names a cell line or a readout, not a gene under study."""


_CODING = re.compile(
    r"\b(?:goes by|go by|stand(?:s|ing)? for|stood for|under the names?|the key|codes?|coded"
    r"|referred to"
    r"|denoted|denotes|in what follows|hereafter|henceforth|for brevity|for short|abbreviated"
    r"|labelled"
    r"|called|known here as|on the tubes|is written)\b",
    re.I,
)
_CODE = re.compile(
    r"\b(?:(?!(?:of|with|to|in|at|by|from|for|and|or|than|after|day|week|stage|phase|figure|table"
    r"|exon|chapter|step|year|age|on|were|was|all|only|about) )[a-z]+ (?:set )?(?:[A-Z]|\d{1,3})"
    r"|[A-Z]-?\d{1,2})(?![\w%-]|\.\d)"
)
"""A code for a gene: "factor P", "item 5", "probe set 2", "K-3"."""


def decode(gene: str, texts: Sequence[str]) -> list[str]:
    """Put genes back in the place of codes that a text gives them ("factor P" for ABC1).

    Args:
        gene: The gene at hand; a sentence that gives it no code gives none to others.
        texts: The texts of one article, all of which share its codes.

    Returns:
        The texts without codes.
    """
    codes: dict[str, str] = {}
    for text in texts:
        for sentence in re.split(r"(?<=[.!?])\s+", text):
            if gene in sentence and _CODING.search(sentence):
                codes.update(_key(gene, sentence))
    for code in sorted(codes, key=len, reverse=True):
        spelled = re.compile(rf"(?<![\w-]){re.escape(code)}(?![\w-])", re.I)
        texts = [codes[code].join(spelled.split(text)) for text in texts]
    return list(texts)


def _key(gene: str, sentence: str) -> dict[str, str]:
    """Codes and genes of a sentence that sets them side by side."""
    marks = {found.start(): (found[0], True) for found in _CODE.finditer(sentence)}
    for found in SYMBOL.finditer(sentence):
        if found[0].upper() not in NO_SYMBOLS and found.start() not in marks:
            marks[found.start()] = (found[0], False)
    for found in re.finditer(re.escape(gene), sentence):
        marks[found.start()] = (gene, False)
    order = [marks[place] for place in sorted(marks)]
    shape = "".join("c" if coded else "g" for _, coded in order)
    names = [name for name, _ in order]
    if shape in ("ggcc", "ccgg"):  # "ABC1 and XYZ2 under the names P and Q"
        pairs = [(names[0], names[2]), (names[1], names[3])]
    elif shape in ("gc", "cg", "gcgc", "cgcg"):
        pairs = list(zip(names[::2], names[1::2], strict=True))
    else:
        return {}
    return {b: a for a, b in pairs} if shape.startswith("g") else dict(pairs)


def lowered(text: str) -> str:
    """Lower case, with plain dashes and quotes, and genotype signs as words."""
    plain = re.sub("[‐‑‒–—−]", "-", text).replace("’", "'").lower()
    return plain.replace("-/-", " null").replace("+/-", " heterozygous")


def gene_pattern(gene: str) -> re.Pattern[str]:
    """The gene's symbol in any case, with a p for the protein or a duplicate's letter."""
    more = "[pab]?" if gene[-1:].isdigit() else "[pab1]?"
    return re.compile(rf"(?<![a-z0-9]){re.escape(lowered(gene))}{more}(?![a-z0-9])")


def other_genes(text: str, own: re.Pattern[str]) -> frozenset[str]:
    """The other genes that a sentence names, each once."""
    return frozenset(found[0] for found in symbols(text, own))


def symbols(text: str, own: re.Pattern[str]) -> list[re.Match[str]]:
    """Where a sentence names other genes, in order."""
    return [
        found
        for found in SYMBOL.finditer(text)
        if found[0].upper() not in NO_SYMBOLS
        and not PROSE_SYMBOL.match(found[0])
        and not own.fullmatch(lowered(found[0]))
        and (len(found[0]) > 2 or _GENE_AFTER.match(text, found.end()))
        and not _NO_GENE_AFTER.match(text, found.end())
    ]
