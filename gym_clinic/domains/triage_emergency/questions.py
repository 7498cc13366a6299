"""What the reference plan asks and looks at: red flags, and what is there calls for."""

from __future__ import annotations

from collections.abc import Iterable

from gym_clinic.domains.triage_emergency.acuity import (
    DAY,
    SEVERE_PAIN,
    Acuity,
    main_pain,
    names_of,
)
from gym_clinic.domains.triage_emergency.acuity_table import calling_for_resources
from gym_clinic.domains.triage_emergency.complaints import (
    CHILDBEARING,
    ONSET,
    SUICIDE,
    flags_of,
    steps_in_turn,
)
from gym_clinic.domains.triage_emergency.judging import COMMON, URGENT
from gym_clinic.domains.triage_emergency.planned import PlannedTriage
from gym_clinic.domains.triage_emergency.world import TriageCase
from gym_clinic.facts import with_ancestors
from gym_clinic.simulate.clinic import disclosures
from gym_clinic.simulate.clinic.telling.incidental import red_flags

MOST_ASKED = 4
"""Red flags of the complaint that the plan asks for by name, at most."""

MOST_FOLLOWED = {1: 2, 2: 4, 3: 4, 4: 4, 5: 4}
"""Level -> steps that complaints and red flags that are there call for, at most."""

LONG = ("site:neurology", "site:mental state")
"""Parts of the examination that take twice as long as others."""

MOST_COMPLAINTS = 4
"""Complaints whose card is read, at most."""

FURTHER = 3
"""Findings of the problem that are no such flags and that it asks for besides, at most."""

BEDSIDE = {
    "lookup:responses": "observe_responses",
    "lookup:stroke screen": "screen_stroke", "lookup:trauma screen": "screen_trauma",
    "record:medicines": "read_medicines",
}  # fmt: skip
"""Key -> the tool that reads it."""

BELLY = frozenset({"Abdominal pain", "Pelvic pain"})
"""Pain with which a woman is asked for a pregnancy, whenever it is told."""

EXPOSURES = ("Overdose of tablets", "Exposure to fumes or smoke")
"""What a poisoned patient is asked for."""


def ask_red_flags(plan: PlannedTriage) -> None:
    """Ask for the red flags of the complaint, then for what else the patient has."""
    case, facts = plan.case, plan.case.patient.facts
    complaints = told_first(case)
    if complaints:
        names = [name_of(plan, one) for one in complaints[:MOST_COMPLAINTS]]
        plan.call("read_red_flags", complaint=" and ".join(names))
    age = case.patient.person.age
    asked = flags_of(facts, complaints, age)
    wanted = [facts.finding_ids[name] for name in asked.findings]
    plan.flags = [one for one in wanted if f"finding:{one}" not in case.told][:MOST_ASKED]
    if plan.flags:
        question = _listed([name_of(plan, one) for one in plan.flags])
        plan.call("ask_patient", question=f"Do you have {question}?")
    person = case.patient.person
    fertile = CHILDBEARING[0] <= person.age <= CHILDBEARING[1] and person.sex == "female"
    further = further_findings(plan)
    if further:
        question = _listed([name_of(plan, one) for one in further])
        plan.call("ask_patient", question=f"Do you have {question}?")
    if fertile and (asked.pregnancy or has_belly_pain(plan)) and "pregnancy" not in plan.read:
        plan.asked_pregnancy = True
        plan.call("ask_patient", question="How many weeks pregnant are you?")
    told = [one for one in further if case.told.get(f"finding:{one}") not in (None, "no")]
    if _are_of_low_mood(plan, told) and f"finding:{facts.finding_ids[SUICIDE]}" not in case.told:
        plan.call("ask_patient", question=f"Do you have {SUICIDE.casefold()}?")


def _are_of_low_mood(plan: PlannedTriage, findings: Iterable[str]) -> bool:
    """Whether one of some findings is asked for suicide first."""
    facts, age = plan.case.patient.facts, plan.case.patient.person.age
    return any(flags_of(facts, [one], age).findings[0] == SUICIDE for one in findings)


def flags_that_serve(plan: PlannedTriage) -> list[str]:
    """Return the red flags that may be asked here, by id, the most important first.

    Those of the card of the complaints, and suicide where the patient has a low mood.
    """
    facts = plan.case.patient.facts
    names = flags_of(facts, told_first(plan.case), plan.case.patient.person.age).findings
    suicide = (SUICIDE,) if _are_of_low_mood(plan, plan.case.world.findings) else ()
    return [facts.finding_ids[name] for name in dict.fromkeys((*names, *suicide))]


