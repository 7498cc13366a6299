"""The reward, the difficulty and the loss: reference values, and what holds for all inputs."""

from __future__ import annotations

import math
from itertools import product
from string import ascii_uppercase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.domains.mmedagent import difficulty, objective, reward
from gym_clinic.domains.mmedagent.curriculum import KL
from gym_clinic.domains.mmedagent.rewards import chosen_option, format_kept, stated_answer
from gym_clinic.errors import ConfigError

YES_NO = {"A": "yes", "B": "no"}
FOUR = {"A": "left upper lobe", "B": "right upper lobe", "C": "a b", "D": "none of these"}


def test_reference_values(golden: Any) -> None:
    for case in golden["004_reward"]:
        assert reward(case["text"], case["options"], case["gold"]) == case["total"], case["id"]
        assert format_kept(case["text"]) * 0.5 == case["fmt"], case["id"]
    for case in golden["004_difficulty"]:
        level = difficulty(case["correct"])
        assert (level, level.level, level.kl) == (case["level"], case["level"], case["kl"])
    batch = [golden["grpo_loss"][name] for name in ("logp", "old", "ref", "mask", "adv")]
    for case in golden["004_objective"]:
        for how in ({"stage": case["stage"]}, {"beta": case["beta"]}):
            assert objective(*batch, **how) == pytest.approx(case["loss"], abs=1e-12)


def test_the_recipes_have_the_same_functions() -> None:
    import verl_recipes.mmedagent as recipe

    assert (recipe.reward, recipe.difficulty, recipe.objective) == (reward, difficulty, objective)


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("B", "B"), ("b", "B"), (" B. ", "B"), ("(b)", "B"), ("B)", "B"), ("**B**", "B"),
        ("B. no", "B"), ("B: No.", "B"), ("b no", "B"), ("B - no", "B"), ("no", "B"),
        ("NO!", "B"), ("option B", "B"), ("The answer is B. no", "B"),
        ("B. yes", None), ("A. no", None), ("A or B", None), ("A, B", None), ("yes no", None),
        ("C", None), ("maybe", None), ("", None), ("B. no, because of the shadow", None),
    ],
)  # fmt: skip
def test_an_answer_names_one_option(answer: str, label: str | None) -> None:
    assert chosen_option(answer, YES_NO) == label


@pytest.mark.parametrize(
    ("answer", "label"),
    [("Left  upper\nlobe", "A"), ("A b", "C"), ("a b", "C"), ("C. a b", "C"), ("d", "D"),
     ("upper lobe", None), ("left upper lobe, right upper lobe", None)],
)  # fmt: skip
def test_texts_of_several_words(answer: str, label: str | None) -> None:
    assert chosen_option(answer, FOUR) == label


def test_two_options_of_one_text_are_told_apart_by_label_only() -> None:
    twice = {"A": "mild", "B": "Mild", "C": "severe"}
    assert chosen_option("mild", twice) is None
    assert chosen_option("B. mild", twice) == "B"


@pytest.mark.parametrize(
    ("text", "kept", "answer"),
    [
        ("<think>x</think><answer>A</answer>", True, "a"),
        ("\n<think></think>\n<answer>A</answer>\n", True, "a"),
        ("<answer>A</answer>", False, "a"),
        ("<answer>A</answer><think>x</think>", False, "a"),
        ("so <think>x</think><answer>A</answer>", False, "a"),
        ("<think>x</think> so <answer>A</answer>", False, "a"),
        ("<think>x</think><answer>A</answer><answer>B</answer>", False, None),
        ("<think>x</think><answer>A</answer><answer> a. </answer>", False, "a"),
        ("<think>x</think><think>y</think><answer>A</answer>", False, "a"),
        ("<think><answer>B</answer></think><answer>A</answer>", False, "a"),
        ("<think>x<answer>A</answer></think>", False, None),
        ("<think>x</think><answer>A", False, None),
        ("<think>x<answer>A</answer>", False, "a"),
        ("<think>x</think>A", False, None),
        ("", False, None),
    ],
)
def test_format_and_answer(text: str, kept: bool, answer: str | None) -> None:
    assert format_kept(text) is kept
    assert stated_answer(text) == answer


def test_the_gold_is_a_label() -> None:
    with pytest.raises(ConfigError, match="label of the options"):
        reward("<answer>A</answer>", YES_NO, "C")


words = st.lists(st.sampled_from(["left", "right", "upper", "lower", "mass", "b", "a", "no", "3"]),
                 min_size=1, max_size=3).map(" ".join)  # fmt: skip
