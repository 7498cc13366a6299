"""C-MARL of MMedAgent-RL: its reward, its difficulty and its loss, as the environments have them.

The recipe itself is configuration: ``python -m verl_recipes train --method mmedagent``.
"""

from gym_clinic.domains.mmedagent import difficulty, objective, reward

__all__ = ["difficulty", "objective", "reward"]
