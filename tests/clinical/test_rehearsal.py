"""Plans carried out on a fresh chart, and whether they earn everything."""

from __future__ import annotations

import clinical_domain

from gym_clinic.clinical import ClinicCase, open_world
from gym_clinic.clinical.rehearsal import Plan, Rehearsal, rehearse
from gym_clinic.toolbox import Toolbox

TOOLS = Toolbox(clinical_domain.domain().tools)
WORLD = open_world({"seed": 5, "condition": clinical_domain.STEMI})


def played(plan: Plan) -> Rehearsal:
    return rehearse(TOOLS, ClinicCase(WORLD), plan)


def test_a_plan_tells_what_it_read_and_costs() -> None:
    plan = [[("measure_vital_signs", {}), ("order_ecg", {})], [("wait", {"minutes": 15})]]
    before, after = played(plan), played([*plan, [("read_results", {})]])
    assert before.failure is after.failure is None
    assert after.read - before.read == {"study:ecg"}
    assert [len(one.calls) for one in after.turns] == [2, 1, 1]
    assert before.reference["orders"] == 1
    assert before.reference["cost"] > 0
    shows = any(one.studies["ecg"].shows for one in WORLD.patient.problems if "ecg" in one.studies)
    assert not before.shows("study:ecg", shows)
    assert after.shows("study:ecg", shows)
    assert not after.shows("study:ecg", not shows)


def test_a_plan_ends_at_the_first_error() -> None:
    done = played([[("order_study", {"study": "no such"}), ("order_ecg", {})]])
    assert done.failure is not None
    assert "no such" in done.failure
    assert done.reference["orders"] == 0
