"""Tasks of triage that are made once for all tests, and how a plan is judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import gymnasium as gym

from gym_clinic import ClinicEnv
from gym_clinic.catalog import unwrap
from gym_clinic.clinical import JudgedEpisode, MadeTask, TaskDraft
from gym_clinic.clinical.rehearsal import rehearse
from gym_clinic.clinical.tasks import seed_of
from gym_clinic.domains.triage_emergency.judging import JUDGE
from gym_clinic.domains.triage_emergency.tasks import (
    make_task,
)
from gym_clinic.domains.triage_emergency.tools import make_tools
from gym_clinic.domains.triage_emergency.world import TriageCase
from gym_clinic.toolbox import Toolbox


@cache
def env() -> ClinicEnv:
    return unwrap(gym.make("clinic/TriageEmergency-v0", split="test"))


@cache
def made(label: str) -> MadeTask:
    drafts = (TaskDraft(label, seed_of("train", number), "train") for number in range(60))
    return next(one for one in map(make_task, drafts) if one is not None)


def moves_of(one: MadeTask) -> list[list[tuple[str, dict[str, object]]]]:
    plan: list[list[tuple[str, dict[str, object]]]] = [
        [(call["name"], dict(call["arguments"])) for call in move] for move in one.gold["plan"]
    ]
    return plan


def held(one: MadeTask, plan: Iterable[Iterable[tuple[str, dict[str, object]]]]) -> dict[str, bool]:
    """Check of each assertion -> whether it holds after a plan and the right answer."""
    found = judged(one, plan)
    return {each["text"]: found.held(each) for each in one.gold["assertions"]}


def judged(
    one: MadeTask,
    plan: Iterable[Iterable[tuple[str, dict[str, object]]]],
    cited: Sequence[Mapping[str, object]] | None = None,
) -> JudgedEpisode:
    """The judgement of a plan with the right answer; the citations are the gold's if None."""
    done = rehearse(Toolbox(make_tools()), TriageCase(one.record), [[*move] for move in plan])
    assert done.failure is None
    found = one.gold["cite"] if cited is None else cited
    return done.judged(JUDGE, one.gold, {**one.gold["answer"], "cited_findings": found})


@cache
def made_of(condition: str, label: str) -> MadeTask:
    """A task of a condition, whatever the pools of the level have."""
    drafts = (TaskDraft(label, seed_of("train", number), "train") for number in range(80))
    return next(one for one in (make_task(draft, condition) for draft in drafts) if one is not None)
