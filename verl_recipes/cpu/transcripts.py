"""Runs to learn the form from: the oracle's, and some that are wrong on purpose."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gym_clinic import ClinicEnv, ConfigError, Task
from gym_clinic.domain import Move
from gym_clinic.policies import Playbook
from verl_recipes.agent_loop.environment import PromptLengthError
from verl_recipes.agent_loop.tokens import Tokens
from verl_recipes.agent_loop.trajectory import Budgets, Trajectory
from verl_recipes.ttopd.placement import HintPlacement


@dataclass(frozen=True)
class Transcript:
    """A run as tokens.

    Attributes:
        ids: All tokens.
        targets: Positions of those that the policy wrote.
        success: Whether the environment calls the run a success.
        hint_at: Where a teacher would read its hint.
    """

    ids: tuple[int, ...]
    targets: tuple[int, ...]
    success: bool
    hint_at: int

    def hinted(self, hint: Sequence[int]) -> Transcript:
        """Return the run as a teacher reads it, with the tokens of a hint."""
        ids = (*self.ids[: self.hint_at], *hint, *self.ids[self.hint_at :])
        targets = tuple(place + len(hint) for place in self.targets)
        return replace(self, ids=ids, targets=targets)


def transcripts(
    env: ClinicEnv,
    tasks: Sequence[Task],
    tokens: Tokens,
    budgets: Budgets,
    draw: random.Random,
) -> list[Transcript]:
    """Play the runs of tasks to tokens, as a rollout would; those that a budget cuts are left out.

    Args:
        env: Plays them.
        tasks: Which.
        tokens: Of the model.
        budgets: Of the rollouts.
        draw: Source of what is wrong in the wrong ones.

    Raises:
        ConfigError: If nothing is left.
    """
    playbook, placement = Playbook(env), HintPlacement(tokens)
    found: list[Transcript] = []
    for task in tasks:
        for moves in runs(playbook, task, draw):
            one = Trajectory(env, task.id, tokens, budgets)
            try:
                one.begin()
            except PromptLengthError:
                break
            fits = True
            for action in (action for move in moves for action in playbook.write(move)):
                said = tokens.plain(action)
                if not one.stopped(said):
                    said = [*said, tokens.end]
                fits = len(said) <= one.room
                if one.over or not fits:
                    break
                one.take(said, [0.0] * len(said), finished=True)
            if fits and one.turns and not one.truncated:
                first = len(one.ids) - len(one.mask)
                spoken = tuple(first + place for place, own in enumerate(one.mask) if own)
                at = placement.index(one.prompt_ids)
                found.append(Transcript(tuple(one.ids), spoken, bool(one.info["success"]), at))
    if not found:
        raise ConfigError(
            f"none of {len(tasks)} tasks has a run that fits into {budgets.prompt:,} tokens of "
            f"prompt and {budgets.response:,} of response; raise data.max_prompt_length or "
            "data.max_response_length"
        )
    return found


def runs(playbook: Playbook, task: Task, draw: random.Random) -> list[list[Move]]:
    """Return the oracle's run, and others that go wrong.

    One gives another answer of the menu; one leaves out calls, the answer being right or wrong
    at even odds.

    Args:
        playbook: What is known of the environment.
        task: The task.
        draw: Source of randomness.
    """
    moves = list(playbook.domain.solve(task))
    if not moves:
        return []
    *before, right = moves
    others = [move for move in playbook.menu(task).answers.values() if move != right]
    wrong = draw.choice(others) if others else None
    found = [moves]
    if wrong is not None:
        found.append([*before, wrong])
    thinned = _thinned(before, draw)
    answer = right if wrong is None or draw.random() < 0.5 else wrong
    if thinned != before:
        found.append([*thinned, answer])
    return found


def _thinned(moves: Sequence[Move], draw: random.Random) -> list[Move]:
    """Leave out at least one call, and every other at even odds."""
    places = [
        (at, which)
        for at, move in enumerate(moves)
        if not isinstance(move, str)
        for which in range(len(move))
    ]
    if not places:
        return list(moves)
    gone = draw.choice(places)
    kept = {place for place in places if place != gone and draw.random() < 0.5}
    thinned: list[Move] = [
        move
        if isinstance(move, str)
        else tuple(call for which, call in enumerate(move) if (at, which) in kept)
        for at, move in enumerate(moves)
    ]
    return [move for move in thinned if move]
