"""Questions with labelled disciplines: `draw_question` draws the case, then its words."""

from gym_clinic.domains.kacr.questions.draw import draw_question
from gym_clinic.domains.kacr.questions.question import Question, Told

__all__ = ["Question", "Told", "draw_question"]
