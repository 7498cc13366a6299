"""What guidelines and textbooks say: management, diseases, look-alikes, tests."""

from __future__ import annotations

from typing import Any

from gym_clinic.case import Case
from gym_clinic.chart import Chart
from gym_clinic.chart.catalogue import (
    find_among,
    find_study,
    find_test,
    study_entry,
    study_price,
    test_prices,
    tests_of,
)
from gym_clinic.chart.encounter import minutes_of
from gym_clinic.clinical.naming import disease_named, find_disease
from gym_clinic.errors import ToolError
from gym_clinic.facts import load
from gym_clinic.toolbox import tool


def _looked_up(case: Case, name: str, **arguments: Any) -> None:
    if isinstance(case, Chart):
        case.spend(minutes_of("read_list"))
        case.log(name, **arguments)


@tool
def get_guideline(case: Case, topic: str) -> dict[str, Any]:
    """Read how to manage a disease or an emergency.

    Args:
        topic: The disease, or the topic of a guideline.
    """
    facts = load()
    disease = disease_named(topic)
    if disease is None:
        topics = {one.topic: one for one in facts.guidelines.values()}
        try:
            guideline = topics[find_among(topic, topics, "guideline")]
        except ToolError:
            disease = find_disease(topic)
        else:
            for concerned in guideline.diseases:
                _looked_up(case, "get_guideline", disease=concerned)
            return {
                "topic": guideline.topic,
                "summary": guideline.summary,
                "steps": list(guideline.steps),
                "red flags": list(guideline.red_flags) or "none",
            }
    record = facts.diseases[disease]
    _looked_up(case, "get_guideline", disease=disease)
    steps = [
        {"topic": one.topic, "steps": list(one.steps)}
        for one in facts.guidelines.values()
        if disease in one.diseases
    ]
    return {
        "disease": record.name,
        "first tests": list(record.tests) or "none",
        "management": list(record.treatment) or "none",
        "red flags": list(record.red_flags) or "none",
        "guidelines": steps or "none",
    }


@tool
def get_disease_information(case: Case, disease: str) -> dict[str, Any]:
    """Read what a disease is: summary, frequent findings, look-alikes.

    Args:
        disease: Its name, a synonym or an abbreviation.
    """
    facts, key = load(), find_disease(disease)
    record = facts.diseases[key]
    _looked_up(case, "get_disease_information", disease=key)
    frequent = [
        facts.phenotypes[one.phenotype].name
        for one in record.phenotypes
        if one.frequency.band in ("obligate", "very_frequent", "frequent")
        or (one.frequency.value or 0) >= 0.3
    ]
    return {
        "disease": record.name,
        "summary": record.summary,
        "frequent findings": frequent or "none",
        "look-alikes": [facts.diseases[one].name for one in record.look_alikes] or "none",
    }


@tool
def compare_diagnoses(case: Case, first: str, second: str) -> dict[str, Any]:
    """Read what tells two diseases apart, and which test shows it.

    Args:
        first: A disease.
        second: Another one.
    """
    facts = load()
    one, other = find_disease(first), find_disease(second)
    if one == other:
        raise ToolError(f"'{first}' and '{second}' are the same disease.")
    _looked_up(case, "compare_diagnoses", first=one, second=other)
    told = [
        {"speaks for": facts.diseases[against].name, "by": each.by, "test": each.test or "none"}
        for key, against in ((one, other), (other, one))
        if key in facts.conditions
        for each in facts.conditions[key].distinctions
        if each.look_alike == against
    ]
    only = _findings(one) - _findings(other), _findings(other) - _findings(one)
    return {
        "distinctions": told or "none stated",
        f"frequent in {facts.diseases[one].name} alone": sorted(only[0]) or "none",
        f"frequent in {facts.diseases[other].name} alone": sorted(only[1]) or "none",
    }


@tool
def get_test_information(case: Case, test: str) -> dict[str, Any]:
    """Read what a laboratory test, panel or study measures, how long it takes and what it costs.

    Args:
        test: Its name, such as "basic-metabolic-panel" or "ct-head".
    """
    facts = load()
    try:
        name = find_test(facts, test)
    except ToolError:
        study = find_study(facts, test)
        price = study_price(study)
        _looked_up(case, "get_test_information", test=study)
        kind = study_entry(study).kind
        return {"study": study, "kind": kind, "minutes": price.minutes, "cost_usd": price.cost}
    measured = tests_of(facts)[name]
    price = test_prices(facts)[name]
    _looked_up(case, "get_test_information", test=name)
    values = [{"name": one.name, "unit": one.unit} for one in measured]
    return {"test": name, "measures": values, "minutes": price.minutes, "cost_usd": price.cost}


def _findings(disease: str) -> set[str]:
    facts = load()
    return {
        facts.phenotypes[one.phenotype].name
        for one in facts.diseases[disease].phenotypes
        if one.frequency.band in ("obligate", "very_frequent", "frequent")
    }
