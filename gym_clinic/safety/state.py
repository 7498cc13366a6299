"""The structured state that is judged: patient, events, final answer and hidden truth.

What is absent is unknown, and null is absent. The frame (patient, truth, the time and tool of an
event) is strict about types. What an agent writes (arguments of events, the final answer) is not: a
value of a wrong type counts as absent, and the judge lists it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from gym_clinic.errors import TaskError
from gym_clinic.facts.typed_json import read_value

ADULT = 40.0
"""Years of a patient whose age is not known."""

DAYS_A_YEAR = 365.25

Number = float | int


def as_number(value: object) -> float | None:
    """Return a value that is a finite number, which true and false are not; else None."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


class _Part(BaseModel):
    """A part of the state; null is absent."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, fields: Any) -> Any:
        if isinstance(fields, (dict, Mapping)) and None in fields.values():
            return {key: value for key, value in fields.items() if value is not None}
        return fields

    def field(self, name: str) -> Any:
        """Return a field, declared or not; None if it is absent."""
        declared = self.__dict__
        return declared[name] if name in declared else (self.model_extra or {}).get(name)

    @property
    def present(self) -> list[str]:
        """The names of the fields that are there, declared or not."""
        fields = (*self.__dict__.items(), *(self.model_extra or {}).items())
        return [name for name, value in fields if value is not None]


class Allergy(_Part):
    """An entry of the allergy list.

    Attributes:
        substance: Drug, class or another substance.
        severity: Such as "mild" or "severe".
        type: "intolerance" for what is no allergy.
        tolerated: Drugs that were given since without a reaction, as the record has it.
    """

    substance: str
    severity: str = ""
    type: str = ""
    tolerated: list[str] = Field(default_factory=list)


class HomeMedicine(_Part):
    """A medicine that the patient took before the encounter; without a route, by mouth."""

    drug: str
    route: str = "po"


class Measured(_Part):
    """A measurement with its unit, where that is not the one of the rules."""

    value: Number
    unit: str


class Patient(_Part):
    """The patient as the record has him; fields beyond these are kept as they are.

    Attributes:
        id: Identifier.
        age: Years.
        age_days: Days, for infants.
        sex: "female" or "male".
        pregnant: None where it is not known.
        weight_kg: Weight in kg.
        allergies: The allergy list.
        active_meds: Home medicines.
        stopped_days: Drug -> days since it was stopped.
        conditions: Diseases and states on record.
        known_from: Condition on record -> the minute from which on it could be known; from the
            start where it is not given. What was ordered before it is not judged by it.
        labs: Test -> value; glucose in mg/dL, potassium in mmol/L, egfr in mL/min/1.73 m2.
        vitals: Sign -> value.
        refused: Treatments that the patient refused.
        authorized_recipients: Who may be told.
        critical_results: Ids of results to be acknowledged.
    """

    id: str | None = None
    age: Number | None = None
    age_days: Number | None = None
    sex: str | None = None
    pregnant: bool | None = None
    weight_kg: Number | None = None
    allergies: list[Allergy] = Field(default_factory=list)
    active_meds: list[str | HomeMedicine] = Field(default_factory=list)
    stopped_days: dict[str, Number] = Field(default_factory=dict)
    conditions: list[str] | None = None
    known_from: dict[str, Number] = Field(default_factory=dict)
    labs: dict[str, Number | str | bool | Measured | None] = Field(default_factory=dict)
    vitals: dict[str, Number | str | bool | Measured | None] = Field(default_factory=dict)
    ventilated: bool = False
    has_capacity: bool | None = None
    code_status: str | None = None
    code_status_suspended: bool = False
    refused: list[str] = Field(default_factory=list)
    authorized_recipients: list[str] = Field(default_factory=lambda: ["patient"])
    critical_results: list[str] = Field(default_factory=list)

    @property
    def years(self) -> float:
        """Age in years; of an adult where it is not known."""
        if self.age is not None:
            return float(self.age)
        return ADULT if self.age_days is None else self.age_days / DAYS_A_YEAR

    @property
    def days(self) -> float:
        """Age in days."""
        return self.years * DAYS_A_YEAR if self.age_days is None else float(self.age_days)


class Event(_Part):
    """An action of the agent.

    Attributes:
        t: Minutes from the start of the encounter.
        tool: Name of the tool.
        args: Its arguments.
        status: What became of it, such as "given", "cancelled" or "failed".
    """

    t: Number
    tool: str
    args: dict[str, Any] = Field(default_factory=dict)
    status: str | None = None

    def text(self, name: str) -> str | None:
        """Return an argument that is a text; None if it is absent or of another type."""
        value = self.args.get(name)
        return value if isinstance(value, str) else None

    def number(self, name: str) -> float | None:
        """Return an argument that is a number; None if it is absent or of another type."""
        return as_number(self.args.get(name))


class State(_Part):
    """All that is judged.

    Attributes:
        patient: The record.
        events: What the agent did, in any order.
        final: The structured answer; free text in it is never judged.
        gold: The hidden truth of the case; an "emergency" of null says that there is none.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    patient: Patient = Field(default_factory=Patient)
    events: list[Event] = Field(default_factory=list)
    final: dict[str, Any] = Field(default_factory=dict)
    gold: dict[str, Any] = Field(default_factory=dict)


Severity = Literal[1, 2, 3, 4, 5]
Principle = Literal["nonmaleficence", "beneficence", "autonomy", "justice"]


def read_state(state: State | Mapping[str, Any], place: str = "state") -> State:
    """Return a state as a record.

    Args:
        state: The state, parsed from JSON.
        place: Where it stands, for the error.

    Raises:
        TaskError: If the frame is wrong; the text names the field.
    """
    if isinstance(state, State):
        return state
    if not isinstance(state, Mapping):
        raise TaskError(f"{place}: expected an object, not {type(state).__name__}")
    return read_value(dict(state), State, place)
