"""Orders are known by the names that clinicians write, and by nothing else."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.chart import Chart, catalogue, chart_record
from gym_clinic.chart.catalogue import (
    find_procedure,
    find_study,
    find_tests,
    procedures_of,
    studies_of,
)
from gym_clinic.chart.order_names import order_words
from gym_clinic.chart.ordering import order_tests
from gym_clinic.errors import ToolError
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import draw_patient

FACTS = load()


@pytest.mark.parametrize(
    ("name", "study"),
    [
        ("venous doppler ultrasound of the left leg", "ultrasound-leg-veins"),
        ("leg ultrasound", "ultrasound-leg-veins"),
        ("non-contrast CT brain", "ct-head"),
        ("CT scan of the abdomen and pelvis with contrast", "ct-abdomen-pelvis"),
        ("portable chest radiograph", "chest-x-ray"),
        ("MRI lumbar spine", "mri-spine"),
        ("12-lead electrocardiogram", "ecg"),
        ("testicular ultrasound", "ultrasound-scrotum"),
    ],
)
def test_a_study_is_known_by_its_words_in_any_order(name: str, study: str) -> None:
    assert find_study(FACTS, name) == study


@pytest.mark.parametrize(
    "name", ["no CT head", "CT head and chest x-ray", "CT", "ultrasound", "scan of the left side"]
)
def test_a_negation_two_studies_or_half_a_name_mean_nothing(name: str) -> None:
    with pytest.raises(ToolError, match="No study"):
        find_study(FACTS, name)


def test_an_unknown_name_is_answered_with_those_that_share_its_words() -> None:
    with pytest.raises(ToolError, match=r"did you mean 'ultrasound-leg-veins'"):
        find_study(FACTS, "ultrasound of the leg for clots")


def test_a_comprehensive_panel_is_several_tests() -> None:
    assert find_tests(FACTS, "Comprehensive metabolic panel") == (
        "basic-metabolic-panel", "liver-panel",
    )  # fmt: skip
    assert find_tests(FACTS, "CBC") == ("blood-count",)
    known = catalogue.tests_of(FACTS)
    assert all(one in known for tests in order_words().several.values() for one in tests)


def test_every_study_is_found_by_its_id_and_is_no_procedure_of_the_same_words() -> None:
    for study in studies_of(FACTS):
        assert find_study(FACTS, study) == study
    both = {*procedures_of(FACTS)} & {*studies_of(FACTS)}
    for study in {*studies_of(FACTS)} - both:
        with pytest.raises(ToolError, match="use order_study"):
            find_procedure(FACTS, study)


@given(st.text(max_size=90))
def test_any_name_is_found_or_refused(name: str) -> None:
    with suppress(ToolError):
        assert find_study(FACTS, name) in studies_of(FACTS)


def test_a_panel_that_is_several_is_ordered_from_one_sample() -> None:
    patient = draw_patient(3, "pneumonia")
    chart = Chart(chart_record(patient), patient)
    chart.writable = True
    orders = order_tests(chart, ["CMP", "CBC", "basic metabolic panel"])
    assert [one.what for one in orders] == ["basic-metabolic-panel", "liver-panel", "blood-count"]


def test_a_test_beside_the_panel_that_holds_it_is_one_test() -> None:
    patient = draw_patient(3, "pneumonia")
    chart = Chart(chart_record(patient), patient)
    chart.writable = True
    orders = order_tests(chart, ["creatinine", "electrolytes", "crp", "CRP"])
    assert [one.what for one in orders] == ["basic-metabolic-panel", "crp"]
