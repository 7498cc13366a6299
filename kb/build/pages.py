"""Pages of the documentation that follow from declarations.

python -m kb.build.pages        write them
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from gym_clinic.facts import Facts, Instrument, load
from gym_clinic.facts.records.conditions import Condition, Effect
from gym_clinic.facts.records.courses import Course
from gym_clinic.facts.records.instruments import Input, ScoreBand
from gym_clinic.files import replace_files
from kb.build.chart_page import chart_page
from kb.build.clingen_page import clingen_page
from kb.build.deciding_page import deciding_page
from kb.build.domain_page import clinical_ids, domain_page

DOCS = Path(__file__).parents[2] / "docs"

NOTICE = "**A simulation, not for patient care.**"


def instrument_page(facts: Facts) -> str:
    """Return the catalogue of clinical scores, by subject, as Markdown."""
    ones = sorted(facts.instruments.values(), key=lambda one: (one.subject, one.id))
    lines = [
        "# Clinical scores",
        "",
        f"{NOTICE} {len(ones)} published scores, decision rules and formulas, each declared once "
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
        "`field`; nothing is imputed. Bands are read on the reported, rounded score. On the "
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
    if read or one.reading:
        yield ""
        yield from (f"- {text}" for text in (*read, *one.reading))
    yield ""
    unit = f" Result in {one.unit}." if one.unit else ""
    yield f"Source: {one.citation}.{unit}"


def condition_page(facts: Facts) -> str:
    """Return the library of conditions, by discipline, as Markdown."""
    ones = sorted(facts.conditions.values(), key=lambda one: (_discipline(facts, one), one.id))
    bring = sum(one.role != "background" for one in ones)
    lines = [
        "# Conditions of simulated patients",
        "",
        f"{NOTICE} {len(ones)} conditions, of which {bring} bring patients; the others are lived "
        "with. Each is the clinical course of a disease of the fact tables and is declared in "
        "`kb/facts/conditions`; findings, red flags and treatment in words stay with the disease. "
        "The numbers are those of typical patients, written for this simulation where no source is "
        "named. This page is made by `python -m kb.build.pages`.",
        "",
        "An effect is what the condition does to a measurement on arrival at its usual severity "
        "(mean and standard deviation; a factor with its geometric deviation). "
        "`gym-clinic patient show --condition ID --seed N` prints a patient.",
    ]
    for discipline, group in groupby(ones, key=lambda one: _discipline(facts, one)):
        lines += ["", f"## {discipline}"]
        for one in group:
            lines += ["", *_condition(facts, one)]
    return "\n".join(lines) + "\n"


def _discipline(facts: Facts, one: Condition) -> str:
    return facts.disciplines[facts.diseases[one.id].discipline].name


def _condition(facts: Facts, one: Condition) -> Iterator[str]:
    disease = facts.diseases[one.id]
    yield f"### {disease.name} (`{one.id}`)"
    yield ""
    if one.complaints:
        yield f"- complaints: {', '.join(each.finding for each in one.complaints)}"
    if one.months:
        yield f"- months: {', '.join(calendar.month_name[each] for each in one.months)}"
    if one.variants:
        yield f"- forms: {', '.join(one.variants)}"
    effects = {**one.vitals, **one.labs}
    if effects:
        yield f"- effects: {'; '.join(_effect(facts, key, effects[key]) for key in effects)}"
    if one.course is not None:
        yield f"- course: {_course(one.course)}"
    if one.risks:
        yield f"- more often with: {', '.join(each.factor for each in one.risks)}"
    if one.medicines:
        yield f"- medicines: {', '.join(each.drug for each in one.medicines)}"
    if one.work_up:
        yield f"- work-up: {', '.join(one.work_up)}"
    if one.first_line:
        yield f"- first: {', '.join(one.first_line)}"
    if one.contraindicated:
        yield f"- not: {', '.join(one.contraindicated)}"
    for each in one.distinctions:
        test = f" ({each.test})" if each.test else ""
        yield f"- not {facts.diseases[each.look_alike].name}: {each.by}{test}"


def _effect(facts: Facts, key: str, effect: Effect) -> str:
    one = facts.measurements[key]
    if effect.times is not None:
        return f"{one.short} x {effect.times[0]:g} (/ {effect.times[1]:g})"
    if effect.set is not None:
        return f"{one.short} {effect.set[0]:g} ± {effect.set[1]:g} {one.unit}".rstrip()
    mean, deviation = effect.add or (0.0, 0.0)
    return f"{one.short} {mean:+g} ± {deviation:g} {one.unit}".rstrip()


def _course(course: Course) -> str:
    low, high = course.onset_hours
    told = f"begins {low:g} to {high:g} hours before arrival"
    change = f"{abs(course.change_per_hour):.1%}".replace(".0%", "%")
    told += f", untreated {'worse' if course.change_per_hour > 0 else 'better'} by {change} an hour"
    if course.harm_after_minutes is not None:
        told += f", harm after {course.harm_after_minutes} minutes"
    together = " or ".join(" and ".join(one) for one in course.treated_by)
    return f"{told}; treated by {together}" if together else told


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


def pages() -> dict[Path, str]:
    """Return each generated page and its text."""
    facts = load()
    return {
        DOCS / "chart.md": chart_page(facts),
        DOCS / "clingen-literature.md": clingen_page(),
        DOCS / "conditions.md": condition_page(facts),
        DOCS / "deciding-facts.md": deciding_page(facts),
        DOCS / "instruments.md": instrument_page(facts),
        **{
            DOCS / f"{name.replace('_', '-')}.md": domain_page(env_id)
            for name, env_id in clinical_ids().items()
        },
    }


if __name__ == "__main__":
    replace_files({page: [text.encode()] for page, text in pages().items()})
