from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import gymnasium as gym
import pytest
import tiny_domain

from gym_clinic import ConfigError
from gym_clinic.action import DIALECTS
from gym_clinic.answering import CALL_LIMIT
from gym_clinic.env import ClinicEnv

HERMES = DIALECTS["hermes"]


def interactions(**options: Any) -> ClinicEnv:
    env = ClinicEnv("tiny_domain:INTERACTIONS", **options)
    env.reset(seed=0)
    return env


def triage(**options: Any) -> ClinicEnv:
    env = ClinicEnv("tiny_domain:TRIAGE", **options)
    env.reset(seed=0)
    return env


def write(*calls: tuple[str, Mapping[str, Any]]) -> str:
    return HERMES.write(calls)


def grade(value: str) -> tuple[str, dict[str, Any]]:
    return "submit_grade", {"grade": value}


def check(env: ClinicEnv) -> tuple[str, dict[str, Any]]:
    first, second = env.episode.task.record["drugs"]
    return "check_interaction", {"drug_a": first, "drug_b": second}


def test_prompt_holds_policy_tools_and_ticket() -> None:
    env = ClinicEnv("tiny_domain:INTERACTIONS")
    prompt, info = env.reset(seed=0)
    ticket = env.episode.task.ticket
    assert prompt.startswith(env.domain.policy)
    assert prompt.endswith(ticket)
    assert "<tool_call>" in prompt
    assert info["messages"] == [
        {"role": "system", "content": env.domain.policy},
        {"role": "user", "content": ticket},
    ]
    assert [one["function"]["name"] for one in info["tools"]] == [
        "check_interaction", "read_allergies", "submit_grade",
    ]  # fmt: skip
    assert "case" not in info["tools"][0]["function"]["parameters"]["properties"]


def test_a_batch_is_answered_in_order() -> None:
    env = interactions()
    observation, reward, terminated, truncated, info = env.step(
        write(check(env), ("read_allergies", {}))
    )
    assert (reward, terminated, truncated) == (0.0, False, False)
    effect, allergies = info["messages"]
    assert env.episode.task.record["effect"] in effect["content"]
    assert effect["name"] == "check_interaction"
    assert allergies == {
        "role": "tool",
        "tool_call_id": "call_1",
        "name": "read_allergies",
        "content": "none known",
    }
    assert observation.index(effect["content"]) < observation.index("none known")
    assert observation.count("<tool_response>") == 2


def test_first_accepted_answer_is_final() -> None:
    env = interactions()
    right = env.episode.task.gold["answer"]["grade"]
    *_, terminated, truncated, info = env.step(write(check(env), grade(right), check(env)))
    assert (terminated, truncated) == (True, False)
    assert info["stop"] == "answered"
    assert info["success"] is True
    assert [call.ok for call in env.episode.calls] == [True, True, False]
    assert "not run" in env.episode.calls[-1].response
    with pytest.raises(gym.error.ResetNeeded, match="call reset"):
        env.step("more")


def test_two_answers_in_one_action_are_none() -> None:
    env = interactions()
    observation, _, terminated, _, _ = env.step(write(grade("none"), grade("major")))
    assert not terminated
    assert env.episode.answer is None
    assert "one answer" in observation
    *_, terminated, _, _ = env.step(write(grade("none")))
    assert terminated
    assert env.episode.answer == {"grade": "none"}


def test_a_failed_submission_does_not_end_it() -> None:
    env = interactions()
    observation, _, terminated, _, _ = env.step(write(grade("severe")))
    assert not terminated
    assert "'major', 'moderate' or 'none'" in observation
    assert "severe" in observation


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (("chek_interaction", {}), "Did you mean 'check_interaction'?"),
        (("zzz", {}), "There are: check_interaction, read_allergies, submit_grade"),
        (("check_interaction", {"drug_a": "x"}), "argument 'drug_b' is missing (Generic name"),
        (("check_interaction", {"drug_a": "x", "drugb": "y"}), "did you mean 'drug_b'?"),
        (("check_interaction", {"drug_a": [], "drug_b": "y"}), "valid string, got []"),
        (("check_interaction", {"drug_a": "x", "drug_b": "y"}), "the ticket is about"),
    ],
)
def test_mistakes_are_observations_one_can_act_on(call: Any, says: str) -> None:
    env = interactions()
    observation, _, terminated, truncated, _ = env.step(write(call))
    assert says in observation
    assert not terminated
    assert not truncated
    assert [made.ok for made in env.episode.calls] == [False]


