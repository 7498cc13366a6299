"""What the answers of clinical domains have in common, as the agent writes it and as it is read.

A domain's submission tool takes its own conclusion and these fields, with the types below for its
parameters, and returns None, so that the episode's answer is what was written::

    @tool(kind=Kind.SUBMIT)
    def submit_answer(
        case: Chart, diagnosis: Name, differential: Diseases, disposition: Disposition,
        orders: Orders, follow_up: FreeText, cited_findings: Citations,
    ) -> None: ...

`read_answer` reads it through the fact tables. Names that mean nothing, or two things, stay in the
answer as made and match nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StrictBool
from typing_extensions import NotRequired, TypedDict

from gym_clinic.clinical.naming import (
    LONGEST,
    disease_named,
    find_action,
    find_condition,
    read_cited,
)
from gym_clinic.facts import Facts
from gym_clinic.facts.named_drugs import plain_route

MOST_CITED, MOST_ORDERS, MOST_DISEASES = 20, 12, 5
"""Cited findings, orders and diseases of the differential at most. Of citations, twice as many are
accepted, and those beyond the most are wrong; a longer list is refused."""

MOST_TEXT = 300
"""Characters of a free text at most."""

MEASURED = ("vital", "lab", "study", "site")
"""Kinds of what may be called normal; anything else is there or not."""

Name = Annotated[str, Field(max_length=LONGEST)]
"""The name of a disease, drug, test or finding."""

Amount = Annotated[float, Field(gt=0)]
"""A dose, or a number of doses."""

FreeText = Annotated[str, Field(max_length=MOST_TEXT)]
"""A text that no rule reads."""


class CitedFinding(TypedDict):
    """A finding that the conclusion rests on.

    Attributes:
        finding: One finding by its name, or a measurement, study, part of the examination,
            medicine, allergy or known illness; it may hold a value ("BP 82/46", "lactate 4.2
            mmol/L"), a direction ("raised CRP") or a negation ("no fever").
        present: Whether it is there; of a measurement, study or examination: whether it is
            abnormal.
        value: The value of a measurement, as it was read.
    """

    finding: Name
    present: NotRequired[StrictBool]
    value: NotRequired[float | None]


class AnswerOrder(TypedDict):
    """A treatment, test or consult that is ordered or advised with the answer.

    Attributes:
        order: What: a drug, a procedure, a test, a study, a service, "oxygen", "fluids", "blood".
        route: Route of a drug, such as "iv".
        dose: Dose of a drug.
        unit: Unit of the dose.
        per_day: Doses a day; 1 for a single dose.
    """

    order: Name
    route: NotRequired[Name | None]
    dose: NotRequired[Amount | None]
    unit: NotRequired[Name | None]
    per_day: NotRequired[Amount | None]


Diseases = Annotated[list[Name], Field(max_length=MOST_DISEASES)]
"""A differential diagnosis."""

Orders = Annotated[list[AnswerOrder], Field(max_length=MOST_ORDERS)]
"""The orders of an answer."""

Citations = Annotated[list[CitedFinding], Field(max_length=2 * MOST_CITED)]
"""The cited findings of an answer."""


class _AnswerPart(BaseModel):
    model_config = ConfigDict(frozen=True)


class ReadCitation(_AnswerPart):
    """A citation as it was read.

    Attributes:
        text: What was written.
        key: What it means, in the keys of :mod:`.seen`; None if unknown.
        condition: The condition of the history that it may mean as well: most are findings, too.
        present: Whether it is said to be there.
        value: The value that is given.
        side: Whether a measurement is said to be "high" or "low".
        open: Whether nothing says if it is there, so that the value alone tells.
    """

    text: str
    key: str | None
    condition: str | None = None
    present: bool = True
    value: float | None = None
    side: str | None = None
    open: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """What it means: the key itself, and the condition of that name."""
        return tuple(dict.fromkeys(key for key in (self.key, self.condition) if key is not None))


class ReadOrder(_AnswerPart):
    """An order of the answer as it was read.

    Attributes:
        text: What was written.
        action: What it means, as `find_action` has it; None if unknown.
        route: The short name of the route.
        dose: The dose.
        unit: Its unit.
        per_day: Doses a day.
    """

    text: str
    action: str | None
    route: str | None = None
    dose: float | None = None
    unit: str | None = None
    per_day: float | None = None


class ClinicalAnswer(_AnswerPart):
    """The fields that the answers of all clinical domains share, as they were read.

    Attributes:
        differential: Ids of diseases, the most likely first; unknown names are left out.
        disposition: As it was written; empty if there is none.
        orders: The orders.
        follow_up: Free text; only whether there is any counts.
        cited: The citations.
        uncounted: Citations beyond the most that are read.
    """

    differential: tuple[str, ...] = ()
    disposition: str = ""
    orders: tuple[ReadOrder, ...] = ()
    follow_up: str = ""
    cited: tuple[ReadCitation, ...] = ()
    uncounted: int = Field(default=0, ge=0)

    @property
    def actions(self) -> frozenset[str]:
        """What the orders mean, without those that mean nothing."""
        return frozenset(one.action for one in self.orders if one.action is not None)


@dataclass(frozen=True)
class NamedDisease:
    """A disease that an answer names.

    Attributes:
        text: What was written.
        id: The disease; None if the name is unknown or means two.
    """

    text: str
    id: str | None


def read_disease(name: Any) -> NamedDisease:
    """Return the disease that a field of an answer names."""
    text = name if isinstance(name, str) else ""
    return NamedDisease(text, disease_named(text))


def read_answer(facts: Facts, answer: Mapping[str, Any]) -> ClinicalAnswer:
    """Return the shared fields of an answer, resolved; what is missing is empty."""
    cited = answer.get("cited_findings") or ()
    named = (disease_named(one) for one in (answer.get("differential") or ())[:MOST_DISEASES])
    return ClinicalAnswer(
        differential=tuple(dict.fromkeys(one for one in named if one is not None)),
        disposition=str(answer.get("disposition") or ""),
        orders=tuple(_order(facts, one) for one in (answer.get("orders") or ())[:MOST_ORDERS]),
        follow_up=str(answer.get("follow_up") or "").strip(),
        cited=tuple(_citation(facts, one) for one in cited[:MOST_CITED]),
        uncounted=max(len(cited) - MOST_CITED, 0),
    )


def _citation(facts: Facts, one: Mapping[str, Any]) -> ReadCitation:
    """A citation; its text may itself say "no", "raised" or the value."""
    found, stated = read_cited(facts, one["finding"]), one.get("present")
    key, present = found.key, found.present if stated is None else stated
    if found.present is False and stated is not None:
        twice = stated is False and key is not None and key.partition(":")[0] not in MEASURED
        key, present = (
            None if twice else key,
            False,
        )  # "no fever", false: nobody knows what is meant
    value = one.get("value")
    return ReadCitation(
        text=one["finding"], key=key, condition=find_condition(one["finding"]),
        present=True if present is None else present,
        value=found.value if value is None else value, side=found.side, open=present is None,
    )  # fmt: skip


def _order(facts: Facts, one: Mapping[str, Any]) -> ReadOrder:
    route = plain_route(one.get("route"))
    action = find_action(facts, one["order"], route)
    return ReadOrder(
        text=one["order"], action=action, route=route, dose=one.get("dose"), unit=one.get("unit"),
        per_day=one.get("per_day"),
    )  # fmt: skip
