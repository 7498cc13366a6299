"""MMedAgent-RL."""

from gym_clinic.domains.mmedagent.curriculum import difficulty, objective
from gym_clinic.domains.mmedagent.rewards import reward

__all__ = ["difficulty", "objective", "reward"]