@pytest.mark.parametrize("dialect", ["hermes", "json"])
@pytest.mark.parametrize("said", ["major", "", '"read_allergies"'])
def test_text_instead_of_a_required_call_is_told_the_tools_and_how_a_call_is_written(
    dialect: str, said: str
) -> None:
    env = interactions(dialect=dialect)
    observation, *_ = env.step(said)
    tools, form = observation.split(" In text a call is written: ")
    assert tools == (
        "Error: Expected a call of one of: check_interaction, read_allergies, submit_grade."
    )
    # What is told is read as a call, by the dialect that tells it.
    (request,) = env.dialect.parse(form).requests
    assert (request.fault, request.name) == (None, "<tool>")


def test_no_answer_is_never_said_to_be_recorded() -> None:
    env = triage()
    env.domain = replace(env.domain, read_answer=lambda text: None)
    with pytest.raises(TypeError, match="read_answer returned None"):
        env.step("URGENCY: red")


def test_text_answers() -> None:
    env = triage()
    right = env.episode.task.gold["answer"]
    observation, *_ = env.step("It is red or yellow.")
    assert observation == (
        "Error: Expected one line 'URGENCY: red', 'URGENCY: yellow' or 'URGENCY: green'."
    )
    assert env.episode.turns[0].faults
    assert env.episode.turns[0].malformed == 0
    *_, terminated, _, info = env.step(f"<think>URGENCY: blue</think>{right}")
    assert terminated
    assert info["success"] is True
    assert info["rewards"] == {"accuracy": 1.0, "process": 0.0}


def test_an_answer_beside_a_call_is_not_taken() -> None:
    env = triage()
    *_, terminated, _, _ = env.step(
        write(("read_vital_sign", {"sign": "pulse"})) + "\nURGENCY: red"
    )
    assert not terminated
    assert env.episode.answer is None


def test_malformed_blocks_are_counted() -> None:
    env = interactions()
    env.step("<tool_call>{</tool_call><tool_call>[]</tool_call>" + write(("read_allergies", {})))
    assert env.episode.malformed == 2
    assert len(env.episode.calls) == 1
    assert env.episode.calls[0].ok
    observation = env.episode.turns[0].observation
    assert observation.count("Unreadable call") == 2
    assert "Expected" in observation


def test_blocks_in_thoughts_are_not_counted() -> None:
    env = interactions()
    env.step(f"<think>{write(grade('none'))}<tool_call>{{</tool_call></think>")
    assert env.episode.calls == []
    assert env.episode.malformed == 0


def test_spraying_is_recorded_and_bounded() -> None:
    env = interactions()
    count = CALL_LIMIT + 50
    observation, _, _, _, info = env.step(write(*[("read_allergies", {})] * count))
    assert len(env.episode.calls) == count
    assert sum(call.ok for call in env.episode.calls) == CALL_LIMIT
    assert len(info["messages"]) == CALL_LIMIT + 1
    assert f"Not run: 50 calls past the first {CALL_LIMIT}" in observation


def test_truncation_by_turns_pays_the_reward() -> None:
    env = interactions(max_turns=2)
    assert env.step("a")[3] is False
    _, reward, terminated, truncated, info = env.step("b")
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["stop"] == "max_turns"
    assert info["total"] == 0.0
    assert info["success"] is False


def test_truncation_by_text() -> None:
    env = interactions(text_budget=500)
    *_, truncated, info = env.step("word " * 200)
    assert truncated
    assert info["stop"] == "text_budget"


def test_truncation_from_outside_judges_the_episode_as_it_stands() -> None:
    env = interactions()
    env.step(write(check(env)))
    observation, reward, terminated, truncated, info = env.truncate("token_budget")
    assert (observation, terminated, truncated) == ("", False, True)
    assert info["stop"] == env.episode.stop == "token_budget"
    assert info["messages"] == []
    assert info["success"] is False
    assert info["metrics"] == {"calls": 1.0}
    # The one call was right: half of the gold calls, and nothing for the answer not given.
    assert info["rewards"]["accuracy"] == 0.0
    assert info["rewards"]["process"] == pytest.approx(2 / 3)
    assert reward == info["total"] == pytest.approx(1 / 3)


def test_info_of_a_truncation_from_outside_has_the_keys_of_any_end() -> None:
    ended = interactions()
    *_, answered = ended.step(write(grade("none")))
    *_, truncated = interactions().truncate("token_budget")
    assert list(truncated) == list(answered)


