"""Fever in somebody whose immune system is weak: the level, and what must be read."""

from __future__ import annotations

import dataclasses

import pytest

from gym_clinic.clinical import JudgedEpisode, MadeTask, TaskDraft
from gym_clinic.clinical.tasks import seed_of, task_of
from gym_clinic.domains.triage_emergency.acuity import acuity
from gym_clinic.domains.triage_emergency.immunity import (
    NEUTROPENIA,
    names_that_weaken,
    weakened_by,
    weakenings,
)
from gym_clinic.domains.triage_emergency.judging import JUDGE
from gym_clinic.domains.triage_emergency.tasks import SPEC, make_task
from gym_clinic.domains.triage_emergency.tools import make_tools
from gym_clinic.domains.triage_emergency.world import TriageCase
from gym_clinic.episode import Episode
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient
from gym_clinic.simulate.clinic.medicines import TakenMedicine
from gym_clinic.simulate.clinic.people import Background
from gym_clinic.toolbox import Toolbox

PROCEDURES = "record:history:procedures"
WELL = {"temp_c": 38.3, "hr": 88.0, "rr": 16.0, "spo2": 98.0, "sbp": 124.0, "crt_s": 1.0}
"""A fever and nothing else: a NEWS2 of 1."""


def feverish(*lived: str, **taken: float) -> ClinicPatient:
    """A young adult with a sore throat and fever, and some illnesses and daily drugs."""
    drawn = (draw_patient(seed, "streptococcal-pharyngitis") for seed in range(400))
    patient = next(
        one for one in drawn
        if 16 <= one.person.age < 60 and one.person.pregnant_weeks is None
        and any(load().phenotypes[key].name == "Fever" for key in one.problems[0].findings)
    )  # fmt: skip
    medicines = tuple(
        TakenMedicine(drug, dose, "mg", 1, "rheumatoid-arthritis", {}, 0.0)
        for drug, dose in taken.items()
    )
    background = tuple(Background(one, 5.0, {}) for one in lived)
    return dataclasses.replace(patient, background=background, medicines=medicines)


def test_the_table_names_what_exists() -> None:
    facts = load()
    for one in weakenings():
        assert {*one.conditions} <= facts.diseases.keys()
        assert {*one.classes} <= facts.drug_classes.keys()
        assert {*one.drugs} <= facts.drugs.keys()
        assert one.procedure is None or one.days > 0
    assert {"HIV infection", "Methotrexate", "Adalimumab"} <= names_that_weaken(facts)
    assert "Prednisolone" not in names_that_weaken(facts)


@pytest.mark.parametrize(
    ("lived", "taken", "weak"),
    [
        ((), {}, False),
        (("hiv-infection",), {}, True),
        ((), {"methotrexate": 15.0}, True),
        ((), {"adalimumab": 40.0}, True),
        ((), {"prednisolone": 20.0}, True),
        ((), {"prednisolone": 5.0}, False),
        (("asthma",), {}, False),
    ],
)
def test_a_fever_of_the_weak_is_never_level_four_and_is_level_two_where_they_are_unwell(
    lived: tuple[str, ...], taken: dict[str, float], weak: bool
) -> None:
    patient = feverish(*lived, **taken)
    assert bool(weakened_by(patient)) is weak
    assert (acuity(patient, WELL).level <= 3) is weak
    unwell = {**WELL, "temp_c": 39.2, "hr": 98.0}
    assert (acuity(patient, unwell).level == 2) is weak
    assert (
        "fever with a weak immune system" not in acuity(patient, {**WELL, "temp_c": 37.4}).high_risk
    )


def neutropenic() -> list[MadeTask]:
    drafts = (TaskDraft("2", seed_of("train", number), "train") for number in range(60))
    return [one for one in (make_task(draft, NEUTROPENIA) for draft in drafts) if one is not None]


@pytest.mark.slow
def test_a_neutropenia_is_known_before_the_antibiotic() -> None:
    made = neutropenic()
    assert len(made) >= 5
    for one in made:
        assert PROCEDURES in one.gold["read"]
        calls = [(number, call) for number, move in enumerate(one.gold["plan"]) for call in move]
        read = next(
            number for number, call in calls if call["arguments"].get("section") == "procedures"
        )
        assert all(read < number for number, call in calls if call["name"] == "give_medication")


def test_who_asks_for_a_chemotherapy_need_not_read_of_it() -> None:
    one = neutropenic()[0]

    def share(name: str, **arguments: str) -> float:
        case = TriageCase(one.record)
        tool = Toolbox(make_tools()).get(name)
        assert tool is not None
        tool.call(dict(arguments), case)
        case.end_turn()
        return JudgedEpisode(JUDGE, Episode(task_of(SPEC, one), case, [], None, "")).share

    nothing = share("think", thought="A fever.")
    read = share("read_history", section="procedures")
    assert read > nothing
    asked = share("ask_patient", question="Have you had chemotherapy lately?")
    assert asked == read
    assert share("ask_patient", question="Do you have a pet?") == nothing
