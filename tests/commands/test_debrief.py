"""The debrief of a clinical episode names what was broken."""

from __future__ import annotations

import io

import clinical_domain
import gymnasium as gym
from rich.console import Console

from gym_clinic.catalog import unwrap
from gym_clinic.commands.debrief import print_debrief

ORDER = {"order": "ibuprofen", "dose": 400, "unit": "mg", "route": "oral", "per_day": 3}


def test_the_debrief_names_the_rules_of_safety_that_were_broken() -> None:
    env = unwrap(gym.make(clinical_domain.ID))
    env.reset(seed=0)
    answer = {"diagnosis": "MI", "disposition": "ward", "orders": [ORDER]}
    call = {"name": "submit_answer", "arguments": answer}
    _, total, _, _, info = env.step_calls([call])
    broken = env.episode.case.judged[1].violations  # type: ignore[attr-defined]
    assert broken
    screen = io.StringIO()
    print_debrief(Console(file=screen, width=300), env, total, info)
    text = screen.getvalue()
    for one in broken:
        assert f"{one.rule}" in text
        assert one.title in text
