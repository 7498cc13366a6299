"""Names of diseases and findings mean one entry of the fact tables, or none."""

from __future__ import annotations

import pytest

from gym_clinic.clinical.naming import disease_named, find_disease, finding_named, findings_named
from gym_clinic.errors import ToolError
from gym_clinic.facts import load

FACTS = load()


@pytest.mark.parametrize(
    ("name", "disease"),
    [
        ("MI", "acute-myocardial-infarction"),
        ("Myocardial infarction", "acute-myocardial-infarction"),
        ("acute-myocardial-infarction", "acute-myocardial-infarction"),
        ("DVT", "deep-vein-thrombosis"),
        ("Gastro-oesophageal reflux disease", "gastroesophageal-reflux-disease"),
        ("viral gastro-enteritis", "viral-gastroenteritis"),
        ("Torsion of the testis", "testicular-torsion"),
        ("left acute otitis media", "acute-otitis-media"),
        ("MI or DVT", None),
        ("not gout", None),
        ("chest pain", None),
        ("", None),
    ],
)
def test_a_name_means_one_disease_and_free_text_means_none(name: str, disease: str | None) -> None:
    assert disease_named(name) == disease


def test_a_disease_is_found_by_its_code() -> None:
    coded = {key: one.codes.omim for key, one in FACTS.diseases.items() if one.codes.omim}
    key, codes = next(iter(coded.items()))
    assert disease_named(codes[0].casefold()) == key


@pytest.mark.parametrize(
    ("name", "disease"),
    [
        ("Pulmonary embolism", "pulmonary-embolism"),
        ("PE", "pulmonary-embolism"),
        ("embolism, pulmonary", "pulmonary-embolism"),
        ("myocardial infarction", "acute-myocardial-infarction"),
        ("STEMI", "acute-myocardial-infarction"),
        ("no such disease", None),
    ],
)
def test_a_disease_is_found_by_synonym_abbreviation_and_order_of_words(
    name: str, disease: str | None
) -> None:
    assert disease_named(name) == disease


def test_every_disease_is_found_by_its_own_name() -> None:
    assert all(find_disease(one.name) == key for key, one in load().diseases.items())


def test_an_unknown_disease_is_an_error_with_the_nearest_name() -> None:
    with pytest.raises(ToolError, match="Pulmonary embolism"):
        find_disease("Pulmonary embolysm")


def test_findings_are_named_in_plain_words_with_their_status() -> None:
    ids = load().finding_ids
    found = dict(findings_named("sharp pain on breathing in, but no fever"))
    assert found[ids["Fever"]] is False
    assert dict(findings_named("Dyspnea")) == {ids["Dyspnea"]: True}


def test_a_finding_is_found_by_name_and_id_and_not_in_a_sentence() -> None:
    fever = FACTS.finding_ids["Fever"]
    assert finding_named("fever") == finding_named(fever) == fever
    assert finding_named("no fever") is None
