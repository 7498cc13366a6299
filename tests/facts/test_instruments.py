"""The declarations of clinical scores, and what is computed from them alone."""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest
from fact_tables import tables
from pydantic import ValidationError
from real_data import real

from gym_clinic.facts import Facts, Instrument
from gym_clinic.facts.expressions import parse
from gym_clinic.facts.instruments import HIGHEST_PART, Points

LIMITING = {"cchr": {"gcs"}, "pecarn_lt2": {"age_months"}, "pecarn_ge2": {"age_years"}}
"""Inputs that only have to be within their limits, so that the rule applies."""


def computed(one: Instrument, given: dict[str, Any]) -> tuple[Any, str | None, dict[str, bool]]:
    """Return score, band and flags of inputs that are known to be possible."""

    def number(points: Points) -> float:
        return points if isinstance(points, (int, float)) else parse(points).compute(values)

    values = {each.name: given.get(each.name, each.default) for each in one.inputs}
    if not all(parse(text).compute(values) for text in one.requires):
        return "invalid_combination", None, {}
    for value in one.values:
        values[value.name] = parse(value.formula).compute(values)
    flags = {flag.name: parse(flag.when).compute(values) for flag in one.flags}
    for outcome in one.outcomes:
        if outcome.when is None or parse(outcome.when).compute(values):
            return outcome.result, None, flags
    parts = [
        number(next((r.points for r in p.rules if parse(r.when).compute(values)), p.otherwise))
        for p in one.parts
    ]
    score = parse(one.formula).compute(values) if one.formula else 0
    if isinstance(score, str):
        return score, None, flags
    score = round(score + sum(parts), one.decimals)
    values[HIGHEST_PART] = max(parts, default=0)
    for band in one.bands:
        low, high = band.low, band.high
        inside = (low is None or score >= low) and (high is None or score <= high)
        if inside and (band.when is None or parse(band.when).compute(values)):
            return score, band.band, flags
    assert not one.bands, (one.id, score)
    return score, None, flags


def test_what_is_published_follows_from_the_declarations_alone(facts: Facts) -> None:
    lines = real("../clinical/instrument_vectors.jsonl").read_text(encoding="utf-8").splitlines()
    seen = set()
    for vector in map(json.loads, lines):
        expected = vector["expected"]
        if not expected["ok"] and expected["error"] != "invalid_combination":
            continue  # the inputs themselves are impossible
        one = facts.instruments[vector["instrument"]]
        score, band, flags = computed(one, vector["inputs"])
        seen.add(one.id)
        if not expected["ok"]:
            assert score == expected["error"], vector
            continue
        assert band == expected["band"], vector
        assert flags == expected.get("flags", flags), vector
        if isinstance(score, str):
            assert score == expected["score"], vector
        else:
            assert score == pytest.approx(expected["score"], abs=expected.get("tol", 0)), vector
    assert seen == set(facts.instruments)


@pytest.mark.parametrize(
    ("name", "inputs", "expected"),
    [
        ("curb65", "confusion=False urea=7.0 rr=29 sbp=90 dbp=61 age=64", (0, "low")),
        ("curb65", "confusion=True urea=7.1 rr=30 sbp=89 dbp=70 age=65", (5, "high")),
        (
            "child_pugh",
            "bilirubin=1 albumin=4 inr=1 ascites='none' encephalopathy='none'",
            (5, "A"),
        ),
        ("ckdepi2021", "creatinine=0.9 age=50 sex='male'", (round(142 * 0.9938**50, 1), "G1")),
        ("meld_na", "bilirubin=1 inr=1 creatinine=1 sodium=137 dialysis_2x_week=False", (6, None)),
    ],
)
def test_known_traps(
    facts: Facts, name: str, inputs: str, expected: tuple[float, str | None]
) -> None:
    pairs = (pair.split("=") for pair in inputs.split())
    given = {key: ast.literal_eval(value) for key, value in pairs}
    score, band, _ = computed(facts.instruments[name], given)
    assert (score, band) == expected


def test_the_points_reach_both_ends_of_the_range(facts: Facts) -> None:
    """Where every part has fixed points, their least and greatest sums are the declared range."""
    compared = 0
    for one in facts.instruments.values():
        choices = [[part.otherwise, *(rule.points for rule in part.rules)] for part in one.parts]
        fixed = [[each for each in part if not isinstance(each, str)] for part in choices]
        if one.total is None or one.formula or not choices or fixed != choices:
            continue
        ends = (sum(map(min, fixed)), sum(map(max, fixed)))
        assert ends == one.total, one.id
        compared += 1
    assert compared >= 25


def test_every_input_is_named_for_people_and_used(facts: Facts) -> None:
    for one in facts.instruments.values():
        labels = [each.label for each in one.inputs]
        assert len(set(labels)) == len(labels), one.id
        used = {name for _, text in one.expressions() for name in parse(text).names}
        unused = {each.name for each in one.inputs} - used
        assert unused == LIMITING.get(one.id, set()), one.id
        for each in one.inputs:
            assert "_" not in each.label, (one.id, each.name)


def test_every_score_says_what_it_means_and_where_it_comes_from(facts: Facts) -> None:
    for one in facts.instruments.values():
        assert one.bands or one.outcomes or one.reading, one.id
        assert one.citation, one.id
        assert not one.purpose.endswith("."), one.id
    assert sum(one.status == "verified" for one in facts.instruments.values()) >= 85


def test_bands_of_one_name_have_one_meaning(facts: Facts) -> None:
    for one in facts.instruments.values():
        pairs = {(band.band, band.meaning) for band in one.bands}
        assert len(pairs) == len({name for name, _ in pairs}), one.id
        assert len({meaning for _, meaning in pairs}) == len(pairs), one.id


def score(**changes: Any) -> dict[str, Any]:
    return {**tables()["instruments"][0], **changes}


def bands(*limits: tuple[float | None, float | None]) -> list[dict[str, Any]]:
    return [
        {"band": f"b{number}", "meaning": "glows", "low": low, "high": high}
        for number, (low, high) in enumerate(limits)
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"formula": "glow + gleam"}, r"names \['gleam'\], which is no input"),
        ({"formula": "glow.real"}, "not in the grammar"),
        ({"formula": "highest_part"}, r"names \['highest_part'\]"),
        ({"formula": None}, "either outcomes, or parts or a formula"),
        ({"bands": bands((0, 1), (1, 4))}, "overlap"),
        ({"bands": bands((0, 1), (3, 4))}, "leave a gap"),
        ({"bands": bands((0, 1), (2, 3))}, r"bands end at \(0.0, 3.0\)"),
        ({"bands": bands((None, 1), (2, 4))}, r"bands end at \(None, 4.0\)"),
        ({"bands": bands((0, None), (2, 4))}, "overlap"),
        ({"bands": bands((0, 1), (1.5, 4)), "step": 0.5}, None),
        ({"status": "verified"}, "verified_against"),
        ({"parts": [{"name": "a", "otherwise": 1}, {"name": "a"}]}, "parts: duplicate"),
        ({"inputs": [{"name": "glow", "label": "glow", "type": "integer"}]}, "'low' and 'high'"),
        ({"inputs": [{"name": "glow", "label": "glow", "type": "choice"}]}, "has 'choices'"),
        ({"points": 1}, "Extra inputs"),
    ],
)
def test_a_wrong_declaration_is_an_error(changes: dict[str, Any], message: str | None) -> None:
    text = json.dumps(score(**changes))
    if message is None:
        assert Instrument.model_validate_json(text).step == 0.5
        return
    with pytest.raises(ValidationError, match=message):
        Instrument.model_validate_json(text)
