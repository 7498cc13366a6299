"""Structured calls, budgets, forks, and episodes that the domain ends."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium as gym
import pytest
import toy_domains

from gym_clinic import ClinicEnv, ConfigError
from gym_clinic.policies import oracle
from gym_clinic.policies.playing import play


def make(name: str, **options: Any) -> ClinicEnv:
    env = gym.make(name, **options).unwrapped
    assert isinstance(env, ClinicEnv)
    env.reset(seed=3)
    return env


def as_calls(move: Any) -> list[dict[str, Any]]:
    return [
        {"id": f"c{number}", "name": name, "arguments": dict(arguments)}
        for number, (name, arguments) in enumerate(move)
    ]


# --- structured calls


def test_structured_calls_take_the_path_of_text() -> None:
    text, calls = make("tiny/Interactions-v0"), make("tiny/Interactions-v0")
    for move in text.domain.solve(text.episode.task):
        by_text = text.step(text.dialect.write(move))
        by_calls = calls.step_calls(as_calls(move))
        assert by_text[:4] == by_calls[:4]
        names = [message["name"] for message in by_calls[4]["messages"]]
        assert names == [name for name, _ in move]
    assert [turn.action for turn in calls.episode.turns] == [
        turn.action for turn in text.episode.turns
    ]


def test_tool_messages_carry_the_id_of_their_call() -> None:
    env = make("tiny/Interactions-v0")
    *_, info = env.step_calls(
        [
            {"id": "one", "name": "read_allergies", "arguments": {}},
            {"name": "read_allergies", "arguments": "{}"},
            {"id": "three", "function": {"name": "read_allergies", "arguments": "{}"}},
        ]
    )
    ids = [message["tool_call_id"] for message in info["messages"]]
    assert ids == ["one", "call_1", "three"] == [call.id for call in env.episode.calls]
    *_, info = env.step(env.dialect.write([("read_allergies", {})]))
    assert info["messages"][0]["tool_call_id"] == "call_3"


NESTED: dict[str, Any] = {}
NESTED["itself"] = NESTED


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ({"name": "read_allergies", "arguments": "{"}, "Unreadable arguments"),
        ({"name": "read_allergies", "arguments": "[1]"}, '"arguments" is a JSON object'),
        ({"name": "", "arguments": {}}, '"name" is missing'),
        ({"name": 7, "arguments": {}}, '"name" is missing or not a string'),
        ({"name": "read_allergies"}, '"arguments" is missing'),
        ({"function": {"name": "read_allergies"}}, '"arguments" is missing'),
        ({"name": "read_alergies", "arguments": {}}, "Did you mean 'read_allergies'?"),
        ({"name": "read_allergies", "arguments": '{"a": %s}' % ("9" * 40)}, "unknown argument 'a'"),
        ({"name": "read_allergies", "arguments": {"a": 10**40}}, "unknown argument 'a'"),
        ({"name": "read_allergies", "arguments": {"a": float("nan")}}, "nan is no JSON number"),
        ({"name": "read_allergies", "arguments": {"a": "\ud800"}}, "lone surrogates"),
        ({"name": "read_allergies\ud800", "arguments": {}}, "lone surrogates"),
        ({"name": "read_allergies", "arguments": NESTED}, "nested too deeply"),
    ],
)
def test_a_mistake_of_the_model_is_an_observation(call: dict[str, Any], says: str) -> None:
    env = make("tiny/Interactions-v0")
    observation, *_ = env.step_calls([{"id": "x", **call}])
    assert says in observation
    assert not any(one.ok for one in env.episode.calls)


@pytest.mark.parametrize(
    ("calls", "says"),
    [
        ([], "no call"),
        ([1], "a call is a JSON object, not a number"),
        (["x"], "a call is a JSON object, not a string"),
        ([None, [[]]], "a call is a JSON object, not null"),
    ],
)
def test_what_is_no_call_is_a_malformed_action_and_an_observation(
    calls: list[Any], says: str
) -> None:
    env = make("tiny/Interactions-v0")
    observation, _, terminated, truncated, _ = env.step_calls(calls)
    assert says in observation
    assert not terminated
    assert not truncated
    assert env.episode.turns[0].malformed == max(len(calls), 1)
    assert env.episode.calls_used == max(len(calls), 1)


def test_a_missing_first_message_is_refused() -> None:
    env = make("tiny/Interactions-v0")
    with pytest.raises(ConfigError, match="no message before the first step; leave it out"):
        env.step_calls([{"name": "read_allergies", "arguments": {}}], same_message=True)
    assert env.episode.turns == []


def test_a_call_that_no_tag_writes_is_recorded_all_the_same() -> None:
    env = make("toy/Doses-v0")
    env.step_calls([{"name": "nothing", "arguments": {"query": "x"}}], text="I wonder.")
    action = env.episode.turns[0].action
    assert action.startswith("I wonder.\n<tool_call>")
    assert '"nothing"' in action


@pytest.mark.parametrize("key", ["arguments", "args"])
def test_later_changes_by_the_caller_change_no_record(key: str) -> None:
    env = make("tiny/Interactions-v0")
    arguments = {"drug_a": "x", "drug_b": "y"}
    env.step_calls([{"name": "check_interaction", key: arguments}])
    arguments["drug_a"] = "z"
    assert env.episode.calls[0].arguments["drug_a"] == "x"


def test_a_text_that_claims_to_equal_everything_is_read_as_what_it_holds() -> None:
    class Chameleon(str):
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            return True

    env = make("tiny/Interactions-v0")
    argument = Chameleon("x")
    env.step_calls([{"name": "check_interaction", "arguments": {"drug_a": argument}}])
    (call,) = env.episode.calls
    assert type(call.arguments["drug_a"]) is str
    assert call.arguments != {"drug_a": "y"}


# --- budgets


def test_one_by_one_calls_of_a_message_use_one_turn() -> None:
    env = make("tiny/Interactions-v0", max_turns=2)
    drugs = dict(zip(("drug_a", "drug_b"), env.episode.task.record["drugs"], strict=True))
    look = {"name": "check_interaction", "arguments": drugs}
    env.step_calls([look])
    for _ in range(5):
        *_, truncated, _ = env.step_calls([look], same_message=True)
        assert not truncated
    assert (env.episode.messages_used, len(env.episode.turns)) == (1, 6)
    answer = {"name": "submit_grade", "arguments": dict(env.episode.task.gold["answer"])}
    _, reward, terminated, _, info = env.step_calls([answer])
    assert (reward, terminated, info["stop"]) == (1.0, True, "answered")


def test_the_last_message_may_come_call_by_call() -> None:
    env = make("tiny/Interactions-v0", max_turns=1)
    drugs = dict(zip(("drug_a", "drug_b"), env.episode.task.record["drugs"], strict=True))
    look = {"name": "check_interaction", "arguments": drugs}
    answer = {"name": "submit_grade", "arguments": dict(env.episode.task.gold["answer"])}
    *_, truncated, _ = env.step_calls([look], more=True)
    assert not truncated
    _, reward, terminated, *_ = env.step_calls([answer], same_message=True)
    assert (reward, terminated) == (1.0, True)


def test_a_message_past_the_last_ends_the_episode_though_more_is_promised() -> None:
    env = make("tiny/Interactions-v0", max_turns=1)
    look = {"name": "read_allergies", "arguments": {}}
    *_, truncated, _ = env.step_calls([look], more=True)
    assert not truncated
    *_, truncated, info = env.step_calls([look], more=True)
    assert (truncated, info["stop"]) == (True, "max_turns")


def test_a_budget_of_calls_replaces_the_turns() -> None:
    env = gym.make("tiny/Interactions-v0", max_calls=6).unwrapped
    _, info = env.reset(seed=0)
    assert (info["max_calls"], info["max_turns"]) == (6, 6)
    look = {"name": "read_allergies", "arguments": {}}
    env.step_calls([look, look])
    env.step("an action without a call uses one")
    assert env.episode.calls_used == 3
    observation, *_, truncated, info = env.step_calls([look] * 5)
    assert (truncated, info["stop"]) == (True, "max_calls")
    assert "Not run: 2 calls past the first 3." in observation
    assert [call.ok for call in env.episode.calls] == [True] * 5 + [False] * 2


@pytest.mark.parametrize("name", ["tiny/Interactions-v0", "clinic/ClinGen-v0", "toy/Lesions-v0"])
@pytest.mark.parametrize("same", [True, False])
def test_the_oracle_call_by_call_loses_nothing(name: str, same: bool) -> None:
    env = make(name, split="test", **({} if same else {"max_calls": 200}))
    for number in range(8):
        task = env.tasks[number % len(env.tasks)]
        env.reset(options={"task_id": task.id})
        over, reward = False, 0.0
        for move in env.domain.solve(task):
            if isinstance(move, str):
                _, reward, over, *_ = env.step(move)
                continue
            calls = as_calls(move)
            for place, call in enumerate(calls):
                more = same and place < len(calls) - 1
                first = not same or place == 0
                _, reward, over, *_ = env.step_calls([call], same_message=not first, more=more)
        assert over
        assert reward == env.reward_range[1]


# --- forks and copies


def test_a_fork_is_independent_of_its_origin() -> None:
    env = make("toy/Walk-v0")
    first, second, third = (place for place in env.episode.task.record["told"])
    env.step_calls([{"name": "go_to", "arguments": {"place": first}}])
    twin = env.fork()
    wrong = "west" if second == "east" else "east"
    twin.step_calls([{"name": "go_to", "arguments": {"place": wrong}}])
    assert list(twin.episode.case["path"]) == ["entrance", first, wrong]
    assert list(env.episode.case["path"]) == ["entrance", first]
    assert len(env.episode.turns) == 1
    for place in (second, third):
        *_, info = env.step_calls([{"name": "go_to", "arguments": {"place": place}}])
    *_, other = twin.step_calls([{"name": "go_to", "arguments": {"place": third}}])
    assert (info["success"], other["success"]) == (True, False)
    assert twin.episode.task is env.episode.task


def test_a_fork_needs_an_open_episode() -> None:
    env = make("tiny/Triage-v0")
    env.truncate("enough")
    with pytest.raises(gym.error.ResetNeeded):
        env.fork()


@pytest.mark.parametrize("name", ["clinic/ClinGen-v0", *toy_domains.IDS])
@pytest.mark.parametrize("travel", [lambda one: pickle.loads(pickle.dumps(one)), copy.deepcopy])
def test_an_open_episode_can_be_pickled(name: str, travel: Any) -> None:
    wrapped = gym.make(name, split="test", observation="transcript")
    wrapped.reset(seed=1)
    moves = wrapped.unwrapped.domain.solve(wrapped.unwrapped.episode.task)
    actions = [
        move if isinstance(move, str) else wrapped.unwrapped.dialect.write(move) for move in moves
    ]
    for action in actions[:-1]:
        wrapped.step(action)
    other = travel(wrapped)
    assert other.spec == wrapped.spec
    assert other.step(actions[-1]) == wrapped.step(actions[-1])
    assert other.reset()[0] == wrapped.reset()[0]  # the random source travels too
    assert wrapped.unwrapped.episode is not other.unwrapped.episode


def test_an_environment_travels_as_it_was_made() -> None:
    weights = {"process": 1.0}
    env = make("tiny/Interactions-v0", weights=weights).unwrapped
    plain = ClinicEnv("tiny_domain:INTERACTIONS", weights=weights)
    weights["process"] = 2.0
    for one in (env, plain):
        assert pickle.loads(pickle.dumps(one)).reward_range == one.reward_range == (0.0, 1.0)


def test_an_environment_can_be_pickled_before_its_first_reset() -> None:
    env = gym.make("tiny/Triage-v0", max_turns=2)
    other = pickle.loads(pickle.dumps(env))
    assert other.reset(seed=4) == env.reset(seed=4)
    assert other.unwrapped.max_turns == 2


# --- episodes that the domain ends, and what they pay


def test_a_domain_ends_its_own_episode() -> None:
    env = make("toy/Walk-v0")
    outcome = play(env, env.tasks[0], oracle(env)(0))
    assert outcome.episode.stop == outcome.info["stop"] == "arrived"
    assert outcome.episode.answer is None
    assert outcome.info["total"] == 1.0
    env.reset(options={"task_id": env.tasks[0].id})
    for place in env.tasks[0].record["told"]:
        _, _, terminated, truncated, _ = env.step_calls(
            [{"name": "go_to", "arguments": {"place": place}}]
        )
    assert (terminated, truncated) == (True, False)
    with pytest.raises(gym.error.ResetNeeded):
        env.step("more")


def test_the_declared_range_holds_turn_rewards() -> None:
    env = make("toy/Walk-v0")
    assert env.reward_range == (0.0, pytest.approx(1.25))
    outcome = play(env, env.tasks[0], oracle(env)(0))
    assert outcome.reward == pytest.approx(1.0 + 3 * 0.05)
    # Call by call under one message there are more steps than turns, and yet no more reward.
    env.reset(seed=0)
    first = env.episode.task.record["told"][0]
    paid = env.step_calls([{"name": "go_to", "arguments": {"place": first}}])[1]
    for _ in range(50):
        paid += env.step_calls(
            [{"name": "go_to", "arguments": {"place": "nowhere"}}], same_message=True
        )[1]
    assert env.reward_range[0] <= paid <= env.reward_range[1]


@pytest.mark.parametrize("name", ["clinic/ClinGen-v0", "clinic/ClinGenSingle-v0"])
def test_no_action_falls_below_the_declared_range(name: str) -> None:
    env = make(name)
    env.step("<tool_call></tool_call>" * 15_000)
    _, reward, *_, info = env.step("nothing")
    assert reward == env.reward_range[0] == -1.0
    assert info["rewards"]["process"] < -100  # reported as it is


def test_an_unknown_argument_is_suggested() -> None:
    for domain in ("clingen", "tiny_domain:TRIAGE"):
        with pytest.raises(ConfigError, match="did you mean 'split'"):
            ClinicEnv(domain, splt="test")
    with pytest.raises(ConfigError, match="did you mean 'masked_names'"):
        gym.make("clinic/ClinGen-v0", masked_name=True)


def test_the_whole_prompt_is_there_as_messages() -> None:
    env = make("tiny/Interactions-v0")
    text, info = env.reset(seed=0)
    assert "\n\n".join(message["content"] for message in info["prompt"]) == text
    assert info["max_turns"] == 4
    assert "stop_strings" not in info


# --- inline dialects


def test_the_prompt_and_the_messages_share_nothing_that_can_be_written_into() -> None:
    _, info = make("tiny/Interactions-v0").reset(seed=0)
    info["messages"][-1]["content"] = "other"
    assert info["prompt"][-1]["content"] != "other"


def test_an_inline_dialect_says_so_and_where_to_stop() -> None:
    env = make("toy/Doses-v0")
    _, info = env.reset(seed=0)
    assert (info["inline"], info["stop_strings"]) == (True, ["</search>"])
    asked = env.episode.task.record["asked"]
    observation, *_ = env.step(f"I look it up. <search>{asked}")  # the stop string is cut off
    assert observation == (
        f"\n<information>{asked}: at most {env.episode.task.record['limits'][asked]} mg a day"
        "</information>\n"
    )
    _, reward, terminated, *_ = env.step(f"<answer>{env.episode.task.gold['answer']}</answer>")
    assert (reward, terminated) == (1.0, True)
