"""The rules baseline reads what it is shown."""

from __future__ import annotations

import ast
import inspect
import json

from gym_clinic.domains.clinical_diagnosis import reader, rules
from gym_clinic.domains.clinical_diagnosis.reader import EncounterReading, explains
from gym_clinic.facts import load


def ids(*names: str) -> set[str]:
    return {load().finding_ids[name] for name in names}


def test_answers_texts_and_flags_are_read() -> None:
    reading = EncounterReading()
    reading.text("Cough and fever for three days, no chest pain.")
    assert ids("Cough", "Fever") <= reading.present
    assert ids("Chest pain") <= reading.absent
    (rash,) = ids("Skin rash")
    reading.answer(rash, "No.")
    assert rash in reading.absent
    vitals = {"time": "10:00", "hr": 130, "sbp": 120, "rr": 15, "spo2": 84, "temp_c": 39.4}
    reading.response("read_patient_record", json.dumps({"age": 50, "sex": "female"}))
    reading.response("get_vital_signs", json.dumps(vitals))
    assert reading.flags["hr"] == "H"
    assert reading.flags["spo2"] == "L"
    assert reading.person is not None
    assert reading.person.age == 50


def test_allergies_are_read_as_references() -> None:
    reading = EncounterReading()
    told = {"allergies": [{"substance": "Penicillin", "reaction": "rash"}]}
    reading.response("read_allergies", json.dumps(told))
    assert reading.allergens == {"class:penicillin"}


def test_what_is_read_ranks_the_disease_that_has_it() -> None:
    reading = EncounterReading()
    reading.text("productive cough, fever, chills, crackles, pleuritic chest pain")
    reading.flags |= {"crp": "H", "wbc": "H", "temp_c": "H"}
    assert "pneumonia" in [one for one, _ in reading.ranked()[:3]]
    assert explains(load().conditions["pneumonia"], "crp", "H")
    assert not explains(load().conditions["pneumonia"], "crp", "")


def test_a_broken_response_is_passed_over() -> None:
    reading = EncounterReading()
    reading.response("read_results", "No result")
    reading.response("read_results", json.dumps({"results": "none back"}))
    assert reading.flags == {}


def test_rules_import_neither_the_simulator_nor_its_pools() -> None:
    for module in (rules, reader):
        tree = ast.parse(inspect.getsource(module))
        named = {one.module or "" for one in ast.walk(tree) if isinstance(one, ast.ImportFrom)}
        assert not [one for one in named if "simulate" in one or "world" in one]
