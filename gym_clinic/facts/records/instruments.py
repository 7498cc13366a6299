"""The declaration of a published clinical score: inputs, points or formula, bands and citation.

A declaration is data: whatever computes a score, offers it as a tool or describes it reads it here.
Its expressions are those of :mod:`gym_clinic.facts.expressions`. A score is the value of `formula`
plus the points of all `parts`, rounded to `decimals`; its band is read on the rounded score. A
decision rule has `outcomes` and no score.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator
from typing_extensions import Self

from gym_clinic.facts.expressions import parse
from gym_clinic.facts.records.models import Record, Text, Texts
from gym_clinic.facts.typed_json import Strict

HIGHEST_PART = "highest_part"
"""In a band: the most points that any single part has."""


def _expression(text: str) -> str:
    parse(text)
    return text


Expr = Annotated[str, AfterValidator(_expression)]
Key = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$")]
Points = float | Expr


class Input(Strict):
    """What a score is computed from.

    Attributes:
        name: Its name in expressions.
        label: Its name for people.
        type: A number, a whole number, a truth value, a choice, a list of whole numbers or a date.
        unit: Its unit, such as "mg/dL"; None where it has none.
        low: Least possible value; a smaller one is an error, and never a score.
        high: Greatest possible value.
        choices: Values of a choice.
        length: Number of items of a list.
        required: Whether it must be given. What is not required is None unless given.
        default: Value of a truth value that was not given.
    """

    name: Key
    label: Text
    type: Literal["number", "integer", "boolean", "choice", "integers", "date"]
    unit: Text | None = None
    low: float | None = None
    high: float | None = None
    choices: Texts = ()
    length: int | None = Field(default=None, ge=1)
    required: bool = True
    default: bool | None = None

    @model_validator(mode="after")
    def _fits_its_type(self) -> Self:
        numeric = self.type in ("number", "integer", "integers")
        if numeric != (self.low is not None and self.high is not None):
            raise ValueError("a number has 'low' and 'high', and nothing else has")
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise ValueError("'low' must be below 'high'")
        if (self.type == "choice") != bool(self.choices):
            raise ValueError("a choice has 'choices', and nothing else has")
        if (self.type == "integers") != (self.length is not None):
            raise ValueError("a list has 'length', and nothing else has")
        if self.default is not None and (self.required or self.type != "boolean"):
            raise ValueError("only a truth value that is not required has a default")
        return self


class Value(Strict):
    """An intermediate value of a formula.

    Attributes:
        name: Its name; later values, parts and the formula may name it.
        formula: How it is computed.
    """

    name: Key
    formula: Expr


class Rule(Strict):
    """Points that are given under a condition.

    Attributes:
        when: The condition.
        points: A number, or an expression.
    """

    when: Expr
    points: Points


class Part(Strict):
    """A part of a score: the points of the first of its rules that holds.

    Attributes:
        name: Its name.
        rules: Its rules, in order.
        otherwise: Points where none holds.
    """

    name: Key
    rules: tuple[Rule, ...] = ()
    otherwise: Points = 0.0


class ScoreBand(Strict):
    """The interpretation of a range of scores; the first that fits is taken.

    Attributes:
        band: Its name.
        meaning: Its interpretation.
        low: Least score, inclusive; None where there is no limit.
        high: Greatest score, inclusive.
        when: A further condition.
    """

    band: Key | Literal["A", "B", "C"] | Annotated[str, Field(pattern=r"^[A-Za-z0-9_]+$")]
    meaning: Text
    low: float | None = None
    high: float | None = None
    when: Expr | None = None


class RuleOutcome(Strict):
    """The result of a decision rule; the first that fits is taken.

    Attributes:
        result: Its name.
        meaning: Its interpretation.
        when: The condition; None for the last.
    """

    result: Annotated[str, Field(pattern=r"^[A-Za-z0-9_]+$")]
    meaning: Text
    when: Expr | None = None


class Flag(Strict):
    """A finding beside the score that must be read with it.

    Attributes:
        name: Its name.
        when: Its condition.
        meaning: What it means.
    """

    name: Key
    when: Expr
    meaning: Text


class ValidityLimit(Strict):
    """A limit beyond which the source says that the score is not to be used.

    Attributes:
        condition: A condition on the inputs; a score is refused where it does not hold.
        otherwise: What the score is then, such as "not for a glucose of 100 mg/dL or less".
    """

    condition: Expr
    otherwise: Text


class ResultNote(Strict):
    """What must be known of a result, such as in whom the score was validated.

    Attributes:
        text: The note.
        when: When it stands beside the result; None for always.
    """

    text: Text
    when: Expr | None = None


class Instrument(Record):
    """A clinical score, decision rule or formula.

    Attributes:
        id: Its short name, such as "curb65".
        name: Name.
        subject: Field of medicine.
        purpose: What it measures, and in whom.
        inputs: What it is computed from.
        requires: Conditions on the inputs together; one that does not hold is an error.
        valid_when: Limits of validity on the inputs; outside them the score is refused.
        values: Intermediate values, in order.
        parts: Parts that give points.
        formula: Formula whose value the points are added to.
        unit: Unit of the result; None for points.
        decimals: Decimals of the reported score.
        step: Smallest difference of two scores, where it is not one of the last decimal.
        total: Least and greatest possible score, where the score is bounded.
        bands: What the scores mean.
        outcomes: Results of a decision rule.
        flags: Findings beside the score.
        result_notes: What stands beside the result: in whom the score holds, what it is not for.
        reading: How the result is read, in words, beside the bands or where there are none.
        note: Where sources differ, and what is taken here.
        citation: The publication that defines it.
        status: Whether a stored source agrees, or none settled it.
        verified_against: The sources that it was compared with.
    """

    id: Key
    name: Text
    subject: Text
    purpose: Text
    inputs: tuple[Input, ...] = Field(min_length=1)
    requires: tuple[Expr, ...] = ()
    valid_when: tuple[ValidityLimit, ...] = ()
    values: tuple[Value, ...] = ()
    parts: tuple[Part, ...] = ()
    formula: Expr | None = None
    unit: Text | None = None
    decimals: int | None = Field(default=None, ge=0, le=6)
    step: float | None = Field(default=None, gt=0)
    total: tuple[float, float] | None = None
    bands: tuple[ScoreBand, ...] = ()
    outcomes: tuple[RuleOutcome, ...] = ()
    flags: tuple[Flag, ...] = ()
    result_notes: tuple[ResultNote, ...] = ()
    reading: Texts = ()
    note: Text | None = None
    citation: Text
    status: Literal["verified", "ok"]
    verified_against: Text | None = None

    def expressions(self) -> Iterator[tuple[str, str]]:
        """Yield the place of every expression, and its text."""
        yield from (("requires", text) for text in self.requires)
        yield from (("valid_when", limit.condition) for limit in self.valid_when)
        yield from ((f"values {one.name}", one.formula) for one in self.values)
        for part in self.parts:
            for rule in part.rules:
                yield f"parts {part.name}", rule.when
                yield from (
                    (f"parts {part.name}", text) for text in (rule.points,) if isinstance(text, str)
                )
            if isinstance(part.otherwise, str):
                yield f"parts {part.name}", part.otherwise
        if self.formula is not None:
            yield "formula", self.formula
        yield from ((f"bands {one.band}", one.when) for one in self.bands if one.when)
        yield from ((f"outcomes {one.result}", one.when) for one in self.outcomes if one.when)
        yield from ((f"flags {one.name}", one.when) for one in self.flags)
        yield from (("result_notes", note.when) for note in self.result_notes if note.when)

    @model_validator(mode="after")
    def _names_only_what_it_has(self) -> Self:
        names = [one.name for one in self.inputs] + [one.name for one in self.values]
        if double := {name for name in names if names.count(name) > 1}:
            raise ValueError(f"inputs and values: duplicate {sorted(double)}")
        parts = [one.name for one in self.parts]
        if double := {name for name in parts if parts.count(name) > 1}:
            raise ValueError(f"parts: duplicate {sorted(double)}")
        for place, text in self.expressions():
            known = {*names, HIGHEST_PART} if place.startswith("bands") else set(names)
            if unknown := parse(text).names - known:
                raise ValueError(f"{place}: {text!r} names {sorted(unknown)}, which is no input")
        if bool(self.outcomes) == bool(self.parts or self.formula):
            raise ValueError("expected either outcomes, or parts or a formula")
        if (self.status == "verified") != (self.verified_against is not None):
            raise ValueError("verified_against: expected where the status is 'verified'")
        return self

    @model_validator(mode="after")
    def _bands_cover_the_range(self) -> Self:
        if self.outcomes and any(one.when is None for one in self.outcomes[:-1]):
            raise ValueError("outcomes: only the last has no condition")
        if self.outcomes and self.outcomes[-1].when is not None:
            raise ValueError("outcomes: the last has no condition")
        plain = [one for one in self.bands if one.when is None]
        if not plain:
            return self
        plain.sort(key=lambda one: float("-inf") if one.low is None else one.low)
        step = self.step or 10.0 ** -(self.decimals or 0)
        for this, following in itertools.pairwise(plain):
            if this.high is None or following.low is None:
                raise ValueError(f"bands {this.band!r} and {following.band!r} overlap")
            if abs(following.low - this.high - step) > 1e-9:
                gap = "overlap" if following.low - this.high < step else "leave a gap"
                raise ValueError(f"bands {this.band!r} and {following.band!r} {gap}")
        ends = (plain[0].low, plain[-1].high)
        if ends != (self.total or (None, None)):
            raise ValueError(f"bands end at {ends}, the scores at {self.total or (None, None)}")
        return self
