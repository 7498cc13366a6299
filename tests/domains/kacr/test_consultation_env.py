"""Episodes of the consultation: roles, stages, rewards, flags, tricks, references."""

from __future__ import annotations

import copy
import json
import pickle
from statistics import fmean
from typing import Any

import gymnasium as gym
import pytest
from chat_server import ChatServer

from gym_clinic import ClinicEnv
from gym_clinic.domains.kacr.consulting.confidence import CriticAssessor
from gym_clinic.domains.kacr.consulting.reading import read_opinions, read_ticket
from gym_clinic.domains.kacr.consulting.setup import Setup
from gym_clinic.errors import ConfigError
from gym_clinic.policies import load, play
from gym_clinic.taskset import first

ID = "clinic/Consultation-v0"
TASKS = 40


def make(**options: Any) -> ClinicEnv:
    env = gym.make(ID, **{"split": "test", **options}).unwrapped
    assert isinstance(env, ClinicEnv)
    return env


def call(env: ClinicEnv, name: str, **arguments: Any) -> tuple[str, float, bool, dict[str, Any]]:
    observation, reward, terminated, _, info = env.step_calls(
        [{"id": "c", "name": name, "arguments": arguments}]
    )
    return observation, float(reward), terminated, info


def opinion(discipline: str, choice: str, **more: Any) -> dict[str, Any]:
    said = {"confidence": 0.6, "findings": [], "explanation": "For its reasons.", **more}
    return {"discipline": discipline, "choice": choice, **said}


def begin(env: ClinicEnv, place: int = 0) -> Any:
    env.reset(options={"task_id": env.tasks[place].id})
    return env.episode.task


def mean(env: ClinicEnv, policy: str, count: int = TASKS) -> float:
    maker = load(policy, env, {})
    played = (
        play(env, task, maker(seed), seed) for seed, task in enumerate(first(env.tasks, count))
    )
    return fmean(outcome.reward for outcome in played)


@pytest.mark.parametrize("role", ["agent", "debater", "all"])
def test_oracle_earns_everything_in_each_role(role: str) -> None:
    env = make(role=role)
    assert env.reward_range == (0.0, 1.0)
    for task in first(env.tasks, 12):
        outcome = play(env, task, load("oracle", env, {})(0), 0)
        assert (outcome.reward, outcome.info["success"]) == (1.0, True)


def test_rules_check_reasons_and_tricks_do_not() -> None:
    env = make()
    constant = mean(env, "first-option")
    assert mean(env, "rules") >= constant + 0.3
    assert mean(env, "rules") > mean(env, "believes-all")
    for name in env.domain.adversaries:  # 40 tasks: the population test is sharper
        assert mean(env, name) < 0.6, name


def test_debater_hears_the_first_diagnosis_and_a_round() -> None:
    env = make()
    task = begin(env)
    heard, _, _, _ = call(env, "hear_panel")
    spoken = read_opinions(heard)
    panel = list(task.record["panel"])
    assert [said.member for said in spoken] == panel * 2
    for said in spoken[: len(panel)]:
        recorded = task.record["opinions"][said.member]
        assert said.choice == recorded["choice"]
        assert said.confidence == recorded["confidence"]
        assert said.text == recorded["explanation"]
        assert list(said.findings) == list(recorded["findings"])
    assert f"Calibrate the answers of: {', '.join(panel)}\n" in heard


def test_debater_that_revises_all_makes_it_unanimous() -> None:
    env = make()
    task = begin(env)
    answer, panel = task.gold["answer"], task.record["panel"]
    for member in panel[:-1]:
        said, reward, over, _ = call(
            env, "calibrate_answer", discipline=member, choice=answer, explanation="See."
        )
        assert (reward, over) == (0, False)
    assert (
        said.endswith(f"Calibrate the answers of: {panel[-1]}\n</tool_response>")
        or panel[-1] in said
    )
    said, reward, over, info = call(
        env, "calibrate_answer", discipline=panel[-1], choice=answer, explanation="See."
    )
    assert (reward, over, info["stop"]) == (1.0, True, "consensus")
    assert f"The consultation is over: {answer} (unanimous)." in said
    assert info["metrics"]["unanimous"] == 1
    assert info["metrics"]["rounds"] == 2


