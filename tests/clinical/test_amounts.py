"""Doses of an answer are above zero, in every domain that takes them."""

from __future__ import annotations

from typing import Any

import pytest

from gym_clinic.env import ClinicEnv

WRONG = (-500, 0, -0.5)


@pytest.mark.parametrize("amount", WRONG)
@pytest.mark.parametrize(
    ("domain", "field", "holds"),
    [
        ("clinical_diagnosis", "orders.0.dose", lambda n: {"orders": [{"order": "x", "dose": n}]}),
        (
            "clinical_diagnosis",
            "orders.0.per_day",
            lambda n: {"orders": [{"order": "x", "per_day": n}]},
        ),
        (
            "drug_interaction",
            "plan.doses.0.daily_dose",
            lambda n: {"plan": {"doses": [{"drug": "x", "daily_dose": n}]}},
        ),
    ],
)
def test_an_amount_is_above_zero(domain: str, field: str, holds: Any, amount: float) -> None:
    env = ClinicEnv(domain)
    env.reset(options={"task_id": env.tasks[0].id})
    [(name, right)] = env.domain.solve(env.tasks[0])[-1]
    wrong = {**right, **holds(amount)}
    observation, _, terminated, _, _ = env.step_calls([{"name": name, "arguments": wrong}])
    assert not terminated
    assert f"argument '{field}': Input should be greater than 0, got {amount}" in observation
    *_, terminated, _, _ = env.step_calls([{"name": name, "arguments": {**right, **holds(1)}}])
    assert terminated
