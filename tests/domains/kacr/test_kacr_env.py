"""Walks: layers, exploration, selection, reward, end, options, tricks, and what a critic sees."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import gymnasium as gym
import pytest

from gym_clinic import ClinicEnv, embedded
from gym_clinic.domains.kacr.labels import DisciplineLabels
from gym_clinic.domains.kacr.oracle import reaches
from gym_clinic.domains.kacr.reading import read_step
from gym_clinic.domains.kacr.rules import WalkRules
from gym_clinic.domains.kacr.state import FEATURES, TEXT_WIDTH
from gym_clinic.domains.kacr.walk import WalkCase
from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts import load as load_facts
from gym_clinic.policies import load, play
from gym_clinic.retrieval.graph import BELONGS, RELATED, Node, Relation, SymptomGraph, save_graph
from gym_clinic.rewards import scale
from gym_clinic.simulate.told.kinds import overlaps
from gym_clinic.taskset import first

ID = "clinic/DisciplineGraph-v0"
TASKS = 20
VIGNETTES = json.loads(Path(__file__).with_name("vignettes.json").read_text(encoding="utf-8"))


def make(**options: Any) -> ClinicEnv:
    env = gym.make(ID, **{"split": "test", **options}).unwrapped
    assert isinstance(env, ClinicEnv)
    return env


def select(env: ClinicEnv, *names: str) -> Any:
    return env.step(env.dialect.write([("select_nodes", {"names": list(names)})]))


def shown(env: ClinicEnv) -> list[str]:
    """Return the names of the candidates of the open episode."""
    case = env.episode.case
    return [case.node(key).name for key in case.candidates]


def walk_of(question: str, **rules: Any) -> WalkCase:
    return WalkCase(Task("t", {}, {}, question), WalkRules(**rules))


def mean(env: ClinicEnv, policy: str, count: int = TASKS) -> float:
    maker = load(policy, env, {})
    played = (play(env, task, maker(seed), seed)
              for seed, task in enumerate(first(env.tasks, count)))  # fmt: skip
    return fmean(scale(outcome.reward, env.reward_range) for outcome in played)


@pytest.mark.parametrize("vignette", VIGNETTES, ids=lambda vignette: vignette["name"])
def test_vignettes(vignette: dict[str, Any]) -> None:
    """Mentions, the way to a disease, what the way back shows, and the discipline at its end."""
    case = walk_of(vignette["question"])
    names = [case.node(key).name for key in case.mentions]
    assert names == vignette["mentions"]
    case.select(vignette.get("only", names))
    diseases = [case.node(key).name for key in case.candidates]
    chosen = [name for name in vignette["select"] if name in diseases]
    assert chosen
    for expected in (chosen, vignette["right"], chosen):
        case.begin_message()
        assert {case.node(key).name for key in case.candidates} >= set(expected)
        case.select(expected)
    assert case.layer is not None
    assert case.layer.kind == "symptom"
    assert {case.node(key).name for key in case.candidates} >= set(vignette["back_shows"])


def test_layers_are_those_of_the_meta_path() -> None:
    kinds = "".join(layer.kind[1] for layer in WalkRules(iterations=3).layers)
    assert kinds == "yii" + "iyi" * 2
    assert [layer.via for layer in WalkRules(iterations=2).layers] == [
        None, "symptom", "disease", "discipline", "disease", "disease",
    ]  # fmt: skip
    for count in (1, 2, 5):
        layers = WalkRules(iterations=count).layers
        assert len(layers) == 3 * count
        assert [layer.kind for layer in layers].count("discipline") == count
        assert layers[-1].kind == "discipline"


def test_reward_is_paid_on_the_turns_that_choose_disciplines() -> None:
    env = make(disciplines=1)
    env.reset(options={"task_id": env.tasks[0].id})
    rewards, kinds = [], []
    for (call,) in env.domain.solve(env.tasks[0]):
        kinds.append(env.episode.case.layer.kind)
        _, reward, terminated, truncated, info = select(env, *call[1]["names"])
        rewards.append(reward)
    assert (terminated, truncated, info["stop"]) == (True, False, "last layer")
    assert rewards == [float(kind == "discipline") for kind in kinds]
    assert sum(rewards) == env.reward_range[1] == 3.0


def test_a_wrong_discipline_earns_nothing_and_a_later_right_one_its_turn() -> None:
    env = make(disciplines=1)
    task = env.tasks[0]
    right = {name.casefold() for name in task.gold["disciplines"]}
    env.reset(options={"task_id": task.id})
    rewards = []
    for place, (call,) in enumerate(env.domain.solve(task)):
        names = call[1]["names"]
        if place == 1:  # a disease of another discipline beside the right one
            names = [*names[:1], *shown(env)[:9]]
        if place == 2:
            names = [name for name in shown(env) if name.casefold() not in right][:1]
            assert names
        rewards.append(select(env, *names)[1])
    assert rewards[2] == 0.0
    assert sum(rewards) == 2.0


@pytest.mark.parametrize("disciplines", [1, 5])
@pytest.mark.parametrize("dialect", [None, "hermes"])
def test_oracle_earns_the_declared_maximum(disciplines: int, dialect: str | None) -> None:
    env = make(disciplines=disciplines, dialect=dialect)
    assert env.reward_range == (0.0, 3.0)
    maker = load("oracle", env, {})
    for task in first(env.tasks, 12):
        outcome = play(env, task, maker(0), 0)
        assert outcome.reward == 3.0
        assert outcome.info["success"]


def test_the_order_of_candidates_is_drawn_and_says_nothing() -> None:
    task = make().tasks[0]
    env, other = make(), make(order=1)
    for one in (env, other):
        one.reset(options={"task_id": task.id})
        select(one, *shown(one))
    assert shown(env) != shown(other)
    assert sorted(shown(env)) == sorted(shown(other)) or len(shown(env)) == 60
    env.reset(options={"task_id": task.id})
    again = shown(env)
    env.reset(options={"task_id": task.id})
    assert shown(env) == again
    places = [case.candidates.index(task.gold["condition"]) / len(case.candidates)
              for task in first(env.tasks, TASKS)
              for case in [after_symptoms(task)]
              if task.gold["condition"] in case.candidates]  # fmt: skip
    assert len(places) > TASKS / 2
    assert 0.3 < fmean(places) < 0.7


def after_symptoms(task: Task) -> WalkCase:
    case = WalkCase(task, WalkRules())
    case.select(list(case.candidates[:10]))
    return case


def test_exploration_is_capped_and_keeps_what_most_symptoms_share() -> None:
    question = "I have a fever, a cough, fatigue and a headache."
    small, large = walk_of(question, explored=5), walk_of(question, explored=500)
    for case in (small, large):
        case.select(list(case.candidates))
    graph = embedded.graph()
    shared = graph.beside(small.mentions, "disease")
    assert len(small.candidates) == 5
    assert set(large.candidates) == set(shared)
    least = min(shared[key] for key in small.candidates)
    left = [shared[key] for key in large.candidates if key not in small.candidates]
    assert max(left) <= least


def test_unknown_names_are_answered_with_the_nearest() -> None:
    env = make()
    env.reset(options={"task_id": env.tasks[0].id})
    known = shown(env)[0]
    observation, reward, *_ = select(env, known[:-1] + "x")
    assert f"did you mean {known!r}?" in observation
    assert (env.episode.case.turn, reward) == (0, 0.0)
    observation, *_ = select(env, known, "Nothing like it at all")
    assert "'Nothing like it at all' is no candidate" in observation
    assert env.episode.case.turn == 1
    assert env.episode.case.selected == [[env.episode.case.rules.open_graph().node(
        env.episode.case.mentions[[env.episode.case.node(k).name for k in
                                   env.episode.case.mentions].index(known)]).id]]  # fmt: skip


def test_selections_are_limited() -> None:
    env = make(nodes=2)
    task = next(task for task in env.tasks
                if len(WalkCase(task, WalkRules()).mentions) > 2)  # fmt: skip
    env.reset(options={"task_id": task.id})
    assert "select 1 to 2 symptoms, not 3" in select(env, *shown(env)[:3])[0]
    assert "select 1 to 2 symptoms, not 0" in select(env)[0]
    name = shown(env)[0]
    call = env.dialect.write([("select_nodes", {"names": [name]})] * 2)
    observation, *_ = env.step(call)
    assert "one selection a message" in observation
    assert env.episode.case.turn == 1
    observation, *_ = env.step("Cardiology, surely.")
    assert "Select candidates of this step with select_nodes" in observation


def test_refused_selections_use_up_the_messages() -> None:
    env = make()
    env.reset(seed=0)
    for _ in range(env.max_turns):
        *_, terminated, truncated, info = env.step("hello")
    assert (terminated, truncated, info["stop"]) == (False, True, "max_turns")
    assert info["metrics"]["steps"] == 0
    assert not info["success"]


def test_the_agent_may_go_back_to_what_it_left_out() -> None:
    """A disease of the subgraph stays a candidate on the way back, whatever its discipline."""
    env = make(disciplines=1)
    task = env.tasks[0]
    env.reset(options={"task_id": task.id})
    select(env, *shown(env)[:10])
    diseases = shown(env)[:10]
    select(env, *diseases)
    select(env, shown(env)[0])
    assert set(diseases) <= set(shown(env))


def test_text_holds_question_subgraph_and_candidates() -> None:
    env = make()
    _, info = env.reset(options={"task_id": env.tasks[0].id})
    text = info["messages"][-1]["content"]
    assert env.tasks[0].ticket in text
    assert "Node Sets:" in text
    assert "#Step 1 of 9: symptoms" in text
    step = read_step(text, "")
    assert step is not None
    assert list(step.candidates) == shown(env)
    assert (step.kind, step.most) == ("symptom", 10)
    for description, present in (("sets", "Node Sets:"), ("none", "not shown")):
        env = make(description=description)
        text = env.reset(seed=0)[1]["messages"][-1]["content"]
        assert present in text
        assert "Graph Structure Description" not in text


def test_info_graph_is_what_a_critic_reads() -> None:
    env = make(disciplines=1)
    task = env.tasks[0]
    _, info = env.reset(options={"task_id": task.id})
    states = [info["graph"]]
    for (call,) in env.domain.solve(task):
        states.append(select(env, *call[1]["names"])[-1]["graph"])
    assert [state["turns_left"] for state in states] == list(range(9, -1, -1))
    assert states[0]["pays"] == [2, 5, 8]
    assert states[-1]["pays"] == []
    for state in states:
        count = len(state["nodes"])
        assert {len(row) for row in state["nodes"]} == {FEATURES}
        assert len(state["text"]) == TEXT_WIDTH
        assert len(state["names"]) == len(state["kinds"]) == count
        assert set(state["edges"]) == {RELATED, BELONGS}
        for pairs in state["edges"].values():
            assert all(0 <= place < count for pair in pairs for place in pair)
            assert sorted(pairs) == sorted([second, first] for first, second in pairs)
    assert len(states[-1]["nodes"]) > len(states[0]["nodes"])
    assert task.gold["condition"] not in json.dumps(states[0])


def test_tricks_earn_little_and_rules_much_more() -> None:
    """The bars of step I, at K = 1, on a few tasks; a population test has all."""
    env = make(disciplines=1)
    rules = mean(env, "rules", TASKS)
    for name in ("select-all", "largest-disciplines"):
        earned = mean(env, name, TASKS)
        assert earned < 0.35, name
        assert earned < rules - 0.2, name


@pytest.mark.population
@pytest.mark.parametrize("split", ["dev", "test"])
def test_bars_of_step_one(split: str, some: Callable[[Sequence[Any]], Sequence[Any]]) -> None:
    env = make(split=split, disciplines=1)
    tasks = some(tuple(env.tasks))
    earned = {}
    for name in ("rules", "degree", *env.domain.adversaries):
        maker = load(name, env, {})
        earned[name] = fmean(play(env, task, maker(seed), seed).reward / 3
                             for seed, task in enumerate(tasks))  # fmt: skip
    for name in env.domain.adversaries:
        assert earned[name] < 0.35, earned
        assert earned[name] < earned["rules"] - 0.2, earned


@pytest.mark.population
@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_tasks_are_fair(split: str, some: Callable[[Sequence[Any]], Sequence[Any]]) -> None:
    """Each task names one to three known disciplines, no disease, and can be walked with K = 1."""
    facts = load_facts()
    tasks = some(tuple(make(split=split).tasks))
    names = {discipline.name for discipline in facts.disciplines.values()}
    for task in tasks:
        right = list(task.gold["disciplines"])
        assert 1 <= len(right) <= 3
        assert set(right) <= names
        assert not overlaps(facts.diseases[task.gold["condition"]], task.ticket), task.ticket
        assert reaches(task, WalkRules(disciplines=1)), task.id
    misleading = fmean(task.gold["misleading"] for task in tasks)
    assert 0.15 < misleading < 0.5, misleading


@pytest.mark.population
def test_no_question_of_test_is_one_of_train() -> None:
    env = make()
    findings, tickets = {}, {}
    for split in ("train", "test"):
        tasks = list(env.domain.split(split))
        findings[split] = {
            (task.gold["condition"], *sorted(task.gold["present"])) for task in tasks
        }
        tickets[split] = {task.ticket for task in tasks}
    assert not tickets["train"] & tickets["test"]
    # A few short lists of findings recur, in other words.
    assert len(findings["train"] & findings["test"]) < 0.05 * len(findings["test"])


def test_chance_is_listed_beside_the_baselines_at_more_disciplines() -> None:
    assert not make().domain.adversaries
    assert "select-all" in make().domain.baselines
    assert "select-all" in make(disciplines=1).domain.adversaries


def test_annotator_noise_changes_some_labels_and_stays_the_same() -> None:
    tasks = first(make().tasks, TASKS)
    plain, noisy = DisciplineLabels(WalkRules()), DisciplineLabels(WalkRules(), 0.6)
    changed = [task for task in tasks if noisy(task) != plain(task)]
    assert 0 < len(changed) < len(tasks)
    assert [noisy(task) for task in tasks] == [noisy(task) for task in tasks]
    assert all(noisy(task) for task in tasks)
    assert all(DisciplineLabels(WalkRules(), 0.0)(task) == plain(task) for task in tasks)


def own_graph(folder: Path) -> str:
    nodes = [
        Node("s1", "symptom", "Cough"), Node("s2", "symptom", "Fever"),
        Node("d1", "disease", "Chest cold"), Node("d2", "disease", "Summer flu"),
        Node("c1", "discipline", "Chest medicine"), Node("c2", "discipline", "Travel medicine"),
    ]  # fmt: skip
    relations = [
        Relation("s1", "finding_of", "d1"), Relation("s2", "finding_of", "d2"),
        Relation("d1", "treated_by", "c1"), Relation("d2", "treated_by", "c2"),
    ]  # fmt: skip
    save_graph(SymptomGraph.build(nodes, relations), folder / "graph.db")
    return str(folder / "graph.db")


def test_a_graph_of_ones_own_is_walked(tmp_path: Path) -> None:
    rules = WalkRules(graph=own_graph(tmp_path))
    task = Task("t", {}, {"disciplines": ["chest medicine"]}, "I have a cough.")
    assert DisciplineLabels(rules)(task) == {"c1"}
    case = WalkCase(task, rules)
    for name in ("Cough", "Chest cold", "Chest medicine"):
        case.begin_message()
        case.select([name])
    assert case.layer is not None
    assert [case.node(key).name for key in case.candidates] == ["Chest cold"]
    strange = Task("t", {}, {"disciplines": ["Chest medicin"]}, "I have a cough.")
    with pytest.raises(TaskError, match="did you mean 'chest medicine'"):
        DisciplineLabels(rules)(strange)
    with pytest.raises(TaskError, match="mentions no symptom"):
        WalkCase(Task("t", {}, {}, "Good morning."), rules)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"disciplines": 0}, "disciplines is a whole number from 1"),
        ({"nodes": 0}, "nodes is a whole number from 1"),
        ({"iterations": 0}, "iterations is a whole number from 1"),
        ({"explored": 0}, "explored is a whole number from 1"),
        ({"description": "ful"}, "did you mean 'full'"),
        ({"order": "x"}, "order is a whole number"),
        ({"annotator_noise": 2}, "annotator_noise is a number from 0 to 1"),
        ({"graph": "no/such/file"}, "no symptom graph"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        make(**options)


def test_a_walk_pickles_forks_and_copies() -> None:
    env = make()
    env.reset(seed=1)
    select(env, *shown(env)[:3])
    twin, fork = pickle.loads(pickle.dumps(env)), env.fork()
    assert shown(twin) == shown(fork) == shown(env)
    select(fork, shown(fork)[0])
    assert (fork.episode.case.turn, env.episode.case.turn) == (2, 1)
    assert copy.deepcopy(env.episode.case).candidates == env.episode.case.candidates


def test_paid_turns_are_checked() -> None:
    domain = make().domain
    with pytest.raises(ConfigError, match="paid_turns is a whole number from 1"):
        type(domain)(**{**domain.__dict__, "paid_turns": 0})
