"""PPO with a critic of one's own: a plain torch module that reads the `info` of an episode.

verl's critic worker is a language model with a value head: it reads tokens and nothing else. A
model that reads a graph or a table is small, so a loop of ours trains it, in the trainer's process.
"""

from gym_clinic.exports import lazy_names

__all__ = ["Critic", "load"]

__getattr__ = lazy_names(__name__, {"Critic": "value", "load": "value"})
