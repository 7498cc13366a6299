from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.errors import ConfigError
from gym_clinic.retrieval.patients.segments import COLUMNS, open_loops


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
    assert np.array_equal(open_loops("numpy").segments(members, starts)(values), expected)
    assert np.array_equal(open_loops("auto").segments(members, starts)(values), expected)


@pytest.mark.parametrize("engine", ["numba", "numpy"])
@pytest.mark.parametrize("rows", [1, 63, 500])
def test_cosines_are_right_and_do_not_depend_on_their_place(engine, rows):
    if engine == "numba":
        pytest.importorskip("numba")
    rng = np.random.default_rng(rows)
    vectors = rng.standard_normal((rows, 96), dtype=np.float32)
    block = rng.standard_normal((COLUMNS, 96), dtype=np.float32)
    cosines = open_loops(engine).cosines(vectors, block)
    assert cosines == pytest.approx(vectors.astype(float) @ block.T.astype(float), abs=1e-4)
    turned = open_loops(engine).cosines(vectors, np.ascontiguousarray(block[::-1]))
    assert np.array_equal(turned[:, ::-1], cosines)


def test_without_numba_auto_is_numpy_and_numba_tells_how_to_get_it(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert open_loops("auto") == open_loops("numpy")
    with pytest.raises(ConfigError, match=r"pip install 'gym_clinic\[numba\]'"):
        open_loops("numba")


def test_an_unknown_engine_gets_the_known_ones():
    with pytest.raises(ConfigError, match="unknown engine 'gpu'; choose from"):
        open_loops("gpu")


def test_numba_is_not_loaded_before_it_is_used():
    code = "import gym_clinic.retrieval.patients.matcher, sys; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


USE = """
import numpy as np
from gym_clinic.retrieval.patients import segments
block = np.eye(segments.COLUMNS, dtype=np.float32)
assert np.array_equal(segments.open_loops("numba").cosines(block, block), block)
print(sum(sum(one.stats.cache_hits.values()) for one in segments._compiled()))
"""


def use(code: str, cache: Path) -> str:
    """Run code in a process of its own, with a folder for what numba compiles."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def test_compiled_code_is_kept_for_later_processes(tmp_path):
    pytest.importorskip("numba")
    assert use(USE, tmp_path) == "0"
    assert use(USE, tmp_path) == "2"


def test_without_a_folder_to_keep_it_the_code_is_compiled_again(tmp_path):
    pytest.importorskip("numba")
    nowhere = "from numba.core import caching; caching.CacheImpl._locator_classes = []\n"
    assert use(nowhere + USE, tmp_path) == "0"
    assert list(tmp_path.iterdir()) == []
