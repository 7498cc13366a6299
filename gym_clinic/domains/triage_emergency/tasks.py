"""Tasks of triage, made from seeds: each of the five levels equally often."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from gym_clinic.chart import safety_state
from gym_clinic.clinical import (
    ClinicCase,
    DomainSpec,
    JudgedEpisode,
    MadeTask,
    TaskDraft,
    open_world,
)
from gym_clinic.clinical.calls import canonical
from gym_clinic.clinical.judging import economy
from gym_clinic.clinical.seen import seen
from gym_clinic.domains.triage_emergency.acuity import Acuity, acuity
from gym_clinic.domains.triage_emergency.judging import COMMON, JUDGE, alarming, in_danger_zone
from gym_clinic.domains.triage_emergency.placement import (
    NO_PATHWAY,
    Pathway,
    pathway_of,
    place,
    protocols,
)
from gym_clinic.domains.triage_emergency.plan import NoPlanError, PlannedTriage, plan_triage
from gym_clinic.domains.triage_emergency.twins import make_twin
from gym_clinic.domains.triage_emergency.world import Department, draw_department
from gym_clinic.episode import Call, Episode, Task, Turn
from gym_clinic.facts import words
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient
from gym_clinic.simulate.clinic.incidental import red_flags

LEVELS = ("1", "2", "3", "4", "5")
"""The classes of the tasks."""

WITH_PROTOCOL: Mapping[str, float] = {"1": 0.5, "2": 0.6, "3": 0.25, "4": 0.0, "5": 0.2}
"""Level -> share of its drafts that are of a protocol; fewer tasks, since some are refused."""

MOST_CITED = 5
"""Citations that a gold asks for, at most."""

MOST_READ = 8
"""Keys that a gold asks to be read, at most."""

LEAST_READ = 3
"""Keys that a gold asks to be read, at least: two of this patient, and the vital signs."""

LATE = 10.0
"""Minutes by which what cannot wait is ordered, at the least."""

UNSTABLE = "unstable_patient"
"""The emergency of a patient of level 1 or 2 whose condition by itself is none."""


@lru_cache(maxsize=1)
def pools() -> Mapping[str, tuple[str, ...]]:
    """Return level -> conditions that bring patients of this level."""
    text = Path(__file__).with_name("pools.json").read_text(encoding="utf-8")
    return {level: tuple(listed) for level, listed in json.loads(text).items()}


def condition_of(label: str, seed: int) -> tuple[str, str | None]:
    """Return the condition of a draft, and the protocol that it must have; None for any or none.

    A share of the drafts is of a protocol, drawn among those that occur at the level.
    """
    random = Random(f"{seed}:{label}:condition")
    pool = pools()[label]
    occurring = {
        one.id: [key for key in dict.fromkeys(k for rule in one.rules for k in rule.conditions)
                 if key in pool]
        for one in protocols().values()
    }  # fmt: skip
    some = [name for name, keys in occurring.items() if keys]
    if some and random.random() < WITH_PROTOCOL[label]:
        protocol = random.choice(some)
        return random.choice(occurring[protocol]), protocol
    return random.choice(pool), None


VITALS: tuple[str, ...] = ("vital:gcs", "vital:spo2", "vital:hr", "vital:rr", "vital:sbp",
                           "vital:pain", "vital:temp_c")  # fmt: skip
"""Keys of the vital signs, the most telling first."""

SHORT_NAME = 5
"""Characters of a name that is too short to be looked for in a ticket."""


def make_task(draft: TaskDraft) -> MadeTask | None:
    """Return the task of a draft; None if its patient is not of the level, or shows no reason."""
    condition, protocol = condition_of(draft.label, draft.seed)
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
    try:
        plan = plan_triage(record, found, pathway)
    except NoPlanError:
        return None
    if not _seen_alike(plan, found, pathway, department):
        return None
    cited = list(_citations(plan, found))[:MOST_CITED]
    if (
        len(_wanted(plan, cited)) < LEAST_READ
        or len(cited) < 3
        or (found.level <= 2 and not _alarm(plan, cited))
    ):
        return None
    gold = _gold(plan, found, pathway, department, cited, condition)
    made = MadeTask(record, gold, _ticket(plan))
    fits = not _is_named(patient, made.ticket) and _works_out(plan, made)
    return made if fits else None


def _seen_alike(
    plan: PlannedTriage, found: Acuity, pathway: Pathway, department: Department
) -> bool:
    """Whether the measured vital signs lead to the decision of the true ones."""
    patient = plan.case.patient
    by_eye = acuity(patient, plan.measured), pathway_of(patient, plan.measured)
    same = by_eye[0].level == found.level and by_eye[1].accepted == pathway.accepted
    return same and place(*by_eye, department) == place(found, pathway, department)


def _works_out(plan: PlannedTriage, made: MadeTask) -> bool:
    """Whether the reference plan with the right answer is right in every part."""
    task = Task("rehearsal", made.record, made.gold, made.ticket)
    answer = {**made.gold["answer"], "cited_findings": made.gold["cite"]}
    calls = [tuple(Call(name, dict(given), ok=True) for name, given in move) for move in plan.moves]
    turns = [Turn("", calls=one) for one in calls]
    submitted = Call("submit_answer", answer, ok=True, response="Answer recorded.")
    turns.append(Turn("", calls=(submitted,), answer=answer))
    found = JudgedEpisode(JUDGE, Episode(task, plan.case, turns, answer, "answered"))
    whole = (found.process(), found.safety(), found.coherence(), found.assertion(), found.share)
    return found.solved and min(whole) >= 1 - 1e-9 and economy(found) == 0


def _ticket(plan: PlannedTriage) -> str:
    """Who comes, when, and the opening words."""
    world, person = plan.case.world, plan.case["person"]
    months = round(person["age"] * 12)
    age = f"{person['age']:g} years" if person["age"] >= 2 else f"{months} months"
    return "\n".join(
        (
            f"Triage, {world.patient.arrived:%d %B %Y, %H:%M}.",
            f"{person['name']} ({person['patient_id']}), {age}, {person['sex']}.",
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


def _alarm(plan: PlannedTriage, cited: list[dict[str, Any]]) -> bool:
    return any(one["present"] and alarming(plan.case, one["finding"]) for one in cited)


def _citations(plan: PlannedTriage, found: Acuity) -> Iterator[dict[str, Any]]:
    """Yield what the decision rests on, the decisive first."""
    urgent, read = found.level <= 2, plan.read
    facts = plan.case.patient.facts
    told = sorted(one for one in read if one.startswith("told:HP") or one.startswith("told:sym"))
    flags = {
        key for key in told
        if {facts.phenotypes[one].name
            for one in (key[5:], *facts.above.get(key[5:], ())) if one in facts.phenotypes}
        & (red_flags() - COMMON)
    }  # fmt: skip
    vitals = [key for key in VITALS if key in read]
    problem = {f"told:{key}" for key in plan.case.patient.problems[0].findings}
    complaint = f"told:{plan.case.patient.problems[0].complaint}"
    made: set[str] = set()

    def cite(key: str, present: bool) -> Iterator[dict[str, Any]]:
        one = plan.citation(key)
        if key not in made and one is not None and one["present"] is present:
            made.add(key)
            yield one

    own = sorted((problem & {*told}) - {complaint}, key=lambda key: (key not in flags, key))
    if urgent:
        for key in vitals:
            alarms = key in ("vital:gcs", "vital:pain", "vital:sbp")
            if len(made) < 2 and (alarms or in_danger_zone(plan.case, key)):
                yield from cite(key, True)
        for key in own[:2]:
            yield from cite(key, True)
        yield from cite("study:ecg", True)
        for site in sorted(one for one in read if one.startswith("site:")):
            yield from cite(site, True)
    else:
        for key in own[:2]:
            yield from cite(key, True)
        for key in sorted({*told} - problem):
            if len(made) < 3:
                yield from cite(key, False)
        for key in ("vital:spo2", "vital:rr", "vital:hr"):
            if not any(one.startswith("vital:") for one in made):
                yield from cite(key, False)
    yield from cite(complaint, True)
    for key in own:
        yield from cite(key, True)
    for key in vitals:
        yield from cite(key, False)


def _gold(
    plan: PlannedTriage,
    found: Acuity,
    pathway: Pathway,
    department: Department,
    cited: list[dict[str, Any]],
    condition: str,
) -> dict[str, Any]:
    patient = plan.case.patient
    answer = {
        "level": found.level,
        "pathway": pathway.id,
        "disposition": place(found, pathway, department),
    }
    condition_of_library = patient.facts.conditions[condition]
    return {
        "answer": answer,
        "acceptable": {"pathway": list(pathway.accepted)},
        "plan": [[{"name": name, "arguments": given} for name, given in move]
                 for move in plan.moves],
        "expected": list(_expected(plan)),
        "read": _wanted(plan, cited),
        "cite": cited,
        "forbidden": [_forbidden(one) for one in condition_of_library.contraindicated],
        "assertions": list(_assertions(plan, found, pathway, cited)),
        "reference": {
            "cost": plan.case.cost(),
            "orders": float(sum(1 for _ in plan.case.carried_out())),
        },
        "reasons": {
            "life-saving": list(found.life_saving),
            "high risk": list(found.high_risk),
            "confused": found.confused,
            "severe pain": found.severe_pain,
            "resources": list(found.resources),
            "danger zone": list(found.danger_zone),
        },
        "safety": _safety(plan, found),
        "condition": condition,
        "difficulty": list(_difficulty(patient, found)),
        "reward_basis": ["ACTION", "ASSERTION"],
    }  # fmt: skip


def _safety(plan: PlannedTriage, found: Acuity) -> dict[str, Any]:
    """What the rules of safety are to know: the level, and that an unstable patient is one."""
    known = safety_state(plan.case)["gold"]["emergency"]
    unstable = found.level <= 2 and known is None
    return {"esi": found.level, **({"emergency": UNSTABLE} if unstable else {})}


def _forbidden(reference: str) -> str:
    return reference if ":" in reference else f"drug:{reference}"


_COMPARED = {
    "order_lab": ("test",), "order_study": ("study",), "give_medication": ("drug", "route"),
    "perform_procedure": ("procedure",), "activate_pathway": ("pathway",),
    "examine_patient": ("system",), "read_protocol": ("protocol",),
}  # fmt: skip
_NOT_EXPECTED = (
    "wait", "read_results", "list_documents", "read_document", "search_pubmed",
    "retrieve_evidence", "search_medical_wiki", "list_protocols", "read_patient_record",
    "read_vital_signs_trend",
)  # fmt: skip
"""Calls of the plan that others can do without."""


def _expected(plan: PlannedTriage) -> Iterator[dict[str, Any]]:
    facts = plan.case.patient.facts
    for move in plan.moves:
        for name, arguments in move:
            if name in _NOT_EXPECTED:
                continue
            for one, given in canonical(facts, name, arguments):
                compared = {key: given[key] for key in _COMPARED.get(one, ())}
                yield {"name": one, "arguments": compared}


def _wanted(plan: PlannedTriage, cited: list[dict[str, Any]]) -> list[str]:
    """The keys that must be read: of this patient first, then what decides for everybody."""
    opened = seen(ClinicCase(plan.case.world))
    asked = {f"told:{one}" for one in (*plan.asked, *plan.excluded)}
    screens = ("study:ecg", "lookup:stroke screen", "lookup:glucose", "record:allergies")
    sites = sorted(one for one in plan.read if one.startswith("site:"))
    told = [one["finding"] for one in cited if one["finding"].startswith("told:")]
    chosen = dict.fromkeys((*told, *sorted(asked), *sites, *screens))
    own = [one for one in chosen if one in plan.read and one not in opened]
    return [*own[:MOST_READ], "vital:hr"]


def _decisive(plan: PlannedTriage, cited: list[dict[str, Any]]) -> dict[str, Any]:
    """The citation that this decision rests on: of this patient, and not on the ticket."""
    opened = seen(ClinicCase(plan.case.world))
    own = [one for one in cited if one["finding"] not in opened]
    found = [one for one in own if not one["finding"].startswith("vital:")]
    return next(iter((*found, *own, *cited)))


def _assertions(
    plan: PlannedTriage, found: Acuity, pathway: Pathway, cited: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    names = [protocols()[one].activates for one in pathway.accepted if one != NO_PATHWAY]
    optional = NO_PATHWAY in pathway.accepted
    first = _decisive(plan, cited)
    if pathway.id == NO_PATHWAY:
        text = f"No protocol is activated, after {first['finding']} was looked for."
        yield {"check": "activated_by", "pathways": [], "key": first["finding"], "text": text}
    elif not optional:
        minutes = pathway.minutes
        text = f"The protocol '{pathway.id}' is activated within {minutes:g} minutes of arrival."
        yield {"check": "activated_by", "pathways": names, "minutes": minutes, "text": text}
    if plan.urgent:
        last = max((one.ordered for one in plan.case.orders.values()), default=0.0)
        orders, minutes = sorted(set(plan.urgent)), max(LATE, 5.0 * math.ceil((last + 5) / 5))
        text = f"Ordered within {minutes:g} minutes of arrival: {', '.join(orders)}."
        yield {"check": "done_by", "orders": orders, "minutes": minutes, "text": text}
    text = "The patient is in the right place, after the department was looked at."
    yield {"check": "placed", "text": text}
    text = f"The decision rests on {first['finding']}."
    yield {"check": "cited", **first, "text": text}


def _difficulty(patient: ClinicPatient, found: Acuity) -> Iterator[str]:
    if len(patient.problems) > 1:
        yield "two problems"
    if any(one.blunting for one in patient.medicines):
        yield "masking medicine"
    nominal = patient.facts.conditions[patient.problems[0].condition].triage
    if nominal is not None and abs(nominal - found.level) >= 1:
        yield "atypical form"
    if found.danger_zone and not found.high_risk and found.level == 2:
        yield "decided by a vital sign"


SPEC = DomainSpec("triage_emergency", LEVELS, make_task, make_twin)
"""How tasks of triage are made."""

__all__ = ["LEVELS", "SPEC", "condition_of", "make_task", "pools"]
