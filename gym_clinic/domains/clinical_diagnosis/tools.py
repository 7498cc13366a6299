"""The tools of clinical diagnosis: those that it shares, and its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from gym_clinic.chart import Chart
from gym_clinic.chart.catalogue import actions, find_among, find_test, tests_of
from gym_clinic.chart.encounter import minutes_of
from gym_clinic.chart.results import read_result
from gym_clinic.chart.tools import ASKING, ORDERING, READING, TREATING, score_tools
from gym_clinic.clinical.answer import Citations, Diseases, FreeText, Name, Orders
from gym_clinic.clinical.naming import find_disease
from gym_clinic.clinical.tools import MEDICINES, REASONING, REFERENCES, library_tools
from gym_clinic.embedded import EMBEDDED
from gym_clinic.errors import ToolError
from gym_clinic.facts.records.conditions import Disposition
from gym_clinic.toolbox import Kind, Tool, tool

RENAMED = {
    "measure_vital_signs": "get_vital_signs",
    "read_vital_signs_trend": "get_vital_signs_trend",
}
"""Shared tool -> its name here, as in the paper."""

SCORES = (
    "anion_gap", "ckdepi2021", "map", "news2", "osmolality", "qsofa", "shock_index",
)  # fmt: skip
"""Clinical scores that help to find a diagnosis or to judge its severity."""

LEFT_OUT = ("cancel_order",)
"""Shared tools that this domain does not offer."""


@tool
def get_lab_trend(case: Chart, test: str) -> dict[str, Any]:
    """Read all values of one laboratory test that are back in this visit, in order of time.

    Args:
        test: One test, such as "troponin" or "potassium".
    """
    name = find_test(case.patient.facts, test)
    measured = {one.id for one in tests_of(case.patient.facts)[name]}
    case.spend(minutes_of("read_list"))
    rows = []
    for order in case.orders.values():
        if order.kind == "laboratory" and order.has_result(case.minute):
            result: Mapping[str, Any] = read_result(case, order, again=False) or {}
            rows += [
                {"collected": result["collected"], "name": line["name"], "value": line["value"],
                 "unit": line["unit"]}
                for line in result.get("values", ())
                if line["test"] in measured
            ]  # fmt: skip
    return {"test": name, "values": rows or "none back"}


@tool(kind=Kind.WRITE)
def record_diagnosis(
    case: Chart,
    diagnosis: str,
    certainty: Literal["possible", "probable", "confirmed"] = "probable",
) -> dict[str, Any]:
    """Write a working diagnosis on the chart; it can be replaced by a later one.

    Args:
        diagnosis: The disease.
        certainty: How sure it is.
    """
    disease = find_disease(diagnosis)
    case.spend(minutes_of("order"))
    listed = [*case.get("diagnoses", ()), {"disease": disease, "certainty": certainty}]
    case["diagnoses"] = listed
    case.log("record_diagnosis", diagnosis=disease, certainty=certainty)
    name = case.patient.facts.diseases[disease].name
    return {"recorded": name, "certainty": certainty, "time": case.clock()}


@tool(kind=Kind.WRITE)
def refer_patient(
    case: Chart, service: str, reason: str, urgency: Literal["routine", "soon", "urgent"]
) -> dict[str, Any]:
    """Refer the patient to a clinic after this visit.

    Args:
        service: Such as "cardiology" or "gastroenterology".
        reason: Why.
        urgency: How soon.
    """
    name = find_among(service, actions().consult.services, "service")
    if not reason.strip():
        raise ToolError("expected the reason of the referral")
    case.spend(minutes_of("order"))
    case["referrals"] = [*case.get("referrals", ()), {"service": name, "urgency": urgency}]
    case.log("refer", service=name, urgency=urgency)
    return {"referred to": name, "urgency": urgency, "time": case.clock()}


@tool(kind=Kind.SUBMIT)
def submit_answer(
    diagnosis: Name,
    differential: Diseases,
    disposition: Disposition,
    orders: Orders,
    follow_up: FreeText,
    cited_findings: Citations,
) -> None:
    """Give the final answer; the encounter ends with it.

    Args:
        diagnosis: The one disease that explains why the patient came.
        differential: Up to 5 diseases that were considered, the most likely first.
        disposition: Where the patient goes.
        orders: Treatment that was started or is advised, one order each, at most 12.
        follow_up: What happens next, and when to come back; at most 300 characters.
        cited_findings: Findings, tests and parts of the examination that the diagnosis rests on,
            each read before; at least 3, at most 20.
    """


def tools(knowledge_base: str | Mapping[str, Any] = EMBEDDED) -> tuple[Tool, ...]:
    """Return the tools of the domain.

    Args:
        knowledge_base: As for :func:`gym_clinic.embedded.open_knowledge`.
    """
    reading = tuple(
        Tool(one.function, kind=one.kind, name=RENAMED.get(one.name, one.name)) for one in READING
    )
    think = next(one for one in REASONING if one.kind is Kind.THINK)
    reasoning = tuple(one for one in REASONING if one is not think)
    ordering = tuple(one for one in ORDERING if one.name not in LEFT_OUT)
    return (
        *reading, get_lab_trend, *ASKING, *library_tools(knowledge_base), *REFERENCES, *reasoning,
        *MEDICINES, *score_tools(SCORES), *ordering, *TREATING, record_diagnosis, refer_patient,
        think, submit_answer,
    )  # fmt: skip
