"""The rules baseline: what it concludes and orders from what it has read."""

from __future__ import annotations

import json
from typing import Any

import gymnasium as gym
import pytest

from gym_clinic.catalog import unwrap
from gym_clinic.domains.triage_emergency.nurse.conclusions import (
    level_of_notes,
    pathway_of_notes,
    place_of_notes,
)
from gym_clinic.domains.triage_emergency.nurse.encounter import RulesNurse
from gym_clinic.domains.triage_emergency.nurse.notes import NurseNotes, hours_said
from gym_clinic.domains.triage_emergency.nurse.orders import at_once, by_signs, of_protocol
from gym_clinic.policies import load, play
from gym_clinic.taskset import first

TICKET = "Triage, 1 May 2025, 10:00.\nAnn Example (H1), 40 years, female.\nFirst words: {}"
WELL = {"hr": 78, "rr": 14, "spo2": 98, "sbp": 126, "temp_c": 36.8, "gcs": 15, "pain": 1}


def notes_of(words: str, **vitals: Any) -> NurseNotes:
    notes = NurseNotes()
    notes.open(TICKET.format(words))
    notes.hear("measure_vital_signs", json.dumps({**WELL, **vitals}))
    return notes


def test_age_and_sex_are_read_from_the_ticket() -> None:
    notes = notes_of("I have a headache.")
    assert (notes.age, notes.female) == (40.0, True)
    assert "Headache" in notes.has


def test_hives_alone_are_no_anaphylaxis_and_hives_with_breathlessness_are() -> None:
    assert not notes_of("I have hives.").allergic
    notes = notes_of("I have hives and I'm short of breath.")
    assert notes.allergic
    assert [one["drug"] for name, one in at_once(notes) if name == "give_medication"] == [
        "epinephrine"
    ]
    assert not [*at_once(notes)]
    assert level_of_notes(notes, pathway_of_notes(notes)) == 1


@pytest.mark.parametrize(("text", "drug"), [("pinpoint pupils", "naloxone"), ("PERL 4 mm", None)])
def test_naloxone_follows_small_pupils(text: str, drug: str | None) -> None:
    notes = notes_of("found drowsy", gcs=10, rr=7)
    notes.hear("examine_patient", json.dumps({"system": "eyes", "findings": text}))
    given = [one["drug"] for name, one in by_signs(notes) if name == "give_medication"]
    assert given == ([drug] if drug else [])
    assert (pathway_of_notes(notes) == "poisoning") is bool(drug)


def test_glucose_is_given_where_it_is_low_in_a_drowsy_patient() -> None:
    notes = notes_of("confused", gcs=12)
    notes.hear("measure_glucose", json.dumps({"glucose": 38}))
    assert [one["drug"] for _, one in by_signs(notes)] == ["glucose"]
    awake = notes_of("shaky")
    awake.hear("measure_glucose", json.dumps({"glucose": 38}))
    assert not [*by_signs(awake)]


def test_a_whole_half_of_the_face_with_the_brow_is_no_stroke() -> None:
    notes = notes_of("One side of my face has dropped.")
    notes.hear("screen_stroke", json.dumps({"face": "one side droops", "arms": "both are held up"}))
    assert pathway_of_notes(notes) == "stroke"
    seen = {"system": "neurology", "findings": "right brow does not wrinkle, limbs normal"}
    notes.hear("examine_patient", json.dumps(seen))
    assert pathway_of_notes(notes) != "stroke"


def test_an_allergy_to_penicillin_turns_the_antibiotic() -> None:
    notes = notes_of("fever and chills", temp_c=39.4)
    notes.hear("read_allergies", json.dumps({"allergies": [{"substance": "Penicillins"}]}))
    drugs = [one["drug"] for name, one in of_protocol(notes, "sepsis") if name == "give_medication"]
    assert drugs == ["ceftriaxone"]
    free = of_protocol(notes_of("fever"), "sepsis")
    assert "piperacillin-tazobactam" in [one.get("drug") for _, one in free]


