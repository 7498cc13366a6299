"""Citations are read as clinicians write them: values, units, directions, negations."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.clinical.answer import read_answer
from gym_clinic.clinical.naming import LONGEST
from gym_clinic.clinical.naming.citing import Cited, read_cited
from gym_clinic.clinical.naming.evidence import cited_words
from gym_clinic.facts import load

FACTS = load()
FEVER = f"told:{FACTS.finding_ids['Fever']}"


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("pulse", Cited("vital:hr")),
        ("sats", Cited("vital:spo2")),
        ("BP 82/46", Cited("vital:sbp", None, 82.0)),
        ("blood pressure: 82/46 mmHg (low)", Cited("vital:sbp", True, 82.0, "low")),
        ("SpO2 88% on room air", Cited("vital:spo2", None, 88.0)),
        ("HR 126 bpm", Cited("vital:hr", None, 126.0)),
        ("temp 39.1 °C", Cited("vital:temp_c", None, 39.1)),
        ("GCS 10/15", Cited("vital:gcs", None, 10.0)),
        ("WBC 18.2 x10^9/L", Cited("lab:wbc", None, 18.2)),
        ("potassium 2.9", Cited("lab:k", None, 2.9)),
        ("troponin elevated at 52 ng/L", Cited("lab:troponin", True, 52.0, "high")),
        ("lactate 4.2 furlongs", Cited("lab:lactate", None, None)),
        ("elevated D-dimer", Cited("lab:d_dimer", True, None, "high")),
        ("normal ECG", Cited("study:ecg", False)),
        ("electrocardiogram", Cited("study:ecg")),
        ("ECG: ST elevation in II, III and aVF", Cited("study:ecg", True)),
        ("ECG shows no ST elevation", Cited(None)),
        ("chest x-ray: unremarkable", Cited("study:chest-x-ray", False)),
        ("lung auscultation", Cited("site:chest")),
        ("neurological exam", Cited("site:neurology")),
        ("no fever", Cited(FEVER, False)),
        ("no fever or cough", Cited(None)),
        ("not fever, but cough", Cited(None)),
        ("fever, cough, rash and headache", Cited(None)),
        ("takes warfarin", Cited("medicine:warfarin")),
        ("no known drug allergies", Cited("record:allergies", False)),
        ("age 78", Cited("patient:age")),
        ("qSOFA of 2", Cited("score:qsofa")),
        ("CBC", Cited("panel:blood-count")),
        ("", Cited(None)),
        ("fever " * LONGEST, Cited(None)),
    ],
)
def test_a_citation_is_read_with_value_direction_and_negation(text: str, cited: Cited) -> None:
    assert read_cited(FACTS, text) == cited


def test_a_value_in_another_unit_is_converted() -> None:
    cited = read_cited(FACTS, "glucose 18 mmol/L")
    assert (cited.key, round(cited.value or 0)) == ("lab:glucose", 324)
    assert read_cited(FACTS, "temp 102.4 F").value == pytest.approx(39.1, abs=0.05)


def test_every_usual_name_means_one_thing_that_exists() -> None:
    names = cited_words()
    assert set(names.measurements.values()) <= FACTS.measurements.keys()
    for name, key in names.measurements.items():
        assert read_cited(FACTS, name).key in (f"vital:{key}", f"lab:{key}"), name
    for name, site in names.examinations.items():
        assert read_cited(FACTS, f"{name} examination").key == f"site:{site}", name


def read(**citation: Any) -> tuple[str | None, bool, bool]:
    (one,) = read_answer(FACTS, {"cited_findings": [citation]}).cited
    return one.key, one.present, one.open


def test_what_the_text_says_and_what_is_stated_are_put_together() -> None:
    assert read(finding="fever") == (FEVER, True, True)
    assert read(finding="no fever") == (FEVER, False, False)
    assert read(finding="no fever", present=True) == (FEVER, False, False)
    assert read(finding="no fever", present=False)[0] is None
    assert read(finding="normal ECG", present=False) == ("study:ecg", False, False)
    assert read(finding="raised lactate", present=False) == ("lab:lactate", False, False)


@given(st.text(max_size=LONGEST + 5))
def test_any_text_is_read_without_an_error(text: str) -> None:
    cited = read_cited(FACTS, text)
    assert cited.key is None or ":" in cited.key or cited.key == "pregnancy"


@given(st.lists(st.sampled_from(sorted(cited_words().measurements)), min_size=2, max_size=6))
def test_a_list_of_names_is_no_citation(names: list[str]) -> None:
    """Names side by side cite no measurement; a word of a patient in them may be heard ("pain")."""
    text = " ".join(dict.fromkeys(names))
    if text not in names and text not in cited_words().measurements:
        key = read_cited(FACTS, text).key
        assert key is None or not key.startswith(("vital:", "lab:")) or len(set(names)) == 1
