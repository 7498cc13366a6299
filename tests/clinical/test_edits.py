"""Edits change one fact of a patient, and are refused where they contradict the patient."""

from __future__ import annotations

from typing import Any

import pytest

from gym_clinic.clinical.edits import apply_edits
from gym_clinic.errors import TaskError
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient


def patient(seed: int = 4, condition: str = "stroke") -> ClinicPatient:
    return draw_patient(seed, condition)


def edited(**edit: Any) -> ClinicPatient:
    return apply_edits(patient(), edit)


def test_a_name_or_wording_leaves_the_body_as_it_is() -> None:
    named, told = edited(kind="name", name="Ann Reed"), edited(kind="wording", seed=99)
    assert named.person.name == "Ann Reed"
    for other in (named, told):
        assert other.state(30) == patient().state(30)
        assert other.problems == patient().problems


def test_an_onset_moves_the_problem_and_its_findings() -> None:
    other = edited(kind="onset", minutes=60)
    assert other.problems[0].began == -60
    assert all(minute >= -60 for minute in other.problems[0].findings.values())
    assert other.state(0) == patient().state(0)


def test_a_measurement_moves_by_what_is_added() -> None:
    before = patient().state(0)
    for key, add in (("spo2", -4.0), ("hr", 15.0), ("rr", 6.0)):
        after = edited(kind="measurement", measurement=key, add=add).state(0)
        assert after[key] - before[key] == pytest.approx(add, rel=0.35)


def test_allergies_and_medicines_are_added_and_taken_away() -> None:
    rash = {"kind": "allergy", "allergen": "class:penicillin", "reaction": "rash"}
    with_it = apply_edits(patient(), [rash])
    assert with_it.allergies[-1].allergen == "class:penicillin"
    without = apply_edits(with_it, {"kind": "no allergy", "allergen": "class:penicillin"})
    assert without.allergies == patient().allergies
    taken = edited(kind="medicine", take="digoxin", dose=125, unit="mcg", per_day=1,
                   **{"for": "atrial-fibrillation"})  # fmt: skip
    assert taken.medicines[-1].drug == "digoxin"


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ({"kind": "nmae", "name": "x"}, "no edit 'nmae'; did you mean 'name'"),
        ({"kind": "name"}, "edit 'name' lacks 'name'"),
        ({"kind": "onset", "minutes": 0}, "before arrival"),
        ({"kind": "no allergy", "allergen": "class:penicillin"}, "has no allergy"),
        ({"kind": "medicine", "stop": "digoxin"}, "does not take"),
        (
            {"kind": "medicine", "take": "digoxine", "dose": 1, "unit": "mg", "per_day": 1},
            "no drug",
        ),
        ({"kind": "measurement", "measurement": "hx", "add": 1}, "no measurement"),
        ({"kind": "usual", "measurement": "egfr", "value": 20}, "computed from other"),
        ({"kind": "pregnancy", "weeks": 20}, "not at"),
    ],
)
def test_an_edit_that_does_not_fit_is_refused(edit: dict[str, Any], message: str) -> None:
    with pytest.raises(TaskError, match=f"(?i){message}"):
        apply_edits(patient(), edit)
