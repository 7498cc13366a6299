"""Tools that treat: medicines, oxygen, fluids, blood and procedures."""

from __future__ import annotations

from typing import Any, Literal

from gym_clinic.chart import ordering
from gym_clinic.chart.catalogue import actions, find_among
from gym_clinic.chart.encounter import Chart
from gym_clinic.errors import ToolError
from gym_clinic.facts.units import DoseUnit
from gym_clinic.toolbox import Kind, tool

_FLUIDS = {"saline": "saline", "balanced crystalloid": "lactated-ringer"}
_BLOOD = {"packed red cells": "packed-red-cells", "fresh frozen plasma": "fresh-frozen-plasma"}


@tool(kind=Kind.WRITE)
def give_medication(
    case: Chart,
    drug: str,
    dose: float,
    unit: DoseUnit,
    route: str,
    indication: str | None = None,
) -> dict[str, Any]:
    """Give a dose of a medicine now; it is given within minutes unless cancelled before.

    Args:
        drug: International name or brand.
        dose: The dose.
        unit: Its unit.
        route: Such as "iv", "im", "sc", "po", "inhaled", "rectal".
        indication: What for.
    """
    order = ordering.give_medicine(case, drug, dose, unit, route, indication=indication)
    return {"order_id": order.id, "drug": order.name, "to_be_given": case.clock(order.done)}


@tool(kind=Kind.WRITE)
def prescribe_medication(
    case: Chart,
    drug: str,
    dose: float,
    unit: DoseUnit,
    route: str,
    times_per_day: float,
    start: Literal["now", "at home"] = "now",
    indication: str | None = None,
) -> dict[str, Any]:
    """Prescribe a regular medicine, with the first dose now or for home.

    Args:
        drug: International name or brand.
        dose: One dose.
        unit: Its unit.
        route: Such as "iv", "po", "sc", "inhaled".
        times_per_day: Doses a day; below 1 for less often.
        start: Whether the first dose is given now, or it is a prescription for home.
        indication: What for.
    """
    if not 0 < times_per_day <= 24:
        raise ToolError(f"times_per_day is {times_per_day:g}; expected above 0, at most 24.")
    order = ordering.give_medicine(
        case, drug, dose, unit, route,
        per_day=times_per_day, indication=indication, home=start == "at home",
    )  # fmt: skip
    line: dict[str, Any] = {"order_id": order.id, "drug": order.name, "start": start}
    return line if start == "at home" else {**line, "to_be_given": case.clock(order.done)}


@tool(kind=Kind.WRITE)
def discontinue_medication(case: Chart, drug: str, reason: str | None = None) -> dict[str, Any]:
    """Stop a medicine that the patient takes at home or that was ordered here.

    Args:
        drug: International name or brand.
        reason: Why.
    """
    return {"discontinued": ordering.discontinue(case, drug, reason), "time": case.clock()}


@tool(kind=Kind.WRITE)
def give_oxygen(case: Chart, device: str, litres_per_minute: float) -> dict[str, Any]:
    """Give oxygen.

    Args:
        device: "nasal cannula", "face mask", "venturi mask", "non-rebreather mask" or "high-flow
            nasal oxygen".
        litres_per_minute: Flow, from 0.5 to 60.
    """
    how = find_among(device, actions().oxygen_devices, "oxygen device")
    if not 0.5 <= litres_per_minute <= 60:
        raise ToolError(f"litres_per_minute is {litres_per_minute:g}; expected 0.5 to 60.")
    order = ordering.give_support(
        case, "oxygen", "oxygen", f"oxygen by {how}", litres_per_minute, "L/min", "inhaled"
    )
    return {"order_id": order.id, "order": order.name, "from": case.clock(order.done)}


@tool(kind=Kind.WRITE)
def give_fluids(
    case: Chart, fluid: Literal["saline", "balanced crystalloid"], millilitres: int
) -> dict[str, Any]:
    """Give a bolus of intravenous fluid.

    Args:
        fluid: Which fluid.
        millilitres: How much, from 10 to 3000.
    """
    if not 10 <= millilitres <= 3000:
        raise ToolError(f"millilitres is {millilitres}; expected 10 to 3000.")
    order = ordering.give_support(
        case, "fluids", _FLUIDS[fluid], f"{fluid} {millilitres} mL", millilitres, "mL", "iv"
    )
    return {"order_id": order.id, "order": order.name, "from": case.clock(order.done)}


@tool(kind=Kind.WRITE)
def give_blood(
    case: Chart, product: Literal["packed red cells", "fresh frozen plasma"], units: float
) -> dict[str, Any]:
    """Transfuse blood products, once they are matched.

    Args:
        product: Which product.
        units: How many, from 0.1 to 10; children get a part of a unit of about 280 mL.
    """
    if not 0.1 <= units <= 10:
        raise ToolError(f"units is {units}; expected 0.1 to 10.")
    order = ordering.give_support(
        case, "blood", _BLOOD[product], f"{product}, {units:g} units", units, "units", "iv"
    )
    return {"order_id": order.id, "order": order.name, "from": case.clock(order.done)}


@tool(kind=Kind.WRITE)
def perform_procedure(
    case: Chart,
    procedure: str,
    side: Literal["left", "right", "both"] | None = None,
    emergency: bool = False,
) -> dict[str, Any]:
    """Do a procedure, or start one that a team does.

    Args:
        procedure: Such as "chest-drain", "intubation", "coronary-angiography".
        side: The side, where it has one.
        emergency: Whether it is done without consent because life is in danger.
    """
    order = ordering.do_procedure(case, procedure, side, emergency)
    return {"order_id": order.id, "procedure": order.name, "from": case.clock(order.done)}
