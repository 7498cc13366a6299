"""The gold of a task in words: names instead of keys, sentences instead of JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gym_clinic.episode import Task
from gym_clinic.facts import Facts

Row = tuple[str, str]
"""What is meant, and what is right."""

CLINICAL = {
    "condition": "condition",
    "answer": "answer",
    "acceptable": "as good",
    "problems": "problems",
    "extras": "problems that may be named too",
    "replaced": "to be replaced",
    "may_be_stopped": "may be stopped",
    "may_be_added": "may be added",
    "taken": "taken by the patient",
    "reasons": "reasons of the level",
    "cite": "to be cited",
    "expected": "expected calls",
    "plan": "reference plan",
    "forbidden": "forbidden",
    "difficulty": "difficulty",
    "reference": "orders of the reference plan",
}
"""Field of a clinical gold -> what it is called; its other fields stand in tables of their own, or
serve the judge only."""

PREFIXES = {
    "told": "{}", "onset": "when it began: {}", "site": "examination of the {}",
    "study": "{}", "vital": "{}", "lab": "{}", "drug": "{}", "class": "any {}",
    "procedure": "{}", "medicine": "takes {}", "condition": "known: {}", "consult": "consult {}",
    "pathway": "protocol {}", "record": "record of {}", "kind": "document: {}",
    "lookup": "looked up: {}", "support": "{}", "score": "score {}", "history": "history of {}",
}  # fmt: skip
"""Beginning of a key of clinical facts -> how it reads."""


def plain_gold(gold: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the fields of a gold in words."""
    for name, value in gold.items():
        yield from _rows(_spaced(name), value, str)


def clinical_gold(facts: Facts, task: Task) -> Iterator[Row]:
    """Yield what was right in a clinical task.

    Args:
        facts: The fact tables, for names.
        task: The task.
    """
    for field, name in CLINICAL.items():
        if value := task.gold.get(field):
            yield from _rows(name, value, lambda key: key_in_words(facts, key))


def key_in_words(facts: Facts, key: str) -> str:
    """Return what a key of the fact tables means; a text that is no key stays as it is.

    >>> from gym_clinic.facts import load
    >>> key_in_words(load(), "class:beta-blocker"), key_in_words(load(), "vital:hr")
    ('any beta blocker', 'heart rate')
    """
    kind, colon, of = key.partition(":")
    if not colon or kind not in PREFIXES:
        disease = facts.diseases.get(key)
        return key if disease is None else disease.name
    for table in (facts.phenotypes, facts.measurements, facts.drugs, facts.diseases):
        if of in table:
            return PREFIXES[kind].format(table[of].name)
    words = of.removeprefix("history:").replace(":", ", ").replace("-", " ").replace("_", " ")
    return PREFIXES[kind].format(words)


def call_in_words(call: Mapping[str, Any]) -> str:
    """Return a call as its name and its arguments.

    >>> call_in_words({"name": "order_lab", "arguments": {"tests": ["troponin", "crp"]}})
    'order_lab: tests troponin, crp'
    """
    given = "; ".join(f"{name} {_words(value, str)}" for name, value in call["arguments"].items())
    return f"{call['name']}: {given}" if given else str(call["name"])


def _rows(name: str, value: Any, named: Callable[[str], str]) -> Iterator[Row]:
    """Yield a field; a list of objects or of steps has a row for each."""
    if isinstance(value, Mapping) and not _is_finding(value) and len(value) > 1:
        for key, item in value.items():
            yield from _rows(f"{name}, {_spaced(key)}", item, named)
    elif isinstance(value, list | tuple) and any(
        isinstance(item, Mapping | list | tuple) for item in value
    ):
        for item in value:
            yield name, _words(item, named)
    else:
        yield name, _words(value, named)


def _words(value: Any, named: Callable[[str], str]) -> str:
    if value is None or (isinstance(value, Mapping | list | tuple) and not value):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{value:g}"
    if isinstance(value, str):
        return named(value)
    if isinstance(value, Mapping):
        if _is_finding(value):
            there = "there, or abnormal" if value["present"] else "not there, or normal"
            return f"{named(value['finding'])} ({there})"
        if value.keys() == {"name", "arguments"}:
            return call_in_words(value)
        return "; ".join(f"{_spaced(key)}: {_words(item, named)}" for key, item in value.items())
    return (", " if all(isinstance(item, str) for item in value) else "; ").join(
        _words(item, named) for item in value
    )


def _is_finding(value: Mapping[str, Any]) -> bool:
    return value.keys() == {"finding", "present"}


def _spaced(name: str) -> str:
    return name.replace("_", " ")
