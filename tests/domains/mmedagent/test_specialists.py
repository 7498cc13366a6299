"""The specialists: who is right, what they err on, and that their words do not tell."""

from __future__ import annotations

from collections import Counter
from random import Random
from statistics import fmean

import pytest

from gym_clinic.case import Case
from gym_clinic.domains.mmedagent.departments import department_of, specialties
from gym_clinic.domains.mmedagent.specialists import (
    MEMBERS,
    SpecialistReply,
    draw_votes,
    outside_votes,
    plurality,
)
from gym_clinic.domains.mmedagent.specialists.opinions import (
    pools,
    recorded_opinions,
    write_rationale,
)
from gym_clinic.domains.mmedagent.specialists.votes import habit, rights_of
from gym_clinic.simulate.split import held_out

FOUR = {"A": "left", "B": "right", "C": "top", "D": "bottom"}


@pytest.mark.parametrize("rights", range(MEMBERS + 1))
def test_as_many_are_right_as_the_level_says(rights: int) -> None:
    for seed in range(50):
        votes = draw_votes(FOUR, "C", rights, "Radiologist", Random(seed))
        assert len(votes) == MEMBERS
        assert votes.count("C") == rights


def test_medium_has_one_right_in_three_of_five() -> None:
    count = Counter(rights_of("medium", Random(seed)) for seed in range(4_000))
    assert set(count) == {1, 2}
    assert count[1] / 4_000 == pytest.approx(0.6, abs=0.03)
    assert {rights_of(level, Random(0)) for level in ("easy",)} == {MEMBERS}
    assert rights_of("hard", Random(0)) == 0


def test_errors_are_correlated_and_follow_the_habits_of_the_department() -> None:
    panels = [draw_votes(FOUR, "A", 0, "Dermatologist", Random(seed)) for seed in range(3_000)]
    agree = fmean(votes[0] == votes[1] for votes in panels)
    assert agree > 0.55  # a third, were they independent and without habits
    firsts = Counter(vote for votes in panels for vote in votes)
    weights = {label: habit("Dermatologist", "left", FOUR[label]) for label in "BCD"}
    for label, weight in weights.items():
        share = weight / sum(weights.values())
        assert firsts[label] / firsts.total() == pytest.approx(share, abs=0.04)
    assert habit("Pathologist", "left", "top") != habit("Dermatologist", "left", "top")


def test_the_place_in_the_panel_says_nothing() -> None:
    right = [[vote == "B" for vote in draw_votes(FOUR, "B", 1, "x", Random(seed))]
             for seed in range(3_000)]  # fmt: skip
    for place in range(MEMBERS):
        assert fmean(row[place] for row in right) == pytest.approx(1 / 3, abs=0.04)


def test_those_outside_of_their_field_know_nothing() -> None:
    votes = [outside_votes(list(FOUR), Random(seed)) for seed in range(3_000)]
    for label in FOUR:
        assert fmean(label in panel[:1] for panel in votes) == pytest.approx(0.25, abs=0.04)


def test_words_depend_on_the_claim_alone() -> None:
    record = {"options": FOUR, "kind": "side", "votes": ["A", "A", "B"],
              "outside": ["C", "A", "A"], "seed": "s", "split": "test"}  # fmt: skip
    inside = recorded_opinions(record, "Radiologist", inside=True, count=3)
    again = recorded_opinions(record, "Radiologist", inside=True, count=3)
    assert inside == again
    assert [reply.answer for reply in inside] == record["votes"]
    for reply in inside:
        assert FOUR[reply.answer] in reply.rationale
    outside = recorded_opinions(record, "Pathologist", inside=False, count=2)
    assert [reply.answer for reply in outside] == ["C", "A"]


def test_every_pool_has_phrases_that_train_lacks() -> None:
    for name, phrases in pools().items():
        assert len(phrases) == len(set(phrases)) >= 10
        assert len(held_out(name, phrases)) >= 0.3 * len(phrases)
        assert all(("{claim}" in phrase) is (name not in ("opening", "closing", "presence.yes",
                   "presence.no")) for phrase in phrases)  # fmt: skip
    seen = {write_rationale("side", "left", str(seed), "train") for seed in range(300)}
    held = held_out("side", pools()["side"])
    assert not [text for text in seen for phrase in held if phrase.format(claim="left") in text]
    assert len(seen) > 200


def test_majority_and_ties() -> None:
    assert plurality(["B", "A", "A"]) == "A"
    assert plurality(["B", "A", "C"]) == "B"
    assert plurality([]) is None


def test_a_reply_names_an_option() -> None:
    options = {"options": {"A": "yes", "B": "no"}}
    reply = SpecialistReply.model_validate({"answer": "B. no", "rationale": "x"}, context=options)
    assert reply.answer == "B"
    with pytest.raises(ValueError, match="is no option"):
        SpecialistReply.model_validate({"answer": "B. yes", "rationale": "x"}, context=options)
    assert Case({}).usage == {}
    assert len(specialties()) == 7


@pytest.mark.parametrize(
    ("modality", "specialty"),
    [("CT(Computed Tomography)", "Radiologist"), ("MRI", "Radiologist"), ("X-Ray", "Radiologist"),
     ("OCT (Optical Coherence Tomography)", "Ophthalmologist"), ("ultrasound", "Obstetrician"),
     ("Fundus Photography", "Ophthalmologist"), ("Microscopy Images", "Pathologist"),
     ("Dermoscopy", "Dermatologist"), ("radiology", "Radiologist"), ("pathology", "Pathologist"),
     ("a fracture", None), ("", None)],
)  # fmt: skip
def test_benchmarks_name_modalities_in_their_own_words(
    modality: str, specialty: str | None
) -> None:
    assert department_of({"modality": modality}) == specialty
