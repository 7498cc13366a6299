from __future__ import annotations

import datetime
import random
from dataclasses import replace
from typing import Annotated, Any, Literal

import pytest
import tiny_domain
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from gym_clinic import Case, ConfigError, Domain, Menu, ToolError, tool
from gym_clinic.action import DIALECTS
from gym_clinic.env import ClinicEnv
from gym_clinic.policies import POLICIES, load
from gym_clinic.policies.arguments import every, sample
from gym_clinic.policies.fitted.constants import ConstantSearch, best_constant, best_label
from gym_clinic.policies.moves import Playbook, scripted, words
from gym_clinic.policies.playing import play
from gym_clinic.rewards import scale

TINY = ("tiny_domain:INTERACTIONS", "tiny_domain:TRIAGE")
each_tiny = pytest.mark.parametrize("name", TINY)
each_dialect = pytest.mark.parametrize("dialect", ["hermes", "json"])

# Without a menu, a SUBMIT domain is played by its schemas.
MENULESS = replace(tiny_domain.INTERACTIONS, menu=None)
NO_TRAIN = replace(tiny_domain.INTERACTIONS, tasks={"test": tiny_domain.INTERACTIONS.tasks["test"]})
WITH_RULES = replace(
    tiny_domain.TRIAGE,
    baselines={"rules": lambda env: lambda seed: scripted(["URGENCY: green"])},
)


def mean(env: ClinicEnv, policy: str, trials: int = 3) -> float:
    maker = load(policy, env)
    earned = [
        scale(play(env, task, maker(seed), seed).reward, env.reward_range)
        for seed, task in enumerate([*env.tasks] * trials)
    ]
    return sum(earned) / len(earned)


@pytest.mark.parametrize("policy", [name for name in POLICIES if name not in ("chat", "human")])
@each_tiny
@each_dialect
def test_every_policy_plays_the_same_from_the_same_seed(
    policy: str, name: str, dialect: str
) -> None:
    env = ClinicEnv(name, dialect=dialect, split="test")
    if policy == "rules":
        with pytest.raises(ConfigError, match="has no policy 'rules'"):
            load(policy, env)
        return
    played = []
    for maker in (load(policy, env), load(policy, ClinicEnv(name, dialect=dialect, split="test"))):
        played.append(
            [[t.action for t in play(env, task, maker(7), 7).episode.turns] for task in env.tasks]
        )
    assert played[0] == played[1]
    assert all(len(actions) <= env.max_turns for actions in played[0])


@each_tiny
@each_dialect
def test_oracle_earns_all(name: str, dialect: str) -> None:
    env = ClinicEnv(name, dialect=dialect, split="test")
    assert mean(env, "oracle") == 1.0


def test_oracle_plays_tasks_of_any_split() -> None:
    env = ClinicEnv(TINY[0], split="train")
    for tasks in env.domain.tasks.values():
        for task in tasks:
            assert play(env, task, load("oracle", env)(0)).info["success"]


@each_dialect
def test_a_batch_of_calls_is_one_action(dialect: str) -> None:
    menu = tiny_domain._interaction_menu(tiny_domain.INTERACTIONS.tasks["test"][0])
    (action,) = Playbook(ClinicEnv(TINY[0], dialect=dialect)).write(menu.calls)
    assert len(DIALECTS[dialect].parse(action).requests) == len(menu.calls) == 2


@each_dialect
@pytest.mark.parametrize("name", [*TINY, f"{__name__}:MENULESS"])
def test_random_is_valid_and_varied(name: str, dialect: str) -> None:
    env = ClinicEnv(name, dialect=dialect, split="test")
    maker = load("random", env)
    answers, calls = set(), 0
    for seed, task in enumerate([*env.tasks] * 4):
        outcome = play(env, task, maker(seed), seed)
        assert outcome.episode.malformed == 0
        for call in outcome.episode.calls:
            calls += 1
            assert "argument" not in call.response, call.response
            assert "No tool" not in call.response
        answers.add(str(outcome.episode.answer))
    assert len(answers) >= 3
    assert calls > 20


