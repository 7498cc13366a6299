"""What a patient with a condition says, and what examination and studies show.

Texts are phrases: ``[a|b]`` is one of its alternatives, ``<3-7>`` a drawn number
(:mod:`gym_clinic.facts.phrases`). What is shown never contradicts the patient: it may go with a
finding of the condition, or with a value of the body on arrival.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator
from typing_extensions import Self

from gym_clinic.errors import TaskError
from gym_clinic.facts.expressions import parse as parse_expression
from gym_clinic.facts.phrases import parse, slots_of
from gym_clinic.facts.records.instruments import Expr
from gym_clinic.facts.records.models import Slug, Text, distinct
from gym_clinic.facts.typed_json import Strict

Share = Annotated[float, Field(gt=0, le=1)]
Site = Literal[
    "general", "skin", "head and neck", "eyes", "ears nose throat", "heart", "chest", "abdomen",
    "rectal", "genitourinary", "pelvic", "obstetric", "back", "limbs", "joints", "neurology",
    "mental state", "breast",
]  # fmt: skip
Has = Callable[[str], bool]
"""Whether the patient has a finding, by its name."""

MOST_POINTS = 10_000
"""States of the body that are tried at most, to see that a study has a result in each."""


def _phrase(text: str) -> str:
    try:
        parsed = parse(text)
    except TaskError as error:
        raise ValueError(str(error)) from None
    if slots := sorted(slots_of(parsed)):
        raise ValueError(f"{text!r} has the slots {slots}; nothing fills them")
    return text


Phrase = Annotated[Text, AfterValidator(_phrase)]
Phrases = Annotated[tuple[Phrase, ...], AfterValidator(distinct)]


class Complaint(Strict):
    """Why a patient comes.

    Attributes:
        finding: Name of the finding.
        weight: How often it is the complaint.
        words: How patients say it.
    """

    finding: Text
    weight: float = Field(gt=0)
    words: Phrases = Field(min_length=1)


class Sign(Strict):
    """A sign on examination, or one that is looked for and not there.

    Exactly one of ``share``, ``goes_with`` and ``when`` says who has it.

    Attributes:
        site: The part of the examination.
        text: What is noted.
        share: Of patients at the usual severity who have it.
        goes_with: Name of the finding that the patients who have it have.
        when: The values on arrival under which they have it, such as "hr > 100"; besides
            measurements, `age` and the limits of healthy people, such as `high_hr`, may be named.
        otherwise: What is noted in the others; nothing if None.
        variant: The variant of the condition that it belongs to; None for all.
        abnormal: Which of the two is abnormal: "text", "otherwise", "both" or "neither".
    """

    site: Site
    text: Phrase
    share: Share | None = None
    goes_with: Text | None = None
    when: Expr | None = None
    otherwise: Phrase | None = None
    variant: Slug | None = None
    abnormal: Literal["text", "otherwise", "both", "neither"] = "text"

    @model_validator(mode="after")
    def _is_chosen_in_one_way(self) -> Self:
        if sum(one is not None for one in (self.share, self.goes_with, self.when)) != 1:
            raise ValueError("expected one of 'share', 'goes_with' and 'when'")
        return self


class StudyResult(Strict):
    """A result of a study.

    Attributes:
        text: The report.
        share: Of patients who have this result, among the results that are possible in them. The
            shares of a study whose results are possible in everybody add up to 1.
        shows: Whether it points to the condition.
        variant: The variant of the condition that it belongs to; None for all.
        goes_with: Name of a finding: possible only in patients who have it.
        unless: Name of a finding: possible only in patients who do not have it.
        when: The values on arrival under which it is possible; as in `Sign`.
    """

    text: Phrase
    share: Share
    shows: bool = True
    variant: Slug | None = None
    goes_with: Text | None = None
    unless: Text | None = None
    when: Expr | None = None

    def possible(self, variant: str | None, has: Has, values: Mapping[str, Any]) -> bool:
        """Whether a patient may have this result.

        Args:
            variant: The form of the condition.
            has: Whether the patient has a finding.
            values: The values that `when` names.
        """
        return (
            self.variant in (None, variant)
            and (self.goes_with is None or has(self.goes_with))
            and (self.unless is None or not has(self.unless))
            and (self.when is None or bool(parse_expression(self.when).compute(values)))
        )

    @property
    def depends(self) -> bool:
        """Whether it is possible in some patients only, whatever their variant."""
        return any(one is not None for one in (self.goes_with, self.unless, self.when))


class Study(Strict):
    """An ECG, an image, a culture or another study.

    Attributes:
        study: Its name, such as "ecg", "chest-x-ray", "ct-head", "blood-culture".
        results: What it finds.
    """

    study: Slug
    results: tuple[StudyResult, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _shares_add_up(self) -> Self:
        if any(one.depends for one in self.results):
            return self
        if abs(sum(one.share for one in self.results) - 1) > 1e-6:
            raise ValueError(f"results of {self.study}: the shares add up to 1")
        return self

    def check_complete(self, variants: Iterable[str]) -> None:
        """Check that every patient has a possible result.

        Args:
            variants: The forms of the condition.

        Raises:
            ValueError: If there is none; the text says in whom.
        """
        forms: list[str | None] = [*variants] or [None]
        for variant in forms:
            own = [one for one in self.results if one.variant in (None, variant)]
            findings = {name for one in own for name in (one.goes_with, one.unless) if name}
            states = list(_points([one.when for one in own if one.when is not None]))
            for count in range(len(findings) + 1):
                for having in itertools.combinations(sorted(findings), count):
                    for values in states:
                        has = having.__contains__
                        if not any(one.possible(variant, has, values) for one in own):
                            where = f"variant {variant!r}, findings {list(having)}, {values}"
                            raise ValueError(f"results of {self.study}: none for {where}")


def values_of(when: str | None) -> frozenset[str]:
    """Return the names of the values that a sign or a result depends on."""
    return frozenset() if when is None else parse_expression(when).names


def _points(conditions: list[str]) -> Iterator[dict[str, float]]:
    """Yield values of the body on both sides of every number that conditions name."""
    read = [parse_expression(one) for one in conditions]
    names = sorted({name for one in read for name in one.names})
    candidates = []
    for name in names:
        numbers = {number for one in read if name in one.names for number in one.constants}
        near = {number + by for number in numbers for by in (-1e-6, 0, 1e-6)}
        candidates.append(sorted({-1e6, 0.0, 1e6} | near))
    if sum(1 for _ in itertools.islice(itertools.product(*candidates), MOST_POINTS)) == MOST_POINTS:
        raise ValueError(f"'when' of one study names too many values: {names}")
    for values in itertools.product(*candidates):
        yield dict(zip(names, values, strict=True))
