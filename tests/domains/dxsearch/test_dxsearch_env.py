"""Episodes: tags and limits, forged replies, both dialects, stages, ablations, tricks."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import gymnasium as gym
import pytest

from gym_clinic import ClinicEnv
from gym_clinic.domains.dxsearch.judge import transcript
from gym_clinic.domains.dxsearch.rewards import STAGES, format_gate, total
from gym_clinic.domains.dxsearch.transcript import Limits, broken_rules
from gym_clinic.errors import ConfigError
from gym_clinic.policies import load, play
from gym_clinic.rewards import scale
from gym_clinic.taskset import first

ID = "clinic/DxSearch-v0"
MOST = {1: 0.98, 2: 0.47, 3: 1.0, 4: 0.9}
"""Stage -> the most that it pays."""

TASKS = 24

DEMO = [
    "<reason>Weak muscles, a drooping lid, tingling: several groups fit.</reason>"
    "<lookup>inflammatory myopathy, sarcoidosis, mitochondrial myopathy</lookup>",
    "<reason>None explains all of it.</reason><match>Ptosis, Paresthesia, Fatigue</match>",
    "<reason>Neuropathies come up.</reason>"
    "<match>Muscle weakness, Proteinuria, Hyporeflexia, Fatigue</match>",
    "<reason>An autoimmune cause?</reason>"
    "<lookup>dermatomyositis, systemic lupus erythematosus</lookup>",
    "<search>|PubMed| ptosis in inflammatory myopathy, lupus and ptosis</search>",
    r"<diagnose>Of concern: \textbf{Dermatomyositis}, \textbf{Systemic lupus erythematosus}"
    "</diagnose>",
]
"""The paper's demonstration (A.2) in its order of actions: two look-ups, and no reasoning before
the search and the diagnosis."""


def make(**options: Any) -> ClinicEnv:
    env = gym.make(ID, **{"split": "test", **options}).unwrapped
    assert isinstance(env, ClinicEnv)
    return env


def run(env: ClinicEnv, actions: Sequence[str]) -> tuple[list[str], float, dict[str, Any]]:
    """Play actions on the first task."""
    env.reset(options={"task_id": env.tasks[0].id})
    observations, reward, info = [], 0.0, {}
    for action in actions:
        observation, reward, terminated, truncated, info = env.step(action)
        observations.append(observation)
        if terminated or truncated:
            break
    return observations, reward, info


def mean(env: ClinicEnv, policy: str, count: int = TASKS) -> float:
    maker = load(policy, env, {})
    played = (play(env, task, maker(seed), seed) for seed, task in enumerate(_some(env, count)))
    return fmean(scale(outcome.reward, env.reward_range) for outcome in played)


def _some(env: ClinicEnv, count: int) -> Sequence[Any]:
    return first(env.tasks, count)


def test_answers_continue_the_message_in_passive_tags() -> None:
    env = make()
    observations, reward, info = run(
        env,
        [
            "<reason>a</reason><lookup>Gout</lookup>",
            "<reason>b</reason><match>Fatigue, Fever</match>",
            "<reason>c</reason><search>|BOOK| gout</search>",
            r"<reason>d</reason><diagnose>\textbf{Gout}</diagnose>",
        ],
    )
    for tag, observation in zip(("guide", "refer", "result"), observations, strict=False):
        assert observation.strip().startswith(f"<{tag}>")
        assert observation.strip().endswith(f"</{tag}>")
    assert observations[1].count("Confirmed disease: [") == 20
    assert info["broken_rules"] == []
    assert info["metrics"]["broken_rules"] == 0
    assert reward > 0


def test_generation_stops_at_what_acts() -> None:
    _, info = make().reset(seed=0)
    assert info["stop_strings"] == ["</lookup>", "</match>", "</search>", "</diagnose>"]
    assert info["inline"]
    assert info["broken_rules"] == []


def test_demonstration_of_the_paper() -> None:
    relaxed = {"lookup": 2, "reason": False}
    paid = {"weights": {"diagnosis": 1.0}, "couple_sigma_m": False}
    _, reward, info = run(make(limits=relaxed, **paid), DEMO)
    assert (info["broken_rules"], reward >= 0.2) == ([], True)
    _, reward, info = run(make(**paid), DEMO)
    assert reward == 0
    assert info["broken_rules"] == [
        "no reason between actions: <lookup> and <search>",
        "no reason between actions: <search> and <diagnose>",
        "too many lookup: 2, at most 1",
    ]
    text = "".join(DEMO)
    assert "too many lookup: 2, at most 1" in broken_rules(text)
    assert not broken_rules(text, Limits.of(relaxed))


@pytest.mark.parametrize(
    ("action", "refusal"),
    [
        ("<match>Fever, Cough</match>", "match may be used 3 times in a case; go on without it"),
        ("<search>|WIKI| a, b, c, d</search>", "queries: give 1 to 3, not 4"),
        ("<search>|Google| a</search>", "no source 'Google'"),
        ("<search>|WIKI| a b c d e f g h i j k l m</search>", "at most 12 words"),
        (f"<lookup>{', '.join('abcdefghijk')}</lookup>", "diseases: give 1 to 10, not 11"),
        ("<match> , </match>", "phenotypes: give 1 to 60, not 0"),
    ],
)
def test_beyond_a_limit_a_call_is_refused(action: str, refusal: str) -> None:
    used = [f"<reason>r</reason><match>Fever, Cough {n}</match>" for n in "abc"]
    answer = r"<reason>r</reason><diagnose>\textbf{Gout}</diagnose>"
    spent = used if "match>F" in action else []
    observations, reward, info = run(make(), [*spent, f"<reason>r</reason>{action}", answer])
    assert refusal in observations[len(spent)]
    if "12 words" not in refusal:
        assert (reward, len(info["broken_rules"])) == (0, 1)


def test_without_tags_the_gate_asks_for_limits_and_an_answer() -> None:
    env = make(dialect="hermes")
    lookup = {"name": "lookup_guidelines", "arguments": {"diseases": ["Gout"]}}
    answer = {"name": "submit_diagnoses", "arguments": {"diagnoses": ["Gout"]}}
    for calls, rules in (
        ([lookup, answer], []),
        ([lookup, lookup, answer], ["too many lookup: 2, at most 1"]),
    ):
        env.reset(options={"task_id": env.tasks[0].id})
        for place, call in enumerate(calls):
            *_, info = env.step_calls([{"id": f"c{place}", **call}])
        assert info["broken_rules"] == rules
    env.reset(options={"task_id": env.tasks[0].id})
    *_, info = env.truncate("out of time")
    assert info["broken_rules"] == ["diagnose must be last and unique"]


def test_forged_replies_close_the_gate() -> None:
    for forged in ("<guide>Gout: all</guide>", "<refer>x</refer>", "<result>x</result>"):
        action = (
            rf"<reason>r</reason>{forged}<reason>r</reason><diagnose>\textbf{{Gout}}</diagnose>"
        )
        _, reward, info = run(make(), [action])
        assert reward == 0
        assert any(rule.startswith("forged reply") for rule in info["broken_rules"])


def test_a_retrieved_text_writes_no_tags() -> None:
    observations, *_ = run(make(), ["<reason>r</reason><lookup><diagnose>x</lookup>"])
    assert "<diagnose>" not in observations[0].replace("<diagnose>x</lookup>", "")


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("dialect", [None, "hermes"])
def test_oracle_earns_the_declared_maximum(stage: int, dialect: str | None) -> None:
    env = make(stage=stage, dialect=dialect)
    assert env.reward_range == (0.0, pytest.approx(MOST[stage]))
    maker = load("oracle", env, {})
    for task in _some(env, 8):
        outcome = play(env, task, maker(0), 0)
        assert outcome.reward == pytest.approx(MOST[stage])
        assert outcome.info["success"]


def test_weights_of_a_schedule_keep_the_clip_and_reach_their_maximum() -> None:
    env = make()
    for stage, weights in STAGES.items():
        scheduled = make(weights=dict(weights))
        assert scheduled.reward_range[1] == pytest.approx(MOST[stage])
    outcome = play(env, env.tasks[0], load("oracle", env, {})(0), 0)
    assert env.rubric.with_weights({"diagnosis": 5}).score(outcome.episode).total == 1.0


@pytest.mark.parametrize("policy", ["oracle", "rules", "copied-references", "match-spam"])
def test_both_dialects_earn_the_same(policy: str) -> None:
    tags, hermes = make(), make(dialect="hermes")
    for task in _some(tags, 6):
        earned = [play(env, task, load(policy, env, {})(1), 1) for env in (tags, hermes)]
        assert earned[0].reward == pytest.approx(earned[1].reward)
        assert earned[0].info["metrics"] == earned[1].info["metrics"]


def test_the_reward_is_that_of_the_functions() -> None:
    env = make()
    for task in _some(env, 6):
        outcome = play(env, task, load("rules", env, {})(0), 0)
        parts = outcome.info["rewards"]
        gate = format_gate(transcript(outcome.episode))
        expected = total(gate, 1, parts["matching"], parts["search"], parts["diagnosis"])
        assert outcome.reward == pytest.approx(expected)


def test_tricks_without_evidence_earn_little() -> None:
    env = make()
    for name in env.domain.adversaries:
        assert mean(env, name) < 0.35, name


def test_reading_earns_more_than_copying() -> None:
    env = make()
    read, copied = mean(env, "rules"), mean(env, "copied-references")
    assert read > copied + 0.1
    assert mean(env, "rules-without-reading") == pytest.approx(copied, abs=0.05)


@pytest.mark.parametrize(
    ("reward", "most"),
    [("no-evidence", 0.48), ("no-diagnosis", 0.42), ("target-only", 0.32), ("full", 0.9)],
)
def test_ablated_rewards(reward: str, most: float) -> None:
    env = make(reward=reward)
    assert env.reward_range[1] == pytest.approx(most)
    assert play(env, env.tasks[0], load("oracle", env, {})(0), 0).reward == pytest.approx(most)


@pytest.mark.parametrize(
    ("options", "action"),
    [
        ({"guidelines": False}, "<lookup>Gout</lookup>"),
        ({"patients": None}, "<match>Fever, Cough</match>"),
        ({"literature": None}, "<search>|WIKI| gout</search>"),
    ],
)
def test_a_source_may_be_left_out(options: dict[str, Any], action: str) -> None:
    observations, *_ = run(make(**options), [f"<reason>r</reason>{action}"])
    assert "no reference" in observations[0]


def test_without_a_summariser_passages_are_whole() -> None:
    action = "<reason>r</reason><search>|WIKI| gout</search>"
    (short, *_), (whole, *_) = (run(make(summariser=s), [action])[0] for s in ("extract", None))
    assert len(whole) > len(short)


def test_near_duplicates_are_left_out() -> None:
    action = "<reason>r</reason><match>{}</match>"
    env, strict = make(), make(near_duplicates=0.7)
    query = action.format(", ".join(env.tasks[0].gold["query"]))
    assert run(env, [query])[0] != run(strict, [query])[0]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"stage": 5}, r"stage is one of \[1, 2, 3, 4\]"),
        ({"reward": "evidence"}, "no reward 'evidence'; "),
        ({"zero_mode": "x"}, "no zero_mode 'x'; choose from"),
        ({"change": "x"}, "no change 'x'; choose from"),
        ({"too_little": 1}, "too_little is a number from -1 to 0"),
        ({"limits": {"matc": 2}}, "did you mean 'match'"),
        ({"limits": {"match": -1}}, "whole number from 0"),
        ({"limits": {"reason": 1}}, "true or false"),
        ({"near_duplicates": 2}, "near_duplicates is a number from 0.7 to 0.95"),
        ({"patients": "no/such/folder"}, "no folder of patients"),
        ({"passages": 0}, "passages is a whole number from 1"),
        ({"summariser": "x"}, "extract"),
        ({"literature": {"WIKY": "embedded", "PMC": "embedded"}}, "did you mean 'WIKI'"),
        ({"guidelines": "no"}, "guidelines is true or false"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        make(**options)


def test_env_pickles_in_an_episode() -> None:
    env = make()
    env.reset(seed=1)
    env.step("<reason>r</reason><match>Fever, Cough</match>")
    twin = pickle.loads(pickle.dumps(env))
    action = r"<reason>r</reason><diagnose>\textbf{Gout}</diagnose>"
    assert env.step(action)[1] == twin.step(action)[1]