def test_random_takes_a_batch_size() -> None:
    env = ClinicEnv(TINY[0])
    single = load("random", env, {"batch": 1})
    sizes = {
        len(turn.calls)
        for seed, task in enumerate(env.tasks)
        for turn in play(env, task, single(seed)).episode.turns
    }
    assert sizes == {1}
    with pytest.raises(ConfigError, match="batch is a whole number from 1"):
        load("random", env, {"batch": 0})
    with pytest.raises(ConfigError, match=r"policy 'random'.*no_such"):
        load("random", env, {"no_such": 1})


def test_unknown_policies_are_named() -> None:
    env = ClinicEnv(TINY[0])
    with pytest.raises(ConfigError, match=r"no policy 'orakle'; did you mean 'oracle'\?"):
        load("orakle", env)


def test_own_rules_are_played() -> None:
    env = ClinicEnv(f"{__name__}:WITH_RULES")
    outcome = play(env, env.tasks[0], load("rules", env)(0))
    assert outcome.episode.answer == "URGENCY: green"


def test_prior_is_the_best_constant() -> None:
    """Against every constant there is, played one by one."""
    env = ClinicEnv(TINY[0])
    search = ConstantSearch(env)
    assert search.labels == ["major", "moderate", "none"]
    assert search.names == ["check_interaction", "read_allergies"]
    subsets = [(), ("check_interaction",), ("read_allergies",), tuple(search.names)]
    best = max(search.mean(names, label) for names in subsets for label in search.labels)
    constant = best_constant(env)
    assert constant is not None
    assert search.mean(*constant) == pytest.approx(best)
    assert constant[0] == {"check_interaction"}


def test_the_prior_uses_the_weights_of_the_environment() -> None:
    outcome_only = best_constant(ClinicEnv(TINY[0], weights={"accuracy": 1.0}))
    process_only = best_constant(ClinicEnv(TINY[0], weights={"process": 1.0}))
    assert outcome_only is not None
    assert outcome_only[0] == frozenset()
    assert process_only is not None
    assert process_only[0] == {"check_interaction"}


def test_prior_without_a_menu_answers_from_train() -> None:
    env = ClinicEnv(TINY[1], split="test")
    assert ConstantSearch(env).labels == ["URGENCY: red", "URGENCY: yellow", "URGENCY: green"]
    assert mean(env, "prior") == pytest.approx(0.5)
    env = ClinicEnv(f"{__name__}:MENULESS", split="test")
    assert mean(env, "prior") > mean(env, "silent")


def test_prior_needs_a_train_split() -> None:
    env = ClinicEnv(f"{__name__}:NO_TRAIN", split="test")
    with pytest.raises(ConfigError, match="has no train split"):
        load("prior", env)
    assert best_label(env) is None


def test_fits_are_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    best_constant(ClinicEnv(TINY[0], max_turns=3))
    steps = []
    step = ClinicEnv.step
    monkeypatch.setattr(
        ClinicEnv, "step", lambda self, action: steps.append(1) or step(self, action)
    )
    for _ in range(16):
        load("prior", ClinicEnv(TINY[0], max_turns=3))
    assert steps == []
    load("prior", ClinicEnv(TINY[0], max_turns=2))
    assert steps


def test_blocking_domains_are_not_rehearsed_with_calls() -> None:
    constant = best_constant(ClinicEnv(f"{__name__}:BLOCKING"))
    assert constant is not None
    assert constant[0] == frozenset()


BLOCKING = replace(tiny_domain.INTERACTIONS, blocking=True)


