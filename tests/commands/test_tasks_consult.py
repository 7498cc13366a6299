"""``gym-clinic tasks consult``: opinions are asked once, kept, and decide the difficulty."""

from __future__ import annotations

import json
from pathlib import Path

import gymnasium as gym
import pytest
from chat_server import ChatServer
from command_runs import Run
from importer_samples import VQA_RAD
from real_data import put

from gym_clinic.taskset import read_tasks

Image = pytest.importorskip("PIL.Image")

CHAT = "clinic/AttendingPhysician-v0"


@pytest.fixture
def folder(tmp_path: Path, run: Run) -> Path:
    """A folder of four imported questions with their images."""
    images = tmp_path / "tasks" / "images"
    images.mkdir(parents=True)
    rows = []
    for number in range(4):
        name = f"{number}.png"
        Image.new("RGB", (16, 16), (10 * number, 0, 0)).save(images / name)
        rows.append(VQA_RAD | {"question": f"Is it {number}?", "image_name": name})
    path = put(tmp_path, "rad.json", rows)
    status, *_ = run("tasks", "import", "vqa_rad", path, "--out", tmp_path / "tasks", "--split",
                     "test")  # fmt: skip
    assert status == 0
    return tmp_path / "tasks"


def said(answer: str) -> str:
    return json.dumps({"answer": answer, "rationale": "I see it."})


def test_simulated_opinions_give_tasks_a_level(folder: Path, run: Run) -> None:
    status, out, _ = run("tasks", "consult", folder, "--recorded")
    assert (status, "asked about 4 tasks, 0 were there before" in out) == (0, True)
    before = (folder / "test.jsonl").read_bytes()
    status, out, _ = run("tasks", "consult", folder, "--recorded")
    assert (status, "asked about 0 tasks, 4 were there before" in out) == (0, True)
    assert (folder / "test.jsonl").read_bytes() == before
    levels = {task.gold["level"] for task in read_tasks(folder / "test.jsonl")}
    assert levels <= {"easy", "medium", "hard"}
    env = gym.make(CHAT, folder=str(folder), split="test")
    observation, info = env.reset(seed=0)
    assert observation.count("Answer from Radiologist") == 3
    assert info["images"][0].size == (16, 16)


def test_a_model_is_shown_the_image_and_asked_once(folder: Path, run: Run) -> None:
    with ChatServer() as server:
        server.script = [server.answer(said("B. no")), server.answer(said("A")),
                         server.answer(said("B"))] * 4  # fmt: skip
        call = ("tasks", "consult", folder, "--url", server.url, "--model", "m", "--concurrency",
                "1")  # fmt: skip
        status, out, _ = run(*call)
        assert (status, len(server.requests)) == (0, 12)
        assert "medium 4" in out
        parts = server.requests[0]["messages"][-1]["content"]
        assert [part["type"] for part in parts] == ["image_url", "text"]
        assert run(*call)[0] == 0
        assert len(server.requests) == 12
    (task, *_) = read_tasks(folder / "test.jsonl")
    assert [reply["answer"] for reply in task.record["opinions"]] == ["B", "A", "B"]
    assert task.gold["level"] == "medium"


def test_an_interrupted_run_goes_on_where_it_stopped(folder: Path, run: Run) -> None:
    with ChatServer() as server:
        server.script = [server.answer(said("B"))] * 4 + [server.status(400)]
        call = ("tasks", "consult", folder, "--url", server.url, "--model", "m", "--specialists",
                "2", "--concurrency", "1")  # fmt: skip
        assert run(*call)[0] != 0
        log = folder / "opinions.jsonl"
        kept = log.read_bytes()
        assert kept.count(b"\n") == 3
        log.write_bytes(kept + b'{"id": "cut')
        server.script = [server.answer(said("A"))]
        status, out, _ = run(*call)
        assert (status, "asked about 2 tasks, 2 were there before" in out) == (0, True)
    assert "easy 2, hard 2" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "--recorded"),
        (("--url", "http://localhost:1"), "--recorded"),
        (("--recorded", "--url", "http://localhost:1", "--model", "m"), "--recorded"),
    ],
)
def test_wrong_arguments_are_named(
    arguments: tuple[str, ...], says: str, folder: Path, run: Run
) -> None:
    status, _, error = run("tasks", "consult", folder, *arguments)
    assert status != 0
    assert says in error


def test_replies_of_others_are_not_mixed(folder: Path, run: Run) -> None:
    assert run("tasks", "consult", folder, "--recorded")[0] == 0
    status, _, error = run("tasks", "consult", folder, "--recorded", "--specialists", "2")
    assert status != 0
    assert "holds replies of 3 specialists by 'recorded'" in error
