"""The gold of a task: the right answer, the plan that reaches it, and what is judged on the way.

All of it is computed from the hidden record before the ticket is rendered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from gym_clinic.clinical.answer import MEASURED
from gym_clinic.clinical.naming import evidence_name, find_action
from gym_clinic.clinical.world import ClinicWorld
from gym_clinic.domain import CallSpec
from gym_clinic.domains.clinical_diagnosis.besides import (
    asked_services,
    ordered_tests,
    stopped_medicines,
)
from gym_clinic.domains.clinical_diagnosis.deciding import Decision, DecisiveFact
from gym_clinic.domains.clinical_diagnosis.evidence import (
    dangerous_look_alikes,
    every_look_alike,
    excluding_keys,
    look_alikes,
    possible_look_alikes,
)
from gym_clinic.domains.clinical_diagnosis.places import dispositions
from gym_clinic.domains.clinical_diagnosis.plan import asks_for_oxygen
from gym_clinic.facts import Facts, load, with_ancestors
from gym_clinic.facts.named_drugs import is_a
from gym_clinic.facts.records.drugs import CLASS
from gym_clinic.simulate.clinic.treatment import SuitedTreatment, unsuitable

DRUG, PROCEDURE = "drug:", "procedure:"

MOST_ALIKE = 4
"""Look-alikes that the right answer names, at most."""

FOLLOW_UP = {
    "home": "Review by the family doctor within a week; come back at once if it gets worse.",
    "outpatient referral": "Appointment in the clinic; come back at once if it gets worse.",
}
"""Disposition -> follow-up; others stay in hospital."""

OXYGEN_BY = 30
"""Minute from arrival by which oxygen is given to who lacks it; authored."""

IN_HOSPITAL = "Daily review in hospital, tests repeated, treatment adjusted to them."


def concrete_orders(treatment: SuitedTreatment, facts: Facts, choice: int = 0) -> tuple[str, ...]:
    """Return the actions of an alternative, each class by one of its drugs.

    Args:
        treatment: What treats the patient.
        facts: The fact tables.
        choice: Which alternative; the first is the best.
    """
    chosen = list[str]()
    for action in treatment.alternatives[choice]:
        if action.startswith(CLASS):
            chosen.append(DRUG + _member(action, treatment, facts))
        else:
            chosen.append(action)
    return tuple(dict.fromkeys(chosen))


def _member(group: str, treatment: SuitedTreatment, facts: Facts) -> str:
    """The drug of a class: one of the first line, one that is used for it, else the most usual."""
    able = treatment.drugs[group]
    line = [one.removeprefix(DRUG) for one in treatment.first_line]
    named = [one for one in line if one in able]
    used = [one for one in able if treatment.condition in facts.drugs[one].uses]
    usual = sorted(able, key=lambda one: (-_times_named()[one] - len(facts.drugs[one].uses), one))
    return next(iter((*named, *used, *usual)))


@lru_cache(maxsize=1)
def _times_named() -> Counter[str]:
    """Drug -> how many conditions name it among what is done first."""
    lines = (one.first_line for one in load().conditions.values())
    return Counter(
        one.removeprefix(DRUG) for line in lines for one in {*line} if one.startswith(DRUG)
    )


def order_name(facts: Facts, action: str) -> str:
    """Return what an order of an action is written as, so that it is read as that action."""
    if action.startswith(DRUG):
        name = facts.drugs[action.removeprefix(DRUG)].name
    else:
        name = action.removeprefix(PROCEDURE).replace("-", " ")
    return name if find_action(facts, name) == action else action


def forbidden_orders(drugs: Iterable[str], allowed: Iterable[str]) -> tuple[str, ...]:
    """Return what must not be ordered for a patient: references of drugs, whole classes first.

    Args:
        drugs: The drugs that must not be given to the patient.
        allowed: Actions of the right treatments, which are never among them.
    """
    right = tuple(allowed)
    wrong = {one for one in drugs if not any(_is(one, each) for each in right)} - _of_one_sex()
    found: list[str] = []
    left = set(wrong)
    for group, members in _members().items():
        if len(members & left) > 1 and members <= wrong:
            found.append(group)
            left -= members
    return (*found, *(DRUG + one for one in sorted(left)))


@lru_cache(maxsize=1)
def _of_one_sex() -> frozenset[str]:
    """Drugs that nobody would think of for the other sex, so that they need not be forbidden."""
    return frozenset(one for rule in unsuitable() if rule.when == "female" for one in rule.what)


@lru_cache(maxsize=1)
def _members() -> Mapping[str, frozenset[str]]:
    """Reference of a class -> its drugs."""
    facts = load()
    return {
        CLASS + group: frozenset(one for one in facts.drugs if is_a(one, CLASS + group))
        for group in sorted(facts.drug_classes)
    }


def _is(drug: str, action: str) -> bool:
    return is_a(drug, action.removeprefix(DRUG))


def right_answer(
    world: ClinicWorld, orders: Sequence[str], cited: Sequence[DecisiveFact]
) -> dict[str, Any]:
    """Return the answer of a perfect agent who orders these actions."""
    facts = world.patient.facts
    _, condition = next(world.patient.conditions())
    alike = possible_look_alikes(world)
    disposition = dispositions(condition, world.patient)[0]
    return {
        "diagnosis": facts.diseases[condition.id].name,
        "differential": [facts.diseases[one].name for one in (condition.id, *alike[:MOST_ALIKE])],
        "disposition": disposition,
        "orders": [{"order": order_name(facts, one)} for one in orders],
        "follow_up": FOLLOW_UP.get(disposition, IN_HOSPITAL),
        "cited_findings": [
            {"finding": evidence_name(facts, one.key), "present": one.present} for one in cited
        ],
    }


def expected_actions(
    world: ClinicWorld, deciding: Sequence[Decision], urgent: Sequence[CallSpec]
) -> list[dict[str, Any]]:
    """Return the actions that are expected, in the form that is compared.

    The tests and parts of the examination that decide, tests that are ordered besides, the pathway
    that is activated, and oxygen where it is lacking. What decides is expected if nothing decides
    without it; where several of one tool may do, that tool is expected alone. Other treatment and
    the disposition are in the answer.

    Args:
        world: The patient's world.
        deciding: The sets of facts each of which decides, the plan's first.
        urgent: What is ordered and given before anything else is asked.
    """
    found: list[dict[str, Any]] = []
    for tool, of in (
        ("order_lab", "test"),
        ("order_study", "study"),
        ("examine_patient", "system"),
    ):
        tests = [{test for one in each for test in _ordered(one.call, tool)} for each in deciding]
        besides = {one for call in ordered_tests(world).values() for one in _ordered(call, tool)}
        needed = sorted(set.intersection(*tests) | besides)
        found += [{"name": tool, "arguments": {of: one}} for one in needed]
        if not needed and all(tests):
            found.append({"name": tool, "arguments": {}})
    for name, arguments in urgent:
        if name == "activate_pathway":
            found.append({"name": name, "arguments": dict(arguments)})
    if asks_for_oxygen(world):
        found.append({"name": "give_oxygen", "arguments": {}})
    return found


def _ordered(call: CallSpec, tool: str) -> Sequence[str]:
    """The tests, studies or parts of the examination that a call is for, by a tool."""
    name, arguments = call
    if name != tool:
        return ()
    if name == "examine_patient":
        return (arguments["system"],)
    return arguments["tests"] if name == "order_lab" else (arguments["study"],)


def assertions(
    world: ClinicWorld,
    evidence: Sequence[DecisiveFact],
    deciding: Sequence[Decision],
    actions: Sequence[str],
    treated: bool,
) -> list[dict[str, Any]]:
    """Return what the encounter must have shown.

    Args:
        world: The patient's world.
        evidence: What is to be found out.
        deciding: The sets of facts each of which decides.
        actions: Everything that may treat the patient.
        treated: Whether treatment before lasting harm is part of it.
    """
    facts = world.patient.facts
    found: list[dict[str, Any]] = [
        {
            "check": "read_before_treating",
            "keys": ["record:allergies", "record:medicines"],
            "actions": list(actions),
            "text": "Allergies and medicines were read before treatment was ordered.",
        }
    ]
    sets = [{(one.key, one.present) for one in each} for each in deciding]
    least = [
        each for each, keys in zip(deciding, sets, strict=True)
        if not any(other < keys for other in sets)
    ]  # fmt: skip
    names = " or ".join(" and ".join(_in_words(facts, one) for one in each) for each in least)
    decides = [[{"finding": one.key, "present": one.present} for one in each] for each in least]
    text = f"The answer rests on what decides: {names}."
    found.append({"check": "decided", "any_of": decides, "text": text})
    for worst in dangerous_look_alikes(world):
        keys = excluding_keys(world, worst)
        if any(one.key in keys for one in evidence):
            text = f"{facts.diseases[worst].name} was looked for and not diagnosed."
            found.append({"check": "excluded", "disease": worst, "keys": list(keys), "text": text})
            break
    if possible_look_alikes(world):
        _, condition = next(world.patient.conditions())
        found.append(
            {
                "check": "in_differential",
                "diseases": list(every_look_alike(facts, condition)),
                "text": "The differential names a look-alike of the diagnosis.",
            }
        )
    if asks_for_oxygen(world):
        text = f"Oxygen was given within {OXYGEN_BY} minutes of arrival."
        found.append({"check": "oxygen_given", "by": OXYGEN_BY, "text": text})
    for service in asked_services(world):
        text = f"The patient was to be seen by {service}."
        found.append({"check": "service_asked", "service": service, "text": text})
    for drug in stopped_medicines(world):
        text = f"{facts.drugs[drug].name} was stopped."
        found.append({"check": "medicine_stopped", "drug": drug, "text": text})
    found.append({"check": "followed_up", "text": "A follow-up is planned."})
    if treated:
        text = "Treatment began before lasting harm was done."
        found.append({"check": "treated_before_harm", "text": text})
    return found


def _in_words(facts: Facts, one: DecisiveFact) -> str:
    """A fact in words: a test or an examination that shows nothing is normal, and not missing."""
    not_so = "normal " if one.kind in MEASURED else "no "
    return f"{'' if one.present else not_so}{evidence_name(facts, one.key)}"


def difficulty(world: ClinicWorld) -> list[str]:
    """Return what makes a patient difficult, read from the record."""
    patient = world.patient
    facts = patient.facts
    problem, condition = next(patient.conditions())
    alike = {*look_alikes(facts, condition), *facts.diseases[condition.id].look_alikes}
    typical = {facts.finding_ids[one.finding] for one in condition.complaints}
    complaint = problem.complaint or ""
    showing = {
        study.study
        for study in condition.studies
        if study.study in condition.work_up and any(one.shows for one in study.results)
    }
    labels: Mapping[str, bool] = {
        "two problems": len(patient.problems) > 1,
        "masking medicine": any(one.blunting > 0 for one in patient.medicines),
        "misleading old diagnosis": any(one.condition in alike for one in patient.background),
        "wrong old diagnosis": any(one.mistaken for one in patient.background),
        "atypical presentation": typical.isdisjoint(with_ancestors([complaint], facts.above)),
        "unrevealing test": bool(showing)
        and not any(problem.studies[one].shows for one in showing),
    }
    return [label for label, holds in labels.items() if holds]
