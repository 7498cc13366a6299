from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from verl_recipes.agent_loop.environment import OWN_KEYS
from verl_recipes.trainer.diagnostics import step_metrics

WEIGHTS = {"outcome": 0.5, "process": 0.5}

Record = dict[str, float]


def record(**changes: float) -> Record:
    own = dict.fromkeys(OWN_KEYS, 0.0) | {"turns": 2.0, "prompt_tokens": 100.0}
    parts = {"reward/outcome": 0.0, "reward/process": 0.0, "reward/extra": 0.0, "metric/f1": 0.0}
    given = {name.replace("__", "/"): float(v) for name, v in changes.items()}
    return own | parts | {"correct": given.get("success", 0.0)} | given


def fault() -> Record:
    """As a failed trajectory is recorded: nothing but the fault; other figures must not count."""
    return dict.fromkeys(record(), 0.0) | {"fault": 1.0}


unit = st.floats(-2.0, 2.0, allow_subnormal=False).map(lambda x: round(x, 6))


@st.composite
def trajectories(draw: st.DrawFn, low: int = 1) -> tuple[list[Record], list[str]]:
    records, groups = [], []
    for _ in range(draw(st.integers(low, 12))):
        outcome, process = draw(unit), draw(unit)
        records.append(
            record(
                success=draw(st.booleans()),
                truncated=draw(st.booleans()),
                turns=draw(st.integers(1, 9)),
                policy_tokens=draw(st.integers(0, 9999)),
                response_tokens=draw(st.integers(0, 9999)),
                calls=draw(st.integers(0, 20)),
                reward__outcome=outcome,
                reward__process=process,
                reward__extra=draw(unit),
                total=0.5 * outcome + 0.5 * process,
                score=draw(st.sampled_from([0.0, 1.0, outcome])),
            )
        )
        groups.append(draw(st.sampled_from("abc")))
    return records, groups


def test_one_step_by_hand() -> None:
    records = [
        record(success=1, turns=1, policy_tokens=10, response_tokens=20, calls=0, score=1, total=1,
               metric__f1=0.5, reward__outcome=2),
        record(success=0, turns=3, policy_tokens=30, response_tokens=60, calls=4, score=0, total=0,
               distinct_tools=2, malformed=1, truncated=1, dropped_turns=2, hint_echo=0.4,
               retries=2),
        fault(),
        record(success=1, turns=2, policy_tokens=20, response_tokens=40, calls=2, score=1, total=1,
               reward__outcome=2),
        fault(),
    ]  # fmt: skip
    found = step_metrics(records, ["a", "a", "b", "b", "c"], WEIGHTS)
    expected = {
        "n": 3,
        "fault_fraction": 0.4,
        "success": 2 / 3,
        "single_turn": 1 / 3,
        "turns/mean": 2,
        "turns/p10": 1.2,
        "calls": 2,
        "distinct_tools": 2 / 3,
        "malformed": 1 / 3,
        "dropped_turns": 2 / 3,
        "hint_echo": 0.4 / 3,
        "retries": 2 / 3,
        "clip_ratio": 1 / 3,
        "policy_tokens/mean": 20,
        "policy_tokens/p95": 29,
        "response_tokens/mean": 40,
        "response_tokens/p95": 58,
        "total_tokens/mean": 140,
        "total_tokens/p95": 158,
        "score/mean": 2 / 3,
        "score/std": 1 / math.sqrt(3),
        "total/mean": 2 / 3,
        "total/std": 1 / math.sqrt(3),
        "correct/n": 2,
        "correct/turns": 1.5,
        "correct/policy_tokens": 15,
        "incorrect/n": 1,
        "incorrect/turns": 3,
        "incorrect/policy_tokens": 30,
        "groups": 2,
        "kept_groups": 1,
        "mixed_fraction": 0.5,
        "zero_std_fraction": 0.5,
        "reward/outcome/mean": 4 / 3,
        "reward/outcome/std": 2 / math.sqrt(3),
        "reward/outcome/std_share": 1,
        "reward/outcome/cov_share": 1,
        "reward/process/mean": 0,
        "reward/process/std": 0,
        "reward/process/std_share": 0,
        "reward/process/cov_share": 0,
        "reward/extra/mean": 0,
        "reward/extra/std": 0,
        "reward/extra/std_share": 0,
        "reward/extra/cov_share": 0,
        "metric/f1": 0.5 / 3,
    }
    assert found == pytest.approx({f"clinic/{key}": value for key, value in expected.items()})


@given(trajectories())
def test_keys_are_always_the_same_and_values_finite(given: Any) -> None:
    records, groups = given
    found = step_metrics(records, groups, WEIGHTS)
    assert list(found) == list(step_metrics([fault()], ["a"], WEIGHTS))
    assert all(type(value) is float and math.isfinite(value) for value in found.values())


def test_a_step_with_faults_only() -> None:
    found = step_metrics([fault(), fault()], ["a", "b"], WEIGHTS)
    assert found.pop("clinic/fault_fraction") == 1.0
    assert set(found.values()) == {0.0}


