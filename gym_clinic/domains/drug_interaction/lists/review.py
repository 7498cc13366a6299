"""Reviews of a whole list: the problems of all that a patient takes, and what answers them.

The request proposes no drug. Every medicine is judged beside all others by the checks that judge a
proposed one; a problem of two medicines is one problem.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from gym_clinic.domains.drug_interaction.checks.doses import near_halved_apixaban
from gym_clinic.domains.drug_interaction.checks.formulary import (
    Indication,
    hurts_the_liver,
    indications,
)
from gym_clinic.domains.drug_interaction.checks.instead import GRAVE, acts_on, raises_high_potassium
from gym_clinic.domains.drug_interaction.checks.problems import (
    DrugProblem,
    ReviewProfile,
    Taken,
    excluded,
    find_problems,
)
from gym_clinic.domains.drug_interaction.checks.risks import Remedy, pair_risk, ungraded
from gym_clinic.domains.drug_interaction.checks.watching import is_checked, is_settled
from gym_clinic.domains.drug_interaction.lists.needed import lacking
from gym_clinic.domains.drug_interaction.lists.stopping import leaves_untreated, stopped_drugs
from gym_clinic.facts.named_drugs import is_a

KEEP, CHANGE = "keep the list", "change the list"
"""The verdicts on a whole list."""

LIST = ""
"""What stands for the proposed drug where a whole list is reviewed."""

FEWEST, MOST_TAKEN, MOST_ASKED = 4, 11, 4
"""Medicines of a list, at least and at most, and problems of it at most."""


def asked_drug(question: Mapping[str, Any]) -> str:
    """Return the id of the proposed drug; `LIST` where a whole list is reviewed."""
    return str(question.get("drug", LIST))


def list_problems(who: ReviewProfile) -> list[DrugProblem]:
    """Return the problems of all that is taken, the most severe first.

    Of two medicines the prescribed one is judged beside the one that is bought. Medicines that
    ended are left out: what is taken was begun before. What is watched already asks
    for nothing.
    """
    found: dict[tuple[str, frozenset[str]], DrugProblem] = {}
    for one in sorted(who.medicines, key=lambda each: (each.bought, each.regimen.drug)):
        others = tuple(each for each in who.medicines if each is not one)
        beside = replace(who, medicines=others, ended=())
        drug = replace(one.regimen, route=_routes().get(one.regimen.drug, one.regimen.route))
        long = one.days >= ESTABLISHED
        for problem in find_problems(drug, _use(one), beside, taken=long):
            found.setdefault((problem.kind, problem.drugs), _of_list(problem, one, who))
    return sorted(found.values(), key=lambda one: (-one.rank, one.kind, sorted(one.drugs)))


def _of_list(problem: DrugProblem, of: Taken, who: ReviewProfile) -> DrugProblem:
    """A problem of a medicine of a list; epilepsy in pregnancy is left to a specialist.

    What is bought, and asks for a lower dose, may be stopped as well.
    """
    begun = {one.regimen.drug for one in who.medicines if one.days < BEGUN_LATELY}
    found = replace(_watched(problem, who), begun=problem.drugs & begun)
    if of.bought and [one.kind for one in found.remedies] == ["dose"]:
        found = replace(found, remedies=(*found.remedies, Remedy("stop", found.drugs)))
    left_open = problem.kind == "pregnancy" and problem.matters and of.reason == "epilepsy"
    return replace(found, actions=("change", "avoid", "none")) if left_open else found


def _watched(problem: DrugProblem, who: ReviewProfile) -> DrugProblem:
    """A problem of which nothing is asked where it is watched already, and all is right.

    Two anticoagulants are never right, however well one of them is watched.
    """
    days = min(one.days for one in who.medicines if one.regimen.drug in problem.drugs)
    watched = [one.watch for one in problem.remedies if one.kind == "monitor"]
    both = all(is_a(drug, "class:anticoagulant") for drug in problem.drugs)
    runs = problem.actions == ("change",) and any(
        is_checked(one, days, who.steady) for one in watched
    )
    if "change" in problem.actions and not both:
        runs = runs or any(is_settled(one, days, who.steady) for one in watched)
    return replace(problem, actions=("none",), answered=True) if runs else problem


def _use(one: Taken) -> Indication:
    """What a medicine of the list is taken for, in the names of the rules for one use alone.

    What treats the condition itself is taken for it, and not for what else may be asked there.
    """
    drug, reason = one.regimen.drug, one.reason
    uses = [each for each in indications().values()
            if any(other.drug == drug for other in each.options)]  # fmt: skip
    own = [each for each in uses if reason in (each.disease, each.lives_with)]
    beside = [each for each in uses if reason in each.presents]
    names = [name for each in own or beside for name in each.older]
    return Indication("home", "", (), (), None, None, tuple(dict.fromkeys(names)))


BEGUN_LATELY, ESTABLISHED = 14, 30
"""Days up to which a medicine is new, and from which it is taken for long, no longer started."""


@lru_cache(maxsize=1)
def _routes() -> Mapping[str, str]:
    """Drug -> the route by which it is usually given."""
    return {each.drug: each.route for one in indications().values() for each in one.options}


def list_holds_together(who: ReviewProfile) -> bool:
    """Return whether the tables can judge a list, and nothing else forbids a medicine of it.

    A grave interaction that the tables do not grade leaves a list open, and so does a condition for
    which they know nothing once its medicine is stopped, or whose treatment is missing; so does
    apixaban near two of the three limits at which its dose is halved.
    """
    if not FEWEST <= len(who.medicines) <= MOST_TAKEN:
        return False
    halved = near_halved_apixaban(who.age, who.weight_kg, who.creatinine)
    if halved and any(one.regimen.drug == "apixaban" for one in who.medicines):
        return False
    problems = list_problems(who)
    if any(one.undecided for one in problems):
        return False
    bought = {one.regimen.drug for one in who.medicines if one.bought}
    if any(one.matters and len(one.drugs & bought) > 1 for one in problems):
        return False
    taken = sorted(one.regimen.drug for one in who.medicines)
    for pair in itertools.combinations(taken, 2):
        if pair_risk(*pair) is None and any(GRAVE.search(text) for text in ungraded(*pair)):
            return False
    matter = [one for one in problems if one.matters]
    if leaves_untreated(who, matter) or lacking(who):
        return False
    asked, ends = {drug for one in matter for drug in one.drugs}, stopped_drugs(matter)
    for one in who.medicines:
        drug = one.regimen.drug
        if hurts_the_liver(drug) and not who.liver_well and drug not in asked:
            return False
        if drug not in asked and raises_high_potassium(drug, who):
            return False
        if drug not in ends and excluded(drug, who):
            return False
        if any(acts_on(ended, days, drug) for ended, days in who.ended):
            return False
    return True
