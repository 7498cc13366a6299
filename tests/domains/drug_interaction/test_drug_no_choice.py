"""What the fact tables rule out in a condition, though no rule grades it."""

from __future__ import annotations

from typing import Any

import pytest

from gym_clinic.clinical.judging.judge import JudgedEpisode
from gym_clinic.domains.drug_interaction.gold import gold_of
from gym_clinic.domains.drug_interaction.naming import problems_score
from gym_clinic.domains.drug_interaction.plausibility import plausible
from gym_clinic.domains.drug_interaction.rewards import JUDGE, accuracy, harms
from gym_clinic.domains.drug_interaction.world import open_case, review_patient
from gym_clinic.episode import Episode, Task

PRESSURE = [
    {"kind": "lives with", "condition": "hypertension", "years": 3},
    {"kind": "take", "drug": "amlodipine", "dose": 5, "unit": "mg", "per_day": 1,
     "for": "hypertension"},
]  # fmt: skip
NAPROXEN = {"kind": "take", "drug": "naproxen", "dose": 250, "unit": "mg", "per_day": 2,
            "bought": True, "for": "aches"}  # fmt: skip
ITCH = {"drug": "cetirizine", "dose": 10, "unit": "mg", "per_day": 1, "route": "po",
        "indication": "itch"}  # fmt: skip
PAIN = {"drug": "diclofenac", "dose": 50, "unit": "mg", "per_day": 3, "route": "po",
        "indication": "osteoarthritis"}  # fmt: skip
ALLERGY = {"kind": "allergy", "allergen": "class:nsaid", "reaction": "hives"}


def review(question: dict[str, Any], *edits: dict[str, Any]) -> dict[str, Any]:
    plain = [{"kind": "kidneys", "creatinine": 0.8}, {"kind": "shown", "documents": ["letter"]}]
    return {"seed": 4, "condition": "osteoarthritis", "split": "train", "question": question,
            "edit": [*edits, *plain]}  # fmt: skip


@pytest.mark.parametrize(("lived", "score"), [(PRESSURE, 1.0), ([], 2 / 3)])
def test_who_names_what_the_tool_calls_no_choice_is_right(
    lived: list[dict[str, Any]], score: float
) -> None:
    record = review(PAIN, ALLERGY, *lived)
    gold = gold_of(record, review_patient(record))
    named = [{"kind": "condition", "drugs": ["diclofenac"], "severity": "major"}]
    answer = {"verdict": "do not start", "problems": [*gold["answer"]["problems"], *named],
              "plan": {}, "cited_findings": []}  # fmt: skip
    task = Task("t", record, gold)
    judged = JudgedEpisode(JUDGE, Episode(task, open_case(task), [], answer, "answered"))
    assert problems_score(judged) == pytest.approx(score)


def test_where_nothing_is_wrong_nobody_buys_what_is_ruled_out() -> None:
    for record, holds in (
        (review(ITCH, *PRESSURE), True),
        (review(ITCH, *PRESSURE, NAPROXEN), False),
    ):
        assert plausible(record, review_patient(record)) is holds


def test_what_is_bought_and_ruled_out_may_be_stopped_whatever_is_asked() -> None:
    record = review({**PAIN, "drug": "paracetamol", "dose": 1000, "per_day": 3}, NAPROXEN)
    assert gold_of(record, review_patient(record))["may_be_stopped"] == []
    record["edit"] += PRESSURE
    assert gold_of(record, review_patient(record))["may_be_stopped"] == ["naproxen"]


@pytest.mark.parametrize("stent", [True, False])
def test_nobody_with_a_stent_takes_a_triptan(stent: bool) -> None:
    migraine = [{"kind": "lives with", "condition": "migraine", "years": 9},
                {"kind": "take", "drug": "sumatriptan", "dose": 50, "unit": "mg", "per_day": 0.3,
                 "for": "migraine"}]  # fmt: skip
    ticagrelor = {"kind": "take", "drug": "ticagrelor", "dose": 90, "unit": "mg", "per_day": 2,
                  "for": "a stent last year"}  # fmt: skip
    record = review(ITCH, *migraine, *([ticagrelor] if stent else []))
    assert plausible(record, review_patient(record)) is not stent


LIST = {"review": "list"}
ANTACID = {"kind": "take", "drug": "calcium-carbonate", "dose": 500, "unit": "mg", "per_day": 3,
           "bought": True, "for": "heartburn"}  # fmt: skip
THYROID = [
    {"kind": "lives with", "condition": "hypothyroidism", "years": 3},
    {"kind": "take", "drug": "levothyroxine", "dose": 75, "unit": "mcg", "per_day": 1,
     "for": "hypothyroidism"},
]  # fmt: skip
HAY_FEVER = {"kind": "take", "drug": "cetirizine", "dose": 10, "unit": "mg", "per_day": 1,
             "bought": True, "for": "hay fever"}  # fmt: skip
KIDNEYS = [{"kind": "lives with", "condition": "chronic-kidney-disease", "years": 3},
           {"kind": "kidneys", "creatinine": 3.2}]  # fmt: skip


@pytest.mark.parametrize(
    ("edits", "usual", "drug"),
    [([*THYROID, ANTACID], {"separate_hours": 4.0}, "calcium carbonate"),
     ([HAY_FEVER, *KIDNEYS], {"doses": [{"drug": "cetirizine", "daily_dose": 5.0}]},
      "cetirizine")],
)  # fmt: skip
def test_what_is_bought_may_be_stopped_where_it_is_taken_apart_or_lowered(
    edits: list[dict[str, Any]], usual: dict[str, Any], drug: str
) -> None:
    record = review(LIST)
    record["edit"] = [*record["edit"], *edits]
    gold = gold_of(record, review_patient(record))
    assert gold["answer"]["plan"] == usual
    for plan, score in ((usual, 1), ({"stop": [drug]}, 1), ({**usual, "stop": [drug]}, 0)):
        answer = {"verdict": "change the list", "problems": gold["answer"]["problems"],
                  "plan": plan, "cited_findings": []}  # fmt: skip
        task = Task("t", record, gold)
        judged = JudgedEpisode(JUDGE, Episode(task, open_case(task), [], answer, "answered"))
        assert accuracy(judged)["plan"] == score
        assert not [*harms(judged)]


@pytest.mark.parametrize(("lived", "holds"), [([], True), (PRESSURE, False)])
def test_a_list_keeps_nothing_that_is_ruled_out(lived: list[dict[str, Any]], holds: bool) -> None:
    """Naproxen beside an SSRI asks for a PPI; in hypertension who stops it instead is right too."""
    naproxen = {**NAPROXEN, "bought": False, "for": "osteoarthritis"}
    low = [{"kind": "lives with", "condition": "major-depressive-disorder", "years": 3},
           {"kind": "take", "drug": "sertraline", "dose": 50, "unit": "mg", "per_day": 1,
            "for": "major-depressive-disorder"}]  # fmt: skip
    record = review(LIST, *THYROID, *low, naproxen, *lived)
    assert plausible(record, review_patient(record)) is holds
