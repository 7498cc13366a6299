"""The gold of clinical diagnosis: what decides, what treats, and what must not be given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from random import Random
from typing import Any

import pytest

from gym_clinic.clinical.judging.seen import seen
from gym_clinic.clinical.naming import find_action, find_evidence, fulfils
from gym_clinic.clinical.tasks import MadeTask, TaskDraft, seed_of
from gym_clinic.clinical.world import ClinicCase, ClinicWorld, open_world
from gym_clinic.domains.clinical_diagnosis import supplements
from gym_clinic.domains.clinical_diagnosis.besides import ordered_tests
from gym_clinic.domains.clinical_diagnosis.deciding import (
    DecisiveFact,
    decisions,
    discriminators,
    order_of,
    question_about,
)
from gym_clinic.domains.clinical_diagnosis.evidence import decisive_facts
from gym_clinic.domains.clinical_diagnosis.gold import (
    assertions,
    concrete_orders,
    forbidden_orders,
    order_name,
)
from gym_clinic.domains.clinical_diagnosis.judge import JUDGE
from gym_clinic.domains.clinical_diagnosis.places import dispositions
from gym_clinic.domains.clinical_diagnosis.plan import red_cells
from gym_clinic.domains.clinical_diagnosis.tasks import (
    SHOWS,
    conditions,
    make_task,
    try_plan,
    turning_edits,
    twin_edits,
)
from gym_clinic.domains.clinical_diagnosis.ticket import names_diagnosis
from gym_clinic.errors import TaskError
from gym_clinic.facts import load
from gym_clinic.facts.expressions import parse
from gym_clinic.simulate.clinic import draw_patient
from gym_clinic.simulate.clinic.treatment import forbidden_drugs, treatment_for


@pytest.fixture(autouse=True, scope="module")
def _without_large_indexes() -> Iterator[None]:
    """No plan of these tests opens the register of patients or the library, which takes long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(supplements, "RARE", 0.0)
        yield


@cache
def made(condition: str) -> MadeTask:
    tries = (make_task(TaskDraft(condition, seed_of("dev", n), "dev")) for n in range(20))
    return next(one for one in tries if one is not None)


def world_of(condition: str) -> ClinicWorld:
    return open_world(made(condition).record)


def test_every_presenting_condition_is_a_class() -> None:
    facts = load()
    assert set(conditions()) == {
        key for key, one in facts.conditions.items() if one.role != "background"
    }


@pytest.mark.parametrize("condition", ["pneumonia", "cystitis", "unstable-angina"])
def test_what_must_be_read_is_not_told_by_the_ticket(condition: str) -> None:
    task, world = made(condition), world_of(condition)
    assert not set(task.gold["read"]) & seen(ClinicCase(world))
    possible = {one.key for each in decisions(world) for one in decisive_facts(world, each)}
    assert possible >= {one["finding"] for one in task.gold["cite"]}


@pytest.mark.parametrize("condition", ["pneumonia", "cystitis", "unstable-angina"])
def test_the_right_answer_is_read_as_what_it_means(condition: str) -> None:
    facts, gold = load(), made(condition).gold
    cited = [find_evidence(facts, one["finding"]) for one in gold["answer"]["cited_findings"]]
    assert cited == [one["finding"] for one in gold["cite"]]
    actions = {find_action(facts, one["order"]) or "" for one in gold["answer"]["orders"]}
    assert any(
        all(any(fulfils(has, one) for has in actions) for one in together)
        for together in gold["acceptable"]["treatments"]
    )
    assert not any(fulfils(has, one) for has in actions for one in gold["forbidden"])


def test_every_procedure_and_drug_has_a_name_that_is_read_as_itself() -> None:
    facts = load()
    wanted = {
        action
        for one in facts.conditions.values()
        if one.course is not None
        for together in one.course.treated_by
        for action in together
        if not action.startswith("class:")
    }
    assert {one for one in wanted if find_action(facts, order_name(facts, one)) != one} == set()


def test_an_allergy_forbids_its_class_and_turns_the_orders() -> None:
    for task, patient in _patients("streptococcal-pharyngitis", "pneumonia", "cellulitis"):
        for edit in turning_edits(patient):
            if edit["kind"] != "allergy":
                continue
            try:
                changed = open_world({**task.record, "edit": [edit]}).patient
            except TaskError:
                continue
            forbidden = forbidden_orders(forbidden_drugs(changed), ())
            drugs = [one for one in load().drugs if fulfils(f"drug:{one}", edit["allergen"])]
            drugs = drugs or [edit["allergen"]]
            assert all(any(fulfils(f"drug:{drug}", one) for one in forbidden) for drug in drugs), (
                edit
            )
            return
    raise AssertionError("no patient takes an allergy")


