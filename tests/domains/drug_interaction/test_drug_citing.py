"""What an answer cites: what decides, and beside it any facts of the patient."""

from __future__ import annotations

from typing import Any

import pytest

from gym_clinic.clinical.answer import read_answer
from gym_clinic.clinical.judging.citations import check_citations
from gym_clinic.clinical.judging.equivalents import share_found
from gym_clinic.domains.drug_interaction.gold import LEAST_CITED, gold_of
from gym_clinic.domains.drug_interaction.world import open_case, review_patient
from gym_clinic.episode import Task
from gym_clinic.facts import load

SHOWN = {"kind": "shown", "documents": ["letter"]}
PHENELZINE = {"kind": "take", "drug": "phenelzine", "dose": 15, "unit": "mg", "per_day": 3,
              "for": "depression"}  # fmt: skip
SERTRALINE = {"drug": "sertraline", "dose": 50, "unit": "mg", "per_day": 1, "route": "po",
              "indication": "depression"}  # fmt: skip


def record(*edits: dict[str, Any]) -> dict[str, Any]:
    return {"seed": 4, "condition": "gastroesophageal-reflux-disease", "split": "train",
            "edit": [{"kind": "kidneys", "creatinine": 0.8}, *edits, SHOWN],
            "question": SERTRALINE}  # fmt: skip


def made(*edits: dict[str, Any]) -> dict[str, Any]:
    return gold_of(record(*edits), review_patient(record(*edits)))


@pytest.mark.parametrize(
    "name", ["Asthma", "asthma", "condition:asthma", "history of asthma", "asthma (on record)"]
)
def test_a_condition_of_the_history_is_cited_by_its_plain_name(name: str) -> None:
    """Asthma is the name of a finding, too."""
    lived = {"kind": "lives with", "condition": "asthma", "years": 3}
    ill, well = (open_case(Task("t", made_of, {})) for made_of in (record(lived), record()))
    (cited,) = read_answer(load(), {"cited_findings": [{"finding": name}]}).cited
    found = check_citations(ill, [cited], {"condition:asthma"})
    assert (found.wrong, found.precision) == (0, pytest.approx(1 / 3))
    assert found.cites("condition:asthma", True, load())
    assert check_citations(ill, [cited], frozenset()).wrong == 1
    assert check_citations(well, [cited], {"condition:asthma"}).wrong == 1


def share(gold: dict[str, Any], *cited: str) -> float:
    wanted = {one["finding"]: one["present"] for one in gold["cite"]}
    return share_found(wanted, gold["instead"], lambda key, has: key in cited)


def test_what_decides_cannot_be_left_out() -> None:
    gold = made(PHENELZINE)
    assert gold["cite"][0] == {"finding": "medicine:phenelzine", "present": True}
    others = ("lab:creatinine", "lab:na", "lab:hb")
    assert share(gold, "medicine:phenelzine", *others) == 1
    assert share(gold, *others) == pytest.approx(1 - 1 / LEAST_CITED)


def test_what_decides_nothing_may_be_any_fact() -> None:
    gold = made()
    assert gold["answer"]["verdict"] == "start as proposed"
    assert len(gold["cite"]) == LEAST_CITED
    known = {"medicine:omeprazole", "lab:creatinine", "lab:inr", "lab:na"}
    pool = {one["finding"] for group in gold["instead"] for one in group["of"]}
    assert known <= pool
    assert share(gold, *list(known)[:3]) == 1
    assert share(gold, "lab:creatinine") == pytest.approx(1 / 3)
