"""Conversion of units: by pint, by analyte, and refused where it would be a guess."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT

from gym_clinic.errors import ConfigError
from gym_clinic.facts import load
from gym_clinic.instruments import convert
from gym_clinic.instruments.units import analyte_of

ANALYTES = json.loads((ROOT / "gym_clinic" / "instruments" / "analytes.json").read_text())


@pytest.mark.parametrize(
    ("value", "unit", "to", "analyte", "expected"),
    [
        # The factors that laboratories print, to their own precision.
        (1, "mg/dL", "umol/L", "creatinine", 88.4),
        (1, "mg/dL", "mmol/L", "glucose", 0.0555),
        (1, "mg/dL", "mmol/L", "urea nitrogen", 0.357),
        (1, "mg/dL", "umol/L", "bilirubin", 17.1),
        (1, "mg/dL", "mmol/L", "cholesterol", 0.02586),
        (1, "mg/dL", "mmol/L", "triglycerides", 0.01129),
        (1, "mg/dL", "mmol/L", "calcium", 0.2495),
        (1, "mEq/L", "mmol/L", "calcium", 0.5),
        (1, "mEq/L", "mmol/L", "sodium", 1),
        (1, "g/dL", "mmol/L", "haemoglobin", 0.6206),
        (140, "mmol/L", "meq/L", "sodium", 140),
        (37, "Cel", "[degF]", None, 98.6),
        (98.6, "F", "C", None, 37),
        (100, "mm[Hg]", "kPa", None, 13.33),
        (12, "10*9/L", "10^3/uL", None, 12),
        (12000, "/uL", "10^9/L", None, 12),
        (21, "%", "frac", None, 0.21),
        (5, "mcg/kg/min", "ug/kg/min", None, 5),
        (60, "mL/min/1.73m2", "mL/min/{1.73_m2}", None, 60),
        (60, "U/L", "ukat/L", None, 1),
        (3, "mo", "wk", None, 13.04),
    ],
)
def test_published_factors(
    value: float, unit: str, to: str, analyte: str | None, expected: float
) -> None:
    assert convert(value, unit, to, analyte) == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize(
    ("unit", "to", "analyte", "message"),
    [
        ("mg/dL", "mmol/L", None, "the analyte must be known"),
        ("mg/dL", "mmHg", "glucose", "cannot be converted"),
        ("mEq/L", "mmol/L", "glucose", "counts charges"),
        ("mg/L", "mg/L_FEU", None, "no unit"),
        ("", "mg/dL", None, "cannot be converted"),
        ("furlongs[", "cm", None, "no unit"),
        ("mg/dL", "mmol/L", "gluco", "did you mean 'glucose'"),
    ],
)
def test_what_would_be_a_guess_is_refused(
    unit: str, to: str, analyte: str | None, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        convert(1.0, unit, to, analyte)


@given(
    st.sampled_from(sorted(ANALYTES["analytes"])),
    st.floats(1e-3, 1e6),
    st.sampled_from(["mg/dL", "g/L", "ug/mL", "mmol/L", "umol/L", "nmol/mL"]),
    st.sampled_from(["mg/dL", "g/L", "mmol/L", "umol/L"]),
)
def test_there_and_back_is_the_same(analyte: str, value: float, unit: str, to: str) -> None:
    there = convert(value, unit, to, analyte)
    assert convert(there, to, unit, analyte) == pytest.approx(value)


def test_the_inputs_of_analytes_exist() -> None:
    declared = {each.name for one in load().instruments.values() for each in one.inputs}
    listed = [name for one in ANALYTES["analytes"].values() for name in one.get("inputs", ())]
    assert len(listed) == len(set(listed))
    assert set(listed) <= declared
    assert analyte_of("bun") == "urea nitrogen"
    assert analyte_of("urea") is None


def test_every_input_with_a_mass_or_molar_unit_is_understood() -> None:
    """An input that laboratories report in both ways can be given in both."""
    for one in load().instruments.values():
        for each in one.inputs:
            if each.unit in ("mg/dL", "mmol/L") and each.name not in ("urea", "fibrinogen"):
                if each.name == "base_deficit":
                    continue  # of no single substance
                assert analyte_of(each.name) is not None, (one.id, each.name)
