"""What the tables say of a drug, as the tools of a review tell it."""

from __future__ import annotations

import re

import pytest

from gym_clinic.domains.drug_interaction.checks.doses import dose_risk, renal_risks
from gym_clinic.domains.drug_interaction.checks.formulary import (
    bought,
    brands,
    hepatic_rules,
    home_regimens,
    indications,
    products,
    treats,
)
from gym_clinic.domains.drug_interaction.checks.people import older_risks, pregnancy_risk
from gym_clinic.domains.drug_interaction.checks.risks import (
    allergy_risk,
    duplicate_risk,
    hepatic_risk,
    pair_risk,
    washout_risk,
)
from gym_clinic.facts import load
from gym_clinic.facts.named_drugs import resolve


@pytest.mark.parametrize(
    ("drug", "other", "severity", "actions"),
    [
        ("phenelzine", "sertraline", "contraindicated", ("avoid",)),
        ("apixaban", "carbamazepine", "major", ("avoid",)),
        ("simvastatin", "amiodarone", "major", ("change",)),
        ("ciprofloxacin", "ferrous-sulfate", "moderate", ("change",)),
        ("ciprofloxacin", "warfarin", "major", ("avoid", "change")),
    ],
)
def test_a_pair_has_its_severity_and_what_may_be_done(
    drug: str, other: str, severity: str, actions: tuple[str, ...]
) -> None:
    risk = pair_risk(drug, other)
    assert risk is not None
    assert (risk.severity, risk.actions) == (severity, actions)


def test_the_remedy_is_read_from_the_advice() -> None:
    most = pair_risk("simvastatin", "amiodarone")
    assert most is not None
    assert [(one.kind, one.drugs, one.most) for one in most.remedies] == [
        ("dose", frozenset({"simvastatin"}), 20.0)
    ]
    apart = pair_risk("levothyroxine", "ferrous-sulfate")
    assert apart is not None
    assert [(one.kind, one.amount) for one in apart.remedies] == [("apart", 4.0)]


def test_a_pair_without_a_grade_is_no_risk() -> None:
    assert pair_risk("paracetamol", "amlodipine") is None


def test_a_washout_ends() -> None:
    early = washout_risk("sertraline", "phenelzine", 6)
    assert early is not None
    assert early.remedies[0].amount == 8
    assert washout_risk("sertraline", "phenelzine", 14) is None
    assert washout_risk("phenelzine", "fluoxetine", 20) is not None


def test_an_allergy_forbids_its_class_and_spares_what_is_not_related() -> None:
    penicillin = allergy_risk("amoxicillin", "class:penicillin", "rash")
    assert penicillin is not None
    assert (penicillin.severity, penicillin.actions) == ("contraindicated", ("avoid",))
    other = allergy_risk("cefalexin", "class:penicillin", "rash")
    assert other is not None
    assert other.actions == ("none",)
    assert allergy_risk("doxycycline", "class:penicillin") is None


def test_kidneys_ask_by_the_measure_of_the_rule() -> None:
    assert [one.actions for one in renal_risks("metformin", 25, 60)] == [("avoid",)]
    assert [one.actions for one in renal_risks("metformin", 70, 25)] == []
    assert [one.actions for one in renal_risks("ciprofloxacin", 70, 25)] == [("change",)]


def test_liver_pregnancy_and_age() -> None:
    assert hepatic_risk("paracetamol", "A", 4000) is not None
    assert hepatic_risk("paracetamol", "A", 1500) is None
    assert hepatic_risk("rivaroxaban", "A") is None
    contraindicated = pregnancy_risk("ramipril", 20)
    assert contraindicated is not None
    assert contraindicated.severity == "contraindicated"
    early = pregnancy_risk("ibuprofen", 8)
    assert early is not None
    assert early.actions == ("avoid", "none")
    assert [one.actions for one in older_risks("zolpidem", 80)] == [("avoid",)]
    assert list(older_risks("zolpidem", 64)) == []
    assert list(older_risks("naproxen", 80)) == []
    assert list(older_risks("naproxen", 80, ["osteoarthritis"])) != []


def test_duplicates_and_doses() -> None:
    assert duplicate_risk("naproxen", "ibuprofen") is not None
    assert duplicate_risk("naproxen", "paracetamol") is None
    over = dose_risk("citalopram", 60, "mg")
    assert over is not None
    assert over.remedies[0].most == 40
    assert dose_risk("citalopram", 40, "mg") is None
    assert dose_risk("methotrexate", 15 / 7, "mg") is None


def test_the_formulary_names_known_drugs_and_conditions() -> None:
    facts = load()
    for one in indications().values():
        assert {option.drug for option in one.options} <= facts.drugs.keys()
        assert set(one.presents) <= facts.conditions.keys()
    for table in (home_regimens(), bought(), brands(), hepatic_rules()):
        assert table.keys() <= facts.drugs.keys()
    for drug, brand in brands().items():
        named = resolve(brand)
        assert named is not None
        assert named.ingredients == (drug,)
    for name, row in products().items():
        named = resolve(name)
        assert named is not None
        assert set(named.ingredients) == {drug for drug, _ in row}


def test_what_treats_an_indication() -> None:
    cystitis = indications()["cystitis"]
    assert treats("nitrofurantoin", cystitis)
    assert not treats("warfarin", cystitis)


OF_AN_INDICATION = re.compile(r"\b(AF|VTE|DVT|osteoporosis|prophylaxis|GERD|gastroparesis)\b")


def test_a_rule_of_the_kidneys_that_speaks_of_an_indication_is_kept_to_it() -> None:
    wide = [
        f"{drug.id}: {rule.action}"
        for drug in load().drugs.values()
        for rule in drug.kidney_rules
        if OF_AN_INDICATION.search(rule.action) and not rule.only_indications
    ]
    assert wide == ["enoxaparin: 1 mg/kg once daily / 30 mg daily prophylaxis",
                    "sotalol: contraindicated (AF label)"]  # fmt: skip


def test_rules_of_the_kidneys_name_indications_that_are_asked_for() -> None:
    known = {name for one in indications().values() for name in one.older}
    named = {
        name
        for drug in load().drugs.values()
        for rule in drug.kidney_rules
        for name in rule.only_indications
    }
    assert named <= known
    with_dose = [rule for one in load().drugs.values() for rule in one.renal_doses if rule.most]
    assert len(with_dose) > 15


def test_tools_tell_for_which_indication_a_rule_of_the_kidneys_holds() -> None:
    told = [one.advice for one in renal_risks("rivaroxaban", 24, 24)]
    assert told == ["reduce to 15 mg daily with food (only for af)"]
    assert list(renal_risks("rivaroxaban", 24, 24, indication=("vte",))) == []