def test_vote_weighs_answers_after_the_debate_by_confidence_before() -> None:
    env = make(rounds=1)
    task = begin(env)
    heard = read_opinions(call(env, "hear_panel")[0])
    panel = list(task.record["panel"])
    before = {said.member: said.confidence for said in heard[len(panel) :]}
    sure = max(panel, key=lambda member: before[member])
    letters = list(task.record["options"])
    for member in panel:
        choice = letters[1] if member == sure else letters[0]
        _, _, over, info = call(
            env, "calibrate_answer", discipline=member, choice=choice, explanation="See."
        )
    assert (over, info["stop"]) == (True, "last round")
    result = env.episode.case.result()
    others = sum(before[member] for member in panel if member != sure)
    assert result.scores == pytest.approx({letters[1]: before[sure], letters[0]: others})


def test_agent_speaks_first_without_hearing_the_others() -> None:
    env = make(role="agent")
    task = begin(env)
    seat = task.record["seat"]
    heard, _, _, _ = call(env, "hear_panel")
    assert read_opinions(heard) == []
    assert f"give the opinions of: {seat}\n" in heard
    wrong = next(letter for letter in task.record["options"] if letter != task.gold["answer"])
    heard, _, _, _ = call(env, "give_opinion", **opinion(seat, wrong))
    assert len(read_opinions(heard)) == len(task.record["panel"])
    _, reward, over, info = call(env, "submit_diagnosis", choice=task.gold["answer"])
    assert over
    assert info["rewards"]["own"] == 1
    assert reward == 0.5 + 0.5 * info["rewards"]["panel"]


def test_a_good_argument_moves_open_members_and_a_bare_claim_does_not() -> None:
    moved = {"argued": 0, "claimed": 0}
    env = make(role="agent")
    for place in range(16):
        for kind in moved:
            task = begin(env, place)
            findings = list(task.gold["findings"]) if kind == "argued" else []
            said = opinion(task.record["seat"], task.gold["answer"], findings=findings)
            call(env, "give_opinion", **said)
            heard, _, _, _ = call(env, "give_opinion", **said)
            right = [one for one in read_opinions(heard) if one.choice == task.gold["answer"]]
            moved[kind] += len(right)
    assert moved["argued"] >= moved["claimed"] + 8


def test_all_plays_everyone() -> None:
    env = make(role="all")
    task = begin(env)
    panel, answer = task.record["panel"], task.gold["answer"]
    letters = [letter for letter in task.record["options"] if letter != answer]
    for place, member in enumerate(panel):
        _, _, over, _ = call(env, "give_opinion", **opinion(member, letters[place % 2]))
    for member in panel:
        _, _, over, _ = call(env, "give_opinion", **opinion(member, letters[0]))
    assert not over  # they agree, but the debater has not spoken
    for member in panel:
        _, reward, over, info = call(
            env, "calibrate_answer", discipline=member, choice=answer, explanation="See."
        )
    assert (reward, over, info["stop"]) == (1.0, True, "consensus")


def test_agreement_before_any_discussion_ends_it() -> None:
    env = make(role="all")
    task = begin(env)
    for member in task.record["panel"]:
        _, reward, over, info = call(env, "give_opinion", **opinion(member, task.gold["answer"]))
    assert (reward, over, info["metrics"]["rounds"]) == (1.0, True, 1)


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("submit_diagnosis", {"choice": "E"}, "no option 'E'; choose from A, B, C, D"),
        ("calibrate_answer", {"discipline": "alchemy", "choice": "A", "explanation": "x"},
         "no member 'alchemy'"),
        ("read_references", {"options": ["Z"]}, "no option 'Z'"),
    ],
)  # fmt: skip
def test_mistakes_are_explained(name: str, arguments: dict[str, Any], says: str) -> None:
    env = make()
    begin(env)
    observation, reward, over, _ = call(env, name, **arguments)
    assert says in observation
    assert (reward, over) == (0, False)


def test_speaking_out_of_turn_is_explained() -> None:
    env = make(role="all")
    task = begin(env)
    member = task.record["panel"][0]
    said, *_ = call(env, "calibrate_answer", discipline=member, choice="A", explanation="x")
    assert "this is the stage of give_opinion" in said
    call(env, "give_opinion", **opinion(member, "A"))
    said, *_ = call(env, "give_opinion", **opinion(member, "B"))
    assert f"{member} is not yours to answer now" in said
    said, *_ = call(env, "give_opinion", **opinion(task.record["panel"][1], "B", confidence=2))
    assert "confidence is a number from 0 to 1, not 2" in said


