"""Names in answers: synonyms, brands, routes and codes mean one thing; free text means nothing."""

from __future__ import annotations

import pytest

from gym_clinic.clinical.answer import MOST_CITED, read_answer
from gym_clinic.clinical.judging.calls import canonical
from gym_clinic.clinical.naming import find_action, find_evidence, fulfils
from gym_clinic.facts import load

FACTS = load()


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("Aspirin", "drug:aspirin"),
        ("ASA", "drug:aspirin"),
        ("drug:aspirin", "drug:aspirin"),
        ("co-amoxiclav IV", "drug:amoxicillin-clavulanate"),
        ("chest tube", "procedure:chest-drain"),
        ("12-lead ECG", "study:ecg"),
        ("FBC", "lab:blood-count"),
        ("IV fluids", "fluids"),
        ("oxygen", "oxygen"),
        ("drug:oxygen", "oxygen"),
        ("saline", "fluids"),
        ("lactated Ringer", "fluids"),
        ("consult:cardiology", "consult:cardiology"),
        ("ceftriaxone 2 g IV once daily", "drug:ceftriaxone"),
        ("start apixaban 10 mg BID for 7 days", "drug:apixaban"),
        ("enoxaparin 1 mg/kg SC", "drug:enoxaparin"),
        ("0.9% sodium chloride 1 L", "fluids"),
        ("oxygen 4 L/min via nasal cannula", "oxygen"),
        ("transfuse 2 units PRBC", "blood"),
        ("urgent cardiology consult", "consult:cardiology"),
        ("Foley catheter placement", "procedure:bladder-catheter"),
        ("reassurance", "procedure:trigger-avoidance"),
        ("oral hydration", "procedure:oral-rehydration"),
        ("exercise therapy", "procedure:physiotherapy"),
        ("diclofenac 1% gel", "procedure:topical-nsaid"),
        ("topical ibuprofen three times daily", "procedure:topical-nsaid"),
        ("topical hydrocortisone", "drug:hydrocortisone"),
        ("diclofenac", "drug:diclofenac"),
        ("start", None),
        ("stop aspirin", None),
        ("hold metformin", None),
        ("avoid giving heparin", None),
        ("never give aspirin daily", None),
        ("omeprazole instead of famotidine", "drug:omeprazole"),
        ("Omeprazole (rather than famotidine)", "drug:omeprazole"),
        ("not omeprazole but famotidine", None),
        ("not omeprazole instead of famotidine", None),
        ("no omeprazole rather than famotidine", None),
        ("omeprazole instead of nothing of this kind", None),
        ("no aspirin", None),
        ("aspirin is not given", None),
        ("do not give heparin", None),
        ("nothing of this kind", None),
    ],
)
def test_an_order_is_found_by_its_names_alone(name: str, action: str | None) -> None:
    assert find_action(FACTS, name) == action


def test_a_route_tells_what_is_applied_to_the_skin() -> None:
    assert find_action(FACTS, "diclofenac", "topical") == "procedure:topical-nsaid"
    assert find_action(FACTS, "diclofenac", "po") == "drug:diclofenac"
    assert find_action(FACTS, "aciclovir", "topical") == "drug:aciclovir"
    (order,) = read_answer(FACTS, {"orders": [{"order": "Diclofenac", "route": "topical"}]}).orders
    assert order.action == "procedure:topical-nsaid"


def test_a_drug_fulfils_its_class_and_its_own_name() -> None:
    assert fulfils("drug:ramipril", "class:ace-inhibitor")
    assert fulfils("drug:hydrocodone+paracetamol", "drug:paracetamol")
    assert not fulfils("drug:ramipril", "class:nsaid")
    assert not fulfils("drug:paracetamol", "drug:hydrocodone+paracetamol")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("lab:troponin", "lab:troponin"),
        ("heart rate", "vital:hr"),
        ("SpO2", "vital:spo2"),
        ("sodium", "lab:na"),
        ("CXR", "study:chest-x-ray"),
        ("site:abdomen", "site:abdomen"),
        ("Fever", f"told:{FACTS.finding_ids['Fever']}"),
        ("penicillin allergy", "allergy:class:penicillin"),
        ("allergic to penicillin", "allergy:class:penicillin"),
        ("Coumadin", "medicine:warfarin"),
        ("COPD", "condition:chronic-obstructive-pulmonary-disease"),
        ("pregnant", "pregnancy"),
        ("Alcohol use", "habit:alcohol"),
        ("smoking", "habit:smoking"),
        ("capillary glucose", "vital:glucometer"),
        ("no fever", None),
        ("fever and chest pain", None),
        ("something", None),
    ],
)
def test_evidence_is_found_by_its_names(text: str, key: str | None) -> None:
    assert find_evidence(FACTS, text) == key


def test_every_measurement_is_evidence() -> None:
    for key, one in FACTS.measurements.items():
        found = find_evidence(FACTS, one.name)
        assert found is not None, one.name
        assert found.partition(":")[2] == key or found.startswith("told:"), one.name


def test_an_answer_is_read_with_what_is_missing_left_empty() -> None:
    empty = read_answer(FACTS, {})
    assert (empty.differential, empty.orders, empty.cited, empty.follow_up) == ((), (), (), "")
    long = read_answer(FACTS, {"cited_findings": [{"finding": "hr"}] * (MOST_CITED + 3)})
    assert (len(long.cited), long.uncounted) == (MOST_CITED, 3)
    order = {"order": "aspirin", "route": "oral", "dose": 300, "unit": "mg"}
    (read,) = read_answer(FACTS, {"orders": [order]}).orders
    assert (read.action, read.route) == ("drug:aspirin", "po")


def test_calls_are_compared_by_what_they_mean() -> None:
    assert canonical(FACTS, "order_lab", {"tests": ["FBC", "sodium"]}) == [
        ("order_lab", {"test": "blood-count"}),
        ("order_lab", {"test": "na"}),
    ]
    assert canonical(FACTS, "order_ecg", {}) == canonical(FACTS, "order_study", {"study": "EKG"})
    given = {"drug": "Tylenol", "dose": 1, "unit": "g", "route": "intravenous"}
    (one,) = canonical(FACTS, "prescribe_medication", {**given, "times_per_day": 4})
    assert one == (
        "give_medication",
        {"drug": "paracetamol", "route": "iv", "dose": 1, "unit": "g"},
    )
    assert canonical(FACTS, "think", {"thought": " Hm "}) == [("think", {"thought": "hm"})]
