"""Tasks with a simulated literature: a published pair, its articles, and what curators conclude.

A task holds the records of the literature. Titles and abstracts are written with the task; full
texts are written from the records when an article is opened.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

from gym_clinic.domains.clingen.dossiers import Dossiers, read_dossiers
from gym_clinic.domains.clingen.evidence import SUBTYPES
from gym_clinic.domains.clingen.literature.edition import WrittenLiterature
from gym_clinic.domains.clingen.literature.packing import pack
from gym_clinic.domains.clingen.literature.records import Literature
from gym_clinic.domains.clingen.literature.scoring import LiteratureGold, score
from gym_clinic.domains.clingen.literature.splits import Pair, assign
from gym_clinic.domains.clingen.literature.world import draw_literature
from gym_clinic.errors import TaskError
from gym_clinic.simulate.split import Split

SALT = "gym-clinic/clingen/2"
"""Goes into every id, so that none can be guessed from its content."""

SPLITS: tuple[Split, ...] = ("train", "dev", "test")

_DRAWS = 8

MOST_WORDS = 11_400
"""Of all articles of a task, so that it fits into 16,000 tokens."""


def build_tasks(pairs: Iterable[Pair], seed: int = 0) -> dict[str, list[dict[str, Any]]]:
    """Make the tasks of all splits.

    Args:
        pairs: Curations to draw from; those without a dossier are left out.
        seed: Decides everything that is drawn.

    Returns:
        Split -> task objects in the order of the file.

    Raises:
        TaskError: If the curations do not suffice for the splits.
    """
    chosen = assign(with_dossier(pairs), seed)
    return {split: build_split(split, chosen[split], seed) for split in SPLITS}


def with_dossier(pairs: Iterable[Pair]) -> list[Pair]:
    """Return the pairs that have a dossier with at least one phenotype."""
    known = {key for key, dossier in read_dossiers().pairs.items() if dossier.phenotypes}
    return [one for one in pairs if (one.gene, one.mondo_id, one.inheritance) in known]


def build_split(split: Split, pairs: Sequence[Pair], seed: int = 0) -> list[dict[str, Any]]:
    """Make the tasks of one split from its pairs."""
    return [build_task(split, pair, seed) for pair in order_of(split, pairs, seed)]


def order_of(split: Split, pairs: Sequence[Pair], seed: int = 0) -> list[Pair]:
    """Return the pairs of a split in the order of its tasks."""
    order = sorted(pairs)
    Random(f"{seed}:{split}:order").shuffle(order)
    return order


def build_task(split: Split, pair: Pair, seed: int = 0) -> dict[str, Any]:
    """Make one task.

    Args:
        split: Split of the task, whose phrases its texts use.
        pair: The curation.
        seed: Decides everything that is drawn.

    Raises:
        TaskError: If no literature leads to the published class.
    """
    dossiers = read_dossiers()
    literature = _drawn(pair, dossiers, split, seed)
    gold = score(literature)
    written = WrittenLiterature(literature, split)
    key = f"{seed}:{split}:{pair.gene}:{pair.mondo_id}:{pair.inheritance}"
    evidence = [
        {
            "pmid": pmid,
            "subtype": subtype,
            "summary": written.summary(pmid, SUBTYPES[subtype].category),
        }
        for pmid, subtype in dict.fromkeys((pmid, subtype) for pmid, _, subtype in gold.evidence)
    ]
    Random(f"{key}:evidence").shuffle(evidence)
    check_class(pair.classification, gold, evidence)
    return {
        "id": f"clingen-{_digest(key)}",
        "record": {
            "gene": pair.gene,
            "hgnc_id": pair.hgnc_id,
            "disease": pair.disease,
            "mondo_id": pair.mondo_id,
            "inheritance": pair.inheritance,
            "panel": pair.panel,
            "articles": _fronts(literature, written),
            "edition": split,
            "literature": pack(literature),
        },
        "gold": {
            "classification": pair.classification,
            "evidence": evidence,
            "genetic": [
                {"pmid": one.pmid, "summary": told}
                for one in literature.articles
                if (told := written.genetics(one.pmid))
            ],
        },
        "provenance": "synthetic",
    }


def _fronts(literature: Literature, written: WrittenLiterature) -> list[dict[str, Any]]:
    """What a ticket shows of the articles."""
    return [
        {
            "pmid": one.pmid,
            "pmcid": one.pmcid,
            "year": one.year,
            "title": written.article(one.pmid).title,
            "abstract": written.article(one.pmid).abstract,
        }
        for one in literature.articles
    ]


def check_class(label: str, gold: LiteratureGold, evidence: Sequence[dict[str, Any]]) -> None:
    """Raise TaskError unless the records give the class, each subtype once an article."""
    if gold.sop.classification != label:
        raise TaskError(f"the records give {gold.sop}; expected {label}")
    if len(evidence) < len(gold.evidence):
        raise TaskError(f"an article shows the same subtype twice: {gold.evidence}")


def _drawn(pair: Pair, dossiers: Dossiers, split: Split, seed: int) -> Literature:
    """The literature of a pair; another is drawn where it is too long or shows a subtype twice."""
    dossier = dossiers.pairs[pair.gene, pair.mondo_id, pair.inheritance]
    failure = ""
    for draw in range(_DRAWS):
        try:
            literature = draw_literature(
                f"{seed}:{draw}", dossier, dossiers, pair.classification, split
            )
        except TaskError as error:
            failure = str(error)
            continue
        found = score(literature).evidence
        if len({(pmid, subtype) for pmid, _, subtype in found}) < len(found):
            failure = "an article shows the same subtype twice"
        elif _words(WrittenLiterature(literature, split)) > MOST_WORDS:
            failure = f"the articles have more than {MOST_WORDS:,} words"
        else:
            return literature
    raise TaskError(f"{pair.gene}: {failure}")


def _words(written: WrittenLiterature) -> int:
    texts = (written.article(one.pmid) for one in written.literature.articles)
    return sum(len(f"{one.title} {one.abstract} {one.full_text}".split()) for one in texts)


def _digest(key: str) -> str:
    return hashlib.sha256(f"{SALT}:{key}".encode()).hexdigest()[:10]
