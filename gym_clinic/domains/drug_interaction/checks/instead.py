"""What may be given instead of a drug, and what a medicine that ended still does to it."""

from __future__ import annotations

import re

from gym_clinic.domains.drug_interaction.checks.formulary import (
    Indication,
    Regimen,
    hepatic_rules,
    hurts_the_liver,
    outside_drug,
    related,
    same_in_failing_kidneys,
    treats,
)
from gym_clinic.domains.drug_interaction.checks.given_beside import MISSING
from gym_clinic.domains.drug_interaction.checks.problems import (
    ReviewProfile,
    excluded,
    find_problems,
)
from gym_clinic.domains.drug_interaction.checks.risks import ACTIVE, pair_risk, ungraded
from gym_clinic.facts import load
from gym_clinic.facts.named_drugs import is_a

GRAVE = re.compile(
    r"contraindicated|avoided|withdrawal|serotonin|torsades|breathing|rejection|fails|kidney"
    r"|arrhythmia|sedation|cancel|toxicity|muscle|bleeding|potassium|crisis|unpredictable|seizure"
)
"""Words of an interaction without a grade that keep a drug from being an alternative."""

RAISE_POTASSIUM = (
    "class:renin-angiotensin-blocker", "class:potassium-sparing-diuretic",
    "class:trimethoprim-antibiotic", "potassium-chloride",
)  # fmt: skip
HIGH_POTASSIUM = 5.0
"""Potassium in mmol/L from which nothing is started that raises it."""


def raises_high_potassium(drug: str, who: ReviewProfile) -> bool:
    """Return whether a drug raises a potassium that is high already."""
    high = who.potassium >= HIGH_POTASSIUM
    return high and any(is_a(drug, one) for one in RAISE_POTASSIUM)


BIOLOGIC = ("class:biologic", "class:immunosuppressant")
"""Classes of the antibodies of which nobody is given one while another acts."""

LASTS = {"st-johns-wort": 14, "class:enzyme-inducing-antiepileptic": 14,
         "class:strong-rifamycin": 14, "fluoxetine": 35, "amiodarone": 90}  # fmt: skip
"""Drug or class -> days for which its interactions outlast it, where no washout is written."""

LINGERS = {"class:ssri": 14, "class:snri": 14, "class:tricyclic-antidepressant": 14,
           "class:p2y12-inhibitor": 7, "aspirin": 7, "warfarin": 5, "digoxin": 8, "lithium": 5,
           "itraconazole": 14, "methadone": 7, "leflunomide": 90, "hydroxychloroquine": 90,
           "class:biologic": 60}  # fmt: skip
"""The same of drugs from which another may be switched to at once, by a plan that knows it."""


def acts_on(ended: str, days: float, drug: str) -> bool:
    """Return whether a drug that ended some days ago still interacts with another.

    It does if the tables tell of the two, graded or not, if both are antibodies, or if it induces
    an enzyme that breaks the other down. What ends today, by the plan of a review, may be switched.

    >>> acts_on("st-johns-wort", 1, "warfarin"), acts_on("st-johns-wort", 20, "warfarin")
    (True, False)
    >>> acts_on("rifampicin", 5, "zolpidem"), acts_on("rifampicin", 5, "metformin")
    (True, False)
    >>> acts_on("adalimumab", 20, "etanercept"), acts_on("adalimumab", 80, "etanercept")
    (True, False)
    >>> acts_on("escitalopram", 3, "linezolid"), acts_on("escitalopram", 20, "linezolid")
    (True, False)
    """
    table = LASTS if days == 0 else {**LASTS, **LINGERS}
    lasts = max((most for ref, most in table.items() if is_a(ended, ref)), default=0)
    if days >= lasts:
        return False
    told = pair_risk(drug, ended) is not None or bool(ungraded(drug, ended))
    told = told or all(is_a(one, ref) for one in (drug, ended) for ref in BIOLOGIC)
    return told or not _induced(ended).isdisjoint(_broken_down_by(drug))


def _induced(drug: str) -> frozenset[str]:
    """The enzymes that a drug induces more than weakly."""
    known = load().drugs[drug].metabolism
    return frozenset(one.enzyme for one in known.induces if one.strength != "weak") if (
        known) else frozenset()  # fmt: skip


def _broken_down_by(drug: str) -> frozenset[str]:
    known = load().drugs[drug].metabolism
    return frozenset(known.substrate_of) if known else frozenset()


NO_SUBSTITUTE = ("phenelzine", "linezolid", "ergotamine", "calcium-carbonate", "colecalciferol")
"""Drugs that only a specialist chooses instead of another, or that are given beside one."""


ADDED = {"pregabalin": "epilepsy"}
"""Drug -> the indication in which it is only added to another that treats it."""


def _stands_alone(drug: str, indication: Indication, who: ReviewProfile) -> bool:
    """Whether a drug would be the only one for an indication in which it is only added."""
    taken = (one.regimen.drug for one in who.medicines)
    return ADDED.get(drug) == indication.name and not any(treats(one, indication) for one in taken)


VALPROATE_FROM = 55
"""Age in years below which two specialists start valproate, in men too (United Kingdom, 2024)."""


OTHER_CHOICE = 2
"""How severe it is to give instead what brings no grave problem and is no right choice."""

HEART_FAILURE = "heart-failure-with-reduced-ejection-fraction"
PROVEN = ("bisoprolol", "carvedilol", "nebivolol")
"""Beta-blockers for a weak heart, beside metoprolol succinate, which no option is."""


def _unproven(drug: str, who: ReviewProfile) -> bool:
    """Whether a drug is a beta-blocker that is no choice in a weak heart."""
    weak = HEART_FAILURE in who.conditions and is_a(drug, "class:beta-blocker")
    return weak and drug not in PROVEN


