"""The plan of one task: what its articles tell, and the human genetics that fits the class.

Everything an agent can see before it asks (number of articles, years, abstracts) is drawn
before the class is looked at. Only the genetics, told in full texts and summaries, depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import TypeVar

from gym_clinic.domains.clingen.evidence import CATEGORIES, SUBTYPES
from gym_clinic.domains.clingen.simulator.articles import write_front
from gym_clinic.domains.clingen.simulator.drafts import (
    RESCUED,
    Draft,
    PlannedFinding,
    PlannedGenetics,
)
from gym_clinic.domains.clingen.simulator.splits import Pair
from gym_clinic.domains.clingen.simulator.systems import system_of
from gym_clinic.domains.clingen.sop import BANDS, experimental_points

ARTICLES = {1: 25, 2: 30, 3: 25, 4: 12, 5: 8}
"""Articles in a task -> weight."""

CALLS = {1: 50, 2: 36, 3: 14}
"""Categories with evidence in an article that has any -> weight."""

WITHOUT_EVIDENCE = 0.1
"""Chance that an article of several carries no evidence."""

CATEGORY_WEIGHTS = {
    "BiochemicalFunction": 18,
    "ProteinInteraction": 18,
    "GeneExpression": 18,
    "FunctionalAlteration": 15,
    "ModelSystem": 14,
    "Rescue": 17,
}
"""Less where a rescue brings the category along."""

SUBTYPE_WEIGHTS = {
    "physical_association": 40,
    "genetic_interaction": 20,
    "negative_genetic_interaction": 20,
    "positive_genetic_interaction": 20,
    "non_human_model_organism": 60,
    "cell_culture_model": 40,
    "rescue_in_human": 16,
    "rescue_in_patient_cells": 30,
    "rescue_in_non_human_model_organism": 30,
    "rescue_in_cell_culture_model": 24,
}
"""Weight of a subtype in its category; 50 for those not named."""

PAIRED = 0.5
"""Chance that the article of a rescue also shows the defect that it undoes."""

SECOND_SUBTYPE = 0.08
"""Chance of a second subtype in a category that has evidence."""

DISTRACTORS = {1: 20, 2: 40, 3: 28, 4: 12}
"""Findings that are no evidence, per article -> weight."""

STATUS_WEIGHTS = {
    "negative": 20,
    "withdrawn": 7,
    "reported": 16,
    "other": 22,
    "planned": 13,
    "technique": 12,
    "elsewhere": 11,
}
"""What a finding that is no evidence is instead -> weight."""

MODE_WEIGHTS = {
    "shown": (60, 20, 20),
    "negative": (60, 13, 27),
    "withdrawn": (50, 13, 37),
    "reported": (50, 13, 37),
    "other": (60, 13, 27),
    "planned": (45, 13, 42),
    "technique": (20, 13, 67),
    "elsewhere": (50, 13, 37),
}
"""Status -> weights of explicit, hint and silent in the abstract."""

MOST_TOLD = 5
"""Most findings in an abstract."""

YEARS = (2012, 2024)
"""First and last year of an article."""

SHORT = 0.25
"""Chance that a task of one or two articles has short ones."""

MOST_EXPERIMENTAL = 5.5
"""Most experimental points of a task: half a point of genetics still fits under 6."""

MOST_NULL, MOST_OTHER = 6, 14
"""Most probands that count: 10 points for null variants, 7 for others (Strande 2017)."""


_Key = TypeVar("_Key", str, int)


def plan_task(
    rng: Random, pair: Pair, peers: Sequence[Pair], *, key: str, wide: bool
) -> list[Draft]:
    """Plan the articles of a pair.

    Args:
        rng: Source of randomness.
        pair: Gene, disease and published class.
        peers: Pairs of the same split, for partner and distractor genes.
        key: Goes into the articles' seeds.
        wide: Whether the articles may use every phrase.

    Returns:
        Its articles in the order of the task.
    """
    drafts = _draw_articles(rng, pair, peers, key, wide)
    human = _genetics(rng, pair.classification, drafts)
    return [replace(draft, genetics=human.get(i)) for i, draft in enumerate(drafts)]


def _draw_articles(
    rng: Random, pair: Pair, peers: Sequence[Pair], key: str, wide: bool
) -> list[Draft]:
    """Articles without genetics; drawn again until the points leave room for every class."""
    genes = _neighbours(pair, peers)
    system = system_of(pair.disease, pair.panel)
    while True:
        count = _weighted(rng, ARTICLES)
        short = count <= 2 and rng.random() < SHORT
        drafts = []
        for number in range(count):
            empty = count > 1 and rng.random() < WITHOUT_EVIDENCE
            draft = Draft(
                pair.gene, pair.disease, rng.randint(*YEARS), system, f"{key}-{number}",
                _findings(rng, genes, empty=empty), None, short, wide,
            )  # fmt: skip
            while not _fits(draft):
                draft = replace(draft, findings=_findings(rng, genes, empty=empty))
            drafts.append(draft)
        points = experimental_points([f.subtype for d in drafts for f in evidence_of(d)])
        if 0 < points <= MOST_EXPERIMENTAL:
            return drafts


def evidence_of(draft: Draft) -> list[PlannedFinding]:
    """The findings of a draft that are evidence."""
    return [finding for finding in draft.findings if finding.status == "shown"]


def _fits(draft: Draft) -> bool:
    """Whether the abstract can be written within its length."""
    try:
        write_front(draft)
    except ValueError:
        return False
    return True


def _neighbours(pair: Pair, peers: Sequence[Pair]) -> list[str]:
    """Genes for partners and distractors: of the same system first, none in the label."""
    system = system_of(pair.disease, pair.panel)
    near = {p.gene for p in peers if system_of(p.disease, p.panel) == system}
    genes = near if len(near) >= 12 else {p.gene for p in peers}
    return sorted(gene for gene in genes if gene != pair.gene and gene not in pair.disease)


def _findings(rng: Random, genes: Sequence[str], *, empty: bool) -> tuple[PlannedFinding, ...]:
    """What an article tells: evidence, then what only looks like it, in mixed order."""
    findings: list[PlannedFinding] = []

    def add(subtype: str, status: str, mode: str, scene: int | None = None) -> None:
        other, partner, partner_b = rng.sample(genes, 3)
        number = len(findings) if scene is None else scene
        about = other if status == "other" else ""
        findings.append(PlannedFinding(subtype, status, mode, number, about, (partner, partner_b)))

    def scene_of(subtype: str | None) -> int | None:
        return next((f.scene for f in findings if f.subtype == subtype), None)

    for first, second in [] if empty else _evidence(rng):
        mode = _mode(rng, "shown")
        add(first, "shown", mode, scene_of(RESCUED.get(first)))
        if second:
            add(second, "shown", rng.choice(("explicit", "silent")) if mode == "explicit" else mode)
    shown = {finding.category for finding in findings}
    proven = {finding.subtype for finding in findings}
    closed = set(proven)
    # A defect that a rescue takes as given can not be denied or postponed in the same article.
    given = {RESCUED[subtype] for subtype in proven if subtype in RESCUED}
    for _ in range(_weighted(rng, DISTRACTORS) + empty):
        status = _weighted(rng, STATUS_WEIGHTS)
        keep = status in ("planned", "technique") or rng.random() < 0.75
        options = [
            subtype
            for subtype in SUBTYPES
            if subtype not in closed
            and not (keep and SUBTYPES[subtype].category in shown)
            and not (
                subtype in given and status in ("negative", "withdrawn", "planned", "technique")
            )
            and not (subtype == "rescue_in_human" and status == "elsewhere")
        ]
        if not options:
            continue
        category = rng.choice(sorted({SUBTYPES[subtype].category for subtype in options}))
        subtype = _subtype(rng, category, options)
        # A rescue that failed was tried on the defect that the article shows, if it shows one.
        base = RESCUED.get(subtype) if status in ("negative", "withdrawn") else None
        add(subtype, status, _mode(rng, status), scene_of(base) if base in proven else None)
        closed.add(subtype)
    return _at_most_told(rng, findings)


def _evidence(rng: Random) -> list[tuple[str, str]]:
    """A subtype for each category with evidence, and a second one or an empty string."""
    wanted = _weighted(rng, CALLS)
    weights = dict(CATEGORY_WEIGHTS)
    chosen: list[str] = []
    while len(chosen) < wanted:
        chosen.append(_weighted(rng, weights))
        del weights[chosen[-1]]
    fixed: dict[str, str] = {}
    if "Rescue" in chosen:
        rescue = _subtype(rng, "Rescue")
        fixed["Rescue"] = rescue
        base = RESCUED.get(rescue)
        if base and rng.random() < PAIRED:
            category = SUBTYPES[base].category
            fixed[category] = base
            if category not in chosen:
                if len(chosen) > 1:
                    chosen.remove(rng.choice([c for c in chosen if c != "Rescue"]))
                chosen.append(category)
    # A rescue comes after its base, whose scene it takes over.
    chosen.sort(key=lambda category: category == "Rescue")
    planned = []
    for category in chosen:
        first, second = fixed.get(category) or _subtype(rng, category), ""
        if rng.random() < SECOND_SUBTYPE and category != "Rescue":
            rest = [s.key for s in CATEGORIES[category].subtypes if s.key != first]
            second = _subtype(rng, category, rest)
        planned.append((first, second))
    return planned


def _at_most_told(rng: Random, findings: Sequence[PlannedFinding]) -> tuple[PlannedFinding, ...]:
    """In mixed order, with the surplus over `MOST_TOLD` left out of the abstract."""
    mixed = list(findings)
    rng.shuffle(mixed)
    told = [i for i, finding in enumerate(mixed) if finding.mode != "silent"]
    for index in told[MOST_TOLD:]:
        mixed[index] = replace(mixed[index], mode="silent")
    return tuple(mixed)


def _genetics(rng: Random, label: str, drafts: Sequence[Draft]) -> dict[int, PlannedGenetics]:
    """Article -> human genetics, such that the SOP gives the label under either reading."""
    low, high = BANDS[label]
    if high == 0:
        return {}
    experimental = experimental_points([f.subtype for d in drafts for f in evidence_of(d)])
    latest = max(draft.year for draft in drafts)
    carriers = [i for i, draft in enumerate(drafts) if evidence_of(draft)]
    once = False
    if label == "Strong":
        recent = [i for i in carriers if drafts[i].year >= latest - 2]
        once = not recent or rng.random() < 0.5
        carriers = [rng.choice(carriers)] if once else recent

    least = max(0.5, low - experimental) if low >= 1 else 0.5
    most = min(high - experimental, least + 3 if low >= 12 else 12)
    points = least + 0.5 * rng.randint(0, int((most - least) / 0.5))
    nulls = rng.choice(
        [n for n in range(MOST_NULL + 1) if 0 <= (points - 1.5 * n) / 0.5 <= MOST_OTHER]
    )
    others = round((points - 1.5 * nulls) / 0.5)
    chosen = rng.sample(carriers, rng.randint(1, min(len(carriers), nulls + others)))
    counts = {i: [0, 0] for i in chosen}
    probands = [0] * nulls + [1] * others
    rng.shuffle(probands)
    for number, kind in enumerate(probands):
        counts[chosen[number] if number < len(chosen) else rng.choice(chosen)][kind] += 1
    reports = _reports(rng, label, once, latest, {i: drafts[i].year for i in chosen})
    return {i: PlannedGenetics(counts[i][0], counts[i][1], *reports[i]) for i in sorted(chosen)}


def _reports(
    rng: Random, label: str, once: bool, latest: int, years: dict[int, int]
) -> dict[int, tuple[int, int]]:
    """Article -> earlier independent reports and the year of the first report."""
    earlier = {i: rng.choice((0, 0, 1, 2, 3, 4)) for i in years}
    first = {i: years[i] - rng.randint(1, 14) if earlier[i] else years[i] for i in years}
    if label == "Strong":
        earlier = {i: 0 if once else rng.choice((0, 1, 2)) for i in years}
        first = {i: rng.randint(latest - 2, years[i]) if earlier[i] else years[i] for i in years}
    elif label == "Definitive":
        anchor = rng.choice(sorted(years))
        while len(years) + sum(earlier.values()) < 3:
            earlier[anchor] += 1
        # Three years and three publications divide the readings; both are cleared by one.
        bound = latest - 5
        if (earlier[anchor] and first[anchor] == years[anchor]) or min(first.values()) > bound:
            earlier[anchor] = max(1, earlier[anchor])
            first[anchor] = min(years[anchor] - 1, bound) - rng.randint(0, 9)
    return {i: (earlier[i], first[i]) for i in years}


def _weighted(rng: Random, weights: Mapping[_Key, int]) -> _Key:
    """A key by weight."""
    return rng.choices(list(weights), weights=list(weights.values()))[0]


def _subtype(rng: Random, category: str, options: Sequence[str] | None = None) -> str:
    """A subtype of the category by weight, among the options if given."""
    keys = [s.key for s in CATEGORIES[category].subtypes if options is None or s.key in options]
    return rng.choices(keys, weights=[SUBTYPE_WEIGHTS.get(key, 50) for key in keys])[0]


def _mode(rng: Random, status: str) -> str:
    return rng.choices(("explicit", "hint", "silent"), weights=MODE_WEIGHTS[status])[0]
