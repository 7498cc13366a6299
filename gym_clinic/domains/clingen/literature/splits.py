"""Which curations go into train, dev and test: whole panels, no gene in two splits.

A panel is in one split. No panel gives more than a quarter of a split, so the largest panels are in
train. Every class has enough tasks in test to be measured. A gene that panels of several splits
curated stays in the smaller split. Panels are chosen by local search: sizes and classes first, then
gene families that would lie in two splits.

Source: the supervisor paper, table 1, for the sizes: 931, 224 and 220 records.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import NamedTuple

from gym_clinic.domains.clingen.dossiers import read_dossiers
from gym_clinic.domains.clingen.evidence import CLASSES
from gym_clinic.errors import TaskError

SIZES: dict[str, int] = {"train": 931, "dev": 224, "test": 220}
"""Split -> tasks."""

LEAST: dict[str, int] = {"train": 5, "dev": 5, "test": 12}
"""Split -> fewest tasks of a class."""

PANEL_SHARE = 0.25
"""Largest share of a split that one panel may give."""

TRAIN_PANELS = ("Mitochondrial Diseases Gene Curation Expert Panel",)
"""Panels that are always in train."""

_PRIORITY = ("test", "dev", "train")
_RESTARTS, _STEPS = 6, 1500


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


def assign(
    pairs: Iterable[Pair], seed: int, families: Mapping[str, str] | None = None
) -> dict[str, list[Pair]]:
    """Choose panels and pairs for every split.

    Args:
        pairs: Curations; those outside the five classes and repeats are left out.
        seed: Decides which of the possible choices is taken.
        families: Gene -> its family, kept within a split where that is possible; those of the
            dossiers by default.

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
    if not kept:
        raise TaskError("no choice of panels suffices: there are no pairs")
    if families is None:
        genes = read_dossiers().genes.values()
        families = {one.gene: one.family for one in genes if one.family}
    search = _PanelSearch(kept, families)
    rng = Random(f"{seed}:panels")
    _, choice = min(
        (search.run(rng) for _ in range(_RESTARTS)),
        key=lambda found: (found[0], *found[1].values()),
    )
    held = _held(choice, kept)
    if faults := shortfalls(held):
        raise TaskError(f"no choice of panels suffices: {'; '.join(faults)}")
    return {split: sorted(held[split]) for split in SIZES}


def shortfalls(held: Mapping[str, Sequence[Pair]]) -> list[str]:
    """Return what the splits lack: tasks of a class, or a panel that gives too much."""
    faults = []
    for split, least in LEAST.items():
        mine = held.get(split, ())
        classes = Counter(pair.classification for pair in mine)
        faults += [
            f"{split} has {classes[one]} {one}, expected {least}"
            for one in CLASSES
            if classes[one] < least
        ]
        faults += [
            f"{panel} gives {number} of {len(mine)} in {split}"
            for panel, number in Counter(pair.panel for pair in mine).items()
            if number > PANEL_SHARE * len(mine)
        ]
    return faults


def _held(choice: Mapping[str, str], pairs: Sequence[Pair]) -> dict[str, list[Pair]]:
    """Pairs of each split; a gene of several splits stays in the one that comes first."""
    first: dict[str, str] = {}
    for split in _PRIORITY:
        for pair in pairs:
            if choice[pair.panel] == split:
                first.setdefault(pair.gene, split)
    held: dict[str, list[Pair]] = {split: [] for split in SIZES}
    for pair in pairs:
        if first[pair.gene] == choice[pair.panel]:
            held[first[pair.gene]].append(pair)
    return held


class _PanelSearch:
    """Local search over the splits of panels, with counts that are made once."""

    def __init__(self, pairs: Sequence[Pair], families: Mapping[str, str]) -> None:
        panels: dict[str, list[Pair]] = {}
        panels_of: dict[str, set[str]] = defaultdict(set)
        for pair in pairs:
            panels.setdefault(pair.panel, []).append(pair)
            panels_of[pair.gene].add(pair.panel)
        shared: dict[str, list[tuple[str, int]]] = {}
        self.counts = {name: [0] * len(CLASSES) for name in sorted(panels)}
        for pair in pairs:
            place = CLASSES.index(pair.classification)
            if len(panels_of[pair.gene]) == 1:
                self.counts[pair.panel][place] += 1
            else:
                shared.setdefault(pair.gene, []).append((pair.panel, place))
        self.shared = list(shared.values())
        self.sizes = {name: len(held) for name, held in panels.items()}
        self.free = [
            name
            for name in self.counts
            if name not in TRAIN_PANELS and self.sizes[name] <= PANEL_SHARE * SIZES["test"]
        ]
        together: dict[str, set[str]] = defaultdict(set)
        for pair in pairs:
            if family := families.get(pair.gene):
                together[family].add(pair.panel)
        self.families = [sorted(one) for _, one in sorted(together.items()) if len(one) > 1]
        self.undetermined = sorted({one.panel for one in pairs if one.inheritance == "UD"})
        whole = Counter(pair.classification for pair in pairs)
        self.wanted = {
            split: [size * whole[one] / len(pairs) for one in CLASSES]
            for split, size in SIZES.items()
        }

    def run(self, rng: Random) -> tuple[float, dict[str, str]]:
        """Return the cost and the choice that a search from a random start ends with."""
        choice = dict.fromkeys(self.counts, "train")
        choice |= {name: rng.choice(_PRIORITY) for name in self.free}
        best = self.cost(choice)
        for _ in range(_STEPS if self.free else 0):
            trial = dict(choice)
            for name in rng.sample(self.free, min(len(self.free), rng.choice((1, 1, 2)))):
                trial[name] = rng.choice(_PRIORITY)
            if (cost := self.cost(trial)) <= best:
                choice, best = trial, cost
        return best, choice

    def cost(self, choice: Mapping[str, str]) -> float:
        """How far a choice is from what is wanted: classes, sizes, panels, then families."""
        counts = {split: [0] * len(CLASSES) for split in SIZES}
        for name, split in choice.items():
            counts[split] = [a + b for a, b in zip(counts[split], self.counts[name], strict=True)]
        for found in self.shared:
            first = min((choice[name] for name, _ in found), key=_PRIORITY.index)
            for name, place in found:
                counts[first][place] += choice[name] == first
        cost = 0.0
        for split, classes in counts.items():
            total = sum(classes)
            cost += abs(total - SIZES[split])
            cost += sum(50.0 * max(0, LEAST[split] - number) for number in classes)
            pairs = zip(classes, self.wanted[split], strict=True)
            cost += sum(0.5 * abs(number - wanted) for number, wanted in pairs)
            most = max((self.sizes[one] for one in choice if choice[one] == split), default=0)
            cost += 50.0 * max(0.0, most - PANEL_SHARE * total)
        cost += sum(0.5 * (len({choice[one] for one in names}) - 1) for names in self.families)
        return round(cost + 10 * len({choice[one] for one in self.undetermined}), 6)
