"""Conditions of rules as data: a tree of named predicates, read and checked once.

A condition is an object with one key: ``all`` or ``any`` of a list, ``not`` of a condition, or the
name of a predicate with its arguments: ``{"lab": {"name": "glucose", "below": 54}}``. Predicates of
an order stand inside ``{"order": …}`` and are asked of each order that stands. There is nothing
else in the grammar, and no text is evaluated.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gym_clinic.errors import TaskError
from gym_clinic.names import suggest
from gym_clinic.safety.evidence import Evidence, Found, minute
from gym_clinic.safety.situation import DrugOrder, Situation

Words = str | Callable[..., str]


@dataclass(frozen=True)
class Predicate:
    """A named question to the situation, or to one order in it.

    Attributes:
        name: Its name in conditions.
        ask: The function; its parameters after the first, or the first two, are the arguments.
        words: The question in words, with the arguments in braces, or a function that says it.
        of_order: Whether it is asked of an order.
    """

    name: str
    ask: Callable[..., Found]
    words: Words
    of_order: bool


PREDICATES: dict[str, Predicate] = {}
"""All predicates by name; `gym_clinic.safety.predicates` fills it."""


def predicate(
    words: Words, *, of_order: bool = False
) -> Callable[[Callable[..., Found]], Callable[..., Found]]:
    """Register a function as a predicate under its own name."""

    def register(ask: Callable[..., Found]) -> Callable[..., Found]:
        name = ask.__name__
        PREDICATES[name] = Predicate(name, ask, words, of_order)
        return ask

    return register


@dataclass(frozen=True)
class Asked:
    """A predicate with its arguments."""

    predicate: Predicate
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Joined:
    """Conditions joined by "all", "any" or "not"; or asked of each order by "order"."""

    how: str
    parts: tuple[Condition, ...]

    @cached_property
    def states_asked(self) -> tuple[tuple[str, ...], ...]:
        """The conditions of the patient that its parts ask for; none beside an omission."""
        asked = [part for part in self.parts if isinstance(part, Asked)]
        if any(one.predicate.name in OMISSIONS for one in asked):
            return ()
        states = (one for one in asked if one.predicate.name == "condition")
        return tuple(tuple(one.arguments["any_of"]) for one in states)

    @cached_property
    def needs_order(self) -> bool:
        """Whether one of its parts asks the orders of drugs, so that without any it cannot hold."""
        return any(isinstance(part, Joined) and part.how == "order" for part in self.parts)


Condition = Asked | Joined


def read_condition(tree: object, place: str, *, of_order: bool = False) -> Condition:
    """Read a condition.

    Args:
        tree: The condition as JSON.
        place: Where it stands, for the error.
        of_order: Whether it stands inside ``order``.

    Raises:
        TaskError: If it is not in the grammar; the text names the place and what would be right.
    """
    import gym_clinic.safety.predicates  # noqa: F401  # fills PREDICATES

    if not isinstance(tree, Mapping) or len(tree) != 1:
        raise TaskError(f"{place}: expected an object with one key, not {tree!r:.80}")
    ((key, value),) = tree.items()
    if key in ("all", "any"):
        if not isinstance(value, list) or len(value) < 2:
            raise TaskError(f"{place}: {key!r} takes a list of two or more conditions")
        parts = tuple(read_condition(one, place, of_order=of_order) for one in value)
        return Joined(key, parts)
    if key == "not":
        return Joined(key, (read_condition(value, place, of_order=of_order),))
    if key == "order" and not of_order:
        return Joined(key, (read_condition(value, place, of_order=True),))
    known = {name: one for name, one in PREDICATES.items() if of_order or not one.of_order}
    if key not in known:
        raise TaskError(f"{place}: no predicate {key!r}; {suggest(str(key), known)}")
    if not isinstance(value, Mapping):
        raise TaskError(f"{place}: {key!r} takes an object of arguments")
    asked = known[key]
    parameters = list(inspect.signature(asked.ask).parameters.values())[1 + asked.of_order :]
    try:
        inspect.Signature(parameters).bind(**value)
    except TypeError as error:
        raise TaskError(f"{place}: {key!r}: {error}") from None
    return Asked(asked, dict(value))


def holds(condition: Condition, situation: Situation, order: DrugOrder | None = None) -> Found:
    """Return the evidence that a condition holds; None if it does not."""
    if isinstance(condition, Asked):
        asked = condition.predicate
        if asked.of_order:
            return asked.ask(situation, order, **condition.arguments)
        return asked.ask(situation, **condition.arguments)
    how = condition.how
    if how == "order":
        return _any_order(condition.parts[0], situation)
    if how == "not":
        return () if holds(condition.parts[0], situation, order) is None else None
    if how == "all":
        if condition.needs_order and not situation.orders:
            return None
        if condition.states_asked:
            situation = _once_known(condition, situation)
    evidence: list[Evidence] = []
    held = False
    for part in condition.parts:
        answer = holds(part, situation, order)
        if answer is not None:
            held = True
            evidence += answer
        elif how == "all":
            return None
    return tuple(evidence) if held else None


OMISSIONS = frozenset(("never_done", "not_done_by"))
"""Predicates that ask for what was not done."""


def _once_known(condition: Joined, situation: Situation) -> Situation:
    """The situation from when on the conditions of the patient that it asks for are known.

    What was done early is not left undone: where an omission is asked for, all orders stand.
    """
    return situation.since(max(situation.known(*names) for names in condition.states_asked))


def _any_order(condition: Condition, situation: Situation) -> Found:
    """Ask each order; the evidence names the orders."""
    evidence: list[Evidence] = []
    for order in situation.orders:
        answer = holds(condition, situation, order)
        if answer is not None:
            how = "ordered" if order.event.tool == "prescribe" else "given"
            text = f"{order.name or 'a drug without a name'} {how} {minute(order.t)}"
            drug = order.medicines[0].drug if order.medicines else None
            evidence += [Evidence(text, order.t, drug), *answer, *_reasons(order)]
    return tuple(evidence) or None


def _reasons(order: DrugOrder) -> Iterator[Evidence]:
    """Yield the reasons that were written in an order; they are recorded and clear nothing."""
    for key in ("override_reason", "allergy_override"):
        if reason := order.event.args.get(key):
            yield Evidence(f"reason written, which clears nothing: {reason!r:.80}", order.t)


def _said(asked: Asked) -> str:
    """Return a predicate with its arguments in words."""
    words = asked.predicate.words
    return words(**asked.arguments) if callable(words) else words.format(**asked.arguments)


def in_words(condition: Condition, depth: int = 0) -> Iterator[str]:
    """Yield the lines of a condition in words, as nested Markdown bullets."""
    indent = "  " * depth + "- "
    if isinstance(condition, Asked):
        yield indent + _said(condition)
        return
    if condition.how == "not" and isinstance(condition.parts[0], Asked):
        yield f"{indent}not: {_said(condition.parts[0])}"
        return
    titles = {
        "all": "all of these:",
        "any": "one of these:",
        "not": "not:",
        "order": "an order that stands:",
    }
    parts = condition.parts
    yield indent + titles[condition.how]
    inner = parts[0]
    if condition.how == "order" and isinstance(inner, Joined) and inner.how == "all":
        parts = inner.parts
    for part in parts:
        yield from in_words(part, depth + 1)


def names_in(condition: Condition) -> Iterator[str]:
    """Yield the names of the predicates that a condition asks."""
    if isinstance(condition, Asked):
        yield condition.predicate.name
    else:
        for part in condition.parts:
            yield from names_in(part)
