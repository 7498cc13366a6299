"""Questions with labelled disciplines: `draw_question` draws the case, then its words."""

from gym_clinic.domains.kacr.questions.draw import draw_question
from gym_clinic.domains.kacr.questions.question import ClinicalQuestion, ToldFinding

__all__ = ["ClinicalQuestion", "ToldFinding", "draw_question"]
