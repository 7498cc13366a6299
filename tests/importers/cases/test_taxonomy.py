"""Which disease a diagnosis is, whether it is rare, and the terms of findings."""

from __future__ import annotations

import pytest

from gym_clinic.facts import Profile, load
from gym_clinic.facts.records.models import Codes
from gym_clinic.importers.cases import ReportedCase
from gym_clinic.importers.cases.taxonomy import SAME, Taxonomy
from gym_clinic.retrieval import HashedNgrams, PatientCase


@pytest.fixture(scope="module")
def taxonomy() -> Taxonomy:
    listed = [
        Profile(id="ORPHA:1", name="Amber fever of childhood type 2",
                synonyms=("Childhood amber fever",), codes=Codes(orpha=("ORPHA:1",))),
        Profile(id="ORPHA:2", name="Gout", synonyms=("Podagra",), codes=Codes(orpha=("ORPHA:2",))),
    ]  # fmt: skip
    terms = {"HP:9999999": "Amber glow"}
    icd = {"M10": "Gout", "M10.9": "Gout, unspecified", "Q87.4": "Marfan's syndrome"}
    return Taxonomy(load(), listed, terms, icd, embedder=HashedNgrams())


def reported(diagnosis: str, *codes: str, rare: bool | None = None) -> ReportedCase:
    return ReportedCase(PatientCase("a", diagnosis, ("Fever",), "own", codes=codes), rare=rare)


@pytest.mark.parametrize(
    ("diagnosis", "codes", "expected"),
    [
        ("something else", ("ORPHA:558",), "marfan-syndrome"),
        ("Marfan's syndrome", (), "marfan-syndrome"),
        ("GOUT", (), "gout"),
        ("Podagra", (), "gout"),
        ("Gouty arthritis, foot", ("ICD10CM:M10.9",), "gout"),
        ("Gouty arthritis, foot", ("ICD10:M10.07",), "gout"),  # by the title of M10
        ("Childhood amber fever", (), "ORPHA:1"),
    ],
)
def test_a_diagnosis_is_found_by_code_or_name(taxonomy, diagnosis, codes, expected):
    found = taxonomy.find(reported(diagnosis, *codes))
    assert found is not None
    assert found.id == expected


def test_a_disease_gets_the_code_of_its_title(taxonomy):
    assert "ICD10CM:M10" in taxonomy.known(reported("Podagra")).codes
    assert taxonomy.known(reported("Gout", "ICD10CM:M10.07")).codes[-1] == "ICD10CM:M10.07"


def test_a_disease_that_orphanet_lists_is_rare(taxonomy):
    assert taxonomy.known(reported("Gout")).rare  # listed above; the tables call it common
    assert not Taxonomy(load(), embedder=HashedNgrams()).known(reported("Gout")).rare
    assert not taxonomy.known(reported("Influenza")).rare
    assert taxonomy.known(reported("Influenza", rare=True)).rare  # the class of the source stays


def test_a_name_much_like_a_listed_one_is_rare_but_not_the_same(taxonomy):
    other = taxonomy.known(reported("Amber fever of childhood type 3"))
    assert other.id == "own:amber-fever-of-childhood-type-3"
    embedder = HashedNgrams()
    names = ["amber fever of childhood type 2", "amber fever of childhood type 3"]
    first, second = embedder.embed(names)
    assert other.rare == (float(first @ second) > SAME)
    assert not taxonomy.known(reported("Blue gait disorder")).rare


def test_an_unknown_diagnosis_is_a_disease_of_its_own(taxonomy):
    found = taxonomy.known(reported("Blue {gait} [x]", "OMIM:100000"))
    assert (found.name, found.codes) == ("Blue gait x", ("OMIM:100000",))


def test_diseases_named_in_a_text(taxonomy):
    named = taxonomy.named_in("A case of acute rheumatic fever after gout; it was no flu.")
    assert [disease.id for disease in named][:2] == ["acute-rheumatic-fever", "gout"]


def test_findings_get_the_names_of_their_terms(taxonomy):
    assert taxonomy.finding("joint pain").hpo == "HP:0002829"
    assert taxonomy.finding("amber GLOW").hpo == "HP:9999999"
    unknown = taxonomy.finding("an odd sound of  the left knee")
    assert (unknown.name, unknown.hpo) == ("an odd sound of the left knee", "")
