"""The catalogue of clinical scores."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from gym_clinic.facts import Facts, Instrument
from gym_clinic.facts.records.instruments import Input, ScoreBand


def instrument_page(facts: Facts) -> str:
    """Return the catalogue of clinical scores, by subject, as Markdown."""
    ones = sorted(facts.instruments.values(), key=lambda one: (one.subject, one.id))
    lines = [
        "# Clinical scores",
        "",
        f"**A simulation, not for patient care.** {len(ones)} "
        "published scores, decision rules and formulas, each declared once "
        "in `kb/facts/instruments`. This page is made from the declarations by "
        "`python -m kb.build.pages`.",
        "",
        "```python",
        "from gym_clinic.instruments import score",
        "",
        'result = score("qsofa", {"rr": 24, "sbp": 96, "gcs": 15})',
        "print(result.score, result.band, dict(result.parts))",
        'score("ckdepi2021", {"creatinine": {"value": 88.4, "unit": "umol/L"}, "age": 50, '
        '"sex": "male"})',
        "```",
        "",
        "A number is in the declared unit; another unit is given with it and converted by UCUM "
        "name, between mass and moles by the analyte (`gym_clinic/instruments/analytes.json`). "
        "Whatever is missing, impossible or unknown is an `InstrumentError` with `code` and "
        "`field`; nothing is imputed. A score is refused where its source says that it is not to "
        "be used, and a note beside the result says in whom it holds. `bun` in mg/dL may be given "
        "for `urea`. Bands are read on the reported, rounded score. On the "
        "command line: `gym-clinic instrument qsofa rr=24 sbp=96 gcs=15`.",
    ]
    for subject, group in groupby(ones, key=lambda one: one.subject):
        lines += ["", f"## {subject.replace('-', ' ').capitalize()}"]
        for one in group:
            lines += ["", *_instrument(one)]
    return "\n".join(lines) + "\n"


def _instrument(one: Instrument) -> Iterator[str]:
    yield f"### {one.name} (`{one.id}`)"
    yield ""
    yield f"{one.purpose[0].upper()}{one.purpose[1:]}."
    yield ""
    yield "| input | | unit | values |"
    yield "| --- | --- | --- | --- |"
    for each in one.inputs:
        optional = "" if each.required else ", optional"
        yield f"| `{each.name}` | {each.label}{optional} | {each.unit or ''} | {_values(each)} |"
    read = [f"{_range(band)} {band.meaning}" for band in one.bands]
    read += [f"`{outcome.result}`: {outcome.meaning}" for outcome in one.outcomes]
    read += [f"note if `{flag.when}`: {flag.meaning}" for flag in one.flags]
    read += [f"refused unless `{limit.condition}`: {limit.otherwise}" for limit in one.valid_when]
    read += [f"note: {note.text}" for note in one.result_notes]
    if read or one.reading:
        yield ""
        yield from (f"- {text}" for text in (*read, *one.reading))
    yield ""
    unit = f" Result in {one.unit}." if one.unit else ""
    yield f"Source: {one.citation}.{unit}"


def _values(one: Input) -> str:
    if one.type == "choice":
        return ", ".join(f"`{choice}`" for choice in one.choices)
    if one.type == "boolean":
        return "true or false"
    if one.type == "date":
        return "YYYY-MM-DD"
    span = f"{one.low:g} to {one.high:g}"
    if one.type == "integers":
        return f"{one.length} whole numbers, each {span}"
    return f"whole number {span}" if one.type == "integer" else span


def _range(band: ScoreBand) -> str:
    condition = f", if `{band.when}`" if band.when else ""
    if band.low is None and band.high is None:
        return f"`{band.band}`{condition}:"
    if band.low is None:
        return f"`{band.band}`, at most {band.high:g}{condition}:"
    if band.high is None:
        return f"`{band.band}`, {band.low:g} or more{condition}:"
    if band.low == band.high:
        return f"`{band.band}`, {band.low:g}{condition}:"
    return f"`{band.band}`, {band.low:g} to {band.high:g}{condition}:"
