"""Plans carried out on a fresh chart."""

from __future__ import annotations

import clinical_domain

from gym_clinic.clinical import open_world
from gym_clinic.clinical.rehearsal import rehearse

TOOLS = clinical_domain.domain().tools
WORLD = open_world({"seed": 5, "condition": clinical_domain.STEMI})


def test_a_plan_tells_what_it_read_and_costs() -> None:
    plan = [("measure_vital_signs", {}), ("order_ecg", {}), ("wait", {"minutes": 15})]
    before = rehearse(TOOLS, WORLD, plan)
    after = rehearse(TOOLS, WORLD, [*plan, ("read_results", {})])
    assert before.failed is after.failed is None
    assert after.seen - before.seen == {"study:ecg"}
    assert before.reference["orders"] == 1
    assert before.reference["cost"] > 0
    assert before.citable("study:ecg") is None
    shows = any(one.studies["ecg"].shows for one in WORLD.patient.problems if "ecg" in one.studies)
    assert after.citable("study:ecg") == {"finding": "study:ecg", "present": shows}


def test_a_plan_ends_at_the_first_error() -> None:
    done = rehearse(TOOLS, WORLD, [("order_study", {"study": "no such"}), ("order_ecg", {})])
    assert done.failed is not None
    assert "no such" in done.failed
    assert done.reference["orders"] == 0
