"""Asked since when, a patient answers from the record; nothing is told that begins later."""

from __future__ import annotations

import dataclasses
import re

import pytest

from gym_clinic.chart.talk import RulesPatient
from gym_clinic.chart.talk.meaning import STAND_FOR
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient, disclosures, draw_patient, presenting

FACTS = load()
OF_A_TOPIC = {name for topic in ("travel", "period") for name in STAND_FOR[topic]}
"""Findings of which a question tells by the journey or the period itself."""

CONDITIONS = [one.id for one in presenting(FACTS)]


def times(patient: ClinicPatient) -> dict[str, tuple[str | None, int | None]]:
    """Finding that may be told -> what is answered when asked since when, and the plan."""
    rules, found = RulesPatient(patient), dict[str, tuple[str | None, int | None]]()
    for key, one in rules.record.plan.items():
        if FACTS.phenotypes[key].name in OF_A_TOPIC:
            continue
        if not one.has or one.distortion == "forgets" or one.manner == "omitted":
            continue
        noun = rules._telling.noun(key)
        rules.answer(f"Do you have {noun}?")
        answer = rules.answer(f"When did the {noun} start?")
        said = {fact.fact: fact.value for fact in answer.facts}.get(f"onset:{key}")
        found[key] = (said, one.says_began)
    return found


@pytest.mark.population
def test_since_when_is_answered_from_the_record_of_every_told_finding(
    request: pytest.FixtureRequest,
) -> None:
    rounds = 4 if request.config.getoption("--whole") else 1
    wrong = [
        (condition, FACTS.phenotypes[key].name, said)
        for number in range(rounds)
        for seed, condition in enumerate(CONDITIONS)
        for key, (said, began) in times(
            draw_patient(seed + 1000 * number, condition)
        ).items()
        if said not in ("vague", str(began)) or (began or 0) >= 0
    ]  # fmt: skip
    assert wrong == []


def test_nobody_took_an_overdose_for_hours_now() -> None:
    answers = []
    for seed in range(40):
        patient = RulesPatient(draw_patient(seed, "paracetamol-poisoning"))
        finding = FACTS.finding_ids["Overdose of tablets"]
        if patient.record.known(finding).stance == "has":
            patient.answer("Did you take an overdose of tablets?")
            answers.append(patient.answer("When did you take the overdose of tablets?").text)
    assert len(answers) >= 10
    assert not [one for one in answers if re.search("set in|started|going on|now|noticed", one)]


def test_a_finding_that_begins_after_arrival_is_not_in_the_plan() -> None:
    patient = draw_patient(7, "acute-appendicitis")
    first = patient.problems[0]
    told = {one.finding for one in disclosures(patient) if one.has and one.origin == "problem"}
    for key in sorted(told - {first.complaint}):
        later = dataclasses.replace(first, findings={**first.findings, key: 90})
        changed = dataclasses.replace(patient, problems=(later, *patient.problems[1:]))
        plan = {one.finding for one in disclosures(changed) if one.has}
        assert key not in plan
