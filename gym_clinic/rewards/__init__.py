"""Rewards of an episode, ``Episode -> float``, and the Rubric that composes them."""

from gym_clinic.rewards.accuracy import exact_answer
from gym_clinic.rewards.process import call_f1
from gym_clinic.rewards.rubric import Rubric, Score, scale

__all__ = ["Rubric", "Score", "call_f1", "exact_answer", "scale"]
