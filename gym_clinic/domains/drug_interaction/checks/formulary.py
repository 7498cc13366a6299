"""What is given for what and at which dose, what people buy, brands, and doses in cirrhosis.

General knowledge, authored; a simulation, not for patient care.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from gym_clinic.facts import load
from gym_clinic.facts.records.drugs import RULES_ONLY, plain_name

ChildPugh = Literal["A", "B", "C"]


@dataclass(frozen=True)
class Regimen:
    """How a drug is given.

    Attributes:
        drug: Id of the drug.
        dose: Amount of one time.
        unit: Of the dose.
        per_day: Times a day; below 1 for less often.
        route: Such as "po".
    """

    drug: str
    dose: float
    unit: str
    per_day: float
    route: str = "po"

    @property
    def daily(self) -> float:
        """Amount a day, in the unit of the dose."""
        return self.dose * self.per_day

    @property
    def daily_mg(self) -> float:
        """Amount a day in mg; 0 in another unit, which no rule of a high dose is about."""
        return self.daily if self.unit == "mg" else 0.0


@dataclass(frozen=True)
class Indication:
    """A reason to prescribe, with what is usually given for it.

    Attributes:
        name: Its name.
        why: The reason as a request gives it.
        options: What is usually given, each a right choice in a patient without problems.
        presents: Conditions of patients in whom the question comes up.
        lives_with: Condition that such a patient lives with; None where it brings the patient.
        disease: Id of the disease that is treated; None for a symptom.
        older: Names of the indication in the rules for older adults.
        first: What is given before all others; none where nothing is.
        as_needed: Whether it is treated when it comes, not every day.
        also: What a guideline accepts instead, and no request proposes.
        outside: The same that the fact tables lack, by its name in "outside".
    """

    name: str
    why: str
    options: tuple[Regimen, ...]
    presents: tuple[str, ...]
    lives_with: str | None
    disease: str | None
    older: tuple[str, ...]
    as_needed: bool = False
    first: tuple[str, ...] = ()
    also: tuple[Regimen, ...] = ()
    outside: tuple[str, ...] = ()


@dataclass(frozen=True)
class OutsideDrug:
    """A right alternative that the fact tables lack.

    Attributes:
        not_beside: Drugs and classes beside which it is none, as references.
        local: Whether it acts where it is applied, and nowhere else.
        of: What somebody is allergic to who must not have it, as a reference.
    """

    not_beside: tuple[str, ...]
    local: bool
    of: str


@dataclass(frozen=True)
class HomeRegimen:
    """How people take a medicine at home.

    Attributes:
        regimen: Dose and times a day.
        reason: What it is taken for: id of a condition, or words.
        share: Of those who have that condition who take it so, about.
    """

    regimen: Regimen
    reason: str
    share: float = 0.02


@dataclass(frozen=True)
class HepaticRule:
    """What cirrhosis asks of a drug.

    Attributes:
        since: Child-Pugh class from which on it holds.
        action: "avoid", "reduce", or "caution" for what is left to a specialist.
        advice: In words.
        most: Amount a day up to which it asks for nothing; None where no number is given.
    """

    since: ChildPugh
    action: Literal["avoid", "reduce", "caution"]
    advice: str
    most: float | None = None


@dataclass(frozen=True)
class PregnancyRule:
    """Whether a drug may be started in pregnancy.

    Attributes:
        level: From acceptable to contraindicated.
        reason: Why.
        from_week: Completed week from which on it holds.
    """

    level: Literal["acceptable", "caution", "avoid", "contraindicated"]
    reason: str
    from_week: float = 0.0


@lru_cache(maxsize=1)
def _tables() -> Mapping[str, Any]:
    text = Path(__file__).with_name("formulary.json").read_text(encoding="utf-8")
    tables: Mapping[str, Any] = json.loads(text)
    return tables


def _rows(name: str) -> dict[str, Any]:
    return {key: row for key, row in _tables()[name].items() if key != "note"}


@lru_cache(maxsize=1)
def indications() -> Mapping[str, Indication]:
    """Return the reasons to prescribe by name."""
    return {
        name: Indication(
            name,
            one["why"],
            tuple(Regimen(*row) for row in one["options"]),
            tuple(one["presents"]),
            one.get("lives_with"),
            one.get("disease"),
            tuple(one.get("older", ())),
            one.get("as_needed", False),
            tuple(one.get("first", ())),
            tuple(Regimen(*row) for row in _rows("also given").get(name, ())),
            tuple(key for key, row in _rows("outside").items() if name in row["for"]),
        )
        for name, one in _tables()["indications"].items()
    }


@lru_cache(maxsize=1)
def home_regimens() -> Mapping[str, tuple[HomeRegimen, ...]]:
    """Return drug -> how people take it at home, by prescription."""
    found: dict[str, tuple[HomeRegimen, ...]] = {}
    for condition in load().conditions.values():
        for one in condition.medicines:
            for dose in one.doses:
                taken = Regimen(one.drug, dose, one.unit, one.per_day)
                row = HomeRegimen(taken, condition.id, one.share / len(one.doses))
                found[one.drug] = (*found.get(one.drug, ()), row)
    for drug, (dose, unit, per_day, reason) in _rows("home").items():
        found.setdefault(drug, (HomeRegimen(Regimen(drug, dose, unit, per_day), reason),))
    return found


def ages_of(reason: str) -> tuple[float, float]:
    """Return from which to which age in years a medicine is taken for a reason in words.

    >>> ages_of("Parkinson disease"), ages_of("low potassium")
    ((50, 130), (0, 130))
    """
    youngest, oldest = _rows("ages").get(reason, (0, 130))
    return youngest, oldest


@lru_cache(maxsize=1)
def bought() -> Mapping[str, HomeRegimen]:
    """Return drug -> how people take it when they buy it without a prescription."""
    return {
        drug: HomeRegimen(Regimen(drug, dose, unit, per_day), reason)
        for drug, (dose, unit, per_day, reason) in _rows("bought").items()
    }


@lru_cache(maxsize=1)
def brands() -> Mapping[str, str]:
    """Return drug -> a brand name of it."""
    return _rows("brands")


@lru_cache(maxsize=1)
def products() -> Mapping[str, tuple[tuple[str, float], ...]]:
    """Return combination product -> its ingredients with their amounts in mg."""
    return {key: tuple((drug, mg) for drug, mg in row) for key, row in _rows("products").items()}


def combined_for(drug: str, reason: str) -> list[str]:
    """Return the combination products with a drug that people take for a reason.

    >>> combined_for("atorvastatin", "stable-angina-pectoris")
    ['Caduet']
    >>> combined_for("atorvastatin", "type-2-diabetes-mellitus")
    []
    """
    known = _rows("combined for")
    return [name for name, row in products().items()
            if drug in dict(row) and reason in known.get(name, ())]  # fmt: skip


@lru_cache(maxsize=1)
def hepatic_rules() -> Mapping[str, tuple[HepaticRule, ...]]:
    """Return drug -> what cirrhosis asks of it, from each class on."""
    return {
        drug: tuple(HepaticRule(*one) for one in (rows if isinstance(rows[0], list) else [rows]))
        for drug, rows in _rows("hepatic").items()
    }


def hepatic_rule(drug: str, child_pugh: ChildPugh) -> HepaticRule | None:
    """Return what a class of cirrhosis asks of a drug; None if nothing.

    >>> [hepatic_rule("sertraline", one).action for one in ("A", "B", "C")]
    ['reduce', 'avoid', 'avoid']
    """
    return next(
        (one for one in hepatic_rules().get(drug, ())[::-1] if child_pugh >= one.since), None
    )


def higher_doses() -> Mapping[str, float]:
    """Return drug -> a higher dose of one time at which it is started as usually."""
    return _rows("higher")


def safe_in_cirrhosis() -> frozenset[str]:
    """Return the drugs that are started at their usual dose in compensated cirrhosis."""
    return frozenset(_rows("safe in cirrhosis")["drugs"])


def hurts_the_liver(drug: str) -> bool:
    """Return whether a drug is left to a specialist where the liver is not well."""
    return drug in _rows("raised liver enzymes")["drugs"]


@lru_cache(maxsize=1)
def _pregnancy() -> Mapping[str, Any]:
    text = Path(__file__).with_name("pregnancy.json").read_text(encoding="utf-8")
    tables: Mapping[str, Any] = json.loads(text)
    return tables


@lru_cache(maxsize=1024)
def pregnancy_rule(drug: str) -> PregnancyRule | None:
    """Return the rule of a drug that the fact tables do not rate: its own, or that of its class."""
    table = _pregnancy()
    row = table["drugs"].get(drug)
    groups = load().drugs[drug].classes
    row = row or next((rule for key, rule in table["classes"].items() if key in groups), None)
    return None if row is None else PregnancyRule(*row)


def low_in_pregnancy(drug: Regimen) -> bool:
    """Return whether a dose is so low that a specialist may want it in pregnancy.

    >>> low_in_pregnancy(Regimen("aspirin", 75, "mg", 1))
    True
    """
    most = _pregnancy()["low doses"].get(drug.drug)
    return most is not None and drug.unit == "mg" and drug.daily <= most


TOPICAL = "topical "
"""Before the name of a drug that is applied to the skin, where it is another than by mouth."""

_FORMS = frozenset({"gel", "cream", "ointment", "plaster", "patch", "lacquer", "topical", "skin"})
_WORDS = frozenset(
    {*_FORMS, "nail", "oral", "lozenge", "lozenges", "drops", "suspension", "5", "8"}
)
_STRENGTH = re.compile(r"\b[0-9][0-9.]*\s*(?:(?:mcg|mg|g|units)\b|%)?")


@lru_cache(maxsize=1)
def _outside_names() -> Mapping[str, str]:
    return {
        name: key
        for key, row in _rows("outside").items()
        for name in (plain_name(key), *row.get("names", ()))
    }


def outside_drug(drug: str) -> OutsideDrug:
    """Return what is known of an alternative that the fact tables lack."""
    row = _rows("outside")[drug]
    own = row.get("of", drug.removeprefix(TOPICAL))
    return OutsideDrug(tuple(row.get("not beside", ())), row.get("local", False), own)


def outside_name(name: str) -> str | None:
    """Return the alternative outside the fact tables that a name means, in any form.

    >>> outside_name("Amorolfine nail lacquer 5 %"), outside_name("ibuprofen gel")
    ('amorolfine', 'topical ibuprofen')
    >>> outside_name("ibuprofen") is None
    True
    """
    words = plain_name(_STRENGTH.sub(" ", name.casefold())).split()
    bare = " ".join(word for word in words if word not in _WORDS)
    applied = not _FORMS.isdisjoint(words)
    known = _outside_names()
    return (known.get(TOPICAL + bare) if applied else None) or known.get(bare)


def same_in_failing_kidneys(drug: str) -> bool:
    """Return whether the dose of what is also given is known to be the same in failing kidneys."""
    return drug in _rows("kidneys ask nothing")["drugs"]


OF_RISKS = ("qt-prolonging-drug", "enzyme-inducer", "polyvalent-cation", "serotonergic-opioid")
"""Classes that say what a drug does beside its use."""


@lru_cache(maxsize=1 << 11)
def kinds_of(drug: str) -> frozenset[str]:
    """Return the classes of a drug by which it acts; one that is there for a risk alone is none."""
    known = load().drug_classes
    return frozenset(key for key in load().drugs[drug].classes
                     if key not in OF_RISKS and known[key].sources != RULES_ONLY)  # fmt: skip


def related(drug: str, indication: Indication) -> bool:
    """Return whether a drug has to do with an indication: it treats it, or is of a kind that does.

    >>> related("olmesartan", indications()["hypertension"])
    True
    >>> related("amoxicillin", indications()["attack of gout"])
    False
    """
    given = (*indication.options, *indication.also)
    kinds = kinds_of(drug)
    return treats(drug, indication) or any(
        one.drug == drug or not kinds.isdisjoint(kinds_of(one.drug)) for one in given
    )


def treats(drug: str, indication: Indication) -> bool:
    """Return whether a drug is usually given for an indication.

    >>> treats("apixaban", indications()["deep vein thrombosis"])
    True
    """
    if any(one.drug == drug for one in indication.options):
        return True
    return indication.disease is not None and indication.disease in load().drugs[drug].uses
