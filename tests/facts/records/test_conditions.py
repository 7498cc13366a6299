"""The condition library: what treats, what is forbidden and what is taken for long is known."""

from __future__ import annotations

import re

import pytest

from gym_clinic.facts import load, restates_diagnosis
from gym_clinic.facts.records.conditions import Condition
from gym_clinic.facts.records.drugs import CLASS
from gym_clinic.simulate.clinic.finding_lists import shown_by_tests

FACTS = load()
PRESENTING = [one for one in FACTS.conditions.values() if one.course is not None]
PLAIN = {"fluids", "oxygen", "blood", "observation"}
CLASSES = {name for drug in FACTS.drugs.values() for name in drug.classes}


def _known(action: str) -> bool:
    kind, _, name = action.partition(":")
    if kind == "drug":
        return name in FACTS.drugs
    return name in CLASSES if kind == "class" else kind == "procedure" or action in PLAIN


def _drugs(action: str) -> set[str]:
    """The references of an action as `contraindicated` writes them."""
    kind, _, name = action.partition(":")
    if kind == "class":
        return {action}
    if kind != "drug":
        return set()
    return {name, *(CLASS + each for each in FACTS.drugs[name].classes)}


@pytest.mark.parametrize("one", PRESENTING, ids=lambda one: one.id)
def test_what_treats_is_known_and_not_forbidden(one: Condition) -> None:
    assert one.course is not None
    assert one.course.treated_by
    assert one.first_line
    assert one.work_up
    for form in (one, *(one.form(name) for name in one.variants)):
        assert form.course is not None
        for together in (*form.course.treated_by, form.first_line):
            for action in together:
                assert _known(action), action
                assert not _drugs(action) & set(one.contraindicated), action


@pytest.mark.parametrize("one", PRESENTING, ids=lambda one: one.id)
def test_what_is_done_first_treats_it(one: Condition) -> None:
    """A first line without any part of a treatment would let the patient get worse."""
    for form in (one, *(one.form(name) for name in one.variants)):
        assert form.course is not None
        first = set().union(*(_drugs(action) | {action} for action in form.first_line))
        treats = {action for each in form.course.treated_by for action in each}
        plain = {action.removeprefix("drug:") for action in treats}
        assert plain & {action.removeprefix("drug:") for action in first}


@pytest.mark.parametrize(
    ("condition", "drugs"),
    [
        ("sepsis", {"norepinephrine", "piperacillin-tazobactam"}),
        ("malaria", {"artesunate", "artemether-lumefantrine"}),
        ("diabetic-ketoacidosis", {"insulin-regular", "potassium-chloride"}),
        ("anaphylaxis", {"epinephrine"}),
        ("opioid-overdose", {"naloxone"}),
        ("paracetamol-poisoning", {"acetylcysteine"}),
        ("hyperkalaemia", {"intravenous-calcium", "insulin-regular", "glucose"}),
        ("subarachnoid-haemorrhage", {"nimodipine"}),
        ("postpartum-haemorrhage", {"oxytocin", "tranexamic-acid"}),
        ("alcohol-withdrawal", {"thiamine"}),
        ("hypoglycaemia", {"glucose", "glucagon"}),
        ("preeclampsia", {"magnesium-sulfate"}),
    ],
)
def test_the_first_line_of_emergencies_is_complete(condition: str, drugs: set[str]) -> None:
    given = {one.removeprefix("drug:") for one in FACTS.conditions[condition].first_line}
    assert drugs <= given


def test_forms_are_treated_in_their_own_way() -> None:
    without = FACTS.conditions["acute-myocardial-infarction"].form("without-st-elevation")
    assert without.course is not None
    assert not any("class:thrombolytic" in together for together in without.course.treated_by)
    vivax = FACTS.conditions["malaria"].form("vivax")
    assert "drug:primaquine" in vivax.first_line


