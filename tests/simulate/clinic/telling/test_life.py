"""The life of a patient fits the record and does not depend on the problem."""

from __future__ import annotations

from dataclasses import replace

from gym_clinic.facts import load
from gym_clinic.simulate.clinic import draw_patient, presenting
from gym_clinic.simulate.clinic.people import Background
from gym_clinic.simulate.clinic.telling.life import draw_life, lay_names

FACTS = load()
CONDITIONS = [one.id for one in presenting(FACTS)]
PATIENTS = [draw_patient(seed, CONDITIONS[seed * 4 % len(CONDITIONS)]) for seed in range(38)]


def test_a_life_fits_the_record() -> None:
    for number in range(800):
        patient = replace(PATIENTS[number % 38], seed=number)
        life, person = draw_life(patient), patient.person
        assert (life.cigarettes > 0) == ("smoking" in person.habits)
        assert person.age >= 18 or (life.units, life.cigarettes, life.home) == (0, 0, "parents")
        assert life.units >= 30 or "alcohol" not in person.habits
        assert life.meal < 0
        assert (life.journey is None) == (life.back is None)
        assert person.sex == "female" or life.period is None
        if person.pregnant_weeks is not None and life.period is not None:
            assert life.period // 7 == person.pregnant_weeks
        for illness in life.family:
            for problem in patient.problems:
                disease = FACTS.diseases[problem.condition]
                assert illness.condition not in {disease.id, *disease.look_alikes}


def test_nobody_with_epilepsy_drives_for_a_living() -> None:
    well = next(one for one in PATIENTS if 30 < one.person.age < 60)
    ill = replace(well, background=(Background("epilepsy", 8, {}, 0.0),))
    work = {
        bool(one.background): {draw_life(replace(one, seed=seed)).work for seed in range(300)}
        for one in (replace(well, background=()), ill)
    }
    assert "as a driver" in work[False]
    assert "as a driver" not in work[True]


def test_a_life_is_always_the_same() -> None:
    again = draw_patient(PATIENTS[5].seed, PATIENTS[5].problems[0].condition)
    assert draw_life(again) == draw_life(PATIENTS[5])


def test_everything_that_is_lived_with_has_a_lay_name() -> None:
    lived = {key for key, one in FACTS.conditions.items() if one.role != "presenting"}
    assert lived == lay_names().keys()
    assert all(len(names) >= 2 for names in lay_names().values())


def test_a_baby_in_danger_moves_less_and_none_is_felt_early() -> None:
    ill = [draw_patient(seed, "placental-abruption") for seed in range(30)]
    felt = [draw_life(one).movements for one in ill if (one.person.pregnant_weeks or 0) >= 20]
    assert felt.count("fewer") > felt.count("usual") > 0
    for seed in range(10):
        early = draw_patient(seed, "miscarriage")
        assert (early.person.pregnant_weeks or 0) >= 18 or draw_life(early).movements is None
