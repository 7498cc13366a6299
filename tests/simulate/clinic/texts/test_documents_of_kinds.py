"""Documents of some kinds are those that all together would hold."""

from __future__ import annotations

import re

import pytest

from gym_clinic.simulate.clinic import draw_patient
from gym_clinic.simulate.clinic.texts import documents
from gym_clinic.simulate.clinic.texts.chart_texts import KINDS
from gym_clinic.simulate.clinic.texts.sections.history import events


@pytest.mark.parametrize("condition", ["pneumonia", "gout"])
def test_documents_of_some_kinds_are_those_of_all(condition: str) -> None:
    patient = draw_patient(5, condition)
    whole = documents(patient, "dev")
    for kind in KINDS:
        wanted = tuple(one for one in whole if one.kind == kind)
        assert documents(patient, "dev", kinds=frozenset({kind})) == wanted
    assert documents(patient, "dev", kinds=frozenset()) == ()


def test_no_crew_writes_that_it_did_not_alert_for_a_stroke() -> None:
    handovers = [
        one.text
        for seed in range(80)
        for one in documents(draw_patient(seed, "stroke"), kinds=frozenset({"handover"}))
    ]
    assert len(handovers) > 20
    assert not [one for one in handovers if "pre-alert nil" in one]


def test_nobody_has_a_seizure_for_hours_in_a_letter() -> None:
    said = []
    for seed in range(90):
        patient = draw_patient(seed, "epilepsy")
        complaint = patient.facts.phenotypes[patient.problems[0].complaint or ""].name
        if complaint in events():
            texts = documents(patient, kinds=frozenset({"handover", "referral"}))
            said += [" ".join(one.text.split(". ")[:2]) for one in texts]
    assert len(said) > 10
    assert not [one for one in said if re.search(r"ongoing|present |noted|has had|\bhx\b", one)]
