"""``gym-clinic instrument``."""

from __future__ import annotations

import pytest

from gym_clinic.cli import main


def test_a_score_is_computed_with_its_parts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["instrument", "qsofa", "rr=24", "sbp=12 kPa", "gcs=15"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("quick SOFA (qSOFA): 2\nband: positive\n")
    assert "  sbp: 1\n" in out
    assert "not for patient care" in out


def test_a_choice_that_looks_like_a_number_and_a_flag(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["instrument", "phq9", "items=[1,2,0,1,1,0,0,0,2]"]) == 0
    assert "self-harm" in capsys.readouterr().out
    assert (
        main(["instrument", "corrected_na", "sodium=130", "glucose=25 mmol/L", "factor=1.6"]) == 0
    )
    assert "mmol/L" in capsys.readouterr().out


def test_without_inputs_a_declaration_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["instrument", "NEWS2"]) == 0
    assert "pulse, in /min, 0 to 300" in capsys.readouterr().out
    assert main(["instrument"]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 80


def test_a_mistake_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["instrument", "qsofa", "rr=24", "sbp=96"]) == 2
    assert capsys.readouterr().err.startswith("gym-clinic: qsofa needs gcs: ")


def test_a_score_is_refused_outside_its_validity(capsys: pytest.CaptureFixture[str]) -> None:
    for inputs in (["na=135", "glucose=90"], ["sodium=135", "glucose=5 mmol/L", "factor=1.6"]):
        assert main(["instrument", "corrected_na", *inputs]) == 2
        caught = capsys.readouterr()
        assert "not for a glucose of 100 mg/dL or less" in caught.err
        assert caught.out == ""


def test_a_unit_error_names_the_input_for_american_values(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rest = ["confusion=false", "rr=22", "sbp=110", "dbp=70", "age=70"]
    assert main(["instrument", "curb65", *rest, "urea=20 mg/dL"]) == 2
    assert "bun=20" in capsys.readouterr().err
    assert main(["instrument", "curb65", *rest, "bun=20"]) == 0
    assert capsys.readouterr().out.startswith("CURB-65: 2\n")


def test_notes_say_in_whom_a_score_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["instrument", "fib4", "age=30", "ast=40", "alt=40", "platelets=200"]) == 0
    assert "note: not validated below 35 years" in capsys.readouterr().out
    assert main(["instrument", "corrected_na"]) == 0
    assert "valid: not for a glucose" in capsys.readouterr().out
