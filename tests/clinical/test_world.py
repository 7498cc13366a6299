"""A task's patient is drawn once, and each episode has a chart of its own."""

from __future__ import annotations

import pickle
from dataclasses import replace

import clinical_domain
import gymnasium as gym
import pytest

from gym_clinic.catalog import unwrap
from gym_clinic.clinical import ClinicCase, ended, open_case, open_patient, open_world
from gym_clinic.clinical.judging.citations import signs, was_read
from gym_clinic.env import ClinicEnv
from gym_clinic.errors import ConfigError, TaskError

RECORD = {"seed": 21, "condition": "gout", "split": "dev"}


@pytest.fixture
def env() -> ClinicEnv:
    return unwrap(gym.make(clinical_domain.ID))


def test_a_patient_is_drawn_once() -> None:
    assert open_world(RECORD) is open_world({**RECORD, "a field of the domain": 1})
    assert open_patient(RECORD) is open_world(RECORD).patient
    assert open_world({**RECORD, "split": "test"}) is not open_world(RECORD)


def test_measures_of_one_message_are_the_work_of_a_team() -> None:
    case = ClinicCase(open_world(RECORD))
    case.work(3)
    case.work(5)
    case.work(1)
    assert (case.minute, case.saved) == (5, 4)
    case.end_turn()
    case.work(2)  # a client may execute the calls of one message one by one
    assert (case.minute, case.saved) == (5, 6)
    case.begin_message()
    case.work(1)
    assert case.minute == 6
    case.spend(2)  # what is looked at in between: the next measure begins after it
    case.work(1)
    assert (case.minute, case.saved) == (9, 6)


def test_charts_of_a_task_share_the_record_and_nothing_that_changes() -> None:
    task = clinical_domain.domain().split("train")[0]
    one, other = open_case(task), open_case(task)
    assert one.patient is other.patient
    one.place("laboratory", "crp", "crp", done=5.0)
    one.told["finding:x"] = "yes"
    assert len(one.orders) == 1
    assert not other.orders
    assert "finding:x" not in other.told


def test_what_was_read_is_marked_at_the_end_of_each_turn(env: ClinicEnv) -> None:
    env.reset(seed=1)
    env.step_calls([{"name": "measure_vital_signs", "arguments": {}}])
    case = env.episode.case
    assert isinstance(case, ClinicCase)
    assert [one.events for one in case.marks] == [0, 1]
    assert ended(env.episode) is None


def test_an_episode_goes_on_after_a_fork_and_after_pickling(env: ClinicEnv) -> None:
    env.reset(seed=1)
    env.step_calls([{"name": "measure_vital_signs", "arguments": {}}])
    env.step_calls([{"name": "ask_patient", "arguments": {"question": "Any pain?"}}])
    call = [{"name": "ask_patient", "arguments": {"question": "When did it start?"}}]
    twins = env.fork(), pickle.loads(pickle.dumps(env))
    expected = env.step_calls(call)[0]
    assert [one.step_calls(call)[0] for one in twins] == [expected] * 2


def test_a_record_that_fits_nobody_is_refused() -> None:
    with pytest.raises(ConfigError, match="no condition 'gouty'"):
        open_world({**RECORD, "condition": "gouty"})
    with pytest.raises(TaskError, match="no edit"):
        open_world({**RECORD, "edit": [{"kind": "age"}]})


def test_the_signs_of_a_patient_are_read_out_once_and_kept_with_the_world() -> None:
    world = open_world(RECORD)
    found = signs(world)
    for seed in range(70):  # however many others are asked in between
        signs(replace(world, patient=replace(world.patient, seed=seed), _memo={}))
    assert signs(world) is found


def test_what_was_read_is_asked_anew_of_each_episode() -> None:
    world = open_world(RECORD)
    assert not was_read(world, "lab:crp", frozenset())
    assert was_read(world, "lab:crp", frozenset({"lab:crp"}))
    assert not was_read(world, "lab:crp", frozenset({"vital:hr"}))
