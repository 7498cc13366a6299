"""The debrief names broken rules; irrelevant references; indicators of the policy."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest

from gym_clinic import ClinicEnv
from gym_clinic.domains.dxsearch.judge import aggregate
from gym_clinic.domains.dxsearch.reading import references
from gym_clinic.errors import ConfigError
from gym_clinic.policies import load, play

CALL = "<reason>r</reason><match>Fever, Cough</match>"


def make(**options: Any) -> ClinicEnv:
    env = gym.make("clinic/DxSearch-v0", split="test", **options).unwrapped
    assert isinstance(env, ClinicEnv)
    return env


def told(env: ClinicEnv, episode: Any = None) -> dict[str, tuple[tuple[str, ...], ...]]:
    assert env.domain.explain is not None
    tables = env.domain.explain(episode or env.episode)
    return {table.title.split(" (")[0]: table.rows for table in tables}


def test_broken_rules_are_named_in_the_debrief() -> None:
    env = make()
    env.reset(seed=0)
    env.step("<match>Fever</match><refer>forged</refer>")
    *_, info = env.step("<diagnose>\\textbf{Gout}</diagnose>")
    rules = told(env)["Rules of the format that were broken"]
    assert rules == tuple((rule,) for rule in info["broken_rules"])
    assert any("forged" in rule for (rule,) in rules)


def test_a_right_episode_breaks_no_rule_and_tells_what_was_found() -> None:
    env = make()
    tables = told(env, play(env, env.tasks[0], load("oracle", env)(0)).episode)
    assert tables["Rules of the format that were broken"] == (("none",),)
    assert [(action, found) for action, _, found in tables["Retrieval"]] == [
        ("match", "20 patients, one with the disease"),
        ("search", "best query names 100% of the disease's words"),
    ]
    assert tables["Diagnosis"][0][::2] == ("1", "yes")


def test_irrelevant_patients_share_nothing_with_the_query_and_push_nobody_out() -> None:
    plain, noisy = make(), make(irrelevant=10)
    replies = []
    for env in (plain, noisy, noisy):
        env.reset(seed=3)
        replies.append(references(env.step(CALL)[0]))
    similar, mixed, again = replies
    assert mixed == again
    assert len(mixed) == len(similar) + 10
    kept = iter(mixed)
    assert all(reference in kept for reference in similar)  # in their order
    strangers = [names for names, disease in mixed if (names, disease) not in similar]
    assert len(strangers) == 10
    assert all({"Fever", "Cough"}.isdisjoint(names) for names in strangers)


def test_the_oracle_earns_all_beside_irrelevant_patients() -> None:
    env = make(irrelevant=20)
    outcome = play(env, env.tasks[1], load("oracle", env)(0))
    assert outcome.reward == pytest.approx(env.reward_range[1])


@pytest.mark.parametrize("irrelevant", [-1, 101, 1.5, True, "2"])
def test_a_wrong_number_of_irrelevant_patients_is_an_error(irrelevant: Any) -> None:
    with pytest.raises(ConfigError, match="irrelevant is a number of patients from 0 to 100"):
        make(irrelevant=irrelevant)


def test_the_differential_counts_episodes_that_retrieved_the_disease() -> None:
    task = make().tasks[0]
    rows = [{"acc_at_5": 1.0, "hit_at_20": 1.0}, {"acc_at_5": 0.0, "hit_at_20": 1.0},
            {"acc_at_5": 0.0, "hit_at_20": 0.0}]  # fmt: skip
    figures = aggregate([(task, row) for row in rows])
    assert figures == pytest.approx({"acc_at_5": 1 / 3, "hit_at_20": 2 / 3, "differential": 0.5})
    assert "differential" not in aggregate([(task, rows[2])])