def _many_answers() -> Domain:
    grades = [*tiny_domain.GRADES, *(f"grade {number}" for number in range(40))]

    def menu(task: Any) -> Menu:
        made = tiny_domain._interaction_menu(task)
        return Menu(made.calls, {g: (("submit_grade", {"grade": g}),) for g in reversed(grades)})

    return replace(tiny_domain.INTERACTIONS, menu=menu)


MANY_ANSWERS = _many_answers()


def test_the_best_of_very_many_answers_is_found() -> None:
    assert best_label(ClinicEnv(f"{__name__}:MANY_ANSWERS")) in tiny_domain.GRADES


def test_playing_leaves_the_environment_alone() -> None:
    env = ClinicEnv(TINY[0])
    env.reset(seed=3)
    before, tasks = env.episode, env.tasks
    play(env, env.domain.tasks["test"][0], load("oracle", env)(0))
    assert env.episode is before
    assert env.tasks is tasks
    assert env.episode.turns == []
    first = [env.reset()[1]["task_id"] for _ in range(5)]
    env.reset(seed=3)
    assert first == [env.reset()[1]["task_id"] for _ in range(5)]


def test_plans_keep_the_answer_inside_the_turns() -> None:
    playbook = Playbook(ClinicEnv(TINY[0], dialect="json", max_turns=2))
    calls = [("read_allergies", {})] * 5
    plan = playbook.plan(calls, (("submit_grade", {"grade": "none"}),))
    assert len(plan) == 2
    assert "submit_grade" in plan[-1]


class Lab(BaseModel):
    """A lab."""

    code: str = Field(min_length=2, max_length=6)
    values: list[float] = Field(min_length=1, max_length=3)
    next: Lab | None = None


@tool
def order(
    drug: str,
    route: Literal["oral", "iv"],
    age: Annotated[int, Field(ge=18, lt=90)],
    step: Annotated[int, Field(gt=0, le=50, multiple_of=5)],
    dose: Annotated[float, Field(gt=0, le=2.5)],
    low: Annotated[float, Field(lt=-5)],
    urgent: bool,
    day: datetime.date,
    at: datetime.datetime,
    clock: datetime.time,
    fixed: Literal["only"],
    lab: Lab,
    labs: list[Lab],
    table: dict[str, int],
    pair: tuple[int, str],
    code: Annotated[str, Field(pattern=r"^\d{4}$")],
    either: int | str | None,
    unique: set[Literal["a", "b", "c"]],
    note: str = "",
    more: list[int] | None = None,
) -> str:
    """Order.

    Args:
        drug: x.
        route: x.
        age: x.
        step: x.
        dose: x.
        low: x.
        urgent: x.
        day: x.
        at: x.
        clock: x.
        fixed: x.
        lab: x.
        labs: x.
        table: x.
        pair: x.
        code: x.
        either: x.
        unique: x.
        note: x.
        more: x.
    """
    return "ordered"


@given(st.integers())
def test_sampled_arguments_are_accepted(seed: int) -> None:
    arguments = sample(
        order.schema["function"]["parameters"], random.Random(seed), ["aspirin", "fever"]
    )
    try:
        assert order.call(arguments, Case({})) == "ordered"
    except ToolError as error:
        pytest.fail(str(error))


def test_every_choice_of_listed_arguments() -> None:
    @tool
    def look(side: Literal["left", "right"], deep: bool, note: str = "") -> None:
        """Look.

        Args:
            side: x.
            deep: x.
            note: x.
        """

    parameters = look.schema["function"]["parameters"]
    choices = every(parameters)
    assert choices == [
        {"side": side, "deep": deep} for side in ("left", "right") for deep in (False, True)
    ]
    assert every(parameters, limit=3) == choices[:3]
    assert every(order.schema["function"]["parameters"]) == []
    assert every(tiny_domain.read_allergies.schema["function"]["parameters"]) == [{}]


def test_words() -> None:
    assert words("β-blocker of 5 mg; aspirin, aspirin.") == ["β-blocker", "aspirin"]
