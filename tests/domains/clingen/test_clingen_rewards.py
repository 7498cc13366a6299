from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.domains.clingen.evidence import CLASSES
from gym_clinic.domains.clingen.rewards import (
    balanced_accuracy,
    hybrid_reward,
    input_metrics,
    outcome_reward,
    process_reward,
    set_f1,
    subtype_reward,
)
from gym_clinic.errors import ConfigError

NO_KNOWN, LIMITED, MODERATE, STRONG, DEFINITIVE = CLASSES


def near(value):
    return pytest.approx(value, abs=1e-9)


# Reference values ----------------------------------------------------------------------------


def test_outcome_agrees_with_the_reference(golden):
    for case in golden["000_outcome"]:
        assert outcome_reward(case["pred"], case["gold"]) == near(case["r"])


def test_process_agrees_with_the_reference(golden):
    for case in golden["000_process"]:
        given_, wanted, malformed = case["pred"], case["gold"], case["n_malformed"]
        assert set_f1(given_, wanted) == near(case["f1"])
        assert process_reward(given_, wanted, malformed) == near(case["r"])
        assert process_reward(given_, wanted, malformed, floor=-1) == near(case["r_floored"])


def test_subtypes_agree_with_the_reference(golden):
    for case in golden["000_single_agent_f1"]:
        assert set_f1(case["pred"], case["gold"]) == near(case["f1"])
        assert subtype_reward(case["pred"], case["gold"]) == near(case["r"])


def test_hybrid_agrees_with_the_reference(golden):
    for case in golden["000_hybrid"]:
        assert hybrid_reward(case["ro"], case["rp"], case["lam"]) == near(case["r"])


def test_metrics_agree_with_the_reference(golden):
    inputs = [input_metrics(one) for one in golden["000_eval"]["records"]]
    for name, value in golden["000_eval"]["metrics"].items():
        name = name.replace("_acc", "_accuracy")
        assert sum(metrics[name] for metrics in inputs) / len(inputs) == near(value), name


# The same, worked out by hand ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("predicted", "gold", "reward"),
    [
        (DEFINITIVE, DEFINITIVE, 1),
        (STRONG, DEFINITIVE, 0.5),
        (MODERATE, DEFINITIVE, 0),
        (LIMITED, DEFINITIVE, -0.5),
        (NO_KNOWN, DEFINITIVE, -1),
        (DEFINITIVE, NO_KNOWN, -1),
        ("Disputed", MODERATE, -1),
        ("definitive", DEFINITIVE, -1),
        ("", LIMITED, -1),
        (None, LIMITED, -1),
    ],
)
def test_outcome(predicted, gold, reward):
    assert outcome_reward(predicted, gold) == reward


def test_outcome_constants_are_keywords():
    assert outcome_reward(DEFINITIVE, DEFINITIVE, scale=6) == 3
    assert outcome_reward(None, DEFINITIVE, scale=6) == -3
    assert outcome_reward(LIMITED, LIMITED, center=0) == 2
    with pytest.raises(ConfigError, match="gold is 'Disputed'; choose from"):
        outcome_reward(DEFINITIVE, "Disputed")


@pytest.mark.parametrize(
    ("predicted", "gold", "f1"),
    [
        ([], [], 1),
        ([], ["a"], 0),
        (["a"], [], 0),
        (["a"], ["b"], 0),
        (["a", "a"], ["a"], 1),
        (["a", "b"], ["a"], 2 / 3),
        (["a", "b", "c"], ["a"], 1 / 2),
        (["a", "b"], ["b", "c"], 1 / 2),
    ],
)
def test_f1(predicted, gold, f1):
    assert set_f1(predicted, gold) == near(f1)


def test_process():
    assert process_reward(["a"], ["a"]) == 1
    assert process_reward(["a", "b"], ["a"]) == near(2 * (8 / 27 - 1 / 2))
    assert process_reward(["a"], ["b"], 1) == near(-1.1)
    assert process_reward(["a"], ["a"], 30) == near(-2)
    assert process_reward(["a"], ["a"], 30, floor=-1) == -1
    assert process_reward(["a", "b", "c"], ["a"], power=1) == near(0)
    assert process_reward(["a"], ["a"], 1, malformed_penalty=0.25, scale=4, center=0) == near(3.75)
    assert subtype_reward([("1", "A"), ("2", "A")], [["1", "A"]], 1) == near(-11 / 27 - 0.1)


def test_hybrid_weighs_the_process():
    assert hybrid_reward(1, -1) == 0
    assert hybrid_reward(1, -1, weight=1) == -1
    assert hybrid_reward(1, -1, weight=0) == 1
    assert hybrid_reward(1, 0.2, 0.25) == near(0.8)


