"""What a specialist says: an answer, and a rationale that fits it.

The rationale is drawn from what is claimed alone. Right and wrong specialists, and those outside of
their field, write from the same phrases; a share of every pool occurs in dev or in test only.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from pydantic import BaseModel, Field, ValidationInfo, field_validator

from gym_clinic.domains.mmedagent.rewards import chosen_option
from gym_clinic.simulate.split import Split, of_split


class SpecialistReply(BaseModel):
    """What a specialist replies.

    Attributes:
        answer: Label of the option.
        rationale: Why, in one to three sentences.
    """

    answer: str = Field(description="the label of the option that you choose")
    rationale: str = Field(
        min_length=1, description="what you see that leads you there, in one to three sentences"
    )

    @field_validator("answer")
    @classmethod
    def _an_option(cls, answer: str, info: ValidationInfo) -> str:
        options = (info.context or {}).get("options")
        if options is None:
            return answer
        label = chosen_option(answer, options)
        if label is None:
            raise ValueError(f"{answer[:60]!r} is no option; choose from {list(options)}")
        return label


@lru_cache(maxsize=1)
def pools() -> Mapping[str, Sequence[str]]:
    """Return the pools of phrases, by name."""
    text = Path(__file__).with_name("phrases.json").read_text(encoding="utf-8")
    found: dict[str, list[str]] = json.loads(text)
    return found


@lru_cache(maxsize=256)
def _of_split(pool: str, split: Split) -> tuple[str, ...]:
    return tuple(of_split(pool, pools()[pool], split))


def pool_of(kind: str, claim: str) -> str:
    """Return the pool of the sentence that states a claim."""
    if claim in ("yes", "no"):
        return f"presence.{claim}"
    return kind if kind in pools() and "." not in kind else "other"


def write_rationale(kind: str, claim: str, seed: str, split: Split) -> str:
    """Write why a specialist chose an option.

    Args:
        kind: Kind of the question.
        claim: Text of the option.
        seed: Decides the words, and whether an opening or a closing sentence is there.
        split: Whose phrases are used.
    """
    random = Random(f"rationale:{seed}")
    parts = [pool_of(kind, claim)]
    form = random.random()
    if form < 0.6:
        parts.insert(0, "opening")
    if form > 0.3:
        parts.append("closing")
    sentences = [random.choice(_of_split(pool, split)).format(claim=claim) for pool in parts]
    return " ".join(sentence[0].upper() + sentence[1:] for sentence in sentences)


def recorded_opinions(
    record: Mapping[str, Any], specialty: str, *, inside: bool, count: int
) -> tuple[SpecialistReply, ...]:
    """Return the opinions that a task records.

    Args:
        record: Of the task: ``votes`` of the right department and ``outside`` of the others, whose
            words are drawn here; or, of imported tasks, ``opinions`` as they were given.
        specialty: Name of the department that is asked.
        inside: Whether it is the right one.
        count: How many are asked.
    """
    if "opinions" in record:
        given = record["opinions"]
        return tuple(SpecialistReply(answer=reply["answer"], rationale=reply["rationale"])
                     for reply in given[:count])  # fmt: skip
    votes = record.get("votes" if inside else "outside", ())
    options, seed = record["options"], f"{record.get('seed', '')}:{specialty}"
    return tuple(
        SpecialistReply(
            answer=label,
            rationale=write_rationale(
                record["kind"], options[label], f"{seed}:{number}", record.get("split", "train")
            ),
        )
        for number, label in enumerate(votes[:count])
    )


def plurality(votes: Sequence[str]) -> str | None:
    """Return the answer that most specialists give; of equals the one given first."""
    if not votes:
        return None
    count = Counter(votes)
    return max(votes, key=lambda label: count[label])