def test_a_bleeding_after_birth_is_treated_by_a_uterotonic_and_by_volume() -> None:
    """A balloon or an operation is what comes beside it, where it fails."""
    condition = FACTS.conditions["postpartum-haemorrhage"]
    for name in ("atony", "retained-tissue"):
        course = condition.form(name).course
        assert course is not None
        for together in course.treated_by:
            assert {"drug:oxytocin", "drug:ergometrine"} & {*together}
            assert {"fluids", "blood"} & {*together}
    assert {condition.needed_when[one] for one in ("fluids", "blood")} == {"hb < 8 or sbp < 90"}


def test_an_appendicectomy_is_covered_by_a_regimen_and_not_by_any_antibiotic() -> None:
    course = FACTS.conditions["acute-appendicitis"].course
    assert course is not None
    assert "class:antibiotic" not in {action for each in course.treated_by for action in each}
    assert ("procedure:appendicectomy", "drug:ceftriaxone", "drug:metronidazole") in (
        course.treated_by
    )


def test_a_faint_that_is_over_needs_no_drip() -> None:
    course = FACTS.conditions["vasovagal-syncope"].course
    assert course is not None
    assert ("procedure:trigger-avoidance",) in course.treated_by


def test_nothing_is_noted_twice() -> None:
    for one in FACTS.conditions.values():
        noted = [(sign.site, sign.text, sign.variant) for sign in one.signs]
        shown = [(study.study, each) for study in one.studies for each in study.results]
        assert len(set(noted)) == len(noted), one.id
        assert len(set(shown)) == len(shown), one.id


def test_distinctions_name_a_look_alike_once() -> None:
    for one in FACTS.conditions.values():
        named = [each.look_alike for each in one.distinctions]
        assert len(set(named)) == len(named), one.id
        assert one.id not in named


@pytest.mark.parametrize("one", PRESENTING, ids=lambda one: one.id)
def test_signs_and_results_go_with_findings_that_its_patients_can_have(one: Condition) -> None:
    drawn = {FACTS.phenotypes[each.phenotype].name for each in FACTS.diseases[one.id].phenotypes}
    drawn -= shown_by_tests()
    results = [result for study in one.studies for result in study.results]
    links = {result.goes_with for result in [*one.signs, *results]}
    links |= {result.unless for result in results}
    assert links - drawn - {None} == set()


NOTHING = re.compile(
    r"(no|nil|normal) .*|soft|clear|supple|intact|snt|hs i\+ii|heart sounds normal|"
    r".* (normal|intact)|(chest|lungs) clear|neck supple"
)
"""A clause of an examination that notes nothing."""


def notes_nothing(phrase: str) -> bool:
    """Whether every clause of one of the wordings notes nothing; all wordings mean the same."""
    wordings = phrase.strip("[]").split("|")
    return any(
        all(NOTHING.fullmatch(clause.strip().casefold()) for clause in re.split("[,;]", one))
        for one in wordings
    )


def test_a_sign_that_notes_nothing_is_not_abnormal() -> None:
    assert notes_nothing("[no facial weakness, pinna normal|no weakness, no swelling]")
    assert not notes_nothing("[no breath sounds on the right, hyperresonant|soft murmur]")
    wrong = [
        (name, one.site, text)
        for name, condition in load().conditions.items()
        for one in condition.signs
        for side, text in (("text", one.text), ("otherwise", one.otherwise))
        if text and one.abnormal in ("both", side) and notes_nothing(text)
    ]
    assert wrong == []


@pytest.mark.parametrize("one", PRESENTING, ids=lambda one: one.id)
def test_what_most_patients_come_with_has_a_rate(one: Condition) -> None:
    """Without one the band of the disease lets too many go without the complaint that defines it.

    A complaint of the same name as the illness is never drawn, and has none.
    """
    known = FACTS.diseases[one.id]
    total = sum(each.weight for each in one.complaints)
    for each in one.complaints:
        finding = FACTS.phenotypes[FACTS.finding_ids[each.finding]]
        if each.weight / total > 0.5 and not restates_diagnosis(known, finding):
            rates = [one.form(name).rates for name in one.variants] or [one.rates]
            assert all(each.finding in form for form in rates), each.finding
