"""When a simulated patient dies: of a body that is not compatible with life, or of the illness.

The limits of the body and how long they are survived lie in ``lethal.json``; they are round numbers
of intensive care, authored for this simulation. What kills otherwise (a rupture, an arrhythmia, a
brain that is pressed) is in the course of the condition.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter

from gym_clinic.facts.expressions import Expression, parse
from gym_clinic.simulate.clinic.physiology.body import State

DAY = 24 * 60
LOOKS = (0, 30, 120, 480, DAY, 2 * DAY)
"""Minutes at which a body is looked at, besides those at which its treatment changes."""

STEP = 5
"""Minutes to which a time is found."""


class Limit(NamedTuple):
    """A state that is not survived for long.

    Attributes:
        when: The condition on the state and `age`.
        minutes: How long it is survived.
        why: What it does, in words.
    """

    when: str
    minutes: int
    why: str


@lru_cache(maxsize=1)
def limits() -> tuple[tuple[Expression, Limit], ...]:
    """Return the limits, each with its condition."""
    text = Path(__file__).with_name("lethal.json").read_text(encoding="utf-8")
    found = TypeAdapter(list[Limit]).validate_json(text)
    return tuple((parse(one.when), one) for one in found)


def lethal(state: State, age: float) -> list[Limit]:
    """Return the limits that a state is beyond.

    Args:
        state: Every measurement.
        age: In years.
    """
    values = state | {"age": age}
    return [one for condition, one in limits() if condition.compute(values)]


def dies_of_body(
    state: Callable[[float], State], age: float, changes: Collection[float], until: int = 2 * DAY
) -> int | None:
    """Return the minute of death by a state that lasts too long; None within the time.

    Between the minutes at which it looks, a value is taken to go in one direction.

    Args:
        state: The state at a minute from arrival.
        age: In years.
        changes: Minutes at which treatments are complete.
        until: The last minute.
    """
    looks = sorted({one for one in (*LOOKS, *changes, until) if 0 <= one <= until})
    known: dict[float, State] = {}

    def beyond(condition: Expression, minute: float) -> bool:
        if minute not in known:
            known[minute] = state(minute) | {"age": age}
        return bool(condition.compute(known[minute]))

    deaths = [
        died
        for condition, limit in limits()
        if (died := _lasts(condition, beyond, looks, limit.minutes)) is not None
    ]
    return min(deaths, default=None)


def _lasts(
    condition: Expression,
    beyond: Callable[[Expression, float], bool],
    looks: Sequence[float],
    minutes: int,
) -> int | None:
    """The minute at which a condition has lasted for some minutes."""
    since: float | None = looks[0] if beyond(condition, looks[0]) else None
    for before, now in itertools.pairwise(looks):
        if since is None and beyond(condition, now):
            since = _turns(condition, beyond, before, now)
        elif since is not None and not beyond(condition, now):
            if _turns(condition, beyond, before, now) >= since + minutes:
                return round(since + minutes)
            since = None
        if since is not None and now >= since + minutes:
            return round(since + minutes)
    return None


def _turns(
    condition: Expression,
    beyond: Callable[[Expression, float], bool],
    before: float,
    after: float,
) -> float:
    """The minute between two at which a condition changes."""
    was = beyond(condition, before)
    while after - before > STEP:
        middle = STEP * round((before + after) / 2 / STEP)
        if not before < middle < after:
            break
        before, after = (middle, after) if beyond(condition, middle) == was else (before, middle)
    return after
