"""Scores computed from their declarations: reference vectors, known traps, hostile inputs."""

from __future__ import annotations

import ast
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from real_data import real

from gym_clinic.facts import Instrument, load
from gym_clinic.instruments import InstrumentError, InstrumentResult, declaration, score

INSTRUMENTS = load().instruments


def outcome(name: str, inputs: dict[str, Any]) -> dict[str, Any]:
    """What a vector calls the expected: the result, or the error's code and field."""
    try:
        found = score(name, inputs)
    except InstrumentError as error:
        named = {} if error.field is None else {"field": error.field}
        return {"ok": False, "error": error.code, **named}
    return {"ok": True, "score": found.score, "band": found.band, "flags": found.flags}


def is_refused(vector: dict[str, Any]) -> bool:
    """Whether the table scores a vector for which its own note says not to use the score."""
    glucose = vector["inputs"].get("glucose")
    return bool(
        vector["instrument"] == "corrected_na" and vector["expected"]["ok"] and glucose <= 100
    )


def test_every_reference_vector_agrees() -> None:
    lines = real("../clinical/instrument_vectors.jsonl").read_text(encoding="utf-8").splitlines()
    seen = set()
    for vector in map(json.loads, lines):
        expected = dict(vector["expected"])
        tolerance = expected.pop("tol", 0)
        found = outcome(vector["instrument"], vector["inputs"])
        if is_refused(vector):
            expected = {"ok": False, "error": "out_of_range", "field": "glucose"}
        if isinstance(expected.get("score"), int | float):
            expected["score"] = pytest.approx(expected["score"], abs=tolerance)
        assert {key: found.get(key) for key in expected} == expected, vector
        seen.add(vector["instrument"])
    assert seen == set(INSTRUMENTS)


SODIUM = {"sodium": 135, "factor": "1.6"}


@pytest.mark.parametrize(
    "glucose", [10, 90, 100, {"value": 5, "unit": "mmol/L"}, {"value": 100, "unit": "mg/dL"}]
)
def test_a_score_is_refused_where_its_source_says_not_to_use_it(glucose: Any) -> None:
    with pytest.raises(InstrumentError, match="not for a glucose of 100 mg/dL or less") as caught:
        score("corrected_na", {**SODIUM, "glucose": glucose})
    assert (caught.value.code, caught.value.field) == ("out_of_range", "glucose")
    with pytest.raises(InstrumentError, match=r"needs factor.*not for a glucose of 100 mg/dL"):
        score("corrected_na", {"na": 135, "glucose": glucose})


def test_within_its_validity_it_is_computed() -> None:
    assert score("corrected_na", {**SODIUM, "glucose": 101}).score == 135.0
    assert score("corrected_na", {**SODIUM, "glucose": 600}).score == 143.0


def test_every_stated_limit_refuses_and_every_note_is_shown_in_its_case() -> None:
    limits = [(key, limit) for key, one in INSTRUMENTS.items() for limit in one.valid_when]
    assert [key for key, _ in limits] == ["corrected_na"]
    noted = {key for key, one in INSTRUMENTS.items() if one.result_notes}
    assert {"news2", "perc", "mme", "fib4", "ibw"} <= noted
    fib4 = {"ast": 40, "alt": 40, "platelets": 200}
    assert score("fib4", {**fib4, "age": 34}).notes == ("not validated below 35 years",)
    assert score("fib4", {**fib4, "age": 35}).notes == ()
    height = {"sex": "male"}
    assert "extrapolated" in score("ibw", {**height, "height_cm": 150}).notes[0]
    assert score("ibw", {**height, "height_cm": 153}).notes == ()


