"""``gym-clinic patient``: simulated patients of the clinic."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gym_clinic.commands.patient_talk import talk

if TYPE_CHECKING:
    from gym_clinic.simulate.clinic import ClinicPatient
    from gym_clinic.simulate.clinic.texts import Document

app = typer.Typer(help="Simulated patients: the record, its course and its measurements.")

app.command()(talk)

VITALS = ("hr", "sbp", "dbp", "map", "rr", "spo2", "temp_c", "gcs", "pain")
_BARS = "▁▂▃▄▅▆▇█"
_STEP, _STEPS = 30, 13

WIDTH = 96
"""Characters of a line of text."""


@app.command()
def show(
    seed: Annotated[int, typer.Option(metavar="N", help="The patient's seed.")] = 0,
    condition: Annotated[
        str | None, typer.Option(metavar="ID", help="What brings the patient; drawn without it.")
    ] = None,
    at: Annotated[
        int | None,
        typer.Option(metavar="MINUTES", help="When to look, from arrival; the texts up to then."),
    ] = None,
    untreated: Annotated[
        bool, typer.Option("--untreated", help="Show the course without treatment alone.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the record as JSON.")] = False,
) -> None:
    """Print a patient: record, values, course and texts. Not for patient care."""
    from gym_clinic.simulate.clinic import draw_patient
    from gym_clinic.simulate.clinic.texts import documents

    patient = draw_patient(seed, condition)
    if as_json:
        print(json.dumps(patient.to_json(), ensure_ascii=False))
        return
    texts = documents(patient, minute=at)
    print(
        "\n".join(
            [
                *_record(patient),
                *_values(patient, at or 0),
                *_course(patient, untreated),
                *_texts(texts),
            ]
        )
    )


def _record(patient: ClinicPatient) -> Iterator[str]:
    person, facts = patient.person, patient.facts
    names = {key: one.name for key, one in facts.diseases.items()}
    yield (
        f"{person.name}, {person.sex}, {_age(person.age)}, {person.height_cm:g} cm, "
        f"{person.weight_kg:g} kg, born {patient.born}"
    )
    yield f"seed {patient.seed}; synthetic, a simulation, not for patient care"
    yield f"arrived      {patient.arrived:%Y-%m-%d %H:%M}"
    if person.pregnant_weeks is not None:
        yield f"pregnant     {person.pregnant_weeks} weeks"
    lived = [
        f"{names[one.condition]} ({one.years:g} y{', mistaken' if one.mistaken else ''})"
        for one in patient.background
    ]
    yield f"lives with   {', '.join(lived) or 'nothing known'}"
    yield f"habits       {', '.join(person.habits) or 'none'}"
    taken = [
        f"{facts.drugs[one.drug].name} {one.dose:g} {one.unit} x {one.per_day:g} a day"
        + (f" since {_ago(-one.begun)}" if one.begun is not None else "")
        for one in patient.medicines
    ]
    yield f"takes        {', '.join(taken) or 'nothing'}"
    for event in patient.past:
        what = facts.drugs[event.what].name if event.kind == "medicine" else event.what
        reason = names.get(event.taken_for or "", event.taken_for)
        ended = f" for {reason}, ended" if event.kind == "medicine" else ","
        yield f"past         {what}{ended} {_ago(-event.minute)} ago"
    told = [f"{one.allergen.removeprefix('class:')} ({one.reaction})" for one in patient.allergies]
    yield f"speaks       {patient.speaker}"
    yield f"allergies    {', '.join(told) or 'none known'}"
    for problem in patient.problems:
        yield ""
        yield (
            f"problem      {names[problem.condition]}, began {_ago(-problem.began)} before "
            f"arrival, severity {problem.severity:g}"
        )
        for key, began in sorted(problem.findings.items(), key=lambda one: one[1]):
            first = ", the complaint" if key == problem.complaint else ""
            yield f"  has        {facts.phenotypes[key].name}, since {_ago(-began)}{first}"
    yield ""
    yield from (f"{one.site:14} {one.text}" for one in patient.examination)
    for study in dict.fromkeys(study for one in patient.problems for study in one.studies):
        yield f"{study}: {patient.report(study)}"


def _texts(documents: Sequence[Document]) -> Iterator[str]:
    """The documents, each under its title, in lines of a page."""
    for one in documents:
        yield ""
        yield f"--- {one.title}, {one.author}"
        for line in one.text.splitlines():
            table = one.kind == "laboratory"
            yield from [line] if table else textwrap.wrap(line, WIDTH, break_long_words=False)


def _values(patient: ClinicPatient, at: int) -> Iterator[str]:
    facts = patient.facts
    state, usual = patient.state(at), patient.usual
    marks = patient.abnormal(state)
    yield ""
    yield f"values at {at} min (usual in brackets; L and H: outside the reference range)"
    line: list[str] = []
    for key, one in facts.measurements.items():
        if patient.person.age < one.from_age or (one.kind == "other" and key not in marks):
            continue
        value = f"{state[key]:.{one.decimals}f}"
        before = f"{usual[key]:.{one.decimals}f}"
        if key in VITALS or key in marks:
            line.append(f"{one.short} {value}{marks.get(key, '')} ({before}) {one.unit}".strip())
    for start in range(0, len(line), 4):
        yield "  " + "; ".join(line[start : start + 4])


def _course(patient: ClinicPatient, untreated: bool) -> Iterator[str]:
    """The vital signs over six hours, as small graphs."""
    best = _treatment(patient)
    ways: dict[str, Mapping[str, float]] = {"untreated": {}}
    if best and not untreated:
        ways[f"treated from 30 min ({', '.join(best)})"] = dict.fromkeys(best, 30.0)
    for name, actions in ways.items():
        yield ""
        yield f"{name}, {_STEP * (_STEPS - 1) // 60} hours in steps of {_STEP} min"
        states = [patient.state(_STEP * step, actions) for step in range(_STEPS)]
        for key in ("hr", "sbp", "rr", "spo2", "temp_c", "lactate"):
            values = [one[key] for one in states]
            digits = patient.facts.measurements[key].decimals
            ends = f"{values[0]:.{digits}f} to {values[-1]:.{digits}f}"
            yield f"  {patient.facts.measurements[key].short:5} {_graph(values)}  {ends}"
        death = patient.death(actions)
        yield "  " + (f"death after {_ago(death)}" if death is not None else "lives past two days")


def _treatment(patient: ClinicPatient) -> Sequence[str]:
    course = patient.facts.conditions[patient.problems[0].condition].course
    return course.treated_by[0] if course is not None and course.treated_by else ()


def _graph(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    if high - low < 1e-9:
        return _BARS[3] * len(values)
    return "".join(_BARS[round((value - low) / (high - low) * 7)] for value in values)


def _age(years: float) -> str:
    return f"{int(years * 12 + 0.01)} months" if years < 2 else f"{years:g} years"


def _ago(minutes: float) -> str:
    if minutes < 120:
        return f"{minutes:.0f} min"
    if minutes < 72 * 60:
        return f"{minutes / 60:.1f} h"
    return f"{minutes / 1440:.0f} days"
