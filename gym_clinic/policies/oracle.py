"""The perfect agent: it plays the solution that the gold spells out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gym_clinic.env import ClinicEnv
from gym_clinic.policies import Maker
from gym_clinic.policies.moves import Ground, Script


def oracle(env: ClinicEnv) -> Maker:
    """Play ``domain.solve`` of the task, written in the environment's dialect.

    Args:
        env: The environment it acts in.
    """
    ground = Ground(env)

    def begin(observation: str, info: dict[str, Any]) -> Iterator[str]:
        for move in ground.domain.solve(ground.task(info)):
            yield from ground.write(move)

    return lambda seed: Script(begin)
