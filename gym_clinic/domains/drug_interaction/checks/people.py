"""What a pregnancy or old age says of a drug."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gym_clinic.domains.drug_interaction.checks.formulary import PregnancyRule, pregnancy_rule
from gym_clinic.domains.drug_interaction.checks.risks import ACTIVE, Action, DrugRisk, Severity
from gym_clinic.facts import load
from gym_clinic.facts.records.drugs import OlderAdultRule

AT_TERM = 36
"""Completed weeks from which a pregnancy is near term."""

OLD = 65
"""Age in years from which the rules for older adults hold."""


def pregnancy_risk(drug: str, weeks: float) -> DrugRisk:
    """Return what a pregnancy of some completed weeks says of a drug.

    A drug without a rating, and one that asks for caution, is no choice without a specialist.
    """
    own = ACTIVE.get(drug, drug)
    rated = load().drugs[own].pregnancy
    if rated is not None:
        rule = PregnancyRule(rated.level, rated.reason)
        late, early = ">=20 weeks" in rule.reason, "1st trimester" in rule.reason
        outside = (late and weeks < 20) or (
            early and weeks >= 13 and "after 1st" not in rule.reason
        )
        if "at term" in rule.reason and weeks < AT_TERM:
            return DrugRisk("minor", ("none",), "acceptable", rule.reason)
    else:
        found = pregnancy_rule(own)
        if found is None:
            return DrugRisk("minor", ("none", "avoid"), "not rated: ask a specialist first")
        rule, outside = found, weeks < found.from_week
    if rule.level == "acceptable":
        return DrugRisk("minor", ("none",), rule.level, rule.reason)
    if rule.level == "caution":
        return DrugRisk("minor", ("none", "avoid"), "caution: ask a specialist first", rule.reason)
    severity: Severity = "contraindicated" if rule.level == "contraindicated" else "major"
    actions: tuple[Action, ...] = ("avoid", "none") if outside else ("avoid",)
    return DrugRisk(severity, actions, f"{rule.level} in pregnancy", rule.reason)


OF_THE_START = re.compile(r"(avoid|do not) (starting|initiat)|not first line|avoid as first-line")
"""How rules for older adults begin that are about what is started."""


def older_risks(
    drug: str, age: float, indication: Sequence[str] = (), *, taken: bool = False
) -> Iterator[DrugRisk]:
    """Yield what the rules for older adults say of a drug for an indication.

    Args:
        drug: Id of the drug.
        age: Years.
        indication: What it is for, in the names of the rules.
        taken: Whether it is taken for long, so that rules about the start no longer hold.
    """
    if age < OLD:
        return
    record = load().drugs[drug]
    groups = [load().drug_classes[key] for key in sorted(record.classes)]
    rules = [*record.older_adults, *(rule for group in groups for rule in group.older_adults)]
    for rule in rules:
        if taken and OF_THE_START.match(rule.rule):
            continue
        if not rule.only_indications or set(rule.only_indications) & set(indication):
            yield _older_risk(rule)


def _older_risk(rule: OlderAdultRule) -> DrugRisk:
    if rule.caution:
        return DrugRisk("minor", ("none",), rule.rule, "from 65 years")
    if rule.form is not None:
        return DrugRisk("minor", ("none", "avoid"), f"{rule.form}: {rule.rule}", "from 65 years")
    return DrugRisk("moderate", ("avoid",), rule.rule, "from 65 years")
