"""The measurable state of a body: usual values, what changes them, and what follows from them.

A state is complete and consistent: what one value determines of another is computed and never
drawn. Bicarbonate falls with the acids of the blood, carbon dioxide compensates, and pH, anion gap,
chloride, mean pressure, filtration rate and the like follow by the formulas of the table of
measurements.

Source:
    Compensation: Winter's formula and the rules of the physiological approach to acid-base
    disorders (Berend K, de Vries APJ, Gans ROB. N Engl J Med 2014;371:1434-1445).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
from pydantic import TypeAdapter

from gym_clinic.facts import Facts, load
from gym_clinic.facts.expressions import parse
from gym_clinic.facts.records.conditions import Effect, Measurement, ReferenceRange
from gym_clinic.facts.records.epidemiology import Sex
from gym_clinic.simulate.clinic.physiology.circulation import consciousness, least_pulse_pressure
from gym_clinic.simulate.clinic.physiology.kidneys import least_urea, most_haemoglobin

State = dict[str, float]
"""Measurement -> value in its unit."""

TRIES = 100
"""How often a healthy person is drawn at most; one try in three or four is taken."""

ACIDS = ("lactate", "ketones", "unmeasured_acids")
WARM, PER_DEGREE = 37.3, 8.0
"""Temperature above which the heart beats faster, and beats a minute for each degree at least."""

SHOCK_FROM = 16
"""Age in years from which a pulse above the systolic pressure means shock."""

BICARBONATE_PER_ACID = 0.9
"""mmol/L of bicarbonate that each mmol/L of acid uses up."""


@dataclass(frozen=True)
class DrawnEffect:
    """An effect with the number that was drawn for one patient.

    Attributes:
        kind: How it acts: ``add``, ``times`` or ``set``.
        amount: What is added, the factor, or the value that it moves to.
    """

    kind: str
    amount: float

    def part(self, share: float) -> DrawnEffect:
        """Return the effect of which only a share is there."""
        if self.kind == "times":
            return DrawnEffect("times", float(self.amount**share))
        if self.kind == "add":
            return DrawnEffect("add", self.amount * share)
        return DrawnEffect("set", self.amount * share)

    def at(self, severity: float, usual: float, value: float) -> float:
        """Return a value under the effect.

        Args:
            severity: 1 at its usual strength, 0 for none.
            usual: The value without any effect.
            value: The value so far, under other effects.
        """
        if self.kind == "times":
            return value * float(self.amount**severity)
        change = self.amount if self.kind == "add" else self.amount - usual
        return value + severity * change


def draw_effect(effect: Effect, random: Random, extent: float | None = None) -> DrawnEffect:
    """Draw the effect of one patient; within two standard deviations, and never reversed.

    Args:
        effect: What is drawn from.
        random: The source of randomness.
        extent: How extensive the condition is in this patient, in standard deviations: its effects
            go together, with a correlation of a half. None to draw an effect by itself.
    """
    if effect.times is not None:
        median, deviation = effect.times
        factor = median * deviation ** _away(random, extent, median - 1)
        return DrawnEffect("times", max(factor, 1.02) if median > 1 else min(factor, 0.98))
    kind, (mean, deviation) = (
        ("add", effect.add) if effect.add is not None else ("set", effect.set or (0.0, 0.0))
    )
    amount = mean + deviation * _away(random, extent, mean if kind == "add" else 0.0)
    if kind == "add" and amount * mean < 0 and abs(mean) > 0.5 * deviation:
        amount = 0.1 * mean
    return DrawnEffect(kind, amount)


def _bounded(random: Random) -> float:
    return min(max(random.gauss(0, 1), -2), 2)


def _away(random: Random, extent: float | None, mean: float) -> float:
    """Standard deviations from the mean; a greater extent lies further in its direction."""
    own = random.gauss(0, 1)
    if extent is not None and mean:
        own = 0.71 * own + 0.71 * (extent if mean > 0 else -extent)
    return min(max(own, -2), 2)


@lru_cache(maxsize=512)
def _limits(
    folder: Path, sex: Sex, age: float, weeks: int | None = None
) -> Mapping[str, ReferenceRange]:
    """Measurement -> its reference range for a person, where it has one."""
    known = load(folder).measurements.items()
    found = ((key, reference(one, sex, age, weeks)) for key, one in known)
    return {key: limits for key, limits in found if limits is not None}


def reference(
    one: Measurement, sex: Sex, age: float, weeks: int | None = None
) -> ReferenceRange | None:
    """Return the reference range of a measurement for a person; None if it has none.

    Args:
        one: The measurement.
        sex: Of the person.
        age: In years.
        weeks: Completed weeks of a pregnancy; None for none.
    """
    for each in one.reference:
        if each.weeks is not None and (weeks is None or not each.weeks[0] <= weeks < each.weeks[1]):
            continue
        if each.sex in (None, sex) and each.ages[0] <= age < each.ages[1]:
            return each
    return None


@lru_cache(maxsize=64)
def pregnancy_effects(weeks: int) -> Mapping[str, DrawnEffect]:
    """Return what a healthy pregnancy does to measurements in a week of it."""
    file = Path(__file__).with_name("pregnancy.json")
    table = json.loads(file.read_text(encoding="utf-8"))
    return {
        key: DrawnEffect(kind, float(np.interp(weeks, table["weeks"], amounts)))
        for kind in ("add", "times")
        for key, amounts in table[kind].items()
    }


def draw_usual(
    facts: Facts, sex: Sex, age: float, random: Random, weeks: int | None = None
) -> State:
    """Draw a healthy person's values of everything that is not computed, those of before a
    pregnancy.

    They are drawn again until the computed values are those of a healthy person too, and of a
    healthy pregnant woman with what pregnancy does to them; the filtration rate of older people may
    be lower, and who is pregnant breathes deeper.
    """
    for _ in range(TRIES):
        state = _draw_values(facts, sex, age, random)
        wrong = outside(facts, add_computed(facts, state, sex, age), sex, age).keys() - {"egfr"}
        if weeks is not None and not wrong:
            whole = settle(facts, state, [(1.0, pregnancy_effects(weeks))], sex=sex, age=age)
            wrong = outside(facts, whole, sex, age, weeks).keys() - {"egfr", "ph"}
        if not wrong:
            break
    return state


def outside(
    facts: Facts, state: Mapping[str, float], sex: Sex, age: float, weeks: int | None = None
) -> dict[str, str]:
    """Return measurement -> "L" or "H" for what is outside its reference range, as reported."""
    found = {}
    known = _limits(facts.folder, sex, age, weeks)
    for key, value in state.items():
        one = facts.measurements[key]
        if age < one.from_age:
            continue
        limits = known.get(key)
        reported = round(value, one.decimals)
        if limits is not None and limits.low is not None and reported < limits.low:
            found[key] = "L"
        elif limits is not None and limits.high is not None and reported > limits.high:
            found[key] = "H"
    return found


def _draw_values(facts: Facts, sex: Sex, age: float, random: Random) -> State:
    state: State = {}
    known = _limits(facts.folder, sex, age)
    for key, one in facts.measurements.items():
        if one.usual is None:
            continue
        if one.kind == "other" and not any(one.usual):  # no healthy person has any of it
            state[key] = 0.0
            continue
        mean, deviation = (value * _by_age(one, age) for value in one.usual)
        limits = known.get(key)
        low, high = one.possible
        if limits is not None:
            low = low if limits.low is None else limits.low
            high = high if limits.high is None else limits.high
            special = limits.sex is not None or limits.ages != (0, 130)
            if special and limits.low is not None and limits.high is not None:
                mean, deviation = (low + high) / 2, (high - low) / 6
        drawn = mean + deviation * _bounded(random)
        margin = 0.02 * (high - low) if limits is not None and limits.high is not None else 0.0
        state[key] = min(max(drawn, low + margin if limits is not None else low), high - margin)
    state["dbp"] = min(state["dbp"], state["sbp"] - 25)
    state["pco2"] += state["hco3"] - (facts.measurements["hco3"].usual or (24.0, 1.0))[0]
    return state


def _by_age(one: Measurement, age: float) -> float:
    """How many times the usual value of young adults that of healthy people of an age is."""
    if one.by_decade is None:
        return 1.0
    start, factor = one.by_decade
    return float(factor ** (max(age - start, 0) / 10))


def settle(
    facts: Facts,
    usual: Mapping[str, float],
    changes: Iterable[tuple[float, Mapping[str, DrawnEffect]]],
    *,
    sex: Sex,
    age: float,
    blunting: float = 0.0,
    retains: bool = False,
    narrow: bool = False,
    anaemic: bool = False,
) -> State:
    """Return the whole state of a body under effects.

    Args:
        facts: The fact tables.
        usual: Its values without them.
        changes: Pairs of a severity and the effects of one cause.
        sex: Of the person.
        age: In years.
        blunting: Share of a rise of the heart rate that medicines suppress.
        retains: Whether carbon dioxide is raised for months, so that the kidneys have answered.
        narrow: Whether the heart cannot fill or empty, so that the pulse pressure is narrow.
        anaemic: Whether the kidneys have been ill for long, so that blood is lacking as they fail.
    """
    listed = [(severity, effects) for severity, effects in changes if severity > 0]
    state = _moved(usual, listed)
    if any(severity > 1 for severity, _ in listed):
        _resist(
            state, _moved(usual, [(min(severity, 1.0), one) for severity, one in listed]), usual
        )
    warmth = max(state["temp_c"] - max(usual["temp_c"], WARM), 0.0)
    state["hr"] = max(state["hr"], usual["hr"] + PER_DEGREE * warmth)
    state["hr"] -= blunting * max(state["hr"] - usual["hr"], 0)
    _balance_acids(state, usual, retains)
    state["bun"] = max(state["bun"], least_urea(state, usual))
    if anaemic:
        filtration = add_computed(facts, state, sex, age)["egfr"]
        state["hb"] = min(state["hb"], most_haemoglobin(filtration, usual["hb"]))
    for key, value in state.items():
        low, high = facts.measurements[key].possible
        state[key] = min(max(value, low), high)
    low = _limits(facts.folder, sex, age)["sbp"].low or 0.0
    shocked = state["sbp"] < low or (age >= SHOCK_FROM and state["hr"] > state["sbp"])
    widest = state["sbp"] - least_pulse_pressure(state["sbp"], narrow=narrow or shocked)
    state["dbp"] = max(min(state["dbp"], widest), 0.35 * state["sbp"])
    state["gcs"] = consciousness(state, usual)
    return add_computed(facts, state, sex, age)


def _moved(
    usual: Mapping[str, float], causes: Sequence[tuple[float, Mapping[str, DrawnEffect]]]
) -> State:
    """The values that causes move; of two that set a value the one that moves it further does."""
    state = dict(usual)
    furthest: dict[tuple[str, bool], float] = {}
    for severity, effects in causes:
        for key, effect in effects.items():
            if effect.kind == "set" and key in state:
                by = effect.at(severity, usual[key], usual[key]) - usual[key]
                furthest[key, by > 0] = max(furthest.get((key, by > 0), 0.0), by, key=abs)
    for (key, _), by in furthest.items():
        state[key] += by
    for kind in ("add", "times"):
        for severity, effects in causes:
            for key, effect in effects.items():
                if effect.kind == kind and key in state:
                    state[key] = effect.at(severity, usual[key], state[key])
    return state


def _resist(state: State, declared: Mapping[str, float], usual: Mapping[str, float]) -> None:
    """Let the body resist what goes beyond the usual severity of a cause.

    Where a value is dangerous, what lies beyond its value at usual severity counts only in part.
    """
    for key, limit in soft_limits().items():
        if limit.low is not None:
            edge = min(limit.low * usual[key], declared[key])
            state[key] = max(state[key], edge - limit.slope * (edge - state[key]))
        if limit.high is not None:
            edge = max(limit.high * usual[key], declared[key])
            state[key] = min(state[key], edge + limit.slope * (state[key] - edge))


class SoftLimit(NamedTuple):
    """From where on the body resists that a value goes further.

    Attributes:
        slope: The part of what lies beyond that counts.
        low: The lower end, as a multiple of the usual value.
        high: The upper end, as a multiple of the usual value.
    """

    slope: float
    low: float | None = None
    high: float | None = None


@lru_cache(maxsize=1)
def soft_limits() -> Mapping[str, SoftLimit]:
    """Return measurement -> from where on the body resists."""
    text = Path(__file__).with_name("soft_limits.json").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, SoftLimit]).validate_json(text)


def _balance_acids(state: State, usual: Mapping[str, float], retains: bool) -> None:
    """Let bicarbonate answer to acids and carbon dioxide, and carbon dioxide to bicarbonate."""
    for acid in ACIDS:
        state[acid] = max(state[acid], 0.0)
    load = sum(state[acid] - usual[acid] for acid in ACIDS)
    primary = state["pco2"] - usual["pco2"]
    answer = (0.35 if retains else 0.1) * primary if primary > 0 else 0.2 * primary
    bicarbonate = max(state["hco3"] - BICARBONATE_PER_ACID * load, 3.0)
    metabolic = bicarbonate - usual["hco3"]
    compensation = 1.2 * metabolic if metabolic < 0 else min(0.7 * metabolic, 15.0)
    state["hco3"] = max(bicarbonate + answer, 3.0)
    state["pco2"] = max(usual["pco2"] + primary + compensation, 9.0)
    if compensation < 0:
        state["rr"] -= 0.6 * compensation


def add_computed(facts: Facts, state: Mapping[str, float], sex: Sex, age: float) -> State:
    """Return a state with every computed measurement."""
    values: dict[str, float | bool] = {**state, "age": age, "female": sex == "female"}
    for key, formula, low, high in facts.computed:
        values[key] = min(max(float(formula.compute(values)), low), high)
    return {key: float(values[key]) for key in facts.measurements}


@lru_cache(maxsize=1)
def measured_findings() -> Mapping[str, str]:
    """Return finding -> the condition on the state under which a person has it."""
    file = Path(__file__).with_name("measured_findings.json")
    found: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return found


def findings_of(
    facts: Facts, state: Mapping[str, float], sex: Sex, age: float, weeks: int | None = None
) -> dict[str, bool]:
    """Return each finding that follows from measurements, and whether the state has it."""
    values = with_limits(facts, state, sex, age, weeks)
    compute: Callable[[str], bool] = lambda text: bool(parse(text).compute(values))  # noqa: E731
    return {name: compute(text) for name, text in measured_findings().items()}


def with_limits(
    facts: Facts, state: Mapping[str, float], sex: Sex, age: float, weeks: int | None = None
) -> State:
    """Return a state with `age` and the limits of healthy people, such as `low_hb`."""
    return {**state, "age": age, **_named_limits(facts.folder, sex, age, weeks)}


@lru_cache(maxsize=512)
def _named_limits(folder: Path, sex: Sex, age: float, weeks: int | None) -> State:
    values: State = {}
    for key, limits in _limits(folder, sex, age, weeks).items():
        values |= {} if limits.low is None else {f"low_{key}": limits.low}
        values |= {} if limits.high is None else {f"high_{key}": limits.high}
    return values
