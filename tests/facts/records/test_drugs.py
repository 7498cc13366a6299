"""The tables of drugs: graded and told interactions agree, and a reference holds in them."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from places import KB
from pydantic import ValidationError
from real_data import real

from gym_clinic.errors import TaskError
from gym_clinic.facts import Drug, Facts, Interaction, resolve
from gym_clinic.facts.records.drugs import CLASS, plain_name
from gym_clinic.facts.tables import table_files
from gym_clinic.facts.typed_json import read_object
from kb.build.__main__ import build, changed
from kb.build.drug_reference import _NAMES, SOURCE, DrugReference, take_drugs
from kb.build.proof import PROOF


def members(facts: Facts, reference: str) -> set[str]:
    if not reference.startswith(CLASS):
        return {reference}
    key = reference.removeprefix(CLASS)
    return {drug.id for drug in facts.drugs.values() if key in drug.classes}


def covering(facts: Facts, one: str, other: str) -> Iterator[Interaction]:
    """Yield the graded interactions of two drugs: the pair, or else the rules of classes."""
    pair = facts.interactions.get(" + ".join(sorted((one, other))))
    if pair is not None and pair.severity:
        yield pair
        return
    for rule in facts.interactions.values():
        if rule.severity and not rule.of_drugs and len(rule.between) == 2:
            first, second = (members(facts, side) for side in rule.between)
            if (one in first and other in second) or (other in first and one in second):
                yield rule


def test_every_fact_of_the_reference_is_in_the_tables() -> None:
    """Taking the references again changes nothing, so that the tables hold all of both."""
    tables = [real(f"../clinical/{name}.yaml") for name in ("drugs", "instruments")]
    files = build(KB / "facts", PROOF, drugs=tables[0], instruments=tables[1])
    assert changed(files) == []


def test_the_tables_hold_as_much_as_the_reference(
    facts: Facts, drug_tables: dict[str, Any], published: dict[str, dict[str, Any]]
) -> None:
    graded = [one for one in facts.interactions.values() if one.severity and SOURCE in one.sources]
    assert sum(one.of_drugs for one in graded) == len(drug_tables["interactions"])
    assert sum(not one.of_drugs for one in graded) == len(drug_tables["class_interactions"])
    drugs = list(facts.drugs.values())
    assert sum(one.metabolism is not None for one in drugs) == len(drug_tables["cyp"])
    assert sum(one.pregnancy is not None for one in drugs) == len(drug_tables["pregnancy"])
    assert sum(len(one.renal) for one in drugs) == len(drug_tables["renal"])
    reactions = [one for one in facts.cross_reactions.values() if SOURCE in one.sources]
    assert len(reactions) == len(drug_tables["allergy_cross_reactivity"])
    rules = sum(len(one.older_adults) for one in (*drugs, *facts.drug_classes.values()))
    assert rules == len(drug_tables["beers_2023_style"])
    # Two forms have the limit of their drug, which is written once.
    limits = sum(len(one.max_daily_doses) for one in drugs)
    assert limits == len(drug_tables["max_daily_dose_adult"]) - 2
    assert len(facts.instruments) == len(published)


def test_every_value_of_the_reference_is_the_one_of_its_drug(
    facts: Facts, drug_tables: dict[str, Any]
) -> None:
    """By names alone, apart from the code that takes the reference."""
    names = {
        plain_name(name): drug.id
        for drug in facts.drugs.values()
        for name in (*drug.synonyms, drug.name, drug.id)
    }
    assert len(drug_tables["max_daily_dose_adult"]) > 100
    for row in drug_tables["max_daily_dose_adult"]:
        drug = facts.drugs[names[plain_name(row["drug"])]]
        form = plain_name(row["drug"])
        limits = {one.form: one for one in drug.max_daily_doses}
        limit = limits[form] if form in limits else limits[None]
        assert (limit.maximum, limit.unit) == (row["max"], row["unit"]), row
        assert limit.by_route == row.get("max_by_route", {}), row
        if limit.form == form or form == plain_name(drug.name):
            assert limit.verified_against == row["verified_against"]
    for row in drug_tables["interactions"]:
        sides = [names[plain_name(row[side])] for side in "ab"]
        one = facts.interactions[" + ".join(sorted(sides))]
        assert one.severity == row["severity"], row
        assert one.otherwise == row.get("otherwise"), row
        assert one.verified_against == row["verified_against"]
    for row in drug_tables["pregnancy"]:
        found = facts.drugs[names[plain_name(row["drug"])]].pregnancy
        assert found is not None
        assert found.level == row["level"]


def test_classes_have_the_members_of_the_reference(
    facts: Facts, drug_tables: dict[str, Any]
) -> None:
    """A rule of classes holds for the drugs that its source names, and for no other."""
    taken = DrugReference(drug_tables, [])
    generic = {"penicillin": {"flucloxacillin", "pivmecillinam"}, "live_vaccine": {"live-vaccine"}}
    generic |= {"insulin": {"insulin"}, "beta_blocker": {"esmolol", "timolol"}}
    for name, listed in drug_tables["classes"].items():
        theirs = {taken.drug(member) for member in listed}
        if name in _NAMES["single"]:
            assert theirs == {_NAMES["single"][name]}
        else:
            ours = members(facts, CLASS + taken.class_id(name))
            assert ours - theirs == generic.get(name, set()), name
            assert theirs <= ours, name


KINDS = (
    "penicillin", "cephalosporin", "carbapenem", "macrolide", "fluoroquinolone", "tetracycline",
    "SSRI", "SNRI", "statin", "benzodiazepine", "ACE inhibitor", "NSAID",
    "corticosteroid", "sulfonylurea", "triptan", "bisphosphonate", "thiopurine", "glycopeptide",
)  # fmt: skip
"""Kinds of drugs that a summary names and that allergies and interactions go by."""


def test_a_drug_has_the_class_that_its_summary_names(facts: Facts) -> None:
    seen = 0
    for drug in facts.drugs.values():
        found = re.match(
            r"(?:An?|The) (?:[a-z-]+ )*?(" + "|".join(KINDS) + r")\b", drug.summary or ""
        )
        if found:
            seen += 1
            classes = {facts.drug_classes[key].name.casefold() for key in drug.classes}
            assert found[1].casefold() in classes, drug.id
    assert seen >= 25


def test_a_class_with_other_members_is_an_error(drug_tables: dict[str, Any]) -> None:
    tables = {file: read_object(file) for file in table_files(KB / "facts")}
    drugs = tables[KB / "facts" / "drugs.json"]["records"]
    next(one for one in drugs if one["id"] == "alprazolam")["classes"].append("ssri")
    with pytest.raises(TaskError, match=r"class ssri: other members here: \['alprazolam'\]"):
        take_drugs(KB / "facts", tables, drug_tables)


def test_what_is_told_agrees_with_what_is_graded(facts: Facts) -> None:
    compared = 0
    for one in facts.interactions.values():
        if len(one.between) == 2 and "contraindicated" in (one.effect or ""):
            sides = (members(facts, side) for side in one.between)
            for drug, other in itertools.product(*sides):
                if drug == other:
                    continue
                for grade in covering(facts, drug, other):
                    compared += 1
                    assert "contraindicated" in (grade.severity, grade.otherwise) or any(
                        rule.severity == "contraindicated" for rule in covering(facts, drug, other)
                    ), (one.id, drug, other, grade.severity)
    assert compared >= 30


def test_cautions_agree_with_pregnancy_and_kidneys(facts: Facts) -> None:
    written = [one for one in facts.drugs.values() if one.summary]
    asked = [one for one in written if one.pregnancy and one.pregnancy.level != "acceptable"]
    assert len(asked) >= 15
    for one in asked:
        words = ("pregnan", "trimester", "birth")
        assert any(word in text for text in one.cautions for word in words) or (
            one.pregnancy is not None and one.pregnancy.level == "caution"
        ), one.id
    for one in written:
        if one.pregnancy and one.pregnancy.level == "acceptable":
            assert "pregnancy" not in one.cautions, one.id


def test_names_are_distinct_and_resolve(facts: Facts) -> None:
    owners: dict[str, str] = {}
    for one in facts.drugs.values():
        for name in {plain_name(text) for text in (one.id, one.name, *one.synonyms)}:
            assert owners.setdefault(name, one.id) == one.id, name
    for name, drug in {
        "acetaminophen": "paracetamol",
        "Metoprolol Succinate": "metoprolol",
        "piperacillin_tazobactam": "piperacillin-tazobactam",
        "co-trimoxazole": "trimethoprim-sulfamethoxazole",
        "rifampin": "rifampicin",
    }.items():
        named = resolve(name)
        assert named is not None
        assert named.ingredients == (drug,)


def test_every_class_is_used_and_named_once(facts: Facts) -> None:
    used = {name for drug in facts.drugs.values() for name in drug.classes}
    assert used == set(facts.drug_classes)
    names = Counter(one.name.casefold() for one in facts.drug_classes.values())
    assert max(names.values()) == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"between": ["warfarin"]}, "at least 2 items"),
        ({"between": ["warfarin", "Class:nsaid"]}, "should match pattern"),
        ({"severity": "minor"}, "Input should be 'contraindicated'"),
        ({"mechanism": None}, "a graded interaction has its mechanism"),
        ({"otherwise": "major"}, "a condition has a severity otherwise"),
        ({"applies_if": {"drug": "aspirin"}, "otherwise": "major"}, "a drug with its route"),
        ({"washout": {"days": 0}}, "greater than 0"),
    ],
)
def test_a_wrong_interaction_is_an_error(changes: dict[str, Any], message: str) -> None:
    right = {
        "between": ["warfarin", "aspirin"],
        "severity": "major",
        "mechanism": "bleeding",
        "sources": ["own"],
        "provenance": "authored",
        "reviewed": "2026-01-31",
    }
    assert Interaction.model_validate_json(json.dumps(right)).id == "aspirin + warfarin"
    with pytest.raises(ValidationError, match=message):
        Interaction.model_validate_json(json.dumps(right | changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"max_daily_doses": [{"maximum": 4, "unit": "mL"}]}, "Input should be 'mg'"),
        ({"max_daily_doses": [{"maximum": 4, "unit": "mg", "form": "salt"}]}, "is no synonym"),
        ({"max_daily_doses": [{"maximum": 4, "unit": "mg"}] * 2}, "two limits of one form"),
        ({"renal": [{"action": "avoid"}]}, "a measure with limits, or a condition"),
        ({"renal": [{"action": "avoid", "measure": "CrCl"}]}, "a measure has limits"),
        ({"metabolism": {"substrate_of": ["CYP3A4"]}}, "should match pattern"),
        ({"interactions": []}, "Extra inputs"),
    ],
)
def test_a_wrong_drug_is_an_error(changes: dict[str, Any], message: str) -> None:
    stamp = {"sources": ["own"], "provenance": "authored", "reviewed": "2026-01-31"}
    right = {"id": "ambrol", "name": "Ambrol", **stamp}
    assert Drug.model_validate_json(json.dumps(right)).summary is None
    with pytest.raises(ValidationError, match=message):
        Drug.model_validate_json(json.dumps(right | changes))
