"""The ticket and the reference plan: pregnancy, and scores of what was measured on air."""

from __future__ import annotations

from functools import cache

from gym_clinic.clinical import MadeTask, TaskDraft
from gym_clinic.clinical.tasks import seed_of
from gym_clinic.domains.triage_emergency.planned import PlannedTriage
from gym_clinic.domains.triage_emergency.questions import has_belly_pain
from gym_clinic.domains.triage_emergency.tasks import make_task
from gym_clinic.domains.triage_emergency.tools.references import read_red_flags
from gym_clinic.domains.triage_emergency.world import TriageCase


@cache
def tasks_of(label: str, condition: str | None = None, count: int = 40) -> list[MadeTask]:
    drafts = (TaskDraft(label, seed_of("train", number), "train") for number in range(count))
    return [one for draft in drafts if (one := make_task(draft, condition)) is not None]


def test_a_ticket_tells_of_a_pregnancy_that_is_seen_and_the_card_asks_those_who_may_be() -> None:
    one = tasks_of("2", "placenta-praevia")[0]
    weeks = TriageCase(one.record).patient.person.pregnant_weeks
    assert weeks is not None
    assert ("visibly pregnant" in one.ticket) is (weeks >= 24)
    man = next(each for each in tasks_of("4") if ", male." in each.ticket)
    assert not any(
        key.startswith("women") for key in read_red_flags(TriageCase(man.record), "pelvic pain")
    )
    assert any(
        key.startswith("women") for key in read_red_flags(TriageCase(one.record), "pelvic pain")
    )


def test_a_pain_in_the_belly_that_is_told_later_is_asked_for_a_pregnancy() -> None:
    case = TriageCase(tasks_of("2", "placenta-praevia")[0].record)
    plan = PlannedTriage(case)
    case.told.clear()
    assert not has_belly_pain(plan)
    case.told[f"finding:{case.patient.facts.finding_ids['Pelvic pain']}"] = "yes"
    assert has_belly_pain(plan)


def test_a_news2_of_values_on_air_is_one_without_oxygen() -> None:
    calls = [call for one in tasks_of("1", count=120) for move in one.gold["plan"] for call in move]
    scores = [call["arguments"] for call in calls if call["name"] == "calculate_news2"]
    assert not [one for one in scores if one["on_oxygen"]]