@pytest.mark.parametrize(
    ("name", "inputs", "said"),
    [
        ("curb65", {"urea": {"value": 20, "unit": "mg/dL"}}, "write bun=20 if it is urea nitrogen"),
        ("gbs", {"urea": {"value": 20, "unit": "mg/dL"}}, "write bun=20 if it is urea nitrogen"),
        ("curb65", {"confusion": False, "urea": 120}, "if it is in mg/dL, write bun=120"),
        ("sirs", {"temp_c": 101}, "if it is in F, write temp_f=101"),
        ("ckdepi2021", {"creatinine": 88}, "if it is in umol/L, write creatinine='88 umol/L'"),
        ("corrected_na", {"sodium": 140, "glucose": 5}, "in mmol/L, write glucose='5 mmol/L'"),
        ("corrected_ca", {"calcium": 1.9}, "if it is in mmol/L, write calcium='1.9 mmol/L'"),
        ("meld_na", {"bilirubin": 100}, "if it is in umol/L, write bilirubin='100 umol/L'"),
        ("ckdepi2021", {"creatinine": {"value": 1, "unit": "mmHg"}}, "creatinine in mg/dL or umol"),
        ("bmi", {"weight_kg": 500}, "if it is in lb, write weight_lb=500"),
    ],
)
def test_a_unit_error_names_the_input_that_would_be_right(
    name: str, inputs: dict[str, Any], said: str
) -> None:
    declared = INSTRUMENTS[name]
    usual = {"number": 50, "integer": 1, "boolean": False, "choice": None}
    rest = {
        one.name: one.choices[0] if one.type == "choice" else usual[one.type]
        for one in declared.inputs
    }
    with pytest.raises(InstrumentError) as caught:
        score(name, {**rest, **inputs})
    assert said in str(caught.value)


def test_other_usual_names_of_inputs_are_understood() -> None:
    base = {"confusion": False, "rr": 22, "sbp": 110, "dbp": 70, "age": 60}
    for urea in ({"bun": 19.7}, {"bun": {"value": 7.1, "unit": "mmol/L"}}, {"urea": 7.1}):
        assert score("curb65", {**base, **urea}).parts["urea"] == 1
    assert score("curb65", {**base, "bun": 19.6}).parts["urea"] == 0
    osmolality = {"sodium": 140, "glucose": 90}
    by_bun = score("osmolality", {**osmolality, "bun": 28.014}).score
    assert score("osmolality", {"na": 140, "glucose": 90, "urea": 10}).score == by_bun
    in_mass = {"value": 60.056, "unit": "mg/dL"}  # of urea, not of its nitrogen
    assert score("osmolality", {**osmolality, "urea": in_mass}).score == by_bun
    assert score("curb65", {**base, "bun": {"value": 20, "unit": "mg/dL"}}).parts["urea"] == 1
    assert score("bmi", {"weight_lb": 176.37, "height_in": 70.866}).score == 24.7
    with pytest.raises(InstrumentError, match="'urea' is given twice") as caught:
        score("curb65", {**base, "urea": 5, "bun": 15})
    assert caught.value.code == "invalid_combination"
    with pytest.raises(InstrumentError, match="bun: 'kPa' cannot be converted"):
        score("curb65", {**base, "bun": {"value": 5, "unit": "kPa"}})


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
def test_known_traps(name: str, inputs: str, expected: tuple[float, str | None]) -> None:
    pairs = (pair.split("=") for pair in inputs.split())
    found = score(name, {key: ast.literal_eval(value) for key, value in pairs})
    assert (found.score, found.band) == expected


QSOFA = {"rr": 24, "sbp": 96, "gcs": 15}


def test_the_parts_add_up_and_are_named() -> None:
    found = score("qsofa", QSOFA)
    assert found == InstrumentResult(
        "qsofa", 2, "positive", {"rr": 1, "sbp": 1, "gcs": 0}, None, found.meaning, {}, found.notes
    )
    assert found.meaning is not None
    assert "organ dysfunction" in found.meaning


@pytest.mark.parametrize("name", ["qsofa", "qSOFA", "Quick SOFA", "quick sofa (qSOFA)"])
def test_a_score_is_found_by_id_name_and_abbreviation(name: str) -> None:
    assert declaration(name).id == "qsofa"


