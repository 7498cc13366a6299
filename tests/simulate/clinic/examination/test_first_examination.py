"""What is examined first depends on the complaint, and not on the illness."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import get_args

from gym_clinic.facts import load
from gym_clinic.facts.records.examination import Site
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient
from gym_clinic.simulate.clinic.examination.first_examination import (
    first_examination,
    first_examined,
    rates_of,
)
from gym_clinic.simulate.clinic.texts import documents

FACTS = load()


def with_complaint(condition: str, complaint: str, seed: int = 1) -> ClinicPatient:
    patient = draw_patient(seed, condition)
    first = dataclasses.replace(patient.problems[0], complaint=FACTS.finding_ids[complaint])
    return dataclasses.replace(patient, problems=(first,))


def test_the_same_complaint_has_the_same_rates_whatever_the_illness() -> None:
    rates = [
        rates_of(with_complaint(condition, "Abdominal pain"))
        for condition in ("acute-pancreatitis", "peptic-ulcer-disease", "biliary-colic")
    ]
    assert rates[0] == rates[1] == rates[2]
    assert rates[0] != rates_of(with_complaint("migraine", "Headache"))


def test_the_parts_that_are_examined_say_nothing_of_the_signs() -> None:
    """Patients who differ in their signs alone are examined alike."""
    patient = draw_patient(3, "acute-pancreatitis")
    bare = dataclasses.replace(patient.problems[0], signs=())
    assert first_examined(patient) == first_examined(dataclasses.replace(patient, problems=(bare,)))


def test_parts_are_examined_at_their_rates() -> None:
    patient = with_complaint("acute-pancreatitis", "Abdominal pain")
    count, times = Counter[str](), 400
    for seed in range(times):
        count.update(first_examined(dataclasses.replace(patient, seed=seed)))
    for site, rate in rates_of(patient).items():
        assert abs(count[site] / times - rate) < 0.09, site


def test_a_note_tells_of_no_other_part() -> None:
    for seed in range(6):
        patient = draw_patient(seed, "pneumonia")
        first = {"general", *first_examined(patient)}
        (note,) = (one for one in documents(patient) if one.kind == "note")
        assert {one.of for one in note.facts if one.kind == "sign"} <= first


def test_the_table_names_parts_and_groups_that_exist() -> None:
    table, groups = first_examination(), {one.group for one in FACTS.phenotypes.values()}
    assert set(table.by_group) <= groups
    for rates in (table.usual, table.young, table.drowsy, table.other, *table.by_group.values()):
        assert set(rates) <= set(get_args(Site))
        assert all(0 <= one <= 1 for one in rates.values())
