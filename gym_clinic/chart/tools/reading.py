"""Tools that look at the chart and the patient; looking takes minutes too."""

from __future__ import annotations

from typing import Any, Literal

from gym_clinic.chart.catalogue import check_fits, find_among, sites
from gym_clinic.chart.encounter import Chart, minutes_of
from gym_clinic.chart.examination import examination_report
from gym_clinic.chart.results import VITALS, measure_vitals, read_result, trend, was_read
from gym_clinic.errors import ToolError
from gym_clinic.toolbox import tool

AWAKE = ("general", "neurology", "mental state")
"""Parts of the examination that tell how awake the patient is; they are noted as on arrival."""


@tool
def read_patient_record(case: Chart) -> dict[str, Any]:
    """Read who the patient is: name, sex, age, height, weight, hospital number, arrival."""
    case.spend(minutes_of("read_record"))
    case.log("get_patient_record")
    return {**case["person"], "arrived": case["arrived"].replace("T", " ")}


@tool
def read_history(
    case: Chart, section: Literal["past illnesses", "procedures", "habits", "pregnancy"]
) -> dict[str, Any]:
    """Read a section of the history that is on record from before this visit.

    Args:
        section: Which section.
    """
    case.spend(minutes_of("read_record"))
    history = case["history"]
    entries: Any = {
        "past illnesses": list(history["past"]) or "none on record",
        "procedures": list(history["procedures"]) or "none on record",
        "habits": list(history["habits"]) or "none on record",
        "pregnancy": history["pregnancy"] or "none on record",
    }[section]
    case.log("get_history", section=section)
    return {"section": section, "entries": entries}


@tool
def read_medicines(case: Chart) -> dict[str, Any]:
    """Read the medicines taken at home, those that ended lately, and those stopped here."""
    case.spend(minutes_of("read_record"))
    case.log("get_medications")
    stopped = {
        case.patient.facts.drugs[key].name if key in case.patient.facts.drugs else key
        for key in case["discontinued"]
    }
    listed = [
        {**one, "stopped": True} if one["drug"] in stopped else dict(one)
        for one in case["medicines"]
    ]
    ended = list(case["ended_medicines"]) or "none on record"
    return {"medicines": listed or "none on record", "ended": ended}


@tool
def read_allergies(case: Chart) -> dict[str, Any]:
    """Read the allergies and intolerances on record."""
    case.spend(minutes_of("read_record"))
    case.log("get_allergies")
    return {"allergies": list(case["allergies"]) or "none known"}


@tool
def list_documents(case: Chart) -> dict[str, Any]:
    """List the notes and letters on the chart."""
    case.spend(minutes_of("read_list"))
    return {"documents": list(_documents(case)) or "none"}


def _documents(case: Chart) -> dict[str, str]:
    """Title -> text of what has been written by now."""
    written = case["documents"].items()
    return {title: one["text"] for title, one in written if one["minute"] <= case.minute}


@tool
def read_document(case: Chart, title: str) -> str:
    """Read a note or letter.

    Args:
        title: Its title, as listed.
    """
    known = _documents(case)
    found = find_among(title, known, "document")
    case.spend(minutes_of("read_document"))
    case.log("get_document", title=found)
    for measurement, value in case["documents"][found]["readings"]:
        case.show(measurement, value)
    case.told.update(case["documents"][found]["facts"])
    return known[found]


@tool
def measure_vital_signs(
    case: Chart,
    temperature: Literal["tympanic", "oral", "axillary", "rectal"] = "tympanic",
    blood_pressure: Literal["oscillometric", "auscultated"] = "oscillometric",
) -> dict[str, Any]:
    """Measure the vital signs now; they change with the illness and with what is given.

    Args:
        temperature: Where the temperature is taken.
        blood_pressure: How the blood pressure is taken.
    """
    case.spend(minutes_of("read_vitals"), seen=True)
    row = measure_vitals(
        case, {"temp_c": temperature, "sbp": blood_pressure, "dbp": blood_pressure}
    )
    case.log("get_vitals", time=row["time"])
    return {key: value for key, value in row.items() if key != "minute"}


