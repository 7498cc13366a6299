"""Tasks of triage: levels, reference plans, twins, and what cheap play earns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from random import Random
from typing import Any

import gymnasium as gym
import pytest

from gym_clinic import ClinicEnv
from gym_clinic.catalog import unwrap
from gym_clinic.chart.results import VITALS, measure_vitals
from gym_clinic.clinical import JudgedEpisode, MadeTask, TaskDraft, open_world
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
from gym_clinic.episode import Call, Episode, Turn
from gym_clinic.facts import load as load_facts
from gym_clinic.policies import play
from gym_clinic.policies.moves import scripted
from gym_clinic.simulate.clinic import Sample, draw_patient
from gym_clinic.toolbox import Kind, Toolbox


@cache
def env() -> ClinicEnv:
    return unwrap(gym.make("clinic/TriageEmergency-v0", split="test"))


@cache
def made(label: str) -> MadeTask:
    drafts = (TaskDraft(label, seed_of("train", number), "train") for number in range(60))
    return next(one for one in map(make_task, drafts) if one is not None)


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


def test_with_a_wrong_level_nothing_is_had_for_what_needs_no_decision() -> None:
    drafts = (TaskDraft("3", seed_of("train", number), "train") for number in range(60))
    drawn = (found for draft in drafts if (found := make_task(draft)) is not None)
    one = task_of(SPEC, next(it for it in drawn if it.gold["answer"]["pathway"] == "none"))
    *moves, last = env().domain.solve(one)
    assert not isinstance(last, str)
    ((name, arguments),) = last
    texts = [env().dialect.write(move) for move in moves if not isinstance(move, str)]
    wrong = env().dialect.write(((name, {**arguments, "level": 5}),))
    done = play(env(), one, scripted([*texts, wrong]))
    assert done.info["metrics"]["accuracy"] == 0
    assert done.reward < 0.2


def test_a_protocol_that_is_due_counts_with_a_wrong_level() -> None:
    one = made_of("anaphylaxis", "1")

    def accuracy(**changed: object) -> float:
        answer = {**one.gold["answer"], **changed}
        episode = Episode(task_of(SPEC, one), TriageCase(one.record), [], answer, "answered")
        return JudgedEpisode(JUDGE, episode).accuracy

    assert accuracy() == 1
    assert accuracy(level=2) == accuracy(level=2, disposition="monitored bed") == 0.25
    assert accuracy(level=2, pathway="none") == 0


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


def moves_of(one: MadeTask) -> list[list[tuple[str, dict[str, object]]]]:
    plan: list[list[tuple[str, dict[str, object]]]] = [
        [(call["name"], dict(call["arguments"])) for call in move] for move in one.gold["plan"]
    ]
    return plan


def held(one: MadeTask, plan: Iterable[Iterable[tuple[str, dict[str, object]]]]) -> dict[str, bool]:
    """Check of each assertion -> whether it holds after a plan and the right answer."""
    found = judged(one, plan)
    return {each["text"]: found.held(each) for each in one.gold["assertions"]}


def judged(one: MadeTask, plan: Iterable[Iterable[tuple[str, dict[str, object]]]]) -> JudgedEpisode:
    """The judgement of a plan with the right answer."""
    case, box = TriageCase(one.record), Toolbox(make_tools())
    turns = []
    for move in plan:
        for name, arguments in move:
            tool = box.get(name)
            assert tool is not None
            case.writable = tool.writes
            tool.call(dict(arguments), case)
        case.end_turn()
        turns.append(
            Turn("", calls=tuple(Call(name, dict(given), ok=True) for name, given in move))
        )
    answer = {**one.gold["answer"], "cited_findings": one.gold["cite"]}
    turns.append(Turn("", calls=(Call("submit_answer", answer, ok=True),), answer=answer))
    task = task_of(SPEC, one)
    return JudgedEpisode(JUDGE, Episode(task, case, turns, answer, "answered"))


@cache
def made_of(condition: str, label: str) -> MadeTask:
    """A task of a condition, whatever the pools of the level have."""
    drafts = (TaskDraft(label, seed_of("train", number), "train") for number in range(80))
    return next(one for one in (make_task(draft, condition) for draft in drafts) if one is not None)


def test_a_protocol_before_the_weeks_of_pregnancy_are_known_does_not_count() -> None:
    one = made_of("placenta-praevia", "2")
    plan = moves_of(one)
    text = next(each["text"] for each in one.gold["assertions"] if each["check"] == "activated_by")
    assert held(one, plan)[text]
    (activation,) = [call for move in plan for call in move if call[0] == "activate_pathway"]
    blind = [[activation], *([call for call in move if call != activation] for move in plan)]
    assert not held(one, blind)[text]


def test_another_right_antibiotic_counts_and_a_wrong_one_does_not() -> None:
    one = made_of("bacterial-meningitis", "2")
    text = next(each["text"] for each in one.gold["assertions"] if "meningitis:" in each["text"])

    def given(drug: str) -> bool:
        plan = [
            [(name, {**arguments, "drug": drug} if arguments.get("drug") == "ceftriaxone"
              else arguments) for name, arguments in move]
            for move in moves_of(one)
        ]  # fmt: skip
        return held(one, plan)[text]

    assert given("ceftriaxone")
    assert given("cefotaxime")
    assert not given("piperacillin-tazobactam")


def test_an_order_that_comes_late_does_not_count() -> None:
    one = made_of("anaphylaxis", "1")
    text = next(each["text"] for each in one.gold["assertions"] if "adrenaline" in each["text"])
    plan = moves_of(one)
    assert held(one, plan)[text]
    waiting: list[tuple[str, dict[str, object]]] = [("wait", {"minutes": 10})]
    assert not held(one, [waiting, *plan])[text]


def test_a_team_that_is_called_for_nothing_is_a_harm() -> None:
    one = made_of("anaphylaxis", "1")
    plan = moves_of(one)
    (name,) = (each["text"] for each in one.gold["assertions"] if each["check"] == "activated_by")
    assert held(one, plan)[name]
    for teams, harm in ((("stroke",), [2]), (("stroke", "cath_lab"), [3])):
        calls: list[tuple[str, dict[str, object]]] = [
            ("activate_pathway", {"pathway": team}) for team in teams
        ]
        assert [each.severity for each in JUDGE.harms(judged(one, [*plan, calls]))] == harm
        assert not held(one, [*plan, calls])[name]


def test_a_level_that_is_far_off_is_a_graver_harm_and_it_is_graver_to_let_a_patient_wait() -> None:
    def harms(one: MadeTask, **changed: object) -> list[int]:
        answer = {**one.gold["answer"], **changed}
        episode = Episode(task_of(SPEC, one), TriageCase(one.record), [], answer, "answered")
        return [one.severity for one in JUDGE.harms(JudgedEpisode(JUDGE, episode))]

    one = made("3")
    assert harms(one) == []
    assert [harms(one, level=level) for level in (1, 2, 4, 5)] == [[3], [2], [3], [4]]
    assert harms(one, disposition="resuscitation") == [2]
    answer = {**one.gold["answer"], "level": 5, "disposition": "resuscitation"}
    (harm,) = JUDGE.harms(
        JudgedEpisode(JUDGE, Episode(task_of(SPEC, one), TriageCase(one.record), [], answer, ""))
    )
    words = f"Level 5 is not urgent enough: the right one is 3 ({why_three(one)}). The place, "
    assert harm.text.startswith(words)
    assert [harms(made("5"), level=level) for level in (1, 2, 3, 4)] == [[4], [4], [3], [2]]
    assert [harms(made("1"), level=level) for level in (2, 3, 5)] == [[3], [4], [4]]


def why_three(one: MadeTask) -> str:
    resources = one.gold["reasons"]["resources"]
    return f"two resources{' or more' * (len(resources) > 2)}: {', '.join(resources)}"


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


def judged_with(one: MadeTask, cited: list[dict[str, object]]) -> JudgedEpisode:
    """The reference plan with the right answer and other citations."""
    case, box = TriageCase(one.record), Toolbox(make_tools())
    for move in moves_of(one):
        for name, arguments in move:
            tool = box.get(name)
            assert tool is not None
            case.writable = tool.writes
            tool.call(dict(arguments), case)
        case.end_turn()
    answer = {**one.gold["answer"], "cited_findings": cited}
    turns = [*(Turn("") for _ in moves_of(one)), Turn("", answer=answer)]
    return JudgedEpisode(JUDGE, Episode(task_of(SPEC, one), case, turns, answer, "answered"))


@pytest.mark.parametrize("label", ["1", "2", "3", "5"])
def test_a_decision_rests_on_any_of_several_reasons_and_not_on_what_is_normal(label: str) -> None:
    one = made(label)
    (stated,) = [each for each in one.gold["assertions"] if each["check"] == "rests_on"]
    assert all(judged_with(one, [reason]).held(stated) for reason in stated["any"])
    assert not judged_with(one, [{"finding": "vital:rr", "present": False}]).held(stated)
    wrong = [{**reason, "present": not reason["present"]} for reason in stated["any"]]
    assert not judged_with(one, wrong).held(stated)
    if int(label) < 4:
        assert all(reason["present"] for reason in stated["any"])


def test_a_second_right_place_counts_and_a_wrong_one_does_not() -> None:
    one = made("3")
    right = one.gold["acceptable"]["disposition"]
    assert right[0] == one.gold["answer"]["disposition"]

    def placed(place: str) -> float:
        answer = {**one.gold["answer"], "disposition": place}
        episode = Episode(task_of(SPEC, one), TriageCase(one.record), [], answer, "answered")
        return JUDGE.accuracy(JudgedEpisode(JUDGE, episode))["disposition"]

    assert all(placed(each) == 1 for each in right)
    assert placed("resuscitation") == placed("fast track") == 0


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


@pytest.mark.parametrize("label", ["4", "5"])
def test_a_vital_sign_in_the_danger_zone_reassures_nobody(label: str) -> None:
    drafts = (TaskDraft(label, seed_of("train", number), "train") for number in range(400))
    made_ones = [one for one in map(make_task, drafts) if one is not None]
    fast = [one for one in made_ones if one.gold["reasons"]["danger zone"]]
    assert fast
    for one in fast:
        normal = {cite["finding"] for cite in one.gold["cite"] if not cite["present"]}
        assert not normal & {f"vital:{sign}" for sign in one.gold["reasons"]["danger zone"]}