def record(label, gold, calls=(), gold_calls=(), evidence=(), gold_evidence=()):
    return {
        "pred_label": label,
        "gold_label": gold,
        "pred_calls": calls,
        "gold_calls": gold_calls,
        "pred_evidence": evidence,
        "gold_evidence": gold_evidence,
    }


def test_metrics():
    all_right = record(DEFINITIVE, DEFINITIVE, ["a"], ["a"], ["e"], ["e"])
    assert set(input_metrics(all_right).values()) == {1.0}
    assert input_metrics(record(DEFINITIVE, DEFINITIVE, ["a", "b"], ["a"], ["e"], ["e"])) == {
        "outcome_accuracy": 1.0,
        "agent_call_accuracy": 0.0,
        "agent_call_f1": near(2 / 3),
        "evidence_accuracy": 1.0,
        "evidence_f1": 1.0,
    }
    assert set(input_metrics(record(None, LIMITED, ["a"], ["b"], [], ["e"])).values()) == {0.0}
    single = {key: all_right[key] for key in all_right if not key.endswith("calls")}
    assert set(input_metrics(single)) == {"outcome_accuracy", "evidence_accuracy", "evidence_f1"}


def test_balanced_accuracy_is_the_mean_recall_of_the_classes():
    hits = [(DEFINITIVE, 1.0), (DEFINITIVE, 1.0), (DEFINITIVE, 1.0), (LIMITED, 0.0)]
    assert balanced_accuracy(hits) == 0.5
    assert balanced_accuracy([*hits, (LIMITED, 1.0)]) == 0.75


# Errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize("malformed", [-1, 1.0, True, "1", None])
def test_malformed_is_a_count(malformed):
    with pytest.raises(ConfigError, match="expected a whole number"):
        process_reward([], [], malformed)


@pytest.mark.parametrize("weight", [-0.1, 1.1, math.nan])
def test_weight_is_a_share(weight):
    with pytest.raises(ConfigError, match="expected the share"):
        hybrid_reward(1, 1, weight)


def test_collections_are_collections_of_hashables():
    with pytest.raises(ConfigError, match="predicted is str"):
        set_f1("abc", [])
    with pytest.raises(ConfigError, match="gold is NoneType"):
        set_f1([], None)
    with pytest.raises(ConfigError, match="gold has an item"):
        set_f1([], [{"pmid": "1"}])


def test_metrics_name_what_is_missing():
    broken = record(LIMITED, LIMITED)
    del broken["pred_calls"]
    with pytest.raises(ConfigError, match=r"a record lacks \['pred_calls'\]"):
        input_metrics(broken)
    with pytest.raises(ConfigError, match="gold_label is 'Refuted'"):
        input_metrics(record(LIMITED, "Refuted"))


# Properties ----------------------------------------------------------------------------------

calls = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("12"), st.just("x")), max_size=8)


@given(st.one_of(st.none(), st.sampled_from(CLASSES), st.text()), st.sampled_from(CLASSES))
def test_outcome_lies_in_its_range_and_is_best_when_right(predicted, gold):
    reward = outcome_reward(predicted, gold)
    assert -1 <= reward <= 1
    assert (reward == 1) is (predicted == gold)


@given(calls, calls, st.randoms(use_true_random=False))
def test_f1_is_symmetric_and_ignores_order(predicted, gold, random):
    f1 = set_f1(predicted, gold)
    assert 0 <= f1 <= 1
    assert f1 == set_f1(gold, predicted)
    assert f1 == set_f1(random.sample(predicted, len(predicted)) + predicted[:1], gold)
    assert (f1 == 1) is (set(predicted) == set(gold))


@given(calls, calls, st.integers(0, 50))
def test_process_falls_with_each_malformed_block(predicted, gold, malformed):
    reward = process_reward(predicted, gold, malformed)
    assert -1 - 0.1 * malformed - 1e-9 <= reward <= 1
    assert process_reward(predicted, gold, malformed + 1) == near(reward - 0.1)
    assert process_reward(predicted, gold, malformed, floor=-1) == max(-1, reward)


@given(calls, st.sampled_from([("z", "1", "x"), ("z", "2", "x")]))
def test_a_needless_call_never_pays(gold, needless):
    assert process_reward([*gold, needless], gold) < process_reward(gold, gold) == 1


@given(st.floats(-2, 1), st.floats(-1, 1), st.floats(0, 1))
def test_the_hybrid_reward_lies_between_its_parts(process, outcome, weight):
    reward = hybrid_reward(outcome, process, weight)
    assert min(process, outcome) - 1e-9 <= reward <= max(process, outcome) + 1e-9
