"""What a patient says is in the record, and a check notices what is not."""

from __future__ import annotations

from collections import Counter

import pytest
from patient_questions import EVERYDAY, FALSEHOODS, QUESTIONS, Falsehood

from gym_clinic.chart.talk import AnswerCheck, OwnRecord, PatientAnswer, RulesPatient
from gym_clinic.chart.talk.asked_tables import overdosed
from gym_clinic.chart.talk.hearing import hearing_of
from gym_clinic.chart.talk.history import TROPICS
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient, presenting
from gym_clinic.simulate.split import Split

FACTS = load()
CONDITIONS = [one.id for one in presenting(FACTS)]
SPLITS: tuple[Split, ...] = ("train", "dev", "test")


@pytest.fixture(scope="module")
def patients(request: pytest.FixtureRequest) -> list[ClinicPatient]:
    count = 150 if request.config.getoption("--whole") else 16
    step = 1 if request.config.getoption("--whole") else 37
    return [draw_patient(n, CONDITIONS[n * step % len(CONDITIONS)]) for n in range(count)]


def questions(patient: RulesPatient) -> list[str]:
    """The sixty questions, everyday ones, and one about every finding of the plan."""
    names = (FACTS.phenotypes[one].name.lower() for one in patient.record.plan)
    return [*QUESTIONS, *EVERYDAY, *(f"Do you have {name}?" for name in names)]


def unsaid(patient: RulesPatient, answer: PatientAnswer) -> list[str]:
    """Findings that an answer claims to say and that its text does not.

    A stay in the tropics is said by the name of the country, an overdose by that of the drug.
    """
    links = hearing_of(FACTS).linker.link(answer.text)
    present = {one.record.id for one in links if one.status == "present"}
    journey, drug = patient.record.life.journey, overdosed(patient.record.patient)
    if journey and journey in answer.text:
        present.add(FACTS.finding_ids[TROPICS])
    if drug in hearing_of(FACTS).drugs(answer.text):
        present.add(FACTS.finding_ids["Overdose of tablets"])
    denied = {one.record.id for one in links if one.status == "absent"}
    missing = []
    for said in answer.facts:
        kind, _, key = said.fact.partition(":")
        name = FACTS.phenotypes[key].name if kind == "finding" else ""
        if said.value in ("yes", "vague", "slight") and kind == "finding":
            implied = {one for shown in present for one in (shown, *FACTS.above[shown])}
            if key not in implied and not FACTS.above[key] & present:
                missing.append(f"{name} is not said")
        if said.value == "no" and kind == "finding" and key in present - denied:
            missing.append(f"{name} is not denied")
    return missing


@pytest.mark.population
def test_the_rules_patient_says_nothing_that_is_not_in_the_record(
    patients: list[ClinicPatient],
) -> None:
    wrong: Counter[str] = Counter()
    examples: dict[str, str] = {}
    asked = 0
    for number, patient in enumerate(patients):
        rules = RulesPatient(patient, SPLITS[number % 3])
        check = AnswerCheck(rules.record)
        for minute, question in enumerate(questions(rules)):
            answer = rules.answer(question, minute)
            asked += 1
            for failure in (*check.failures(answer.text, minute), *unsaid(rules, answer)):
                wrong[failure] += 1
                where = f"seed {patient.seed}, {patient.problems[0].condition}"
                examples.setdefault(failure, f"{where}: {question} {answer.text}")
    assert asked > 60 * len(patients)
    assert not wrong, (wrong, examples)


@pytest.mark.parametrize("falsehood", FALSEHOODS, ids=lambda one: one.name)
def test_a_falsehood_is_noticed(falsehood: Falsehood, patients: list[ClinicPatient]) -> None:
    tried = 0
    for patient in patients:
        record = OwnRecord(patient)
        text = falsehood.say(record)
        if text is None:
            continue
        tried += 1
        kinds = {one.partition(":")[0] for one in AnswerCheck(record).failures(text)}
        assert falsehood.kind in kinds, (patient.seed, text, kinds)
    assert tried >= 1


@pytest.mark.parametrize(
    ("seed", "condition", "text", "kind"),
    [
        (15, "alcohol-withdrawal", "They told me it is alcohol withdrawal.", "diagnosis"),
        (27, "bell-palsy", "They told me it is Bell palsy.", "diagnosis"),
        (20, "ascending-cholangitis", "I'd give it 71 out of ten.", "number"),
    ],
)
def test_a_finding_or_an_age_excuses_no_falsehood(
    seed: int, condition: str, text: str, kind: str
) -> None:
    """The patients drink, have a facial palsy, and are 71 years old."""
    check = AnswerCheck(OwnRecord(draw_patient(seed, condition)))
    assert kind in {one.partition(":")[0] for one in check.failures(text)}


def test_an_answer_that_does_not_say_its_facts_is_noticed(patients: list[ClinicPatient]) -> None:
    rules = RulesPatient(patients[0])
    answer = rules.answer("What brings you in?", 0)
    assert unsaid(rules, answer) == []
    assert unsaid(rules, PatientAnswer("Hello.", answer.facts)) != []
