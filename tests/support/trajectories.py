"""Trajectories played by hand: what tests of tokens, budgets and records share."""

from __future__ import annotations

from typing import Any

from gym_clinic import ClinicEnv
from gym_clinic.action import DIALECTS
from gym_clinic.policies import Playbook
from verl_recipes.agent_loop.tokens import Tokens
from verl_recipes.agent_loop.trajectory import Budgets, Trajectory

INTERACTIONS, TRIAGE, FAULTY = (
    "tiny_domain:INTERACTIONS", "tiny_domain:TRIAGE", "faulty_domain:FAULTY",
)  # fmt: skip
PLENTY = Budgets(prompt=1_000, response=1_000)
HERMES = DIALECTS["hermes"]


def begin(
    tokens: Tokens,
    domain: str = INTERACTIONS,
    budgets: Budgets = PLENTY,
    task: str | None = None,
    **options: Any,
) -> Trajectory:
    env = ClinicEnv(domain, **options)
    one = Trajectory(env, task or env.tasks[0].id, tokens, budgets)
    one.begin()
    return one


def said(tokens: Tokens, text: str, *, end: bool = True) -> list[int]:
    ids = list(tokens.tokenizer.encode(text, add_special_tokens=False))
    return [*ids, tokens.tokenizer.eos_token_id] if end else ids


def take(one: Trajectory, text: str, *, end: bool = True, finished: bool = True) -> None:
    ids = said(one.tokens, text, end=end)
    first = float(len(one.ids))
    one.take(ids, [-(first + place) for place in range(len(ids))], finished=finished)


def write(*calls: tuple[str, dict[str, Any]]) -> str:
    return HERMES.write(calls)


def grade(word: str = "none") -> str:
    return write(("submit_grade", {"grade": word}))


def solution(one: Trajectory) -> list[str]:
    """Return the oracle's actions, a call a turn."""
    playbook = Playbook(one.env)
    task = one.env.episode.task
    return [HERMES.write([call]) for move in playbook.domain.solve(task) for call in move]


def check(one: Trajectory) -> None:
    """What holds of every trajectory at every moment."""
    sizes = {len(one.mask), len(one.turn_ids), len(one.log_probs), len(one.response_ids)}
    assert len(sizes) == 1
    assert one.prompt_ids + one.response_ids == one.ids
    assert len(one.mask) <= one.budgets.response
    assert len(one.prompt_ids) <= one.budgets.prompt
    assert [bool(turn) for turn in one.turn_ids] == [bool(own) for own in one.mask]
    numbers = [turn for turn in one.turn_ids if turn]
    assert numbers == sorted(numbers)
    assert all(1 <= turn <= one.turns for turn in numbers)
    assert all(value == 0.0 for value, own in zip(one.log_probs, one.mask, strict=True) if not own)


def of_turn(one: Trajectory, number: int) -> list[int]:
    ids = zip(one.response_ids, one.turn_ids, strict=True)
    return [token for token, turn in ids if turn == number]


def heard(one: Trajectory) -> str:
    ids = [token for token, own in zip(one.response_ids, one.mask, strict=True) if not own]
    return str(one.tokens.tokenizer.decode(ids))
