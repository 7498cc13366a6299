"""How triage is judged: the level, the protocol, orders in time, and what a decision rests on."""

from __future__ import annotations

import pytest
from triage_judged import env, held, judged, made, made_of, moves_of

from gym_clinic.clinical import JudgedEpisode, MadeTask, TaskDraft
from gym_clinic.clinical.tasks import seed_of, task_of
from gym_clinic.domains.triage_emergency.judging import JUDGE
from gym_clinic.domains.triage_emergency.tasks import (
    SPEC,
    make_task,
)
from gym_clinic.domains.triage_emergency.world import TriageCase
from gym_clinic.episode import Episode
from gym_clinic.policies import play
from gym_clinic.policies.moves import scripted


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


def why_three(one: MadeTask) -> str:
    resources = one.gold["reasons"]["resources"]
    return f"two resources{' or more' * (len(resources) > 2)}: {', '.join(resources)}"


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


@pytest.mark.parametrize("label", ["1", "2", "3", "5"])
def test_a_decision_rests_on_any_of_several_reasons_and_not_on_what_is_normal(label: str) -> None:
    one = made(label)
    (stated,) = [each for each in one.gold["assertions"] if each["check"] == "rests_on"]
    assert all(judged(one, moves_of(one), [reason]).held(stated) for reason in stated["any"])
    assert not judged(one, moves_of(one), [{"finding": "vital:rr", "present": False}]).held(stated)
    wrong = [{**reason, "present": not reason["present"]} for reason in stated["any"]]
    assert not judged(one, moves_of(one), wrong).held(stated)
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
