"""Tasks of triage: levels, reference plans, twins, and what cheap play earns."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from triage_judged import env, held, made, made_of, moves_of

from gym_clinic.chart.results import VITALS, measure_vitals
from gym_clinic.clinical import TaskDraft, open_world
from gym_clinic.clinical.tasks import seed_of, task_of
from gym_clinic.domains.triage_emergency.activations import pathway_named
from gym_clinic.domains.triage_emergency.acuity import acuity
from gym_clinic.domains.triage_emergency.complaints import flags_of
from gym_clinic.domains.triage_emergency.judging import JUDGE, alarming
from gym_clinic.domains.triage_emergency.questions import told_first
from gym_clinic.domains.triage_emergency.settings import solution
from gym_clinic.domains.triage_emergency.tasks import (
    LEVELS,
    SPEC,
    condition_of,
    is_clear,
    make_task,
    pools,
)
from gym_clinic.domains.triage_emergency.tools import make_tools
from gym_clinic.domains.triage_emergency.twins import PULSE_LIMITS, make_twin
from gym_clinic.domains.triage_emergency.world import Department, TriageCase
from gym_clinic.facts import load as load_facts
from gym_clinic.policies import play
from gym_clinic.policies.moves import scripted
from gym_clinic.simulate.clinic import Sample, draw_patient
from gym_clinic.toolbox import Kind


@pytest.mark.parametrize("label", LEVELS)
def test_a_task_is_of_its_level_and_its_plan_earns_everything(label: str) -> None:
    one = made(label)
    assert one.gold["answer"]["level"] == int(label)
    task = task_of(SPEC, one)
    moves = [env().dialect.write(move) for move in solution(task) if not isinstance(move, str)]
    done = play(env(), task, scripted(moves))
    assert done.reward == pytest.approx(1.0)
    assert done.info["metrics"]["accuracy"] == 1


def test_no_task_turns_on_the_error_of_one_measurement() -> None:
    """A pulse at the limit of the danger zone is left out; one that is far from it is drawn."""

    def clear(record: Mapping[str, Any], above: float) -> bool:
        patient = open_world(record).patient
        limit = next(pulse for age, pulse in PULSE_LIMITS if patient.person.age >= age)
        add = round(limit + above - patient.state(0)["hr"], 1)
        edit = {"kind": "measurement", "measurement": "hr", "add": add}
        moved = open_world({**record, "edit": [edit]}).patient
        return is_clear(moved, Department(**record["department"]))

    drafts = (TaskDraft("3", seed_of("train", number), "train") for number in range(60))
    records = (one.record for one in map(make_task, drafts) if one is not None)
    # Of a patient whose other vital signs leave room on both sides.
    record = next(one for one in records if clear(one, -15) and clear(one, 15))
    assert not clear(record, -1)
    assert not clear(record, 1)


def test_pools_name_conditions_that_bring_patients() -> None:
    conditions = load_facts().conditions
    assert tuple(pools()) == LEVELS
    for listed in pools().values():
        assert all(conditions[one].role != "background" for one in listed)
        assert len(listed) == len(set(listed))


def test_half_of_the_urgent_drafts_have_a_protocol() -> None:
    drawn = [condition_of("2", seed)[1] for seed in range(200)]
    assert 90 < sum(one is not None for one in drawn) < 150
    assert all(condition_of("4", seed)[1] is None for seed in range(20))


@pytest.mark.parametrize("label", ["1", "3"])
def test_a_neutral_twin_keeps_the_answer(label: str) -> None:
    one = made(label)
    edits = next(
        found for seed in range(9) if (found := make_twin(one, "neutral", Random(seed)))
        and found[0]["kind"] == "name"
    )  # fmt: skip
    twin = make_task(TaskDraft(label, one.record["seed"], "train", edits))
    assert twin is not None
    assert twin.gold["answer"] == one.gold["answer"]
    assert twin.ticket != one.ticket


def test_a_pulse_in_the_danger_zone_turns_level_three() -> None:
    drafts = (TaskDraft("3", seed_of("dev", number), "dev") for number in range(60))
    for draft in drafts:
        one = make_task(draft)
        edits = one and make_twin(one, "turns", Random(1))
        twin = edits and make_task(draft._replace(edit=edits))
        if one and twin:
            assert twin.gold["answer"]["level"] < 3
            return
    raise AssertionError("no twin in 60 drafts")


def test_the_case_has_a_department_and_no_triage_note() -> None:
    case = TriageCase(made("2").record)
    kinds = {one["kind"] for one in case["documents"].values()}
    assert "triage" not in kinds
    assert case.department.waiting >= 0


def test_the_tools_are_as_many_as_the_paper_has() -> None:
    kinds = [one.kind for one in make_tools()]
    assert kinds.count(Kind.READ) >= 16
    assert kinds.count(Kind.WRITE) >= 3
    assert kinds.count(Kind.SUBMIT) == kinds.count(Kind.THINK) == 1


def test_protocols_are_known_by_id_name_and_pathway() -> None:
    assert pathway_named("STEMI") == pathway_named("cath_lab") == "stemi"
    assert pathway_named("Acute stroke") == "stroke"
    assert pathway_named("") == pathway_named("none") == "none"
    assert pathway_named("everything") is None
    assert sum(JUDGE.weights.values()) == 1


@pytest.mark.parametrize("label", LEVELS)
def test_measured_vital_signs_lead_to_the_same_level(label: str) -> None:
    one = made(label)
    case = TriageCase(one.record)
    case.spend(2, seen=True)
    row = measure_vitals(case)
    measured = {name: float(row[name]) for name in VITALS if name in row}
    assert acuity(case.patient, measured).level == one.gold["answer"]["level"]
    failing = {**measured, "spo2": 84.0}
    assert acuity(case.patient, failing).level == 1


def test_gold_levels_agree_with_the_patient_of_the_record() -> None:
    one = made("2")
    assert acuity(TriageCase(one.record).patient).level == 2


def test_texts_of_assertions_and_the_plan_name_findings_and_no_codes() -> None:
    for label in LEVELS:
        one = made(label)
        (submitted,) = solution(task_of(SPEC, one))[-1]
        names = [each["finding"] for each in submitted[1]["cited_findings"]]
        texts = [each["text"] for each in one.gold["assertions"]]
        assert not [text for text in (*names, *texts) if "HP:" in text or "told:" in text]


def test_what_must_be_read_holds_red_flags_of_the_complaint() -> None:
    for label in ("2", "3", "4"):
        one = made(label)
        case = TriageCase(one.record)
        facts = case.patient.facts
        flags = {
            facts.finding_ids[name]
            for name in flags_of(facts, told_first(case), case.patient.person.age).findings
        }
        asked = {key.removeprefix("told:") for key in one.gold["read"] if key.startswith("told:")}
        assert len(asked & flags) >= 2


def test_a_denied_overdose_or_a_general_examination_is_no_knowledge_of_a_poison() -> None:
    one = made_of("opioid-overdose", "1")
    plan = moves_of(one)
    text = next(each["text"] for each in one.gold["assertions"] if each["check"] == "activated_by")
    assert held(one, plan)[text]
    known = ("examine_patient", "ask_patient", "read_document", "read_results")
    activation: tuple[str, dict[str, object]] = ("activate_pathway", {"pathway": "poisoning"})
    others = [[call for call in move if call[0] not in known and call != activation]
              for move in plan]  # fmt: skip

    def after(*calls: tuple[str, dict[str, object]]) -> bool:
        return held(one, [[*calls], [activation], *others])[text]

    assert after(("examine_patient", {"system": "eyes"}))
    assert not after(("examine_patient", {"system": "general"}))
    assert not after(("ask_patient", {"question": "Do you have fever or chest pain?"}))


def test_naloxone_is_due_in_a_drowsy_patient_who_breathes_slowly() -> None:
    for condition, label in (("opioid-overdose", "1"),):
        one = made_of(condition, label)
        due = {drug for each in one.gold["assertions"] if each["check"] == "done_by"
               for some in each["orders"] for drug in some}  # fmt: skip
        assert "naloxone" in due
        assert "site:eyes" in one.gold["read"]


def test_carboxyhaemoglobin_is_measured_where_smoke_was_breathed() -> None:
    one = made_of("carbon-monoxide-poisoning", "2")
    assert {"name": "order_lab", "arguments": {"test": "cohb"}} in one.gold["expected"]


def test_a_poor_trace_of_the_oximeter_is_measured_again_and_the_repeat_decides() -> None:
    drafts = (TaskDraft("4", seed_of("train", number), "train") for number in range(400))
    poor = (one for one in drafts if is_poor(one.seed, "cushing-syndrome"))
    one = next(
        found for draft in poor if (found := make_task(draft, "cushing-syndrome")) is not None
    )
    measured = [call for move in moves_of(one) for call in move if call[0] == "measure_vital_signs"]
    assert len(measured) == 2
    assert "doubtful measurement" in one.gold["difficulty"]
    case = TriageCase(one.record)
    case.spend(2, seen=True)
    first, second = measure_vitals(case)["spo2"], measure_vitals(case)["spo2"]
    assert first < second - 3
    assert not alarming(case, "vital:spo2")


def is_poor(seed: int, condition: str) -> bool:
    """Whether the first reading of the oximeter is an artefact."""
    patient = draw_patient(seed, condition)
    return Sample(patient, 2).reading("spo2").fault is not None and acuity(patient).level == 4


@pytest.mark.slow
@pytest.mark.parametrize("label", ["4", "5"])
def test_a_vital_sign_in_the_danger_zone_reassures_nobody(label: str) -> None:
    drafts = (TaskDraft(label, seed_of("train", number), "train") for number in range(400))
    made_ones = [one for one in map(make_task, drafts) if one is not None]
    fast = [one for one in made_ones if one.gold["reasons"]["danger zone"]]
    assert fast
    for one in fast:
        normal = {cite["finding"] for cite in one.gold["cite"] if not cite["present"]}
        assert not normal & {f"vital:{sign}" for sign in one.gold["reasons"]["danger zone"]}