@tool
def read_vital_signs_trend(
    case: Chart,
    sign: Literal["all", "hr", "sbp", "dbp", "map", "rr", "spo2", "temp_c", "gcs", "pain"] = "all",
) -> dict[str, Any]:
    """Read the vital signs since arrival: those of arrival, those measured, those of the monitor.

    Args:
        sign: One sign, or all.
    """
    case.spend(minutes_of("read_list"))
    case.log("get_vitals_trend", sign=sign, time=case.clock())
    wanted = VITALS if sign == "all" else (sign,)
    rows = [
        {"time": row["time"], **{name: row[name] for name in wanted if name in row}}
        for row in trend(case)
    ]
    return {"rows": rows}


@tool
def examine_patient(
    case: Chart,
    system: Literal[
        "general", "skin", "head and neck", "eyes", "ears nose throat", "heart", "chest",
        "abdomen", "rectal", "genitourinary", "pelvic", "obstetric", "back", "limbs", "joints",
        "neurology", "mental state", "breast",
    ],
) -> dict[str, Any]:  # fmt: skip
    """Examine a part of the body, or the mental state.

    Args:
        system: What is examined.
    """
    entry = sites()[system]
    check_fits(case.patient, entry.only, f"The {system} examination")
    usual = minutes_of("examine")
    case.spend(usual if entry.minutes is None else entry.minutes, seen=True)
    case.discomfort += entry.discomfort
    case.log("examine", system=system)
    seen = case.computed(("seen", system), lambda: examination_report(case.patient, system))
    since = {} if system not in AWAKE else _since_arrival(case)
    return {"system": system, "findings": seen, **since}


def _since_arrival(case: Chart) -> dict[str, str]:
    """How awake the patient is now, where that is no longer as on arrival."""
    change = round(case.state()["gcs"]) - round(case.patient.state(0)["gcs"])
    if abs(change) < 2:
        return {}
    return {"since arrival": "more awake" if change > 0 else "less awake"}


@tool
def list_orders(case: Chart) -> dict[str, Any]:
    """List the orders with their status and, for tests, when the result is expected."""
    case.spend(minutes_of("read_list"))
    listed = []
    for one in case.orders.values():
        line = {"order_id": one.id, "order": one.name, "status": one.status(case.minute)}
        line["ordered"] = case.clock(one.ordered)
        if line["status"] in ("ordered", "in progress"):
            line["expected"] = case.clock(one.due)
        listed.append(line)
    return {"orders": listed or "none", "time": case.clock()}


@tool
def read_results(case: Chart, order: str = "new") -> dict[str, Any]:
    """Read results that are back: those that were not read before, one order's, or all.

    Args:
        order: "new"; number of the order or name of the test; "all" for everything that is back.
    """
    case.spend(minutes_of("read_result"))
    if order not in ("new", "all"):
        one = case.find_order(order)
        result = read_result(case, one)
        if result is None:
            state = one.status(case.minute)
            if one.kind not in ("laboratory", "study", "consult"):
                raise ToolError(f"Order {one.id} ({one.name}) gives no result; it is {state}.")
            expected = f", expected at {case.clock(one.due)}" if one.cancelled is None else ""
            raise ToolError(
                f"No result of {one.id} ({one.name}) at {case.clock()}: {state}{expected}."
            )
        return dict(result)
    has = [one for one in case.orders.values() if one.has_result(case.minute)]
    before = [one for one in has if order == "new" and was_read(case, one)]
    back = [read_result(case, one, again=False) for one in has if one not in before]
    case.log("get_labs", back=len(has))
    waiting = [
        {"order_id": one.id, "order": one.name, "expected": case.clock(one.due)}
        for one in case.orders.values()
        if one.kind in ("laboratory", "study", "consult")
        and one.cancelled is None
        and not one.has_result(case.minute)
    ]
    known = {"read_before": [f"{one.id} {one.name}" for one in before]} if before else {}
    return {
        "results": back or ("none new" if before else "none back"), **known,
        "waiting": waiting or "none", "time": case.clock(),
    }  # fmt: skip


@tool
def check_time(case: Chart) -> dict[str, Any]:
    """Read the clock: date and time, and the minutes since arrival."""
    case.spend(0)
    return {"now": f"{case.now:%Y-%m-%d %H:%M}", "minutes_since_arrival": int(case.minute)}
