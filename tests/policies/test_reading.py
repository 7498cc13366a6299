"""Readers make the calls of another policy, and answer without its findings."""

from __future__ import annotations

import itertools
from dataclasses import replace

import clinical_domain
import gymnasium as gym
import pytest

from gym_clinic import Menu, Task
from gym_clinic.catalog import unwrap
from gym_clinic.env import ClinicEnv
from gym_clinic.policies import load, play
from gym_clinic.policies.clinical import answer_without_looking
from gym_clinic.policies.fitted.reading import (
    TicketModel,
    WordBayes,
    before_answer,
    borrowed_calls,
    constants,
    replaced,
    reward_of,
    ticket_bayes,
)

SOURCE = "look-once"


@pytest.fixture(scope="module")
def env() -> ClinicEnv:
    return unwrap(gym.make(clinical_domain.ID))


@pytest.mark.parametrize("cites", [False, True])
def test_a_reader_makes_the_calls_of_the_other_and_answers_a_constant(
    env: ClinicEnv, cites: bool
) -> None:
    task = clinical_domain.domain().split("train")[0]
    other = play(env, task, load(SOURCE, env, {"tasks": 2})(0))
    reader = play(env, task, borrowed_calls(env, SOURCE, cites, tasks=2)(0))
    assert other.episode.answer is not None
    assert reader.episode.answer is not None
    assert other.episode.answer["cited_findings"]
    wanted = other.episode.answer["cited_findings"] if cites else []
    assert reader.episode.answer["cited_findings"] == wanted
    names = [[call.name for call in one.episode.calls] for one in (other, reader)]
    assert names[0] == names[1]


def test_each_kind_of_request_has_the_constant_that_earns_most_on_it(
    env: ClinicEnv, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = clinical_domain.domain().split("train")[:]
    made, right = env.domain.menu, {task.id: task.gold["answer"] for task in tasks}
    assert made is not None

    def shown(task: Task) -> Menu:  # as if the ticket showed whether it is an infarction
        return replace(made(task), kind=str(task.record["condition"] == clinical_domain.STEMI))

    monkeypatch.setattr(env, "domain", replace(env.domain, menu=shown))
    makers = (
        answer_without_looking(env, tasks=len(tasks), by_kind=True),
        borrowed_calls(env, SOURCE, tasks=len(tasks), by_kind=True),
    )
    for task, maker in itertools.product(tasks, makers):
        answer = play(env, task, maker(0)).episode.answer
        assert answer is not None
        assert answer["diagnosis"] == right[task.id]["diagnosis"]


def test_an_answer_on_a_fork_earns_what_it_earns_in_play(env: ClinicEnv) -> None:
    task = clinical_domain.domain().split("train")[0]
    maker = load(SOURCE, env, {"tasks": 2})
    opened = before_answer(env, task, maker(0))
    assert opened is not None
    stage, own = opened
    played = play(env, task, maker(0)).reward
    earned = {
        label: reward_of(stage, replaced(own, one)) for label, one in constants(env, task).items()
    }
    assert reward_of(stage, own) == reward_of(stage, own) == played
    assert len(set(earned.values())) > 1
    assert stage.episode.stop is None


def test_a_model_of_the_ticket_reads_as_the_other_and_answers_as_a_train_task(
    env: ClinicEnv,
) -> None:
    tasks = clinical_domain.domain().split("train")[:]
    answer = TicketModel(env).answer(tasks[0].ticket)
    assert answer in [dict(task.gold["answer"]) for task in tasks]
    played = play(env, tasks[0], ticket_bayes(env, SOURCE)(0)).episode
    assert played.answer is not None
    assert {name: played.answer[name] for name in answer} == answer
    assert played.answer["cited_findings"]


def test_words_that_go_with_a_class_predict_it() -> None:
    texts = [frozenset(one.split()) for one in ("red hot", "red warm", "red", "blue", "blue cold",
                                                "blue cool", "blue wet", "grey")]  # fmt: skip
    model = WordBayes(texts, ["heat"] * 3 + ["cold"] * 5)
    assert model.predict(frozenset({"red", "unknown"})) == "heat"
    assert model.predict(frozenset({"unknown"})) == "cold"
    assert model.predict(frozenset({"hot"})) == "cold"  # too rare to be known
