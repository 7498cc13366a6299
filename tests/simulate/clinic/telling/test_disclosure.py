"""The disclosure plan has the same rates for what matters and for what does not."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from gym_clinic.facts import load, with_ancestors
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient, presenting
from gym_clinic.simulate.clinic.telling import disclosure
from gym_clinic.simulate.clinic.telling.disclosure import (
    DISTORTIONS,
    MANNERS,
    Disclosure,
    Recollection,
    confusions,
    disclosures,
    not_forgotten,
    recollections,
)
from gym_clinic.simulate.clinic.telling.incidental import irrelevant_complaints, red_flags
from gym_clinic.simulate.clinic.telling.lay_words import lay_words, mild, sayable
from gym_clinic.simulate.split import of_split

FACTS = load()
CONDITIONS = [one.id for one in presenting(FACTS)]

Plan = tuple[ClinicPatient, tuple[Disclosure, ...]]


@pytest.fixture(scope="module")
def patients() -> list[ClinicPatient]:
    return [draw_patient(seed, CONDITIONS[seed % len(CONDITIONS)]) for seed in range(40)]


@pytest.fixture(scope="module")
def plans(patients: list[ClinicPatient], request: pytest.FixtureRequest) -> list[Plan]:
    """Many plans of few patients: a seed of its own for each."""
    count = 2000 if request.config.getoption("--whole") else 450
    made = [replace(patients[seed % 40], seed=seed) for seed in range(count)]
    return [(one, disclosures(one)) for one in made]


def uneven(plans: Iterable[Plan]) -> list[str]:
    """Manners and distortions whose share differs between origins more than by chance."""
    found: Counter[tuple[str, str]] = Counter()
    totals: Counter[str] = Counter()
    for patient, plan in plans:
        for one in plan:
            name = FACTS.phenotypes[one.finding].name
            if (
                name in red_flags() | not_forgotten()
                or disclosure.has_no_degree(FACTS, one.finding)
                or one.finding == patient.problems[0].complaint
            ):
                continue
            found[one.origin, one.manner] += 1
            totals[one.origin] += 1
            if one.has:
                found[one.origin, str(one.distortion)] += 1
    wrong = []
    rates: dict[str, float] = {str(key): share for key, share in MANNERS.items()}
    for key, share in (rates | {str(key): share for key, share in DISTORTIONS.items()}).items():
        for origin, total in totals.items():
            if origin == "absent" and key in DISTORTIONS:
                continue
            error = math.sqrt(share * (1 - share) / total)
            if abs(found[origin, key] / total - share) > 4.5 * error:
                wrong.append(f"{origin} {key}: {found[origin, key] / total:.3f}, not {share}")
    return wrong


@pytest.mark.population
def test_rates_do_not_depend_on_where_a_finding_comes_from(plans: list[Plan]) -> None:
    assert uneven(plans) == []


def test_uneven_rates_are_noticed(plans: list[Plan]) -> None:
    told = [
        (patient, tuple(
            replace(one, manner="told") if one.origin == "problem" and number % 3 == 0 else one
            for number, one in enumerate(plan)
        ))
        for patient, plan in plans
    ]  # fmt: skip
    assert any(one.startswith("problem told") for one in uneven(told))
    slight = [
        (patient, tuple(
            replace(one, distortion="minimises") if one.origin == "irrelevant" else one
            for one in plan
        ))
        for patient, plan in plans
    ]  # fmt: skip
    assert any(one.startswith("irrelevant") for one in uneven(slight))


def test_the_complaint_is_told_and_red_flags_are_tellable(plans: list[Plan]) -> None:
    flags = 0
    for patient, plan in plans:
        for one in plan:
            if one.finding == patient.problems[0].complaint:
                assert one.manner == "told"
                assert one.distortion != "forgets"
            if FACTS.phenotypes[one.finding].name in red_flags() | not_forgotten():
                flags += 1
                assert one.manner != "omitted"
                assert one.distortion != "forgets"
    assert flags > 80


def test_a_plan_fits_the_record(plans: list[Plan]) -> None:
    for patient, plan in plans:
        has = {one.finding for one in plan if one.has}
        implied = with_ancestors(has, FACTS.above)
        assert len({one.finding for one in plan}) == len(plan)
        for one in plan:
            assert (one.began is not None) == one.has
            assert one.has or one.finding not in implied
            assert one.has or one.distortion is None
            assert (one.origin == "absent") == (not one.has)
            if one.distortion != "wrong":
                assert one.says_began == one.began
            elif one.began is not None and one.says_began is not None:
                assert one.says_began != one.began
                assert -patient.person.age * 366 * 1440 <= one.says_began < 0


def test_what_is_irrelevant_is_no_finding_of_the_problem_or_its_look_alikes(
    plans: list[Plan],
) -> None:
    beside = 0
    for patient, plan in plans:
        disease = FACTS.diseases[patient.problems[0].condition]
        key_findings = {
            one.phenotype
            for key in (disease.id, *disease.look_alikes)
            for one in FACTS.diseases[key].phenotypes
        }
        for one in plan:
            if one.origin in ("background", "irrelevant"):
                beside += 1
                assert one.finding not in key_findings
                assert one.cause
    assert beside >= len(plans) / 2


def test_the_plan_of_a_patient_is_always_the_same(patients: list[ClinicPatient]) -> None:
    again = draw_patient(patients[3].seed, patients[3].problems[0].condition)
    assert disclosures(again) == disclosures(patients[3])
    assert recollections(again) == recollections(patients[3])


def test_a_wrong_medicine_is_one_that_the_patient_does_not_take(
    patients: list[ClinicPatient],
) -> None:
    wrong = 0
    for seed in range(1200):
        patient = replace(patients[seed % 40], seed=seed)
        taken = {one.drug for one in patient.medicines}
        told = recollections(patient)
        assert len(told) == (
            len(patient.medicines) + len(patient.allergies)
            + len(patient.person.habits) + len(patient.background)
        )  # fmt: skip
        for one in told:
            kind, _, key = one.fact.partition(":")
            assert (one.says is not None) == (one.distortion == "wrong")
            if one.says is not None:
                wrong += 1
                assert kind == "medicine"
                assert confusions()[key] == one.says
                assert one.says not in taken
    assert wrong > 10


Recalled = tuple[ClinicPatient, tuple[Recollection, ...]]


@pytest.fixture(scope="module")
def recalled(plans: list[Plan]) -> list[Recalled]:
    return [(patient, recollections(patient)) for patient, _ in plans]


def bears_on_the_problem(patient: ClinicPatient, fact: str) -> bool:
    """Whether a medicine, allergy, habit or illness has to do with why the patient comes."""
    kind, _, key = fact.partition(":")
    problem = FACTS.diseases[patient.problems[0].condition]
    alike = {problem.id, *problem.look_alikes}
    about = {key}
    if kind == "medicine":
        about = {one.condition for one in patient.medicines if one.drug == key}
    risks = {one.factor for one in FACTS.conditions[problem.id].risks}
    return not about.isdisjoint(alike | risks)


def uneven_recall(recalled: Iterable[Recalled]) -> list[str]:
    """Manners and distortions whose share differs between kinds or bearings, beyond chance."""
    found: Counter[tuple[str, str]] = Counter()
    totals: Counter[str] = Counter()
    for patient, plan in recalled:
        for one in plan:
            bearing = "of the problem" if bears_on_the_problem(patient, one.fact) else "apart"
            for group in (one.fact.partition(":")[0], bearing):
                totals[group] += 1
                found[group, one.manner] += 1
                found[group, str(one.distortion)] += 1
    shares: dict[str, float] = {str(key): share for key, share in MANNERS.items()}
    shares |= {str(key): share for key, share in DISTORTIONS.items() if key != "wrong"}
    return [
        f"{group} {key}: {found[group, key] / total:.3f}, not {share}"
        for group, total in totals.items()
        for key, share in shares.items()
        if abs(found[group, key] / total - share) > 4.5 * math.sqrt(share * (1 - share) / total)
    ]


@pytest.mark.population
def test_rates_of_recollection_do_not_depend_on_what_is_recalled(recalled: list[Recalled]) -> None:
    groups = {bears_on_the_problem(patient, one.fact) for patient, plan in recalled for one in plan}
    assert groups == {False, True}
    assert uneven_recall(recalled) == []


def test_uneven_recollections_are_noticed(recalled: list[Recalled]) -> None:
    hidden = [
        (patient, tuple(
            replace(one, manner="omitted") if bears_on_the_problem(patient, one.fact) else one
            for one in plan
        ))
        for patient, plan in recalled
    ]  # fmt: skip
    assert any(one.startswith("of the problem omitted") for one in uneven_recall(hidden))
    forgotten = [
        (patient, tuple(
            replace(one, distortion="forgets") if one.fact.startswith("habit") else one
            for one in plan
        ))
        for patient, plan in recalled
    ]  # fmt: skip
    assert any(one.startswith("habit forgets") for one in uneven_recall(forgotten))


def test_the_data_files_name_findings_and_drugs_of_the_tables() -> None:
    assert red_flags() | not_forgotten() <= FACTS.finding_ids.keys()
    assert {one.finding for one in irrelevant_complaints()} <= FACTS.finding_ids.keys()
    assert {*confusions(), *confusions().values()} <= FACTS.drugs.keys()
    assert all(drug != taken_for for drug, taken_for in confusions().items())
    for one in irrelevant_complaints():
        if one.medicine is not None:
            known = {*FACTS.drugs, *(f"class:{key}" for key in FACTS.drug_classes)}
            assert one.medicine in known


def test_who_vomits_says_so_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    vomiting = FACTS.finding_ids["Vomiting"]
    sick = [draw_patient(seed, "viral-gastroenteritis") for seed in range(150)]

    def hides() -> int:
        plans = (one for patient in sick for one in disclosures(patient) if one.has)
        return sum(
            one.finding == vomiting and (one.manner == "omitted" or one.distortion == "forgets")
            for one in plans
        )

    assert not hides()
    monkeypatch.setattr(disclosure, "not_forgotten", frozenset)
    assert hides() >= 3


def test_nobody_calls_slight_what_has_no_degree() -> None:
    listed = json.loads(Path(disclosure.__file__).with_name("no_degree.json").read_text("utf-8"))
    assert {*listed} <= {*lay_words()}
    fits = [draw_patient(seed, "epilepsy") for seed in range(80)]
    plans = [one for patient in fits for one in disclosures(patient) if one.has]
    seizures = [one for one in plans if disclosure.has_no_degree(FACTS, one.finding)]
    assert len(seizures) > 60
    assert not [one for one in seizures if one.distortion == "minimises"]
    assert [one for one in plans if one.distortion == "minimises"]


def test_what_is_called_slight_has_no_strong_name() -> None:
    for name, words in lay_words().items():
        if not disclosure.has_no_degree(FACTS, FACTS.finding_ids[name]):
            for split in ("train", "dev", "test"):
                nouns = mild(of_split(name, sayable(words.nouns), split))
                assert not [one for one in nouns if "raging" in one or "constant" in one], name


def test_nobody_calls_a_coma_slight() -> None:
    clouded = FACTS.finding_ids["Reduced consciousness/confusion"]
    read = 0
    for seed in range(60):
        patient = draw_patient(seed, "opioid-overdose")
        for one in disclosures(patient) if patient.state(0)["gcs"] < 12 else ():
            if clouded in {one.finding, *FACTS.above[one.finding]}:
                read += 1
                assert one.distortion != "minimises"
    assert read > 20
