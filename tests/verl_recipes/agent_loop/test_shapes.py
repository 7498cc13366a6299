"""Rollouts of other shapes: answers inside the model's message, stop strings, no end."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
import rollout_domains
from scripted_rollout import Server, configured, ids, play, record, row
from trajectories import check

from gym_clinic import ClinicEnv
from verl_recipes.agent_loop.environment import PromptLengthError
from verl_recipes.agent_loop.tokens import Tokens
from verl_recipes.agent_loop.trajectory import Budgets, Trajectory

pytest.importorskip("verl")
OmegaConf = pytest.importorskip("omegaconf").OmegaConf
prompts = importlib.import_module("verl_recipes.agent_loop.prompts")
rows = importlib.import_module("verl_recipes.agent_loop.rows")

INLINE, STOPPED, ENDLESS = (f"rollout_domains:{name}" for name in ("INLINE", "STOPPED", "ENDLESS"))
SEARCH = "I look it up. <search>colchicine</search>"
FOUND = "<found>500 micrograms</found>"
ANSWER = "So: <answer>500 micrograms</answer>"


def begin(tokens: Tokens, domain: str, budgets: Budgets | None = None) -> Trajectory:
    env = ClinicEnv(domain)
    one = Trajectory(env, env.tasks[0].id, tokens, budgets or Budgets(2_000, 1_000))
    one.begin()
    return one


def say(one: Trajectory, text: str, *, end: bool = False) -> list[int]:
    said = ids(one.tokens.tokenizer, text, end=end)
    one.take(said, [-0.5] * len(said), finished=True)
    check(one)
    return said


# --- answers inside the model's own message ---


def test_an_inserted_answer_stands_between_the_models_own_tokens(tokens: Tokens) -> None:
    one = begin(tokens, INLINE)
    first = say(one, SEARCH)
    inserted = tokens.plain(FOUND)
    assert one.response_ids == [*first, *inserted]
    assert one.mask == [1] * len(first) + [0] * len(inserted)
    second = say(one, ANSWER)
    assert one.over
    assert one.response_ids == [*first, *inserted, *second]
    assert one.turn_ids == [1] * len(first) + [0] * len(inserted) + [2] * len(second)
    assert one.log_probs == [-0.5] * len(first) + [0.0] * len(inserted) + [-0.5] * len(second)
    assert one.info["success"]
    # Nothing closed or opened a message in between.
    assert tokens.tokenizer.convert_tokens_to_ids("<|im_start|>") not in one.response_ids


def test_a_reply_that_closed_its_message_is_answered_in_a_new_one(tokens: Tokens) -> None:
    one = begin(tokens, INLINE)
    said = say(one, SEARCH, end=True)
    start = tokens.tokenizer.convert_tokens_to_ids("<|im_start|>")
    assert one.response_ids[: len(said)] == said
    assert one.response_ids.count(start) == 2  # the answer's and the next reply's
    say(one, ANSWER, end=True)
    assert one.info["success"]


def test_an_inserted_answer_that_does_not_fit_ends_the_trajectory(tokens: Tokens) -> None:
    length = len(tokens.plain(SEARCH))
    one = begin(tokens, INLINE, Budgets(2_000, length + 8, least=4))
    say(one, SEARCH)
    assert (one.over, one.truncated, len(one.mask)) == (True, True, length)


def test_the_prompt_of_an_inline_dialect_explains_its_tags(tokens: Tokens) -> None:
    one = begin(tokens, INLINE)
    assert "<search>" in tokens.text(one.prompt_ids)
    assert one.stops == ("</search>", "</answer>")


def test_the_agent_loop_asks_servers_to_stop_and_counts_that_as_an_end(tokenizer: Any) -> None:
    def script(turn: int) -> Any:
        text = (SEARCH, ANSWER)[turn]
        return ids(tokenizer, text, end=False)

    server = Server(tokenizer, script)
    out = play(tokenizer, server, task=row(INLINE), **{"clinic.env": INLINE})
    assert [asked["stop"] for asked in server.asked] == [["</search>", "</answer>"]] * 2
    assert all(asked["include_stop_str_in_output"] for asked in server.asked)
    assert record(out)["success"] == 1.0
    assert server.asked[1]["prompt"][-len(tokenizer.encode(FOUND)) :] == tokenizer.encode(FOUND)
    assert len(out.response_mask) == len(out.response_ids) == len(out.turn_ids)


# --- stop strings with answers in messages ---


def test_a_reply_that_a_stop_string_ends_is_closed_without_training_on_it(tokens: Tokens) -> None:
    one = begin(tokens, STOPPED)
    said = say(one, SEARCH)
    assert one.response_ids[len(said)] == tokens.end
    assert one.mask[len(said)] == 0
    start = tokens.tokenizer.convert_tokens_to_ids("<|im_start|>")
    assert one.response_ids.count(start) == 2
    say(one, ANSWER, end=True)
    assert one.info["success"]


def test_a_closing_token_is_removed_if_the_answer_does_not_fit(tokens: Tokens) -> None:
    length = len(tokens.plain(SEARCH))
    one = begin(tokens, STOPPED, Budgets(2_000, length + 6, least=4))
    said = say(one, SEARCH)
    assert (one.over, one.response_ids) == (True, said)


# --- a split without an end ---


def made(tokenizer: Any, env: str, split: str = "train", **clinic: Any) -> Any:
    config = configured()
    config.data.max_prompt_length = clinic.pop("limit", 2_000)
    config.data.model_type = "qwen3"
    config.clinic = {**config.clinic, "env": env, **clinic}
    return rows.ClinicRows(split, tokenizer, config.data, None)


def test_an_endless_split_has_as_many_rows_as_asked_for(tokenizer: Any) -> None:
    found = made(tokenizer, ENDLESS, "endless", endless_rows=5_000)
    assert len(found) == 5_000
    again = made(tokenizer, ENDLESS, "endless", endless_rows=5_000)
    names = [found[index]["task_id"] for index in range(40)]
    assert [again[index]["task_id"] for index in range(40)] == names
    assert len(set(names)) == 40
    other = made(tokenizer, ENDLESS, "endless", seed=1)
    assert other[0]["task_id"] != names[0]
    with pytest.raises(IndexError):
        found[5_000]


def test_a_drawn_task_is_found_by_its_id_in_another_process(tokenizer: Any) -> None:
    name = made(tokenizer, ENDLESS, "endless")[3]["task_id"]
    env = ClinicEnv(ENDLESS, split="endless")
    _, info = env.reset(options={"task_id": name})
    assert info["task_id"] == name
    script = Server(tokenizer, lambda turn: rollout_domains.ENDLESS.name)
    task = row(ENDLESS, task=name, split="endless")
    out = play(tokenizer, script, task=task, **{"clinic.env": ENDLESS})
    assert record(out)["fault"] == 0.0


def test_prompts_that_are_too_long_are_drawn_again(tokenizer: Any) -> None:
    whole = made(tokenizer, ENDLESS, "endless")
    limit = whole.pools[0].longest[1] - 1
    with pytest.raises(PromptLengthError, match="prompts exceed"):
        made(tokenizer, ENDLESS, "endless", limit=limit)
    found = made(tokenizer, ENDLESS, "endless", limit=limit, overlong="skip")
    (pool,) = found.pools
    assert pool.skipped > 0
    for task in pool.sample(60):
        assert len(prompts.prompt(pool.env, task, pool.tokens)) <= limit


def test_the_shortest_of_an_endless_split_are_some_of_its_first(tokenizer: Any) -> None:
    found = made(tokenizer, ENDLESS, "endless", shortest=6)
    assert len(found) == 6
    assert all("please" not in task.ticket for task in found.pools[0].sample(6))