def test_an_episode_can_be_truncated_before_its_first_turn() -> None:
    env = interactions()
    *_, info = env.truncate("no room")
    assert (info["total"], info["success"], info["stop"]) == (0.0, False, "no room")
    assert env.episode.turns == []


def test_a_finished_episode_is_neither_truncated_nor_stepped() -> None:
    env = interactions()
    env.truncate("token_budget")
    with pytest.raises(gym.error.ResetNeeded, match="call reset"):
        env.truncate("again")
    with pytest.raises(gym.error.ResetNeeded, match="call reset"):
        env.step(write(grade("none")))
    assert env.episode.stop == "token_budget"
    answered = interactions()
    answered.step(write(grade("none")))
    with pytest.raises(gym.error.ResetNeeded):
        answered.truncate("too late")
    assert answered.episode.stop == "answered"
    with pytest.raises(gym.error.ResetNeeded):
        ClinicEnv("tiny_domain:INTERACTIONS").truncate("no episode")
    env.reset(seed=0)
    *_, terminated, truncated, info = env.step(write(grade("none")))
    assert (terminated, truncated, info["stop"]) == (True, False, "answered")


def test_truncation_does_not_pay_a_turn_twice() -> None:
    domain = replace(
        tiny_domain.INTERACTIONS, turn_reward=lambda episode: 0.25, turn_range=(0.0, 0.25)
    )
    env = ClinicEnv("tiny_domain:INTERACTIONS")
    env.domain = domain
    env.reset(seed=0)
    _, paid, *_ = env.step("hello")
    _, reward, *_, info = env.truncate("token_budget")
    assert paid == 0.25
    assert reward == info["total"] == 0.0


def test_long_responses_are_cut_in_the_middle() -> None:
    env = interactions(response_limit=20)
    _, *_, info = env.step(write(check(env)))
    shown, whole = info["messages"][0]["content"], env.episode.calls[0].response
    assert shown == f"{whole[:10]}...(truncated)...{whole[-10:]}"
    uncut = interactions(response_limit=0)
    _, *_, info = uncut.step(write(check(uncut)))
    assert info["messages"][0]["content"] == uncut.episode.calls[0].response


def test_transcript_holds_everything_so_far() -> None:
    env = ClinicEnv("tiny_domain:TRIAGE", observation="transcript")
    prompt, _ = env.reset(seed=0)
    first, *_ = env.step("who?")
    second, *_ = env.step("URGENCY: red")
    assert first.startswith(prompt)
    assert second.startswith(first)
    assert second.endswith("URGENCY: red\n\n[clinic]\nAnswer recorded.")


def test_a_transcript_has_a_utf8_form_whatever_was_said() -> None:
    env = ClinicEnv("tiny_domain:TRIAGE", observation="transcript")
    env.reset(seed=0)
    observation, *_ = env.step("who \ud800?")
    assert "[agent]\nwho ??" in observation
    assert observation.encode()


def test_the_weights_of_the_caller_are_used() -> None:
    env = triage(weights={"accuracy": 2.0})
    assert env.reward_range == (0.0, 2.0)
    right = env.episode.task.gold["answer"]
    _, reward, _, _, info = env.step(right)
    assert reward == info["total"] == 2.0
    assert info["weights"] == {"accuracy": 2.0, "process": 0.0}
    assert env.domain.rubric.weights == {"accuracy": 0.5, "process": 0.5}


def test_actions_must_be_text() -> None:
    wrongs: list[Any] = [None, b"x", 7, ["x"]]
    for wrong in wrongs:
        with pytest.raises(TypeError, match="an action is text"):
            interactions().step(wrong)


def test_a_refused_reset_leaves_no_half_episode() -> None:
    env = ClinicEnv("tiny_domain:TRIAGE")
    with pytest.raises(ConfigError):
        env.reset(options={"task_id": "nowhere"})
    with pytest.raises(gym.error.ResetNeeded):
        env.step("hello")
    with pytest.raises(ConfigError):
        env.reset(options={"task_id": ["unhashable"]})
    empty: Any = []
    with pytest.raises(ConfigError, match="reset takes options as"):
        env.reset(options=empty)


def test_json_dialect_takes_one_bare_call() -> None:
    env = ClinicEnv("tiny_domain:INTERACTIONS", dialect="json")
    prompt, _ = env.reset(seed=0)
    assert "<tool_call>" not in prompt
    observation, *_ = env.step('{"name": "read_allergies", "args": {}}')
    assert observation == "none known"
