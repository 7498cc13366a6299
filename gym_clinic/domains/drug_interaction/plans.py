"""How right the plan of a review is: what it does instead, changes, watches, stops and adds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from gym_clinic.clinical.naming import undirected
from gym_clinic.domains.drug_interaction.checks.formulary import outside_name
from gym_clinic.domains.drug_interaction.checks.given_beside import (
    MISSING,
    beside_rule,
    may_be_beside,
    other_names,
)
from gym_clinic.domains.drug_interaction.checks.watching import is_routine, watches
from gym_clinic.domains.drug_interaction.lists.review import CHANGE, KEEP
from gym_clinic.facts.named_drugs import resolve
from gym_clinic.facts.records.drugs import plain_name

CHANGES = ("doses", "separate_hours", "add", "stop")
"""Fields of a plan that change what is given."""

LONGEST_WAIT, WIDEST = 60.0, 24.0
"""Days of a wait and hours apart, at most."""

MORE_TESTS = 2
"""Tests that a plan may ask for beyond one for each problem."""

LEAST_DOSE = 0.1
"""Share of a dose that a lower dose is at least."""


def drugs_named(names: Iterable[str]) -> frozenset[str]:
    """Return the ids of drugs that names mean; an unknown name stands for itself."""
    found: set[str] = set()
    for written in names:
        name = written if resolve(written) or outside_name(written) else undirected(written)
        named = resolve(name)
        meant = named.ingredients if named else (f"?{name}",)
        plain, outside = plain_name(name), outside_name(name)
        if outside is not None:
            meant = (outside,)
        found.update(other_names().get(plain) or meant)
    return frozenset(found)


def for_the_request(plan: Mapping[str, Any], gold: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a plan without what answers problems of other medicines, which nobody has asked about.

    A bought painkiller that these kidneys forbid is rightly stopped, whatever is proposed. What is
    given beside the alternative, or may be given beside what is taken, is left out as well, and so
    is ending a bought product that it harms nobody to end.
    """
    others = [each for one in gold.get("beside", ()) for each in one["remedies"]]
    own = [each for one in gold["problems"] for each in one["remedies"]]

    def of_kind(kind: str, remedies: Iterable[Mapping[str, Any]]) -> set[str]:
        return {drug for one in remedies if one["kind"] == kind for drug in one["drugs"]}

    ends = {drug for one in gold.get("beside", ()) for drug in one["stoppable"]}
    ends = (ends | of_kind("stop", others) | {*gold.get("may_be_stopped", ())}) - of_kind(
        "stop", own
    )
    lower = of_kind("dose", others) - of_kind("dose", own)
    watched = {one["watch"] for one in others if one["kind"] == "monitor"}
    watched -= {one["watch"] for one in own if one["kind"] == "monitor"}
    doses, tests = plan.get("doses") or (), plan.get("monitoring") or ()
    beside = of_kind("add", others) | _beside(plan, gold)
    beside -= of_kind("add", own)
    return {
        **plan,
        "add": [one for one in plan.get("add") or () if not drugs_named([one]) <= beside],
        "stop": [one for one in plan.get("stop") or () if not drugs_named([one]) <= ends],
        "doses": [one for one in doses if not drugs_named([one["drug"]]) <= lower],
        "monitoring": [one for one in tests
                       if not any(watches(one["test"], one["first_day"], of) for of in watched)],
    }  # fmt: skip


def _beside(plan: Mapping[str, Any], gold: Mapping[str, Any]) -> set[str]:
    """What a plan may add beside what it gives instead or adds, and what goes on being taken."""
    instead, taken = plan.get("alternative"), [*gold.get("taken", ())]
    given = drugs_named([*([instead] if instead else []), *(plan.get("add") or ())])
    rules = [rule for one in given if (rule := beside_rule(one)) is not None]
    kept = {*taken[bool(instead or plan.get("wait_days")) :]} - drugs_named(plan.get("stop") or ())
    asked = {rule.given for rule in rules} | {
        drug for one in (*given, *kept) for drug in may_be_beside(one)
    }
    return (asked | {*gold.get("may_be_added", ())}) - {*taken}


UNCHANGED = {"start with change": "start as proposed", CHANGE: KEEP}
"""Verdict that something is changed -> the one that is meant where that is routine alone."""


