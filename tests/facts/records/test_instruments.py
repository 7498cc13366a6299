"""The declarations of clinical scores."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fact_tables import tables
from pydantic import ValidationError

from gym_clinic.facts import Facts, Instrument
from gym_clinic.facts.expressions import parse

LIMITING = {"cchr": {"gcs"}, "pecarn_lt2": {"age_months"}, "pecarn_ge2": {"age_years"}}
"""Inputs that only have to be within their limits, so that the rule applies."""


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
