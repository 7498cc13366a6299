"""verl's agent loop: what a trajectory is worth, what the teacher reads, and what faults leave."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from faulty_domain import FAULTS, LEFT
from scripted_rollout import (
    FAULTY,
    INTERACTIONS,
    Script,
    Server,
    ids,
    output,
    play,
    rambling,
    record,
    right,
    row,
    write,
    wrong,
)

from gym_clinic import ConfigError
from verl_recipes.agent_loop.environment import PromptLengthError
from verl_recipes.ttopd import hints
from verl_recipes.ttopd.reward import cosine_reward

torch = pytest.importorskip("torch")
pytest.importorskip("verl")
loops = importlib.import_module("verl_recipes.agent_loop.loop")
tensordicts = importlib.import_module("verl.utils.tensordict_utils")


# --- an episode ---


def test_the_oracle_succeeds(tokenizer: Any) -> None:
    server = Server(tokenizer, right)
    out = play(tokenizer, server)
    assert out.reward_score == record(out)["score"] == record(out)["total"] == 1.0
    assert (record(out)["success"], record(out)["truncated"], record(out)["fault"]) == (1.0, 0, 0)
    assert out.num_turns == 2
    assert len(out.response_ids) == len(out.response_mask) == len(out.response_logprobs)
    assert out.turn_ids == [
        turn if own else 0 for turn, own in zip(out.turn_ids, out.response_mask, strict=True)
    ]
    assert set(out.turn_ids) == {0, 1, 2}
    assert out.hint_ids == []
    spoken = [token for token, turn in zip(out.response_ids, out.turn_ids, strict=True) if turn]
    assert spoken == ids(tokenizer, right(0)) + ids(tokenizer, right(1))
    assert {value for value, own in zip(out.response_logprobs, out.response_mask, strict=True)
            if own} == {-0.25}  # fmt: skip


def test_all_turns_are_one_request_that_grows(tokenizer: Any) -> None:
    server = Server(tokenizer, right)
    out = play(tokenizer, server)
    first, second = server.asked
    assert first["id"] == second["id"]
    assert first["prompt"] == out.prompt_ids
    assert second["prompt"][: len(first["prompt"])] == first["prompt"]
    assert (out.prompt_ids + out.response_ids)[: len(second["prompt"])] == second["prompt"]
    assert first["max_tokens"] == 1_500
    taken = len(second["prompt"]) - len(first["prompt"])
    assert second["max_tokens"] == 1_500 - taken
    assert first["temperature"] == 1.0


def test_a_reply_has_no_more_room_than_a_turn(tokenizer: Any) -> None:
    server = Server(tokenizer, right)
    play(tokenizer, server, **{"clinic.turn_tokens": 200})
    assert [one["max_tokens"] for one in server.asked] == [200, 200]


def test_verl_stores_a_trajectory_as_tensors(tokenizer: Any) -> None:
    solved = play(tokenizer, right, "ttopd")
    failed = play(tokenizer, right, "ttopd", row(FAULTY, "reset"), **{"clinic.env": FAULTY})
    stored = [solved.as_dict(), failed.as_dict()]
    assert stored[0].keys() == stored[1].keys()
    assert {"prompts", "responses", "response_mask", "rollout_log_probs", "rm_scores",
            "turn_ids", "hint_ids", "extra_fields", "num_turns"} <= stored[0].keys()  # fmt: skip
    assert stored[0]["turn_ids"].dtype == stored[0]["hint_ids"].dtype == torch.int64
    assert len(stored[0]["turn_ids"]) == len(stored[0]["responses"])
    assert float(stored[0]["rm_scores"].sum()) == pytest.approx(solved.reward_score)
    assert len(stored[1]["prompts"]) > 0
    assert len(stored[1]["responses"]) > 0
    assert len(tensordicts.list_of_dict_to_tensordict(stored)) == 2


# --- what it is paid ---


@pytest.mark.parametrize("script", [right, wrong, rambling])
@pytest.mark.parametrize("mode", ["env", "cosine", "env_plus_length"])
@pytest.mark.parametrize("wrong_mode", ["paper", "yeo"])
def test_the_score_is_what_the_mode_says(
    tokenizer: Any, script: Script, mode: str, wrong_mode: str
) -> None:
    out = play(
        tokenizer,
        script,
        **{
            "clinic.reward": {"mode": mode, "l_max": 100, "wrong_mode": wrong_mode},
            "data.max_response_length": 350,
        },
    )
    found = record(out)
    assert found["truncated"] == float(script is rambling)
    assert found["policy_tokens"] == sum(out.response_mask)
    length = cosine_reward(
        script is right, sum(out.response_mask), script is rambling, l_max=100,
        wrong_mode=wrong_mode,
    )  # fmt: skip
    parts = {"env": (1, 0), "cosine": (0, 1), "env_plus_length": (1, 1)}[mode]
    assert out.reward_score == parts[0] * found["total"] + parts[1] * length
    assert found["total"] == {right: 1.0, wrong: 0.0, rambling: 0.0}[script]


@pytest.mark.parametrize(
    ("stop", "ends", "fills", "truncated"),
    [
        ("completed", True, True, False),
        ("completed", True, False, False),
        ("completed", False, True, True),  # vLLM's server says so of one that was cut
        ("completed", False, False, False),  # another stop token, which the server left out
        ("stop", False, True, True),
        ("length", False, True, True),
        ("aborted", False, False, True),
        ("abort", True, False, True),
    ],
)
def test_the_end_of_a_reply_decides_truncation(
    tokenizer: Any, stop: str, ends: bool, fills: bool, truncated: bool
) -> None:
    said = ids(tokenizer, right(1), end=ends)
    room = len(said) + (not fills)
    settings = {"clinic.turn_tokens": room, "clinic.min_reply_tokens": 1}
    found = record(play(tokenizer, lambda turn: output(said, stop), **settings))
    assert found["truncated"] == float(truncated)
    assert (found["turns"], found["success"]) == (1.0, float(not truncated))


@pytest.mark.parametrize("mode", ["env", "cosine", "env_plus_length"])
def test_an_answer_in_a_reply_that_was_cut_is_neither_a_success_nor_paid_as_one(
    tokenizer: Any, mode: str
) -> None:
    said = [*ids(tokenizer, right(1), end=False), *ids(tokenizer, " and so on", end=False)]
    settings = {"clinic.turn_tokens": len(said), "clinic.min_reply_tokens": 1}
    settings["clinic.reward"] = {"mode": mode, "r_penalty": -0.5}
    out = play(tokenizer, lambda turn: output(said, "length"), "ttopd", **settings)
    found = record(out)
    figures = ("truncated", "success", "acc", "reward/accuracy", "total")
    assert [found[name] for name in figures] == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert out.reward_score == found["score"] == {"env": 0.0}.get(mode, -0.5)
    hint = tokenizer.decode(out.hint_ids)
    assert any(text in hint for text in hints.load().incorrect)


@pytest.mark.parametrize("stop", ["completed", "aborted"])
def test_an_empty_reply_is_a_truncation(tokenizer: Any, stop: str) -> None:
    out = play(tokenizer, lambda turn: output([], stop))
    assert (record(out)["truncated"], record(out)["turns"]) == (1.0, 1.0)
    assert out.response_mask == out.turn_ids == [0]  # verl has no rows without a response
    assert out.response_ids == [tokenizer.eos_token_id]
    assert out.as_dict()["responses"].shape == (1,)


def test_replies_without_log_probs(tokenizer: Any) -> None:
    def script(turn: int) -> Any:
        said = output(ids(tokenizer, right(turn)))
        said.log_probs = None
        return said

    out = play(tokenizer, script)
    assert out.response_logprobs == [0.0] * len(out.response_ids)


def test_versions_of_the_weights_are_kept(tokenizer: Any) -> None:
    def script(turn: int) -> Any:
        versions = dict.fromkeys(("global_steps", "min_global_steps", "max_global_steps"), 4 + turn)
        return output(ids(tokenizer, right(turn)), **versions, num_cached_tokens=3)

    found = dict(play(tokenizer, script).extra_fields)
    del found["reward_extra_info"]
    assert found.pop("environment") == INTERACTIONS
    assert found == {"global_steps": 5, "min_global_steps": 4, "max_global_steps": 5}


# --- what the teacher reads ---

TOLD = hints.load()


def hint_of(tokenizer: Any, out: Any) -> str:
    """Return the text that the teacher reads, without the separator before it."""
    return str(tokenizer.decode(out.hint_ids)).removeprefix("\n\n")


@pytest.mark.parametrize(("script", "told"), [(right, TOLD.correct), (wrong, TOLD.incorrect)])
def test_only_the_teacher_reads_the_hint(
    tokenizer: Any, script: Script, told: tuple[str, ...]
) -> None:
    server = Server(tokenizer, script)
    out = play(tokenizer, server, "ttopd")
    text = hint_of(tokenizer, out)
    assert text in told
    seen = tokenizer.decode([*out.prompt_ids[: out.hint_at], *out.hint_ids])
    assert seen.endswith(f"\n\n{text}")
    assert tokenizer.decode(out.prompt_ids[out.hint_at :]) == "<|im_end|>\n<|im_start|>assistant\n"
    for read in (out.prompt_ids, out.response_ids, *(one["prompt"] for one in server.asked)):
        assert not hints.shares_ngram(read, out.hint_ids, 6)
        assert hints.echo(tokenizer.decode(read), text) == 0.0
    assert record(out)["hint_echo"] == 0.0
    again = play(tokenizer, script, "ttopd")
    assert again.hint_ids == out.hint_ids


def test_shuffled_hints_toss_a_coin(tokenizer: Any) -> None:
    shuffled = {"clinic.hints.mode": "shuffled"}
    told = [
        hint_of(tokenizer, play(tokenizer, right, "ttopd", row(session_id=number), **shuffled))
        for number in range(12)
    ]
    assert set(told) & set(TOLD.correct)
    assert set(told) & set(TOLD.incorrect)


def test_a_method_without_hints_has_no_hint_tokens(tokenizer: Any) -> None:
    assert play(tokenizer, right, "ttopd_ema").hint_ids == []


def test_an_echo_of_the_hint_is_recorded(tokenizer: Any) -> None:
    hint = hint_of(tokenizer, play(tokenizer, right, "ttopd"))
    out = play(tokenizer, lambda turn: f"{hint}\n{right(turn)}", "ttopd")
    assert hint_of(tokenizer, out) == hint
    assert record(out)["hint_echo"] == 1.0


def test_turns_past_the_limit_are_not_distilled(tokenizer: Any) -> None:
    whole = play(tokenizer, right, "ttopd")
    ends = len(whole.prompt_ids) + max(
        place for place, turn in enumerate(whole.turn_ids) if turn == 1
    )
    out = play(tokenizer, right, "ttopd", **{"clinic.teacher.l_max_turn": ends + 1})
    assert set(out.turn_ids) == {0, 1}
    assert record(out)["dropped_turns"] == 1.0
    assert out.response_mask == whole.response_mask  # the policy gradient has them still
    none = play(tokenizer, right, "ttopd", **{"clinic.teacher.l_max_turn": ends})
    assert set(none.turn_ids) == {0}
    assert record(none)["dropped_turns"] == 2.0
    assert record(whole)["dropped_turns"] == 0.0


# --- faults and other failures ---


@pytest.mark.parametrize("task", FAULTS)
def test_a_fault_of_the_environment_is_recorded_and_not_trained_on(
    tokenizer: Any, task: str
) -> None:
    calls = [write(("ask", {})), write(("say", {"word": "yes"}))]
    said = rambling if task == "truncate" else calls.__getitem__
    settings = {"clinic.env": FAULTY, "data.max_response_length": 250}
    out = play(tokenizer, said, "ttopd", row(FAULTY, task), **settings)
    fine = play(tokenizer, calls.__getitem__, "ttopd", row(FAULTY, "none"), **settings)
    found = record(out)
    assert set(found) <= set(record(fine))
    assert {name for name, value in found.items() if value} == {"fault", "retries"}
    assert record(fine)["success"] == 1.0
    assert not any(out.response_mask)
    assert not any(out.turn_ids)
    assert not any(out.response_logprobs)
    assert out.hint_ids == []
    assert out.reward_score == 0.0
    sizes = {len(one) for one in (out.response_ids, out.response_mask, out.turn_ids)}
    assert sizes == {len(out.response_logprobs)}
    assert out.prompt_ids


@pytest.fixture
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "PAUSE_S", 0.0)


class Failing(Server):
    """Fails the second reply of its first requests."""

    def __init__(self, tokenizer: Any, times: int) -> None:
        super().__init__(tokenizer, right)
        self.times = times

    async def generate(self, request_id: str, **asked: Any) -> Any:
        if self.turns[request_id] == 1 and self.times:
            self.times -= 1
            raise ConnectionError("the server is gone")
        return await super().generate(request_id, **asked)


@pytest.mark.parametrize("times", [1, 2])
def test_a_rollout_that_a_server_fails_is_played_again(
    tokenizer: Any, no_pause: None, times: int
) -> None:
    server = Failing(tokenizer, times)
    out, wanted = play(tokenizer, server), play(tokenizer, right)
    assert record(out) == record(wanted) | {"retries": float(times)}
    assert (out.prompt_ids, out.response_ids) == (wanted.prompt_ids, wanted.response_ids)
    assert (out.response_mask, out.turn_ids) == (wanted.response_mask, wanted.turn_ids)
    assert len({one["id"] for one in server.asked}) == times + 1  # another server may take it


@pytest.mark.parametrize("retries", [0, 2])
def test_a_dead_server_is_no_fault_of_the_environment(
    tokenizer: Any, no_pause: None, retries: int
) -> None:
    server = Failing(tokenizer, 1_000)
    with pytest.raises(loops.RolloutServerError, match="ConnectionError: the server is gone"):
        play(tokenizer, server, **{"clinic.rollout_retries": retries})
    assert server.times == 1_000 - (retries + 1)


@pytest.mark.parametrize(("failures", "fault"), [(1, 0.0), (2, 0.0), (3, 1.0)])
def test_a_rollout_that_the_environment_fails_is_played_again(
    tokenizer: Any, monkeypatch: pytest.MonkeyPatch, failures: int, fault: float
) -> None:
    monkeypatch.setitem(LEFT, "once", failures)
    calls = [write(("ask", {})), write(("say", {"word": "yes"}))]
    out = play(tokenizer, calls.__getitem__, task=row(FAULTY, "once"))
    assert record(out)["fault"] == fault
    assert record(out)["success"] == 1.0 - fault
    assert record(out)["retries"] == min(failures, 2)
    assert any(out.response_mask) == (not fault)


def test_a_replay_has_the_seeds_of_the_first_play(
    tokenizer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A fresh draw would favour what does not fail.
    monkeypatch.setitem(LEFT, "once", 1)
    calls = [write(("ask", {})), write(("say", {"word": "yes"}))]
    server = Server(tokenizer, calls.__getitem__)
    play(tokenizer, server, task=row(FAULTY, "once"))
    first, again, last = (one["seed"] for one in server.asked)
    assert first == again != last


def test_a_prompt_that_is_too_long_is_named(tokenizer: Any) -> None:
    task = row()["task_id"]
    with pytest.raises(PromptLengthError, match=f"the prompt of task '{task}' is"):
        play(tokenizer, right, **{"data.max_prompt_length": 50})


def test_an_unknown_task_is_the_callers_mistake(tokenizer: Any) -> None:
    with pytest.raises(ConfigError, match="no task 'nobody'"):
        play(tokenizer, right, task=row(task="nobody"))