def as_meant(
    raw: Mapping[str, Any],
    drugs: Sequence[str],
    may_be_stopped: Collection[str] = (),
    may_be_added: Collection[str] = (),
) -> str:
    """Return the verdict of an answer as it is meant.

    Who starts a drug with the change that it is watched as it routinely is, that something is added
    which may be given beside it, or that something bought is ended which it harms nobody to end,
    changes nothing else and names no problem but that this is missing, starts it as proposed,
    whether that is right or not. Who changes a list in that way alone keeps it.

    Args:
        raw: The answer.
        drugs: The proposed drug, or all of the list.
        may_be_stopped: What is bought that it harms nobody to end.
        may_be_added: What may be given in a pregnancy.
    """
    verdict, plan = str(raw["verdict"]), raw["plan"]
    tests, added, ended = (plan.get(key) or () for key in ("monitoring", "add", "stop"))
    other = [one for one in raw.get("problems") or () if not is_added(one, may_be_added)]
    if verdict not in UNCHANGED or other:
        return verdict
    allowed = frozenset(may_be_added).union(*map(may_be_beside, drugs)) - {*drugs}
    more = drugs_named(added) - allowed | drugs_named(ended) - {*may_be_stopped}
    changed = {*CHANGES, "alternative", "wait_days"} - {"add", "stop"}
    changes = more or any(plan.get(key) for key in changed)
    routine = all(is_routine(one["test"], drugs) for one in tests)
    return UNCHANGED[verdict] if (tests or added or ended) and routine and not changes else verdict


def is_added(problem: Mapping[str, Any], may_be_added: Collection[str]) -> bool:
    """Return whether a stated problem is that something is missing which may be added."""
    named = drugs_named(problem.get("drugs", ()))
    return problem.get("kind") == MISSING and bool(named) and named <= {*may_be_added}


def plan_score(verdict: str, plan: Mapping[str, Any], gold: Mapping[str, Any]) -> float:
    """Return how right a plan is under a verdict that can be defended, 0 to 1.

    A plan that does what the verdict does not call for is wrong; what it does about the problems of
    other medicines is left out of a request.
    """
    plan = for_the_request(plan, gold)
    instead, waits = plan.get("alternative"), plan.get("wait_days")
    changes = any(plan.get(key) for key in CHANGES)
    if verdict == CHANGE:
        return 0.0 if instead or waits else _list_plan_score(plan, gold)
    if verdict in ("start as proposed", KEEP):
        return float(not (instead or waits or changes))
    remedies = [one for problem in gold["problems"] for one in problem["remedies"]]
    if verdict == "do not start":
        if changes:
            return 0.0
        if instead:
            return float(drugs_named([instead]) <= {*gold["acceptable"]["alternatives"]})
        return float(any(_waits(plan, one) for one in remedies))
    if instead or waits:
        return 0.0
    asked = [one for one in gold["problems"] if "change" in one["actions"]]
    if _watches_too_much(plan, gold, len(asked)):
        return 0.0
    if adds_too_much(plan, gold) or _changes_too_much(plan, gold):
        return 0.0
    met = [any(_met(plan, one) for one in problem["remedies"]) for problem in asked]
    return sum(met) / len(met) if met else 0.0


def _list_plan_score(plan: Mapping[str, Any], gold: Mapping[str, Any]) -> float:
    """Return the share of what a list asks for that a plan does.

    Each problem asks for an answer, each stopped medicine whose condition would go untreated for
    another one, and each beside which a dose was set for the value to be watched. A plan that
    stops, lowers or takes apart what answers no problem is wrong; so is one that stops or adds more
    than is needed.
    """
    problems: Sequence[Mapping[str, Any]] = gold["problems"]
    stop = drugs_named(plan.get("stop") or ())

    def answered(stopped: frozenset[str]) -> list[bool]:
        return [
            not stopped.isdisjoint(one["drugs"])
            or _met(plan, _first_step(one))
            or ("change" in one["actions"] and any(_met(plan, each) for each in one["remedies"]
                                                   if each["kind"] != "stop"))
            for one in problems
        ]  # fmt: skip

    met = answered(stop)
    watched = _watches_too_much(plan, gold, len(problems))
    more = any(answered(stop - {one}) == met for one in stop) or adds_too_much(plan, gold)
    if more or watched or _changes_too_much(plan, gold):
        return 0.0
    added = drugs_named(plan.get("add") or ())
    ended = _replaced(plan, gold)
    met += [not added.isdisjoint(one["by"]) for one in ended if one["needed"]]
    met += [_met(plan, {"kind": "monitor", "watch": value})
            for one in ended for value in one.get("watch", ())]  # fmt: skip
    return sum(met) / len(met) if met else 0.0


