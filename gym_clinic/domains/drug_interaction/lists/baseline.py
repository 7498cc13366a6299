"""The rules baseline on a whole list: what it looks up, and what it answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from gym_clinic.domain import CallSpec
from gym_clinic.domains.drug_interaction.checks.people import OLD
from gym_clinic.domains.drug_interaction.lists.review import CHANGE, KEEP
from gym_clinic.instruments import score

MOST_NAMED = 8
"""Problems that the rules name at most."""


def list_checks(record: Sequence[Any]) -> list[CallSpec]:
    """Return the checks of all that the structured record lists."""
    person, medicines, allergies, labs, past, pregnancy = (*record, *[{}] * 6)[:6]
    listed = medicines.get("medicines")
    names = [str(one["drug"]) for one in listed][:20] if isinstance(listed, list) else []
    if len(names) < 2:
        return []
    values = {one["test"]: one["value"] for one in labs.get("results", ())}
    inputs = {"age": person["age"], "sex": person["sex"], "creatinine": values["creatinine"]}
    egfr = float(score("ckdepi2021", inputs).score)
    weighed = {**inputs, "weight_kg": person["weight_kg"]}
    clearance = float(score("cockcroft_gault", weighed).score)
    known, told = past.get("entries"), allergies.get("allergies")
    lived = [str(one["condition"]) for one in known][:20] if isinstance(known, list) else []
    weeks = re.match(r"([0-9]+) weeks", str(pregnancy.get("entries")))
    calls: list[CallSpec] = [
        ("calculate_cockcroft_gault", weighed),
        ("check_interactions", {"drugs": names}),
        ("check_duplicates", {"drugs": names}),
    ]
    for drug in names:
        calls.append(
            ("check_renal_dose", {"drug": drug, "egfr": egfr, "creatinine_clearance": clearance})
        )
        if person["age"] >= OLD:
            calls.append(("check_older_adult", {"drug": drug, "age": person["age"]}))
        if weeks:
            calls.append(("check_pregnancy", {"drug": drug, "weeks": int(weeks[1])}))
        if lived:
            calls.append(("check_conditions", {"drug": drug, "conditions": lived}))
        for one in told if isinstance(told, list) else ():
            calls.append(("check_allergy", {"drug": drug, "allergen": one["substance"],
                                            "reaction": one["reaction"]}))  # fmt: skip
    return calls


def list_answer(
    risks: Sequence[Mapping[str, Any]], cited: list[dict[str, Any]], avoid: tuple[str, ...]
) -> dict[str, Any]:
    """Return the answer by what the tools told: stop what is to be avoided, watch the rest.

    Args:
        risks: Kind, drugs, severity and what to do, the gravest first.
        cited: What was read.
        avoid: How an advice not to give a drug begins.
    """
    stop: list[str] = []
    watched: list[dict[str, Any]] = []
    for one in risks[:MOST_NAMED]:
        grave = one["severity"] == "contraindicated" or one["do"].casefold().startswith(avoid)
        if grave and not {*stop} & {*one["drugs"]}:
            stop.append(one["drugs"][-1])
        elif not grave:
            watched.append({"test": str(one["do"])[:40], "first_day": 7})
    problems = [{key: one[key] for key in ("kind", "drugs", "severity")}
                for one in risks[:MOST_NAMED]]  # fmt: skip
    plan = {key: rows for key, rows in (("stop", stop), ("monitoring", watched)) if rows}
    verdict = CHANGE if risks else KEEP
    return {"verdict": verdict, "problems": problems, "plan": plan, "cited_findings": cited}


def of_list(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return a constant answer about a proposed drug as one about a list."""
    if answer["verdict"] == "start as proposed":
        return {**answer, "verdict": KEEP, "plan": {}}
    drugs = [drug for one in answer["problems"] for drug in one["drugs"]]
    return {**answer, "verdict": CHANGE, "plan": {"stop": drugs}}
