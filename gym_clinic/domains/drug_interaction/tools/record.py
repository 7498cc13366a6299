"""Tools that read the medicines and the laboratory values on record."""

from __future__ import annotations

from datetime import date
from typing import Any

from gym_clinic.chart import Chart
from gym_clinic.chart.encounter import minutes_of
from gym_clinic.domains.drug_interaction.checks.watching import SHOWN
from gym_clinic.domains.drug_interaction.world import LABS, reported
from gym_clinic.facts.records.conditions import ReferenceRange
from gym_clinic.simulate.clinic.physiology.body import reference
from gym_clinic.simulate.clinic.texts.sections.background import interval
from gym_clinic.toolbox import tool


@tool
def read_medicines(case: Chart) -> dict[str, Any]:
    """Read the practice's list of prescribed medicines, and of those that ended lately.

    What was begun in the last 90 days has its date, and what is not taken every day how often it
    is. What a patient buys without a prescription may be missing from it.
    """
    case.spend(minutes_of("read_record"))
    case.log("get_medications")
    listed: dict[str, dict[str, Any]] = {}
    for one in case["medicines"]:
        line = {key: value for key, value in one.items() if key not in ("product", "since")}
        line["for"] = capital(line["for"])
        if one["per_day"] < 1:
            line["often"] = interval(one["per_day"]) or "when needed"
        since = one.get("since")
        if since is not None and _days_since(case, since) < SHOWN:
            line["begun"] = since
        product = one.get("product")
        if product is None:
            listed[one["drug"]] = line
        elif product in listed:
            strength = f"{listed[product]['strength']}/{one['dose']:g}"
            listed[product] = {**listed[product], "strength": strength}
        else:
            kept = {key: value for key, value in line.items() if key not in ("drug", "dose")}
            listed[product] = {"drug": product, "strength": f"{one['dose']:g}", **kept}
    ended = [{**one, "for": capital(one["for"])} for one in case["ended_medicines"]]
    return {
        "medicines": list(listed.values()) or "none on record",
        "ended": ended or "none on record",
    }


def capital(reason: str | None) -> str | None:
    """Return a reason as conditions are written, so that the style tells nothing of a medicine.

    >>> capital("low potassium")
    'Low potassium'
    """
    return reason and reason[:1].upper() + reason[1:]


def _days_since(case: Chart, day: str) -> int:
    return (case.patient.arrived.date() - date.fromisoformat(day)).days


def _flag(value: float, limits: ReferenceRange | None) -> str | None:
    """Return whether a value is low or high by the limits of a laboratory; None for neither."""
    low, high = (None, None) if limits is None else (limits.low, limits.high)
    if low is not None and value < low:
        return "low"
    return "high" if high is not None and value > high else None


@tool
def read_laboratory_results(case: Chart) -> dict[str, Any]:
    """Read the blood results of this morning: kidneys, liver, clotting, blood count, salts.

    What lies outside the limits of the laboratory has a flag.
    """
    case.spend(minutes_of("read_result"))
    if not any(one["tool"] == "get_labs" for one in case.events):
        case.log("get_labs")
        case.log("order_test", test="inr")
    rows = []
    for name in LABS:
        if name == "egfr" and not case["reports_egfr"]:
            continue
        one = case.patient.facts.measurements[name]
        value = reported(case.patient, name)
        case.show(name, value)
        shown = int(value) if one.decimals == 0 else value
        row = {"test": one.name, "value": shown, "unit": one.unit or None}
        row["flag"] = _flag(value, reference(one, *case.patient.person.measured_by))
        rows.append({key: item for key, item in row.items() if item is not None})
    return {"taken": f"{case.patient.arrived:%Y-%m-%d} 08:00", "results": rows}
