"""What matters when a drug is proposed for a patient, computed from the tables and the record.

A problem asks for something: not to give the drug, or to change something. What asks for nothing
(a risk that is low, a caution) may be mentioned, and is no problem.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gym_clinic.domains.drug_interaction.checks.conditions import condition_risks, ruled_out
from gym_clinic.domains.drug_interaction.checks.doses import dose_risk, renal_risks
from gym_clinic.domains.drug_interaction.checks.formulary import (
    ChildPugh,
    Indication,
    Regimen,
    indications,
    low_in_pregnancy,
)
from gym_clinic.domains.drug_interaction.checks.given_beside import MISSING, beside_risk
from gym_clinic.domains.drug_interaction.checks.people import older_risks, pregnancy_risk
from gym_clinic.domains.drug_interaction.checks.risks import (
    NEAR,
    PROTECTS,
    SEVERITIES,
    Action,
    DrugRisk,
    Remedy,
    Severity,
    allergy_risk,
    duplicate_risk,
    hepatic_risk,
    pair_risk,
    triple_risks,
    washout_risk,
)
from gym_clinic.facts.named_drugs import is_a
from gym_clinic.safety.state import Patient


@dataclass(frozen=True)
class Taken:
    """A medicine that a patient takes.

    Attributes:
        regimen: How it is taken.
        bought: Whether the patient buys it without a prescription.
        reason: What it is taken for: id of a condition, or words.
        days: Days since it was begun.
    """

    regimen: Regimen
    bought: bool = False
    reason: str = ""
    days: float = 0.0


@dataclass(frozen=True)
class ReviewProfile:
    """What of a patient decides whether a drug may be given.

    Attributes:
        age: Years.
        female: Sex.
        weight_kg: Weight.
        egfr: In mL/min/1.73 m2.
        crcl: Creatinine clearance in mL/min.
        potassium: In mmol/L.
        drinks: Whether the patient drinks heavily.
        steady: Ids of the measurements of today whose value is right.
        creatinine: In mg/dL.
        bmi: Body mass index in kg/m2.
        liver_well: Whether the liver is not fatty, and its enzymes are not raised.
        weeks: Completed weeks of pregnancy; None if not pregnant.
        child_pugh: Class of cirrhosis; None without cirrhosis.
        conditions: Ids of what the patient lives with.
        known: Those of them that are on record.
        history: Ids of what medicines are taken or were taken for.
        medicines: What is taken.
        ended: Drug -> days since the last dose.
        allergies: Pairs of a reference and what happened.
    """

    age: float
    female: bool
    weight_kg: float
    egfr: float
    crcl: float
    potassium: float = 4.2
    drinks: bool = False
    creatinine: float = 0.9
    steady: frozenset[str] = frozenset()
    bmi: float = 24.0
    liver_well: bool = True
    weeks: int | None = None
    child_pugh: ChildPugh | None = None
    conditions: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()
    history: frozenset[str] = frozenset()
    medicines: tuple[Taken, ...] = ()
    ended: tuple[tuple[str, float], ...] = ()
    allergies: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class DrugProblem:
    """A problem of a proposed drug in a patient.

    Attributes:
        kind: One of the kinds of `checks.KINDS`.
        drugs: Ids of the drugs in it, the proposed one among them.
        severity: How severe it is.
        actions: What may be done, the usual first.
        advice: What to do, in words.
        remedies: What answers it where the drug is given.
        answered: Whether that is done already.
        begun: Those of the drugs that were begun in the last days.
    """

    kind: str
    drugs: frozenset[str]
    severity: Severity
    actions: tuple[Action, ...]
    advice: str
    remedies: tuple[Remedy, ...] = field(default=(), compare=False)
    answered: bool = False
    begun: frozenset[str] = field(default=frozenset(), compare=False)

    @property
    def rank(self) -> int:
        """Place of the severity, the least first."""
        return SEVERITIES.index(self.severity)

    @property
    def matters(self) -> bool:
        """Whether something must be done about it."""
        return "none" not in self.actions

    @property
    def undecided(self) -> bool:
        """Whether the tables leave open if anything is done about it."""
        return "none" in self.actions and len(self.actions) > 1


def find_problems(
    drug: Regimen, indication: Indication, who: ReviewProfile, *, taken: bool = False
) -> list[DrugProblem]:
    """Return the risks of a proposed drug in a patient, the most severe first.

    What two rules find is one problem, as grave as the graver of them.

    Args:
        drug: The drug as it is proposed.
        indication: What it is proposed for.
        who: The patient.
        taken: Whether the drug is taken already, and rules about the start no longer hold.
    """
    found = [*_of_medicines(drug, indication, who), *_of_patient(drug, indication, who, taken)]
    found.sort(key=lambda one: (-one.rank, one.kind, sorted(one.drugs)))
    once: dict[tuple[str, frozenset[str]], DrugProblem] = {}
    for one in found:
        once.setdefault((one.kind, one.drugs), one)
    return [*once.values()]


def _made(kind: str, drugs: Collection[str], risk: DrugRisk) -> DrugProblem:
    return DrugProblem(
        kind, frozenset(drugs), risk.severity, risk.actions, risk.advice, risk.remedies
    )


def _of_medicines(
    drug: Regimen, indication: Indication, who: ReviewProfile
) -> Iterator[DrugProblem]:
    names = [one.regimen.drug for one in who.medicines]
    for one in who.medicines:
        other = one.regimen.drug
        both = (drug.drug, other)
        twice = duplicate_risk(*both)
        risk = pair_risk(*both, drug.route, _asked(who))
        if risk is not None and _kept_low(risk, drug, who):
            risk = None
        risk = _protected(risk, drug, who)
        if twice is not None and not (risk and risk.severity in ("major", "contraindicated")):
            yield _made("duplicate", both, _stopped(twice, one))
        elif risk is not None:
            yield _made("interaction", both, _stopped(risk, one))
    for three, risk in triple_risks([drug.drug, *names]):
        if drug.drug in three:
            bought = [one for one in who.medicines if one.bought and one.regimen.drug in three]
            yield _made("interaction", three, _stopped(risk, bought[0]) if bought else risk)
    for stopped, days in who.ended:
        if stopped in names:  # it is taken again
            continue
        waits = washout_risk(drug.drug, stopped, days)
        if waits is not None:
            yield _made("interaction", (drug.drug, stopped), waits)
    yield from _of_dose(drug, indication, who)
    missing = beside_risk(drug.drug, names)
    if missing is not None:
        yield _made(MISSING, [drug.drug], missing)


def _kept_low(risk: DrugRisk, drug: Regimen, who: ReviewProfile) -> bool:
    """Whether all that is asked for is a greatest dose that is kept already."""
    first = risk.remedies[0] if risk.actions == ("change",) and risk.remedies else None
    if first is None or first.kind != "dose" or first.most is None:
        return False
    return any(daily <= first.most for key, daily in daily_doses(drug, who).items()
               if key in first.drugs)  # fmt: skip


def daily_doses(drug: Regimen, who: ReviewProfile) -> dict[str, float]:
    """Return drug -> amount a day, of what is taken and what is proposed."""
    found = {one.regimen.drug: one.regimen.daily for one in who.medicines}
    return {**found, drug.drug: drug.daily}


def _stopped(risk: DrugRisk, other: Taken) -> DrugRisk:
    """A risk beside a product that the patient buys: it is stopped, and the drug is given.

    What is only watched may be watched instead; what is taken apart or lowered may be stopped.
    """
    added = tuple(one for one in risk.remedies if one.kind == "add")
    if not other.bought:
        return risk
    stop = Remedy("stop", frozenset({other.regimen.drug}))
    if risk.actions == ("change",) and not added:
        watched = all(one.kind == "monitor" for one in risk.remedies)
        usual = (stop, *risk.remedies) if watched else (*risk.remedies, stop)
        return replace(risk, remedies=usual)
    return replace(risk, actions=("change",), remedies=(stop, *added))


def _protected(risk: DrugRisk | None, drug: Regimen, who: ReviewProfile) -> DrugRisk | None:
    """A risk that asks for a PPI: none where one is taken, else with those that suit the patient.

    Without one that suits, nothing is decided.
    """
    if risk is None or all(one.kind != "add" for one in risk.remedies):
        return risk
    if any(is_a(one.regimen.drug, PROTECTS) for one in who.medicines):
        return None
    beside = replace(who, medicines=(*who.medicines, Taken(drug)))
    reflux = indications()["reflux"]
    fit = [one.drug for one in reflux.options
           if is_a(one.drug, PROTECTS) and not excluded(one.drug, who)
           and all(other.actions == ("none",)
                   for other in find_problems(one, reflux, beside))]  # fmt: skip
    if not fit:
        return replace(risk, actions=("avoid", "none"), remedies=())
    return replace(risk, remedies=(Remedy("add", frozenset(fit)),))


def _of_dose(drug: Regimen, indication: Indication, who: ReviewProfile) -> Iterator[DrugProblem]:
    same = [one for one in who.medicines if one.regimen.drug == drug.drug]
    daily = drug.daily + sum(one.regimen.daily for one in same)
    risk = dose_risk(drug.drug, daily, drug.unit, drug.route, indication.older)
    if risk is not None and not same:
        yield _made("maximum dose", [drug.drug], risk)


def _of_patient(
    drug: Regimen, indication: Indication, who: ReviewProfile, taken: bool
) -> Iterator[DrugProblem]:
    name = (drug.drug,)
    reactions = [
        risk for ref, reaction in who.allergies if (risk := allergy_risk(drug.drug, ref, reaction))
    ]
    if reactions:
        yield _made("allergy", name, max(reactions, key=lambda one: SEVERITIES.index(one.severity)))
    yield from (_made("renal", name, one) for one in _renal(drug, indication, who, taken))
    if who.child_pugh is not None:
        hepatic = hepatic_risk(drug.drug, who.child_pugh, drug.daily, taken=taken)
        if hepatic is not None:
            yield _made("hepatic", name, hepatic)
    if who.weeks is not None:
        rated = pregnancy_risk(drug.drug, who.weeks)
        low = low_in_pregnancy(drug)
        yield _made("pregnancy", name, replace(rated, actions=("avoid", "none")) if low else rated)
    for one in older_risks(drug.drug, who.age, indication.older, taken=taken):
        yield _made("older adult", name, one)
    lived = condition_risks(drug.drug, who.conditions, drug.daily_mg, who.age)
    for risk in [*lived.values()][:1]:  # the gravest
        yield _made("condition", name, risk)


def _renal(
    drug: Regimen, indication: Indication, who: ReviewProfile, taken: bool
) -> Iterator[DrugRisk]:
    """What the kidneys ask for, each rule by the measure that it names.

    Nothing is decided where a value is too near to a limit, or where eGFR and creatinine clearance
    are on two sides of it in somebody obese, whose clearance is overestimated.
    """
    given: dict[str, Any] = {
        "indication": indication.older,
        "daily_mg": drug.daily if drug.unit == "mg" else None,
        "route": drug.route,
        "taken": taken,
    }
    measured = (
        (who.egfr * (1 - NEAR), who.crcl * (1 - NEAR)),
        (who.egfr * (1 + NEAR), who.crcl * (1 + NEAR)),
        *(((who.egfr, who.egfr), (who.crcl, who.crcl)) if who.bmi >= OBESE else ()),
    )
    now = list(renal_risks(drug.drug, who.egfr, who.crcl, **given))
    risks = [list(renal_risks(drug.drug, *both, **given)) for both in measured]
    asked = [{(one.severity, one.advice) for one in found} for found in risks]
    if all(one == {(each.severity, each.advice) for each in now} for one in asked):
        yield from now
    else:
        yield replace(next(one for one in risks if one)[0], actions=("change", "avoid", "none"))


def _asked(who: ReviewProfile) -> Patient:
    """The patient as the rules of interactions ask for it."""
    conditions = {one.replace("-", "_") for one in who.conditions}
    if {"type_1_diabetes_mellitus", "type_2_diabetes_mellitus"} & conditions:
        conditions.add("diabetes")
    labs = {"potassium": who.potassium, "egfr": who.egfr}
    return Patient(age=who.age, conditions=sorted(conditions), labs={**labs})


def verdict_of(problems: Sequence[DrugProblem]) -> str:
    """Return the usual verdict on a drug with these problems."""
    asked = {one.actions[0] for one in problems if one.matters}
    if "avoid" in asked:
        return "do not start"
    return "start with change" if asked else "start as proposed"


def acceptable_verdicts(problems: Sequence[DrugProblem]) -> list[str]:
    """Return the verdicts that can be defended, the usual first."""
    usual = verdict_of(problems)
    matter = [one for one in problems if one.matters]
    if any(one.actions == ("avoid",) for one in matter) or not matter:
        return [usual]
    return list(dict.fromkeys([usual, "start with change"])) + (
        ["do not start"]
        if usual != "do not start" and any("avoid" in one.actions for one in matter)
        else []
    )


OBESE = 30.0
"""Body mass index in kg/m2 from which Cockcroft and Gault overestimate with the actual weight."""

FERTILE = (12, 55)
"""Age in years in which a woman may become pregnant."""

HARMS_THE_UNBORN = (
    "valproate", "topiramate", "isotretinoin", "methotrexate", "leflunomide", "mycophenolate",
    "bosentan", "riociguat", "thalidomide", "acitretin",
)  # fmt: skip
"""Drugs that a woman who may become pregnant takes only under a programme of contraception."""

FOR_PREGNANCY = ("methyldopa",)
"""Drugs that are begun in pregnancy alone: others are better at all other times."""

FITS_OF_DRINKERS = ("bupropion",)
"""Drugs that bring on fits in who drinks heavily, most of all where the drinking stops."""

DRINKING = "alcohol dependence"
"""What a medicine of who drank heavily is taken for."""


def excluded(drug: str, who: ReviewProfile) -> bool:
    """Return whether a drug is no choice for a patient of this sex and age, or who lives with this.

    By the fact tables: what is contraindicated in a condition that the patient lives with or takes
    a medicine for, what harms the unborn child in a woman who may become pregnant, what is for
    pregnancy alone in who is not pregnant, and what brings on fits in who drinks heavily.
    """
    fertile = who.female and FERTILE[0] <= who.age <= FERTILE[1]
    if drug in HARMS_THE_UNBORN and (fertile or who.weeks is not None):
        return True
    if drug in FOR_PREGNANCY and who.weeks is None:
        return True
    if drug in FITS_OF_DRINKERS and (who.drinks or DRINKING in who.history):
        return True
    return bool(ruled_out(drug, who.conditions | who.history))
