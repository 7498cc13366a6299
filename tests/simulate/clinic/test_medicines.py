"""Long-term medicines are those of one careful prescriber."""

from __future__ import annotations

from patient_checks import names_of

from gym_clinic.facts import load
from gym_clinic.simulate.clinic import draw_patient
from gym_clinic.simulate.clinic.medicines import kinds_of_medicines

FACTS = load()
PATIENTS = [draw_patient(seed, "delirium") for seed in range(60)]


def test_drugs_of_a_kind_are_known() -> None:
    classes = {f"class:{name}" for drug in FACTS.drugs.values() for name in drug.classes}
    for kind in kinds_of_medicines():
        assert kind <= classes | FACTS.drugs.keys()


def test_nobody_takes_two_drugs_of_a_kind() -> None:
    taken = 0
    for patient in PATIENTS:
        names = [names_of(patient, one.drug) for one in patient.medicines]
        taken += len(names)
        for kind in kinds_of_medicines():
            own = [one for one in names if one & kind]
            assert len(own) <= 1, [one.drug for one in patient.medicines]
    assert taken >= 100


def test_nobody_is_treated_with_what_an_illness_of_theirs_forbids() -> None:
    for patient in PATIENTS:
        for lived in patient.background:
            forbidden = set(FACTS.conditions[lived.condition].contraindicated)
            for one in patient.medicines:
                if one.condition not in FACTS.conditions:
                    continue  # it has brought the illness about
                assert not forbidden & names_of(patient, one.drug), (lived.condition, one.drug)


def test_who_is_pregnant_keeps_insulin() -> None:
    patients = [draw_patient(seed, "preeclampsia") for seed in range(160)]
    lives = "type-1-diabetes-mellitus"
    diabetic = [one for one in patients if any(each.condition == lives for each in one.background)]
    assert len(diabetic) >= 2
    for one in diabetic:
        assert any("insulin" in each.drug for each in one.medicines), one.seed
