"""What examination and studies may say: phrases, links to findings and values, completeness."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from pydantic import ValidationError

from gym_clinic.facts.phrases import Number, may_be, parse
from gym_clinic.facts.records.conditions import Condition, Variant
from gym_clinic.facts.records.courses import Course
from gym_clinic.facts.records.examination import Sign, Study, StudyResult


def study(*results: dict[str, Any]) -> Study:
    made = tuple(
        StudyResult(**{"text": f"{n}.", "share": 0.5} | one) for n, one in enumerate(results)
    )
    return Study(study="ecg", results=made)


def test_a_number_is_read_with_its_decimals() -> None:
    assert parse("<1.2-1.8> mm, not <3 cm") == (Number(1.2, 1.8, 1), " mm, not ", "<", "3 cm")


@pytest.mark.parametrize("text", ["<7-3> cm", "<a-b> cm", "[one", "a|b", "[only]", "{slot} cm"])
def test_a_sign_refuses_what_is_no_phrase(text: str) -> None:
    with pytest.raises(ValidationError):
        Sign(site="skin", text=text, share=0.5)


def test_a_text_is_known_by_its_phrase() -> None:
    phrase = "[red|warm [patch|area]] of <8-18> cm[, not tender|]"
    assert may_be("warm area of 9 cm, not tender", phrase)
    assert may_be("red of 12 cm", phrase)
    assert not may_be("warm red of 12 cm", phrase)
    assert not may_be("red of 1.5 cm", phrase)


@pytest.mark.parametrize("fields", [{}, {"share": 0.5, "goes_with": "Fever"}])
def test_a_sign_is_chosen_in_one_way(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="one of 'share', 'goes_with' and 'when'"):
        Sign(site="heart", text="fast", **fields)


def test_every_patient_has_a_possible_result() -> None:
    study({"when": "hr > 100"}, {"when": "hr <= 100"}).check_complete(())
    study({"goes_with": "Fever"}, {"unless": "Fever"}).check_complete(())
    study({"goes_with": "Fever"}, {}).check_complete(())
    with pytest.raises(ValueError, match=r"none for .*'hr': 100"):
        study({"when": "hr > 100"}, {"when": "hr < 100"}).check_complete(())
    with pytest.raises(ValueError, match=r"findings \['Fever'\]"):
        study({"unless": "Fever"}, {"goes_with": "Fever", "when": "spo2 < 92"}).check_complete(())
    with pytest.raises(ValueError, match="variant 'left'"):
        study({"variant": "right"}, {"variant": "left", "goes_with": "Cough"}).check_complete(
            ["left", "right"]
        )


def test_shares_add_up_where_every_result_is_possible_in_everybody() -> None:
    with pytest.raises(ValidationError, match="add up to 1"):
        study({}, {"share": 0.4})
    study({}, {"share": 0.4, "goes_with": "Fever"})


def test_a_plain_number_is_a_form_of_that_share() -> None:
    fields = {
        "id": "asthma", "settings": ["emergency"], "role": "background", "prevalence": 80,
        "sources": ["authored"], "provenance": "authored", "reviewed": "2026-01-01",
        "rates": {"Wheezing": 0.8, "Cough": 0.5}, "first_line": ["oxygen"],
        "variants": {"mild": 0.75, "severe": {"share": 0.25, "rates": {"Wheezing": 0}}},
    }  # fmt: skip
    made = Condition.model_validate_json(orjson.dumps(fields))
    assert made.variants["mild"] == Variant(share=0.75)
    assert made.form("severe").rates == {"Wheezing": 0, "Cough": 0.5}
    assert made.form("severe").first_line == ("oxygen",)
    assert made.form(None) is made
    with pytest.raises(ValidationError, match="prevalence"):
        Condition.model_validate_json(orjson.dumps(fields | {"prevalence": None}))


@pytest.mark.parametrize(
    "fields", [{"shape": "saturating"}, {"plateau": 1.5}, {"shape": "saturating", "plateau": 0.5}]
)
def test_a_course_saturates_where_it_goes(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="plateau"):
        Course(onset_hours=(1, 2), change_per_hour=0.1, half_time_minutes=60, **fields)
