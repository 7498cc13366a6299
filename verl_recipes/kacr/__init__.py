"""KACR: PPO over the turns of a walk on a graph, with a graph critic.

The method is ``config/method/kacr.yaml``; its parts are `critic/` (the trainer, and the loop that
fits a value model) and ``gym_clinic.domains.kacr.critic`` (the network). Its formulas are here.
"""

from gym_clinic.exports import lazy_names

__all__ = ["gae", "ppo", "rgcn"]

__getattr__ = lazy_names(__name__, {"gae": "formulas", "ppo": "formulas", "rgcn": "formulas"})