@given(trajectories(), st.integers(1, 4), st.data())
def test_faults_move_their_fraction_only(given: Any, count: int, data: st.DataObject) -> None:
    records, groups = given
    before = step_metrics(records, groups, WEIGHTS)
    more, of = list(records), list(groups)
    for _ in range(count):
        at = data.draw(st.integers(0, len(more)))
        # Even what a fault may have left behind must not count.
        more.insert(at, record(fault=1, success=1, turns=50, total=9, score=9, reward__outcome=9))
        of.insert(at, data.draw(st.sampled_from("abcd")))
    after = step_metrics(more, of, WEIGHTS)
    assert after.pop("clinic/fault_fraction") == pytest.approx(count / len(more))
    before.pop("clinic/fault_fraction")
    assert after == before


@given(trajectories(), st.randoms(use_true_random=False))
def test_order_does_not_matter(given: Any, random: Any) -> None:
    records, groups = given
    order = random.sample(range(len(records)), len(records))
    shuffled = step_metrics([records[i] for i in order], [groups[i] for i in order], WEIGHTS)
    assert shuffled == pytest.approx(step_metrics(records, groups, WEIGHTS), abs=1e-9)


@given(trajectories())
def test_conditional_means_add_up(given: Any) -> None:
    found = step_metrics(*given, WEIGHTS)
    n = {name: found[f"clinic/{name}/n"] for name in ("correct", "incorrect")}
    assert sum(n.values()) == found["clinic/n"]
    assert n["correct"] / found["clinic/n"] == pytest.approx(found["clinic/success"])
    for field in ("turns", "policy_tokens"):
        total = sum(n[name] * found[f"clinic/{name}/{field}"] for name in n)
        assert total / found["clinic/n"] == pytest.approx(found[f"clinic/{field}/mean"])


@given(trajectories())
def test_groups_are_those_of_plain_python(given: Any) -> None:
    records, groups = given
    of: dict[str, list[Record]] = {}
    for one, group in zip(records, groups, strict=True):
        of.setdefault(group, []).append(one)
    mixed = [len({one["success"] for one in members}) > 1 for members in of.values()]
    flat = [len({one["score"] for one in members}) == 1 for members in of.values()]
    found = step_metrics(records, groups, WEIGHTS)
    assert found["clinic/groups"] == len(of)
    assert found["clinic/kept_groups"] == sum(mixed)
    assert found["clinic/mixed_fraction"] == pytest.approx(statistics.mean(mixed))
    assert found["clinic/zero_std_fraction"] == pytest.approx(statistics.mean(flat))


@given(trajectories(low=2), st.floats(-2, 2), st.floats(-2, 2))
def test_covariance_shares_sum_to_one(given: Any, first: float, second: float) -> None:
    records, groups = given
    for one in records:
        one["total"] = first * one["reward/outcome"] + second * one["reward/process"]
    totals = [one["total"] for one in records]
    assume(max(totals) - min(totals) > 1e-3)
    found = step_metrics(records, groups, {"outcome": first, "process": second})
    parts = ("outcome", "process", "extra")
    shares = {name: found[f"clinic/reward/{name}/cov_share"] for name in parts}
    assert sum(shares.values()) == pytest.approx(1.0, abs=1e-6)
    assert shares["extra"] == 0.0
    for name, weight in (("outcome", first), ("process", second), ("extra", 0.0)):
        values = [one[f"reward/{name}"] for one in records]
        expected = weight * statistics.stdev(values) / statistics.stdev(totals)
        assert found[f"clinic/reward/{name}/std_share"] == pytest.approx(expected, abs=1e-6)
        # Cauchy and Schwarz: covariance is at most the product of the deviations.
        assert abs(shares[name]) <= abs(found[f"clinic/reward/{name}/std_share"]) + 1e-6


@given(unit, st.lists(unit, min_size=1, max_size=8))
def test_zero_variance_has_a_share_of_zero(total: float, parts: list[float]) -> None:
    """Whatever the sign of parts and weights, and although sums differ in their last bits."""
    records = [
        record(total=total + (part + 0.1 + 0.2) - (part + 0.3), reward__outcome=part)
        for part in parts
    ]
    found = step_metrics(records, ["a"] * len(parts), {"outcome": -1.0})
    assert found["clinic/total/std"] == 0.0
    assert found["clinic/reward/outcome/std_share"] == 0.0
    assert found["clinic/reward/outcome/cov_share"] == 0.0


