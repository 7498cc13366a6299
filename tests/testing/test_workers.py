"""Tasks are looked at by several processes, and what is found is in the order of the tasks."""

from __future__ import annotations

import os

import pytest

from gym_clinic.testing.workers import in_processes


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_results_are_in_the_order_of_the_items(workers: int) -> None:
    factor = 3  # a function that cannot be pickled, as it is inherited
    assert list(in_processes(lambda one: one * factor, range(23), workers)) == [
        one * factor for one in range(23)
    ]


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="processes inherit on Linux alone")
def test_the_work_is_done_in_other_processes() -> None:
    done_by = set(in_processes(lambda one: os.getpid(), range(40), 2))
    assert os.getpid() not in done_by
    assert set(in_processes(lambda one: os.getpid(), range(40), 1)) == {os.getpid()}
