"""What an examiner writes of a build agrees with height and weight, over all patients."""

from __future__ import annotations

import dataclasses

from patient_links import words_hold

from gym_clinic.simulate.clinic import draw_patient
from gym_clinic.simulate.clinic.examination.shown import ShownSign
from gym_clinic.simulate.clinic.people import MINUTES_IN_YEAR


def test_a_thin_patient_is_light():
    said = 0
    for seed in range(60):
        patient = draw_patient(seed=seed, condition="pulmonary-tuberculosis")
        assert words_hold(patient) is None
        said += any("thin" in one.text for one in patient.examination if one.site == "general")
    assert said >= 5


def test_the_check_finds_a_heavy_patient_who_is_called_thin():
    patient = draw_patient(seed=1, condition="pneumothorax")
    heavy = dataclasses.replace(
        patient.person, weight_kg=3.2 * (patient.person.height_cm / 100) ** 2 * 10
    )
    first = dataclasses.replace(
        patient.problems[0], signs=(ShownSign("general", "tall and thin", True),)
    )
    wrong = dataclasses.replace(patient, person=heavy, problems=(first,))
    assert "bmi" in str(words_hold(wrong))


def test_a_child_weighed_less_years_ago():
    patient = draw_patient(seed=11)
    assert 12 < patient.person.age < 16
    now, then = patient.state(0)["weight_kg"], patient.state(-3.5 * MINUTES_IN_YEAR)["weight_kg"]
    assert 0.4 * now < then < 0.75 * now
    assert patient.state(-1440)["weight_kg"] > 0.97 * now


def test_who_comes_with_anorexia_is_underweight():
    for seed in range(30):
        person = draw_patient(seed=seed, condition="anorexia-nervosa").person
        index = person.weight_kg / (person.height_cm / 100) ** 2
        assert index < (17.6 if person.age >= 18 else 18.0), (seed, person)
