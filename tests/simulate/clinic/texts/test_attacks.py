"""An attack that is over on arrival is told as something that has been."""

from __future__ import annotations

import math
import re

import pytest

from gym_clinic.facts import load
from gym_clinic.simulate.clinic import draw_patient
from gym_clinic.simulate.clinic.texts import attacks, speech
from gym_clinic.simulate.clinic.texts.attacks import ATTACKS
from gym_clinic.simulate.clinic.texts.chart_texts import documents

FACTS = load()
GOES_ON = re.compile(r"\b(for|since|from|hx|going on)\b[^.,;]*\d|\d[^.,;]* (now\b(?! over)|hx\b)")


def going_on() -> tuple[int, int]:
    """How many first texts of people with an attack there are, and how many say it goes on."""
    found: list[str] = []
    for seed in range(70):
        for condition in ("vasovagal-syncope", "febrile-convulsion"):
            patient = draw_patient(seed, condition, split="test")
            complaint = FACTS.phenotypes[patient.problems[0].complaint or ""].name
            if complaint in ATTACKS and patient.state(0)["gcs"] >= 13.5:
                texts = documents(patient, "test", kinds={"opening words", "triage"})
                found += [one.text.split("Obs")[0][:110] for one in texts]
    return len(found), sum(GOES_ON.search(one) is not None for one in found)


def test_a_faint_does_not_last_for_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, wrong = going_on()
    assert texts >= 40
    assert wrong <= 0.1 * texts
    monkeypatch.setattr(attacks, "AWAKE", math.inf)
    monkeypatch.setattr(speech, "events", frozenset)
    texts, wrong = going_on()
    assert wrong >= 0.4 * texts


def test_the_attacks_are_findings() -> None:
    assert {*ATTACKS} <= FACTS.finding_ids.keys()
