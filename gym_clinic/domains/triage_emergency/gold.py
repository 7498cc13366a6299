"""The gold of a triage task: from the true patient and the reference plan, before any answer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from gym_clinic.chart import safety_state
from gym_clinic.clinical import ClinicCase
from gym_clinic.clinical.judging.calls import canonical
from gym_clinic.clinical.judging.seen import seen
from gym_clinic.clinical.naming import evidence_name
from gym_clinic.domains.triage_emergency.acuity import ADULT, Acuity, values_on_arrival
from gym_clinic.domains.triage_emergency.equivalents import instead
from gym_clinic.domains.triage_emergency.judging import (
    BY_VITALS,
    COMMON,
    DEPARTMENT,
    URGENT,
    alarming,
    kind_of_medicine,
    was_found,
)
from gym_clinic.domains.triage_emergency.placement import (
    NO_PATHWAY,
    Pathway,
    places,
    protocols,
)
from gym_clinic.domains.triage_emergency.planned import PlannedTriage
from gym_clinic.domains.triage_emergency.questions import flags_that_serve
from gym_clinic.domains.triage_emergency.world import Department
from gym_clinic.simulate.clinic.telling.incidental import red_flags

MOST_READ = 11
"""Keys that a gold asks to be read, at most, beside the vital signs."""

FLAGS_READ = {1: 0, 2: 2, 3: 3, 4: 3, 5: 3}
"""Level -> red flags of the complaint that must be asked for; nobody asks on where life is in
danger."""

DESK, MORE = 20, 5
"""Minutes of a triage, and by how many more it may be longer than the reference plan takes one pair
of hands."""

LEAST_CITED = 3
"""Citations of a decision, at least; what is normal or absent is cited if there are not enough."""

UNSTABLE = "unstable_patient"
"""The emergency of a patient of level 1 or 2 whose condition by itself is none."""

VITALS: tuple[str, ...] = ("vital:gcs", "vital:sbp", "vital:spo2", "vital:rr", "vital:hr",
                           "vital:pain", "vital:temp_c")  # fmt: skip
"""Keys of the vital signs, the most telling first; what decided comes before the others."""

OFTEN_OFF = frozenset({"vital:sbp", "vital:pain", "vital:spo2"})
"""Those of which a value outside the usual range, such as 139 mmHg or 94 %, tells nothing by
itself."""


def has_alarm(plan: PlannedTriage, cited: list[dict[str, Any]]) -> bool:
    """Return whether the citations hold what alarms."""
    return any(one["present"] and alarming(plan.case, one["finding"]) for one in cited)


def citations(plan: PlannedTriage, found: Acuity) -> Iterator[dict[str, Any]]:
    """Yield what the decision rests on, the decisive first."""
    urgent, read = found.level <= URGENT, plan.read
    facts, opened = plan.case.patient.facts, seen(ClinicCase(plan.case.world))
    told = sorted(one for one in read if one.startswith("told:HP") or one.startswith("told:sym"))
    flags = {
        key for key in told
        if {facts.phenotypes[one].name
            for one in (key[5:], *facts.above.get(key[5:], ())) if one in facts.phenotypes}
        & (red_flags() - COMMON)
    }  # fmt: skip
    decisive = {f"vital:{one}" for one in deciding_vitals(plan, found)}
    vitals = sorted(
        (key for key in VITALS if key in read),
        key=lambda key: (key not in decisive, VITALS.index(key)),
    )
    problem = {f"told:{key}" for key in plan.case.patient.problems[0].findings}
    complaint = f"told:{plan.case.patient.problems[0].complaint}"
    asked = [f"told:{one}" for one in plan.flags]
    made: set[str] = set()

    def cite(key: str, present: bool) -> Iterator[dict[str, Any]]:
        one = plan.citation(key)
        if key not in made and one is not None and one["present"] is present:
            made.add(key)
            yield one

    own = sorted(
        (problem & {*told}) - {complaint}, key=lambda key: (key not in flags, key in opened, key)
    )
    sites = sorted(one for one in read if one.startswith("site:"))
    if urgent:
        for key in vitals:
            if len(made) < 2 and alarming(plan.case, key):
                yield from cite(key, True)
        telling = (one for one in vitals if one not in OFTEN_OFF or alarming(plan.case, one))
        for key in (*own[:2], "study:ecg", *sites, complaint, *own, *telling):
            yield from cite(key, True)
    elif found.level == BY_VITALS:
        for key in (*own[:2], *sites[:1], complaint, *own):
            yield from cite(key, True)
    else:
        for key in own[:2]:
            yield from cite(key, True)
        for key in (*asked, *sorted({*told} - problem)):
            if len(made) < 3:
                yield from cite(key, False)
        for key in ("vital:spo2", "vital:rr", "vital:hr"):
            dangerous = key.removeprefix("vital:") in found.danger_zone
            if not dangerous and not any(one.startswith("vital:") for one in made):
                yield from cite(key, False)
        for key in (complaint, *own):
            yield from cite(key, True)
    for key in (*asked, *vitals):
        if len(made) < LEAST_CITED:
            yield from cite(key, False)


def deciding_vitals(plan: PlannedTriage, found: Acuity) -> Iterator[str]:
    """Yield the vital signs by which the level was decided: consciousness, shock, danger zone."""
    yield from found.danger_zone
    if found.confused:
        yield "gcs"
    if found.severe_pain:
        yield "pain"
    low = values_on_arrival(plan.case.patient)["low_sbp"]
    if any(one < low for one in plan.case.shown.get("sbp", ())):
        yield "sbp"


def make_gold(
    plan: PlannedTriage,
    found: Acuity,
    pathway: Pathway,
    department: Department,
    cited: list[dict[str, Any]],
    condition: str,
) -> dict[str, Any]:
    """Return the gold of a task.

    Args:
        plan: The reference plan, carried out.
        found: The right level, and why.
        pathway: The right protocol.
        department: The state of the department.
        cited: What the decision rests on.
        condition: Id of the condition that brings the patient.
    """
    patient = plan.case.patient
    answer = {
        "level": found.level,
        "pathway": pathway.id,
        "disposition": places(found, pathway, department)[0],
    }
    read = must_read(plan, found, pathway, cited)
    condition_of_library = patient.facts.conditions[condition]
    return {
        "answer": answer,
        "acceptable": {
            "pathway": list(pathway.accepted),
            "disposition": list(places(found, pathway, department)),
        },
        "plan": [[{"name": name, "arguments": given} for name, given in move]
                 for move in plan.moves],
        "expected": list(_expected(plan)),
        "read": read,
        "cite": cited,
        "instead": instead(plan, found.level, cited, read),
        "forbidden": [_forbidden(one) for one in condition_of_library.contraindicated],
        "assertions": list(_assertions(plan, found, pathway, cited)),
        "reference": plan.case.committed(),
        "desk": max(DESK, math.ceil(plan.case.minute + plan.case.saved) + MORE),
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
        "difficulty": list(_difficulty(plan, found)),
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
    "order_lab": ("test",), "order_study": ("study",), "give_medication": ("drug",),
    "perform_procedure": ("procedure",), "activate_pathway": ("pathway",),
}  # fmt: skip
"""Expected calls, which are those that touch the patient -> the arguments that are compared."""

_EXPECTED = {*_COMPARED, "measure_vital_signs", "give_oxygen", "give_fluids", "give_blood"}


def _expected(plan: PlannedTriage) -> Iterator[dict[str, Any]]:
    facts = plan.case.patient.facts
    for move in plan.moves:
        for name, arguments in move:
            if name not in _EXPECTED and name != "order_ecg":
                continue
            forms = kind_of_medicine(name, arguments) or canonical(facts, name, arguments)
            for one, given in forms:
                compared = {key: given[key] for key in _COMPARED.get(one, ())}
                yield {"name": one, "arguments": compared}


def must_read(
    plan: PlannedTriage, found: Acuity, pathway: Pathway, cited: list[dict[str, Any]]
) -> list[str]:
    """Return the keys that must be read.

    Where life is in danger, a pregnancy counts only if the protocol needs it. What the protocol and
    the first drugs need first, then red flags of the complaint and what
    the complaint and the flags that are there call for, what the decision rests on, the tests of
    the presentation, and the vital signs.
    """
    opened = seen(ClinicCase(plan.case.world))
    after = [one for one in pathway.known_by if one in plan.read and was_found(plan.case, one)]
    looks = [f"site:{one.look}" for one in plan.urgent if one.look is not None]
    flags = [f"told:{one}" for one in plan.flags[: FLAGS_READ[found.level]]]
    alarms = [one["finding"] for one in cited if one["finding"].startswith("told:")
              and alarming(plan.case, one["finding"])]  # fmt: skip
    grown = plan.case.patient.person.age >= ADULT  # children have no such lungs
    oxygen = grown and any(one.accepted == ("oxygen",) for one in plan.urgent)
    chosen = dict.fromkeys((
        *(("pregnancy",) if plan.asked_pregnancy and found.level > 1 else ()),
        *after[:1], *looks, *plan.weak,
        *flags, *plan.followed, *alarms[:1],
        *("study:ecg", "lookup:glucose", "record:allergies"),
        *(("record:history:past illnesses",) if oxygen else ()),
    ))  # fmt: skip
    own = [one for one in chosen if one in plan.read and one not in opened]
    return [*own[:MOST_READ], "vital:hr"]


def reasons(plan: PlannedTriage, found: Acuity) -> list[dict[str, Any]]:
    """Return what the decision may rest on of what the plan read, with presence.

    At levels 1 and 2 what alarms; at level 3 what was found beside the words of the ticket; at
    levels 4 and 5 the red flags of the complaint that are not there.
    """
    case, opened = plan.case, seen(ClinicCase(plan.case.world))
    kinds = ("vital:", "told:HP", "told:sym", "site:", "lab:", "study:")
    read = sorted(key for key in plan.read if key.startswith(kinds))
    cited = [one for key in read if (one := plan.citation(key)) is not None]
    if found.level <= URGENT:
        return [one for one in cited if one["present"] and alarming(case, one["finding"])]
    flags = {f"told:{one}" for one in plan.flags}
    if found.level > BY_VITALS:
        return [one for one in cited if one["finding"] in flags and not one["present"]]
    return [
        one for one in cited
        if one["present"] and not one["finding"].startswith("vital:")
        and one["finding"] not in opened
    ]  # fmt: skip


def _looked_for(plan: PlannedTriage) -> tuple[list[str], int]:
    """Red flags that may be asked here, and how many must have been read; else vital signs."""
    asked = [one for one in plan.flags if f"told:{one}" in plan.read]
    if not asked:
        return ["vital:hr", "vital:gcs"], 1
    opened = seen(ClinicCase(plan.case.world))
    keys = (f"told:{one}" for one in flags_that_serve(plan))
    return [key for key in keys if key not in opened], min(2, len(asked))


def _assertions(
    plan: PlannedTriage, found: Acuity, pathway: Pathway, cited: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    facts = plan.case.patient.facts
    names = [protocols()[one].activates for one in pathway.accepted if one != NO_PATHWAY]
    if pathway.accepted == (NO_PATHWAY,):
        keys, least = _looked_for(plan)
        asked = ", ".join(evidence_name(facts, key) for key in keys)
        were = "was" if least == 1 else "were"
        text = (
            f"At least {least} of these {were} looked for, and no protocol is activated: {asked}."
        )
        yield {"check": "activated_by", "pathways": [], "keys": keys, "least": least,
               "text": text}  # fmt: skip
    elif NO_PATHWAY not in pathway.accepted:
        minutes, one = pathway.minutes, protocols()[pathway.id]
        text = f"The protocol '{pathway.id}' is activated within {minutes:g} minutes of arrival"
        known = f", once this is known: {one.first[0].lower()}{one.first[1:]}" if one.first else "."
        yield {"check": "activated_by", "pathways": names, "minutes": minutes,
               "known_by": list(pathway.known_by), "text": text + known}  # fmt: skip
    yield from _due(plan)
    text = "The patient is in the right place, after the department was looked at."
    yield {"check": "placed", "key": DEPARTMENT, "text": text}
    right = reasons(plan, found)
    broader = {f"told:{key}" for one in right for key in facts.above.get(one["finding"][5:], ())}
    named = ", ".join(f"{evidence_name(facts, one['finding'])} ({_said(one)})"
                      for one in right if one["finding"] not in broader)  # fmt: skip
    text = f"The level is right and rests on one of these, or on a reason as good: {named}."
    yield {"check": "rests_on", "any": right, "text": text}


def _said(one: dict[str, Any]) -> str:
    there, not_there = (
        ("present", "absent") if one["finding"].startswith("told:") else ("abnormal", "normal")
    )
    return there if one["present"] else not_there


def _due(plan: PlannedTriage) -> Iterator[dict[str, Any]]:
    """What cannot wait, each by its own minute."""
    orders: dict[tuple[str, float], list[list[str]]] = {}
    for one in plan.urgent:
        orders.setdefault((one.what, one.minutes), []).append(list(one.accepted))
    for (what, minutes), wanted in orders.items():
        each = " and ".join(" or ".join(some) for some in wanted)
        text = f"Ordered within {minutes:g} minutes of arrival, {what}: {each}."
        yield {"check": "done_by", "orders": wanted, "minutes": minutes, "text": text}


def _difficulty(plan: PlannedTriage, found: Acuity) -> Iterator[str]:
    patient = plan.case.patient
    if plan.repeated:
        yield "doubtful measurement"
    if len(patient.problems) > 1:
        yield "two problems"
    if any(one.blunting for one in patient.medicines):
        yield "masking medicine"
    condition = patient.problems[0].condition
    alike = patient.facts.diseases[condition].look_alikes
    if any(one.condition in alike for one in patient.background):
        yield "misleading old diagnosis"
    nominal = patient.facts.conditions[condition].triage
    if nominal is not None and abs(nominal - found.level) >= 1:
        yield "atypical form"
    if found.danger_zone and not found.high_risk and found.level == 2:
        yield "decided by a vital sign"
