"""Part of every pool of phrases occurs in dev or in test only."""

from __future__ import annotations

import pytest

from gym_clinic.simulate.split import held_out, of_split, skeleton

POOL = [f"phrase {word} of {{it}}" for word in "abcdefghijklmnopqrstuvw"]


def test_three_in_ten_phrases_are_not_in_train() -> None:
    for amount in range(2, len(POOL)):
        phrases = POOL[:amount]
        train = of_split("pool", phrases, "train")
        assert 0 < len(train) <= 0.7 * amount
        held = set(phrases) - set(train)
        assert held == held_out("pool", phrases).keys()
        for split in ("dev", "test"):
            own = [one for one in of_split("pool", phrases, split) if one in held]
            assert own
            assert len(own) >= 0.33 * len(of_split("pool", phrases, split))


def test_dev_and_test_share_no_phrase_that_train_lacks_where_there_are_enough() -> None:
    held = set(held_out("pool", POOL))
    dev = held & set(of_split("pool", POOL, "dev"))
    test = held & set(of_split("pool", POOL, "test"))
    assert dev.isdisjoint(test)
    assert dev | test == held


def test_the_division_differs_between_pools_and_is_stable() -> None:
    assert of_split("one", POOL, "train") == of_split("one", POOL, "train")
    assert of_split("one", POOL, "train") != of_split("two", POOL, "train")


def test_phrases_that_differ_in_their_slots_alone_go_together() -> None:
    pairs = [text.replace("{it}", slot) for text in POOL for slot in ("{it}", "{that}")]
    assert skeleton(pairs[0]) == skeleton(pairs[1])
    train = set(of_split("pool", pairs, "train"))
    assert all(
        (one in train) == (two in train) for one, two in zip(pairs[::2], pairs[1::2], strict=True)
    )


def test_a_phrase_alone_is_in_every_split() -> None:
    assert [of_split("pool", ["only"], one) for one in ("train", "dev", "test")] == [["only"]] * 3


def test_another_split_is_an_error() -> None:
    with pytest.raises(ValueError, match="split is 'train', 'dev' or 'test', not 'valid'"):
        of_split("pool", POOL, "valid")  # type: ignore[arg-type]