def test_places_follow_the_level_and_the_department() -> None:
    notes = notes_of("a cut")
    notes.hear("read_department_state", json.dumps({"standard beds free": 0, "fast track": "open"}))
    assert [place_of_notes(notes, level, "none") for level in (1, 3, 4)] == [
        "resuscitation",
        "waiting room",
        "fast track",
    ]
    assert place_of_notes(notes, 4, "isolation") == "standard bed"


def test_the_baseline_sends_no_empty_message() -> None:
    env = unwrap(gym.make("clinic/TriageEmergency-v0", split="test"))
    maker = load("rules", env)
    for task in first(env.tasks, 12):
        turns = play(env, task, maker(0)).episode.turns
        assert all(turn.action.strip() for turn in turns), task.id


def encounter(words: str, **vitals: Any) -> list[list[tuple[str, dict[str, Any]]]]:
    """The batches of calls up to the questions, after the vital signs were read."""
    nurse = RulesNurse(unwrap(gym.make("clinic/TriageEmergency-v0", split="test")).dialect)
    nurse._notes = notes_of(words, **vitals)
    steps = nurse._encounter()
    return [list(next(steps)) for _ in range(4)]


def test_a_ticket_without_a_known_complaint_is_asked_by_the_card_of_malaise() -> None:
    assert ("read_red_flags", {"complaint": "malaise"}) in encounter("Please look at me.")[0]
    cards = [
        given for name, given in encounter("I have a headache.")[0] if name == "read_red_flags"
    ]
    assert cards == [{"complaint": "Headache"}]


def test_who_cannot_speak_for_himself_has_not_lost_his_speech() -> None:
    assert "Loss of speech" not in notes_of("He is not able to speak for himself.").has
    assert notes_of("He is not able to speak for himself, and has a fever.").has >= {"Fever"}


def test_allergies_are_read_once_a_drug_was_given() -> None:
    first = encounter("I have hives and I'm short of breath.")
    assert "give_medication" in {name for name, _ in first[1]}
    assert "read_allergies" in {name for name, _ in first[3]}
    assert "read_allergies" not in {name for name, _ in encounter("I have a headache.")[3]}


def test_where_life_is_in_danger_one_question_of_the_card_is_asked() -> None:
    def asked(**vitals: Any) -> int:
        nurse = RulesNurse(unwrap(gym.make("clinic/TriageEmergency-v0", split="test")).dialect)
        nurse._notes = notes_of("I have a headache.", **vitals)
        nurse._notes.flags = [f"flag {number}" for number in range(7)]
        return sum(
            given["question"].startswith("Do you have flag") for _, given in nurse._questions()
        )

    assert asked() == 2
    assert asked(sbp=70, crt_s=4) == 1


@pytest.mark.parametrize(
    ("text", "hours"),
    [("Two weeks ago.", 336), ("45 minutes, roughly.", 0.75), ("On Monday.", None)],
)
def test_hours_are_read_from_an_answer(text: str, hours: float | None) -> None:
    assert hours_said(text) == hours


def test_who_told_when_it_began_is_not_asked_again() -> None:
    began = ("ask_patient", {"question": "When did it start?"})
    assert began in encounter("I have a headache.")[3]
    assert began not in encounter("I've had a headache for two weeks.")[3]
    assert (notes_of("A headache for two weeks.").old, notes_of("3 hours of headache.").old) == (
        True,
        False,
    )


def test_a_fever_is_read_with_the_record() -> None:
    assert ("read_history", {"section": "procedures"}) in encounter("a fever", temp_c=38.6)[3]
    notes = notes_of("I have a fever.", temp_c=38.6)
    assert (pathway_of_notes(notes), level_of_notes(notes, "none")) == ("none", 5)
    notes.hear(
        "read_history", '{"section":"past illnesses","entries":[{"condition":"HIV infection"}]}'
    )
    assert level_of_notes(notes, "none") == 3
    notes.warning = 3
    assert level_of_notes(notes, "none") == 2
    treated = notes_of("I have a fever.", temp_c=38.6)
    treated.hear(
        "read_history", '{"section":"procedures","entries":[{"procedure":"chemotherapy"}]}'
    )
    assert pathway_of_notes(treated) == "sepsis"
