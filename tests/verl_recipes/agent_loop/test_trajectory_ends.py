"""How trajectories end: budgets, records, and faults."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import gymnasium as gym
import pytest
from faulty_domain import FAULTS
from trajectories import (
    FAULTY,
    INTERACTIONS,
    begin,
    check,
    grade,
    said,
    solution,
    take,
    write,
)

from gym_clinic import ClinicEnv, ConfigError
from verl_recipes.agent_loop.environment import (
    EnvironmentFaultError,
    PromptLengthError,
    make_env,
)
from verl_recipes.agent_loop.tokens import Tokens
from verl_recipes.agent_loop.trajectory import Budgets, Trajectory

pytest.importorskip("torch")
pytest.importorskip("verl")


# --- budgets ---


def test_a_prompt_that_is_too_long_is_named(tokens: Tokens) -> None:
    length = len(begin(tokens).ids)
    begin(tokens, budgets=Budgets(prompt=length, response=10))
    task = ClinicEnv(INTERACTIONS).tasks[0].id
    says = rf"'{task}' is {length} tokens.*max_prompt_length is {length - 1}$"
    with pytest.raises(PromptLengthError, match=says):
        begin(tokens, budgets=Budgets(prompt=length - 1, response=10))


def test_room_is_the_smallest_remaining_budget(tokens: Tokens) -> None:
    one = begin(tokens, budgets=Budgets(prompt=1_000, response=300, turn=120))
    assert one.room == 120
    take(one, "x " * 50)
    assert one.room == min(120, 300 - len(one.mask))
    assert begin(tokens, budgets=Budgets(prompt=1_000, response=300)).room == 300


def test_an_answer_may_use_up_the_last_token(tokens: Tokens) -> None:
    room = len(said(tokens, grade()))
    one = begin(tokens, budgets=Budgets(prompt=1_000, response=room))
    take(one, grade())
    check(one)
    assert (one.over, one.truncated, one.info["stop"]) == (True, False, "answered")
    assert len(one.mask) == room


def test_an_observation_fits_to_the_token_or_ends_the_trajectory(tokens: Tokens) -> None:
    free = begin(tokens)
    take(free, write(("read_allergies", {})))
    needed = len(free.mask) + 16
    fits = begin(tokens, budgets=Budgets(prompt=1_000, response=needed, least=16))
    take(fits, write(("read_allergies", {})))
    assert (fits.over, fits.room) == (False, 16)
    short = begin(tokens, budgets=Budgets(prompt=1_000, response=needed - 1, least=16))
    take(short, write(("read_allergies", {})))
    check(short)
    assert (short.over, short.truncated, short.info["stop"]) == (True, True, "token_budget")
    assert all(short.mask)  # nothing of the observation is there
    assert short.info["rewards"].keys() == short.env.rubric.rewards.keys()
    assert short.record()["truncated"] == 1.0


def test_a_reply_that_was_cut_ends_the_trajectory_unread(tokens: Tokens) -> None:
    one = begin(tokens)
    take(one, "I think that", end=False, finished=False)
    check(one)
    assert (one.over, one.truncated, one.info["stop"]) == (True, True, "token_budget")
    assert one.env.episode.turns == []
    assert all(one.mask)


def test_an_answer_in_a_reply_that_was_cut_is_no_answer(tokens: Tokens) -> None:
    one = begin(tokens)
    take(one, solution(one)[0])
    take(one, f"{solution(one)[1]} and so on", end=False, finished=False)
    assert (one.over, one.truncated, one.info["stop"]) == (True, True, "token_budget")
    record = one.record()
    assert (record["success"], record["acc"], record["reward/accuracy"]) == (0.0, 0.0, 0.0)
    assert 0.0 < record["total"] == one.reward < 1.0  # of the call before it


def test_a_truncated_trajectory_is_no_success_whatever_state_it_leaves(tokens: Tokens) -> None:
    one = begin(tokens, text_budget=10)
    one.env.domain = copy.copy(one.env.domain)
    object.__setattr__(one.env.domain, "success", lambda episode: True)
    take(one, "The work is done.")
    assert (one.info["success"], one.truncated) == (True, True)
    assert (one.record()["success"], one.record()["acc"]) == (0.0, 0.0)


def test_an_empty_reply(tokens: Tokens) -> None:
    one = begin(tokens)
    one.take([], [], finished=False)
    check(one)
    assert (one.over, one.truncated, one.turns) == (True, True, 1)
    record = one.record()
    assert (record["policy_tokens"], record["turns"]) == (0.0, 1.0)


def test_running_out_of_turns_is_wrong_and_out_of_context_is_truncated(tokens: Tokens) -> None:
    turns = begin(tokens, max_turns=1)
    take(turns, "hello")
    assert (turns.over, turns.truncated, turns.info["stop"]) == (True, False, "max_turns")
    text = begin(tokens, text_budget=10)
    take(text, "hello")
    assert (text.over, text.truncated, text.info["stop"]) == (True, True, "text_budget")


# --- records and faults ---


def endings(tokens: Tokens) -> dict[str, Trajectory]:
    short = Budgets(prompt=1_000, response=70)
    found = {
        "solved": begin(tokens),
        "wrong": begin(tokens),
        "truncated": begin(tokens, budgets=short),
        "cut": begin(tokens),
        "empty": begin(tokens),
        "out of turns": begin(tokens, max_turns=1),
    }
    for action in solution(found["solved"]):
        take(found["solved"], action)
    gold = found["wrong"].env.episode.task.gold["answer"]["grade"]
    take(found["wrong"], grade("none" if gold != "none" else "major"))
    take(found["truncated"], "word " * 20)
    take(found["cut"], "word", end=False, finished=False)
    found["empty"].take([], [], finished=False)
    take(found["out of turns"], "hello")
    return found


def test_every_ending_has_the_same_record(tokens: Tokens) -> None:
    found = endings(tokens)
    assert all(one.over for one in found.values())
    records = {name: one.record() for name, one in found.items()}
    keys = set(records["solved"])
    for record in records.values():
        assert set(record) == keys
        assert all(type(value) is float for value in record.values())
    assert {
        "score",
        "fault",
        "hint_echo",
        "reward/accuracy",
        "reward/process",
        "metric/calls",
    } <= keys
    assert {name for name, record in records.items() if record["truncated"]} == {
        "truncated", "cut", "empty",
    }  # fmt: skip
    assert [name for name, record in records.items() if record["success"]] == ["solved"]
    solved, one = records["solved"], found["solved"]
    assert solved["prompt_tokens"] == len(one.prompt_ids)
    assert solved["response_tokens"] == len(one.response_ids)
    assert solved["policy_tokens"] == sum(one.mask)


def test_the_total_includes_turn_rewards(tokens: Tokens) -> None:
    one = begin(tokens)
    env = one.env
    env.domain = copy.copy(env.domain)
    object.__setattr__(env.domain, "turn_reward", lambda episode: 0.25)
    object.__setattr__(env.domain, "turn_range", (0.0, 0.25))
    for action in solution(one):
        take(one, action)
    assert one.record()["total"] == 1.5


@pytest.mark.parametrize("task", FAULTS)
def test_a_fault_of_the_environment_is_named(tokens: Tokens, task: str) -> None:
    def play() -> None:
        one = begin(tokens, FAULTY, Budgets(prompt=1_000, response=200), task=task)
        if task == "truncate":
            take(one, "word " * 60)
        take(one, write(("ask", {})))
        take(one, write(("say", {"word": "yes"})))
        one.record()

    with pytest.raises(EnvironmentFaultError, match=f"task '{task}': ") as caught:
        play()
    causes = ("reset", "step", "truncate")
    assert (type(caught.value.__cause__).__name__ == "ServiceDownError") == (task in causes)


def test_a_callers_mistake_is_no_fault_of_the_environment(tokens: Tokens) -> None:
    with pytest.raises(ConfigError, match="no task 'nobody'"):
        begin(tokens, task="nobody")


def test_dropped_tokens_are_not_trained_on(tokens: Tokens) -> None:
    one = begin(tokens)
    take(one, write(("read_allergies", {})))
    ids = list(one.ids)
    one.drop()
    check(one)
    assert not any(one.mask)
    assert one.ids == ids


# --- environments by name ---


def test_environments_are_made_by_id_or_by_domain() -> None:
    env = make_env("tiny/Triage-v0", {"split": "test", "max_turns": 2}, ["tiny_domain"])
    assert (env.domain.name, len(env.tasks), env.max_turns) == ("triage", 9, 2)
    assert make_env(INTERACTIONS, {"split": "train"}).domain.name == "interactions"
    assert make_env("clinic/ClinGen-v0", {"split": "dev"}).tasks


@pytest.mark.parametrize(
    ("name", "modules", "says"),
    [
        ("clinic/ClinGenn-v0", [], "no environment 'clinic/ClinGenn-v0'; did you mean 'clinic/Cl"),
        ("tiny_domain:TRIAG", [], "tiny_domain has no domain 'TRIAG'; did you mean 'TRIAGE'"),
        ("CartPole-v1", [], "'CartPole-v1' is a CartPoleEnv; expected a ClinicEnv"),
        ("x/Y-v0", ["no_such_module"], "no module 'no_such_module' for a module that registers"),
    ],
)
def test_an_unknown_environment_name_is_reported(
    name: str, modules: Sequence[str], says: str
) -> None:
    assert "CartPole-v1" in gym.registry
    with pytest.raises(ConfigError) as caught:
        make_env(name, {}, modules)
    assert says in str(caught.value)
