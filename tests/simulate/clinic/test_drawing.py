"""What declarations of conditions make of patients: links, forms, causes, late findings."""

from __future__ import annotations

import dataclasses
import re
from random import Random
from types import MappingProxyType
from typing import Any

import pytest

from gym_clinic.facts import Facts, load
from gym_clinic.facts.records.conditions import Variant
from gym_clinic.facts.records.courses import Cause
from gym_clinic.facts.records.examination import Sign, Study, StudyResult
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient
from gym_clinic.simulate.clinic.examination.shown import (
    ShownSign,
    StudyReport,
    one_examination,
    one_report,
    write_text,
)

FACTS = load()


def with_condition(key: str, **changes: Any) -> Facts:
    """The fact tables with a condition that differs."""
    changed = FACTS.conditions[key].model_copy(update=changes)
    return dataclasses.replace(
        FACTS, conditions=MappingProxyType({**FACTS.conditions, key: changed})
    )


def drawn(key: str, count: int = 40, **changes: Any) -> list[ClinicPatient]:
    facts = with_condition(key, **changes)
    return [draw_patient(seed, key, facts) for seed in range(count)]


def has(patient: ClinicPatient, name: str) -> bool:
    return FACTS.finding_ids[name] in patient.problems[0].findings


def test_a_sign_goes_with_a_finding_or_a_value() -> None:
    signs = (
        Sign(site="abdomen", text="brings up bile", goes_with="Vomiting", otherwise="no vomit"),
        Sign(site="heart", text="fast", when="hr > 100", otherwise="regular, not fast"),
    )
    patients = drawn("acute-pyelonephritis", signs=signs, variants={})
    for one in patients:
        texts = {sign.text for sign in one.problems[0].signs}
        vomits, fast = has(one, "Vomiting"), one.state(0)["hr"] > 100
        assert texts == {
            "brings up bile" if vomits else "no vomit",
            "fast" if fast else "regular, not fast",
        }
    assert len({has(one, "Vomiting") for one in patients}) == 2


def test_a_result_is_possible_only_with_its_finding() -> None:
    results = (
        StudyResult(text="Bile.", share=0.5, goes_with="Vomiting"),
        StudyResult(text="Food.", share=0.2, goes_with="Vomiting"),
        StudyResult(text="Nothing.", share=0.3, unless="Vomiting"),
    )
    studies = (Study(study="gastroscopy", results=results),)
    for one in drawn("acute-pyelonephritis", studies=studies, variants={}):
        told = one.problems[0].studies["gastroscopy"].text
        assert (told in ("Bile.", "Food.")) == has(one, "Vomiting")


def test_alternatives_and_numbers_are_drawn_once_a_patient() -> None:
    signs = (Sign(site="skin", text="[red|warm] area of <5-15> cm", share=1),)
    patients = drawn("cellulitis", signs=signs)
    texts = [one.problems[0].signs[0].text for one in patients]
    assert len(set(texts)) > 10
    assert draw_patient(0, "cellulitis", patients[0].facts).problems[0].signs[0].text == texts[0]
    sizes = [int(one.split()[-2]) for one in texts]
    assert set(sizes) <= set(range(5, 16))


def test_a_form_has_its_own_findings_and_treatment() -> None:
    variants = {
        "wet": Variant(share=0.5, rates={"Cough": 1.0}, treated_by=(("procedure:drain",),)),
        "dry": Variant(share=0.5, rates={"Cough": 0.0}),
    }
    patients = drawn("cellulitis", variants=variants)
    for one in patients:
        wet = one.problems[0].variant == "wet"
        assert has(one, "Cough") == wet
        (_, condition), *_ = one.conditions()
        assert condition.course is not None
        drained = one.severity(one.problems[0], 3000, {"procedure:drain": 10})
        assert (drained < one.severity(one.problems[0], 3000)) == wet
    assert {one.problems[0].variant for one in patients} == {"wet", "dry"}


def test_a_finding_that_comes_late_is_not_there_early() -> None:
    patients = drawn("cellulitis", 60, from_day={"Skin ulcer": 2}, rates={"Skin ulcer": 1.0})
    ulcer = FACTS.finding_ids["Skin ulcer"]
    for one in patients:
        problem = one.problems[0]
        if problem.began > -2 * 1440:
            assert ulcer not in problem.findings
        else:
            assert problem.findings[ulcer] >= problem.began + 2 * 1440
    assert len({has(one, "Skin ulcer") for one in patients}) == 2


def caused(**fields: Any) -> list[ClinicPatient]:
    fields = {"kind": "medicine", "days_ago": (2, 9), "share": 1.0} | fields
    return drawn("cellulitis", 60, causes=(Cause(**fields),))


def test_a_medicine_that_ended_is_past() -> None:
    patients = caused(what="class:penicillin", taken_for="a sore throat", ended=True)
    found = [event for one in patients for event in one.past]
    assert len(found) > 45
    for one in patients:
        for event in one.past:
            assert "penicillin" in FACTS.drugs[event.what].classes
            assert event.minute <= one.problems[0].began - 2 * 1440
            assert event.what not in {taken.drug for taken in one.medicines}


def test_a_medicine_that_is_taken_has_its_condition_and_its_beginning() -> None:
    patients = caused(what="class:sulfonylurea", taken_for="type-2-diabetes-mellitus")
    for one in patients:
        taken = [m for m in one.medicines if "sulfonylurea" in FACTS.drugs[m.drug].classes]
        diabetic = "type-2-diabetes-mellitus" in {each.condition for each in one.background}
        assert not taken or diabetic
        assert all(m.begun is None or m.begun < one.problems[0].began for m in taken)
    adults = [one for one in patients if one.person.age >= 40]
    assert sum(
        "sulfonylurea" in FACTS.drugs[m.drug].classes for one in adults for m in one.medicines
    ) > (0.8 * len(adults))


