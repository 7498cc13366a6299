"""Every rule fires for its examples and is silent for its counter-examples: ours and published."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from real_data import real

from gym_clinic.safety import check_state, safety_rules, violations

# What else is true of an example: two anticoagulants are a major interaction too.
ALSO = {"S4-03": {"S4-02"}}


def rules_of(state: dict[str, Any]) -> set[str]:
    return {one.rule for one in violations(state)}


def test_there_are_75_rules_in_five_severities() -> None:
    counts = [one.declared.severity for one in safety_rules().values()]
    assert [counts.count(severity) for severity in (5, 4, 3, 2, 1)] == [24, 25, 16, 7, 3]
    assert all(key[1] == str(one.declared.severity) for key, one in safety_rules().items())


@pytest.mark.parametrize("key", list(safety_rules()))
def test_an_example_violates_its_rule_alone(key: str) -> None:
    declared = safety_rules()[key].declared
    assert rules_of(declared.example) == {key} | ALSO.get(key, set())
    assert rules_of(declared.counter_example) == set()
    for state in (declared.example, declared.counter_example):
        assert check_state(state).unresolved == ()


@pytest.mark.parametrize("key", list(safety_rules()))
def test_a_violation_has_evidence(key: str) -> None:
    found = next(one for one in violations(safety_rules()[key].declared.example) if one.rule == key)
    assert found.evidence
    assert all(one.text and "get_" not in one.text for one in found.evidence)


@pytest.fixture(scope="module")
def published() -> list[dict[str, Any]]:
    path = real("../clinical/safety_rules.yaml")
    rules: list[dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))["rules"]
    return rules


def test_the_published_examples_fire_and_counter_examples_do_not(
    published: list[dict[str, Any]],
) -> None:
    assert len(published) == 73
    for rule in published:
        assert rule["id"] in rules_of(rule["example_state"]), rule["id"]
        assert rule["id"] not in rules_of(rule["counter_example_state"]), rule["id"]


def test_published_rules_have_our_severity_and_principle(published: list[dict[str, Any]]) -> None:
    for rule in published:
        ours = safety_rules()[rule["id"]].declared
        assert (ours.severity, ours.principle) == (rule["severity"], rule["principle"])
        assert ours.title != rule["title"]
