"""Long-term medicines are those of one careful prescriber."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from patient_medicine_checks import names_of

from gym_clinic.facts import load
from gym_clinic.facts.records.epidemiology import Person
from gym_clinic.simulate.clinic import draw_patient, treatment_for
from gym_clinic.simulate.clinic.drug_rules import (
    DUPLICATED,
    MEANT,
    duplicates,
    kinds_of_medicines,
    references,
)
from gym_clinic.simulate.clinic.medicines import TakenMedicine, draw_medicines, of_one_country
from gym_clinic.simulate.clinic.telling.life import lay_names

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


@pytest.mark.parametrize("beside", ["hypertension", "gastroesophageal-reflux-disease"])
def test_angina_is_treated_also_beside_what_forbids_other_anti_inflammatory_drugs(
    beside: str,
) -> None:
    person, against_clots = Person(64, "male"), 0
    for seed in range(100):
        drawn = draw_medicines(
            FACTS, [beside, "stable-angina-pectoris"], [], person, 80, Random(seed)
        )
        taken = {one.drug for one in drawn if one.condition == "stable-angina-pectoris"}
        assert not any("class:non-aspirin-nsaid" in references(FACTS, one) for one in taken)
        against_clots += not taken.isdisjoint(("aspirin", "clopidogrel"))
    assert against_clots >= 85


def test_a_medicine_is_for_the_illness_that_needs_it_most() -> None:
    """What is drawn first for the liver or a valve is for the heart, if that is ill as well."""
    person, reasons = Person(64, "male"), set[str]()
    lived_with = [
        "aortic-stenosis",
        "metabolic-dysfunction-associated-steatotic-liver-disease",
        "stable-angina-pectoris",
    ]
    for seed in range(40):
        drawn = draw_medicines(FACTS, lived_with, [], person, 80, Random(seed))
        reasons |= {one.condition for one in drawn if one.drug == "atorvastatin"}
    assert reasons == {"stable-angina-pectoris"}
    alone = draw_medicines(FACTS, lived_with[:2], [], person, 80, Random(1))
    assert {one.condition for one in alone if one.drug == "atorvastatin"} == {"high cholesterol"}


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
            listed = FACTS.conditions[lived.condition].contraindicated
            forbidden = {MEANT.get(one, one) for one in listed}
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


def named_in_words(reason: str) -> set[str]:
    """The conditions that people live with and that a phrase names instead of their ids."""
    alternatives = reason.strip("[]").casefold().split("|")
    return {
        key
        for key, names in lay_names().items()
        for name in (*names, FACTS.diseases[key].name, *FACTS.diseases[key].synonyms)
        if name.casefold() in alternatives
    }


def test_what_a_medicine_is_taken_for_is_an_illness_by_its_id() -> None:
    """Else somebody takes insulin without diabetes."""
    for condition in FACTS.conditions.values():
        for cause in condition.causes:
            reason = cause.taken_for or ""
            assert reason in FACTS.conditions or not named_in_words(reason), condition.id
    assert named_in_words("[diabetes|a cold]") == {"type-2-diabetes-mellitus"}


def test_insulin_brings_hypoglycaemia_about_only_in_diabetes() -> None:
    patients = [draw_patient(seed, "hypoglycaemia") for seed in range(80)]
    treated = [
        one
        for one in patients
        if any({"insulin", "sulfonylurea"} & {*FACTS.drugs[m.drug].classes} for m in one.medicines)
    ]
    assert len(treated) > 30
    for one in treated:
        assert any("diabetes" in each.condition for each in one.background), one.seed


@pytest.mark.parametrize(
    ("beside", "american", "dose"),
    [((), True, 81), ((), False, 75), (("gliclazide",), True, 75), (("metformin",), True, 81)],
)
def test_aspirin_has_the_strength_of_one_country(
    beside: tuple[str, ...], american: bool, dose: float
) -> None:
    taken = [TakenMedicine(one, 75, "mg", 1, "", {}, 0) for one in ("aspirin", *beside)]
    found = of_one_country(taken, american)
    assert [one.dose for one in found] == [dose, *(75 for _ in beside)]
    assert of_one_country([TakenMedicine("aspirin", 300, "mg", 1, "", {}, 0)], True)[0].dose == 300


def test_ill_vessels_of_heart_and_brain_forbid_triptans() -> None:
    for key in ("stable-angina-pectoris", "unstable-angina", "acute-myocardial-infarction",
                "stroke", "transient-ischaemic-attack"):  # fmt: skip
        assert "class:triptan" in FACTS.conditions[key].contraindicated, key


@pytest.mark.parametrize(("age", "some"), [(64, True), (65, False)])
def test_who_is_old_takes_no_triptan(age: float, some: bool) -> None:
    person = Person(age, "female", None)
    taken = [draw_medicines(FACTS, ["migraine"], [], person, 70, Random(at)) for at in range(20)]
    assert any("triptan" in one.drug for each in taken for one in each) is some


def lacks_a_meal_insulin(medicines: Sequence[TakenMedicine]) -> bool:
    """Whether the insulin of type 1 diabetes is long-acting alone, which does not do."""
    drugs = {one.drug for one in medicines if one.condition == "type-1-diabetes-mellitus"}
    fast = {"insulin-aspart", "insulin-lispro", "insulin-regular", "insulin-glulisine"}
    return any("insulin" in one for one in drugs) and drugs.isdisjoint(fast)


def test_type_1_diabetes_is_treated_with_two_insulins() -> None:
    patients = [draw_patient(seed, "diabetic-ketoacidosis") for seed in range(40)]
    takes = [
        one.medicines for one in patients if any("insulin" in it.drug for it in one.medicines)
        and any(it.condition == "type-1-diabetes-mellitus" for it in one.background)
    ]  # fmt: skip
    assert len(takes) >= 8
    assert not any(lacks_a_meal_insulin(one) for one in takes)
    slow = [[it for it in one if it.drug in ("insulin-glargine", "insulin-degludec")]
            for one in takes]  # fmt: skip
    assert all(len(one) == 1 and lacks_a_meal_insulin(one) for one in slow)
