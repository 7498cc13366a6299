"""The three settings: what is shown, what is paid, and what a consultation allows."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic import ClinicEnv
from gym_clinic.domains.mmedagent.departments import department_of, specialties, table
from gym_clinic.domains.mmedagent.pictures import copy_of, image_of
from gym_clinic.domains.mmedagent.reading import read_ticket, write_answer
from gym_clinic.domains.mmedagent.rewards import reward
from gym_clinic.domains.mmedagent.tasks import SIZES, make_split, make_task
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.images import text_of
from gym_clinic.policies import load, play
from gym_clinic.taskset import first

TRIAGE, ATTENDING, CONSULT = (
    "clinic/TriageDoctor-v0", "clinic/AttendingPhysician-v0", "clinic/MultimodalConsult-v0",
)  # fmt: skip


def make(name: str, **options: Any) -> ClinicEnv:
    env = gym.make(name, **options).unwrapped
    assert isinstance(env, ClinicEnv)
    return env


def ticket_of(info: dict[str, Any]) -> str:
    return text_of(info["messages"][-1]["content"])


def test_the_triage_doctor_sees_a_copy_without_colour_and_no_hint() -> None:
    env = make(TRIAGE, split="test")
    named = {word for kinds in table().values() for word in (*kinds["modalities"], *kinds["also"])}
    for task in first(env.tasks, 10):
        _, info = env.reset(options={"task_id": task.id})
        (image,) = info["images"]
        assert image.mode == "L"
        asked = read_ticket(ticket_of(info))
        assert tuple(asked.options.values()) == specialties()
        assert not [word for word in named if re.search(rf"\b{word}", asked.question.casefold())]
        grey = np.asarray(image, dtype=float)
        assert abs(grey.mean() - 128) < 2
        assert abs(grey.std() - 30) < 2


def test_departments_are_balanced_in_every_split() -> None:
    env = make(TRIAGE)
    for split, size in SIZES.items():
        tasks = first(env.domain.split(split))
        assert len(tasks) == size
        count = Counter(department_of(task.record) for task in tasks)
        assert set(count) == set(specialties())
        assert max(count.values()) <= 1.5 * min(count.values())


def test_levels_have_equal_shares_and_one_is_right_in_three_of_five_medium_tasks() -> None:
    env = make(ATTENDING)
    for split in SIZES:
        tasks = first(env.domain.split(split))
        count = Counter(task.gold["level"] for task in tasks)
        assert max(count.values()) - min(count.values()) <= 1
        rights = Counter(
            list(task.record["votes"]).count(task.gold["answer"])
            for task in tasks
            if task.gold["level"] == "medium"
        )
        assert rights[1] == round(0.6 * count["medium"])
        assert rights[1] + rights[2] == count["medium"]


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
@pytest.mark.parametrize("split", ["dev", "endless"])
def test_difficulty_chooses_the_tasks(level: str, split: str) -> None:
    env = make(ATTENDING, difficulty=level, split=split)
    for seed in range(3):
        _, info = env.reset(seed=seed)
        votes = read_ticket(ticket_of(info)).votes
        right = sum(vote == env.episode.task.gold["answer"] for vote in votes)
        assert {"easy": right == 3, "medium": right in (1, 2), "hard": right == 0}[level]
        assert env.tasks.by_id(info["task_id"]).record == env.episode.task.record


def test_the_prompt_is_that_of_table_4() -> None:
    env = make(ATTENDING, split="dev")
    prompt, info = env.reset(seed=1)
    record = env.episode.task.record
    specialty = department_of(record)
    for number, vote in enumerate(record["votes"], 1):
        said = f"Answer from {specialty} {number}: {vote}. {record['options'][vote]}. "
        assert said in prompt
    parts = ("As the General Practitioner", "<answer> answer here </answer>",
             f"Answer from {specialty} 1", record["question"])  # fmt: skip
    order = [prompt.index(part) for part in parts]
    assert order == sorted(order)
    assert info["images"][0].size == image_of(record).size


@pytest.mark.parametrize("count", [0, 1, 2])
def test_fewer_specialists_can_be_heard(count: int) -> None:
    env = make(ATTENDING, specialists=count, split="dev")
    _, info = env.reset(seed=0)
    assert len(read_ticket(ticket_of(info)).votes) == count


pieces = st.lists(
    st.sampled_from(["<think>", "x", "</think>", "<answer>", "A", "B", "</answer>", " ", ".",
                     "<tool_call>{}</tool_call>"]),
    max_size=9,
).map("".join)  # fmt: skip


@given(text=pieces | st.text(max_size=30))
def test_an_episode_earns_what_the_reward_function_says(text: str) -> None:
    env = make(ATTENDING, split="dev", max_turns=1, difficulty="hard")
    env.reset(seed=3)
    task = env.episode.task
    _, earned, _, _, info = env.step(text)
    assert earned == reward(text, task.record["options"], task.gold["answer"])
    assert info["success"] is (earned >= 1.0)


def test_a_message_without_an_answer_gets_another() -> None:
    env = make(ATTENDING, split="dev")
    env.reset(seed=0)
    observation, paid, terminated, truncated, _ = env.step("<think>x</think> A, I think.")
    assert (paid, terminated, truncated) == (0.0, False, False)
    assert "expected one answer" in observation
    *_, terminated, _, info = env.step(write_answer(env.episode.task.gold["answer"]))
    assert (terminated, info["total"]) == (True, 1.5)


def test_the_right_department_returns_the_image_in_full() -> None:
    env = make(CONSULT, split="test")
    _, info = env.reset(seed=2)
    record = env.episode.task.record
    assert info["images"] == [copy_of(record)]
    right = department_of(record)
    call = {"name": "consult_department", "arguments": {"department": str(right).lower()}}
    observation, *_, info = env.step_calls([call])
    assert info["images"] == [image_of(record)]
    assert read_ticket(observation).votes == tuple(record["votes"])
    observation, *_ = env.step_calls([call])
    assert "has been referred already" in observation
    *_, info = env.step(write_answer(env.episode.task.gold["answer"]))
    assert (info["total"], info["metrics"]["triage"]) == (1.5, 1.0)


def test_another_department_has_opinions_only() -> None:
    env = make(CONSULT, split="test")
    for seed in range(2):
        env.reset(seed=seed)
        record = env.episode.task.record
        wrong = next(name for name in specialties() if name != department_of(record))
        call = {"name": "consult_department", "arguments": {"department": wrong}}
        observation, *_, info = env.step_calls([call])
        assert "images" not in info
        assert "outside of our field" in observation
        assert read_ticket(observation).votes == tuple(record["outside"])
        *_, info = env.step(write_answer("A"))
        assert info["metrics"]["triage"] == 0.0


def test_an_unknown_department_is_named_and_costs_nothing() -> None:
    env = make(CONSULT)
    env.reset(seed=0)
    observation, *_ = env.step_calls(
        [{"name": "consult_department", "arguments": {"department": "Patologist"}}]
    )
    assert "did you mean 'Pathologist'" in observation
    assert env.episode.case["referred"] is None


def test_the_viewer_shows_what_is_at_hand() -> None:
    env = make(CONSULT, split="test")
    env.reset(seed=0)
    record = env.episode.task.record
    looks = [
        {"name": "zoom", "arguments": {"left": 0.0, "top": 0.25, "right": 0.5, "bottom": 0.75}},
        {"name": "set_window", "arguments": {"level": 100, "width": 50}},
        {"name": "measure_distance", "arguments": {"x1": 0, "y1": 0, "x2": 1, "y2": 0}},
    ]
    observation, *_, info = env.step_calls(looks)
    region, windowed = info["images"]
    copy = np.asarray(copy_of(record))
    assert max(region.size) == 384
    assert (np.asarray(windowed)[copy <= 75] == 0).all()
    assert (np.asarray(windowed)[copy >= 125] == 255).all()
    assert f"{image_of(record).size[0]:.1f} pixels" in observation
    env.step_calls([{"name": "consult_department",
                     "arguments": {"department": department_of(record)}}])  # fmt: skip
    *_, info = env.step_calls(looks[:1])
    assert info["images"][0].mode == "RGB"


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("zoom", {"left": 0.5, "top": 0, "right": 0.5, "bottom": 1}, "from left to right"),
        ("zoom", {"left": 0, "top": 0, "right": 0.01, "bottom": 1}, "smaller than 8 pixels"),
        ("set_window", {"level": 300, "width": 5}, "level is from 0 to 255"),
        ("measure_distance", {"x1": -1, "y1": 0, "x2": 1, "y2": 0}, "from 0 to 1"),
    ],
)
def test_wrong_looks_are_named(name: str, arguments: dict[str, float], says: str) -> None:
    env = make(CONSULT)
    env.reset(seed=0)
    observation, *_ = env.step_calls([{"name": name, "arguments": arguments}])
    assert says in observation


def test_one_image_is_held_for_many_episodes() -> None:
    envs = [make(ATTENDING, split="dev") for _ in range(64)]
    task = envs[0].tasks[0]
    shown = [env.reset(options={"task_id": task.id})[1]["images"][0] for env in envs]
    assert len({id(image) for image in shown}) == 1
    urls = {id(env.reset(options={"task_id": task.id})[1]["messages"][-1]["content"][0]
               ["image_url"]["url"]) for env in envs}  # fmt: skip
    assert len(urls) == 1


@pytest.mark.parametrize("name", [TRIAGE, ATTENDING, CONSULT])
@pytest.mark.parametrize("shown", ["caption", "nothing"])
def test_a_loop_without_images_runs(name: str, shown: str) -> None:
    env = make(name, split="dev", shown=shown)
    task = env.tasks[0]
    _, info = env.reset(options={"task_id": task.id})
    assert "images" not in info
    assert isinstance(info["messages"][-1]["content"], str)
    assert ("[image: " in ticket_of(info)) is (shown == "caption")
    outcome = play(env, task, load("oracle", env)(0))
    assert outcome.reward == 1.5


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        (ATTENDING, {"difficulty": "hardest"}, "no difficulty 'hardest'"),
        (ATTENDING, {"specialists": 4}, "specialists is at most 3"),
        (ATTENDING, {"specialists": -1}, "from 0 to 9"),
        (ATTENDING, {"consultant": "oracle"}, "consultant must be"),
        (ATTENDING, {"consultant": {"kind": "chat", "url": "http://x", "model": "m"}},
         "tasks consult FOLDER"),
        (ATTENDING, {"shown": "pixel"}, "did you mean 'pixels'"),
        (ATTENDING, {"images": "nowhere"}, "folder of the images"),
        (ATTENDING, {"folder": 3}, "path of a task folder"),
        (CONSULT, {"viewer": "yes"}, "viewer is true or false"),
    ],
)  # fmt: skip
def test_wrong_options_are_named(name: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        make(name, **options)


def test_a_task_is_made_again_from_its_seed() -> None:
    assert make_task("7", "dev", "hard") == make_task("7", "dev", "hard")
    assert make_task("7", "dev", "hard").id != make_task("8", "dev", "hard").id
    shipped = make(ATTENDING, split="dev").tasks
    assert list(islice(make_split("dev"), 3)) == first(shipped, 3)


def test_a_record_without_an_image_is_named(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="what to render or a path"):
        image_of({"image": None})
    with pytest.raises(TaskError, match=r"no image .*missing\.png"):
        image_of({"image": "missing.png"}, str(tmp_path))


def test_figures_of_many_episodes() -> None:
    env = make(ATTENDING, split="test")
    tasks = first(env.tasks, 18)
    rows = []
    for seed, task in enumerate(tasks):
        outcome = play(env, task, load("majority", env)(seed), seed)
        rows.append((task, outcome.info["metrics"]))
    figures = env.domain.aggregate(rows)
    assert figures["copy_rate"] == 1.0
    assert figures["gain_over_majority"] == figures["override_correct"] == 0.0
    assert figures["accuracy/level/easy"] == 1.0
    assert figures["accuracy/level/hard"] == 0.0
    perfect = [(task, play(env, task, load("oracle", env)(0)).info["metrics"]) for task in tasks]
    figures = env.domain.aggregate(perfect)
    assert (figures["accuracy"], figures["override_correct"]) == (1.0, 1.0)
    assert figures["override_wrong"] == 0.0


def test_the_confusion_of_the_triage_doctor() -> None:
    env = make(TRIAGE, split="test")
    tasks = first(env.tasks, 14)
    rows = [(task, play(env, task, load("think-nothing", env)(0)).info["metrics"])
            for task in tasks]  # fmt: skip
    figures = env.domain.aggregate(rows)
    always = specialties()[0]
    assert all(figures[f"chose/{name}/{always}"] == 1.0 for name in specialties()
               if f"chose/{name}/{always}" in figures)  # fmt: skip
