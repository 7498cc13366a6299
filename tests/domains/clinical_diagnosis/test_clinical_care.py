"""What clinicians ask for in single illnesses: treatment, tests, places, what is looked at."""

from __future__ import annotations

import pytest

from gym_clinic.facts import load

PPI, ANTIBIOTIC = "class:proton-pump-inhibitor", "class:antibiotic"


@pytest.mark.parametrize(
    ("condition", "needed"),
    [
        ("gastrointestinal-haemorrhage-from-peptic-ulcer", {PPI}),
        ("acute-cholecystitis", {
            ANTIBIOTIC, "drug:piperacillin-tazobactam", "drug:amoxicillin-clavulanate",
            "drug:ceftriaxone", "drug:cefuroxime", "drug:ciprofloxacin",
        }),
    ],
)  # fmt: skip
def test_no_treatment_is_complete_without(condition: str, needed: set[str]) -> None:
    course = load().conditions[condition].course
    assert course is not None
    assert all(needed & {*one} for one in course.treated_by)


def test_an_ulcer_that_is_treated_through_the_endoscope_shows_a_reason_for_it() -> None:
    """Flat spots and clean bases (Forrest IIc and III) need a proton pump inhibitor alone."""
    condition = load().conditions["gastrointestinal-haemorrhage-from-peptic-ulcer"]
    (study,) = (one for one in condition.studies if one.study == "upper-endoscopy")
    shown = " ".join(one.text for one in study.results if one.shows)
    assert "Forrest IIb" in shown
    assert not any(one in shown for one in ("Forrest IIc", "Forrest III", "flat", "pigmented"))
