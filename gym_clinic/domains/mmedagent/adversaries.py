"""Cheap ways to answer: copying specialists, and answers from the options alone.

Their accuracy is what the design of the tasks bounds, so it is published; in the reward they also
have the format, which is no merit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from gym_clinic.domains.mmedagent.reading import Decider, ReadTicket
from gym_clinic.domains.mmedagent.specialists import plurality


def first_option(ticket: ReadTicket, info: Mapping[str, Any]) -> str:
    """Always answer A."""
    return next(iter(ticket.options))


def last_option(ticket: ReadTicket, info: Mapping[str, Any]) -> str:
    """Always answer the last option."""
    return list(ticket.options)[-1]


def longest_option(ticket: ReadTicket, info: Mapping[str, Any]) -> str:
    """Answer the longest option; of equals the first."""
    return max(ticket.options, key=lambda label: len(ticket.options[label]))


def always_yes(ticket: ReadTicket, info: Mapping[str, Any]) -> str:
    """Answer yes where it is an option, else the first option."""
    said = [label for label, text in ticket.options.items() if text.casefold() == "yes"]
    return said[0] if said else first_option(ticket, info)


def always_no(ticket: ReadTicket, info: Mapping[str, Any]) -> str:
    """Answer no where it is an option, else the last option."""
    said = [label for label, text in ticket.options.items() if text.casefold() == "no"]
    return said[0] if said else last_option(ticket, info)


def copy_first(ticket: ReadTicket, info: Mapping[str, Any]) -> str:
    """Answer what the first specialist answers."""
    return ticket.votes[0] if ticket.votes else first_option(ticket, info)


def majority(ticket: ReadTicket, info: Mapping[str, Any]) -> str:
    """Answer what most specialists answer; of equals what was said first."""
    return plurality(ticket.votes) or first_option(ticket, info)


def minority(ticket: ReadTicket, info: Mapping[str, Any]) -> str:
    """Answer what the fewest specialists answer: in most divided panels one of three is right."""
    count = Counter(ticket.votes)
    least = min(ticket.votes, key=lambda label: count[label], default=None)
    return least or first_option(ticket, info)


TRICKS: Mapping[str, Callable[[ReadTicket, Mapping[str, Any]], str]] = {
    "first-option": first_option, "last-option": last_option, "longest-option": longest_option,
    "always-yes": always_yes, "always-no": always_no,
}  # fmt: skip
"""Answers without specialists and image: at most .1 over the best constant of a question type."""

COPYING: Mapping[str, Callable[[ReadTicket, Mapping[str, Any]], str]] = {
    "copy-first": copy_first, "majority": majority, "minority": minority,
}  # fmt: skip
"""Answers from the specialists alone: at most .55."""


def deciders(*, copying: bool = True) -> dict[str, Callable[..., Any]]:
    """Return policy name -> ``(env) -> maker``.

    Args:
        copying: Whether those that copy are among them.
    """
    chosen = {**TRICKS, **(COPYING if copying else {})}
    return {name: partial(_maker, partial(Decider, decide)) for name, decide in chosen.items()}


def thoughtless() -> dict[str, Callable[..., Any]]:
    """Return the adversary that thinks nothing: the first option, without a thought."""
    return {"think-nothing": partial(_maker, partial(Decider, first_option, thought=None))}


def _maker(make: Callable[[], Decider], env: Any) -> Callable[[int], Decider]:
    return lambda seed: make()
