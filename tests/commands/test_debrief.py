"""The debrief of a clinical episode names what was broken."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import clinical_domain
import gymnasium as gym
import orjson
import pytest
from rich.console import Console

from gym_clinic import ClinicEnv
from gym_clinic.catalog import unwrap
from gym_clinic.commands.debrief import print_debrief
from gym_clinic.frozen import thaw
from gym_clinic.taskset import first

ORDER = {"order": "ibuprofen", "dose": 400, "unit": "mg", "route": "oral", "per_day": 3}


WRONG: dict[str, Callable[[Mapping[str, Any]], list[dict[str, Any]]]] = {
    "clinic/ClinicalDiagnosis-v0": lambda right: [
        {"name": "activate_pathway", "arguments": {"pathway": "massive_transfusion"}},
        {"name": "submit_answer", "arguments": right},
    ],
    "clinic/TriageEmergency-v0": lambda right: [
        {"name": "submit_answer", "arguments": {**right, "level": 1 if right["level"] > 3 else 5}}
    ],
    "clinic/DrugInteraction-v0": lambda right: [
        {"name": "submit_answer", "arguments": {
            **right, "plan": {}, "problems": [], "verdict": WRONG_VERDICT[right["verdict"]]}}
    ],
}  # fmt: skip
"""Id -> the calls that end badly, from the right answer."""

WRONG_VERDICT = {
    "start as proposed": "do not start", "start with change": "start as proposed",
    "do not start": "start as proposed", "keep the list": "change the list",
    "change the list": "keep the list",
}  # fmt: skip


def debrief(env: ClinicEnv, total: float, info: Mapping[str, Any]) -> str:
    screen = io.StringIO()
    print_debrief(Console(file=screen, width=300), env, total, info)
    return screen.getvalue()


@pytest.mark.parametrize("name", WRONG)
def test_the_debrief_tells_the_harms_of_a_domain_in_words(name: str) -> None:
    env = unwrap(gym.make(name, split="dev"))
    for task in first(env.tasks, 5):
        env.reset(options={"task_id": task.id})
        (*_, last) = env.domain.solve(task)
        answer = json.loads(orjson.dumps(dict(last[-1][1]), default=thaw))
        for call in WRONG[name](answer):
            _, total, _, _, info = env.step_calls([call])
        harms = env.episode.case.judged[1].harms  # type: ignore[attr-defined]
        assert harms
        text = debrief(env, total, info)
        for harm in harms:
            assert re.fullmatch(r"[A-Z].{15,}\.", harm.text)
            assert harm.text in text


def test_the_debrief_names_the_rules_of_safety_that_were_broken() -> None:
    env = unwrap(gym.make(clinical_domain.ID))
    env.reset(seed=0)
    answer = {"diagnosis": "MI", "disposition": "ward", "orders": [ORDER]}
    call = {"name": "submit_answer", "arguments": answer}
    _, total, _, _, info = env.step_calls([call])
    broken = env.episode.case.judged[1].violations  # type: ignore[attr-defined]
    assert broken
    text = debrief(env, total, info)
    for one in broken:
        assert f"{one.rule}" in text
        assert one.title in text
