"""The reward of a right answer."""

from __future__ import annotations

from gym_clinic.episode import Episode


def exact_answer(episode: Episode) -> float:
    """Return 1.0 if the accepted answer equals ``gold["answer"]``, else 0.0."""
    return float(episode.answer is not None and episode.answer == episode.task.gold["answer"])
