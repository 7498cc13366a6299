from __future__ import annotations

import json
import math
import statistics
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gym_clinic import ConfigError
from verl_recipes.diagnostics import NEEDED, WATCHED, Alarms, step_metrics

GOLDEN = Path(__file__).resolve().parents[2].parent / "shared" / "golden" / "golden.json"
untimed = settings(deadline=None)
WEIGHTS = {"outcome": 0.5, "process": 0.5}

Record = dict[str, float]


def record(**changes: float) -> Record:
    own = dict.fromkeys(NEEDED, 0.0) | {"turns": 2.0, "prompt_tokens": 100.0}
    parts = {"reward/outcome": 0.0, "reward/process": 0.0, "reward/extra": 0.0, "metric/f1": 0.0}
    return own | parts | {name.replace("__", "/"): float(v) for name, v in changes.items()}


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


# --- the figures of a step


def test_one_step_by_hand() -> None:
    records = [
        record(success=1, turns=1, policy_tokens=10, response_tokens=20, calls=0, score=1, total=1,
               metric__f1=0.5, reward__outcome=2),
        record(success=0, turns=3, policy_tokens=30, response_tokens=60, calls=4, score=0, total=0,
               distinct_tools=2, malformed=1, truncated=1, dropped_turns=2, hint_echo=0.4),
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


@untimed
@given(trajectories())
def test_keys_are_always_the_same_and_values_finite(given: Any) -> None:
    records, groups = given
    found = step_metrics(records, groups, WEIGHTS)
    assert list(found) == list(step_metrics([fault()], ["a"], WEIGHTS))
    assert all(type(value) is float and math.isfinite(value) for value in found.values())


def test_nothing_but_faults() -> None:
    found = step_metrics([fault(), fault()], ["a", "b"], WEIGHTS)
    assert found.pop("clinic/fault_fraction") == 1.0
    assert set(found.values()) == {0.0}


@untimed
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


@untimed
@given(trajectories(), st.randoms(use_true_random=False))
def test_order_does_not_matter(given: Any, random: Any) -> None:
    records, groups = given
    order = random.sample(range(len(records)), len(records))
    shuffled = step_metrics([records[i] for i in order], [groups[i] for i in order], WEIGHTS)
    assert shuffled == pytest.approx(step_metrics(records, groups, WEIGHTS), abs=1e-9)


@untimed
@given(trajectories())
def test_conditional_means_add_up(given: Any) -> None:
    found = step_metrics(*given, WEIGHTS)
    n = {name: found[f"clinic/{name}/n"] for name in ("correct", "incorrect")}
    assert sum(n.values()) == found["clinic/n"]
    assert n["correct"] / found["clinic/n"] == pytest.approx(found["clinic/success"])
    for field in ("turns", "policy_tokens"):
        total = sum(n[name] * found[f"clinic/{name}/{field}"] for name in n)
        assert total / found["clinic/n"] == pytest.approx(found[f"clinic/{field}/mean"])


@untimed
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


@untimed
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


@untimed
@given(unit, st.lists(unit, min_size=1, max_size=8))
def test_no_share_of_no_variance(total: float, parts: list[float]) -> None:
    """Whatever the sign of parts and weights, and although sums differ in their last bits."""
    records = [
        record(total=total + (part + 0.1 + 0.2) - (part + 0.3), reward__outcome=part)
        for part in parts
    ]
    found = step_metrics(records, ["a"] * len(parts), {"outcome": -1.0})
    assert found["clinic/total/std"] == 0.0
    assert found["clinic/reward/outcome/std_share"] == 0.0
    assert found["clinic/reward/outcome/cov_share"] == 0.0


def test_the_share_of_the_standard_deviation_agrees_with_the_reference() -> None:
    if not GOLDEN.is_file():
        pytest.skip("the reference values are not at hand")
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))["002_snr_share"]
    weights = {f"part{j}": weight for j, weight in enumerate(golden["weights"])}
    records = []
    for row in golden["rewards"]:
        parts = dict(zip(weights, row, strict=True))
        total = sum(weights[name] * value for name, value in parts.items())
        rewards = {f"reward/{name}": value for name, value in parts.items()}
        records.append(dict.fromkeys(NEEDED, 0.0) | rewards | {"total": total})
    found = step_metrics(records, ["a"] * len(records), weights)
    shares = [found[f"clinic/reward/{name}/std_share"] for name in weights]
    assert shares == pytest.approx(golden["share"], abs=1e-9)
    assert found["clinic/total/std"] == pytest.approx(golden["sigma_R"], abs=1e-9)
    assert sum(found[f"clinic/reward/{name}/cov_share"] for name in weights) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("records", "groups", "said"),
    [
        ([], [], "0 records and 0 groups"),
        ([record()], ["a", "b"], "1 records and 2 groups"),
        ([{"score": 1.0}], ["a"], "a record lacks "),
        ([record(), record(metric__new=1)], ["a", "a"], r"record 1 differs .*\['metric/new'\]"),
        ([record(), record(score=math.nan)], ["a", "a"], "record 1 has score nan"),
        ([record(total=-math.inf)], ["a"], "record 0 has total -inf"),
    ],
)
def test_bad_records_are_refused(
    records: Sequence[Mapping[str, float]], groups: list[str], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        step_metrics(records, groups, WEIGHTS)


def test_a_weight_names_a_part() -> None:
    with pytest.raises(ConfigError, match=r"unknown rewards \['outcom'\]; choose from \['extra'"):
        step_metrics([record()], ["a"], {"outcom": 1.0})


# --- alarms

HEALTHY = {
    "val/turns": 7.2, "clinic/clip_ratio": 0.1, "ttopd/kl": 0.4, "clinic/mixed_fraction": 0.6,
    "ttopd/grad_ratio": 2.0, "clinic/hint_echo": 0.0,
}  # fmt: skip


def heard(series: Sequence[float], key: str, alarms: Alarms | None = None) -> list[int]:
    """Return the steps, from 1, at which one figure raises an alarm, the others being healthy."""
    alarms = alarms or Alarms()
    return [
        step for step, value in enumerate(series, 1) if alarms.check(step, {**HEALTHY, key: value})
    ]


def test_every_key_is_watched() -> None:
    assert set(HEALTHY) == set(WATCHED)


@untimed
@given(
    st.fixed_dictionaries({
        "val/turns": st.floats(1.0, 50.0),
        "clinic/clip_ratio": st.floats(0.0, 0.5),
        "ttopd/kl": st.floats(0.0, 10.0),
        "clinic/mixed_fraction": st.floats(0.2, 1.0),
        "ttopd/grad_ratio": st.floats(0.0, 10.0),
    }),
    st.integers(1, 30),
)  # fmt: skip
def test_a_flat_healthy_run_is_silent(level: dict[str, float], steps: int) -> None:
    alarms = Alarms()
    for step in range(1, steps + 1):
        assert alarms.check(step, {**level, "clinic/hint_echo": 0.0}) == []


@untimed
@given(st.lists(st.floats(0.0, 1.0), max_size=20))
def test_thresholds(values: list[float]) -> None:
    steps = list(enumerate(values, 1))
    assert heard(values, "clinic/clip_ratio") == [n for n, x in steps if x > 0.5]
    assert heard(values, "clinic/mixed_fraction") == [n for n, x in steps if x < 0.2]
    assert heard(values, "clinic/hint_echo") == [n for n, x in steps if x > 0.0]
    ratios = [20.0 * x for x in values]
    expected = [n for n, x in enumerate(ratios, 1) if x > 10.0]
    assert heard(ratios, "ttopd/grad_ratio") == expected


@untimed
@given(st.lists(st.floats(0.0, 3.0) | st.sampled_from([0.001, 0.0004, 1e-5, 1e-7]), max_size=20))
def test_a_drop_of_the_kl(kl: list[float]) -> None:
    pairs = list(pairwise(kl))
    # An alarm needs a KL beyond rounding, and the step right after it.
    expected = [n for n, (a, b) in enumerate(pairs, 2) if a > 1e-5 and b < (1 - 0.8) * a]
    assert heard(kl, "ttopd/kl") == expected


def test_the_paper_s_reset_is_heard_and_its_ema_run_is_not() -> None:
    assert heard([1.9, 2.637, 0.343, 0.4], "ttopd/kl") == [3]
    assert heard([0.001 + 1.062 * n / 59 for n in range(60)], "ttopd/kl") == []


def test_a_kl_is_compared_with_the_step_before_only() -> None:
    alarms = Alarms()
    assert alarms.check(1, {"ttopd/kl": 2.0}) == []
    assert alarms.check(2, {}) == []
    assert alarms.check(3, {"ttopd/kl": 0.1}) == []
    assert len(alarms.check(4, {"ttopd/kl": 0.01})) == 1


@untimed
@given(
    st.lists(st.floats(1.0, 10.0) | st.sampled_from([2.0, 8.0, 1.7, 6.8]), min_size=1, max_size=20)
)
def test_three_evaluations_below_the_first(turns: list[float]) -> None:
    low = [x < (1 - 0.15) * turns[0] for x in turns]
    expected = [n for n in range(1, len(turns) + 1) if n >= 3 and all(low[n - 3 : n])]
    assert heard(turns, "val/turns") == expected


def test_steps_without_an_evaluation_neither_count_nor_clear() -> None:
    alarms = Alarms()
    said: list[int] = []
    for step in range(41):
        found = {"val/turns": 7.65 if step == 0 else 5.52} if step % 10 == 0 else {}
        said += [step] * len(alarms.check(step, found))
    assert said == [30, 40]


def test_an_evaluation_counts_once_and_an_empty_one_never() -> None:
    alarms = Alarms()
    assert alarms.check(0, {"val/turns": 0.0}) == []
    assert alarms.baseline is None
    for step in (0, 10, 10, 10, 20):
        assert alarms.check(step, {"val/turns": 5.0 if step else 8.0}) == []
    assert alarms.check(30, {"val/turns": 0.0}) == []
    assert alarms.low == 2
    assert len(alarms.check(40, {"val/turns": 5.0})) == 1


@pytest.mark.parametrize("key", WATCHED)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_said_and_not_kept(key: str, value: float) -> None:
    alarms = Alarms()
    alarms.check(1, HEALTHY)
    (said,) = alarms.check(2, {**HEALTHY, key: value})
    assert said.startswith(f"step 2: {key} is {value}")
    assert all(x is None or math.isfinite(x) for x in alarms.state_dict().values())
    assert alarms.check(3, HEALTHY) == []


def test_what_alarms_say() -> None:
    alarms = Alarms()
    for step in (1, 2, 3):
        said = alarms.check(step, {"val/turns": 8.0 if step == 1 else 5.0})
    assert said == []
    alarms.check(4, {"ttopd/kl": 2.637})
    turns, clipped, dropped, mixed, gradients, echoed = alarms.check(
        5,
        {
            "val/turns": 4.5, "clinic/clip_ratio": 0.917, "ttopd/kl": 0.343,
            "clinic/mixed_fraction": 0.125, "ttopd/grad_ratio": 14.25, "clinic/hint_echo": 0.02,
        },
    )  # fmt: skip
    assert "4.50 turns" in turns
    assert "15% below the 8.00 of the first, 3 evaluations in a row" in turns
    assert "92% of the trajectories truncated (limit 50%)" in clipped
    assert "from 2.64 to 0.343, more than 80%" in dropped
    assert "12% of the groups" in mixed
    assert "14.2 times that of GRPO (limit 10)" in gradients
    assert "clinic/hint_echo 0.02" in echoed
    for text in (turns, clipped, dropped, mixed, gradients, echoed):
        assert text.startswith("step 5: ")
        assert "\n" not in text


levels = st.fixed_dictionaries(
    {},
    optional={
        "val/turns": st.floats(0.0, 10.0),
        "ttopd/kl": st.floats(0.0, 3.0),
        "clinic/clip_ratio": st.floats(0.0, 1.0),
    },
)


@untimed
@given(st.lists(levels, max_size=20), st.data())
def test_a_restored_state_behaves_the_same(series: list[dict[str, float]], data: Any) -> None:
    cut = data.draw(st.integers(0, len(series)))
    whole, first, second = Alarms(), Alarms(), Alarms()
    expected = [whole.check(step, found) for step, found in enumerate(series)]
    said = [first.check(step, found) for step, found in enumerate(series[:cut])]
    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    said += [second.check(step, found) for step, found in enumerate(series[cut:], cut)]
    assert said == expected
    assert second.state_dict() == whole.state_dict()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"other": 1}, "has the keys"),
        ({"low": 1.5}, "'low' in the state of alarms is a whole number, not 1.5"),
        ({"low": None}, "'low' in the state of alarms is a whole number"),
        ({"kl": "x"}, "'kl' in the state of alarms is a number or null, not 'x'"),
        ({"baseline": True}, "'baseline' in the state of alarms is a number or null"),
    ],
)
def test_a_state_of_another_form_is_refused(changes: dict[str, Any], said: str) -> None:
    alarms = Alarms()
    alarms.check(1, HEALTHY)
    before = alarms.state_dict()
    with pytest.raises(ConfigError, match=said):
        alarms.load_state_dict({**before, "low": 2, **changes})
    assert alarms.state_dict() == before
    with pytest.raises(ConfigError, match="has the keys"):
        alarms.load_state_dict({})
