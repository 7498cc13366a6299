"""The vocabulary of the rules: one small named function a question."""

from __future__ import annotations

from gym_clinic.safety.predicates import actions, answers, doses, medicines, patient

__all__ = ["actions", "answers", "doses", "medicines", "patient"]
