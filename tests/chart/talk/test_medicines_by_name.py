"""A medicine that is asked about by its name: recalled, with its own beginning and dose."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gym_clinic.chart.talk import RulesPatient
from gym_clinic.chart.talk.checks import AnswerCheck
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient
from gym_clinic.simulate.clinic.medicines import DAY, PastEvent, TakenMedicine
from gym_clinic.simulate.clinic.telling.disclosure import Distortion, Manner


@pytest.fixture(scope="module")
def patient() -> ClinicPatient:
    """A patient with a joint pain of weeks who began warfarin three weeks ago."""
    drawn = draw_patient(7, "osteoarthritis")
    warfarin = TakenMedicine("warfarin", 5, "mg", 1, "atrial-fibrillation", {}, 0.0, -21 * DAY)
    long = TakenMedicine("ramipril", 5, "mg", 1, "hypertension", {}, 0.0)
    ended = PastEvent("medicine", "phenelzine", -5 * DAY, "depression")
    return replace(drawn, medicines=(warfarin, long), past=(ended,))


def who_recalls(
    patient: ClinicPatient, distortion: Distortion | None, manner: Manner = "told",
    says: str | None = None,
) -> RulesPatient:  # fmt: skip
    rules = RulesPatient(patient)
    known = rules.record.recollections
    for drug in ("warfarin", "ramipril"):
        own = says if drug == "warfarin" else None
        known[f"medicine:{drug}"] = replace(
            known[f"medicine:{drug}"], manner=manner, distortion=distortion, says=own
        )
    return rules


@pytest.mark.parametrize("question", ["Do you take warfarin?", "Are you on any blood thinners?"])
def test_what_is_forgotten_is_recalled_when_it_is_named(
    patient: ClinicPatient, question: str
) -> None:
    rules = who_recalls(patient, "forgets")
    assert "arfarin" not in rules.answer("Which medicines do you take?").text
    answer = rules.answer(question)
    assert [(one.fact, one.value) for one in answer.facts] == [("medicine:warfarin", "yes")]
    assert "arfarin" in answer.text
    assert AnswerCheck(rules.record).failures(answer.text, 0, {}) == ()


@pytest.mark.parametrize(
    "question",
    ["Do you take dabigatran?", "Do you take warfarin?", "Are you on any blood thinners?",
     "Do you buy dabigatran without a prescription?"],
)  # fmt: skip
def test_the_true_name_is_found_by_who_said_another(patient: ClinicPatient, question: str) -> None:
    rules = who_recalls(patient, "wrong", says="dabigatran")
    assert "abigatran" in rules.answer("Which medicines do you take?").text
    answer = rules.answer(question)
    assert [(one.fact, one.value) for one in answer.facts] == [("medicine:warfarin", "yes")]
    assert "arfarin" in answer.text
    assert "abigatran" not in answer.text
    assert AnswerCheck(rules.record).failures(answer.text, 0, {}) == ()


@pytest.mark.parametrize(
    "question",
    ["When did you start warfarin?", "How long have you been taking warfarin?",
     "Do you take warfarin, and since when?"],
)  # fmt: skip
def test_since_when_is_that_of_the_medicine(patient: ClinicPatient, question: str) -> None:
    answer = who_recalls(patient, None).answer(question)
    assert "three weeks ago" in answer.text
    assert all(not one.fact.startswith("onset") for one in answer.facts)


def test_it_is_the_medicine_that_was_spoken_of_last(patient: ClinicPatient) -> None:
    rules = who_recalls(patient, None)
    rules.answer("Do you take warfarin?")
    assert "three weeks ago" in rules.answer("How long have you been taking it?").text
    assert rules.answer("When did the pain start?").facts[0].fact.startswith("onset")


def test_one_without_a_beginning_is_taken_for_long(patient: ClinicPatient) -> None:
    answer = who_recalls(patient, None).answer("When did you start ramipril?")
    assert "ramipril" in answer.text.casefold()
    assert "ago" not in answer.text
    assert all(not one.fact.startswith("onset") for one in answer.facts)


@pytest.mark.parametrize("manner", ["told", "asked", "vague"])
@pytest.mark.parametrize(
    "question", ["What dose of warfarin do you take?", "How many mg of warfarin?"]
)
def test_the_dose_is_told_when_it_is_asked(
    patient: ClinicPatient, question: str, manner: Manner
) -> None:
    assert " 5 m" in who_recalls(patient, None, manner).answer(question).text


def test_what_ended_is_not_denied(patient: ClinicPatient) -> None:
    facts = who_recalls(patient, None).answer("Did you ever take phenelzine?").facts
    assert [one.fact for one in facts] == ["past:phenelzine"]


@pytest.mark.parametrize("seed", range(6))
def test_what_ended_is_told_as_if_nothing_was_told_before_it(
    patient: ClinicPatient, seed: int
) -> None:
    ended = replace(patient.past[0], what="citalopram")
    alone = replace(patient, seed=seed, medicines=(), past=(*patient.past, ended))
    text = RulesPatient(alone).answer("Which medicines do you take?").text
    assert all(drug in text.lower() for drug in ("phenelzine", "citalopram"))
    assert not any(word in text for word in ("And ", " too", " as well"))
