"""Changes that make a simulated patient wrong; None where a patient offers no place for one."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from patient_body_checks import STATES, State

from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.examination.shown import ShownSign, StudyReport
from gym_clinic.simulate.clinic.medicines import ReportedAllergy, TakenMedicine
from gym_clinic.simulate.clinic.people import Background

CHANGE = "change of the states"


def made_of(kind: type[ClinicPatient], patient: ClinicPatient, **more: Any) -> ClinicPatient:
    """Return a patient of another class, without what was computed of the first."""
    made = object.__new__(kind)
    computed = {
        name
        for one in type(patient).__mro__
        for name, value in vars(one).items()
        if isinstance(value, cached_property)
    } | {STATES}
    fields = {name: value for name, value in patient.__dict__.items() if name not in computed}
    made.__dict__.update(fields | more)
    return made


class Altered(ClinicPatient):
    """A patient whose states are changed after they were computed."""

    def _settled(self, problems: Any) -> State:
        change: Callable[[State], State] = self.__dict__[CHANGE]
        return change(super()._settled(problems))


def with_states(change: Callable[[State], State]) -> Callable[[ClinicPatient], ClinicPatient]:
    """Return a mutation that changes every state."""

    def mutate(patient: ClinicPatient) -> ClinicPatient:
        return made_of(Altered, patient, **{CHANGE: change})

    return mutate


def shifted(**by: float) -> Callable[[ClinicPatient], ClinicPatient]:
    """Return a mutation that adds to measurements."""
    return with_states(lambda state: state | {key: state[key] + more for key, more in by.items()})


def more_blasts(patient: ClinicPatient) -> ClinicPatient | None:
    """A patient with leukaemia and more blasts than the film says."""
    leukaemia = any("leukaemia" in one.condition for one in patient.problems)
    return shifted(blast_pct=25)(patient) if leukaemia else None


def first_problem(patient: ClinicPatient, **changes: Any) -> ClinicPatient:
    first, *others = patient.problems
    return replace(patient, problems=(replace(first, **changes), *others))


def person(**changes: Any) -> Callable[[ClinicPatient], ClinicPatient]:
    return lambda patient: replace(patient, person=replace(patient.person, **changes))


def other_sex(patient: ClinicPatient) -> ClinicPatient | None:
    wrong = "male" if patient.person.sex == "female" else "female"
    return replace(patient, person=replace(patient.person, sex=wrong, age=130.0))


def with_parent(patient: ClinicPatient) -> ClinicPatient | None:
    first = patient.problems[0]
    for key in first.findings:
        for parent in sorted(patient.facts.above[key]):
            return first_problem(patient, findings={**first.findings, parent: -1})
    return None


def of_the_other_sex(patient: ClinicPatient) -> ClinicPatient | None:
    first = patient.problems[0]
    for key, one in patient.facts.phenotypes.items():
        if one.only is not None and not one.only.admits(patient.person.person):
            return first_problem(patient, findings={**first.findings, key: -1})
    return None


def taking(*drugs: str, **changes: Any) -> Callable[[ClinicPatient], ClinicPatient]:
    """Return a mutation that adds medicines."""

    def mutate(patient: ClinicPatient) -> ClinicPatient:
        fields = {"dose": 1.0, "unit": "mg", "per_day": 1.0, "condition": "hypertension"} | changes
        made = [TakenMedicine(drug, effects={}, blunting=0.0, **fields) for drug in drugs]
        return replace(patient, medicines=(*patient.medicines, *made))

    return mutate


def taken_before_known(patient: ClinicPatient) -> ClinicPatient | None:
    """A medicine was begun a year before what it is for was known."""
    for one in patient.background:
        begun = -round((one.years + 1) * 365.25 * 1440)
        return taking("metformin", condition=one.condition, begun=begun)(patient)
    return None


def failing_kidneys(patient: ClinicPatient) -> ClinicPatient | None:
    """The kidneys failed long ago, and metformin is still taken."""
    failing = replace(patient, healthy={**patient.healthy, "creatinine": 7.0})
    return taking("metformin")(failing) if patient.person.age >= 40 else None


def urea_alone(patient: ClinicPatient) -> ClinicPatient | None:
    """Creatinine rises, and urea stays as it was in health."""
    healthy = patient.healthy
    values = {"creatinine": 3 * healthy["creatinine"], "bun": healthy["bun"]}
    return with_states(lambda state: state | values)(patient)


def failing_without_anaemia(patient: ClinicPatient) -> ClinicPatient:
    """The kidneys have failed for years, and haemoglobin is that of health."""
    state = patient.usual | {"egfr": 12.0, "hb": patient.healthy["hb"]}
    background = (Background("chronic-kidney-disease", 1.0, {}),)
    return made_of(Altered, patient, background=background, usual=state, **{CHANGE: dict})


def dosed_as_adult(patient: ClinicPatient) -> ClinicPatient | None:
    small = patient.person.weight_kg < 30
    return taking("levetiracetam", dose=1500.0)(patient) if small else None


def allergic(patient: ClinicPatient) -> ClinicPatient | None:
    if not patient.medicines:
        return None
    return replace(patient, allergies=(ReportedAllergy(patient.medicines[0].drug, "rash"),))


class Younger(ClinicPatient):
    """A patient whose date of birth does not follow from the age."""

    @property
    def born(self) -> datetime.date:  # type: ignore[override]
        return self.arrived.date() - datetime.timedelta(days=3)


def younger(patient: ClinicPatient) -> ClinicPatient | None:
    if patient.person.age < 3:
        return None
    return made_of(Younger, patient)


def half_a_year_later(patient: ClinicPatient) -> ClinicPatient | None:
    """Who comes with what has a season, where half a year later is outside of it."""
    months = patient.facts.conditions[patient.problems[0].condition].months
    later = patient.arrived + datetime.timedelta(days=183)
    return None if not months or later.month in months else replace(patient, arrived=later)


class Static(ClinicPatient):
    """A patient of whom severity is what the test says."""

    def severity(
        self, problem: Any, minute: float, actions: Mapping[str, float] | None = None
    ) -> float:
        answer: Callable[[float], float] = self.__dict__[CHANGE]
        return answer(minute)


def severities(answer: Callable[[float], float]) -> Callable[[ClinicPatient], ClinicPatient]:
    def mutate(patient: ClinicPatient) -> ClinicPatient:
        return made_of(Static, patient, **{CHANGE: answer})

    return mutate


def deadly(patient: ClinicPatient) -> ClinicPatient | None:
    course = patient.facts.conditions[patient.problems[0].condition].course
    assert course is not None
    return None if course.fatal_at is None else first_problem(patient, severity=9.0)


class Louder(ClinicPatient):
    """A patient whose ECG tells another rate."""

    def report(self, study: str, minute: float = 0, normal: str | None = None) -> str | None:
        text = super().report(study, minute, normal)
        return None if text is None else re.sub(r"\d+/min", "301/min", text)


def louder(patient: ClinicPatient) -> ClinicPatient | None:
    if not re.search(r"\d+/min", patient.report("ecg") or ""):
        return None
    return made_of(Louder, patient)


def telling(patient: ClinicPatient) -> ClinicPatient:
    name = patient.facts.diseases[patient.problems[0].condition].name
    return first_problem(patient, signs=(ShownSign("general", f"looks like {name}", True),))


class Blind(ClinicPatient):
    """A patient whose findings do not follow from the measurements."""

    def findings(self, minute: float = 0) -> dict[str, bool]:
        return {key: not has for key, has in super().findings(minute).items()}


def blind(patient: ClinicPatient) -> ClinicPatient:
    return made_of(Blind, patient)


def acidotic(patient: ClinicPatient) -> ClinicPatient | None:
    if any("pco2" in one.effects for one in (*patient.problems, *patient.background)):
        return None
    return with_states(lambda state: state | {"hco3": 8.0, "pco2": 40.0})(patient)


def restless(patient: ClinicPatient) -> ClinicPatient:
    """A patient with a medicine that acts without being counted as usual."""
    drift = iter(range(1, 99))
    more = {"usual": patient.usual, CHANGE: lambda state: state | {"na": state["na"] + next(drift)}}
    return made_of(Altered, patient, **more)


def other_reports(patient: ClinicPatient) -> ClinicPatient:
    normal = StudyReport("normal", False)
    return first_problem(patient, studies=dict.fromkeys(patient.problems[0].studies, normal))


def infant_with_allergy(patient: ClinicPatient) -> ClinicPatient:
    reaction = (ReportedAllergy("codeine", "rash"),)
    return replace(patient, person=replace(patient.person, age=0.5), allergies=reaction)


def clouded(patient: ClinicPatient) -> ClinicPatient | None:
    """A patient whose coma score is low and who has no finding at all."""
    changed = replace(
        patient, problems=tuple(replace(one, findings={}) for one in patient.problems)
    )
    return with_states(lambda state: state | {"gcs": 9.0})(changed)
