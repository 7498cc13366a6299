"""Adversaries that are fitted to the train split, and which adversaries apply where."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import gymnasium as gym
import pytest
import tiny_domain
import toy_domains

from gym_clinic import ConfigError
from gym_clinic.domain import Menu
from gym_clinic.env import ClinicEnv
from gym_clinic.policies import ADVERSARIES, TRAINED, adversaries_of, load, play, scripted
from gym_clinic.policies.fitted.form import call_forms, ticket_form
from gym_clinic.rewards import scale

NO_TRAIN = replace(tiny_domain.INTERACTIONS, tasks={"test": tiny_domain.INTERACTIONS.tasks["test"]})
OWN = replace(
    tiny_domain.INTERACTIONS, adversaries={"coin": lambda env: lambda seed: scripted(["heads"])}
)
TITLED = replace(
    tiny_domain.INTERACTIONS, ticket=lambda task: f"{task.record['effect']}\n\n{task.ticket}"
)
BURIED = replace(
    tiny_domain.INTERACTIONS,
    ticket=lambda task: f"{task.ticket}\nThe note: {(task.record['effect'] + ', ') * 20}",
)


def mean(env: ClinicEnv, policy: str, **options: Any) -> float:
    maker = load(policy, env, options)
    rewards = [play(env, task, maker(n), n).reward for n, task in enumerate(env.tasks)]
    return sum(scale(reward, env.reward_range) for reward in rewards) / len(rewards)


def named(name: str) -> ClinicEnv:
    return ClinicEnv(f"{__name__}:{name}", split="test")


def test_all_adversaries_that_apply_are_listed() -> None:
    assert adversaries_of("tiny/Interactions-v0") == [*ADVERSARIES, *TRAINED]
    assert adversaries_of("tiny/Interactions-v0", split="test") == [*ADVERSARIES, *TRAINED]
    assert adversaries_of(gym.make("tiny/Interactions-v0")) == [*ADVERSARIES, *TRAINED]
    number: Any = 7
    with pytest.raises(ConfigError, match="7 is no ClinicEnv"):
        adversaries_of(number)
    assert set(adversaries_of(named("OWN"))) == {*ADVERSARIES, *TRAINED, "coin"}


def test_nothing_is_fitted_without_a_train_split() -> None:
    found = adversaries_of(named("NO_TRAIN"))
    assert set(found) == {*ADVERSARIES} - {"prior"}
    for policy in TRAINED:
        with pytest.raises(ConfigError, match="has no train split"):
            load(policy, named("NO_TRAIN"))


def test_a_domains_own_adversary_is_loaded_by_name() -> None:
    env = named("OWN")
    outcome = play(env, env.tasks[0], load("coin", env)(0))
    assert outcome.episode.turns[0].action == "heads"


@pytest.mark.parametrize("name", ["tiny/Interactions-v0", "toy/Walk-v0", "toy/Doses-v0"])
def test_trained_adversaries_never_break(name: str) -> None:
    assert name in toy_domains.IDS
    env = ClinicEnv(toy_domains.IDS[name], split="test")
    for policy in TRAINED:
        assert 0.0 <= mean(env, policy) <= mean(env, "oracle")


def test_a_title_that_reveals_the_answer_is_learned() -> None:
    assert mean(named("TITLED"), "linear") == 1.0


def test_evidence_is_not_seen_unless_asked_for() -> None:
    env = named("BURIED")
    blind, reader = mean(env, "linear"), mean(env, "linear", evidence=True)
    assert blind <= 0.75  # the right call always, the answer by chance
    assert reader == 1.0
    with pytest.raises(ConfigError, match="evidence is true or false, not 1"):
        load("linear", env, {"evidence": 1})


def test_the_search_finds_the_call_that_is_always_needed() -> None:
    env = ClinicEnv("tiny_domain:TRIAGE", split="test")
    maker = load("call-search", env)
    outcome = play(env, env.tasks[0], maker(0))
    assert [dict(call.arguments) for call in outcome.episode.calls] == [{"sign": "pulse"}]
    assert mean(env, "call-search") == pytest.approx(2 / 3)
    assert mean(env, "prior") < 0.6


def test_without_scikit_learn_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ConfigError, match=r'pip install "gym_clinic\[adversaries\]"'):
        load("linear", ClinicEnv("tiny_domain:INTERACTIONS"))


def test_the_form_of_a_ticket_has_no_evidence() -> None:
    ticket = f"Title: knee pain\n\nNote: {'swollen ' * 40}\nAge: 40"
    form = ticket_form(ticket, "t-00af")
    assert form.words == "Title: knee pain\n\nAge: 40"
    assert form.counts["of ticket, long lines"] == 1.0
    assert {name for name in form.counts if name.startswith("field")} == {
        "field title", "field note", "field age",
    }  # fmt: skip
    assert form.counts["id 0 f"] == 1.0
    assert "swollen" in ticket_form(ticket, "t", evidence=True).words
    longer = ticket_form(ticket + "swollen" * 40, "t-00af")
    assert longer.counts != form.counts


def test_a_call_is_seen_with_its_part_of_the_ticket() -> None:
    menu = Menu((("read", {"id": "A1"}), ("read", {"id": "B2"}), ("ask", {"id": "A1"})))
    ticket = "Which one?\n\n[1] A1\nTitle: mice\n\n[2] B2\nTitle: men"
    one, two, alone = call_forms(ticket, menu)
    assert "mice" in one.words
    assert "men" not in one.words
    assert "men" in two.words
    assert (one.counts["last call of this tool"], two.counts["last call of this tool"]) == (0, 1)
    assert alone.tool == "ask"
    assert "mice" in alone.words
    assert "men" in alone.words  # no other call of its tool to be told from
