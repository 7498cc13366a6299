"""What is trained on is, token by token, what the rollout servers saw and said."""

from __future__ import annotations

import importlib
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rollout_domains import DOSES
from scripted_rollout import INTERACTIONS, Server, output, play, record, row

from gym_clinic import ClinicEnv
from gym_clinic.policies import Playbook

pytest.importorskip("torch")
pytest.importorskip("verl")
tiny = importlib.import_module("verl_recipes.cpu.tiny")

WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "hermes": (INTERACTIONS, {}),
    "json": (INTERACTIONS, {"dialect": "json"}),
    "tags": ("rollout_domains:TAGGED", {}),
    "tags with stop strings": ("rollout_domains:STOPPED", {}),
    "inline": ("rollout_domains:INLINE", {}),
}
WITHOUT_END = ("tags with stop strings", "inline")
"""Replies that a stop string ends, before the token that closes a message."""


def solved(name: str, options: dict[str, Any]) -> list[str]:
    playbook = Playbook(ClinicEnv(name, **options))
    moves = playbook.domain.solve(playbook.env.tasks[0])
    return [action for move in moves for action in playbook.write(move)]


@pytest.fixture(scope="module")
def merging() -> Any:
    """A tokenizer whose merges reach from replies into answers."""
    texts = []
    for name, options in WAYS.values():
        env = ClinicEnv(name, **options)
        env.reset(options={"task_id": env.tasks[0].id})
        for action in solved(name, options):
            observation = env.step(action)[0]
            texts.append(f"{action}{observation}")
    return tiny.train_tokenizer(texts * 20, vocab=1_200, positions=4_096)


def exact(out: Any, server: Server, said: list[list[int]]) -> None:
    """Check a finished rollout against what its server was asked and what it said."""
    whole = out.prompt_ids + out.response_ids
    assert server.asked[0]["prompt"] == out.prompt_ids
    written: set[int] = set()
    for number, (asked, reply) in enumerate(zip(server.asked, said, strict=True), 1):
        start = len(asked["prompt"])
        assert whole[: start + len(reply)] == asked["prompt"] + reply
        own = range(start - len(out.prompt_ids), start - len(out.prompt_ids) + len(reply))
        assert {out.turn_ids[at] for at in own} == {number}
        written |= set(own)
    assert [int(at in written) for at in range(len(out.response_ids))] == out.response_mask
    assert [at in written for at in range(len(out.turn_ids))] == [bool(n) for n in out.turn_ids]
    values = [-0.25 if own else 0.0 for own in out.response_mask]
    assert out.response_logprobs == values


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=6)
@given(data=st.data())
def test_every_prompt_continues_the_tokens_before_it(merging: Any, way: str, data: Any) -> None:
    name, options = WAYS[way]
    said = []
    for action in solved(name, options):
        # Sampled tokens need not be those that the tokenizer would choose for the text.
        cuts = data.draw(st.lists(st.integers(1, len(action)), max_size=6), label="cuts")
        ends = sorted({0, len(action), *cuts})
        pieces = [action[start:end] for start, end in pairwise(ends)]
        reply = [token for piece in pieces for token in merging.encode(piece)]
        said.append(reply if way in WITHOUT_END else [*reply, merging.eos_token_id])
    server = Server(merging, lambda turn: output(said[turn]))
    out = play(merging, server, task=row(name), **{"clinic.env_kwargs": options})
    assert (record(out)["success"], record(out)["truncated"]) == (1.0, 0.0)
    exact(out, server, said)


def test_a_merge_over_the_boundary_of_an_inserted_answer_is_not_made(merging: Any) -> None:
    name, options = WAYS["inline"]
    search, answer = solved(name, options)
    found = f"<found>{DOSES['colchicine']}</found>"
    said = [merging.encode(search), merging.encode(answer)]
    server = Server(merging, lambda turn: output(said[turn]))
    out = play(merging, server, task=row(name))
    exact(out, server, said)
    assert out.response_ids == [*said[0], *merging.encode(found), *said[1]]
    assert merging.decode(out.response_ids) == f"{search}{found}{answer}"
    again = merging(f"{search}{found}", return_offsets_mapping=True)
    across = [(a, b) for a, b in again["offset_mapping"] if a < len(search) < b]
    assert across, "the tokenizer has to merge over the boundary for this test to say anything"
    assert again["input_ids"] != out.response_ids[: len(again["input_ids"])]


@pytest.mark.parametrize("way", WITHOUT_END)
def test_a_token_that_reaches_past_the_stop_string_is_kept(merging: Any, way: str) -> None:
    name, options = WAYS[way]
    search, answer = solved(name, options)
    said = [merging.encode(f"{search}<"), merging.encode(answer)]
    server = Server(merging, lambda turn: output(said[turn]))
    out = play(merging, server, task=row(name))
    assert record(out)["success"] == 1.0
    exact(out, server, said)


@pytest.mark.parametrize("way", WAYS)
def test_a_reply_that_its_budget_cuts_ends_the_trajectory_there(merging: Any, way: str) -> None:
    name, options = WAYS[way]
    text = solved(name, options)[0][:-1]
    cut = [token for letter in text for token in merging.encode(letter)]
    server = Server(merging, lambda turn: output(cut, "length"))
    out = play(merging, server, task=row(name), **{"clinic.env_kwargs": options})
    assert record(out)["truncated"] == 1.0
    assert out.response_ids == cut
    exact(out, server, [cut])
