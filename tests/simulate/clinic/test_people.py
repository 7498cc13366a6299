"""Size of simulated people, and what pregnancy excludes."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean

from gym_clinic.chart.record import chart_record
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import draw_patient
from gym_clinic.simulate.clinic.people import _body_mass, mistaken_for, usual_body_mass
from gym_clinic.simulate.clinic.texts import documents
from gym_clinic.simulate.disease.findings import shares


def test_body_mass_goes_with_age_and_conditions() -> None:
    assert usual_body_mass(50, ()) == 26.5
    assert usual_body_mass(50, ["hypertension", "type-2-diabetes-mellitus"]) > 30
    assert usual_body_mass(6, ()) < usual_body_mass(14, ()) < 22
    assert _body_mass()["conditions"].keys() <= load().conditions.keys()


def test_who_starves_is_thin_on_the_record_too() -> None:
    patients = [draw_patient(seed, "anorexia-nervosa").person for seed in range(12)]
    index = fmean(one.weight_kg / (one.height_cm / 100) ** 2 for one in patients)
    assert 13 < index < 18


def test_nobody_who_is_pregnant_on_arrival_has_given_birth() -> None:
    facts = load()
    born = {facts.finding_ids["Stillbirth"], facts.finding_ids["Premature birth"]}
    for key, condition in facts.conditions.items():
        pregnancy = facts.diseases[key].epidemiology
        if condition.role != "background" and pregnancy and pregnancy.pregnancy == "pregnant":
            found = shares(facts, key, None)
            assert not any(found.get(one) for one in born), key


def test_notes_tell_of_a_birth() -> None:
    patient = draw_patient(51, "postpartum-haemorrhage")
    told = [one.kind for one in documents(patient) for fact in one.facts if fact.of == "postpartum"]
    assert {"note", "triage"} <= set(told)
    other = draw_patient(52, "opioid-overdose")
    assert not any(fact.of == "postpartum" for one in documents(other) for fact in one.facts)


def test_an_illness_is_mistaken_for_one_that_people_live_with() -> None:
    conditions = load().conditions
    for key, names in mistaken_for().items():
        assert conditions[key].role != "background"
        assert key not in names
        assert all(conditions[one].role != "presenting" for one in names)


def test_a_wrong_old_diagnosis_is_on_record_like_a_right_one() -> None:
    patients = [draw_patient(seed, "graves-disease") for seed in range(16)]
    wrong = [(one, each) for one in patients for each in one.background if each.mistaken]
    assert 1 <= len(wrong) <= 9
    for patient, old in wrong:
        known = {"condition": patient.facts.diseases[old.condition].name, "years": old.years}
        past = [dict(one) for one in chart_record(patient)["history"]["past"]]
        assert known in past
        assert [one["condition"] for one in past] == [
            patient.facts.diseases[one.condition].name for one in patient.background
        ]
        assert "mistaken" not in str(past)
        without = tuple(one for one in patient.background if not one.mistaken)
        medicines = tuple(one for one in patient.medicines if one.condition != old.condition)
        assert (
            replace(patient, medicines=medicines).usual
            == replace(patient, background=without, medicines=medicines).usual
        )


def test_nobody_lives_with_a_failing_heart_for_a_generation():
    years = [
        one.years
        for seed in range(80)
        for one in draw_patient(seed, "heart-failure-with-reduced-ejection-fraction").background
        if one.condition in ("heart-failure-with-reduced-ejection-fraction", "cirrhosis")
    ]
    assert years
    assert max(years) <= 12


def test_an_inherited_anaemia_is_as_old_as_the_patient():
    patients = [draw_patient(seed, "sickle-cell-disease") for seed in range(12)]
    known = [
        (one.years, patient.person.age)
        for patient in patients
        for one in patient.background
        if one.condition == "sickle-cell-disease"
    ]
    assert known
    assert all(abs(years - age) < 1 for years, age in known)


def test_an_illness_of_the_young_did_not_begin_in_old_age():
    begun = [
        (one.condition, patient.person.age - one.years)
        for seed in range(150)
        for patient in (draw_patient(seed, "giant-cell-arteritis"),)
        for one in patient.background
        if one.condition in ("migraine", "irritable-bowel-syndrome") and not one.mistaken
    ]
    assert {one for one, _ in begun} == {"migraine", "irritable-bowel-syndrome"}
    assert all(age <= {"migraine": 50}.get(one, 65) + 0.1 for one, age in begun)
