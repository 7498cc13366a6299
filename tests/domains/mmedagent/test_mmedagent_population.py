"""Over all tasks: no cheap trick is worth playing, and words do not tell who is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import pytest
from mmedagent import (
    OptionModel,
    accuracy,
    constants,
    kind_of,
    rationale_adversary,
    seen_votes,
    seen_without_image,
    tasks_of,
    ticket,
)

from gym_clinic import Task
from gym_clinic.domains.mmedagent.adversaries import COPYING, TRICKS
from gym_clinic.domains.mmedagent.departments import department_of
from gym_clinic.domains.mmedagent.tasks import make_split, make_task
from gym_clinic.simulate.split import Split

pytestmark = pytest.mark.population

COPIED, OVER = 0.55, 0.1
"""Most that copying is worth, and most that a trick lies above the best constant."""

LEVELS = ("easy", "medium", "hard")
SPLITS: tuple[Split, ...] = ("train", "dev", "test")


@lru_cache(maxsize=3)
def tasks(split: str) -> Sequence[Task]:
    return tasks_of(split)


@pytest.mark.parametrize("split", SPLITS)
def test_the_files_are_what_the_generator_makes(split: Split) -> None:
    assert list(make_split(split)) == list(tasks(split))


def test_no_image_and_no_task_is_in_two_splits() -> None:
    ids = Counter(task.id for split in SPLITS for task in tasks(split))
    images = Counter(str(task.record["image"]) for split in SPLITS for task in tasks(split))
    assert max(ids.values()) == max(images.values()) == 1


@pytest.mark.parametrize("name", COPYING)
@pytest.mark.parametrize("split", SPLITS)
def test_copying_is_worth_little(name: str, split: str) -> None:
    earned = accuracy(lambda task: COPYING[name](ticket(task), {}), tasks(split))
    assert earned["all"] <= COPIED
    assert earned["hard"] == 0.0


@lru_cache(maxsize=1)
def fresh() -> Sequence[Task]:
    """Many tasks in the words of test: the file has only some 60 of a kind."""
    return [make_task(f"fresh:{number}", "test", LEVELS[number % 3]) for number in range(2_400)]


@lru_cache(maxsize=1)
def best() -> dict[str, float]:
    """Kind -> accuracy of its best constant, as chosen on train."""
    chosen = constants(tasks("train"))
    earned = accuracy(lambda task: chosen[kind_of(task)](task), fresh())
    return {kind: earned[f"kind {kind}"] for kind in chosen}


@pytest.mark.parametrize("name", TRICKS)
def test_tricks_lie_near_the_best_constant_of_the_kind(name: str) -> None:
    earned = accuracy(lambda task: TRICKS[name](ticket(task), {}), fresh())
    over = {kind: earned[f"kind {kind}"] - most for kind, most in best().items()}
    assert {kind: more for kind, more in over.items() if more > OVER} == {}


def test_a_model_of_the_text_lies_near_the_best_constant_of_the_kind() -> None:
    model = OptionModel(seen_without_image, tasks("train"))
    earned = accuracy(model, fresh())
    over = {kind: earned[f"kind {kind}"] - most for kind, most in best().items()}
    assert {kind: more for kind, more in over.items() if more > OVER} == {}


def test_a_model_of_the_votes_is_worth_no_more_than_copying() -> None:
    model = OptionModel(seen_votes, tasks("train"))
    assert accuracy(model, tasks("test"))["all"] <= COPIED


def test_the_words_of_a_rationale_do_not_tell_who_is_right() -> None:
    score, base = rationale_adversary(tasks("train"), tasks("test"))
    assert score <= base + 0.05


def test_departments_and_levels_are_independent() -> None:
    both = Counter(
        (department_of(task.record), task.gold["level"])
        for split in SPLITS
        for task in tasks(split)
    )
    assert len(both) == 21
    assert max(both.values()) <= 1.6 * min(both.values())
