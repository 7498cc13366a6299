"""How a curation was judged, for people: class, calls, evidence, points as the SOP adds them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gym_clinic.domain import Table
from gym_clinic.domains.clingen.curation import category_of, literature_of
from gym_clinic.domains.clingen.evidence import CATEGORIES, CLASSES, SUBTYPES
from gym_clinic.domains.clingen.genetic_table import ROWS, segregation_points
from gym_clinic.domains.clingen.genetics import read_genetics, tally
from gym_clinic.domains.clingen.literature.scoring import (
    case_control_points,
    lod_of,
    row_of,
    score,
)
from gym_clinic.domains.clingen.rewards import process_reward, set_f1
from gym_clinic.domains.clingen.sop import (
    BANDS,
    EXPERIMENTAL_CAP,
    GENETIC_CAP,
    GROUP_CAPS,
    points_by_category,
)
from gym_clinic.episode import Task

Amount = tuple[str, float]
"""What earns or costs points, and how many."""


def explain(
    task: Task,
    answered: str | None,
    what: str,
    made: Sequence[Any],
    malformed: int,
    wanted: Iterable[Any],
    found: set[tuple[str, str]],
    constants: Mapping[str, float],
) -> list[Table]:
    """Return how a curation was judged, as tables for people; they show the gold.

    Args:
        task: The task.
        answered: The class that counts as the answer.
        what: What the process reward counts, such as "calls".
        made: What was called or claimed.
        malformed: Number of unreadable blocks.
        wanted: What the gold asks for.
        found: The (pmid, subtype label) pairs that were reported or claimed.
        constants: The constants of the rewards that are not the default.
    """
    return [
        outcome_table(answered, str(task.gold["classification"])),
        process_table(what, made, wanted, malformed, constants),
        evidence_table(task, found),
        points_table(task),
    ]


def outcome_table(answered: str | None, gold: str) -> Table:
    """Return the answered class beside the published one."""
    apart = "–"
    if answered in CLASSES:
        apart = str(abs(CLASSES.index(answered) - CLASSES.index(gold)))
    row = (answered or "none", gold, apart)
    return Table("Outcome", ("class answered", "class published", "ranks apart"), (row,))


def process_table(
    what: str,
    made: Sequence[Any],
    wanted: Iterable[Any],
    malformed: int,
    constants: Mapping[str, float],
) -> Table:
    """Return how the process reward is added up.

    Args:
        what: What is counted, such as "calls".
        made: What was called or claimed.
        wanted: What the gold asks for.
        malformed: Number of unreadable blocks.
        constants: The constants of the reward that are not the default.
    """
    needed = set(wanted)
    right = len(set(made) & needed)
    f1 = set_f1(made, needed)
    without = {name: value for name, value in constants.items() if name != "floor"}
    whole = process_reward(made, needed, malformed, **without)
    shaped = process_reward(made, needed, 0, **without)
    final = process_reward(made, needed, malformed, **constants)
    scale, power = constants.get("scale", 2.0), constants.get("power", 3)
    title = f"{right} of {len(set(made))} {what} right, {len(needed)} needed: F1 {f1:.3f}"
    rows = [
        (f"{title}; {scale:g} × F1^{power:g}", scale * f1**power),
        ("centred", shaped - scale * f1**power),
    ]
    if malformed:
        rows.append((f"unreadable blocks: {malformed}", whole - shaped))
    if final != whole:
        rows.append(("lowest reward", final - whole))
    return Table("Process", ("what", "adds"), _sum(rows, "process", final))


def evidence_table(task: Task, found: set[tuple[str, str]]) -> Table:
    """Return the evidence of the gold, and whether it was found.

    Args:
        task: The task.
        found: The (pmid, subtype label) pairs that were reported or claimed.
    """
    rows = [
        (
            item["pmid"],
            SUBTYPES[item["subtype"]].label,
            "yes" if (item["pmid"], SUBTYPES[item["subtype"]].label) in found else "no",
        )
        for item in task.gold["evidence"]
    ]
    known = {(pmid, label) for pmid, label, _ in rows}
    rows += [(pmid, label, "not there") for pmid, label in sorted(found - known)]
    return Table("Experimental evidence", ("article", "kind", "found"), tuple(rows))


def points_table(task: Task) -> Table:
    """Return the points of the gold as the procedure adds them, and the published class.

    Source:
        ClinGen Gene-Disease Validity SOP, as `sop` has it.
    """
    rows = [*_experimental(task), *_genetic(task)]
    total = sum(points for _, points in rows)
    label = str(task.gold["classification"])
    low, high = BANDS[label]
    band = f"{low:g} to {high:g} points" if high else "no human genetic evidence"
    return Table(
        "Points, as the procedure adds them",
        ("what", "points"),
        (*_sum(rows, "total", total), (f"class: {label} ({band}{_replicated(task)})", "")),
    )


def _experimental(task: Task) -> Iterator[Amount]:
    """Yield the points of each category, and what the caps of groups and of all take."""
    subtypes = [item["subtype"] for item in task.gold["evidence"]]
    number = Counter(category_of(subtype).key for subtype in subtypes)
    sums = points_by_category(subtypes)
    counted = 0.0
    for group, cap in GROUP_CAPS.items():
        members = [key for key in sums if CATEGORIES[key].cap_group == group]
        for key in members:
            yield f"{CATEGORIES[key].label}: {number[key]}", sums[key]
        points = sum(sums[key] for key in members)
        if points > cap:
            labels = [
                category.label for category in CATEGORIES.values() if category.cap_group == group
            ]
            yield f"at most {cap:g} for {' and '.join(labels)}", cap - points
        counted += min(points, cap)
    if counted > EXPERIMENTAL_CAP:
        yield f"at most {EXPERIMENTAL_CAP:g} for all experiments", EXPERIMENTAL_CAP - counted


def _genetic(task: Task) -> Iterator[Amount]:
    """Yield the points of human genetics, and what the maxima of rows and of all take."""
    amounts = list(_drawn(task) if "literature" in task.record else _reported(task))
    yield from amounts
    total = sum(points for _, points in amounts)
    if total > GENETIC_CAP:
        yield f"at most {GENETIC_CAP:g} for human genetics", GENETIC_CAP - total


def _drawn(task: Task) -> Iterator[Amount]:
    """Yield the genetic points of a simulated literature, from its records."""
    literature = literature_of(task.record).literature
    rows = Counter(row_of(person, literature) for person in literature.persons)
    for row, (points, most) in ROWS.items():
        if number := rows[row]:
            yield f"persons, {row}: {number} at {points:g}", number * points
            if number * points > most:
                yield f"at most {most:g} for persons, {row}", most - number * points
    lods = [lod_of(family, literature.inheritance) for family in literature.families]
    if segregation := segregation_points(lods):
        yield f"segregation in families: LOD {sum(lods):.2f}", segregation
    for article in literature.articles:
        if article.case_control and (points := case_control_points(article.case_control)):
            yield f"case-control study, {article.pmid}", points


def _reported(task: Task) -> Iterator[Amount]:
    """Yield the genetic points that the curators of an imported task report."""
    years = {article["pmid"]: int(article.get("year") or 0) for article in task.record["articles"]}
    told = [
        (item["pmid"], years.get(item["pmid"], 0), read_genetics(item["summary"]))
        for item in task.gold.get("genetic", ())
    ]
    points = tally(told, str(task.record.get("inheritance", "UD")), None).points
    if points:
        yield "human genetics, as reported", points


def _replicated(task: Task) -> str:
    """Say what else than points decides on the class."""
    if "literature" not in task.record:
        return ""
    gold = score(literature_of(task.record).literature)
    if gold.contradictory:
        return "; families contradict it"
    if task.gold["classification"] in ("Strong", "Definitive"):
        held = "not " if "not_replicated_over_time" in gold.sop.flags else ""
        return f"; {held}replicated over time in {gold.publications} publications"
    return ""


def _sum(rows: Sequence[Amount], name: str, total: float) -> tuple[tuple[str, str], ...]:
    return (*((what, f"{points:+.3f}") for what, points in rows), (name, f"{total:.3f}"))
