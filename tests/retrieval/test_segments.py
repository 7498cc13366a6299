from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.errors import ConfigError
from gym_clinic.retrieval.segments import COLUMNS, numpy_maxima, segment_maxima


def plainly(values, members, starts):
    maxima = np.full((len(starts) - 1, values.shape[1]), -np.inf, dtype=np.float32)
    for segment in range(len(starts) - 1):
        for member in members[starts[segment] : starts[segment + 1]]:
            maxima[segment] = np.maximum(maxima[segment], values[member])
    return maxima


@given(st.lists(st.lists(st.integers(0, 5), max_size=4), min_size=1, max_size=12), st.integers())
def test_both_engines_take_the_maximum_of_each_segment(segments, seed):
    rng = np.random.default_rng(abs(seed))
    values = rng.standard_normal((6, COLUMNS)).astype(np.float32)
    members = np.array([member for one in segments for member in one], dtype=np.int32)
    starts = np.cumsum([0, *map(len, segments)], dtype=np.int64)
    expected = plainly(values, members, starts)
    assert np.array_equal(numpy_maxima(values, members, starts), expected)
    assert np.array_equal(segment_maxima("auto")(values, members, starts), expected)


def test_without_numba_auto_is_numpy_and_numba_tells_how_to_get_it(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert segment_maxima("auto") is numpy_maxima
    with pytest.raises(ConfigError, match=r"pip install 'gym_clinic\[numba\]'"):
        segment_maxima("numba")


def test_an_unknown_engine_is_told_the_known_ones():
    with pytest.raises(ConfigError, match="unknown engine 'gpu'; choose from"):
        segment_maxima("gpu")


def test_a_block_of_another_width_is_refused():
    pytest.importorskip("numba")
    with pytest.raises(ValueError, match=f"3 columns; expected {COLUMNS}"):
        segment_maxima("numba")(
            np.zeros((1, 3), np.float32), np.zeros(1, np.int32), np.array([0, 1])
        )


def test_numba_is_not_loaded_before_it_is_used():
    code = "import gym_clinic.retrieval.patients, sys; sys.exit('numba' in sys.modules)"
    import subprocess

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
