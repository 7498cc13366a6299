"""A clinical score from its declaration: points, formula, band and flags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gym_clinic.facts import Instrument, load
from gym_clinic.facts.expressions import parse
from gym_clinic.facts.records.instruments import HIGHEST_PART, Part, Points, ScoreBand
from gym_clinic.instruments.inputs import InstrumentError, read_inputs
from gym_clinic.names import suggest


@dataclass(frozen=True)
class InstrumentResult:
    """A computed score.

    Attributes:
        instrument: Its id.
        score: The reported (rounded) number; a text for a date, a duration or a decision rule.
        band: The band of the score; None where the score has no bands.
        parts: Part -> its points; empty for a formula.
        unit: Unit of the score; None for points.
        meaning: Interpretation of the band or of the rule's result; None where there is none.
        flags: Findings beside the score -> whether they are present.
        notes: In whom the score holds, and what it is not for, as far as it matters here.
    """

    instrument: str
    score: float | str
    band: str | None
    parts: Mapping[str, float]
    unit: str | None = None
    meaning: str | None = None
    flags: Mapping[str, bool] | None = None
    notes: tuple[str, ...] = ()


def declaration(instrument: str) -> Instrument:
    """Return the declaration of a score, by its id or its name in any letter case.

    Raises:
        InstrumentError: If there is none, with the nearest name.
    """
    known = load().instruments
    if not isinstance(instrument, str):
        wrong = f"an instrument is named by a text, not {instrument!r}"
        raise InstrumentError("unknown_instrument", None, wrong)
    found = known.get(instrument) or known.get(_by_name().get(_plain(instrument), ""))
    if found is None:
        wrong = f"no instrument {instrument[:60]!r}; {suggest(instrument, known)}"
        raise InstrumentError("unknown_instrument", None, wrong)
    return found


@lru_cache(maxsize=1)
def _by_name() -> dict[str, str]:
    """Letters and digits of every id, name and abbreviation -> id."""
    found: dict[str, str] = {}
    for one in load().instruments.values():
        name, _, short = one.name.partition(" (")
        for text in (one.id, name, short, one.name):
            if text:
                found.setdefault(_plain(text), one.id)
    return found


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def score(instrument: str, inputs: Mapping[str, Any]) -> InstrumentResult:
    """Compute a score.

    >>> bun = {"value": 25, "unit": "mg/dL", "analyte": "urea nitrogen"}
    >>> score("curb65", {"confusion": False, "urea": bun, "rr": 22, "sbp": 110, "dbp": 70,
    ...                  "age": 70}).score
    2

    Args:
        instrument: Its id, such as ``"curb65"``.
        inputs: Input -> value in the declared unit, or ``{"value": …, "unit": …}`` in another,
            which is converted. What is not required may be left out; nothing is imputed.

    Raises:
        InstrumentError: With a code and the input that is wrong: ``missing_input``,
            ``out_of_range`` (also where the score is not valid for the inputs),
            ``invalid_type``, ``invalid_choice``, ``invalid_combination``, ``unknown_input`` or
            ``unknown_instrument``.
    """
    return compute(declaration(instrument), inputs)


def compute(declared: Instrument, inputs: Mapping[str, Any]) -> InstrumentResult:
    """Compute a score from its declaration; as `score`."""
    values = read_inputs(declared, inputs)
    for one in declared.values:
        values[one.name] = parse(one.formula).compute(values)
    notes = tuple(
        note.text
        for note in declared.result_notes
        if note.when is None or parse(note.when).compute(values)
    )
    flags = {flag.name: bool(parse(flag.when).compute(values)) for flag in declared.flags}
    for outcome in declared.outcomes:
        if outcome.when is None or parse(outcome.when).compute(values):
            return InstrumentResult(
                declared.id, outcome.result, None, {}, None, outcome.meaning, flags, notes
            )
    parts = {part.name: _points(part, values) for part in declared.parts}
    total = parse(declared.formula).compute(values) if declared.formula else 0
    if isinstance(total, str):
        return InstrumentResult(declared.id, total, None, {}, declared.unit, None, flags, notes)
    reported = round(total + sum(parts.values()), declared.decimals)
    if not declared.decimals:
        reported = int(reported)
    values[HIGHEST_PART] = max(parts.values(), default=0)
    band = next((one for one in declared.bands if _fits(one, reported, values)), None)
    return InstrumentResult(
        declared.id,
        reported,
        None if band is None else band.band,
        parts,
        declared.unit,
        None if band is None else band.meaning,
        flags,
        notes,
    )


def _points(part: Part, values: Mapping[str, Any]) -> float:
    for rule in part.rules:
        if parse(rule.when).compute(values):
            return _number(rule.points, values)
    return _number(part.otherwise, values)


def _number(points: Points, values: Mapping[str, Any]) -> float:
    if isinstance(points, int | float):
        return points
    return float(parse(points).compute(values))


def _fits(band: ScoreBand, reported: float, values: Mapping[str, Any]) -> bool:
    above = band.low is None or reported >= band.low
    below = band.high is None or reported <= band.high
    return above and below and (band.when is None or bool(parse(band.when).compute(values)))
