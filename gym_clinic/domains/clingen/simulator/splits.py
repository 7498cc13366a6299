"""Which curations go into train, dev and test: whole panels, no gene in two splits.

Every split has the class distribution of the whole download, rare classes rounded up, so that
a constant answer is worth the same in each.

Source: the supervisor paper, table 1, for the sizes: 40, 4 and 8 panels; 931, 224 and 220 records.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import NamedTuple

from gym_clinic.domains.clingen.evidence import CLASSES
from gym_clinic.errors import TaskError

SIZES: dict[str, int] = {"train": 931, "dev": 224, "test": 220}
"""Split -> tasks."""

PANELS: dict[str, int] = {"train": 40, "dev": 4, "test": 8}
"""Split -> expert panels."""

RAREST = 5
"""Fewest tasks of a class in a split."""

_ATTEMPTS = 20_000


class Pair(NamedTuple):
    """A gene-disease pair with its published class.

    Attributes:
        gene: Approved symbol.
        hgnc_id: ``HGNC:`` number.
        disease: Label.
        mondo_id: ``MONDO:`` number.
        inheritance: AD, AR, XL, SD, MT or UD.
        classification: One of `evidence.CLASSES`.
        panel: Gene curation expert panel.
    """

    gene: str
    hgnc_id: str
    disease: str
    mondo_id: str
    inheritance: str
    classification: str
    panel: str


def class_counts(pairs: Sequence[Pair], size: int) -> dict[str, int]:
    """How many tasks of each class a split of this size has."""
    natural = Counter(pair.classification for pair in pairs)
    counts = {label: max(RAREST, int(size * natural[label] / len(pairs))) for label in CLASSES}
    # What rounding leaves goes to, or comes from, the two commonest classes in turn.
    common = [label for label, _ in natural.most_common(2)]
    turn = 0
    while (gap := size - sum(counts.values())) != 0:
        counts[common[turn % len(common)]] += 1 if gap > 0 else -1
        turn += 1
    return counts


def assign(pairs: Iterable[Pair], seed: int) -> dict[str, list[Pair]]:
    """Choose panels and pairs for every split.

    Args:
        pairs: Curations; those outside the five classes and repeats are left out.
        seed: Decides which of the possible choices is taken.

    Returns:
        Split -> its pairs, sorted.

    Raises:
        TaskError: If no choice of panels holds enough of every class.
    """
    usable: dict[tuple[str, str, str], Pair] = {}
    for pair in pairs:
        if pair.classification in CLASSES:
            usable.setdefault((pair.gene, pair.mondo_id, pair.inheritance), pair)
    kept = sorted(usable.values())
    names = sorted({pair.panel for pair in kept})
    if len(names) < sum(PANELS.values()):
        raise TaskError(f"{len(names)} panels; expected at least {sum(PANELS.values())}")
    wanted = {split: class_counts(kept, size) for split, size in SIZES.items()}
    rng = Random(f"{seed}:panels")
    for _ in range(_ATTEMPTS):
        drawn = rng.sample(names, sum(PANELS.values()))
        panel_split: dict[str, str] = {}
        start = 0
        for split in ("test", "dev", "train"):
            panel_split |= dict.fromkeys(drawn[start : start + PANELS[split]], split)
            start += PANELS[split]
        held = _without_shared_genes(kept, panel_split)
        if all(_suffices(held[split], wanted[split], PANELS[split]) for split in SIZES):
            return {
                split: _sample(Random(f"{seed}:{split}:pairs"), held[split], wanted[split])
                for split in SIZES
            }
    raise TaskError(f"no choice of panels holds {wanted}; curations are too few")


def _without_shared_genes(
    pairs: Sequence[Pair], panel_split: Mapping[str, str]
) -> dict[str, list[Pair]]:
    """Pairs of each split, without the genes that panels of several splits curated."""
    splits_of: dict[str, set[str]] = defaultdict(set)
    for pair in pairs:
        if pair.panel in panel_split:
            splits_of[pair.gene].add(panel_split[pair.panel])
    held: dict[str, list[Pair]] = {split: [] for split in SIZES}
    for pair in pairs:
        if pair.panel in panel_split and len(splits_of[pair.gene]) == 1:
            held[panel_split[pair.panel]].append(pair)
    return held


def _suffices(pairs: Sequence[Pair], wanted: Mapping[str, int], panels: int) -> bool:
    counts = Counter(pair.classification for pair in pairs)
    return len({pair.panel for pair in pairs}) == panels and all(
        counts[label] >= number for label, number in wanted.items()
    )


def _sample(rng: Random, pairs: Sequence[Pair], wanted: Mapping[str, int]) -> list[Pair]:
    """A draw with the wanted classes in which every panel occurs."""
    left = dict(wanted)
    taken: set[Pair] = set()
    by_panel: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_panel[pair.panel].append(pair)
    # Panels with few classes first, so that the common classes are still to be had.
    for panel in sorted(by_panel, key=lambda name: (len(by_panel[name]), name)):
        pair = rng.choice([p for p in by_panel[panel] if left[p.classification]])
        taken.add(pair)
        left[pair.classification] -= 1
    for label, number in left.items():
        pool = [p for p in pairs if p.classification == label and p not in taken]
        taken.update(rng.sample(pool, number))
    return sorted(taken)