def test_flags_of_the_ablations() -> None:
    assert "read_references" not in make(graph=False).toolbox.schemas().__repr__()
    env = make(k=2)
    begin(env)
    assert len(read_ticket(env.reset(options={"task_id": env.tasks[0].id})[0]).fields) == 2
    paths = {}
    for reasoning in (1, 3):
        env = make(reasoning=reasoning)
        begin(env)
        paths[reasoning] = call(env, "read_references", options=["A", "B", "C", "D"])[0]
    assert len(paths[1]) < len(paths[3])
    env = make(confidence=None)
    task = begin(env)
    heard = read_opinions(call(env, "hear_panel")[0])
    assert {said.confidence for said in heard} == {1.0}
    assert len(heard) == 2 * len(task.record["panel"])


def test_a_critic_gives_the_confidence() -> None:
    seen: list[tuple[int, str, str]] = []

    class Critic:
        def confidence(
            self, graph: Any, question: str, answer: str = "", rationale: str = ""
        ) -> float:
            seen.append((len(graph["nodes"]), answer, rationale))
            return 0.25

    env = make()
    task = env.tasks[0]
    setup = Setup("debater", confidence=CriticAssessor(Critic()))
    case = env.domain.open_case(task)
    talk = setup.open(case)
    assert {said.confidence for said in talk.rounds[0].opinions} == {0.25}
    assert seen[0][1] in task.record["options"].values()
    assert max(size for size, *_ in seen) > 5
    with pytest.raises(ConfigError, match="use it with graph=True"):
        Setup("debater", confidence=CriticAssessor(Critic()), graph=False).open(case)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"role": "chair"}, "no role 'chair'"),
        ({"confidence": "high"}, r"confidence is 'self', None or \{'critic': path\}"),
        ({"graph": 1}, "graph is true or false"),
        ({"rounds": 0}, "rounds is a whole number from 1"),
        ({"k": 0}, "k is a whole number from 1"),
        ({"members": "rules"}, "consultant must be 'recorded'"),
        ({"debater": {"kind": "chat", "api_key": "x"}}, "api_key"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        make(**options)


def test_chat_members_are_asked_with_the_prompts(chat_server: ChatServer) -> None:
    env = make(members={"kind": "chat", "url": chat_server.url, "model": "tiny"}, k=2, rounds=1)
    reply = {"choice": "A", "confidence": 0.5, "findings": ["Fever"], "explanation": "So."}
    other = {**reply, "choice": "B"}
    chat_server.script = [chat_server.answer(json.dumps(one)) for one in (reply, other) * 2]
    task = begin(env)
    heard, _, _, _ = call(env, "hear_panel")
    assert [said.choice for said in read_opinions(heard)] == ["A", "B", "A", "B"]
    first_prompt = chat_server.requests[0]["messages"][-1]["content"]
    assert task.record["question"] in first_prompt
    later_prompt = chat_server.requests[2]["messages"][-1]["content"]
    assert "The panel's answer for now: A" in later_prompt
    assert env.episode.case.usage["replies"] == 4


def test_copies_and_pickles_go_their_own_way() -> None:
    env = make()
    task = begin(env)
    call(env, "hear_panel")
    fork, twin = env.fork(), pickle.loads(pickle.dumps(env))
    member = task.record["panel"][0]
    revised = {"discipline": member, "choice": "A", "explanation": "x"}
    expected = call(env, "calibrate_answer", **revised)[0]
    assert call(twin, "calibrate_answer", **revised)[0] == expected
    assert call(fork, "calibrate_answer", **revised)[0] == expected
    assert copy.deepcopy(env.episode.case)["talk"].debated.keys() == {member}


def test_metrics_hold_the_reliability_curve() -> None:
    env = make()
    maker = load("rules", env, {})
    outcomes = [play(env, task, maker(0), 0) for task in first(env.tasks, 10)]
    figures = env.domain.aggregate([(one.episode.task, one.info["metrics"]) for one in outcomes])
    assert 0 < figures["calibration_error"] < 1
    shares = [value for name, value in figures.items() if name.startswith("stated_at")]
    assert sum(shares) == pytest.approx(1)
    assert not any(name.startswith("bin_") for name in figures)


def test_debrief_draws_the_discussion() -> None:
    env = make()
    outcome = play(env, env.tasks[0], load("oracle", env, {})(0), 0)
    assert env.domain.explain is not None
    discussion, seen, gold = env.domain.explain(outcome.episode)
    assert len(discussion.rows) >= 1 + len(outcome.episode.task.record["panel"])
    assert discussion.rows[-1][1] == "vote"
    assert {row[2] for row in seen.rows} <= {"sound", "denied", "outside", "misread"}
    assert gold.rows[0][0].startswith(outcome.episode.task.gold["answer"])
