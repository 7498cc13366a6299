"""What the debrief of a triage says: which calls were needed, and what the level rests on."""

from __future__ import annotations

from gym_clinic.clinical import TaskDraft
from gym_clinic.clinical.tasks import seed_of, task_of
from gym_clinic.domains import triage_emergency
from gym_clinic.domains.triage_emergency.tasks import SPEC, make_task
from gym_clinic.evaluate.marks import mark

MADE = [
    one
    for label in "234"
    for number in range(20)
    if (one := make_task(TaskDraft(label, seed_of("train", number), "train"))) is not None
]


def test_the_look_at_the_department_is_needed() -> None:
    domain, task = triage_emergency.domain(), task_of(SPEC, MADE[0])
    plan = [call for move in MADE[0].gold["plan"] for call in move]
    marked, _ = mark(domain, task, [{**call, "ok": True} for call in plan])
    assert {one["name"]: one["mark"] for one in marked}["read_department_state"] == "needed"
    _, missed = mark(domain, task, [{**call, "ok": True} for call in plan[:-1]])
    assert [one["name"] for one in missed] == ["read_department_state"]


def test_no_reason_is_named_beside_a_special_form_of_it() -> None:
    """Nobody is told that blood in the urine is an abnormality of the kidney."""
    texts = [one["text"] for made in MADE for one in made.gold["assertions"]
             if one["check"] == "rests_on"]  # fmt: skip
    assert any("Confusion (present)" in one for one in texts)
    assert not any(
        "Confusion (present)" in one and "Reduced consciousness/confusion (present)" in one
        for one in texts
    )
    assert not any("Abnormality of" in one for one in texts)
