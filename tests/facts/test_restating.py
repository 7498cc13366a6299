from __future__ import annotations

import pytest
from fact_tables import disease, phenotype

from gym_clinic.facts.naming import stem
from gym_clinic.facts.records.models import Disease, Phenotype
from gym_clinic.facts.restating import restates_diagnosis


def restates(names: list[str], finding: list[str]) -> bool:
    rare = disease("d", names[0], synonyms=names[1:])
    shown = phenotype("HP:0000001", finding[0], synonyms=finding[1:])
    # Lists for tuples, as in JSON.
    return restates_diagnosis(
        Disease.model_validate(rare, strict=False), Phenotype.model_validate(shown, strict=False)
    )


@pytest.mark.parametrize(
    ("names", "finding"),
    [
        (["Giardiasis", "giardia"], ["Giardia infection"]),
        (["Brucellosis"], ["Brucella infection"]),
        (["Trichomoniasis"], ["Trichomonas infection"]),
        (["Deep vein thrombosis", "DVT"], ["Deep venous thrombosis", "DVT"]),
        (["Restless legs syndrome"], ["Restless legs"]),
        (["Coarctation of the aorta"], ["Coarctation of aorta"]),
        (["Familial ectopia lentis"], ["Ectopia lentis"]),
        (["Phaeochromocytoma"], ["Pheochromocytoma"]),
        (["Crohn disease"], ["Crohn's disease"]),
        (["Aortic stenosis"], ["Aortic valve stenosis"]),
        (["Raynaud disease"], ["Raynaud phenomenon"]),
        (["Chronic kidney disease"], ["Stage 5 chronic kidney disease"]),
        (["Amber fever", "blue palsy"], ["BLUE PALSIES"]),
    ],
)
def test_a_finding_that_names_the_disease_restates_it(names, finding):
    assert restates(names, finding)


@pytest.mark.parametrize(
    ("names", "finding"),
    [
        (["Dengue fever"], ["Fever"]),
        (["Rheumatoid arthritis"], ["Arthritis"]),
        (["Hepatitis A"], ["Hepatitis"]),
        (["Epilepsy", "seizure disorder"], ["Focal-onset seizure"]),
        (["Essential tremor"], ["Head tremor"]),
        (["Chronic kidney disease"], ["Enlarged kidney"]),
        (["Chronic fatigue syndrome"], ["Fatigue"]),
        (["Hereditary angioedema"], ["Angioedema"]),
        (["Bacterial conjunctivitis"], ["Conjunctival injection"]),
        (["Syndrome"], ["Fever"]),
    ],
)
def test_a_part_of_the_name_does_not_restate_the_disease(names, finding):
    assert not restates(names, finding)


@pytest.mark.parametrize(
    ("one", "other"),
    [("anaemia", "anemia"), ("tumour", "tumors"), ("generalised", "generalized"), ("fit", "fits")],
)
def test_forms_of_a_word_share_a_stem(one, other):
    assert stem(one) == stem(other)


@pytest.mark.parametrize(
    ("one", "other"), [("thyroid", "thyroiditis"), ("four", "for"), ("anuria", "anemia")]
)
def test_different_words_have_different_stems(one, other):
    assert stem(one) != stem(other)
