"""Runs to learn the form from: right ones, and some that are wrong on purpose."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from gym_clinic import ClinicEnv, ConfigError, Task
from gym_clinic.domain import Move
from gym_clinic.policies import Playbook
from gym_clinic.taskset import first
from verl_recipes.agent_loop.environment import PromptLengthError
from verl_recipes.agent_loop.tokens import Tokens
from verl_recipes.agent_loop.trajectory import Budgets, Trajectory
from verl_recipes.ttopd.placement import HintPlacement

SPREAD = 64
"""Tasks on which it is looked at how many calls the oracle makes."""

THOROUGH = (4, 5)
"""Fewest and most calls of a right run where runs differ in how much they ask."""


@dataclass(frozen=True)
class Transcript:
    """A run as tokens.

    Attributes:
        ids: All tokens.
        targets: Positions of those that the policy wrote.
        said: What is learned at these positions: the tokens there, as a rule.
        success: Whether the environment calls the run a success.
        hint_at: Where a teacher would read its hint.
        calls: Calls made.
    """

    ids: tuple[int, ...]
    targets: tuple[int, ...]
    said: tuple[int, ...]
    success: bool
    hint_at: int
    calls: int

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
    write = thorough_and_hasty if asks_several(env) else right_and_wrong
    found: list[Transcript] = []
    for task in tasks:
        for moves in write(playbook, task, draw):
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
                made = sum(len(turn.calls) for turn in env.episode.turns)
                right = env.domain.is_correct(env.episode)
                learned = tuple(one.ids[place] for place in spoken)
                found.append(Transcript(tuple(one.ids), spoken, learned, right, at, made))
    if not found:
        raise ConfigError(
            f"none of {len(tasks)} tasks has a run that fits into {budgets.prompt:,} tokens of "
            f"prompt and {budgets.response:,} of response; raise data.max_prompt_length or "
            "data.max_response_length"
        )
    return found


def asks_several(env: ClinicEnv) -> bool:
    """Return whether the oracle of an environment makes more than one call before its answer."""
    made = [
        sum(len(move) for move in moves[:-1] if not isinstance(move, str))
        for moves in map(env.domain.solve, first(env.tasks, SPREAD))
        if moves
    ]
    return bool(made) and fmean(made) > 1


def thorough_and_hasty(playbook: Playbook, task: Task, draw: random.Random) -> list[list[Move]]:
    """Return a right run that makes several calls, and a wrong one that makes one.

    The right one adds calls of the menu to the oracle's where these are few. The wrong one gives
    another answer after one of the oracle's calls. So runs differ in how much they ask, which a
    hint about the outcome can tell, and both make calls. Arguments as for `right_and_wrong`.
    """
    moves = list(playbook.domain.solve(task))
    if not moves:
        return []
    *before, right = moves
    menu = playbook.menu(task)
    calls = [call for move in before if not isinstance(move, str) for call in move]
    last: Move = before[-1] if before else ()
    further = [call for call in menu.calls if call not in calls and not isinstance(last, str)]
    short = min(len(further), max(0, draw.randint(*THOROUGH) - len(calls)))
    if short and not isinstance(last, str):  # in the same message: turns may be few
        before = [*before[:-1], (*last, *draw.sample(further, short))]
    found = [[*before, right]]
    if others := [move for move in menu.answers.values() if move != right]:
        one: list[Move] = [(draw.choice(calls or further),)] if calls or further else []
        found.append([*one, draw.choice(others)])
    return found


def right_and_wrong(playbook: Playbook, task: Task, draw: random.Random) -> list[list[Move]]:
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
