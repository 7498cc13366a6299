"""What must agree within a simulated patient: findings, values, signs, studies, causes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from gym_clinic.facts import with_ancestors
from gym_clinic.facts.expressions import parse
from gym_clinic.facts.phrases import may_be
from gym_clinic.simulate.clinic import ClinicPatient, image_report, sees
from gym_clinic.simulate.clinic.beginnings import DAY, INFANT, long_standing
from gym_clinic.simulate.clinic.drawing import SAYS_SO, SURVIVED
from gym_clinic.simulate.clinic.drug_rules import references
from gym_clinic.simulate.clinic.examination.appearance import as_ill
from gym_clinic.simulate.clinic.examination.cultures import germs_in
from gym_clinic.simulate.clinic.examination.imaging import audible, imaging_table
from gym_clinic.simulate.clinic.examination.lasting import lasting_results
from gym_clinic.simulate.clinic.examination.named_signs import as_found
from gym_clinic.simulate.clinic.examination.shown import ANSWERS, CLEAR
from gym_clinic.simulate.clinic.finding_lists import possible_when
from gym_clinic.simulate.clinic.people import build_of, mistaken_for
from gym_clinic.simulate.clinic.physiology.body import findings_of, with_limits
from gym_clinic.simulate.clinic.physiology.survival import lethal
from gym_clinic.simulate.clinic.problems import HURTS, PAINFUL, Problem

CLAIMS: list[tuple[str | None, str, str]] = json.loads(
    Path(__file__).with_name("sign_claims.json").read_text(encoding="utf-8")
)
"""Part of the examination (None for all), words that claim a value, and what then holds."""

DENIED = re.compile(r"\b(no|not|nor|without|never|denies|neither)\b[^,.;]{0,25}$")
EXAMINED_AWAKE = re.compile(
    r"sensation|touch|prick|vibration|finger-nose|fields|acuity|tandem|speech|phasia|names objects"
    r"|answer|follows|confused|recall|drift|power|unsteady|ataxic|clumsy|sit or stand|whisper"
)
BUILD = re.compile(r"\b(thin|slim|lean|underweight|build|nourished|wasted|obesity|overweight)\b")
UNWRITTEN = re.compile(r"[\[\]|{}]|<[0-9.]+-[0-9.]+>")


def values_of(patient: ClinicPatient) -> dict[str, float]:
    """The state on arrival, the age, the limits of healthy people, and the body mass index."""
    person, state = patient.person, patient.state(0)
    mass = {"bmi": person.weight_kg / (person.height_cm / 100) ** 2}
    mass["build"] = build_of(replace(person, weight_kg=state["weight_kg"]))["build"]
    return with_limits(patient.facts, state, *person.measured_by) | mass


def names_of(patient: ClinicPatient, problem: Problem) -> set[str]:
    """The findings of a problem, with those that they imply and those that are measured."""
    facts, person = patient.facts, patient.person
    measured = findings_of(facts, patient.state(0), *person.measured_by)
    there = with_ancestors(problem.findings, facts.above)
    names = {facts.phenotypes[key].name for key in there}
    return {one for one in names if measured.get(one, True)} | {
        one for one, has in measured.items() if has
    }


def findings_agree(patient: ClinicPatient) -> str | None:
    """No finding contradicts the state; a complaint does only where every complaint would."""
    values = values_of(patient)
    unlike = {
        name for name, text in possible_when().items() if not bool(parse(text).compute(values))
    }
    for problem, condition in patient.conditions():
        complaints = {one.finding for one in condition.complaints}
        for key in problem.findings:
            name = patient.facts.phenotypes[key].name
            unavoidable = name in complaints and complaints <= unlike | complaints_of_others(
                patient
            )
            if name in unlike and not unavoidable:
                return f"{name} of {problem.condition}"
    return None


def pain_is_told(patient: ClinicPatient) -> str | None:
    """Who scores a pain has a painful finding; what hurts for years and small children aside."""
    score = patient.state(0)["pain"]
    if score < HURTS or patient.person.age < SAYS_SO or patient.usual["pain"] > 1:
        return None
    names = [patient.facts.phenotypes[key].name for one in patient.problems for key in one.findings]
    return None if any(PAINFUL.search(one) for one in names) else f"pain {score:.1f} of {names}"


def complaints_of_others(patient: ClinicPatient) -> set[str]:
    """The complaints that this person cannot have."""
    facts, person = patient.facts, patient.person.person
    complaints = {
        one.finding for _, condition in patient.conditions() for one in condition.complaints
    }
    only = {name: facts.phenotypes[facts.finding_ids[name]].only for name in complaints}
    rates = {
        name
        for _, condition in patient.conditions()
        for name, share in condition.rates.items()
        if share == 0
    }
    return rates | {name for name, one in only.items() if one and not one.admits(person)}


def signs_go_with(patient: ClinicPatient) -> str | None:
    """A sign that goes with a finding or a value is noted exactly when that is there."""
    values = values_of(patient)
    for problem, condition in patient.conditions():
        names = names_of(patient, problem)
        for one in condition.signs:
            if one.variant not in (None, problem.variant) or one.share is not None:
                continue
            there = one.goes_with in names if one.when is None else parse(one.when).compute(values)
            expected = one.text if there else one.otherwise
            if expected and re.search(r"orient|A&O", expected) and not may_be_oriented(values):
                continue  # what may be said instead is judged by its words
            if expected and re.search(r"\balert\b|GCS 15", expected) and values["gcs"] < CLEAR:
                continue  # nobody drowsy is called alert
            if expected and values["gcs"] < ANSWERS and EXAMINED_AWAKE.search(expected):
                continue  # what needs an answer is left out
            if expected and one.site == "general" and BUILD.search(expected):
                continue  # what height and weight contradict is left out
            wordings = re.split(r"[][|]", expected or "")
            if one.site == "general" and any(
                as_ill(text, names.__contains__, values) != text for text in wordings
            ):
                continue  # what pain, pallor or sickness contradicts is left out
            if any(as_found(text, names.__contains__) != text for text in wordings):
                continue  # what would deny a finding is left out
            shown = [sign.text for sign in problem.signs if sign.site == one.site]
            if not there and one.site == "chest" and audible(problem.studies):
                continue  # an image of the lungs tells what is heard
            if expected is not None and not any(may_be(text, expected) for text in shown):
                return f"{problem.condition}: {shown}, not {expected!r}"
    return None


def may_be_oriented(values: Mapping[str, float]) -> bool:
    """Nobody calls a small child, or a patient with clouded consciousness, oriented."""
    return values["gcs"] >= 14.5 and values["age"] >= 4


def words_hold(patient: ClinicPatient) -> str | None:
    """Words of the examination that claim a value are true of the state on arrival."""
    values = values_of(patient)
    for sign in patient.examination:
        for site, words, holds in CLAIMS:
            for found in re.finditer(words, sign.text, re.IGNORECASE):
                denied = DENIED.search(sign.text[: found.start()])
                claims = site in (None, sign.site) and denied is None
                if claims and not parse(holds).compute(values):
                    return f"{sign.text!r}, but not {holds}"
    return None


def results_possible(patient: ClinicPatient) -> str | None:
    """What a study shows is one of the results that are possible in the patient."""
    values = values_of(patient)
    for problem, condition in patient.conditions():
        names = names_of(patient, problem)
        for study in condition.studies:
            text = problem.studies[study.study].text
            found = [one for one in study.results if may_be(text, one.text)]
            if not any(one.possible(problem.variant, names.__contains__, values) for one in found):
                return f"{study.study}: {text}"
    return None


def images_agree(patient: ClinicPatient) -> str | None:
    """An image shows what another of the same region shows that sees no more."""
    for problem in patient.problems:
        for study in {key for ranks in imaging_table().regions.values() for key in ranks}:
            report = image_report(problem.studies, study)
            for other, as_much in sees(study).items():
                shown = other in problem.studies and problem.studies[other].shows
                if shown and as_much and (report is None or not report.shows):
                    return f"{other} shows {problem.condition}, and {study} does not"
    return None


def heard(patient: ClinicPatient) -> str | None:
    """What no examiner misses of an image of the lungs is found on examination too."""
    for problem in patient.problems:
        chest = [one for one in problem.signs if one.site == "chest"]
        if audible(problem.studies) and not any(one.abnormal for one in chest):
            return f"{problem.condition}: {[one.text for one in chest]}"
    return None


def one_examination(patient: ClinicPatient) -> str | None:
    """Each part of the examination is told once, what is abnormal first, and nothing against it."""
    told = patient.examination
    sites = [one.site for one in told]
    for number, one in enumerate(told):
        if sites.index(one.site) + sites.count(one.site) <= number:
            return f"{one.site} is told twice"
        before = told[number - 1] if number else None
        if before and before.site == one.site and one.abnormal and not before.abnormal:
            return f"{one.site}: {one.text!r} after what is normal"
        if not one.abnormal:
            for problem in patient.problems:
                spoiled = any(other.site == one.site and other.abnormal for other in problem.signs)
                if spoiled and one not in problem.signs:
                    return f"{one.site}: {one.text!r} against {problem.condition}"
    return None


def one_report(patient: ClinicPatient) -> str | None:
    """A report that points to a problem is never told as a normal one of another."""
    for study in {key for one in patient.problems for key in one.studies}:
        reports = [one.studies[study] for one in patient.problems if study in one.studies]
        told = patient.report(study) or ""
        if study == "ecg" or not any(one.shows for one in reports):
            continue
        missing = [one.text for one in reports if one.shows and one.text not in told]
        beside = [one.text for one in reports if not one.shows and one.text in told]
        if missing or beside:
            return f"{study}: {told!r}"
    return None


def one_germ(patient: ClinicPatient) -> str | None:
    """What is grown from one place of an infection is what is grown from another."""
    for problem in patient.problems:
        grown = [found for one in problem.studies.values() if (found := germs_in(one))]
        for one in grown[1:]:
            if one.isdisjoint(grown[0]):
                return f"{problem.condition}: {sorted(grown[0])} and {sorted(one)}"
    return None


def lasting_tests(patient: ClinicPatient) -> Iterator[str]:
    """Yield tests that show what is lived with, in everybody and beside nothing of today."""
    today = {one.condition for one in patient.problems}
    known = {one.condition for one in patient.background if not one.mistaken} - today
    for one in lasting_results():
        if one.condition in known and one.results == "shown" and one.share == 1:
            reports = (image_report(it.studies, one.study) for it in patient.problems)
            if not any(it is not None and it.shows for it in reports):
                yield one.study


def known_illness_shows(patient: ClinicPatient) -> str | None:
    """A test of an illness that is lived with is not that of a healthy person."""
    told = {study: patient.report(study, normal="Normal.") for study in lasting_tests(patient)}
    return next((f"{key}: normal" for key, text in told.items() if text in (None, "Normal.")), None)


def causes_precede(patient: ClinicPatient) -> str | None:
    began = patient.problems[0].began
    late = [one.what for one in patient.past if one.minute >= began]
    late += [one.drug for one in patient.medicines if one.begun is not None and one.begun >= began]
    return f"{late} after the illness began" if late else None


def causes_are_known(patient: ClinicPatient) -> str | None:
    """What is past is a cause that the condition names."""
    facts = patient.facts
    causes = facts.conditions[patient.problems[0].condition].causes
    for event in patient.past:
        names = references(facts, event.what) if event.kind == "medicine" else set()
        if not any(
            cause.kind == event.kind and (cause.what in names or may_be(event.what, cause.what))
            for cause in causes
        ):
            return f"{event.what} is no cause"
    taken = {one.drug for one in patient.medicines}
    both = [one.what for one in patient.past if one.kind == "medicine" and one.what in taken]
    return f"{both} ended and is taken" if both else None


def late_findings(patient: ClinicPatient) -> str | None:
    """A finding that comes late began on its day or later."""
    ids = patient.facts.finding_ids
    for problem, condition in patient.conditions():
        for name, day in condition.from_day.items():
            began = problem.findings.get(ids[name])
            if began is not None and began < problem.began + day * DAY:
                return f"{name} on day {(began - problem.began) / DAY:.1f}"
    return None


def old_findings(patient: ClinicPatient) -> str | None:
    """A feature of months or years has been there for as long, whatever the attack lasts."""
    age, phenotypes = patient.person.age, patient.facts.phenotypes
    for problem in patient.problems:
        for key, began in problem.findings.items():
            name = phenotypes[key].name
            days = min(long_standing().get(name, (0, 0))[0], 365 * age)
            if age >= INFANT and -began < days * DAY - 1:
                return f"{name} for {-began / DAY:.1f} days"
    return None


def ill_enough(patient: ClinicPatient) -> str | None:
    """Who comes with a condition has on arrival what makes the diagnosis."""
    values = values_of(patient)
    for one, condition in patient.conditions():
        when = condition.arrives_when
        if when is not None and not parse(when).compute(values):
            return f"{one.condition}, but not {when}"
    return None


EXPOSURES = {
    "accidental-hypothermia": "Cold exposure",
    "carbon-monoxide-poisoning": "Exposure to fumes or smoke",
    "paracetamol-poisoning": "Overdose of tablets",
    "salicylate-poisoning": "Overdose of tablets",
    "tricyclic-antidepressant-poisoning": "Overdose of tablets",
}
"""Condition -> the exposure without which there is none of it, whoever tells of it."""


def exposed(patient: ClinicPatient) -> str | None:
    """Who is poisoned has taken or breathed it in."""
    for one in patient.problems:
        name = EXPOSURES.get(one.condition)
        if name is not None and patient.facts.finding_ids[name] not in one.findings:
            return f"{one.condition} without {name}"
    return None


def known_for_longer(patient: ClinicPatient) -> str | None:
    """What was known before the attack was known for longer than the attack has lasted."""
    lasted = {one.condition: -one.began / DAY / 365.25 for one in patient.problems}
    for one in patient.background:
        if one.years <= lasted.get(one.condition, -1):
            return f"{one.condition} known for {one.years} years"
    return None


def mistaken(patient: ClinicPatient) -> str | None:
    """A wrong old diagnosis resembles what the patient has, and does nothing to the body."""
    likely = mistaken_for().get(patient.problems[0].condition, ())
    for one in patient.background:
        if one.mistaken and (one.effects or one.condition not in likely):
            return f"{one.condition}, mistaken, with {patient.problems[0].condition}"
    return None


def who_speaks(patient: ClinicPatient) -> str | None:
    awake, age = patient.state(0)["gcs"] >= 12.5, patient.person.age
    expected = "parent" if age < 10 or (age < 16 and not awake) else "patient" if awake else "crew"
    return None if patient.speaker == expected else f"{patient.speaker}, not {expected}"


def arrives_alive(patient: ClinicPatient) -> str | None:
    found = [one.when for one in lethal(patient.state(0), patient.person.age)
             if one.minutes <= SURVIVED]  # fmt: skip
    return f"arrives with {found}" if found else None


def dies_of_the_body(patient: ClinicPatient) -> str | None:
    """Who is beyond a limit for a day is dead."""
    age = patient.person.age
    early = {one.when for one in lethal(patient.state(DAY), age) if one.minutes <= DAY}
    lasting = early & {one.when for one in lethal(patient.state(2 * DAY), age)}
    return f"lives with {sorted(lasting)}" if lasting and patient.death({}) is None else None


def written_out(patient: ClinicPatient) -> str | None:
    """No alternatives and no ranges of numbers are left in what is shown."""
    texts = [sign.text for one in patient.problems for sign in one.signs]
    texts += [report.text for one in patient.problems for report in one.studies.values()]
    texts += [one.what for one in patient.past]
    return next((text for text in texts if UNWRITTEN.search(text)), None)
