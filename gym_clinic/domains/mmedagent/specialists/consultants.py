"""Who replies for the specialists: the record, rules, or a chat model that sees the image."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gym_clinic.case import Case
from gym_clinic.consult import Consultant, Question, Recorded, Rules, make_consultant, read_prompt
from gym_clinic.domains.mmedagent.reader import answer_by_features
from gym_clinic.domains.mmedagent.specialists.opinions import SpecialistReply, recorded_opinions
from gym_clinic.errors import ConfigError

if TYPE_CHECKING:
    from gym_clinic.images import Image

PROMPT = read_prompt(Path(__file__).with_name("specialist.md"))

RECORDED = "recorded"

MOST_MEMBERS = 9
"""Specialists that can be asked at most; a record has fewer."""


def checked_count(count: int) -> int:
    """Return the number of specialists.

    Raises:
        ConfigError: If it is not a whole number from 0 to 9.
    """
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MOST_MEMBERS:
        raise ConfigError(f"specialists is a whole number from 0 to {MOST_MEMBERS}, not {count!r}")
    return count


def make_specialists(option: str | Mapping[str, Any]) -> Consultant:
    """Return who replies for the specialists.

    Args:
        option: ``"recorded"``, ``"rules"``, or ``{"kind": "chat", "url": …, "model": …}``.

    Raises:
        ConfigError: If it is none of them.
    """
    return make_consultant(option, {RECORDED: Recorded(_recorded), "rules": Rules(_by_rules)})


def ask(
    consultant: Consultant,
    record: Mapping[str, Any],
    case: Case,
    specialty: str,
    image: Image,
    *,
    inside: bool,
    count: int,
) -> tuple[SpecialistReply, ...]:
    """Return the opinions of a department's specialists, each asked alone.

    Args:
        consultant: Who replies.
        record: Of the task.
        case: Charged with the tokens.
        specialty: Name of the department's specialists.
        image: What they are shown.
        inside: Whether the image belongs to this department.
        count: How many are asked.

    Raises:
        ServiceError: If a model server fails.
    """
    listed = ", ".join(f"{label}. {text}" for label, text in record["options"].items())
    values = {"specialty": specialty.lower(), "question": record["question"], "listed": listed,
              "options": record["options"], "record": record, "inside": inside, "count": count,
              "image": image}  # fmt: skip
    replies = []
    for number in range(count):
        question = Question(f"{specialty} {number + 1}", PROMPT, {**values, "number": number},
                            SpecialistReply, images=(image,))  # fmt: skip
        replies.append(consultant.ask(question, case))
    return tuple(replies)


def _recorded(question: Question[Any], case: Any) -> object:
    values = question.values
    opinions = recorded_opinions(
        values["record"], values["specialty"], inside=values["inside"], count=values["count"]
    )
    number: int = values["number"]
    return opinions[number] if number < len(opinions) else None


def _by_rules(question: Question[Any], case: Any) -> object:
    values = question.values
    return answer_by_features(values["options"], values["image"], values["number"])
