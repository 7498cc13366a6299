"""A predicate that always agrees, or never does, is noticed by a state; so is "and" as "or"."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from safety_cases import CASES

from gym_clinic.errors import TaskError
from gym_clinic.safety import safety_rules
from gym_clinic.safety.conditions import (
    PREDICATES,
    Asked,
    Condition,
    Joined,
    holds,
    names_in,
    read_condition,
)
from gym_clinic.safety.judge import read_rules
from gym_clinic.safety.situation import Situation
from gym_clinic.safety.state import read_state

RULES = safety_rules()


def with_answer(condition: Condition, name: str, answer: tuple[()] | None) -> Condition:
    """Return a condition in which one predicate always gives the same answer."""
    if isinstance(condition, Joined):
        changed = tuple(with_answer(part, name, answer) for part in condition.parts)
        return replace(condition, parts=changed)
    if condition.predicate.name != name:
        return condition
    return Asked(replace(condition.predicate, ask=lambda *_, **__: answer), condition.arguments)


def states_of(key: str) -> list[tuple[bool, Any]]:
    declared = RULES[key].declared
    further = [(fires, one) for rule, fires, one in CASES if rule == key]
    return [(True, declared.example), (False, declared.counter_example), *further]


def agrees(condition: Condition, key: str) -> bool:
    """Whether a condition holds in the states of a rule that violate it, and in no other."""
    return all(
        (holds(condition, Situation(read_state(one))) is not None) is fires
        for fires, one in states_of(key)
    )


def test_further_states_fire_as_they_should() -> None:
    assert [key for key, rule in RULES.items() if not agrees(rule.condition, key)] == []


@pytest.mark.parametrize("answer", [(), None], ids=["always", "never"])
@pytest.mark.parametrize("name", sorted({n for r in RULES.values() for n in names_in(r.condition)}))
def test_a_predicate_that_does_not_ask_is_noticed(name: str, answer: tuple[()] | None) -> None:
    of = [key for key, rule in RULES.items() if name in set(names_in(rule.condition))]
    mutants = {key: with_answer(RULES[key].condition, name, answer) for key in of}
    assert any(not agrees(mutant, key) for key, mutant in mutants.items())


def swapped(condition: Condition) -> Condition:
    """Return a condition with its outermost "all" as "any", or the reverse."""
    assert isinstance(condition, Joined)
    return replace(condition, how={"all": "any", "any": "all"}[condition.how])


def test_and_is_not_or() -> None:
    joined = [
        key
        for key, rule in RULES.items()
        if isinstance(rule.condition, Joined) and rule.condition.how in ("all", "any")
    ]
    assert len(joined) > 40
    assert [key for key in joined if agrees(swapped(RULES[key].condition), key)] == []


@pytest.mark.parametrize(
    ("tree", "wrong"),
    [
        ({}, "an object with one key"),
        ({"lab": {"name": "k"}, "age": {}}, "an object with one key"),
        ({"all": [{"comfort_care": {}}]}, "two or more"),
        ({"labb": {"name": "k"}}, "did you mean 'lab'"),
        ({"lab": {"nam": "k"}}, "'lab'"),
        ({"lab": ["k"]}, "an object of arguments"),
        ({"teratogen": {}}, "no predicate 'teratogen'"),  # only of an order
        ({"order": {"order": {"teratogen": {}}}}, "no predicate 'order'"),
        ("patient.age > 3", "an object with one key"),
    ],
)
def test_a_condition_outside_the_grammar_is_an_error(tree: Any, wrong: str) -> None:
    with pytest.raises(TaskError, match=wrong):
        read_condition(tree, "here")


def test_a_duplicate_rule_is_an_error(tmp_path: Path) -> None:
    text = '{"rules": [%s, %s]}' % ((RULES["S2-06"].declared.model_dump_json(),) * 2)
    (tmp_path / "twice.json").write_text(text, encoding="utf-8")
    with pytest.raises(TaskError, match=r"rule S2-06: duplicate id"):
        read_rules(tmp_path)


def test_every_predicate_has_a_docstring_and_words() -> None:
    for name, one in PREDICATES.items():
        assert (one.ask.__doc__ or "").strip(), name
        assert one.words
