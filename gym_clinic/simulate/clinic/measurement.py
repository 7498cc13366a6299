"""Measured values of a simulated patient: what a laboratory or a device reports of the true state.

A reported value has layers: the true state of the body, biological variation within the person, the
method, an error before the analysis (a haemolysed sample, a wrong cuff), analytic noise, and the
decimals that are reported. What is computed, such as mean pressure or anion gap, is computed from
the reported values of the same sample. A repeat is a new sample: its errors and its noise are drawn
anew, so that it shows which value was wrong.

The numbers mark a simulation, not for patient care. They lie in ``measuring.json``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from random import Random

from pydantic import Field

from gym_clinic.errors import ConfigError
from gym_clinic.facts.expressions import parse
from gym_clinic.facts.records.conditions import Measurement
from gym_clinic.facts.records.instruments import Expr, Key
from gym_clinic.facts.records.models import Text, Texts
from gym_clinic.facts.typed_json import Strict, read_record
from gym_clinic.names import suggest
from gym_clinic.simulate.clinic.patient import ClinicPatient
from gym_clinic.simulate.clinic.physiology.body import (
    State,
    add_computed,
)
from gym_clinic.simulate.clinic.physiology.circulation import PULSE_PRESSURE, least_pulse_pressure

PERIOD = {"vital": 10.0, "arterial": 10.0}
"""Kind -> minutes in which a value varies within the person."""

DAY = 24 * 60
"""Minutes of a day."""

SLOW = 120.0
"""Minutes in which the values of all other kinds vary."""

FURTHEST = 2.5
"""Standard deviations that biological variation and noise reach at most."""

SUPPORT = ("oxygen", "fluids", "blood")
"""What changes a measurement as soon as it is given; ``oxygen_given`` and so on in the data."""


class Method(Strict):
    """A way to measure.

    Attributes:
        id: Its name in reports.
        value: What it shows of the true value, from `value`, the state and `oxygen_given`.
        analytic: Its coefficient of variation; that of the measurement if None.
        step: What its values are multiples of; None for the declared decimals alone.
        formula: Computed from the reported values of the same sample instead of measured.
        steady: Whether its error is that of the device in use, the same each time.
    """

    id: Text
    value: Expr = "value"
    analytic: float | None = Field(default=None, ge=0, lt=1)
    step: float | None = Field(default=None, gt=0)
    formula: Expr | None = None
    steady: bool = False


class Fault(Strict):
    """An error before the analysis.

    Attributes:
        id: Its name; agents never see it.
        specimen: Kind of measurement that it occurs in.
        share: Of samples.
        values: Measurement -> the wrong value, from `value`, `extent` (0 to 1) and the state.
        methods: The methods that it occurs with; all if empty.
        when: Condition under which it can occur.
        comment: What the report says where it was noticed.
        noted: Share of these samples in which it is noticed.
    """

    id: Text
    specimen: Text
    share: float = Field(gt=0, lt=1)
    values: dict[Key, Expr]
    methods: Texts = ()
    when: Expr = "True"
    comment: Text | None = None
    noted: float = Field(default=0, ge=0, le=1)


class Measuring(Strict):
    """How things are measured, and what goes wrong.

    Attributes:
        computed: Measurement -> its formula over reported values, `age` and `female`.
        slow: Vital signs that vary within hours.
        methods: Measurement -> its methods, the usual one first.
        faults: Errors before the analysis.
    """

    computed: dict[Key, Expr]
    slow: tuple[Key, ...]
    methods: dict[Key, tuple[Method, ...]]
    faults: tuple[Fault, ...]


@lru_cache(maxsize=1)
def measuring() -> Measuring:
    """Return how things are measured."""
    file = Path(__file__).with_name("measuring.json")
    return read_record(file.read_bytes(), Measuring, str(file))


@dataclass(frozen=True)
class Reading:
    """One measured value.

    Attributes:
        measurement: What was measured.
        minute: When the sample was taken, in minutes from arrival.
        value: The reported value, in the unit of the measurement.
        method: How it was measured.
        fault: The error that falsified it; None for none. Hidden from agents.
        comment: What the report says beside the value; None for nothing.
    """

    measurement: str
    minute: float
    value: float
    method: str
    fault: str | None = None
    comment: str | None = None


class Sample:
    """A patient measured at one time: readings of one sample share its errors.

    Args:
        patient: The patient.
        minute: Minutes from arrival.
        actions: What was done -> when, as `ClinicPatient.state` takes it.
        repeat: 0 for the first sample of this minute, then 1, 2, ...
    """

    def __init__(
        self,
        patient: ClinicPatient,
        minute: float,
        actions: Mapping[str, float] | None = None,
        *,
        repeat: int = 0,
    ) -> None:
        self.patient, self.minute, self.repeat = patient, minute, repeat
        self._actions = actions or {}
        self._readings: dict[tuple[str, str], Reading] = {}

    def reading(self, measurement: str, method: str | None = None) -> Reading:
        """Return the reading of a measurement.

        Args:
            measurement: Its id.
            method: Name of a method; the usual one if None.

        Raises:
            ConfigError: If there is no such measurement or method.
        """
        known = self.patient.facts.measurements
        if measurement not in known:
            raise ConfigError(f"no measurement {measurement!r}; {suggest(measurement, known)}")
        chosen = method_of(known[measurement], method)
        key = (measurement, chosen.id)
        if key not in self._readings:
            formula = chosen.formula or measuring().computed.get(measurement)
            self._readings[key] = (
                self._measured(known[measurement], chosen)
                if formula is None
                else self._computed(known[measurement], chosen, formula)
            )
        return self._readings[key]

    @cached_property
    def _true(self) -> State:
        return self.patient.state(self.minute, self._actions)

    @cached_property
    def _varied(self) -> dict[str, float | bool]:
        """The state with biological variation, consistent, and what was given by then."""
        facts, person = self.patient.facts, self.patient.person
        state = dict(self._true)
        for key, one in facts.measurements.items():
            if one.within and one.usual is not None:
                period = SLOW if key in measuring().slow else PERIOD.get(one.kind, SLOW)
                away = _within(self.patient.seed, key, period, self.minute)
                low, high = one.possible
                # A value raised by illness varies by as much as a usual one, not by its share.
                varying = min(state[key], one.usual[0])
                moved = state[key] + varying * math.expm1(one.within * away)
                state[key] = min(max(moved, low), high)
        whole = add_computed(facts, state, person.sex, person.age)
        given = {f"{it}_given": self._actions.get(it, math.inf) <= self.minute for it in SUPPORT}
        return {**whole, **given}

    @cached_property
    def _faults(self) -> list[tuple[Fault, float, bool]]:
        """The errors of this sample, with their extent and whether they are noticed.

        The values of earlier days have none: what was wrong was repeated before it was filed.
        """
        if self.minute < -DAY:
            return []
        random = Random(f"{self.patient.seed}:{self.minute:g}:{self.repeat}:fault")
        found = []
        for one in measuring().faults:
            happens, extent, noticed = (random.random() for _ in range(3))
            if happens < one.share and parse(one.when).compute(self._varied):
                found.append((one, extent, noticed < one.noted))
        return found

    def _measured(self, one: Measurement, method: Method) -> Reading:
        value = float(self._varied[one.id])
        value = float(parse(method.value).compute({**self._varied, "value": value}))
        specimen = "arterial" if method.id.endswith(" gas") else one.kind
        fault, comment = None, None
        for wrong, extent, noticed in self._faults:
            fits = not wrong.methods or method.id in wrong.methods
            if one.id in wrong.values and wrong.specimen == specimen and fits:
                values = {**self._varied, "value": value, "extent": extent}
                value = float(parse(wrong.values[one.id]).compute(values))
                fault, comment = wrong.id, wrong.comment if noticed else None
                break
        analytic = one.analytic if method.analytic is None else method.analytic
        if analytic:
            when = "" if method.steady else f"{self.minute:g}:{self.repeat}:"
            key = f"{self.patient.seed}:{when}{one.id}:{method.id}"
            value *= math.exp(analytic * _bounded(Random(key)))
        if one.id == "dbp":
            # No error of a cuff makes the pulse pressure narrower than that of the heart, about.
            true = self._true["sbp"] - self._true["dbp"]
            upper = self.reading("sbp", method.id).value
            least = least_pulse_pressure(upper, narrow=true < PULSE_PRESSURE * self._true["sbp"])
            value = min(value, upper - least)
        return Reading(
            one.id, self.minute, _reported(one, value, method.step), method.id, fault, comment
        )

    def _computed(self, one: Measurement, method: Method, formula: str) -> Reading:
        person, expression = self.patient.person, parse(formula)
        values: dict[str, float | bool] = {"age": person.age, "female": person.sex == "female"}
        parts = [self._same_way(name, method.id) for name in expression.names - values.keys()]
        values |= {part.measurement: part.value for part in parts}
        faults = sorted({part.fault for part in parts if part.fault is not None})
        comments = sorted({part.comment for part in parts if part.comment is not None})
        return Reading(
            one.id,
            self.minute,
            _reported(one, float(expression.compute(values)), None),
            method.id,
            next(iter(faults), None),
            next(iter(comments), None),
        )

    def _same_way(self, measurement: str, method: str) -> Reading:
        """A part of a computed value: by the same method where it has that method."""
        ways = methods_of(self.patient.facts.measurements[measurement])
        return self.reading(measurement, method if method in ways else None)


def measure(
    patient: ClinicPatient,
    measurement: str,
    minute: float,
    actions: Mapping[str, float] | None = None,
    *,
    method: str | None = None,
    repeat: int = 0,
) -> Reading:
    """Return a measured value; the same arguments give the same value in every process.

    For several values of one time, a `Sample` computes the state once.

    Args:
        patient: The patient.
        measurement: Id of the measurement.
        minute: Minutes from arrival.
        actions: What was done -> when, as `ClinicPatient.state` takes it.
        method: Name of a method; the usual one if None.
        repeat: 0 for the first sample of this minute; a further number is a new sample.

    Raises:
        ConfigError: If there is no such measurement or method.
    """
    return Sample(patient, minute, actions, repeat=repeat).reading(measurement, method)


def methods_of(measurement: Measurement) -> tuple[str, ...]:
    """Return the names of the methods of a measurement, the usual one first."""
    known = measuring().methods.get(measurement.id)
    return tuple(one.id for one in known) if known else (_only(measurement).id,)


def method_of(measurement: Measurement, name: str | None) -> Method:
    """Return a method of a measurement; the usual one without a name.

    Raises:
        ConfigError: If it has no such method.
    """
    known = measuring().methods.get(measurement.id) or (_only(measurement),)
    if name is None:
        return known[0]
    for one in known:
        if one.id == name:
            return one
    names = tuple(one.id for one in known)
    raise ConfigError(f"{measurement.id} has no method {name!r}; {suggest(name, names)}")


def _only(measurement: Measurement) -> Method:
    way = {"vital": "observed", "arterial": "arterial gas", "other": "measured"}
    return Method(id=way.get(measurement.kind, "laboratory"))


def _reported(one: Measurement, value: float, step: float | None) -> float:
    low, high = one.possible
    if step is not None:
        value = step * round(value / step)
    return round(min(max(value, low), high), one.decimals)


def _bounded(random: Random) -> float:
    return min(max(random.gauss(0, 1), -FURTHEST), FURTHEST)


@lru_cache(maxsize=1 << 14)
def _node(seed: int, measurement: str, node: int) -> float:
    return _bounded(Random(f"{seed}:{measurement}:{node}:within"))


def _within(seed: int, measurement: str, period: float, minute: float) -> float:
    """Standard deviations from the mean: varies smoothly, and as much at every time."""
    node, rest = divmod(minute, period)
    angle = math.pi / 2 * rest / period
    first, second = (_node(seed, measurement, int(node) + one) for one in (0, 1))
    return first * math.cos(angle) + second * math.sin(angle)
