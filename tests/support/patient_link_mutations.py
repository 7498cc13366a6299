"""Changes that break the agreement within a simulated patient."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from types import MappingProxyType
from typing import Any

from patient_links import EXPOSURES, lasting_tests, names_of, values_of
from patient_mutations import first_problem, made_of

from gym_clinic.facts.expressions import parse
from gym_clinic.facts.phrases import may_be
from gym_clinic.simulate.clinic import ClinicPatient, sees
from gym_clinic.simulate.clinic.beginnings import DAY
from gym_clinic.simulate.clinic.drawing import SAYS_SO
from gym_clinic.simulate.clinic.examination.cultures import germs_in
from gym_clinic.simulate.clinic.examination.imaging import audible
from gym_clinic.simulate.clinic.examination.shown import ShownSign, StudyReport, write_text
from gym_clinic.simulate.clinic.finding_lists import possible_when
from gym_clinic.simulate.clinic.medicines import PastEvent
from gym_clinic.simulate.clinic.people import Background
from gym_clinic.simulate.clinic.problems import HURTS, PAINFUL, died_at


def unlike_finding(patient: ClinicPatient) -> ClinicPatient | None:
    """A finding that the state excludes, and that is no complaint of the condition."""
    first, values = patient.problems[0], values_of(patient)
    complaints = {one.finding for _, one in patient.conditions() for one in one.complaints}
    for name, text in possible_when().items():
        if name not in complaints and not parse(text).compute(values):
            findings = {**first.findings, patient.facts.finding_ids[name]: first.began}
            return first_problem(patient, findings=findings)
    return None


def pain_untold(patient: ClinicPatient) -> ClinicPatient | None:
    """A patient in pain has no painful finding."""
    state = patient.state(0)
    if state["pain"] < HURTS or patient.person.age < SAYS_SO or patient.usual["pain"] > 1:
        return None
    kept = [
        {
            key: began
            for key, began in one.findings.items()
            if not PAINFUL.search(patient.facts.phenotypes[key].name)
        }
        for one in patient.problems
    ]
    problems = tuple(
        replace(one, findings=findings)
        for one, findings in zip(patient.problems, kept, strict=True)
    )
    return replace(patient, problems=problems)


def signs_left_out(patient: ClinicPatient) -> ClinicPatient | None:
    """Signs that go with something are not noted."""
    first = patient.problems[0]
    condition = patient.facts.conditions[first.condition]
    linked = any(
        one.share is None and one.otherwise is not None and one.variant in (None, first.variant)
        for one in condition.signs
    )
    return first_problem(patient, signs=()) if linked else None


def unlike_words(patient: ClinicPatient) -> ClinicPatient:
    """The examination claims a pulse that the heart does not have."""
    fast = patient.state(0)["hr"] < 90
    sign = ShownSign("heart", "tachycardic" if fast else "bradycardic", True)
    return first_problem(patient, signs=(*patient.problems[0].signs, sign))


def impossible_result(patient: ClinicPatient) -> ClinicPatient | None:
    """A study shows what belongs to another form, finding or value."""
    first = patient.problems[0]
    has, values = names_of(patient, first).__contains__, values_of(patient)
    for study in patient.facts.conditions[first.condition].studies:
        texts = [one.text for one in study.results if one.possible(first.variant, has, values)]
        for one in study.results:
            written = write_text(one.text, Random(patient.seed))
            if not any(may_be(written, text) for text in texts):
                wrong = StudyReport(written, one.shows)
                return first_problem(patient, studies={**first.studies, study.study: wrong})
    return None


def blind_image(patient: ClinicPatient) -> ClinicPatient | None:
    """The better of two images shows nothing of what the other shows."""
    first = patient.problems[0]
    for less, report in first.studies.items():
        for more in (one for one in first.studies if report.shows and sees(one).get(less)):
            clear = StudyReport("Normal.", False)
            return first_problem(patient, studies={**first.studies, more: clear})
    return None


def silent_chest(patient: ClinicPatient) -> ClinicPatient | None:
    """The chest is clear where an image of the lungs shows what would be heard."""
    first = patient.problems[0]
    others = (one for one in first.signs if one.site != "chest")
    clear = ShownSign("chest", "clear on both sides", False)
    return first_problem(patient, signs=(*others, clear)) if audible(first.studies) else None


class Restless(ClinicPatient):
    """A patient whose examination begins with what is normal and ends where it began."""

    @property
    def examination(self) -> tuple[ShownSign, ...]:  # type: ignore[override]
        told = super().examination
        site = next(one.site for one in told if one.abnormal)
        return (ShownSign(site, "normal", False), *told)


def told_twice(patient: ClinicPatient) -> ClinicPatient | None:
    if not any(one.abnormal for one in patient.examination):
        return None
    return made_of(Restless, patient)


class Blank(ClinicPatient):
    """A patient all of whose reports are normal."""

    def report(self, study: str, minute: float = 0, normal: str | None = None) -> str | None:
        return "Normal."


def all_normal(patient: ClinicPatient) -> ClinicPatient | None:
    shows = any(
        report.shows
        for one in patient.problems
        for study, report in one.studies.items()
        if study != "ecg"
    )
    return made_of(Blank, patient) if shows else None


def event(minute: int, what: str = "a walk on the moon") -> Any:
    """Return a mutation that adds an exposure, some minutes from when the illness began."""

    def mutate(patient: ClinicPatient) -> ClinicPatient:
        when = patient.problems[0].began + minute
        return replace(patient, past=(*patient.past, PastEvent("exposure", what, when)))

    return mutate


def early(patient: ClinicPatient) -> ClinicPatient | None:
    """The condition says that what is there comes later than the illness has lasted."""
    first, facts = patient.problems[0], patient.facts
    for key in first.findings:
        name = facts.phenotypes[key].name
        day = (first.findings[key] - first.began) / DAY + 1
        changed = facts.conditions[first.condition].model_copy(update={"from_day": {name: day}})
        known = MappingProxyType({**facts.conditions, first.condition: changed})
        return replace(patient, facts=replace(facts, conditions=known))
    return None


def unexposed(patient: ClinicPatient) -> ClinicPatient | None:
    """Somebody is poisoned by nothing."""
    first, ids = patient.problems[0], patient.facts.finding_ids
    if first.condition not in EXPOSURES:
        return None
    left = {key: it for key, it in first.findings.items() if key != ids[EXPOSURES[first.condition]]}
    return first_problem(patient, findings=left)


def hardly_ill(patient: ClinicPatient) -> ClinicPatient | None:
    """Who has what is defined by a value has hardly anything of it."""
    defined = any(condition.arrives_when for _, condition in patient.conditions())
    problems = tuple(replace(one, severity=0.1) for one in patient.problems)
    return replace(patient, problems=problems) if defined else None


def other_germ(patient: ClinicPatient) -> ClinicPatient | None:
    """A further culture grows what no other does."""
    first = patient.problems[0]
    if not any(germs_in(one) for one in first.studies.values()):
        return None
    studies = {**first.studies, "pus": StudyReport("Growth of Moraxella catarrhalis.", True)}
    return first_problem(patient, studies=studies)


class Healed(ClinicPatient):
    """A patient whose tests know nothing of what is lived with."""

    lasting = ()


def healed(patient: ClinicPatient) -> ClinicPatient | None:
    return made_of(Healed, patient) if any(lasting_tests(patient)) else None


def recent(patient: ClinicPatient) -> ClinicPatient | None:
    """A feature of months begins with an attack of an hour."""
    first, ids = patient.problems[0], patient.facts.finding_ids
    findings = {**first.findings, ids["Recurrent infections"]: -60}
    changed = replace(first, findings=findings)
    return replace(patient, problems=(changed, *patient.problems[1:]))


def known_since_today(patient: ClinicPatient) -> ClinicPatient:
    known = Background(patient.problems[0].condition, 0.0, {})
    return replace(patient, background=(*patient.background, known))


class Silent(ClinicPatient):
    """A patient for whom somebody else speaks."""

    @property
    def speaker(self) -> Any:
        return "crew" if super().speaker != "crew" else "patient"


def silent(patient: ClinicPatient) -> ClinicPatient:
    return made_of(Silent, patient)


class Immortal(ClinicPatient):
    """A patient who does not die."""

    def death(self, actions: Any = None) -> int | None:
        return None


def immortal(patient: ClinicPatient) -> ClinicPatient | None:
    """None unless the body kills within a day and a half."""
    courses = [(one, condition.course) for one, condition in patient.conditions()]
    by_course = [died_at(one, course, None) for one, course in courses if course is not None]
    death = patient.death({})
    if death is None or death > DAY / 2 or any(one is not None for one in by_course):
        return None
    return made_of(Immortal, patient)


def unwritten(patient: ClinicPatient) -> ClinicPatient:
    first = patient.problems[0]
    return first_problem(patient, signs=(*first.signs, ShownSign("skin", "[red|warm]", True)))
