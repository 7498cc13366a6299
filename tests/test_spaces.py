from __future__ import annotations

import pickle
from typing import Any

import pytest
from gymnasium import spaces
from gymnasium.error import CustomSpaceError
from gymnasium.vector.utils import create_shared_memory
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.spaces import ClinicalText


@given(st.text(max_size=60))
def test_any_text_of_bounded_length(text: str) -> None:
    assert (text in ClinicalText(30)) is (len(text) <= 30)


@pytest.mark.parametrize("other", [None, 1, b"bytes", ["list"], ("t",)])
def test_only_text_is_contained(other: Any) -> None:
    assert other not in ClinicalText(30)


def test_clinical_text_is_a_text_space() -> None:
    space = ClinicalText(30)
    assert isinstance(space, spaces.Text)
    assert "" in space
    assert "β-blocker 5 µg, 日本\n\ud800" in space
    assert repr(space) == "ClinicalText(30)"
    assert space == ClinicalText(30)
    assert space != ClinicalText(31)
    assert space != spaces.Text(30)
    assert pickle.loads(pickle.dumps(space)) == space


def test_samples_are_seeded_short_and_inside() -> None:
    first, second = ClinicalText(1_000_000, seed=4), ClinicalText(1_000_000, seed=4)
    drawn = [first.sample() for _ in range(50)]
    assert drawn == [second.sample() for _ in range(50)]
    assert len(set(drawn)) > 40
    assert all(text in first and len(text) <= 64 for text in drawn)
    tiny = ClinicalText(2, seed=1)
    assert all(tiny.sample() in tiny for _ in range(50))
    assert len(first.sample(mask=(5, None))) == 5


def test_shared_memory_is_refused() -> None:
    with pytest.raises(CustomSpaceError, match="shared_memory=False"):
        create_shared_memory(ClinicalText(10), n=2)