def harm_of(indication: Indication, drug: str, who: ReviewProfile) -> int:
    """Return how severe it is to give a drug instead, by what it brings; 0 where that is no harm.

    One of the choices of which nothing but a lower dose is asked does no harm, nor one without a
    problem that has to do with the indication. Of a drug that the tables lack nobody knows any.
    """
    if drug not in load().drugs:
        return 0
    given = (*indication.options, *indication.also)
    usual = next((one for one in given if one.drug == drug), None)
    own = find_problems(usual or Regimen(drug, 0.0, "mg", 1), indication, who)
    matter = [one for one in own if one.matters]
    lowered = [one for one in matter
               if one.actions == ("change",) and one.remedies[0].kind == "dose"]  # fmt: skip
    if usual is not None and matter and lowered == matter and not excluded(drug, who):
        return 0
    grades = {one.severity for one in matter if one.actions[0] == "avoid"}
    if grades & {"contraindicated", "major"}:
        return 4 if "contraindicated" in grades else 3
    sound = related(drug, indication) and is_sound(indication, drug, who)
    return 0 if sound else OTHER_CHOICE


def is_sound(indication: Indication, drug: str, who: ReviewProfile) -> bool:
    """Return whether a drug may be given instead without harm: it suits, and brings no problem.

    In pregnancy one that asks for caution, or is not rated, is none.

    Args:
        indication: What it is given for.
        drug: Id of the drug, or name of one that the fact tables lack.
        who: The patient, without what is stopped.
    """
    if drug not in load().drugs:
        return _is_right_outside(drug, who)
    usual = next((one for one in (*indication.options, *indication.also) if one.drug == drug), None)
    own = find_problems(usual or Regimen(drug, 0.0, "mg", 1), indication, who)
    quiet = not any(one.matters or (one.kind == "pregnancy" and one.undecided) for one in own)
    fits = drug not in NO_SUBSTITUTE and not _stands_alone(drug, indication, who)
    return quiet and fits and _suits(drug, who)


def _suits(drug: str, who: ReviewProfile) -> bool:
    """Whether a drug is a choice in a patient, beside the problems that the tables find."""
    taken = [one.regimen.drug for one in who.medicines]
    return not (
        (drug == "valproate" and who.age < VALPROATE_FROM)
        or excluded(drug, who)
        or raises_high_potassium(drug, who)
        or _unproven(drug, who)
        or (hurts_the_liver(drug) and not who.liver_well)
        or any(acts_on(ended, days, drug) for ended, days in who.ended)
        or any(GRAVE.search(text) for other in taken for text in _told(drug, other))
    )


def _told(drug: str, other: str) -> tuple[str, ...]:
    """What the tables tell of two drugs that they do not grade."""
    return ungraded(drug, other) if pair_risk(drug, other) is None else ()


def alternatives(indication: Indication, drug: str, who: ReviewProfile) -> list[str]:
    """Return the drugs that are usually given instead: they treat the same and bring no problem.

    An alternative brings no problem beside all that the patient goes on taking, and none that the
    tables leave open; it is no drug that is taken or that ended, suits sex, age, conditions, liver
    and potassium, and has no grave interaction without a grade. What is given beside it may be
    missing.
    """
    fit = [one.drug for one in indication.options if _is_right(one, indication, drug, who)]
    taken = [one.regimen.drug for one in who.medicines]
    return sorted(fit, key=lambda name: sum(len(_told(name, other)) for other in taken))


def also_right(indication: Indication, drug: str, who: ReviewProfile) -> list[str]:
    """Return what a guideline accepts instead beside the usual choices, by the same checks.

    In failing kidneys or cirrhosis the tables must say what they ask of it.
    """
    fit = [one.drug for one in indication.also
           if _is_right(one, indication, drug, who) and _known_in(one.drug, who)]  # fmt: skip
    return [*fit, *(one for one in indication.outside if _is_right_outside(one, who))]


def _is_right(one: Regimen, indication: Indication, drug: str, who: ReviewProfile) -> bool:
    known = {drug, *(each.regimen.drug for each in who.medicines), *(key for key, _ in who.ended)}
    same = ACTIVE.get(one.drug, one.drug) == ACTIVE.get(drug, drug)
    if same or one.drug in {*known, *NO_SUBSTITUTE} or not _suits(one.drug, who):
        return False
    if _stands_alone(one.drug, indication, who):
        return False
    own = find_problems(one, indication, who)
    return all(each.actions == ("none",) or each.kind == MISSING for each in own)


FAILING = 30.0
"""Kidney function below which it must be known what it asks of a drug."""


def _known_in(drug: str, who: ReviewProfile) -> bool:
    """Whether the tables know a drug well enough for kidneys and liver of a patient."""
    known = bool(load().drugs[drug].kidney_rules) or same_in_failing_kidneys(drug)
    well = min(who.egfr, who.crcl) >= FAILING
    return (well or known) and (who.child_pugh is None or drug in hepatic_rules())


def _is_right_outside(drug: str, who: ReviewProfile) -> bool:
    """Whether a drug that the tables lack is right in a patient."""
    known = outside_drug(drug)
    ill = who.child_pugh is not None or not who.liver_well
    fails = min(who.egfr, who.crcl) < FAILING and not same_in_failing_kidneys(drug)
    if who.weeks is not None or ((ill or fails) and not known.local):
        return False
    if any(ref == known.of or is_a(known.of, ref) for ref, _ in who.allergies):
        return False
    taken = [one.regimen.drug for one in who.medicines]
    return not any(is_a(one, ref) for one in taken for ref in known.not_beside)
