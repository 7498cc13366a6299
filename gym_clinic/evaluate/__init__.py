"""Runs policies over tasks: traces that can be trusted, figures with intervals."""

from gym_clinic.evaluate.run import Interrupted, episodes, evaluate, sample

__all__ = ["Interrupted", "episodes", "evaluate", "sample"]
