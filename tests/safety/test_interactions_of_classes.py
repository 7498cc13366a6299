"""An interaction of one member of a class holds for the class, unless a reason is written."""

from __future__ import annotations

import re

import pytest

from gym_clinic.facts import load
from gym_clinic.safety.interactions import Medicine, facts_of, interaction
from gym_clinic.safety.state import Patient

GRADES = ("moderate", "major", "contraindicated")
ALIKE = (
    "ace-inhibitor", "angiotensin-receptor-blocker", "thiazide-diuretic", "loop-diuretic",
    "potassium-sparing-diuretic", "non-aspirin-nsaid", "ssri", "snri", "fluoroquinolone",
    "direct-oral-anticoagulant", "sulfonylurea", "irreversible-mao-inhibitor", "nitrate",
    "pde5-inhibitor", "tetracycline", "carbapenem", "aminoglycoside", "beta-blocker",
    "benzodiazepine", "opioid", "p2y12-inhibitor",
)  # fmt: skip
"""Classes whose members act alike, so that what follows from the action holds for all."""

OF_ONE = re.compile(r"CYP|OATP|P-gp|glucuronid|QT|1A2|OCT2|xanthine|chelation|level|displacement")
"""Mechanisms of one drug: enzymes, transporters, the QT interval."""

EXCEPT = {
    "morphine": "the rule of buprenorphine names the opioids",
    "insulin": "the members that are not selective alone hide low glucose",
    "sertraline": "of the opioids only those that hold back serotonin",
    "rocuronium": "only gentamicin was graded beside a relaxant of the operating theatre",
    "epinephrine": "unopposed alpha effect needs a block of both beta receptors",
    "linezolid": "of the opioids only those that hold back serotonin",
    "selegiline": "of the opioids only those that hold back serotonin",
    "dopamine": "given in intensive care, where nobody starts the others",
    "procarbazine": "graded beside one of them alone",
    "probenecid": "ketorolac alone has a label that forbids it",
    "ibuprofen": "the rule of ketorolac names its members",
    "olanzapine": "by injection only",
    "bosentan": "liver damage of glibenclamide alone",
}
"""Partner -> why a pair with it does not hold for the class."""


def grade(one: str, other: str) -> str | None:
    found = interaction(Medicine(one), Medicine(other), Patient())
    return None if found is None else found.severity


def test_a_pair_is_graded_as_the_rule_of_its_classes_or_says_why_not() -> None:
    unlike = []
    for one in load().interactions.values():
        if one.severity is None or not one.of_drugs or one.differs:
            continue
        _, rules = facts_of(*one.between)
        top = max((rule.severity or "" for rule in rules), key=GRADES.index, default=one.severity)
        if top != one.severity:
            unlike.append(f"{one.id}: {one.severity}, its classes {top}")
    assert unlike == []


def test_what_follows_from_the_action_of_one_member_is_graded_for_every_member() -> None:
    lacking, facts = [], load()
    for one in facts.interactions.values():
        if one.severity is None or not one.of_drugs or OF_ONE.search(one.mechanism or ""):
            continue
        for member, partner in (one.between, one.between[::-1]):
            for group in set(ALIKE) & {*facts.drugs[member].classes}:
                others = [drug.id for drug in facts.drugs.values() if group in drug.classes]
                without = [other for other in others
                           if other != partner and grade(other, partner) is None]  # fmt: skip
                if without and partner not in EXCEPT and not one.differs:
                    lacking.append(f"{one.id}: not {without}")
    assert lacking == []


@pytest.mark.parametrize("blocker", ["ramipril", "lisinopril", "losartan", "candesartan"])
@pytest.mark.parametrize(
    "other", ["trimethoprim", "lithium", "spironolactone", "eplerenone", "potassium-chloride"]
)
def test_blockers_of_the_renin_system_are_alike(blocker: str, other: str) -> None:
    assert grade(blocker, other) == "major"


@pytest.mark.parametrize(
    "other", ["chlorthalidone", "hydrochlorothiazide", "naproxen", "celecoxib"]
)
def test_lithium_beside_thiazides_and_anti_inflammatory_drugs(other: str) -> None:
    assert grade("lithium", other) == "major"


@pytest.mark.parametrize("opioid", ["tramadol", "codeine", "oxycodone", "morphine"])
def test_no_full_agonist_beside_buprenorphine(opioid: str) -> None:
    assert grade("buprenorphine", opioid) == "major"


@pytest.mark.parametrize("opioid", ["codeine", "morphine", "hydromorphone", "hydrocodone"])
@pytest.mark.parametrize("blocker", ["phenelzine", "tranylcypromine", "isocarboxazid"])
def test_no_opioid_beside_an_irreversible_mao_inhibitor(opioid: str, blocker: str) -> None:
    assert grade(opioid, blocker) == "major"
