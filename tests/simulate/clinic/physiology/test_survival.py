"""Who dies of what: the body, the illness, and neither."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gym_clinic.facts import load
from gym_clinic.facts.records.courses import Course
from gym_clinic.simulate.clinic import draw_patient
from gym_clinic.simulate.clinic.physiology.body import DrawnEffect, settle
from gym_clinic.simulate.clinic.physiology.survival import dies_of_body, lethal, limits
from gym_clinic.simulate.clinic.problems import untreated_growth

FACTS = load()


def falling(spo2: float, per_hour: float, until: float = 1e9, after: float = 97) -> int | None:
    """When somebody dies whose saturation falls, and is mended at a minute."""
    known = draw_patient(0, "cystitis").state(0)

    def state(minute: float) -> dict[str, float]:
        return known | {"spo2": spo2 - per_hour * minute / 60 if minute < until else after}

    return dies_of_body(state, 40, [until] if until < 1e9 else [])


def test_death_comes_when_a_limit_has_lasted() -> None:
    assert falling(97, 0) is None
    assert falling(55, 0) == 15
    assert falling(75, 0) == 360
    falls = falling(90, 6)
    assert falls is not None
    # 78 is reached at two hours; 70 at three hours and twenty minutes, and lasts an hour.
    assert falls == pytest.approx(260, abs=10)


def test_who_is_treated_in_time_lives() -> None:
    assert falling(75, 0, until=200) is None
    assert falling(75, 0, until=400) == 360


def test_every_limit_kills_within_two_days_and_no_healthy_person() -> None:
    for seed, key in enumerate(["cystitis", "migraine", "croup", "bronchiolitis", "gout"] * 6):
        patient = draw_patient(seed, key)
        assert lethal(patient.usual, patient.person.age) == []
    assert all(0 < limit.minutes < 2880 for _, limit in limits())


def test_deterioration_has_its_shape() -> None:
    fields = {"onset_hours": (1, 2), "change_per_hour": 0.05, "half_time_minutes": 60}
    linear = Course(**fields)
    faster = Course(**fields, shape="accelerating")
    slower = Course(**fields, shape="saturating", plateau=1.5)
    for hours in (1, 12, 48):
        assert untreated_growth(slower, hours) < untreated_growth(linear, hours)
        assert untreated_growth(linear, hours) < untreated_growth(faster, hours)
    assert untreated_growth(slower, 480) == pytest.approx(1.5)
    better = Course(**(fields | {"change_per_hour": -0.05}), shape="saturating", plateau=0.4)
    assert untreated_growth(better, 480) == pytest.approx(0.4)


def test_two_fevers_do_not_add_up_and_no_fever_boils() -> None:
    healthy = draw_patient(0, "cystitis").healthy
    fever = {"temp_c": DrawnEffect("set", 39.0)}

    def warmth(*severities: float) -> float:
        changes = [(severity, fever) for severity in severities]
        return settle(FACTS, healthy, changes, sex="male", age=40)["temp_c"]

    assert warmth(1) == pytest.approx(39.0)
    assert warmth(1, 1) == pytest.approx(39.0)
    assert 39.5 < warmth(3) < 41.2


def test_a_severe_pneumonia_dies_and_a_slight_one_does_not() -> None:
    deaths = {}
    for severity in (0.5, 1.9):
        patients = [draw_patient(seed, "pneumonia") for seed in range(12)]
        changed = [
            replace(one, problems=(replace(one.problems[0], severity=severity),))
            for one in patients
        ]
        deaths[severity] = sum(one.death({}) is not None for one in changed)
    assert deaths[0.5] == 0
    assert deaths[1.9] >= 6
