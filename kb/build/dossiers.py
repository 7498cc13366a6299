"""Take into the ClinGen dossiers what their sources say, and check them.

    python -m kb.build.dossiers                         lay out the files, check their rules
    python -m kb.build.dossiers --g2p ddg2p.csv         and take Gene2Phenotype's entries anew
    python -m kb.build.dossiers --terms hp_isa.tsv      and prove HPO ids, take their names anew
    python -m kb.build.dossiers --terms hp_isa.tsv --annotations genes_to_phenotype.txt
                                                        and see which phenotypes the HPO annotates
    python -m kb.build.dossiers --hgnc complete_set.tsv and take product names and ids anew
    python -m kb.build.dossiers --check ...             write nothing; report what would change

What people write (function, partners, tissues, phenotypes, years, most mechanisms) is edited in
``tasks/clingen/dossiers/`` itself; the rest is taken from the sources, so the same sources give
the same bytes. Without a source, what was taken from it stays.

``dossier_matches.json`` says which entry of Gene2Phenotype describes which pair: its disease by
name, or nothing. The authors judged this by disease name, allelic requirement and phenotypes.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson

from gym_clinic.domains.clingen.dossier_rules import CONSEQUENCES, find_faults
from gym_clinic.domains.clingen.dossiers import (
    FOLDER,
    GENES,
    OTHERS,
    PAIRS,
    allele_model_of,
    load_dossiers,
)
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.files import replace_files
from gym_clinic.paths import tasks_dir
from gym_clinic.reading import open_text

MATCHES = Path(__file__).with_name("dossier_matches.json")

Row = dict[str, Any]
Rows = list[Row]


def take_g2p(pairs: Rows, entries: Path, matches: Mapping[str, str]) -> None:
    """Take the matched entries of Gene2Phenotype: OMIM number, consequence, organs, phenotypes.

    A mechanism that the authors leave unknown follows the entry.

    Raises:
        TaskError: If a match names an entry that is not there.
    """
    found = {
        (f"HGNC:{row['hgnc id']}", row["disease name"], row["allelic requirement"]): row
        for row in _table(entries, ",")
    }
    for pair in pairs:
        name = matches.get(f"{pair['gene']} {pair['mondo_id']} {pair['inheritance']}")
        pair["g2p"] = None
        _unmark(pair, "g2p")
        if name is None:
            continue
        disease, requirement = name.rsplit(" / ", 1)
        row = found.get((pair["hgnc_id"], disease, requirement))
        if row is None:
            raise TaskError(f"{MATCHES.name}: {entries} has no entry {name!r} of {pair['gene']}")
        mim, organs = row["disease mim"], row["organ specificity list"]
        pair["g2p"] = {
            "mim": mim if mim.isdecimal() and len(mim) == 6 else None,
            "consequence": row["mutation consequence"] or "uncertain",
            "organs": sorted({organ.strip() for organ in organs.split(";") if organ.strip()}),
        }
        _take_mechanism(pair)
        _mark(pair, "g2p", set(row["phenotypes"].split(";")))


def _take_mechanism(pair: Row) -> None:
    """Cite the entry for the mechanism it agrees with, or take it where there is none."""
    agreeing = CONSEQUENCES.get(pair["g2p"]["consequence"], frozenset())
    mechanism = pair["mechanism"]
    if mechanism["name"] == "unknown" and len(agreeing) == 1:
        mechanism["name"] = next(iter(agreeing))
    elif mechanism["name"] == "unknown" and agreeing and pair["inheritance"] in {"AD", "AR", "XL"}:
        one = pair["inheritance"] == "AD"
        mechanism["name"] = "haploinsufficiency" if one else "loss of function"
    if mechanism["name"] in agreeing:
        mechanism["sources"] = [*mechanism["sources"], "g2p"]


def take_terms(pairs: Rows, terms: Path) -> None:
    """Take the names of phenotypes by their ids.

    Raises:
        TaskError: If an id is not in the file.
    """
    names = {row["id"]: row["name"] for row in _table(terms, "\t")}
    for pair in pairs:
        for phenotype in pair["phenotypes"]:
            if phenotype["id"] not in names:
                raise TaskError(f"{pair['gene']}: {terms} has no term {phenotype['id']}")
            phenotype["name"] = names[phenotype["id"]]


def take_annotations(pairs: Rows, annotations: Path, terms: Path) -> None:
    """Mark the phenotypes that the HPO annotates to a disease of the gene, or a kind of them."""
    parents = {row["id"]: row["parents"].split("|") for row in _table(terms, "\t")}
    annotated = defaultdict[str, set[str]](set)
    for row in _table(annotations, "\t"):
        annotated[row["gene_symbol"]].add(row["hpo_id"])
    for pair in pairs:
        _unmark(pair, "hpo")
        _mark(pair, "hpo", _with_ancestors(annotated[pair["gene"]], parents))


def take_names(genes: Rows, others: Rows, pairs: Rows, hgnc: Path) -> Rows:
    """Take product names from the HGNC, and the ids of the genes that are only mentioned.

    Returns:
        The other genes.

    Raises:
        TaskError: If a gene is not in the file.
    """
    by_id = {row["hgnc_id"]: row for row in _table(hgnc, "\t")}
    by_symbol = {row["symbol"]: row["hgnc_id"] for row in by_id.values()}
    for gene in genes:
        if gene["hgnc_id"] not in by_id:
            raise TaskError(f"{hgnc} has no {gene['hgnc_id']} ({gene['gene']})")
        gene["product"] = by_id[gene["hgnc_id"]]["name"].strip()
    mentioned = {
        symbol
        for gene in genes
        for symbol in [*(gene["paralogues"] or ()), *(gene["partners"] or ())]
    } - {gene["gene"] for gene in genes}
    if unknown := sorted(mentioned - by_symbol.keys()):
        raise TaskError(f"{hgnc} has no approved symbol {unknown}")
    return [{"gene": symbol, "hgnc_id": by_symbol[symbol]} for symbol in sorted(mentioned)]


def _with_ancestors(terms: Iterable[str], parents: Mapping[str, list[str]]) -> set[str]:
    seen, waiting = set[str](), [*terms]
    while waiting:
        if (term := waiting.pop()) not in seen:
            seen.add(term)
            waiting += parents.get(term, ())
    return seen


def _unmark(pair: Row, source: str) -> None:
    """Take a source back; a mechanism that had no other is unknown again."""
    for item in [pair["mechanism"], *pair["phenotypes"]]:
        item["sources"] = [name for name in item["sources"] if name != source]
    if not pair["mechanism"]["sources"]:
        pair["mechanism"]["name"] = "unknown"


def _mark(pair: Row, source: str, terms: set[str]) -> None:
    for phenotype in pair["phenotypes"]:
        if phenotype["id"] in terms:
            phenotype["sources"] = sorted([*phenotype["sources"], source])


def _table(path: Path, delimiter: str) -> list[dict[str, str]]:
    with io.TextIOWrapper(open_text(path), encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file, delimiter=delimiter)]


def _lines(path: Path) -> Rows:
    return [orjson.loads(line) for line in path.read_bytes().splitlines() if line.strip()]


def build(
    folder: Path,
    g2p: Path | None = None,
    terms: Path | None = None,
    annotations: Path | None = None,
    hgnc: Path | None = None,
    matches: Path = MATCHES,
) -> dict[Path, bytes]:
    """Return the files as they should be.

    Args:
        folder: The dossiers.
        g2p: Gene2Phenotype's table (CSV).
        terms: Id, name and parents of the terms of the HPO (TSV).
        annotations: The HPO's ``genes_to_phenotype.txt``; asks for ``terms``.
        hgnc: The HGNC's complete set (TSV).
        matches: Which entry of Gene2Phenotype describes which pair.

    Raises:
        ConfigError: If a file cannot be read, or annotations come without terms.
        TaskError: If a source lacks what a dossier names.
    """
    genes, pairs, others = (_lines(folder / name) for name in (GENES, PAIRS, OTHERS))
    if terms:
        take_terms(pairs, terms)
    if g2p:
        take_g2p(pairs, g2p, orjson.loads(matches.read_bytes()))
    if annotations:
        if terms is None:
            raise ConfigError(
                "--annotations needs --terms: the parents tell what is a kind of what"
            )
        take_annotations(pairs, annotations, terms)
    if hgnc:
        others = take_names(genes, others, pairs, hgnc)
    for pair in pairs:
        pair["allele_model"] = allele_model_of(pair["mechanism"]["name"], pair["alleles"])
    genes.sort(key=lambda gene: gene["gene"])
    pairs.sort(key=lambda pair: (pair["gene"], pair["mondo_id"], pair["inheritance"]))
    files = {GENES: genes, PAIRS: pairs, OTHERS: others}
    return {
        folder / name: b"".join(orjson.dumps(row) + b"\n" for row in rows)
        for name, rows in files.items()
    }


def main(arguments: list[str] | None = None) -> int:
    """Run the command.

    Returns:
        0; 1 if a rule is broken, or files would change under ``--check``.
    """
    parser = argparse.ArgumentParser(prog="python -m kb.build.dossiers", description=__doc__)
    for name in ("g2p", "terms", "annotations", "hgnc"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args(arguments)
    folder = tasks_dir("clingen") / FOLDER
    try:
        files = build(folder, given.g2p, given.terms, given.annotations, given.hgnc)
        changed = {path: data for path, data in files.items() if path.read_bytes() != data}
        if changed and not given.check:
            replace_files({path: [data] for path, data in changed.items()})
        faults = find_faults(load_dossiers(folder))
    except (ConfigError, TaskError) as error:
        print(error, file=sys.stderr)
        return 1
    for fault in faults:
        print(fault, file=sys.stderr)
    names = ", ".join(sorted(path.name for path in changed))
    print(
        f"{'would change' if given.check else 'wrote'}: {names}" if changed else "nothing to change"
    )
    return 1 if faults or (changed and given.check) else 0


if __name__ == "__main__":
    raise SystemExit(main())
