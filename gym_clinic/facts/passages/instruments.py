"""The passages of clinical scores, derived from their declarations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gym_clinic.facts.passages.expressions import told
from gym_clinic.facts.passages.form import HandbookPassage, compose, packed
from gym_clinic.facts.passages.sentences import listed
from gym_clinic.facts.records.instruments import HIGHEST_PART, Instrument, Part, Points, ScoreBand
from gym_clinic.facts.tables import Facts

_SUM = re.compile(r"\w+( \+ \w+)+")


def instrument_passages(facts: Facts) -> Iterator[HandbookPassage]:
    """Yield the passages of every clinical score: mostly one, more where it has many points."""
    for one in facts.instruments.values():
        opening = f"The instrument “{one.name}” {one.purpose}."
        closing = [*_interpretation(one), f"Reference: {one.citation}."]
        for number, sentences in enumerate(packed([opening, *_items(one), *closing]), 1):
            part = f", part {number}" if number > 1 else ""
            first = [f"More of the instrument “{one.name}”."] if number > 1 else []
            yield compose(
                f"instrument-{one.id.replace('_', '-')}{f'-{number}' if number > 1 else ''}",
                f"{one.name}: purpose, items and interpretation{part}",
                "instrument",
                one.name,
                one,
                [*first, *sentences],
            )


def _short(one: Instrument) -> dict[str, str]:
    """Return the names of inputs as they stand in a condition, without their explanation."""
    labels = {each.name: re.split("[,:]", each.label)[0] for each in one.inputs}
    return labels | {HIGHEST_PART: "a single part of"}


def _items(one: Instrument) -> Iterator[str]:
    """Yield what is scored, a sentence for every group of points."""
    labels = _short(one)
    units = {each.name: each.unit for each in one.inputs}
    limits = {
        each.name: f"{each.low:g}-{each.high:g}" for each in one.inputs if each.low is not None
    }
    if one.outcomes:
        yield "Asked are " + listed([each.label for each in one.inputs]) + "."
    simple: dict[Points, list[str]] = {}
    rest = []
    for part in one.parts:
        if len(part.rules) == 1 and part.otherwise == 0:
            when, points = part.rules[0].when, part.rules[0].points
            unit = units.get(part.name)
            suffix = f" {unit}" if unit and re.fullmatch(r"\w+ [<>=]+ [0-9.]+", when) else ""
            simple.setdefault(points, []).append(told(when, labels) + suffix)
        else:
            rest.append(_steps(part, labels, units))
    for points, items in simple.items():
        noun = "point" if points == 1 else "points"
        each = " each" if len(items) > 1 else ""
        yield f"{_number(points, labels)} {noun}{each}: {'; '.join(items)}."
    if rest:
        yield "Points are in brackets; the first limit that fits counts."
        yield from (f"{text[0].upper()}{text[1:]}." for text in rest)
    for value in one.values:
        yield f"The value “{value.name.replace('_', ' ')}” is {told(value.formula, labels)}."
    if one.formula is None:
        return
    if _SUM.fullmatch(one.formula):
        names = one.formula.split(" + ")
        full = {each.name: each.label for each in one.inputs}
        items = [f"{full[name]} ({limits.get(name, '0-1')})" for name in names]
        yield f"{'Added are' if not one.parts else 'Added are also'} {'; '.join(items)}."
    elif one.formula == "sum(items)":
        yield f"The total is the sum of {one.inputs[0].label} ({limits['items']} each)."
    else:
        unit = f", in {one.unit}" if one.unit else ""
        yield f"Formula{unit}: {told(one.formula, labels)}."


def _steps(part: Part, labels: dict[str, str], units: dict[str, str | None]) -> str:
    """Return the points of a part, as steps of one input where it has one."""
    if not part.rules:
        return f"{labels.get(part.name, part.name)}: {_number(part.otherwise, labels)}"
    about = part.name if part.name in labels else ""
    unit = f" ({units[about]})" if units.get(about) else ""
    steps = [
        f"{told(rule.when, labels, subject=about)} ({_number(rule.points, labels)})"
        for rule in part.rules
    ]
    if part.otherwise != 0:
        steps.append(f"otherwise ({_number(part.otherwise, labels)})")
    name = labels.get(part.name, "")
    return f"{name}{unit}: {', '.join(steps)}" if name else ", ".join(steps)


def _number(points: Points, labels: dict[str, str]) -> str:
    return f"{points:g}" if isinstance(points, (int, float)) else told(points, labels)


def _interpretation(one: Instrument) -> Iterator[str]:
    labels = _short(one)
    for outcome in one.outcomes:
        when = f"If {told(outcome.when, labels)}" if outcome.when else "Otherwise"
        yield f"{when}: {outcome.meaning}."
    meanings = [f"{_range(band, labels)}: {band.meaning}" for band in one.bands] + [*one.reading]
    if meanings:
        yield f"Interpretation: {'; '.join(meanings)}."
    for flag in one.flags:
        yield f"Beside the total: {flag.meaning}."


def _range(band: ScoreBand, labels: dict[str, str]) -> str:
    low, high = band.low, band.high
    if low is not None and high is not None:
        text = (
            f"{low:g}"
            if low == high
            else f"{low:g}-{high:g}"
            if low >= 0
            else f"{low:g} to {high:g}"
        )
    elif low is not None:
        text = f"{low:g} or more"
    else:
        text = "" if high is None else f"{high:g} or less"
    when = told(band.when, labels) if band.when else ""
    return f"{text} with {when}" if text and when else text or when
