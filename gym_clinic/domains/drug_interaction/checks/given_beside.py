"""What is given beside a drug to protect from it, such as a laxative beside a strong opioid."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from gym_clinic.domains.drug_interaction.checks.risks import DrugRisk, Remedy, Severity
from gym_clinic.facts import load
from gym_clinic.facts.named_drugs import is_a
from gym_clinic.facts.records.drugs import plain_name

MISSING = "missing medicine"
"""Kind of the problem of a drug without what is given beside it."""


@dataclass(frozen=True)
class BesideRule:
    """What is given beside a drug.

    Attributes:
        severity: How severe it is if it is missing.
        why: What happens then.
        advice: What to do.
        drugs: Drugs or classes, as references.
        given: Id of what protects.
        taken: How that is taken: dose, unit, times a day, for what.
    """

    severity: Severity
    why: str
    advice: str
    drugs: tuple[str, ...]
    given: str
    taken: tuple[float, str, float, str]


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Any]:
    text = Path(__file__).with_name("given_beside.json").read_text(encoding="utf-8")
    table: Mapping[str, Any] = json.loads(text)
    return table


@lru_cache(maxsize=1 << 11)
def beside_rule(drug: str) -> BesideRule | None:
    """Return what is given beside a drug; None if nothing is.

    >>> rule = beside_rule("methotrexate")
    >>> rule and rule.given
    'folic-acid'
    """
    for severity, why, advice, drugs, given, taken in _table()["rules"]:
        if any(is_a(drug, ref) for ref in drugs):
            return BesideRule(severity, why, advice, tuple(drugs), given, tuple(taken))
    return None


@lru_cache(maxsize=1 << 11)
def may_be_beside(drug: str) -> frozenset[str]:
    """Return what may be given beside a drug, though no rule asks for it.

    >>> sorted(may_be_beside("codeine")), sorted(may_be_beside("morphine"))
    (['lactulose'], [])
    """
    if beside_rule(drug) is not None:
        return frozenset()
    rows = _table()["allowed"]
    return frozenset(given for drugs, given in rows if any(is_a(drug, ref) for ref in drugs))


def may_be_in_pregnancy(weeks: float | None) -> frozenset[str]:
    """Return what may be given in a pregnancy of some completed weeks, though no rule asks for it.

    >>> sorted(may_be_in_pregnancy(10)), sorted(may_be_in_pregnancy(20))
    (['folic-acid'], [])
    """
    until: dict[str, float] = _table()["in pregnancy"]
    return frozenset(drug for drug, last in until.items() if weeks is not None and weeks <= last)


def beside_risk(drug: str, taken: Collection[str] = ()) -> DrugRisk | None:
    """Return what is missing beside a drug for somebody who takes other drugs; None if nothing is.

    >>> beside_risk("morphine", ["lactulose"]) is None
    True
    """
    rule = beside_rule(drug)
    if rule is None or rule.given in taken:
        return None
    add = (Remedy("add", frozenset({rule.given})),)
    return DrugRisk(rule.severity, ("change",), rule.advice, rule.why, add)


def has_a_purpose(drug: str, reason: str, taken: Collection[str]) -> bool:
    """Return whether somebody who takes other drugs has a use for one.

    What protects from a drug has none for the same condition without that drug.

    >>> has_a_purpose("folic-acid", "rheumatoid-arthritis", ["leflunomide"])
    False
    >>> has_a_purpose("folic-acid", "sickle-cell-disease", ["leflunomide"])
    True
    """
    beside = {ref for _, _, _, drugs, given, how in _table()["rules"]
              if given == drug and how[3] == reason and reason in load().conditions
              for ref in drugs}  # fmt: skip
    return not beside or any(is_a(other, ref) for other in taken for ref in beside)


@lru_cache(maxsize=1)
def other_names() -> Mapping[str, tuple[str]]:
    """Return name -> the drug of the table that it stands for, names as `plain_name` has them."""
    others = _table()["others"].items()
    return {plain_name(name): (drug,) for drug, names in others for name in names}
