"""A short baseline that reads biomedical articles: which experimental evidence a text reports.

Each sentence is reduced to what it speaks of: an organism, patients, cells, a second gene, a
disrupted or a restored gene, an amount of messenger RNA. An ordered table in ``cues.json`` says
which experiment such a sentence reports; sentences that deny, plan or quote do not count. Most
words are general ones of the field. Some were added after reading simulated articles of the train
split, so that the reader does better on these than it would on articles it has not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import orjson

from gym_clinic.domains.clingen.evidence import SUBTYPES

_BOUNDARY = re.compile(r"(?<=[.!?])[\])\"'”]*\s+(?=[\[(\"'“]*[A-Z0-9])")
_ABBREVIATIONS = re.compile(
    r"(?:\b(?:et al|e\.g|i\.e|figs?|vs|ca|approx|refs?|no)|\b[A-Za-z])$", re.I
)
_SYMBOL = re.compile(
    r"(?<![\w/-])[A-Z][A-Z0-9]{2,9}"
    r"(?![\w/]|-\d| (?:\w+ )?(?:cells?|line|cultures?|myotubes|neurons)\b)"
)
_NO_SYMBOL = re.compile(
    r"(?:[MTRCS]?[DR]NA|PCR|ELISA|CRISPR|HEK\w*|HELA|COS\d*|U2OS|IPSCS?|ATP|GTP|NADPH?|MRI|EEG|"
    r"ECG|EMG|WT|GFP|AAV\d*|SIM\d*|PMID|ACMG|HPO|OMIM)"
)


_NULL_SIGN = re.compile("[-−–]/[-−–]")
_CODING = re.compile(
    r"\b(?:stands? for|stood for|standing for|codes?|coded|the key(?! was)"
    r"|called|denoted|denotes|hereafter|henceforth|for short|for brevity|labelled"
    r"|under the names?|go(?:es)? by|known here as"
    r"|is written|referred to|abbreviated)\b",
    re.I,
)
_CODE = re.compile(
    r"\b(?:(?!(?:of|with|to|in|at|by|from|for|and|or|than|figure|table|exon|reads) )[a-z]+ "
    r"(?:set )?(?:[A-Z]|\d{1,2})|[A-Z]-?\d{1,2})(?![\w%-]|\.\d)"
)


@dataclass(frozen=True)
class Finding:
    """Evidence of one subtype in an article.

    Attributes:
        subtype: Key of the subtype.
        sentence: The sentence that says so.
    """

    subtype: str
    sentence: str


@dataclass(frozen=True)
class Cues:
    """The cue words, compiled.

    Attributes:
        words: What a sentence may speak of -> its words.
        rules: Subtype, what its sentence must speak of, and what it must not; the first rule
            that fits tells.
        topics: Category -> words of what an abstract announces without a result.
        announces: Words that announce a topic.
        denied: Words of a negative finding.
        exempt: Words that look like a denial and are none.
        tentative: Words of plans and conjectures.
        cited: Words of findings that others reported.
        own_work: Words that make such a finding the authors' own as well.
        withdrawn: Words that take the sentence before them back.
        idle_sections: Words of headings of sections without findings.
    """

    words: dict[str, re.Pattern[str]]
    rules: list[tuple[str, set[str], set[str]]]
    topics: dict[str, re.Pattern[str]]
    announces: re.Pattern[str]
    denied: re.Pattern[str]
    exempt: re.Pattern[str]
    tentative: re.Pattern[str]
    cited: re.Pattern[str]
    own_work: re.Pattern[str]
    withdrawn: re.Pattern[str]
    idle_sections: re.Pattern[str]


def _words(alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{alternatives})(?!\w)", re.I)


@lru_cache(maxsize=1)
def cues() -> Cues:
    """Return the cues of this package."""
    data: dict[str, Any] = orjson.loads(Path(__file__).with_name("cues.json").read_bytes())
    words = {name: _words(text) for name, text in data.pop("words").items()}
    rules = [(key, set(needs), set(bars)) for key, needs, bars in data.pop("rules")]
    topics = {name: _words(text) for name, text in data.pop("topics").items()}
    sections = re.compile(data.pop("idle_sections"), re.I)
    rest = {name: _words(text) for name, text in data.items()}
    return Cues(words, rules, topics, idle_sections=sections, **rest)


@dataclass(frozen=True)
class _Sentence:
    text: str
    gene: str

    @cached_property
    def own(self) -> bool:
        """Whether it names the gene, or its mouse or fish orthologue."""
        return bool(
            re.search(rf"(?<![A-Za-z0-9]){re.escape(self.gene)}(?![A-Za-z0-9])", self.text, re.I)
        )

    @cached_property
    def others(self) -> bool:
        """Whether it names another gene."""
        found = (one[0] for one in _SYMBOL.finditer(self.text))
        return any(
            name.upper() != self.gene.upper() and not _NO_SYMBOL.fullmatch(name) for name in found
        )

    @cached_property
    def claims(self) -> bool:
        """Whether it states a finding of its own."""
        known = cues()
        text = known.exempt.sub("", self.text)
        if known.cited.search(text) and not known.own_work.search(text):
            return False
        return not known.denied.search(text) and not known.tentative.search(text)

    @cached_property
    def subtype(self) -> str | None:
        """The subtype of experiment that it reports, None if it reports none."""
        speaks_of = {name for name, words in cues().words.items() if words.search(self.text)}
        if self.others:
            speaks_of.add("second_gene")
        for key, needs, bars in cues().rules:
            if needs <= speaks_of and not bars & speaks_of:
                return key
        return None


def split_sentences(text: str) -> list[str]:
    """Split prose at full stops that end a sentence, not an abbreviation or an initial."""
    parts: list[str] = []
    for paragraph in re.split(r"\n\s*\n|\n(?=[A-Z#])", text):
        start = 0
        for found in _BOUNDARY.finditer(paragraph):
            before = paragraph[start : found.start()]
            if before.endswith(".") and _ABBREVIATIONS.search(before[:-1]):
                continue
            parts.append(before.strip())
            start = found.end()
        parts.append(paragraph[start:].strip())
    return [" ".join(part.split()) for part in parts if part.strip()]


def spell_out(gene: str, texts: Sequence[str]) -> list[str]:
    """Put genes back where an article abbreviates them ("factor P, which stands for ABC1").

    Args:
        gene: The gene at hand; a sentence that gives it no code gives none to others.
        texts: The texts of one article, all of which share its codes.

    Returns:
        The texts without codes.
    """
    codes: dict[str, str] = {}
    for sentence in (one for text in texts for one in split_sentences(text)):
        if gene in sentence and _CODING.search(sentence):
            short = [one[0] for one in _CODE.finditer(sentence)]
            genes = [one[0] for one in _SYMBOL.finditer(sentence) if one[0] not in short]
            if len(genes) == len(short):  # named in the same order, alternately or in two rows
                codes.update(zip(short, genes, strict=True))
    for code in sorted(codes, key=len, reverse=True):
        spelled = re.compile(rf"(?<![\w-]){re.escape(code)}(?![\w-])", re.I)
        texts = [spelled.sub(codes[code], text) for text in texts]
    return list(texts)


def read_article(gene: str, sections: Sequence[tuple[str, str]]) -> list[Finding]:
    """Find the experimental evidence that an article reports for a gene.

    Args:
        gene: Symbol of the gene.
        sections: Heading and text of each section.

    Returns:
        One finding for each subtype that holds, in the order of the text.
    """
    found: dict[str, Finding] = {}
    texts = spell_out(gene, [text for _, text in sections])
    for (heading, _), text in zip(sections, texts, strict=True):
        if not cues().idle_sections.search(heading):
            for sentence in _claims(gene, text):
                if sentence.subtype is not None:
                    found.setdefault(sentence.subtype, Finding(sentence.subtype, sentence.text))
    return list(found.values())


def categories_in_abstract(gene: str, abstract: str) -> list[str]:
    """Name the categories of evidence that an article is worth asking for.

    A result is, and so are an announced topic and a negative result: the article may hold more.

    Args:
        gene: Symbol of the gene.
        abstract: Its abstract.

    Returns:
        Keys of categories, results before announced topics; empty if it promises nothing.
    """
    findings = read_article(gene, [("Abstract", abstract)])
    categories = [SUBTYPES[one.subtype].category for one in findings]
    for text in split_sentences(abstract):
        sentence = _Sentence(text, gene)
        if cues().announces.search(text) and (sentence.own or not sentence.others):
            categories += [key for key, words in cues().topics.items() if words.search(text)]
        elif sentence.own and sentence.subtype and not cues().tentative.search(text):
            categories.append(SUBTYPES[sentence.subtype].category)
    return list(dict.fromkeys(categories))


def _claims(gene: str, text: str) -> Iterator[_Sentence]:
    """Sentences that state findings about the gene."""
    text = _NULL_SIGN.sub(" null", text)
    sentences = [_Sentence(one, gene) for one in split_sentences(text)]
    for number, sentence in enumerate(sentences):
        after = sentences[number + 1].text if number + 1 < len(sentences) else ""
        if not sentence.claims or cues().withdrawn.search(after):
            continue
        leans = number > 0 and sentences[number - 1].own and not sentence.others
        if sentence.own or leans:
            yield sentence