def _first_step(problem: Mapping[str, Any]) -> dict[str, Any]:
    """The lower dose of what is stopped in steps, as a remedy."""
    steps = problem.get("steps", {})
    return {"kind": "dose", "drugs": [*steps], "most": None, "taken": steps}


def _watches_too_much(plan: Mapping[str, Any], gold: Mapping[str, Any], problems: int) -> bool:
    """Return whether a plan asks for more tests than problems and routine call for."""
    drugs = {drug for one in gold["problems"] for drug in one.get("drugs", ())} | {
        *gold.get("taken", ())
    }
    tests = [one for one in plan.get("monitoring") or () if not is_routine(one["test"], drugs)]
    return len(tests) > problems + MORE_TESTS


def _changes_too_much(plan: Mapping[str, Any], gold: Mapping[str, Any]) -> bool:
    """Return whether a plan stops, lowers or takes apart what no problem asks for.

    So does one that writes several doses of one medicine: nobody can follow it.
    """
    problems = gold["problems"]
    remedies = [each for one in problems for each in (*one["remedies"], _first_step(one))]

    def of_kind(kind: str) -> set[str]:
        return {drug for one in remedies if one["kind"] == kind for drug in one["drugs"]}

    may_stop = of_kind("stop") | {drug for one in problems for drug in one.get("stoppable", ())}
    changed = [drugs_named([one["drug"]]) for one in plan.get("doses") or ()]
    several = len(frozenset[str]().union(*changed)) < sum(map(len, changed))
    apart = plan.get("separate_hours") and all(one["kind"] != "apart" for one in remedies)
    stopped = drugs_named(plan.get("stop") or ())
    lowered = frozenset[str]().union(*changed)
    return bool(stopped - may_stop or lowered - of_kind("dose") or several or apart)


def _replaced(plan: Mapping[str, Any], gold: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What may be given instead of each medicine that a plan for a list stops, at once or not."""
    steps = [_first_step(one) for one in gold["problems"]]
    stop = drugs_named(plan.get("stop") or ()).union(
        *(each["drugs"] for each in steps if _met(plan, each))
    )
    return [one for drug, one in gold.get("replaced", {}).items() if drug in stop]


def adds_too_much(plan: Mapping[str, Any], gold: Mapping[str, Any]) -> bool:
    """Return whether a plan adds what nothing asks for, or two medicines where one is enough.

    A sound substitute of what it stops is neither: giving it does no harm, and earns nothing.
    """
    added = drugs_named(plan.get("add") or ())
    remedies = [each for one in gold["problems"] for each in one["remedies"]]
    asked = [{*one["drugs"]} for one in remedies if one["kind"] == "add"]
    replaced = [{*one["by"], *one.get("neutral", ())} for one in _replaced(plan, gold)]
    instead = added & set[str]().union(*replaced)
    too_many = len(instead) > len(replaced) or any(len(added & one) > 1 for one in asked)
    return too_many or bool(added - set().union(*asked, instead))


def _waits(plan: Mapping[str, Any], remedy: Mapping[str, Any]) -> bool:
    days = plan.get("wait_days") or 0.0
    return remedy["kind"] == "wait" and bool(remedy["amount"] <= days <= LONGEST_WAIT)


def _met(plan: Mapping[str, Any], remedy: Mapping[str, Any]) -> bool:
    kind = remedy["kind"]
    if kind == "add":
        return not drugs_named(plan.get("add") or ()).isdisjoint(remedy["drugs"])
    if kind == "stop":
        return {*remedy["drugs"]} <= drugs_named(plan.get("stop") or ())
    if kind == "apart":
        hours = plan.get("separate_hours") or 0.0
        return bool(remedy["amount"] <= hours <= WIDEST)
    if kind == "monitor":
        listed = plan.get("monitoring") or ()
        return any(watches(one["test"], one["first_day"], remedy["watch"]) for one in listed)
    if kind != "dose":
        return False
    for change in plan.get("doses") or ():
        for drug in drugs_named([change["drug"]]) & {*remedy["drugs"]}:
            usual = remedy["taken"].get(drug)
            if usual is None:
                continue
            most = 0.8 * usual if remedy["most"] is None else remedy["most"] * 1.001
            if LEAST_DOSE * min(usual, most) <= change["daily_dose"] <= most:
                return True
    return False