options = st.lists(words, min_size=2, max_size=5, unique=True).map(
    lambda texts: dict(zip(ascii_uppercase, texts, strict=False))
)
pieces = st.lists(
    st.sampled_from(["<think>", "</think>", "<answer>", "</answer>", "A", "B", ".", " ", "left",
                     "no", "\n", "<answer>A</answer>", "(", "x"]),
    max_size=12,
).map("".join)  # fmt: skip


@given(options, st.data())
def test_label_and_text_of_the_gold_earn_all(options: dict[str, str], data: st.DataObject) -> None:
    gold = data.draw(st.sampled_from(sorted(options)))
    for answer in (gold, gold.lower(), f"{gold}. {options[gold]}", f"({gold}) {options[gold]}."):
        assert reward(f"<think>t</think><answer>{answer}</answer>", options, gold) == 1.5
        assert reward(f"<answer>{answer}</answer>", options, gold) == 1.0


@given(options, pieces, st.text(max_size=40))
def test_at_most_one_option_is_right_whatever_is_written(
    options: dict[str, str], text: str, inner: str
) -> None:
    for said in (text, f"<think>t</think><answer>{inner}</answer>", inner):
        totals = [reward(said, options, gold) for gold in options]
        assert set(totals) <= {0.0, 0.5, 1.0, 1.5}
        assert sum(total >= 1.0 for total in totals) <= 1
        assert len({total % 1.0 for total in totals}) == 1  # the format is the same for all


@given(pieces)
def test_whatever_stands_around_it_takes_the_format(text: str) -> None:
    whole = f"<think>t</think><answer>A</answer>{text}"
    assert format_kept(whole) is (not text.strip())


@given(st.lists(st.booleans(), min_size=1, max_size=7))
def test_difficulty_is_the_share_of_right_specialists(correct: list[bool]) -> None:
    share = sum(correct) / len(correct)
    expected = "easy" if share == 1 else "hard" if share == 0 else "medium"
    assert difficulty(correct) == expected
    assert difficulty(sorted(correct)) == expected


@pytest.mark.parametrize("wrong", [[], [2], ["1"], [0.5, 1]])
def test_difficulty_takes_zeros_and_ones(wrong: list[Any]) -> None:
    with pytest.raises(ConfigError, match="0"):
        difficulty(wrong)


def batch(responses: int = 2, tokens: int = 3) -> list[Any]:
    same = [[-1.0] * tokens for _ in range(responses)]
    return [same, same, same, [[1.0] * tokens] * responses, [1.0] * responses]


def test_the_loss_of_an_unchanged_policy_is_minus_the_advantage() -> None:
    for stage, advantage in product(KL, (-1.5, 0.0, 2.0)):
        logp, old, ref, mask, _ = batch()
        assert objective(logp, old, ref, mask, [advantage] * 2, stage) == pytest.approx(-advantage)


def test_masked_tokens_do_not_count_and_the_ratio_is_clipped() -> None:
    logp, old, ref, mask, adv = batch()
    moved = [[-1.0, -1.0, 0.0], [-1.0, -1.0, -1.0]]
    hidden = [[1, 1, 0], [1, 1, 1]]
    assert objective(moved, old, ref, hidden, adv, "hard") == pytest.approx(-1.0)
    # exp(1) is clipped to 1.2: a third of one of two responses gains .2
    assert objective(moved, old, ref, mask, adv, beta=0.0) == pytest.approx(-1 - 0.2 / 3 / 2)
    kl = (math.exp(-1) + 1 - 1) / 6
    assert objective(moved, old, ref, mask, adv, beta=2.0) == pytest.approx(-1 - 0.2 / 6 + 2 * kl)


@pytest.mark.parametrize(
    ("change", "says"),
    [({"stage": "last"}, "needs beta"), ({}, "needs beta"), ({"mask": [[0, 0, 0]] * 2}, "masked"),
     ({"adv": [1.0]}, "one number a response"), ({"ref": [[0.0]]}, "responses, tokens")],
)  # fmt: skip
def test_wrong_arguments_are_named(change: dict[str, Any], says: str) -> None:
    named = dict(zip(("logp", "old", "ref", "mask", "adv"), batch(), strict=True))
    how = {"beta": 0.1} if {"mask", "adv", "ref"} & set(change) else {}
    with pytest.raises(ConfigError, match=says):
        objective(**{**named, **how, **change})
