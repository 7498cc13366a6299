"""What a patient comes with is so, and is of the problem that brings the patient."""

from __future__ import annotations

import dataclasses
import math

import pytest

from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient
from gym_clinic.simulate.clinic.problems import FORMS_OF_CLOUDED, Problem
from gym_clinic.simulate.clinic.texts import speech
from gym_clinic.simulate.clinic.texts.chart_texts import documents
from gym_clinic.simulate.clinic.texts.sections import measured
from gym_clinic.simulate.clinic.texts.speech import RECENT

FACTS = load()
FORMS = ("Reduced consciousness/confusion", *FORMS_OF_CLOUDED)


def names(problem: Problem) -> set[str]:
    """The names of the findings of a problem."""
    return {FACTS.phenotypes[one].name for one in problem.findings}


def with_finding(patient: ClinicPatient, number: int, name: str) -> ClinicPatient:
    """The patient with a finding more, in one of the problems."""
    problems = [*patient.problems]
    findings = {**problems[number].findings, FACTS.finding_ids[name]: -60}
    problems[number] = dataclasses.replace(problems[number], findings=findings)
    return dataclasses.replace(patient, problems=tuple(problems))


def yellow_without_bile(patient: ClinicPatient) -> bool:
    """Whether somebody tells of yellow eyes whose bilirubin shows nowhere."""
    return "Jaundice" in names(patient.problems[0]) and patient.state(0)["bilirubin"] <= 2.7


def called_drowsy(patient: ClinicPatient) -> bool:
    """Whether somebody who cannot be woken is called drowsy or confused."""
    told = {name for one in patient.problems for name in names(one)}
    return patient.state(0)["gcs"] < 8.5 and not told.isdisjoint(FORMS)


def outweighed(patient: ClinicPatient) -> bool:
    """Whether a second problem is more urgent than the one that brings the patient."""
    first, *others = (FACTS.conditions[one.condition].triage or 9 for one in patient.problems)
    return any(one < first for one in others)


def lent_a_fever(patient: ClinicPatient) -> bool:
    """Whether a problem that does not warm has the fever of another one."""
    cold = [one for one in patient.problems if "temp_c" not in one.effects]
    warming = len(cold) < len(patient.problems)
    own = {one.condition for one in cold if FACTS.conditions[one.condition].rates.get("Fever")}
    return warming and any("Fever" in names(one) and one.condition not in own for one in cold)


def test_who_comes_for_yellow_eyes_is_yellow() -> None:
    patients = [draw_patient(seed, "cirrhosis") for seed in range(150)]
    assert sum("Jaundice" in names(one.problems[0]) for one in patients) >= 8
    assert not any(yellow_without_bile(one) for one in patients)
    pale = next(one for one in patients if one.state(0)["bilirubin"] < 2)
    assert yellow_without_bile(with_finding(pale, 0, "Jaundice"))


def test_who_cannot_be_woken_is_not_called_drowsy() -> None:
    conditions = ("opioid-overdose", "intracerebral-haemorrhage", "hypoglycaemia")
    patients = [draw_patient(seed, one) for one in conditions for seed in range(40)]
    deep = [one for one in patients if one.state(0)["gcs"] < 8.5]
    assert len(deep) >= 15
    assert not any(called_drowsy(one) for one in patients)
    assert all(called_drowsy(with_finding(one, 0, "Drowsiness")) for one in deep)


def test_a_second_problem_outweighs_no_first_and_keeps_its_fever() -> None:
    conditions = ("tension-type-headache", "lyme-disease", "cystitis", "migraine", "gout")
    patients = [draw_patient(seed, one) for one in conditions for seed in range(120)]
    two = [one for one in patients if len(one.problems) > 1]
    assert len(two) >= 20
    assert not any(outweighed(one) or lent_a_fever(one) for one in two)
    one = next(one for one in two if "temp_c" in one.problems[1].effects)
    cooler = dataclasses.replace(one.problems[0], condition="tension-type-headache", effects={})
    mixed = dataclasses.replace(one, problems=(cooler, one.problems[1]))
    assert lent_a_fever(with_finding(mixed, 0, "Fever"))
    headache, torsion = (draw_patient(1, it).problems[0] for it in ("gout", "testicular-torsion"))
    assert outweighed(dataclasses.replace(one, problems=(headache, torsion)))


def test_nobody_with_two_problems_says_only_that_they_are_unwell() -> None:
    patients = [draw_patient(seed, "cystitis") for seed in range(300)]
    malaise = FACTS.finding_ids["Malaise"]
    vague = [one for one in patients if one.problems[0].complaint == malaise]
    assert vague
    assert not any(len(one.problems) > 1 for one in vague)


def oldest_told_by_a_crew() -> float:
    """Minutes before arrival since when the oldest complaint began that a crew tells first."""
    patients = [draw_patient(seed, "opioid-overdose", split="test") for seed in range(60)]
    crewed = [one for one in patients if one.speaker == "crew"]
    texts = [it for one in crewed for it in documents(one, "test", kinds={"opening words"})]
    begun = [fact.minute for one in texts for fact in one.facts if fact.kind == "finding"]
    assert len(begun) >= 30
    return max(-minute for minute in begun if minute is not None)


def test_a_crew_tells_of_no_old_complaints_beside_a_coma(monkeypatch: pytest.MonkeyPatch) -> None:
    assert oldest_told_by_a_crew() <= RECENT
    monkeypatch.setattr(speech, "RECENT", math.inf)
    assert oldest_told_by_a_crew() > RECENT


def scores_in_coma() -> int:
    """How many triage lines give the pain of somebody in a coma as a number."""
    patients = [draw_patient(seed, "opioid-overdose", split="test") for seed in range(40)]
    deep = [one for one in patients if one.state(0)["gcs"] < 8]
    texts = [it for one in deep for it in documents(one, "test", kinds={"triage", "nursing note"})]
    assert len(texts) >= 10
    return sum(any(fact.of == "pain" for fact in one.facts) for one in texts)


def test_nobody_in_a_coma_gives_pain_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not scores_in_coma()
    monkeypatch.setattr(measured, "SEEN_CLOUDED", 0.0)
    assert scores_in_coma() >= 5


def test_a_cirrhosis_that_brings_somebody_shows_in_the_blood_and_the_belly() -> None:
    for patient in (draw_patient(seed, "cirrhosis") for seed in range(80)):
        state = patient.state(0)
        assert state["albumin"] < 3.5
        assert state["platelets"] < 150
        found = names(patient.problems[0])
        assert "Ascites" not in found or "Abdominal distention" in found
