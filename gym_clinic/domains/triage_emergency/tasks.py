"""Tasks of triage, made from seeds: each of the five levels equally often."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from gym_clinic.clinical import (
    ClinicCase,
    DomainSpec,
    JudgedEpisode,
    MadeTask,
    TaskDraft,
    open_world,
)
from gym_clinic.clinical.judging.citations import signs
from gym_clinic.clinical.judging.seen import seen
from gym_clinic.clinical.rehearsal import answered, rehearse
from gym_clinic.domains.triage_emergency.acuity import (
    Acuity,
    acuity,
    hours_of_findings,
    names_of,
)
from gym_clinic.domains.triage_emergency.acuity_table import acuity_table
from gym_clinic.domains.triage_emergency.first_orders import first_orders, urgent_calls
from gym_clinic.domains.triage_emergency.gold import (
    LEAST_CITED,
    citations,
    has_alarm,
    make_gold,
    must_read,
    reasons,
)
from gym_clinic.domains.triage_emergency.judging import JUDGE
from gym_clinic.domains.triage_emergency.placement import (
    Pathway,
    pathway_of,
    places,
    protocols,
)
from gym_clinic.domains.triage_emergency.plan import plan_triage
from gym_clinic.domains.triage_emergency.planned import NoPlanError, PlannedTriage
from gym_clinic.domains.triage_emergency.tools import make_tools
from gym_clinic.domains.triage_emergency.twins import make_twin
from gym_clinic.domains.triage_emergency.world import Department, TriageCase, draw_department
from gym_clinic.episode import Call, Turn
from gym_clinic.facts import words
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient
from gym_clinic.simulate.clinic.texts.sections.history import age_words
from gym_clinic.toolbox import Toolbox

LEVELS = ("1", "2", "3", "4", "5")
"""The classes of the tasks."""

WITH_PROTOCOL: Mapping[str, float] = {"1": 0.5, "2": 0.6, "3": 0.25, "4": 0.0, "5": 0.2}
"""Level -> share of its drafts that are of a protocol; fewer tasks, since some are refused."""

MOST_CITED = 5
"""Citations that a gold asks for, at most."""

VISIBLE = 24
"""Weeks of pregnancy from which on it is seen at the door."""

LEAST_READ = 3
"""Keys that a gold asks to be read, at least: two of this patient, and the vital signs."""

SAID_TO_BE_THERE = ("yes", "slight", "vague")
"""What a patient may say of a finding that is there."""

TOLD = (0.7, 1.4)
"""Factors by which an account of times may differ from them without changing the decision."""


OFF: Mapping[str, float] = {
    "hr": 1.5, "sbp": 1.5, "rr": 1.5, "spo2": 1.0, "temp_c": 1.5, "crt_s": 1.5,
}  # fmt: skip
"""Vital sign with an error -> standard deviations by which another measurement may be off without
changing the decision; less for the saturation, whose limits lie two percent apart."""


@lru_cache(maxsize=1)
def pools() -> Mapping[str, tuple[str, ...]]:
    """Return level -> conditions that bring patients of this level."""
    text = Path(__file__).with_name("pools.json").read_text(encoding="utf-8")
    return {level: tuple(listed) for level, listed in json.loads(text).items()}


@lru_cache(maxsize=1)
def weights() -> Mapping[str, float]:
    """Return condition -> weight with which it is drawn; 1 for the others.

    Nearly all patients with these are of one level and say what others do not, while drafts of
    other conditions are seldom of the level, so that these would be most of it.
    """
    text = Path(__file__).with_name("weights.json").read_text(encoding="utf-8")
    listed: dict[str, float] = json.loads(text)
    return listed


def condition_of(label: str, seed: int) -> tuple[str, str | None]:
    """Return the condition of a draft, and the protocol that it must have; None for any or none.

    A share of the drafts is of a protocol, drawn among those that occur at the level.
    """
    random = Random(f"{seed}:{label}:condition")
    pool = pools()[label]
    occurring = {
        one.id: [key for key in dict.fromkeys(k for rule in one.due for k in rule.conditions)
                 if key in pool]
        for one in protocols().values()
    }  # fmt: skip
    some = [name for name, keys in occurring.items() if keys]
    if some and random.random() < WITH_PROTOCOL[label]:
        of_one = [max(map(_weight, occurring[name])) for name in some]
        (protocol,) = random.choices(some, of_one)
        return _drawn(occurring[protocol], random), protocol
    return _drawn(pool, random), None


def _weight(condition: str) -> float:
    return weights().get(condition, 1.0)


def _drawn(pool: Sequence[str], random: Random) -> str:
    (drawn,) = random.choices(pool, [*map(_weight, pool)])
    return drawn


SHORT_NAME = 5
"""Characters of a name that is too short to be looked for in a ticket."""


def make_task(draft: TaskDraft, of: str | None = None) -> MadeTask | None:
    """Return the task of a draft; None if its patient is not of the level, or shows no reason.

    Args:
        draft: The level, the seed and the split.
        of: The condition; drawn from the pool of the level if None.
    """
    condition, protocol = condition_of(draft.label, draft.seed) if of is None else (of, None)
    if not draft.edit and acuity(draw_patient(draft.seed, condition)).level != int(draft.label):
        return None
    record: dict[str, Any] = {
        "seed": draft.seed,
        "condition": condition,
        "split": draft.split,
        "ticket": ["opening words"],
    }
    if draft.edit:
        record["edit"] = [dict(one) for one in draft.edit]
    patient = open_world(record).patient
    if patient.speaker == "crew" and not any(
        one.kind == "handover" for one in open_world(record).texts
    ):
        return None
    department = draw_department(draft.seed, patient.arrived.hour)
    record["department"] = department.to_json()
    found, pathway = acuity(patient), pathway_of(patient)
    if protocol is not None and not draft.edit and pathway.id != protocol:
        return None
    if not is_clear(patient, department) or not _told_alike(patient, found, pathway, department):
        return None
    try:
        plan = plan_triage(record, found, pathway)
    except NoPlanError:
        return None
    if not _measured_alike(plan, found, pathway, department) or told_besides(plan):
        return None
    if acuity(patient, plan.measured, read=findings_read(plan.case)).level != found.level:
        return None
    cited = list(citations(plan, found))[:MOST_CITED]
    if (
        len(must_read(plan, found, pathway, cited)) < LEAST_READ
        or len(cited) < LEAST_CITED
        or not reasons(plan, found)
        or (found.level <= 2 and not has_alarm(plan, cited))
    ):
        return None
    gold = make_gold(plan, found, pathway, department, cited, condition)
    made = MadeTask(record, gold, _ticket(plan))
    fits = not _is_named(patient, made.ticket) and _works_out(plan, made)
    return made if fits else None


def _told_alike(
    patient: ClinicPatient, found: Acuity, pathway: Pathway, department: Department
) -> bool:
    """Whether an account of the times that is a little off leads to the same decision."""
    right = found.level, pathway.accepted, places(found, pathway, department)
    return all(_decided(patient, None, told, department) == right for told in TOLD)


def _measured_alike(
    plan: PlannedTriage, found: Acuity, pathway: Pathway, department: Department
) -> bool:
    """Whether the measured vital signs lead to the decision and the orders of the true ones."""
    patient = plan.case.patient
    right = found.level, pathway.accepted, places(found, pathway, department)
    due = urgent_calls(patient, pathway.id, plan.measured)
    same = [one.accepted for one in due] == [one.accepted for one in plan.urgent]
    return same and _decided(patient, plan.measured, 1.0, department) == right


def _other_rows(patient: ClinicPatient) -> Iterator[dict[str, float]]:
    """The vital signs as another measurement may show them: each off by its error, either way.

    Pulse and pressure are also off together, as a pulse above the pressure tells of shock.
    """
    true, measurements = patient.state(0), patient.facts.measurements

    def moved(sign: str, way: float) -> float:
        one = measurements[sign]
        off = way * OFF[sign] * math.hypot(one.within, one.analytic) * true[sign]
        return min(max(true[sign] + off, one.possible[0]), one.possible[1])

    for way in (1.0, -1.0):
        yield from ({sign: moved(sign, way)} for sign in OFF)
        yield {"hr": moved("hr", way / math.sqrt(2)), "sbp": moved("sbp", -way / math.sqrt(2))}


def is_clear(patient: ClinicPatient, department: Department) -> bool:
    """Return whether the decision does not turn on the error of one measurement.

    Level, protocol and orders are the same whatever another measurement shows, and the best place
    is one that is right by the true values.

    Args:
        patient: The patient.
        department: The state of the department.
    """

    def decided(row: Mapping[str, float] | None) -> tuple[int, tuple[str, ...], list[Any]]:
        pathway = pathway_of(patient, row)
        due = [one.accepted for one in urgent_calls(patient, pathway.id, row)]
        return acuity(patient, row).level, pathway.accepted, due

    def right_places(row: Mapping[str, float] | None) -> tuple[str, ...]:
        return places(acuity(patient, row), pathway_of(patient, row), department)

    right, fitting = decided(None), right_places(None)
    return all(
        decided(row) == right and right_places(row)[0] in fitting for row in _other_rows(patient)
    )


@lru_cache(maxsize=1)
def deciding() -> frozenset[str]:
    """Return the names of findings that by themselves decide a level, a protocol or an order."""
    table = acuity_table()
    named = [one.finding for one in (*table.life_saving, *table.high_risk)]
    named += [rule.finding for one in protocols().values() for rule in one.due]
    orders = [name for one in first_orders() for name in one.findings]
    return frozenset(one for one in (*named, *orders) if one is not None)


def told_besides(plan: PlannedTriage) -> frozenset[str]:
    """Return what was told, would decide something, and is of no problem that brings the patient.

    Palpitations of a thyroid that is known for years ask for an ECG as new ones do: whether they
    decide cannot be told from the door, and such a patient is not drawn.

    Args:
        plan: The reference plan, carried out.
    """
    case = plan.case
    told = [fact.removeprefix("finding:") for fact, value in case.told.items()
            if fact.startswith("finding:") and value == "yes"]  # fmt: skip
    names = names_of(case.patient.facts, told)
    return frozenset(names & deciding() - hours_of_findings(case.patient).keys())


def findings_read(case: ClinicCase) -> frozenset[str]:
    """Return the names of the findings that were told or seen, and of those above them.

    By these the guide to the levels must lead to the right one (see `make_task`), so that no level
    rests on what nobody can read.
    """
    there = [fact.removeprefix("finding:") for fact, value in case.told.items()
             if fact.startswith("finding:") and value in SAID_TO_BE_THERE]  # fmt: skip
    read = seen(case)
    there += [key for site, found in signs(case.world).items() if f"site:{site}" in read
              for key, has in found.items() if has]  # fmt: skip
    return names_of(case.patient.facts, there)


def _decided(
    patient: ClinicPatient,
    measured: Mapping[str, float] | None,
    told: float,
    department: Department,
) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
    level, protocol = acuity(patient, measured, told), pathway_of(patient, measured, told)
    return level.level, protocol.accepted, places(level, protocol, department)


def _works_out(plan: PlannedTriage, made: MadeTask) -> bool:
    """Whether the reference plan with the right answer is right in every part.

    With one call a message too, which takes longer, as measures of one message are the work of a
    team.
    """
    answer = {**made.gold["answer"], "cited_findings": made.gold["cite"]}
    calls = [tuple(Call(name, dict(given), ok=True) for name, given in move) for move in plan.moves]
    turns = [Turn("", calls=one) for one in calls]
    if not JudgedEpisode(JUDGE, answered(plan.case, turns, made.gold, answer)).perfect:
        return False
    one_by_one = [[one] for move in plan.moves for one in move]
    alone = rehearse(_toolbox(), TriageCase(made.record), one_by_one)
    return alone.failure is None and alone.judged(JUDGE, made.gold, answer).perfect


@lru_cache(maxsize=1)
def _toolbox() -> Toolbox:
    return Toolbox(make_tools())


def _ticket(plan: PlannedTriage) -> str:
    """Who comes, when, and the opening words."""
    world, person = plan.case.world, plan.case["person"]
    number, unit, count = age_words(world.patient)
    age = f"{number} {unit}{'s' * (count != 1)}"
    weeks = world.patient.person.pregnant_weeks
    belly = ", visibly pregnant" if weeks is not None and weeks >= VISIBLE else ""
    return "\n".join(
        (
            f"Triage, {world.patient.arrived:%d %B %Y, %H:%M}.",
            f"{person['name']} ({person['patient_id']}), {age}, {person['sex']}{belly}.",
            f"First words: {world.text_of('opening words')}",
        )
    )


def _is_named(patient: ClinicPatient, ticket: str) -> bool:
    """Whether the ticket names what brings the patient."""
    text = f" {' '.join(words(ticket))} "
    for problem in patient.problems:
        disease = patient.facts.diseases[problem.condition]
        names = (" ".join(words(name)) for name in (disease.name, *disease.synonyms))
        if any(f" {name} " in text for name in names if len(name) > SHORT_NAME):
            return True
    return False


SPEC = DomainSpec("triage_emergency", LEVELS, make_task, make_twin)
"""How tasks of triage are made."""

__all__ = ["LEVELS", "SPEC", "condition_of", "make_task", "pools"]