def _patients(*names: str) -> Iterator[tuple[MadeTask, Any]]:
    for name in names:
        yield made(name), world_of(name).patient


def test_a_turning_twin_has_other_orders_and_a_neutral_one_the_same_answer() -> None:
    turned = 0
    for name in ("cystitis", "streptococcal-pharyngitis", "pneumonia"):
        task = made(name)
        for kind in ("turns", "neutral"):
            edits = twin_edits(task, kind, Random(1))  # type: ignore[arg-type]
            twin = None if edits is None else _edited(task, name, edits)
            if twin is None:
                continue
            same = twin.gold["answer"]["orders"] == task.gold["answer"]["orders"]
            assert same is (kind == "neutral") or edits[0]["kind"] == "wording"  # type: ignore[index]
            turned += kind == "turns"
    assert turned


def _edited(task: MadeTask, name: str, edits: tuple[Mapping[str, Any], ...]) -> MadeTask | None:
    return make_task(TaskDraft(name, task.record["seed"], "dev", edits))


def test_an_emergency_is_examined_before_it_is_treated_where_there_is_time() -> None:
    task = made("anaphylaxis")
    names = [[call["name"] for call in batch] for batch in task.gold["plan"]]
    examined = next(n for n, batch in enumerate(names) if "examine_patient" in batch)
    treated = next(n for n, batch in enumerate(names) if "give_medication" in batch)
    assert examined < treated
    assert "treated_before_harm" in [one["check"] for one in task.gold["assertions"]]


@pytest.mark.parametrize(
    ("condition", "drug", "first_by_name"),
    [("biliary-colic", "ibuprofen", "celecoxib"), ("myocarditis", "lisinopril", "benazepril")],
)
def test_a_class_is_ordered_as_the_drug_of_it_that_is_usual(
    condition: str, drug: str, first_by_name: str
) -> None:
    treatments = (treatment_for(draw_patient(seed, condition)) for seed in range(40))
    orders = [concrete_orders(one, load()) for one in treatments if one.alternatives]
    assert f"drug:{drug}" in {each for one in orders for each in one}
    assert sum(f"drug:{first_by_name}" in one for one in orders) < len(orders) / 4


def test_an_antibiotic_that_treats_without_a_procedure_is_named() -> None:
    """Any antibiotic would be right otherwise; in delirium it stands for the cause."""
    for name, condition in load().conditions.items():
        course = condition.course
        if condition.role == "background" or course is None or name == "delirium":
            continue
        for together in course.treated_by:
            if "class:antibiotic" in together:
                others = {*together} - {"class:antibiotic", "fluids", "oxygen"}
                assert others, (name, together)


def test_a_ticket_that_names_the_disease_makes_no_task() -> None:
    world = world_of("pneumonia")
    assert names_diagnosis(world, "They said it was pneumonia.")
    assert not names_diagnosis(world, made("pneumonia").ticket)


@pytest.mark.parametrize("condition", ["pneumonia", "cystitis", "migraine"])
def test_no_look_up_is_expected(condition: str) -> None:
    names = {one["name"] for one in made(condition).gold["expected"]}
    done = {"order_lab", "order_study", "examine_patient", "activate_pathway", "give_oxygen"}
    assert names <= done


def test_every_set_of_facts_that_decides_is_listed_and_the_first_is_cited() -> None:
    gold = made("pneumonia").gold
    (decided,) = (one for one in gold["assertions"] if one["check"] == "decided")
    first, *others = decided["any_of"]
    assert len(first) == 2
    assert others
    assert all(one in gold["cite"] and one["finding"] in gold["read"] for one in first)


def test_no_woman_is_forbidden_a_drug_for_men() -> None:
    assert forbidden_orders(["finasteride", "ibuprofen"], ()) == ("drug:ibuprofen",)