def has_belly_pain(plan: PlannedTriage) -> bool:
    """Return whether a pain in the belly was told, whatever the complaint."""
    told = (fact.removeprefix("finding:") for fact, value in plan.case.told.items()
            if fact.startswith("finding:") and value == "yes")  # fmt: skip
    return bool(names_of(plan.case.patient.facts, told) & BELLY)


def follow_up(plan: PlannedTriage, level: int) -> None:
    """Look at what complaints and red flags that are there call for.

    The first step of each comes first: the chief complaint, the flags, the other complaints. Where
    life is in danger nobody looks at what else the patient came with, nor makes an examination that
    takes long, and at level 2 nobody looks
    at what is of no problem that brings the patient. When another complaint began is asked only if
    it alarms.
    """
    case, facts = plan.case, plan.case.patient.facts
    exposures = [facts.finding_ids[name] for name in EXPOSURES]
    there = [one for one in (*exposures, *plan.flags) if case.told.get(f"finding:{one}") == "yes"]
    chief, others = told_first(case)[:1], told_first(case)[1:]
    if level <= URGENT:
        brings = {key for one in case.patient.problems for key in one.findings}
        others = [one for one in others if one in brings]
    found = (*chief, *there, *others) if level > 1 else (*chief, *there[:1])
    dull = {one for one in others if not names_of(facts, [one]) & (red_flags() - COMMON)}
    undated = {f"{ONSET}:{one}" for one in dull}
    left_out = {*undated, *(LONG if level == 1 else ())}
    steps = [one for one in steps_in_turn(facts, found) if one not in left_out]
    for step in steps[: MOST_FOLLOWED[level]]:
        if step not in plan.read:
            _look(plan, step)
        if step in plan.read:
            plan.followed.append(step)


def date_the_pain(plan: PlannedTriage, found: Acuity) -> None:
    """Ask when a severe pain began, where the level turns on it and the ticket leaves it open."""
    problem, pain = plan.case.patient.problems[0], main_pain(plan.case.patient)
    other = found.life_saving or found.high_risk or found.confused or found.danger_zone
    if pain is None or other or plan.measured.get("pain", 0) < SEVERE_PAIN:
        return
    recent = -problem.began / 60 <= DAY
    key = f"{ONSET}:{pain}"
    if recent and f"{ONSET}:{problem.complaint}" in plan.case.world.quoted:
        return
    if key not in plan.read:
        _look(plan, key)
    if key in plan.read and key not in plan.followed:
        plan.followed.insert(0, key)


def _look(plan: PlannedTriage, step: str) -> None:
    """Make the call that reads a key; where vital signs are lacking, a screen is left out."""
    kind, _, of = step.partition(":")
    if kind == "onset":
        plan.call("ask_patient", question=f"When did the {name_of(plan, of)} start?")
    elif kind == "site":
        plan.call("examine_patient", system=of)
    elif step == "lookup:sepsis screen":
        if "crt_s" in plan.case.vitals[-1]:
            plan.call("screen_sepsis", suspected_infection=True)
    elif step == "lookup:glucose":
        measure_glucose(plan)
    else:
        plan.call(BEDSIDE[step])


def measure_glucose(plan: PlannedTriage) -> None:
    """Measure the glucose at the bedside, and once more after a comment on the value."""
    if "comment" in plan.call("measure_glucose"):
        plan.turn()
        plan.call("measure_glucose")


def told_first(case: TriageCase) -> list[str]:
    """Return the findings that the ticket tells, the chief complaint first."""
    told = [
        key.removeprefix("finding:")
        for key, value in case.world.quoted.items()
        if key.startswith("finding:") and value != "no"
    ]
    first = case.patient.problems[0].complaint
    return sorted(told, key=lambda one: one != first)


def further_findings(plan: PlannedTriage) -> list[str]:
    """Return findings of the problem that nobody told yet, those that alarm first.

    What calls for a resource comes next.
    """
    world, facts = plan.case.world, plan.case.patient.facts
    found = [
        one.finding
        for one in disclosures(world.patient)
        if one.has
        and one.origin == "problem"
        and one.manner != "omitted"
        and one.distortion != "forgets"
        and f"finding:{one.finding}" not in plan.case.told
    ]
    alarms, called = red_flags(), calling_for_resources()

    def order(finding: str) -> tuple[bool, bool]:
        names = {facts.phenotypes[one].name for one in with_ancestors([finding], facts.above)
                 if one in facts.phenotypes}  # fmt: skip
        return facts.phenotypes[finding].name not in alarms, not names & called

    return sorted(found, key=order)[:FURTHER]


def name_of(plan: PlannedTriage, finding: str) -> str:
    """Return the name of a finding as a question has it."""
    return plan.case.patient.facts.phenotypes[finding].name.casefold()


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
