"""The rules patient: what is asked is answered, by the plan, the same each time."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from datetime import datetime

import pytest
from patient_questions import QUESTIONS
from patient_written import written_talk
from places import ROOT

from gym_clinic.chart.talk import PatientAnswer, RulesPatient
from gym_clinic.chart.talk.own_record import KnownFinding
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient
from gym_clinic.simulate.clinic.medicines import PastEvent
from gym_clinic.simulate.clinic.telling.disclosure import (
    Disclosure,
    Distortion,
    Manner,
    Recollection,
)

FACTS = load()
IDS = FACTS.finding_ids
GOLDEN = ROOT / "tests" / "golden" / "patient-talk.json"


@pytest.fixture(scope="module")
def patient() -> ClinicPatient:
    return draw_patient(7, "acute-appendicitis")


def with_plan(
    patient: ClinicPatient,
    name: str,
    manner: Manner = "asked",
    distortion: Distortion | None = None,
    *,
    has: bool = True,
    says: int = -180,
) -> RulesPatient:
    """A patient whose plan is of one finding alone, beside the complaint."""
    rules = RulesPatient(patient)
    began = -180 if has else None
    says_began = says if has else None
    one = Disclosure(
        IDS[name], has, "problem" if has else "absent", manner, distortion, began, says_began
    )
    complaint = rules.record.complaint
    rules.record.plan = {complaint: rules.record.plan[complaint], one.finding: one}
    rules.record.__dict__.pop("implied", None)
    rules.record.__dict__.pop("_unaware", None)
    return rules


def values(answer: PatientAnswer) -> dict[str, str]:
    return {one.fact: one.value for one in answer.facts}


@pytest.mark.parametrize(
    ("manner", "distortion", "value"),
    [
        ("told", None, "yes"),
        ("asked", None, "yes"),
        ("vague", None, "vague"),
        ("omitted", None, "unknown"),
        ("asked", "forgets", "no"),
        ("asked", "minimises", "slight"),
        ("asked", "wrong", "yes"),
    ],
)
def test_a_finding_is_answered_by_its_plan(
    patient: ClinicPatient, manner: Manner, distortion: Distortion | None, value: str
) -> None:
    rules = with_plan(patient, "Tinnitus", manner, distortion)
    for question in ("Any ringing in your ears?", "You have no ringing in your ears, do you?"):
        assert values(rules.answer(question)) == {f"finding:{IDS['Tinnitus']}": value}


@pytest.mark.parametrize(
    ("has", "question", "said"),
    [
        ("Lower limb pain", "Any calf pain?", "Lower limb pain"),
        ("Lower limb pain", "Does your heel hurt?", "Lower limb pain"),
        ("Ankle pain", "Does your leg hurt?", "Ankle pain"),
        ("Muscle weakness", "Are your arms weak?", "Muscle weakness"),
        ("Lower limb pain", "Any pain in your hand?", None),
        ("Cough", "Do you bring up phlegm?", None),
    ],
)
def test_a_form_of_a_finding_is_answered_by_the_finding_of_the_record(
    patient: ClinicPatient, has: str, question: str, said: str | None
) -> None:
    rules = with_plan(patient, has)
    answered = values(rules.answer(question))
    told = {key for key, value in answered.items() if value == "yes"}
    assert told == ({f"finding:{IDS[said]}"} if said else set()), answered


def test_an_absent_finding_is_denied_and_one_that_nobody_feels_is_not_known(
    patient: ClinicPatient,
) -> None:
    rules = with_plan(patient, "Tinnitus", has=False)
    assert values(rules.answer("Any tinnitus?")) == {f"finding:{IDS['Tinnitus']}": "no"}
    assert values(rules.answer("Any hoarse voice?")) == {f"finding:{IDS['Hoarse voice']}": "no"}
    known = rules.record.known(IDS["Papilledema"])
    assert known == KnownFinding("not felt", IDS["Papilledema"], None)


def test_a_parent_of_a_small_child_denies_nothing_that_only_the_child_can_tell() -> None:
    baby = draw_patient(5, "neonatal-jaundice")
    assert baby.person.age < 1
    rules = RulesPatient(baby)
    for question, finding in (
        ("Has he had a headache?", "Headache"),
        ("Does it burn when he pees?", "Dysuria"),
        ("Is he dizzy?", "Dizziness"),
    ):
        assert values(rules.answer(question)) == {f"finding:{IDS[finding]}": "unknown"}
    assert values(rules.answer("Has he had a seizure?")) == {f"finding:{IDS['Seizure']}": "no"}


def test_a_special_form_answers_for_the_general_finding(patient: ClinicPatient) -> None:
    rules = with_plan(patient, "Thunderclap headache", "told")
    assert values(rules.answer("Any headache?")) == {
        f"finding:{IDS['Thunderclap headache']}": "yes"
    }


def test_a_wrong_time_is_said_and_a_vague_one_has_no_number(patient: ClinicPatient) -> None:
    rules = with_plan(patient, "Tinnitus", "asked", "wrong", says=-2 * 1440)
    answer = rules.answer("When did the ringing in your ears start?")
    assert values(answer) == {f"onset:{IDS['Tinnitus']}": str(-2 * 1440)}
    vague = with_plan(patient, "Tinnitus", "vague")
    for _ in range(6):
        text = vague.answer("When did the ringing in your ears start?").text
        assert not any(letter.isdigit() for letter in text)
        assert "three" not in text


def test_it_means_what_was_spoken_of_last(patient: ClinicPatient) -> None:
    rules = with_plan(patient, "Tinnitus", "told")
    rules.answer("What brings you in?")
    assert list(values(rules.answer("When did it start?"))) == [f"onset:{rules.record.complaint}"]
    rules.answer("Any ringing in your ears?")
    assert list(values(rules.answer("When did it start?"))) == [f"onset:{IDS['Tinnitus']}"]


def test_each_thing_that_a_question_names_is_answered(patient: ClinicPatient) -> None:
    rules = RulesPatient(patient)
    facts = values(rules.answer("Any tinnitus, nosebleeds or hoarse voice, and do you smoke?"))
    assert {f"finding:{IDS[one]}" for one in ("Tinnitus", "Epistaxis", "Hoarse voice")} <= set(
        facts
    )
    assert "life:smoking" in facts


def test_of_a_long_list_the_last_two_are_answered(patient: ClinicPatient) -> None:
    four = ("fever", "headache", "cough", "vomiting")
    asked = RulesPatient(patient).answer(f"Any {', '.join(four)}?", 3)
    assert {one.fact for one in asked.facts} >= {f"finding:{IDS[one.capitalize()]}" for one in four}
    assert not any(one.fact == "life:list" for one in asked.facts)
    rules = RulesPatient(patient)
    long = rules.answer(f"Any chest pain, {', '.join(four)}?", 3)
    told = {one.fact for one in long.facts if one.fact.startswith("finding:")}
    assert told == {f"finding:{IDS[one.capitalize()]}" for one in four[2:]}
    assert "life:list" in {one.fact for one in long.facts}
    again = rules.answer("Any chest pain?", 5)
    assert [one.fact for one in again.facts] == [f"finding:{IDS['Chest pain']}"]


def test_the_same_question_has_the_same_facts_in_other_words(patient: ClinicPatient) -> None:
    rules = RulesPatient(patient)
    answers = [rules.answer("Any nosebleeds, and do you smoke?") for _ in range(4)]
    assert len({answer.facts for answer in answers}) == 1
    assert len({answer.text for answer in answers}) == 4


def test_leading_questions_change_nothing(patient: ClinicPatient) -> None:
    for pair in (
        ("Do you smoke?", "You smoke twenty a day, don't you?"),
        ("Any headache?", "You must have a terrible headache!"),
        ("Any nosebleeds?", "So no nosebleeds, right?"),
    ):
        first, second = (RulesPatient(patient).answer(one).facts for one in pair)
        assert first == second


def test_what_names_nothing_is_asked_back(patient: ClinicPatient) -> None:
    answer = RulesPatient(patient).answer("Colourless green ideas?")
    assert answer.facts == ()
    assert answer.text


def test_what_a_relative_has_is_no_finding_of_the_patient(patient: ClinicPatient) -> None:
    for question in ("Did your mother have a stroke?", "Any seizures in your brothers?"):
        facts = values(RulesPatient(patient).answer(question))
        assert not any(one.startswith("finding:") for one in facts)
        assert "life:family" in facts


def test_anything_else_tells_what_is_told_and_ends() -> None:
    for seed in range(8):
        rules = RulesPatient(draw_patient(seed))
        told: list[str] = []
        for question in ("What brings you in?", *["Anything else?"] * 12):
            told += [one.fact for one in rules.answer(question).facts if one.fact != "more"]
        assert len(told) == len(set(told))
        plan = rules.record.plan.values()
        expected = {
            f"finding:{one.finding}" for one in plan
            if one.has and one.distortion != "forgets" and one.manner in ("told", "vague")
        }  # fmt: skip
        denied = set(told) - expected
        assert expected <= set(told)
        assert len(denied) <= 2
        for fact in denied:
            key = fact.partition(":")[2]
            assert rules.record.plan[key].manner == "told"
            assert FACTS.phenotypes[key].name not in ("Goiter", "Kyphosis")
            having = [
                one for one in FACTS.diseases.values()
                if any(p.phenotype == key for p in one.phenotypes)
            ]  # fmt: skip
            assert len(having) >= 12


def test_a_parent_speaks_of_the_child_and_the_crew_of_the_unconscious() -> None:
    child = RulesPatient(draw_patient(2, "croup"))
    assert child.record.speaker == "parent"
    said = " ".join(child.answer(one).text for one in QUESTIONS).split()
    assert not {"my", "myself"} & set(said)
    for seed in range(40):
        patient = draw_patient(seed, "opioid-overdose")
        if patient.speaker == "crew":
            answer = RulesPatient(patient).answer("What happened?")
            assert answer.facts[0].fact == f"finding:{patient.problems[0].complaint}"
            return
    pytest.fail("no patient of forty is unconscious")


def test_ended_medicines_and_procedures_are_told(patient: ClinicPatient) -> None:
    past = (
        PastEvent("medicine", "amoxicillin", -10 * 1440),
        PastEvent("procedure", "a tooth taken out", -20 * 1440),
    )
    rules = RulesPatient(dataclasses.replace(patient, past=past))
    assert "amoxicillin" in rules.answer("Any medicines lately?").text
    assert "tooth taken out" in rules.answer("Any operations?").text


def test_a_medicine_that_is_not_told_is_not_told_under_another_name(
    patient: ClinicPatient,
) -> None:
    """Naproxen, which the patient takes for ibuprofen and does not tell."""
    rules = RulesPatient(patient)
    fact = "medicine:naproxen"
    for manner, value in (("omitted", "unknown"), ("told", "yes")):
        rules.record.recollections = {fact: Recollection(fact, manner, "wrong", "ibuprofen")}
        assert values(rules.answer("Do you take ibuprofen?")) == {fact: value}


def test_copies_answer_alike(patient: ClinicPatient) -> None:
    rules = RulesPatient(patient)
    rules.answer("What brings you in?")
    copies = [rules, copy.deepcopy(rules), pickle.loads(pickle.dumps(rules))]
    said = {tuple(one.answer(text).text for text in QUESTIONS[:12]) for one in copies}
    assert len(said) == 1


def test_splits_use_other_words_for_the_same_facts(patient: ClinicPatient) -> None:
    train, test = (RulesPatient(patient, one) for one in ("train", "test"))
    pairs = [(train.answer(one), test.answer(one)) for one in QUESTIONS]
    assert all(values(one) == values(other) for one, other in pairs)
    assert sum(one.text != other.text for one, other in pairs) > len(pairs) / 2


def test_a_transcript_of_sixty_questions_stays_as_it_is() -> None:
    """``python tests/chart/talk/test_rules.py`` records it anew after a change that was meant."""
    assert len(QUESTIONS) == 60
    assert transcript() == json.loads(GOLDEN.read_text(encoding="utf-8"))


def transcript() -> list[list[str]]:
    rules = written_talk()
    return [[one, rules.answer(one, minute).text] for minute, one in enumerate(QUESTIONS)]


def test_time_passes_for_the_patient(patient: ClinicPatient) -> None:
    rules = RulesPatient(patient)
    now = rules.record.now(90)
    assert isinstance(now, datetime)
    assert (now - patient.arrived).total_seconds() == 90 * 60


if __name__ == "__main__":
    written = json.dumps(transcript(), ensure_ascii=False, indent=1)
    GOLDEN.write_text(f"{written}\n", encoding="utf-8")