@pytest.mark.parametrize("weeks", [9, 30])
def test_a_pregnancy_that_does_not_show_must_be_read(weeks: int) -> None:
    hidden = 0
    for number in range(8):
        edit = ({"kind": "pregnancy", "weeks": weeks},)
        one = make_task(TaskDraft("hyperemesis-gravidarum", seed_of("dev", number), "dev", edit))
        if one is None:
            continue
        due = weeks < SHOWS and "pregnancy" not in seen(ClinicCase(open_world(one.record)))
        assert ("pregnancy" in one.gold["read"]) is due
        serves = [it for it in one.gold["instead"] if it["keys"] == ["pregnancy"]]
        assert len(serves) == due
        assert all({"finding": "lab:hcg", "present": True} in it["of"] for it in serves)
        hidden += due
    assert bool(hidden) is (weeks < SHOWS)


def test_nobody_has_hyperemesis_without_vomiting() -> None:
    vomiting = load().finding_ids["Vomiting"]
    patients = [draw_patient(seed, "hyperemesis-gravidarum") for seed in range(200)]
    assert all(vomiting in one.problems[0].findings for one in patients)


def test_questions_are_plain() -> None:
    assert question_about("Chest pain") == "Have you had chest pain?"


def test_a_severe_anaemia_stays_in_hospital_and_blood_goes_by_weight() -> None:
    condition = load().conditions["iron-deficiency-anaemia"]
    found = {True: 0, False: 0}
    for seed in range(40):
        patient = draw_patient(seed, condition.id)
        severe = patient.state(0)["hb"] < 8
        found[severe] += 1
        places = dispositions(condition, patient)
        if severe:
            assert "ward" in places
            assert not {"home", "outpatient referral"} & {*places}
        else:
            assert {"home", "outpatient referral"} & {*places}
    assert all(found.values())
    assert red_cells(70)[1]["units"] == 2
    assert red_cells(12)[1]["units"] == 0.4


@pytest.mark.parametrize(
    ("condition", "tests"),
    [
        ("acute-pericarditis", {"lab:troponin"}),
        ("preeclampsia", {"lab:platelets", "lab:alt", "lab:creatinine"}),
        ("salicylate-poisoning", {"lab:paracetamol_level"}),
        ("tricyclic-antidepressant-poisoning", {"lab:paracetamol_level", "lab:salicylate_level"}),
    ],
)
def test_what_the_danger_asks_for_is_ordered_and_read(condition: str, tests: set[str]) -> None:
    gold = made(condition).gold
    assert tests <= {*ordered_tests(world_of(condition))}
    assert tests <= {*gold["read"]}
    asked = {one["arguments"].get("test") for one in gold["expected"]}
    assert {order_of(load(), one.partition(":")[2]) for one in tests} <= asked


def test_psychiatry_is_asked_after_an_overdose() -> None:
    one = made("salicylate-poisoning")
    plan = [[(call["name"], call["arguments"]) for call in batch] for batch in one.gold["plan"]]
    without = [[call for call in batch if call[0] != "consult_service"] for batch in plan]
    referral = {"service": "psychiatry", "reason": "an overdose", "urgency": "urgent"}
    for each, share in ((plan, True), (without, False),
                        ([*without, [("refer_patient", referral)]], True)):  # fmt: skip
        done = try_plan(one.record, each).judged(JUDGE, one.gold, one.gold["answer"])
        assert (done.assertion() == 1) is share


def test_kidneys_are_known_before_a_cystitis_of_the_old_is_treated() -> None:
    (rule,) = discriminators()["cystitis"].ordered
    assert rule.tests == ("lab:creatinine",)
    for age, egfr, due in ((30.0, 95.0, False), (72.0, 95.0, True), (50.0, 38.0, True)):
        assert bool(parse(rule.when).compute({"age": age, "egfr": egfr})) is due


def test_a_test_that_shows_nothing_is_normal_and_a_denied_finding_is_not_there() -> None:
    decision = (
        DecisiveFact("study:ecg", False, ("order_ecg", {})),
        DecisiveFact("site:pelvic", False, ("examine_patient", {"system": "pelvic"})),
        DecisiveFact(f"told:{load().finding_ids['Fever']}", False, ("ask_patient", {})),
    )
    world = open_world({"seed": 3, "condition": "pneumonia"})
    (text,) = (
        one["text"] for one in assertions(world, decision, [decision], (), treated=False)
        if one["check"] == "decided"
    )  # fmt: skip
    assert text.endswith("normal ecg and normal pelvic examination and no Fever.")
