"""Who has a disease, and who alone can have a finding."""

from __future__ import annotations

import re

import pytest
from fact_tables import disease, tables, write

from gym_clinic.errors import TaskError
from gym_clinic.facts import Epidemiology, Facts, Only, Person, load, restates_diagnosis

KNOWN = {"ages": [[0, 1, 1], [20, 40, 3]], "female": 0.25, "incidence": "rare"}

WOMEN = (
    r"pregnan|ovar(?:y|ian)|uterine|endometri|cervical cancer|vagin|trichomon|eclampsia|placent"
    r"|postpartum|postnatal|miscarriage|hellp|hyperemesis|trophoblast|pelvic inflammatory|mastitis"
    r"|gestational|turner|fibroadenoma|rett syndrome"
)
MEN = r"prostat|testicular|epididym|hydrocele|klinefelter|duchenne|becker|x-linked|type ii$"


@pytest.fixture(scope="module")
def facts() -> Facts:
    return load()


def test_an_epidemiology_admits_who_may_have_the_disease(tmp_path):
    rows = tables()
    rows["diseases"] = [disease("amber", "Amber", epidemiology=KNOWN), disease("blue", "Blue")]
    rows |= {name: [] for name in ("drugs", "interactions", "allergies", "guidelines")}
    found = load(write(tmp_path, rows)).diseases
    assert found["blue"].epidemiology is None
    known = found["amber"].epidemiology
    assert (known.ages[1].low, known.ages[1].weight, known.basis) == (20, 3, "authored")
    assert known.admits(Person(0.5, "male"))
    assert known.admits(Person(20, "female", "pregnant"))
    for age in (1, 19.9, 40):
        assert not known.admits(Person(age, "female"))
    men = Epidemiology.model_validate_json(
        '{"ages": [[0, 9, 1]], "female": 0, "incidence": "rare"}'
    )
    assert men.admits(Person(5, "male"))
    assert not men.admits(Person(5, "female"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ages": [[20, 40, 1], [30, 50, 1]]}, "bands ascend, and no two overlap"),
        ({"ages": [[40, 20, 1]]}, "bands ascend"),
        ({"ages": []}, "ages"),
        ({"ages": [[0, 200, 1]]}, "less than or equal to 120"),
        ({"ages": [[0, 20, 0]]}, "greater than 0"),
        ({"female": 1.5}, "female"),
        ({"incidence": "often"}, "incidence"),
        ({"pregnancy": "pregnant"}, "pregnancy goes with female 1"),
        ({"basis": "sourced"}, "a sourced epidemiology has a source"),
        ({"source": "nowhere", "basis": "sourced"}, "unknown 'nowhere'"),
    ],
)
def test_a_broken_epidemiology_is_an_error(tmp_path, change, message):
    rows = tables()
    rows["diseases"] = [disease("amber-fever", "Amber", epidemiology=KNOWN | change)]
    with pytest.raises(TaskError, match=re.escape(message)):
        load(write(tmp_path, rows))


@pytest.mark.parametrize(
    ("only", "able", "unable"),
    [
        (Only(sex="female"), Person(5, "female"), Person(5, "male")),
        (Only(low=18, high=50), Person(18, "male"), Person(50, "male")),
        (Only(low=18, high=50), Person(49.9, "male"), Person(17.9, "male")),
        (
            Only(sex="female", pregnancy="pregnant"),
            Person(30, "female", "pregnant"),
            Person(30, "female"),
        ),
    ],
)
def test_only_admits_who_can_have_a_finding(only, able, unable):
    assert only.admits(able)
    assert not only.admits(unable)


def test_only_is_possible():
    with pytest.raises(ValueError, match=r"low 50\.0 is not below high 18"):
        Only(low=50, high=18)
    with pytest.raises(ValueError, match="pregnancy goes with sex 'female'"):
        Only(pregnancy="pregnant")


def test_every_disease_has_an_epidemiology_that_fits_its_rarity(facts):
    for one in facts.diseases.values():
        known = one.epidemiology
        assert known is not None, one.id
        usual = (
            ("uncommon", "rare", "very_rare")[known.incidence == "uncommon" :] if one.rare else ()
        )
        assert known.incidence in usual if one.rare else known.incidence != "very_rare", one.id


def test_diseases_of_one_sex_are_of_that_sex_alone(facts):
    for one in facts.diseases.values():
        if re.search(WOMEN, one.name, re.IGNORECASE):
            assert one.epidemiology.female == 1, one.id
        if re.search(MEN, one.name, re.IGNORECASE) and "endocrine" not in one.name:
            assert one.epidemiology.female == 0, one.id
        if one.epidemiology.pregnancy:
            ages = one.epidemiology.ages
            assert ages[0].low >= 12, one.id
            assert ages[-1].high <= 52, one.id


def test_diseases_of_children_and_of_the_old_are_of_their_ages(facts):
    for one in facts.diseases.values():
        ages = one.epidemiology.ages
        if re.search(r"newborn|neonat|meconium|necrotising enterocolitis|pyloric", one.name, re.I):
            assert ages[-1].high <= 0.3, one.id
        if re.search(r"alzheimer|lewy bod|giant cell|polymyalgia|age-related", one.name, re.I):
            assert ages[0].low >= 50, one.id


def test_every_finding_of_a_disease_is_possible_for_its_sex(facts):
    for one in facts.diseases.values():
        for has in one.phenotypes:
            only = facts.phenotypes[has.phenotype].only
            if only is None or has.frequency.absent:
                continue
            share = one.epidemiology.female
            assert only.sex is None or (share if only.sex == "female" else 1 - share), (
                one.id,
                facts.phenotypes[has.phenotype].name,
            )


def test_most_findings_of_a_disease_are_possible_at_its_ages(facts):
    for one in facts.diseases.values():
        able = []
        named = [
            facts.phenotypes[has.phenotype]
            for has in one.phenotypes
            if not has.frequency.absent
            and not restates_diagnosis(one, facts.phenotypes[has.phenotype])
        ]
        for band in one.epidemiology.ages:
            sex = "female" if one.epidemiology.female >= 0.5 else "male"
            who = Person((band.low + band.high) / 2, sex, one.epidemiology.pregnancy)
            able.append(sum(has.only is None or has.only.admits(who) for has in named))
        assert min(able) >= 3, (one.id, able)
        assert max(able) >= 0.55 * len(named), (one.id, able)