def test_an_exposure_is_past_in_words() -> None:
    patients = caused(kind="exposure", what="[bitten|scratched] by a cat")
    assert {one.past[0].what for one in patients} == {"bitten by a cat", "scratched by a cat"}


def test_small_children_do_not_tell_and_do_not_speak() -> None:
    patients = [draw_patient(seed, "febrile-convulsion") for seed in range(30)]
    small = [one for one in patients if one.person.age < 4]
    assert small
    assert {one.speaker for one in small} == {"parent"}
    assert not any(has(one, "Headache") for one in small)
    grown = [draw_patient(seed, "opioid-overdose") for seed in range(30)]
    for one in grown:
        assert (one.speaker == "patient") == (one.state(0)["gcs"] >= 12.5)
    assert {one.speaker for one in grown} == {"crew", "patient"}


def test_two_problems_are_one_examination() -> None:
    first = [
        ShownSign("chest", "clear", False),
        ShownSign("chest", "rib tender", True),
        ShownSign("heart", "no murmur", False),
        ShownSign("general", "tired", True),
    ]
    second = [
        ShownSign("chest", "wheeze", True),
        ShownSign("chest", "not dull", False),
        ShownSign("heart", "normal sounds", False),
        ShownSign("general", "well", False),
        ShownSign("skin", "no rash", False),
    ]
    told = [(one.site, one.text) for one in one_examination([first, second])]
    assert told == [
        ("chest", "rib tender"), ("chest", "wheeze"), ("heart", "no murmur"),
        ("general", "tired"), ("skin", "no rash"),
    ]  # fmt: skip


def test_two_reports_are_one() -> None:
    normal, broken = StudyReport("Normal.", False), StudyReport("Rib 6 broken.", True)
    assert one_report([normal, broken]) == "Rib 6 broken."
    assert one_report([normal, normal]) == "Normal."
    assert one_report([broken, StudyReport("Mass.", True)]) == "Rib 6 broken. Mass."


def test_a_text_is_written_without_gaps() -> None:
    assert write_text("soft[|] , [|] not tender[ | ].", Random(0)) == "soft, not tender."


def test_who_is_ill_for_long_and_no_emergency_comes_by_day() -> None:
    conditions = ("coeliac-disease", "major-depressive-disorder", "pulmonary-tuberculosis")
    drawn = [draw_patient(seed, one) for one in conditions for seed in range(15)]
    long_ill = [one for one in drawn if one.problems[0].began < -14 * 24 * 60]
    assert len(long_ill) > 20
    assert {8 <= one.arrived.hour < 20 for one in long_ill} == {True}
    urgent = [draw_patient(seed, "sepsis") for seed in range(15)]
    assert any(not 8 <= one.arrived.hour < 20 for one in urgent)


def test_an_infant_craves_no_ice_and_its_skin_has_had_no_time_to_thicken() -> None:
    for condition, finding, least in (
        ("iron-deficiency-anaemia", "Pica", 4.0),
        ("atopic-dermatitis", "Lichenification", 1.5),
    ):
        patients = drawn(condition, 200)
        ages = [one.person.age for one in patients if has(one, finding)]
        assert min(ages) >= least
        assert any(one.person.age < least for one in patients)


def test_who_vomits_blood_vomits() -> None:
    bleeding = [one for one in drawn("oesophageal-varices", 30) if has(one, "Hematemesis")]
    assert len(bleeding) > 10
    assert all(has(one, "Vomiting") for one in bleeding)


@pytest.mark.parametrize("condition", ["hepatitis-a", "hepatitis-b"])
def test_in_viral_hepatitis_alt_is_above_ast(condition: str) -> None:
    states = [draw_patient(seed, condition).state(0) for seed in range(40)]
    ratios = [one["alt"] / one["ast"] for one in states]
    assert min(ratios) > 1
    assert max(ratios) - min(ratios) > 0.2


def test_who_fainted_hours_ago_is_no_longer_pale() -> None:
    shown = [
        sign.text for seed in range(30)
        for sign in draw_patient(seed, "vasovagal-syncope").problems[0].signs
        if sign.site == "general"
    ]  # fmt: skip
    assert shown
    assert not any("pale" in one or "recovering" in one for one in shown)


def test_who_comes_with_fibrillation_has_a_rate_to_treat() -> None:
    for seed in range(20):
        assert draw_patient(seed, "atrial-fibrillation").state(0)["hr"] >= 110


def test_kidneys_that_lack_volume_lack_it_everywhere() -> None:
    for seed in range(40):
        patient = draw_patient(seed, "acute-kidney-injury")
        (general,) = (one.text for one in patient.problems[0].signs if one.site == "general")
        dry = re.search(r"\bdry\b", general) is not None
        assert dry is (patient.problems[0].variant == "low-volume")
        full = patient.problems[0].studies["chest-x-ray"].shows
        full |= FACTS.finding_ids["Edema"] in patient.problems[0].findings
        assert not (dry and full)


def test_who_is_quiet_in_delirium_is_not_agitated() -> None:
    for seed in range(30):
        first = draw_patient(seed, "delirium").problems[0]
        unlike = "Agitation" if first.variant == "quiet" else "Lethargy"
        assert FACTS.finding_ids[unlike] not in first.findings
