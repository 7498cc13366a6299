"""What a finding calls for at levels 3 to 5, by age, time and what is there besides."""

from __future__ import annotations

from gym_clinic.domains.triage_emergency.acuity import (
    acuity,
    hours_of_findings,
)
from gym_clinic.domains.triage_emergency.acuity_table import (
    acuity_table,
    resources_for,
)
from gym_clinic.simulate.clinic import draw_patient


def test_a_finding_calls_for_its_resource_in_every_condition() -> None:
    # A child with a stomach upset needs none, and fluids where there is dehydration.
    patients = [draw_patient(seed, "viral-gastroenteritis") for seed in range(60)]
    dry = [one for one in patients if "Dehydration" in hours_of_findings(one)]
    assert len(dry) > 5
    assert all("intravenous fluids" in acuity(one).resources for one in dry)
    assert any(acuity(one).resources == () for one in patients)


def test_the_guide_says_in_words_when_a_finding_calls_for_a_resource() -> None:
    called = acuity_table().expected
    limited = [bool(one.along or one.without or one.when != "True") for one in called]
    assert limited == [bool(one.said) for one in called]


def resources(*findings: str, **values: float) -> set[str]:
    """The resources of an adult who is well, but for some findings and values."""
    calm = {"age": 40.0, "hr": 76.0, "rr": 14.0, "spo2": 98.0, "temp_c": 36.8, "pain": 2.0,
            "crt_s": 1.0, "hours": 24.0, "in_danger": 0.0, "weak_immunity": 0.0}  # fmt: skip
    return {*resources_for({*findings}, {**calm, **values})}


def test_what_a_finding_calls_for_depends_on_age_time_and_what_is_there_besides() -> None:
    blood, image = {"laboratory"}, {"imaging by ct mri or ultrasound"}
    assert (
        resources("Polyuria") == resources("Cold intolerance") == resources("Dark urine") == blood
    )
    assert resources("Fatigue") == set()
    assert resources("Fatigue", hours=400.0) == blood
    assert resources("Fatigue", "Excessive worry", hours=400.0) == set()
    assert resources("Abdominal pain", pain=5.0) == blood | image
    assert resources("Abdominal pain", "Diarrhea", pain=5.0) == blood
    assert resources("Abdominal pain", "Weight loss", hours=900.0) == blood | image
    assert resources("Hot joint", "Toe pain") == blood
    assert resources("Hot joint") == blood | {"simple procedure"}
    assert resources("Calf swelling", "Lower limb pain", "Edema") == blood | image