@pytest.mark.parametrize(
    ("name", "change", "code", "field"),
    [
        ("qsofe", {}, "unknown_instrument", None),
        (None, {}, "unknown_instrument", None),
        ("qsofa", {"gcs": None}, "missing_input", "gcs"),
        ("qsofa", {"hr": 90}, "unknown_input", "hr"),
        ("qsofa", {"rr": "24"}, "invalid_type", "rr"),
        ("qsofa", {"rr": True}, "invalid_type", "rr"),
        ("qsofa", {"rr": float("nan")}, "invalid_type", "rr"),
        ("qsofa", {"rr": float("inf")}, "out_of_range", "rr"),
        ("qsofa", {"rr": 10**400}, "out_of_range", "rr"),
        ("qsofa", {"gcs": 14.5}, "invalid_type", "gcs"),
        ("qsofa", {"gcs": 2}, "out_of_range", "gcs"),
        ("qsofa", {"sbp": {"value": 96}}, "invalid_type", "sbp"),
        ("qsofa", {"sbp": {"value": 96, "unit": "mmol/L"}}, "invalid_type", "sbp"),
        ("qsofa", {"gcs": {"value": 15, "unit": "mmHg"}}, "invalid_type", "gcs"),
    ],
)
def test_a_mistake_has_its_code_and_field(
    name: Any, change: dict[str, Any], code: str, field: str | None
) -> None:
    with pytest.raises(InstrumentError) as caught:
        score(name, {**QSOFA, **change})
    assert (caught.value.code, caught.value.field) == (code, field)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.code, again.field, str(again)) == (code, field, str(caught.value))


def test_an_error_says_what_would_be_right() -> None:
    with pytest.raises(
        InstrumentError, match=r"a whole number from 3 to 15 \(Glasgow Coma Scale\)"
    ):
        score("qsofa", {"rr": 24, "sbp": 96})
    with pytest.raises(InstrumentError, match="did you mean 'qsofa'"):
        score("qsofo", QSOFA)


def test_another_unit_is_converted_and_an_ambiguous_one_refused() -> None:
    base = {"confusion": False, "rr": 22, "sbp": 110, "dbp": 70, "age": 60}
    nitrogen = {"value": 19.6, "unit": "mg/dL", "analyte": "urea nitrogen"}  # 6.996 mmol/L
    assert score("curb65", {**base, "urea": nitrogen}).score == 0
    assert score("curb65", {**base, "urea": {**nitrogen, "value": 19.7}}).score == 1
    with pytest.raises(InstrumentError, match="the analyte must be known"):
        score("curb65", {**base, "urea": {"value": 25, "unit": "mg/dL"}})
    assert score("qsofa", {**QSOFA, "sbp": {"value": 13.4, "unit": "kPa"}}).parts["sbp"] == 0


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(st.sampled_from(sorted(INSTRUMENTS)), st.data())
def test_no_input_breaks_a_score(name: str, data: st.DataObject) -> None:
    names = [one.name for one in INSTRUMENTS[name].inputs]
    inputs = data.draw(st.dictionaries(st.sampled_from(names) | st.text(max_size=8), anything))
    assert outcome(name, inputs).get("field") in {None, *names, *inputs}


def possible(declared: Instrument) -> st.SearchStrategy[dict[str, Any]]:
    """Inputs that are each within their limits."""

    def one(each: Any) -> st.SearchStrategy[Any]:
        low, high = each.low or 0, each.high or 0
        return {
            "number": st.floats(low, high),
            "integer": st.integers(int(low), int(high)),
            "integers": st.lists(
                st.integers(int(low), int(high)),
                min_size=each.length or 0,
                max_size=each.length or 0,
            ),
            "boolean": st.booleans(),
            "choice": st.sampled_from(each.choices or ("",)),
            "date": st.dates().map(str),
        }[each.type]

    return st.fixed_dictionaries({each.name: one(each) for each in declared.inputs})


@given(st.sampled_from(sorted(INSTRUMENTS)), st.data())
def test_possible_inputs_give_a_score_within_its_range(name: str, data: st.DataObject) -> None:
    declared = INSTRUMENTS[name]
    found = outcome(name, data.draw(possible(declared)))
    if not found["ok"]:
        assert found["error"] == "invalid_combination"  # one by one they are possible
        return
    if declared.total is not None and not isinstance(found["score"], str):
        assert declared.total[0] <= found["score"] <= declared.total[1]
    if declared.bands and not isinstance(found["score"], str):
        assert found["band"] is not None
