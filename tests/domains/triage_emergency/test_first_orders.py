"""The orders that cannot wait: drugs, doses and minutes, by situation."""

from __future__ import annotations

import dataclasses

import pytest

from gym_clinic.clinical.edits import apply_edits
from gym_clinic.domains.triage_emergency.acuity import (
    KIDNEYS,
    SPARE_POTASSIUM,
    hours_of_findings,
    values_on_arrival,
)
from gym_clinic.domains.triage_emergency.first_orders import (
    CHOOSE,
    UrgentCall,
    first_medicines,
    first_orders,
    medicines_for,
    urgent_calls,
)
from gym_clinic.domains.triage_emergency.placement import NO_PATHWAY, protocols
from gym_clinic.facts import load
from gym_clinic.facts.expressions import parse
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient


def without_allergies(patient: ClinicPatient) -> ClinicPatient:
    for allergen in [one.allergen for one in patient.allergies]:
        patient = apply_edits(patient, {"kind": "no allergy", "allergen": allergen})
    return patient


def adult(condition: str, least: float = 16.0, most: float = 120.0) -> ClinicPatient:
    drawn = (draw_patient(seed, condition) for seed in range(80))
    return next(
        one for one in map(without_allergies, drawn) if least <= one.person.age <= most
        and one.person.pregnant_weeks is None
    )  # fmt: skip


def due(patient: ClinicPatient, pathway: str) -> dict[str, UrgentCall]:
    return {one.what: one for one in urgent_calls(patient, pathway)}


def test_the_tables_name_what_exists_and_every_minute_has_a_source() -> None:
    facts = load()
    names = {one.name for one in facts.phenotypes.values()}
    known = {*values_on_arrival(draw_patient(1, "gout"))}
    for one in first_orders():
        assert one.source
        assert 5 <= one.minutes <= 60
        assert {*one.conditions, *one.not_conditions} <= facts.conditions.keys()
        assert {*one.findings} <= names
        assert {*one.pathways} <= {*protocols(), NO_PATHWAY}
        assert parse(one.when).names <= known
        for call in one.calls:
            assert call.name != CHOOSE or call.of in first_medicines()
    for several in first_medicines().values():
        assert several.source
        for drug in several.choices:
            assert drug.drug in facts.drugs
            assert parse(drug.dose).names | parse(drug.when).names <= known


@pytest.mark.parametrize(
    ("condition", "pathway", "what", "minutes"),
    [
        ("anaphylaxis", "anaphylaxis", "adrenaline", 8),
        ("acute-myocardial-infarction", "stemi", "an ECG", 10),
        ("stroke", "stroke", "CT of the head", 25),
        ("bacterial-meningitis", "sepsis", "an antibiotic for meningitis", 60),
        ("postpartum-haemorrhage", "obstetric emergency", "a uterotonic", 20),
    ],
)
def test_deadlines_are_clinical(condition: str, pathway: str, what: str, minutes: float) -> None:
    assert due(draw_patient(3, condition), pathway)[what].minutes == minutes


def test_adrenaline_has_a_dose_for_the_weight() -> None:
    for seed in range(6):
        patient = draw_patient(seed, "anaphylaxis")
        call = due(patient, "anaphylaxis")["adrenaline"]
        assert call.life
        right = min(0.5, 0.01 * patient.person.weight_kg)
        assert call.arguments["dose"] == pytest.approx(right, abs=0.01)


def test_meningitis_gets_ceftriaxone_and_a_steroid_and_from_60_years_on_amoxicillin() -> None:
    young, old = adult("bacterial-meningitis", 16, 59), adult("bacterial-meningitis", 60)
    for patient in (young, old):
        orders = due(patient, "sepsis")
        antibiotic = orders["an antibiotic for meningitis"]
        assert antibiotic.arguments["drug"] == "ceftriaxone"
        assert "piperacillin-tazobactam" not in antibiotic.accepted
        assert orders["dexamethasone with the antibiotic"].accepted == ("dexamethasone",)
    assert "amoxicillin against listeria" not in due(young, "sepsis")
    assert "amoxicillin" in due(old, "sepsis")["amoxicillin against listeria"].accepted


def test_an_allergy_takes_drugs_out_of_the_set() -> None:
    patient = adult("febrile-neutropenia")
    values = values_on_arrival(patient)
    before = [one["drug"] for one in medicines_for(patient, "neutropenia", values)]
    edit = {"kind": "allergy", "allergen": "class:penicillin", "reaction": "anaphylaxis"}
    allergic = medicines_for(apply_edits(patient, edit), "neutropenia", values)
    after = [one["drug"] for one in allergic]
    assert before[0] == "piperacillin-tazobactam"
    assert after
    assert "piperacillin-tazobactam" not in after
    assert {*after} < {*before}


