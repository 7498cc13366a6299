"""What can be asked: for each class the drugs, and what beside them brings its problem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from gym_clinic.domains.drug_interaction.checks.conditions import (
    condition_risks,
    listed_conditions,
)
from gym_clinic.domains.drug_interaction.checks.doses import dose_limit, dose_risk, renal_risks
from gym_clinic.domains.drug_interaction.checks.formulary import (
    Indication,
    Regimen,
    bought,
    higher_doses,
    home_regimens,
    indications,
    safe_in_cirrhosis,
)
from gym_clinic.domains.drug_interaction.checks.given_beside import MISSING, beside_rule
from gym_clinic.domains.drug_interaction.checks.people import older_risks, pregnancy_risk
from gym_clinic.domains.drug_interaction.checks.problems import DrugProblem
from gym_clinic.domains.drug_interaction.checks.risks import (
    Action,
    allergy_risk,
    duplicate_risk,
    hepatic_risk,
    pair_risk,
    washout_risk,
)
from gym_clinic.domains.drug_interaction.checks.watching import always_watched
from gym_clinic.facts import load

CLASSES: Mapping[str, str] = {
    "interaction": "do not start/interaction",
    "interaction to watch": "start with change/interaction",
    "bought": "start with change/interaction",
    "bought duplicate": "start with change/duplicate",
    "washout": "do not start/interaction",
    "allergy": "do not start/allergy",
    "kidneys forbid": "do not start/renal",
    "kidneys reduce": "start with change/renal",
    "liver": "do not start/hepatic",
    "liver reduces": "start with change/hepatic",
    "pregnancy": "do not start/pregnancy",
    "older adult": "do not start/older adult",
    "condition": "do not start/condition",
    "duplicate": "do not start/duplicate",
    "maximum dose": "start with change/maximum dose",
    "missing medicine": "start with change/missing medicine",
    "nothing": "start as proposed/none",
    "nothing, allergy or condition": "start as proposed/none",
    "nothing, kidneys or liver": "start as proposed/none",
    "nothing, another medicine": "start as proposed/none",
    "nothing, pregnancy or dose": "start as proposed/none",
}
"""Class -> its verdict, and the kind of problem that decides. The classes of nothing differ in what
is there and does no harm: about one request in four is right, or "start" would be worth too much.
"""

KINDS_OF_NOTHING: Mapping[str, tuple[str, str]] = {
    "nothing": ("nothing", "nothing, bought"),
    "nothing, allergy or condition": ("nothing, allergy", "nothing, condition"),
    "nothing, kidneys or liver": ("nothing, kidneys", "nothing, liver"),
    "nothing, another medicine": ("nothing, ended", "nothing, not graded"),
    "nothing, pregnancy or dose": ("nothing, pregnant", "nothing, dose"),
}
"""Class of requests that are right as they stand -> its kinds, one of which a seed draws."""

PREGNANT, LIVER, HIGH_DOSE = "nothing, pregnant", "nothing, liver", "nothing, dose"

WEEKS = (6, 8, 10, 14, 18, 22, 24, 26, 28, 31, 33)
ALLERGENS = (
    "class:penicillin", "class:sulfonamide-antibiotic", "class:nsaid", "amoxicillin", "cefalexin",
    "clarithromycin", "ciprofloxacin", "doxycycline", "ibuprofen", "naproxen", "aspirin",
    "carbamazepine", "phenytoin", "codeine", "morphine", "tramadol", "allopurinol",
)  # fmt: skip
"""What patients say that they are allergic to."""

LASTING = ("st-johns-wort",)
"""Bought products that act for days after they end."""

SHORT_SINCE = (1, 2, 4, 6, 9)
"""Days since a medicine ended whose washout is not over."""


@dataclass(frozen=True)
class ReviewCandidate:
    """A request that brings a problem in the right patient.

    Attributes:
        drug: The proposed drug.
        indication: What for.
        kind: Kind of the problem; "none" for no problem.
        partner: The other drug of the problem.
        bought: Whether the patient buys that.
        days: Days since that ended; None if it is taken.
        allergen: The allergy.
        weeks: Weeks of pregnancy in which it is a problem.
        condition: The condition that forbids the drug.
    """

    drug: Regimen
    indication: Indication
    kind: str
    partner: str | None = None
    bought: bool = False
    days: int | None = None
    allergen: str | None = None
    weeks: tuple[int, ...] = ()
    condition: str | None = None

    def means(self, problem: DrugProblem) -> bool:
        """Return whether a problem is the one that the request is to bring."""
        if problem.kind != self.kind:
            return False
        return self.partner is None or self.partner in problem.drugs


def _requests() -> Iterator[tuple[Indication, Regimen]]:
    for one in indications().values():
        for drug in one.options:
            yield one, drug


@lru_cache(maxsize=32)
def candidates(label: str) -> tuple[ReviewCandidate, ...]:
    """Return what can be asked in a class; drugs without any problem for "nothing"."""
    if label == PREGNANT:
        return tuple(
            ReviewCandidate(drug, one, "none")
            for one, drug in _requests()
            if all(pregnancy_risk(drug.drug, week).actions == ("none",) for week in WEEKS)
        )
    if label == LIVER:
        safe = safe_in_cirrhosis()
        return tuple(
            ReviewCandidate(drug, one, "none") for one, drug in _requests() if drug.drug in safe
        )
    if label == HIGH_DOSE:
        higher = higher_doses()
        return tuple(
            ReviewCandidate(replace(drug, dose=higher[drug.drug]), one, "none")
            for one, drug in _requests()
            if higher.get(drug.drug, 0.0) > drug.dose
        )
    if label.startswith("nothing"):
        found = [
            replace(
                one,
                kind="none",
                partner=None,
                bought=False,
                days=None,
                allergen=None,
                weeks=(),
                condition=None,
            )
            for other in CLASSES
            if not other.startswith("nothing") and other != "maximum dose"
            for one in _spread(candidates(other))
            if one.drug.drug not in always_watched()
        ]
        return tuple(found)
    return tuple(_MADE[label]())


def _spread(found: tuple[ReviewCandidate, ...], most: int = 40) -> tuple[ReviewCandidate, ...]:
    """About as many of each class, so that drugs are as frequent as over the other classes."""
    return tuple(found[number * len(found) // most] for number in range(most))


_EITHER: tuple[Action, ...] = ("change", "avoid")
"""What a pair asks for of which potassium, kidneys or age decide."""


def _interactions(actions: tuple[str, ...]) -> Iterator[ReviewCandidate]:
    for indication, drug in _requests():
        for partner in sorted(home_regimens()):
            risk = pair_risk(drug.drug, partner, drug.route)
            if partner == drug.drug or risk is None or risk.actions not in (actions, _EITHER):
                continue
            twice = duplicate_risk(drug.drug, partner)
            if twice is None or risk.severity in ("major", "contraindicated"):
                yield ReviewCandidate(drug, indication, "interaction", partner)


def _with_bought(kind: str) -> Iterator[ReviewCandidate]:
    for indication, drug in _requests():
        for partner in sorted(bought()):
            risk = pair_risk(drug.drug, partner, drug.route)
            twice = duplicate_risk(drug.drug, partner)
            grave = risk is not None and risk.severity in ("major", "contraindicated")
            made = "duplicate" if twice and not grave else "interaction" if risk else None
            if made == kind:
                yield ReviewCandidate(drug, indication, kind, partner, bought=True)


def _washouts() -> Iterator[ReviewCandidate]:
    for indication, drug in _requests():
        for partner in (*sorted(home_regimens()), *LASTING):
            if partner == drug.drug:
                continue
            for days in SHORT_SINCE:
                if washout_risk(drug.drug, partner, days) is not None:
                    yield ReviewCandidate(drug, indication, "interaction", partner, days=days)


def _allergies() -> Iterator[ReviewCandidate]:
    for indication, drug in _requests():
        for allergen in ALLERGENS:
            risk = allergy_risk(drug.drug, allergen, "rash")
            if risk is not None and risk.actions == ("avoid",):
                yield ReviewCandidate(drug, indication, "allergy", allergen=allergen)


def _kidneys(action: str) -> Iterator[ReviewCandidate]:
    for indication, drug in _requests():
        risks = list(
            renal_risks(
                drug.drug,
                25,
                25,
                indication=indication.older,
                daily_mg=drug.daily,
                route=drug.route,
            )
        )
        if risks and all(one.actions == (action,) for one in risks):
            yield ReviewCandidate(drug, indication, "renal")


def _liver(action: Action) -> Iterator[ReviewCandidate]:
    for indication, drug in _requests():
        risk = hepatic_risk(drug.drug, "B", drug.daily)
        if risk is not None and risk.actions == (action,):
            yield ReviewCandidate(drug, indication, "hepatic")


def _pregnancies() -> Iterator[ReviewCandidate]:
    for indication, drug in _requests():
        weeks = []
        for one in WEEKS:
            risk = pregnancy_risk(drug.drug, one)
            if risk.actions == ("avoid",):
                weeks.append(one)
        if weeks:
            yield ReviewCandidate(drug, indication, "pregnancy", weeks=tuple(weeks))


def _older() -> Iterator[ReviewCandidate]:
    for indication, drug in _requests():
        risks = list(older_risks(drug.drug, 75, indication.older))
        if any(one.actions == ("avoid",) for one in risks):
            yield ReviewCandidate(drug, indication, "older adult")


def _conditions() -> Iterator[ReviewCandidate]:
    for indication, drug in _requests():
        for one, risk in condition_risks(
            drug.drug, listed_conditions(), drug.daily_mg, age=0
        ).items():
            usual = (indication.disease, indication.lives_with, *indication.presents)
            if risk.actions == ("avoid",) and one not in usual:
                yield ReviewCandidate(drug, indication, "condition", condition=one)


def _duplicates() -> Iterator[ReviewCandidate]:
    for indication, drug in _requests():
        for partner in sorted(home_regimens()):
            risk = pair_risk(drug.drug, partner)
            grave = risk is not None and risk.severity in ("major", "contraindicated")
            twice = duplicate_risk(drug.drug, partner)
            clear = twice is not None and twice.actions == ("avoid",)
            if clear and partner != drug.drug and not grave:
                yield ReviewCandidate(drug, indication, "duplicate", partner)


def _doses() -> Iterator[ReviewCandidate]:
    for indication, drug in _requests():
        if dose_limit(drug.drug) is None or drug.unit != "mg" or drug.per_day < 1:
            continue
        for factor in (2, 3, 4):
            more = replace(drug, dose=drug.dose * factor)
            half = replace(drug, dose=drug.dose * factor / 2)
            older = indication.older
            risk = dose_risk(drug.drug, more.daily, drug.unit, drug.route, older)
            if risk and dose_risk(drug.drug, half.daily, drug.unit, drug.route, older) is None:
                yield ReviewCandidate(more, indication, "maximum dose")
                break


def _without_protection() -> Iterator[ReviewCandidate]:
    for indication, drug in _requests():
        if beside_rule(drug.drug) is not None:
            yield ReviewCandidate(drug, indication, MISSING)


_MADE = {
    "interaction": lambda: _interactions(("avoid",)),
    "interaction to watch": lambda: _interactions(("change",)),
    "bought": lambda: _with_bought("interaction"),
    "bought duplicate": lambda: _with_bought("duplicate"),
    "washout": _washouts,
    "allergy": _allergies,
    "kidneys forbid": lambda: _kidneys("avoid"),
    "kidneys reduce": lambda: _kidneys("change"),
    "liver": lambda: _liver("avoid"),
    "liver reduces": lambda: _liver("change"),
    "pregnancy": _pregnancies,
    "older adult": _older,
    "condition": _conditions,
    "duplicate": _duplicates,
    "maximum dose": _doses,
    "missing medicine": _without_protection,
}


@lru_cache(maxsize=1)
def common() -> frozenset[str]:
    """Return the drugs that the conditions of the simulator list as taken at home."""
    known = load().conditions.values()
    return frozenset(one.drug for condition in known for one in condition.medicines)


@lru_cache(maxsize=1)
def _classes_of_drugs() -> Mapping[str, int]:
    """Proposed drug -> in how many classes it can be asked."""
    return Counter(
        name for label in CLASSES for name in {one.drug.drug for one in candidates(label)}
    )


def drawn(label: str, random: Random) -> ReviewCandidate:
    """Draw a request of a class: first the drug, then what brings the problem.

    Drugs that can be asked in many classes come more often, so that the name of the drug tells
    little; so do problems with medicines that are commonly taken.
    """
    known = sorted({one.drug.drug for one in candidates(label)})
    shared = [_classes_of_drugs()[name] ** 2 for name in known]
    drug = random.choices(known, weights=shared)[0]
    groups: dict[str, list[ReviewCandidate]] = {}
    for one in candidates(label):
        if one.drug.drug != drug:
            continue
        groups.setdefault(one.partner or one.allergen or one.condition or one.drug.drug, []).append(
            one
        )
    names = sorted(groups)
    weights = [
        3 if any(one.bought or name in common() for one in groups[name]) else 1 for name in names
    ]
    return random.choice(groups[random.choices(names, weights=weights)[0]])
