"""The audit finds what a ticket gives away, and what splits have in common."""

from __future__ import annotations

from random import Random

import pytest

from gym_clinic import Task
from gym_clinic.clinical.audit import audit, repeated_notes, shared_grams

TEXT = "the patient came in with pain and felt cold then warm for some days at home"
WORDS = TEXT.split()


def tasks(count: int, *, seed: int, leak: str = "") -> list[Task]:
    random = Random(seed)
    found = []
    for number in range(count):
        answer = random.choice("ab")
        text = " ".join(random.choices(WORDS, k=25 + 15 * (leak == "length" and answer == "a")))
        text += " beta" * (leak == "word" and answer == "b")
        found.append(Task(f"t{seed}-{number:04x}", {}, {"answer": answer}, text))
    return found


def label(task: Task) -> str:
    return str(task.gold["answer"])


CASES = [("", 0, 0), ("length", 1, 0), ("word", 0, 1)]


@pytest.mark.parametrize(("leak", "form", "words"), CASES)
def test_the_audit_finds_a_leak(leak: str, form: int, words: int) -> None:
    pytest.importorskip("sklearn")
    found = audit(tasks(160, seed=1, leak=leak), tasks(120, seed=2, leak=leak), label)
    assert (found.form > 0.75) == bool(form)
    assert (found.words > 0.75) == bool(words)
    if not leak:
        assert found.closed < 0.33


def test_shared_runs_of_words_are_counted_without_names_and_numbers() -> None:
    train = ["Mr Ash, 40, came in at 09:40 with pain in his chest and back."]
    same = ["Mrs Oak, 71, came in at 10:15 with pain in his chest and back."]
    assert shared_grams(train, same) == 1
    assert repeated_notes(train, same) == 1
    other = ["She has been coughing for a week and now has a fever at night."]
    assert shared_grams(train, other) == repeated_notes(train, other) == 0
