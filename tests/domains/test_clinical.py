"""What holds for every clinical domain that ships: tasks, gates, audit, and what policies earn."""

from __future__ import annotations

import hashlib
import importlib
import itertools
import json
import pkgutil
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from statistics import fmean
from typing import Any

import gymnasium as gym
import pytest
from ceilings import PLAYERS

from gym_clinic import ClinicEnv, Task
from gym_clinic.catalog import unwrap
from gym_clinic.clinical.adversaries import ADVERSARIES, READERS
from gym_clinic.clinical.audit import audit, repeated_notes
from gym_clinic.clinical.gates import GateContext, problems
from gym_clinic.clinical.tasks import SIZES, TWINS, DomainSpec, generate, spec_of
from gym_clinic.paths import tasks_dir
from gym_clinic.policies import TRAINED, adversaries_of, load, play
from gym_clinic.policies.fitted.reading import (
    TicketModel,
    before_answer,
    borrowed_calls,
    constants,
    replaced,
    reward_of,
)
from gym_clinic.policies.moves import Playbook
from gym_clinic.rewards import scale
from gym_clinic.simulate.split import Split
from gym_clinic.taskset import first
from gym_clinic.toolbox import Kind
from kb.build.pages.domain import clinical_ids

ID_OF = clinical_ids()
NAMES = list(ID_OF)
SPLITS: tuple[Split, ...] = ("train", "dev", "test")
BELOW, MOST, RULES, AHEAD = 0.2, 0.35, 0.75, 0.15
"""What adversaries lie below the rules at least, the most that they and the rules earn, and what
the findings are worth beyond a constant answer."""

pytestmark = pytest.mark.population

Some = Callable[[Sequence[Task]], Sequence[Task]]


@cache
def env_of(name: str, split: str = "test") -> ClinicEnv:
    return unwrap(gym.make(ID_OF[name], split=split))


def tasks_of(name: str, split: str) -> list[Task]:
    return first(env_of(name).domain.split(split))


def judge_of(name: str) -> Any:
    """The judge of a domain, from the module of its folder that has it."""
    room = importlib.import_module(f"gym_clinic.domains.{name}")
    for one in pkgutil.iter_modules(room.__path__):
        if one.name in ("judge", "judging", "rewards"):
            return importlib.import_module(f"{room.__name__}.{one.name}").JUDGE
    raise AssertionError(f"{name} has no judge")


def mean(env: ClinicEnv, maker: Any, tasks: Sequence[Task]) -> float:
    """The scaled mean; task n is played with seed n."""
    earned = (play(env, task, maker(seed), seed).reward for seed, task in enumerate(tasks))
    return fmean(scale(reward, env.reward_range) for reward in earned)


@pytest.fixture
def whole(request: pytest.FixtureRequest) -> bool:
    """Whether whole populations are looked at; else a test takes few tasks, or none."""
    return bool(request.config.getoption("--whole"))


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("name", NAMES)
def test_the_files_are_what_the_generator_makes(name: str, split: Split, whole: bool) -> None:
    spec: DomainSpec = spec_of(name)
    shipped = tasks_of(name, split)
    assert len(shipped) == SIZES[split]
    count = 12 if whole else 1  # the others follow in the same way
    if not whole and split != "dev":
        pytest.skip("made anew with --whole only")
    made = itertools.islice(generate(spec, SIZES[split], split=split), count)
    assert shipped[:count] == list(made)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("name", NAMES)
def test_every_task_passes_the_gates(name: str, split: Split, some: Some, whole: bool) -> None:
    tasks = {task.id: task for task in tasks_of(name, split)}
    context = GateContext(env_of(name).domain, judge_of(name), split, tasks)
    chosen = some(list(tasks.values()))[:: 1 if whole else 4]
    assert [one for task in chosen for one in problems(task, context)] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_oracle_earns_the_maximum_with_no_violation(name: str) -> None:
    # Here on few tasks of test; `gym-clinic tasks validate` plays it on every task.
    env = env_of(name)
    maker = load("oracle", env)
    for task in first(env.tasks)[::30]:
        done = play(env, task, maker(0))
        assert (done.reward, done.info["success"]) == (1.0, True), task.id


