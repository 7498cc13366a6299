"""A diagnosis is known as clinicians describe it, and a hedge means nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.clinical.naming import disease_named
from gym_clinic.clinical.naming.descriptions import disease_words
from gym_clinic.clinical.naming.diseases import disease_called
from gym_clinic.facts import load

FACTS = load()
NAMES = sorted(
    FACTS.diseases[one.id].name for one in FACTS.conditions.values() if one.role != "background"
)


@pytest.mark.parametrize(
    ("text", "disease"),
    [
        ("NSTEMI", "acute-myocardial-infarction"),
        ("Acute inferior ST-elevation myocardial infarction", "acute-myocardial-infarction"),
        ("Acute coronary syndrome - NSTEMI", "acute-myocardial-infarction"),
        ("Right femoropopliteal DVT", "deep-vein-thrombosis"),
        ("Ischaemic stroke, left MCA territory", "stroke"),
        ("Diabetic ketoacidosis (DKA)", "diabetic-ketoacidosis"),
        ("Severe DKA", "diabetic-ketoacidosis"),
        ("Acute exacerbation of COPD", "chronic-obstructive-pulmonary-disease"),
        ("Septic arthritis of the knee", "septic-arthritis"),
        ("Stanford type A aortic dissection", "aortic-dissection"),
        ("Malaria (P. falciparum)", "malaria"),
        ("Sulfonylurea-induced hypoglycemia", "hypoglycaemia"),
        ("Sepsis due to pneumonia", "sepsis"),
        ("acute hepatitis B", "hepatitis-b"),
        ("hepatitis", None),
        ("pneumonia or PE", None),
        ("pneumonia/PE", None),
        ("pneumonia, PE", None),
        ("pneumonia (PE)", None),
        ("pneumonia and PE", None),
        ("not pneumonia", None),
        ("PE ruled out", None),
        ("stroke mimic", None),
        ("DKA and sepsis", None),
        ("Lung cancer, colorectal cancer", None),
        ("Asthma and hand, foot and mouth disease", None),
        ("Hand, foot and mouth disease, severe", "hand-foot-and-mouth-disease"),
        ("acute", None),
        ("left leg", None),
    ],
)
def test_a_description_means_one_disease_or_none(text: str, disease: str | None) -> None:
    assert disease_named(text) == disease


def test_every_name_that_answers_give_means_its_disease() -> None:
    for disease, names in disease_words().names.items():
        assert {disease_named(name) for name in (disease, *names)} == {disease}, disease


@pytest.mark.parametrize("qualifier", ["severe", "acute", "suspected", "new-onset"])
def test_a_qualifier_does_not_change_which_disease_is_meant(qualifier: str) -> None:
    for name in NAMES:
        assert disease_named(f"{qualifier} {name}") in (disease_named(name), None), name
        assert disease_named(f"{name}, {qualifier}") == disease_named(name), name


@given(st.lists(st.sampled_from(NAMES), min_size=2, max_size=2, unique=True),
       st.sampled_from([" or ", ", ", " and ", "/", " vs ", "; ", " ("]))  # fmt: skip
def test_two_diseases_in_one_answer_mean_none(names: list[str], between: str) -> None:
    """Whoever writes two diseases is not right because one of them is.

    The words of two names may be one name, such as "pneumonia, COVID-19".
    """
    text = between.join(names)
    assert disease_named(text) in (None, disease_called(text))


def test_no_disease_is_called_another_one_with_a_qualifier() -> None:
    """A name of the tables that differs from another by qualifiers alone keeps its own meaning."""
    assert all(disease_named(name) is not None for name in NAMES)
    assert len({disease_named(name) for name in NAMES}) == len(NAMES)
