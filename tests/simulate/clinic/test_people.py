"""Size of simulated people, and what pregnancy excludes."""

from __future__ import annotations

from statistics import fmean

from gym_clinic.facts import load
from gym_clinic.simulate.clinic import draw_patient
from gym_clinic.simulate.clinic.people import _body_mass, usual_body_mass
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
