"""The plan that is right in a review, by the problems that matter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from gym_clinic.domains.drug_interaction.checks.problems import DrugProblem, ReviewProfile
from gym_clinic.domains.drug_interaction.checks.risks import Remedy
from gym_clinic.domains.drug_interaction.checks.watching import always_watched, first_days
from gym_clinic.domains.drug_interaction.lists.stopping import (
    after_stopping,
    replacements,
    stopped_drugs,
)


def request_plan(
    drug: str,
    verdict: str,
    problems: Sequence[DrugProblem],
    instead: Sequence[str],
    doses: Mapping[str, float],
) -> dict[str, Any]:
    """The fields of a right plan; those that are not needed are left out.

    What has no answer beside the drug gives none, and no task.
    """
    if verdict == "start as proposed":
        return {}
    waits = [each for one in problems for each in one.remedies if each.kind == "wait"]
    if verdict == "do not start":
        if instead:
            return {"alternative": instead[0]}
        return {"wait_days": math.ceil(max(each.amount for each in waits))} if waits else {}
    plan: dict[str, Any] = {}
    for one in problems:
        if one.remedies:
            _add(plan, one.remedies[0], doses)
    if drug in always_watched() and not plan.get("monitoring"):
        _watch(plan, always_watched()[drug])
    return plan


def list_plan(
    who: ReviewProfile, problems: Sequence[DrugProblem], doses: Mapping[str, float]
) -> dict[str, Any]:
    """The fields of a right plan for a whole list.

    What must be stopped is stopped first, and replaced where a condition would go untreated, and a
    dose that was set beside it is watched; what that does not answer is lowered, taken apart or
    watched.
    """
    plan: dict[str, Any] = {}
    stopped = stopped_drugs(problems)
    if stopped:
        plan["stop"] = sorted(stopped)
    if instead := replacements(who, problems):
        plan["add"] = instead
    for drug in stopped:
        for quantity in after_stopping(drug, who, problems).watch:
            _watch(plan, quantity)
    for one in problems:
        if one.remedies and not {*stopped} & one.drugs:
            usual = [each for each in one.remedies if each.kind != "dose" or each.most is not None]
            _add(plan, (usual or one.remedies)[0], doses)
    return plan


def _add(plan: dict[str, Any], remedy: Remedy, doses: Mapping[str, float]) -> None:
    if remedy.kind == "dose":
        drug = min(remedy.drugs & doses.keys())
        lower = doses[drug] / 2 if remedy.most is None else min(remedy.most, doses[drug])
        plan.setdefault("doses", []).append({"drug": drug, "daily_dose": round(lower, 4)})
    elif remedy.kind == "monitor":
        _watch(plan, remedy.watch)
    elif remedy.kind == "apart":
        plan["separate_hours"] = max(remedy.amount, plan.get("separate_hours", 0.0))
    elif remedy.kind == "add":
        if not remedy.drugs & {*plan.get("add", ())}:
            plan.setdefault("add", []).append(min(remedy.drugs))
    elif remedy.kind == "stop":
        plan["stop"] = sorted({*plan.get("stop", ()), *remedy.drugs})


def _watch(plan: dict[str, Any], quantity: str) -> None:
    listed = plan.setdefault("monitoring", [])
    if all(one["test"] != quantity for one in listed):
        listed.append({"test": quantity, "first_day": first_days(quantity)[1]})
