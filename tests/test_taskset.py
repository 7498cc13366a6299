from __future__ import annotations

import subprocess
import sys

import gymnasium as gym
import numpy as np
import pytest
from inline_domain import DOSES, make
from places import ROOT, SUPPORT

from gym_clinic import ClinicEnv, ConfigError, EndlessTasks, Task
from gym_clinic.taskset import TaskList, as_tasks, data_hash, first, spread

TASKS = [Task(id=f"t{n}", record={}, gold={"answer": n}) for n in range(10)]


def test_a_list_is_reached_by_position_and_by_id_and_drawn() -> None:
    tasks = as_tasks(TASKS)
    assert (len(tasks), tasks[3].id, tasks.by_id("t4").id) == (10, "t3", "t4")
    assert not tasks.endless
    drawn = {tasks.draw(np.random.default_rng(seed)).id for seed in range(100)}
    assert drawn == {task.id for task in TASKS}
    with pytest.raises(KeyError):
        tasks.by_id("t10")
    assert as_tasks(tasks) is tasks
    assert list(TaskList(TASKS)) == TASKS


def test_some_of_the_tasks_are_drawn_by_the_same_classes() -> None:
    kept = TaskList(TASKS, lambda task: task.id).only(TASKS[:2])
    assert kept.classes == ((0,), (1,))
    assert TaskList(TASKS).only(TASKS[:2]).classes == ((0, 1),)


def test_an_endless_split_makes_the_same_task_from_the_same_seed() -> None:
    one, other = EndlessTasks(make, "d"), EndlessTasks(make, "d")
    assert one.endless
    assert one[7] == other[7]
    assert one[7].id == "d-00000007"
    assert one[7].record != one[8].record
    drawn = one.draw(np.random.default_rng(3))
    assert other.by_id(drawn.id) == drawn == other.draw(np.random.default_rng(3))


@pytest.mark.parametrize("wrong", ["d-7", "e-00000007", "d-0000000G", "d-0000000A", "", "d"])
def test_no_other_id_reaches_an_endless_task(wrong: str) -> None:
    with pytest.raises(KeyError):
        EndlessTasks(make, "d").by_id(wrong)


def test_seeds_have_limits() -> None:
    endless = EndlessTasks(make, "d")
    assert endless[2**32 - 1].id == "d-ffffffff"
    for wrong in (-1, 2**32):
        with pytest.raises(IndexError, match="a seed is from 0 to"):
            endless[wrong]


def test_an_endless_split_is_never_listed_whole() -> None:
    endless = EndlessTasks(make, "d")
    with pytest.raises(ConfigError, match="an endless split cannot be listed whole; give a limit"):
        first(endless)
    assert [task.id for task in first(endless, 2)] == ["d-00000000", "d-00000001"]
    assert len(spread(endless, 20)) == 20
    assert data_hash(endless) == data_hash(EndlessTasks(make, "d")) != data_hash(TASKS)


def test_tasks_are_spread_evenly() -> None:
    assert [task.id for task in spread(TASKS, 3)] == ["t0", "t4", "t8"]
    assert spread(TASKS, 100) == TASKS
    assert spread([], 3) == []


def test_an_endless_split_plays_beside_files() -> None:
    env = gym.make("toy/Doses-v0", split="endless")
    _, info = env.reset(seed=5)
    _, again = env.reset(options={"task_id": info["task_id"]})
    assert again["messages"] == info["messages"]
    with pytest.raises(
        ConfigError, match=r"no task 'd-x' among the 4,294,967,296 of this split, such as"
    ):
        env.reset(options={"task_id": "d-x"})
    assert len(DOSES.split("train")) == 40


def test_another_process_draws_the_same_endless_tasks() -> None:
    code = (
        "import gymnasium as gym, inline_domain\n"
        "env = gym.make('toy/Doses-v0', split='endless')\n"
        "print(env.reset(seed=11)[0])"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {[str(SUPPORT), str(ROOT)]!r}\n{code}"],
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    env = ClinicEnv("inline_domain:DOSES", split="endless")
    assert done.stdout.strip() == env.reset(seed=11)[0].strip()
