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
from verl_recipes.cpu.tiny import BEGIN
from verl_recipes.ttopd.placement import HintPlacement

FURTHER = 3
"""Most calls that a run makes beyond the oracle's; two are the fewest."""


@dataclass(frozen=True)
class Transcript:
    """A run as tokens.

    Attributes:
        ids: All tokens.
        targets: Positions of those that the policy wrote.
        success: Whether the environment calls the run a success.
        hint_at: Where a teacher would read its hint.
        ticket_at: Where the last message of the prompt begins, which names the task.
        calls: Calls made.
    """

    ids: tuple[int, ...]
    targets: tuple[int, ...]
    success: bool
    hint_at: int
    ticket_at: int
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

    ``draw`` is the source of what is wrong in the wrong ones.

    Raises:
        ConfigError: If nothing is left.
    """
    playbook, placement = Playbook(env), HintPlacement(tokens)
    begins = tokens.tokenizer.convert_tokens_to_ids(BEGIN)
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
                ticket = max(n for n, token in enumerate(one.prompt_ids[:at]) if token == begins)
                calls = sum(len(turn.calls) for turn in env.episode.turns)
                right = bool(one.info["success"])
                found.append(Transcript(tuple(one.ids), spoken, right, at, ticket, calls))
    if not found:
        raise ConfigError(
            f"none of {len(tasks)} tasks has a run that fits into {budgets.prompt:,} tokens of "
            f"prompt and {budgets.response:,} of response; raise data.max_prompt_length or "
            "data.max_response_length"
        )
    return found


def runs(playbook: Playbook, task: Task, draw: random.Random) -> list[list[Move]]:
    """Return runs that are right and runs that are wrong, and that differ in more than the answer.

    Right ones make the oracle's calls and, where the menu has more, further ones, so that there
    are several; wrong ones give another answer after one of its calls. So a policy that has learned
    from them makes more calls where it is to be right, which a hint about the outcome can tell.

    Args:
        playbook: What is known of the environment.
        task: The task.
        draw: Source of randomness.
    """
    moves = list(playbook.domain.solve(task))
    if not moves:
        return []
    *before, right = moves
    calls = [call for move in before if not isinstance(move, str) for call in move]
    menu = playbook.menu(task)
    last: Move = before[-1] if before else ""
    further = [call for call in menu.calls if call not in calls and not isinstance(last, str)]
    more = draw.sample(further, min(len(further), draw.randint(2, FURTHER)))
    found = [] if more and len(calls) < 2 else [moves]
    if more and not isinstance(last, str):  # in the same message: turns may be few
        found.append([*before[:-1], (*last, *more), right])
    if others := [move for move in menu.answers.values() if move != right]:
        few = [(draw.choice(calls),)] if len(calls) > 1 else before
        found.append([*few, draw.choice(others)])
    return found