def test_the_share_of_the_standard_deviation_agrees_with_the_reference(golden: Any) -> None:
    golden = golden["002_snr_share"]
    weights = {f"part{j}": weight for j, weight in enumerate(golden["weights"])}
    records = []
    for row in golden["rewards"]:
        parts = dict(zip(weights, row, strict=True))
        total = sum(weights[name] * value for name, value in parts.items())
        rewards = {f"reward/{name}": value for name, value in parts.items()}
        records.append(dict.fromkeys(OWN_KEYS, 0.0) | rewards | {"total": total})
    found = step_metrics(records, ["a"] * len(records), weights)
    shares = [found[f"clinic/reward/{name}/std_share"] for name in weights]
    assert shares == pytest.approx(golden["share"], abs=1e-9)
    assert found["clinic/total/std"] == pytest.approx(golden["sigma_R"], abs=1e-9)
    assert sum(found[f"clinic/reward/{name}/cov_share"] for name in weights) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("records", "groups", "said"),
    [
        ([], [], "0 records, 0 groups and 0 environments"),
        ([record()], ["a", "b"], "1 records, 2 groups and 1 environments"),
        ([record(), record(score=math.nan)], ["a", "a"], "record 1 has {'score': nan}"),
        ([record(total=-math.inf)], ["a"], "record 0 has {'total': -inf}"),
    ],
)
def test_bad_records_are_refused(
    records: Sequence[Mapping[str, float]], groups: list[str], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        step_metrics(records, groups, WEIGHTS)


# --- several environments ---


def graded(**changes: float) -> Record:
    """A record of another environment: one part, another metric."""
    own = {key: value for key, value in record().items() if "/" not in key}
    correct = {"correct": changes.get("success", 0.0)}
    return own | {"reward/triage": 0.0, "metric/delay": 4.0} | correct | changes


def test_records_of_two_environments_by_hand() -> None:
    records = [
        record(success=1, total=1, score=1, turns=4, reward__outcome=2, metric__f1=1),
        record(success=0, total=0, score=0, turns=2, reward__outcome=0, metric__f1=0.5),
        graded(success=1.0, total=3.0, score=3.0, turns=1.0) | {"reward/triage": 1.0},
        graded(success=1.0, total=0.0, score=0.0, turns=1.0),
        graded(fault=1.0),
    ]
    weights = {"a/A-v0": WEIGHTS, "b/B-v0": {"triage": 3.0}}
    found = step_metrics(
        records, ["x", "x", "y", "y", "z"], weights, ["a/A-v0"] * 2 + ["b/B-v0"] * 3
    )
    expected = {
        "n": 4, "fault_fraction": 0.2, "success": 0.75, "turns/mean": 2.0, "groups": 2,
        "mixed_fraction": 0.5, "metric/f1": 0.75, "metric/delay": 4.0, "reward/outcome/mean": 1.0,
        "reward/triage/mean": 0.5, "a/A-v0/n": 2, "a/A-v0/fault_fraction": 0.0,
        "a/A-v0/success": 0.5, "a/A-v0/turns/mean": 3.0, "a/A-v0/groups": 1,
        "a/A-v0/mixed_fraction": 1.0, "a/A-v0/metric/f1": 0.75, "a/A-v0/reward/outcome/mean": 1.0,
        "a/A-v0/reward/outcome/cov_share": 1.0, "b/B-v0/n": 2, "b/B-v0/fault_fraction": 1 / 3,
        "b/B-v0/success": 1.0, "b/B-v0/turns/mean": 1.0, "b/B-v0/mixed_fraction": 0.0,
        "b/B-v0/metric/delay": 4.0, "b/B-v0/reward/triage/cov_share": 1.0,
    }  # fmt: skip
    assert {key: found[f"clinic/{key}"] for key in expected} == pytest.approx(expected)
    assert "clinic/b/B-v0/metric/f1" not in found
    assert "clinic/a/A-v0/reward/triage/mean" not in found
    # What the whole reward varies by: the parts of all environments together.
    shares = [value for key, value in found.items() if key.endswith("/cov_share")]
    pooled = sum(found[f"clinic/reward/{name}/cov_share"] for name in ("outcome", "triage"))
    assert pooled == pytest.approx(1.0)
    assert all(math.isfinite(share) for share in shares)


@given(trajectories(), trajectories())
def test_each_environment_has_the_figures_it_would_have_alone(one: Any, other: Any) -> None:
    ids = ["a"] * len(one[0]) + ["b"] * len(other[0])
    groups = [f"a{g}" for g in one[1]] + [f"b{g}" for g in other[1]]
    weights = {"a": WEIGHTS, "b": {"extra": -1.0}}
    found = step_metrics([*one[0], *other[0]], groups, weights, ids)
    for name, (records, of) in (("a", one), ("b", other)):
        alone = step_metrics(records, of, weights[name])
        for key, value in alone.items():
            assert found[f"clinic/{name}/{key.removeprefix('clinic/')}"] == value


@given(trajectories())
def test_one_environment_is_named_nowhere(given: Any) -> None:
    records, groups = given
    named = step_metrics(records, groups, {"a": WEIGHTS}, ["a"] * len(records))
    assert named == step_metrics(records, groups, WEIGHTS)


def test_environments_are_as_many_as_records() -> None:
    with pytest.raises(ValueError, match="1 records, 1 groups and 2 environments"):
        step_metrics([record()], ["x"], {"a": {}, "b": {}}, ["a", "b"])
