"""The tool that activates a protocol at the door."""

from __future__ import annotations

from typing import Any

from gym_clinic.chart import Chart
from gym_clinic.chart.catalogue import actions, find_among
from gym_clinic.chart.encounter import minutes_of
from gym_clinic.domains.triage_emergency.placement import protocols
from gym_clinic.toolbox import Kind, tool


def known_pathways() -> tuple[str, ...]:
    """Return the pathways of the chart, and those of the protocols of triage."""
    own = (one.activates for one in protocols().values())
    return tuple(dict.fromkeys((*actions().pathways, *own)))


@tool(kind=Kind.WRITE)
def activate_pathway(case: Chart, pathway: str) -> dict[str, Any]:
    """Activate an emergency pathway; `read_protocol` gives its name.

    Args:
        pathway: Such as "stroke", "cath_lab", "sepsis", "anaphylaxis", "massive_transfusion".
    """
    name = find_among(pathway, known_pathways(), "pathway")
    case.spend(minutes_of("activate"))
    case.log("activate", pathway=name)
    return {"pathway": name, "activated": case.clock()}
