"""A tool for each published clinical score, made from its declaration.

Schema, errors and interpretation are those of the declaration. The agent gives the values, which it
must have found; one that the chart does not support is recorded, and never corrected.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from functools import cache
from typing import Any

from gym_clinic.chart.coherence import contradictions
from gym_clinic.chart.encounter import Chart, minutes_of
from gym_clinic.facts import Instrument, load
from gym_clinic.instruments import input_schema
from gym_clinic.instruments.scoring import compute, declaration
from gym_clinic.toolbox import Tool


def score_tools(ids: Iterable[str] | None = None) -> tuple[Tool, ...]:
    """Return the tools of scores, named ``calculate_`` and the id.

    Args:
        ids: Which scores; all if None.

    Raises:
        InstrumentError: If there is no such score, with the nearest name.
    """
    wanted = sorted(load().instruments) if ids is None else ids
    return tuple(_tool(declaration(one).id) for one in wanted)


@cache
def _tool(score: str) -> Tool:
    declared = load().instruments[score]

    def calculate(case: Chart, **inputs: Any) -> dict[str, Any]:
        given = {name: value for name, value in inputs.items() if value is not None}
        result = compute(declared, given)
        case.spend(minutes_of("calculate"))
        case.log("calculate", instrument=declared.id, score=result.score)
        case.contradictions += contradictions(
            case.patient.facts, declared, given, case["person"], case.shown, case.minute
        )
        answer: dict[str, Any] = {"instrument": declared.name, "score": result.score}
        optional: dict[str, Any] = {
            "unit": result.unit,
            "band": result.band,
            "meaning": result.meaning,
        }
        optional |= {"parts": dict(result.parts) or None, "flags": dict(result.flags or {}) or None}
        return answer | {name: value for name, value in optional.items() if value is not None}

    kinds = inspect.Parameter
    parameters = [kinds("case", kinds.POSITIONAL_OR_KEYWORD, annotation=Chart)]
    parameters += [
        kinds(one.name, kinds.KEYWORD_ONLY, default=None, annotation=Any) for one in declared.inputs
    ]
    calculate.__dict__["__signature__"] = inspect.Signature(parameters)
    calculate.__annotations__ = {one.name: one.annotation for one in parameters}
    calculate.__doc__ = _docstring(declared)
    made = Tool(calculate, name=f"calculate_{score}")
    made.schema["function"]["parameters"] = input_schema(declared)
    return made


def _docstring(declared: Instrument) -> str:
    lines = [f"{declared.name}: {declared.purpose}", "", "Args:"]
    return "\n".join([*lines, *(f"    {one.name}: {one.label}." for one in declared.inputs)])
