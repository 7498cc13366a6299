"""Long-term medicines are those of one careful prescriber."""

from __future__ import annotations

from patient_checks import names_of

from gym_clinic.facts import load
from gym_clinic.simulate.clinic import draw_patient, treatment_for
from gym_clinic.simulate.clinic.medicines import DUPLICATED, duplicates, kinds_of_medicines

FACTS = load()
PATIENTS = [draw_patient(seed, "delirium") for seed in range(60)]


def test_drugs_of_a_kind_are_known() -> None:
    classes = {f"class:{name}" for drug in FACTS.drugs.values() for name in drug.classes}
    for kind in kinds_of_medicines():
        assert kind <= classes | FACTS.drugs.keys()


def test_a_second_drug_of_a_kind_is_a_duplicate() -> None:
    assert len(set(DUPLICATED)) == len(DUPLICATED)
    for drug, other in [("sertraline", "escitalopram"), ("venlafaxine", "escitalopram"),
                        ("empagliflozin", "dapagliflozin"), ("diltiazem", "bisoprolol"),
                        ("ibuprofen", "naproxen")]:  # fmt: skip
        assert duplicates(FACTS, drug, other)
        assert duplicates(FACTS, other, drug)
    assert not duplicates(FACTS, "sertraline", "sertraline")
    assert not duplicates(FACTS, "aspirin", "apixaban")
    assert not duplicates(FACTS, "furosemide", "digoxin")


def test_nobody_is_treated_with_a_second_drug_of_a_kind_where_another_would_do() -> None:
    seen = 0
    for seed in range(200):
        patient = draw_patient(seed, "major-depressive-disorder")
        taken = [one.drug for one in patient.medicines]
        for together in treatment_for(patient).alternatives:
            for drug in (one.removeprefix("drug:") for one in together if one.startswith("drug:")):
                assert not any(duplicates(FACTS, drug, other) for other in taken)
        seen += any(duplicates(FACTS, "sertraline", one) for one in taken)
    assert seen or not any(one.medicines for one in PATIENTS)


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
