"""Labelled questions, agreement of annotators, and the benchmarks that need labels.

The rows are written here, in the layouts that were published; no row is of a data set.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import gym_clinic  # noqa: F401  # registers the ids
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.tasks import challenge_clinical, ddxplus, disciplines, import_tasks, medqa
from gym_clinic.importers.tasks.annotations import fleiss_kappa, majority
from gym_clinic.policies import load, play

COUGH = "I have had a cough and a fever for a week. Which doctor do I need?"
HEADACHE = "My head hurts and the light hurts my eyes. Who treats this?"

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(name: str, *rows: Mapping[str, Any]) -> Path:
        path = tmp_path / name
        if path.suffix == ".jsonl":
            path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        else:
            with path.open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, list(rows[0]))
                writer.writeheader()
                writer.writerows(rows)
        return path

    return written


def test_majority_and_kappa() -> None:
    assert majority([["a"], ["a", "b"], ["b"]]) == ("a", "b")
    assert majority([["a"], ["b"], ["c"]]) == ()
    assert fleiss_kappa([["a", "a"], ["b", "b"]]) == pytest.approx(1.0)
    assert fleiss_kappa([["a", "b"], ["b", "a"]]) == pytest.approx(-1.0)
    assert fleiss_kappa([["a", "a"], ["a", "a"]]) == 1.0
    # Worked by hand: P = (1 + 1 + 1/3) / 3, P_e = (4/9)² + (5/9)².
    rated = [["a", "a", "a"], ["b", "b", "b"], ["a", "b", "b"]]
    assert fleiss_kappa(rated) == pytest.approx((7 / 9 - 41 / 81) / (1 - 41 / 81))
    for wrong in ([], [["a"]], [["a", "b"], ["a", "b", "c"]]):
        with pytest.raises(TaskError, match="as many annotators"):
            fleiss_kappa(wrong)


def test_json_lines(write: Write) -> None:
    path = write(
        "own.jsonl",
        {"question": COUGH, "disciplines": ["Pulmonology", "Infectious disease"]},
        {"question": HEADACHE, "annotations": [["Neurology"], ["Neurology"], ["Ophthalmology"]]},
        {"question": "A fever.", "annotations": [["Cardiology"], ["Neurology"], ["Urology"]]},
        {"question": "What is the capital of Peru?", "disciplines": ["Neurology"]},
    )
    first, second = disciplines.read(path)
    assert (first.record["question"], list(first.gold["disciplines"])) == (
        COUGH, ["Pulmonology", "Infectious disease"],
    )  # fmt: skip
    assert list(second.gold["disciplines"]) == ["Neurology"]
    assert len(list(disciplines.read(path, linked_only=False))) == 3
    assert disciplines.agreement(path) == pytest.approx(fleiss_kappa(
        [["n", "n", "o"], ["c", "n", "u"]]))  # fmt: skip


def test_csv_with_annotators(write: Write) -> None:
    path = write(
        "own.csv",
        {"question": COUGH, "annotator_1": "Pulmonology", "annotator_2": "Pulmonology|Cardiology",
         "annotator_3": "Cardiology"},
    )  # fmt: skip
    (task,) = disciplines.read(path)
    assert set(task.gold["disciplines"]) == {"Pulmonology", "Cardiology"}


def test_labels_join_a_benchmark_by_id(write: Write) -> None:
    questions = write(
        "medqa.jsonl",
        {"question": COUGH, "options": {"A": "Flu", "B": "Gout"}, "answer": "Flu",
         "answer_idx": "A"},
    )  # fmt: skip
    (asked,) = medqa.read(questions)
    labels = write("labels.csv", {"id": asked.id, "disciplines": "Pulmonology"})
    (task,) = disciplines.read(labels, benchmark="medqa", file=str(questions))
    assert task.record["question"] == COUGH
    assert task.provenance == "labelled:medqa"
    wrong = write("wrong.csv", {"id": "medqa-0", "disciplines": "Pulmonology"})
    with pytest.raises(TaskError, match="no question 'medqa-0'"):
        list(disciplines.read(wrong, benchmark="medqa", file=str(questions)))
    with pytest.raises(ConfigError, match="did you mean 'medqa'"):
        list(disciplines.read(labels, benchmark="medq", file=str(questions)))
    with pytest.raises(ConfigError, match="needs file"):
        list(disciplines.read(labels, benchmark="medqa"))


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"question": COUGH}, "no disciplines"),
        ({"disciplines": ["Neurology"]}, "no question"),
        ({"question": COUGH, "disciplines": "Neurology"}, "disciplines"),
        ({"question": COUGH, "discipline": ["Neurology"]}, "discipline"),
    ],
)
def test_broken_rows_are_named(write: Write, row: dict[str, Any], says: str) -> None:
    with pytest.raises(TaskError, match=rf"own.jsonl line 1.*{says}"):
        list(disciplines.read(write("own.jsonl", row)))


def test_own_questions_are_played(write: Write, tmp_path: Path) -> None:
    path = write(
        "own.jsonl",
        {"question": COUGH, "disciplines": ["Pulmonology", "Infectious disease"]},
        {"question": HEADACHE, "disciplines": ["neurology"]},
    )
    import_tasks("disciplines", path, tmp_path / "tasks", "test")
    env = gym.make(
        "clinic/DisciplineGraph-v0", split="test", questions=str(tmp_path / "tasks")
    ).unwrapped
    assert list(env.domain.tasks) == ["test"]
    for task in env.tasks:
        assert play(env, task, load("oracle", env, {})(0)).reward == 3.0
    with pytest.raises(ConfigError, match="no task file"):
        gym.make("clinic/DisciplineGraph-v0", questions=str(tmp_path))


@pytest.mark.parametrize("name", ["medbullets", "jama"])
def test_clinical_challenges(write: Write, name: str) -> None:
    row = {"question": COUGH, "opa": "Flu", "opb": "Gout", "opc": "Scurvy", "opd": "Croup",
           "ope": "Mumps", "answer_idx": "D", "answer": "Croup",
           "explanation": "It barks."}  # fmt: skip
    read = getattr(challenge_clinical, f"read_{name}")
    (task,) = read(write("questions.csv", row))
    assert task.id.startswith(name)
    assert (task.gold["answer"], task.record["options"]["E"]) == ("D", "Mumps")
    with pytest.raises(TaskError, match="answer_idx"):
        list(read(write("questions.csv", {**row, "answer_idx": "A"})))


def test_patients_of_ddxplus(write: Write, tmp_path: Path) -> None:
    words = {
        "E_1": {"question_en": "Do you have a cough?", "value_meaning": {}},
        "E_2": {"question_en": "Where is the pain?",
                "value_meaning": {"V_7": {"fr": "x", "en": "forehead"}}},
    }  # fmt: skip
    (tmp_path / "release_evidences.json").write_text(json.dumps(words), encoding="utf-8")
    row = {"AGE": "18", "DIFFERENTIAL_DIAGNOSIS": "[['Croup', 0.6], ['Flu', 0.4]]", "SEX": "F",
           "PATHOLOGY": "Flu", "EVIDENCES": "['E_2_@_V_7', 'E_1']",
           "INITIAL_EVIDENCE": "E_1"}  # fmt: skip
    (task,) = ddxplus.read(write("patients.csv", row))
    assert task.record["question"] == (
        "The patient is a 18-year-old woman. Do you have a cough? Yes. Where is the pain? Forehead."
    )
    assert (task.gold["answer"], dict(task.record["options"])) == ("B", {"A": "Croup", "B": "Flu"})
    with pytest.raises(TaskError, match="no evidence 'E_9'"):
        list(ddxplus.read(write("patients.csv", {**row, "INITIAL_EVIDENCE": "E_9"})))
    with pytest.raises(TaskError, match="column SEX"):
        list(ddxplus.read(write("patients.csv", {**row, "SEX": "X"})))
