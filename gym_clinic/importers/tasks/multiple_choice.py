"""A multiple-choice question, as every benchmark of medical questions becomes one.

Each question becomes a task::

    {"id": "medqa-3f9c0a71be52d604",
     "record": {"question": "…", "options": {"A": "…", "B": "…"}},
     "gold": {"answer": "B"},
     "provenance": "medqa"}

The record also has `context` (paragraphs to read first) and `subject`, and the gold `explanation`,
where the benchmark publishes them. The id is a hash of what is asked: it is the same wherever the
question is imported from, and does not depend on the answer.
"""

from __future__ import annotations

import hashlib
from string import ascii_uppercase
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, model_validator
from typing_extensions import Self

from gym_clinic.episode import Task
from gym_clinic.facts.typed_json import make_record


class MultipleChoice(BaseModel):
    """A multiple-choice question.

    Attributes:
        question: What is asked.
        options: Label -> text; the labels are A, B, C and so on.
        answer: Label of the right option.
        context: Paragraphs to read first, such as those of an abstract.
        subject: Subject of the examination.
        explanation: Why the answer is right.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, str_strip_whitespace=True)

    question: str = Field(min_length=1)
    options: dict[str, str] = Field(min_length=2, max_length=len(ascii_uppercase))
    answer: str
    context: list[str] = Field(default_factory=list)
    subject: str = ""
    explanation: str = ""

    @model_validator(mode="after")
    def _answerable(self) -> Self:
        labels = list(self.options)
        if labels != list(ascii_uppercase[: len(labels)]):
            raise ValueError(f"options are labelled {labels}; expected A, B, C and so on")
        if not self.options.get(self.answer):
            raise ValueError(f"the answer is {self.answer!r}; expected an option of {labels}")
        return self


def question_task(benchmark: str, place: str, **fields: Any) -> Task:
    """Make the task of a question.

    Args:
        benchmark: Name of the benchmark; it becomes the provenance and begins the id.
        place: File and line, for errors.
        **fields: Fields of `MultipleChoice`.

    Raises:
        TaskError: If it is no question; the text names the place and the field.
    """
    found = make_record(MultipleChoice, place, **fields)
    asked = [found.question, found.context, list(found.options.values())]
    record: dict[str, Any] = {"question": found.question, "options": found.options}
    gold: dict[str, Any] = {"answer": found.answer}
    for part, name in ((record, "context"), (record, "subject"), (gold, "explanation")):
        if value := getattr(found, name):
            part[name] = value
    digest = hashlib.sha256(orjson.dumps(asked)).hexdigest()[:16]
    return Task(f"{benchmark}-{digest}", record, gold, provenance=benchmark)
