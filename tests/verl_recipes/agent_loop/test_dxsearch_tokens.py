"""A trajectory of DxSearch as tokens: what the agent wrote is learned, what was inserted is not."""

from __future__ import annotations

import importlib
import re
from itertools import pairwise
from typing import Any

import gymnasium as gym
import pytest
from scripted_rollout import Server, output, play, record, row

from gym_clinic import ClinicEnv
from gym_clinic.policies import load, next_action

pytest.importorskip("torch")
pytest.importorskip("verl")
tiny = importlib.import_module("verl_recipes.cpu.tiny")

ID = "clinic/DxSearch-v0"
PASSIVE = re.compile(r"\s*<(guide|refer|result)>.*?</\1>\s*", re.DOTALL)


def rules() -> tuple[str, list[str], list[str]]:
    """Return a task, what the rules write in it, and what the environment inserts."""
    env = gym.make(ID).unwrapped
    assert isinstance(env, ClinicEnv)
    task = env.tasks[0].id
    agent = load("rules", env, {})(0)
    observation, info = env.reset(options={"task_id": task})
    said, heard, over = [], [], False
    while not over:
        said.append(str(next_action(agent, observation, info)))
        observation, _, terminated, truncated, info = env.step(said[-1])
        heard.append(observation)
        over = terminated or truncated
    return task, said, heard[:-1]


@pytest.fixture(scope="module")
def rollout() -> tuple[Any, Any, Server, list[str], list[str], list[list[int]]]:
    task, said, heard = rules()
    texts = [f"{one}{other}" for one, other in zip(said, [*heard, ""], strict=True)]
    tokenizer = tiny.train_tokenizer(texts * 4, vocab=1_500, positions=16_384)
    written = []
    for text in said:  # in other pieces than the tokenizer would choose
        cuts = [*range(0, len(text), 7), len(text)]
        pieces = [text[start:end] for start, end in pairwise(cuts)]
        written.append([token for piece in pieces for token in tokenizer.encode(piece)])
    server = Server(tokenizer, lambda turn: output(written[turn]))
    budgets = {"data.max_prompt_length": 16_000, "data.max_response_length": 16_000}
    out = play(tokenizer, server, task=row(ID, task), **budgets)
    return tokenizer, out, server, said, heard, written


def test_the_mask_covers_the_agents_tokens_and_no_others(rollout: Any) -> None:
    tokenizer, out, server, said, heard, written = rollout
    assert record(out)["metric/broken_rules"] == 0
    assert record(out)["turns"] == len(said) >= 4
    own = [token for token, mask in zip(out.response_ids, out.response_mask, strict=True) if mask]
    assert own == [token for reply in written for token in reply]
    inserted = [
        tokenizer.decode([t for t, m in zip(out.response_ids, out.response_mask, strict=True)
                          if not m])
    ]  # fmt: skip
    assert inserted == ["".join(heard)]
    # Every prompt continues what was seen and said before, token by token.
    whole = out.prompt_ids + out.response_ids
    for asked, reply in zip(server.asked, written, strict=True):
        start = len(asked["prompt"])
        assert whole[: start + len(reply)] == [*asked["prompt"], *reply]


def test_passive_tags_are_masked_whole(rollout: Any) -> None:
    tokenizer, out, _, said, _, _ = rollout
    runs: list[tuple[int, list[int]]] = []
    for token, mask in zip(out.response_ids, out.response_mask, strict=True):
        if not runs or runs[-1][0] != mask:
            runs.append((mask, []))
        runs[-1][1].append(token)
    texts = [(mask, tokenizer.decode(tokens)) for mask, tokens in runs]
    assert [mask for mask, _ in texts] == [1, 0] * (len(said) - 1) + [1]
    tags = []
    for mask, text in texts:
        found = PASSIVE.fullmatch(text)
        assert bool(found) != bool(mask)
        tags += [found[1]] if found else []
    assert tags == ["refer", "guide", "result"]


def test_rollouts_stop_where_an_answer_is_inserted(rollout: Any) -> None:
    _, out, server, *_ = rollout
    assert server.asked[0]["stop"] == ["</lookup>", "</match>", "</search>", "</diagnose>"]
    assert server.asked[0]["include_stop_str_in_output"] is True
    names = ["match_patients", "lookup_guidelines", "search_literature", "submit_diagnoses"]
    assert out.extra_fields["actions"] == names


def test_a_stage_pays_by_its_weights(rollout: Any) -> None:
    tokenizer, out, _, _, _, written = rollout
    stages = [{"name": "search", "steps": 1, "weights": {"search": 1.0}}]
    server = Server(tokenizer, lambda turn: output(written[turn]))
    budgets = {"data.max_prompt_length": 16_000, "data.max_response_length": 16_000}
    task = row(ID, rules()[0], stage=1)
    paid = record(play(tokenizer, server, task=task, **budgets, **{"clinic.stages": stages}))
    assert paid["total"] == pytest.approx(record(out)["reward/search"])