def test_a_child_gets_a_dose_for_the_weight() -> None:
    child = next(
        one
        for one in (draw_patient(seed, "bacterial-meningitis") for seed in range(60))
        if one.person.age < 8
    )
    found = medicines_for(without_allergies(child), "meningitis", values_on_arrival(child))
    assert found[0]["dose"] == pytest.approx(0.08 * child.person.weight_kg, abs=0.01)


def test_oxygen_is_controlled_where_carbon_dioxide_may_be_retained() -> None:
    disease = "chronic-obstructive-pulmonary-disease"
    drawn = [draw_patient(seed, disease) for seed in range(40)]
    low = {"spo2": 85.0}
    devices = set()
    for patient in drawn:
        on_record = any(one.condition == disease for one in patient.background)
        given = [one.arguments for one in urgent_calls(patient, NO_PATHWAY, low)
                 if one.name == "give_oxygen"]  # fmt: skip
        devices.add((on_record, given[0]["device"]))
    assert devices == {(True, "venturi mask"), (False, "non-rebreather mask")}


def test_severe_pain_gets_a_drug_within_half_an_hour() -> None:
    patient = draw_patient(4, "acute-otitis-media")
    orders = {one.what: one for one in urgent_calls(patient, NO_PATHWAY, {"pain": 7.0})}
    relief = orders["a first drug against severe pain"]
    assert relief.minutes == 30
    assert "paracetamol" in relief.accepted
    mild = urgent_calls(patient, NO_PATHWAY, {"pain": 5.0})
    assert "a first drug against severe pain" not in {one.what for one in mild}


def test_below_three_months_an_unknown_source_has_a_second_antibiotic() -> None:
    besides = "amoxicillin or ampicillin besides, below three months"
    grown = adult("sepsis")
    assert besides not in due(grown, "sepsis")
    person = dataclasses.replace(grown.person, age=0.05, weight_kg=4.2)
    infant = due(dataclasses.replace(grown, person=person), "sepsis")
    assert {"amoxicillin", "ampicillin"} <= {*infant[besides].accepted}
    first = infant["an antibiotic while the source is unknown"]
    assert "cefotaxime" in first.accepted
    assert "ceftriaxone" not in first.accepted


def test_adrenaline_is_due_later_where_the_ticket_tells_neither_skin_nor_contact() -> None:
    patient = draw_patient(3, "anaphylaxis")

    def minutes(*told: str) -> float:
        calls = urgent_calls(patient, "anaphylaxis", told={*told})
        return next(one.minutes for one in calls if one.what == "adrenaline")

    assert minutes("Urticaria") == minutes("Contact with an allergen") == 8
    assert minutes("Dyspnea") == 10


def test_a_shocked_patient_gets_oxygen_by_a_reservoir_mask() -> None:
    patient = adult("acute-pyelonephritis")

    def device(**measured: float) -> str:
        calls = urgent_calls(patient, NO_PATHWAY, {"spo2": 90.0, **measured})
        return next(str(one.arguments["device"]) for one in calls if one.name == "give_oxygen")

    assert device(sbp=84.0) == "non-rebreather mask"
    assert device(sbp=124.0) == "nasal cannula"


@pytest.mark.parametrize("condition", ["hyperkalaemia", "vitamin-b12-deficiency"])
def test_weakness_with_a_sick_kidney_or_a_potassium_sparing_drug_gets_an_ecg(
    condition: str,
) -> None:
    """The duty follows what the record tells, and not an illness that nobody knows yet."""
    found = set()
    for seed in range(40):
        patient = draw_patient(4 * seed, condition)
        known = {one.condition for one in patient.background} & KIDNEYS
        known |= {one.drug for one in patient.medicines} & SPARE_POTASSIUM
        weak = {"Muscle weakness", "Paresthesia", "Paralysis"} & hours_of_findings(patient).keys()
        ordered = "ecg" in {one.accepted[0] for one in urgent_calls(patient, NO_PATHWAY)}
        heart = {"Chest pain", "Palpitations", "Syncope"} & hours_of_findings(patient).keys()
        assert ordered is bool((known and weak) or heart)
        found.add(bool(known and weak))
    assert found == {True, False}