@pytest.mark.parametrize("name", NAMES)
def test_classes_are_balanced_and_no_patient_is_in_two_splits(name: str) -> None:
    label = env_of(name).domain.classes
    assert label is not None
    spec = spec_of(name)
    seeds = []
    for split in SPLITS:
        tasks = tasks_of(name, split)
        count = Counter(label(task) for task in tasks if "twin" not in task.gold)
        assert set(count) <= set(spec.classes)
        assert max(count.values()) - min(count.values()) <= max(2, len(tasks) // 50)
        seeds.append({task.record["seed"] for task in tasks})
    assert not seeds[0] & seeds[1]
    assert not (seeds[0] | seeds[1]) & seeds[2]


@pytest.mark.parametrize("name", NAMES)
def test_a_fifth_of_test_are_twins_of_both_kinds(name: str) -> None:
    tasks = tasks_of(name, "test")
    kinds = Counter(task.gold["twin"]["kind"] for task in tasks if "twin" in task.gold)
    assert 2 * sum(kinds.values()) >= 0.2 * len(tasks)
    assert min(kinds["turns"], kinds["neutral"]) >= 0.4 * sum(kinds.values())
    assert TWINS > 0.2


@pytest.mark.parametrize("name", NAMES)
def test_tickets_do_not_tell_the_class(name: str, whole: bool) -> None:
    pytest.importorskip("sklearn")
    if not whole:
        pytest.skip("models are fitted with --whole only")
    label = env_of(name).domain.classes
    assert label is not None
    train, test = tasks_of(name, "train"), tasks_of(name, "test")
    found = audit(train, test, label)
    assert found.closed <= 1 / 3
    # Of both, since a tenth is within three standard errors of what 150 tasks can tell.
    found = audit(train, tasks_of(name, "dev") + test, label)
    assert found.form <= found.constant + 0.1
    tickets = [[task.ticket for task in several] for several in (train, test)]
    assert repeated_notes(*tickets) < 0.2


@pytest.mark.parametrize("name", NAMES)
def test_ceilings_are_published_for_the_tasks_that_ship(name: str) -> None:
    folder = tasks_dir(name)
    kept = json.loads((folder / "ceilings.json").read_text(encoding="utf-8"))
    test = hashlib.sha256((folder / "test.jsonl").read_bytes()).hexdigest()
    assert kept["test"] == test, "run python bench/ceilings.py --write"
    earned = {one["player"]: one["reward"] for one in kept["lines"]}
    assert list(earned) == list(PLAYERS)
    assert earned["oracle"] == 1
    constants = ("best constant", "a look and the best constant",
                 "best constant of each kind of request")  # fmt: skip
    for blind in ("doing nothing", *constants):
        assert earned[blind] <= min(MOST, earned["rules"] - BELOW)


@pytest.mark.parametrize("name", NAMES)
def test_every_tool_is_used_by_three_tasks(name: str) -> None:
    domain = env_of(name).domain
    rare = {one.name: 3 for one in domain.tools if one.kind is not Kind.THINK}
    for task in (task for split in SIZES for task in tasks_of(name, split)):
        moves = (move for move in domain.solve(task) if not isinstance(move, str))
        for tool in {call[0] for move in moves for call in move} & rare.keys():
            rare[tool] -= 1
            if not rare[tool]:
                del rare[tool]
        if not rare:
            return
    assert rare == {}


@pytest.mark.parametrize("name", NAMES)
def test_rules_earn_less_than_the_most_and_adversaries_much_less(name: str, whole: bool) -> None:
    env = env_of(name)
    tasks = first(env.tasks)[:: 1 if whole else 50]
    rules = mean(env, load("rules", env), tasks)
    fit = {"tasks": 12 if whole else 2}  # on how many tasks the constant answer is fitted
    fitted = dict.fromkeys(("prior", *ADVERSARIES, *READERS), fit) | {"repeater": {"times": 10}}
    # What the reading of the rules is worth with other answers is the next test's.
    players = [who for who in adversaries_of(env) if who not in (*TRAINED, *READERS)]
    assert set(ADVERSARIES) <= set(players)
    if not whole:
        players = [*ADVERSARIES]
    earned = {who: mean(env, load(who, env, fitted.get(who)), tasks) for who in players}
    # A few tasks are too small a sample for the whole distance.
    most, below = (MOST, BELOW) if whole else (1.0, 0.0)
    assert rules < (RULES if whole else 1.0)
    assert {who: one for who, one in earned.items() if one >= most} == {}
    assert {who: one for who, one in earned.items() if one > rules - below} == {}


@pytest.mark.parametrize("name", NAMES)
def test_the_reading_of_the_rules_earns_little_with_an_answer_that_it_does_not_lead_to(
    name: str, whole: bool
) -> None:
    env = env_of(name)
    assert set(READERS) <= set(env.domain.adversaries)
    model, rules, book = TicketModel(env, None if whole else 60), load("rules", env), Playbook(env)
    earned: dict[str, list[float]] = {}
    kinds: dict[str, dict[str, list[float]]] = {}  # of request, as the ticket plainly shows it
    for seed, task in enumerate(first(env.tasks)[:: 1 if whole else 40]):
        opened = before_answer(env, task, rules(seed), seed)
        fixed = constants(env, task)
        others = {"ticket": model.answer(task.ticket), **fixed}
        of_kind = kinds.setdefault(book.menu(task).kind, {})
        for label, answer in {"rules": None, **others}.items():
            reward = 0.0
            if opened is not None:
                stage, own = opened
                reward = reward_of(stage, own if answer is None else replaced(own, answer))
            earned.setdefault(label, []).append(scale(reward, env.reward_range))
            if label in fixed:
                of_kind.setdefault(label, []).append(earned[label][-1])
    best = (max(rows.values(), key=fmean) for rows in kinds.values())
    earned["the best constant of each kind of request"] = [*itertools.chain(*best)]
    means = {label: fmean(several) for label, several in earned.items()}
    own = means.pop("rules")
    print(name, round(own, 3), {label: round(one, 3) for label, one in means.items()})
    if whole:
        # The words of a ticket add to what was read, and a part of this is honest skill: there is
        # a distance for it, no most.
        few = {label: one for label, one in means.items() if label != "ticket"}
        assert {label: one for label, one in few.items() if one >= MOST} == {}
        assert {label: one for label, one in means.items() if one > own - BELOW} == {}
    else:  # few tasks are too small a sample for each answer by itself
        assert fmean(means.values()) < own


@pytest.mark.parametrize("name", NAMES)
def test_findings_are_worth_little_without_a_decision(name: str, whole: bool) -> None:
    env = env_of(name)
    tasks = first(env.tasks)[:: 3 if whole else 50]
    ahead, fit = (AHEAD, 12) if whole else (0.0, 2)
    # The reading of the rules is the test's before this one.
    assert mean(env, load("random", env), tasks) < mean(env, load("rules", env), tasks)
    found = mean(env, borrowed_calls(env, "oracle", cites=True, tasks=fit), tasks)
    assert found <= 1 - ahead
