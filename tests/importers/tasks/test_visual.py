"""Benchmarks of visual questions: closed ones become tasks, open ones are left out by default.

VQA-RAD and SLAKE are also tried on published rows; PathVQA, OmniMedVQA and MMMU on rows made up in
their layouts alone.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from importer_samples import MMMU, OMNI, SLAKE, VQA_RAD
from real_data import put, real

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.frozen import thaw
from gym_clinic.importers.tasks import (
    import_tasks,
    mmmu_med,
    omnimedvqa,
    path_vqa,
    slake,
    vqa_rad,
)
from gym_clinic.importers.tasks.visual import choices_in


@pytest.mark.parametrize(
    ("question", "answer", "choices"),
    [
        ("Is the mass in the left or right lung?", "right", ("left", "right")),
        ("Is this a T1 weighted, T2 weighted, or FLAIR image?", "FLAIR", ()),
        ("Is this image modality T1, T2, or FLAIR?", "FLAIR", ("t1", "t2", "flair")),
        ("Which is bigger in this image,lung,liver or heart?", "Lung", ("lung", "liver", "heart")),
        ("Which plane, transverse plane or coronal plane?", "Coronal Plane",
         ("transverse plane", "coronal plane")),
        ("Does this CT have contrast or no contrast?", "contrast", ()),
        ("Are the dark areas grey or white matter?", "White matter", ()),
        ("Is it solid or cystic?", "neither", ()),
        ("Where is it?", "left", ()),
        ("or", "or", ()),
    ],
)  # fmt: skip
def test_choices_named_in_a_question(question: str, answer: str, choices: tuple[str, ...]) -> None:
    assert choices_in(question, answer) == choices


def rad(tmp_path: Path, *changes: dict[str, Any]) -> Path:
    return put(tmp_path, "rad.json", [VQA_RAD | change for change in changes])


def test_a_yes_no_question_becomes_a_task(tmp_path: Path) -> None:
    (task,) = vqa_rad.read(rad(tmp_path, {}))
    assert thaw(task.record) == {
        "question": "Is it é?", "options": {"A": "yes", "B": "no"}, "image": "s1.jpg",
        "modality": "radiology", "kind": "pres",
    }  # fmt: skip
    assert (thaw(task.gold), task.provenance) == ({"answer": "B"}, "vqa_rad")


OPEN = [{"question": f"Where {n}?", "answer": f"place {n}", "image_name": f"{n}.jpg"}
        for n in range(6)]  # fmt: skip


def test_open_answers_are_left_out_or_get_distractors_of_the_same_file(tmp_path: Path) -> None:
    path = rad(tmp_path, {}, *OPEN)
    assert len(list(vqa_rad.read(path))) == 1
    tasks = list(vqa_rad.read(path, open_answers="distractors"))
    assert tasks == list(vqa_rad.read(path, open_answers="distractors"))
    own = {change["question"]: change["answer"] for change in OPEN}
    for task in tasks[1:]:
        options = task.record["options"]
        assert task.record["distractors"] == "same file"
        assert set(options.values()) <= set(own.values())
        assert len(set(options.values())) == 4
        assert options[task.gold["answer"]] == own[task.record["question"]]
    assert {task.gold["answer"] for task in tasks[1:]} != {"A"}
    with pytest.raises(ConfigError, match="open_answers is one of"):
        list(vqa_rad.read(path, open_answers="keep"))


def test_questions_answered_in_two_ways_are_left_out(tmp_path: Path) -> None:
    path = rad(tmp_path, {}, {"answer": "Yes"}, {"question": "Else?"}, {"question": "else? "})
    assert [task.record["question"] for task in vqa_rad.read(path)] == ["Else?", "else?"]


def test_the_published_split_of_vqa_rad_is_in_its_rows(tmp_path: Path) -> None:
    path = rad(tmp_path, {}, {"question": "Test?", "phrase_type": "test_freeform"})
    parts = {part: len(list(vqa_rad.read(path, part=part))) for part in ("all", "train", "test")}
    assert parts == {"all": 2, "train": 1, "test": 1}
    with pytest.raises(ConfigError, match="part is one of"):
        list(vqa_rad.read(path, part="dev"))


def test_images_that_occur_in_another_split_are_reported(tmp_path: Path) -> None:
    path = rad(tmp_path, {}, {"question": "Test?", "phrase_type": "test_freeform"},
               {"question": "T2?", "phrase_type": "test_para", "image_name": "s2.jpg"})  # fmt: skip
    out = tmp_path / "tasks"
    assert not import_tasks("vqa_rad", path, out, "train", {"part": "train"}).shared
    done = import_tasks("vqa_rad", path, out, "test", {"part": "test"})
    assert done.shared == {"image": ("s1.jpg",)}
    assert done.tasks == {"test": 2}


def test_with_shares_an_image_is_in_one_split(tmp_path: Path) -> None:
    rows = [{"question": f"Is it {n}?", "image_name": f"{n % 6}.jpg"} for n in range(24)]
    done = import_tasks("vqa_rad", rad(tmp_path, *rows), tmp_path / "tasks")
    assert not done.shared
    assert len(done.groups) == 6


def test_only_questions_whose_image_is_there(tmp_path: Path) -> None:
    path = rad(tmp_path, {}, {"image_name": "s2.jpg"})
    (tmp_path / "s2.jpg").write_bytes(b"x")
    (task,) = vqa_rad.read(path, images=str(tmp_path))
    assert task.record["image"] == "s2.jpg"
    with pytest.raises(ConfigError, match="folder of the images"):
        list(vqa_rad.read(path, images=str(path)))


def test_slake_is_read_in_english(tmp_path: Path) -> None:
    path = put(tmp_path, "s.json", [SLAKE, SLAKE | {"q_lang": "zh"}])
    (task,) = slake.read(path)
    assert task.record["options"] == {"A": "left", "B": "right"}
    assert (task.record["modality"], task.gold["answer"]) == ("CT", "A")


def test_path_vqa(tmp_path: Path) -> None:
    row = {"image": "train_1", "question": "is fat necrosis present?", "answer": "yes"}
    (task,) = path_vqa.read(
        put(tmp_path, "p.json", [row, row | {"question": "what?", "answer": "x"}])
    )
    assert (task.record["image"], task.record["modality"]) == ("train_1.jpg", "pathology")
    with pytest.raises(TaskError, match="a pickle runs code"):
        list(path_vqa.read(put(tmp_path, "p.pkl", "")))


def test_omnimedvqa_reads_a_folder(tmp_path: Path) -> None:
    (tmp_path / "Open-access").mkdir()
    put(tmp_path / "Open-access", "a.json", [OMNI])
    put(tmp_path / "Open-access", "b.json", [OMNI | {"question": "R?", "option_C": "c"}])
    first, second = omnimedvqa.read(tmp_path)
    assert (first.gold["answer"], list(second.record["options"])) == ("B", ["A", "B", "C"])
    bad = put(tmp_path, "bad.json", [OMNI | {"gt_answer": "z"}])
    with pytest.raises(TaskError, match=r"row 1, field gt_answer: 'z' is not one"):
        list(omnimedvqa.read(bad))


@pytest.mark.parametrize(
    ("change", "count"),
    [({}, 1), ({"image_1": {"path": "p.png"}}, 1), ({"options": ["a", "b"]}, 1),
     ({"id": "validation_Art_1"}, 0), ({"answer": "?"}, 0), ({"question_type": "open"}, 0),
     ({"image_2": "q.png"}, 0), ({"options": ["<image 2>", "b"]}, 0)],
)  # fmt: skip
def test_mmmu_keeps_choices_about_one_image(
    change: dict[str, Any], count: int, tmp_path: Path
) -> None:
    path = put(tmp_path, "m.json", [MMMU | change])
    if not count:
        with pytest.raises(TaskError, match=r"m\.json: no question has an image and options"):
            list(mmmu_med.read(path))
        return
    tasks = list(mmmu_med.read(path))
    assert len(tasks) == count
    for task in tasks:
        assert (task.record["question"], task.record["image"]) == ("What?", "p.png")


@pytest.mark.parametrize(
    ("content", "says"),
    [({"a": 1}, "expected a JSON array"), ([1], "row 1: expected a JSON object"),
     ([{**VQA_RAD, "question": " "}], "row 1, field question"), ("[", "rad.json")],
)  # fmt: skip
def test_broken_rows_are_named(content: Any, says: str, tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=says):
        list(vqa_rad.read(put(tmp_path, "rad.json", content)))


def test_published_rows_of_vqa_rad() -> None:
    path = real("vqa_rad/trainset.json")
    tasks = list(vqa_rad.read(path))
    assert len({task.id for task in tasks}) > 1_400
    texts = [tuple(task.record["options"].values()) for task in tasks]
    assert 0.9 < texts.count(("yes", "no")) / len(texts) < 1
    assert {"left", "right"} in map(set, texts)
    shown = list(vqa_rad.read(path, images=str(path.parent / "images_train")))
    assert 0 < len({task.record["image"] for task in shown}) <= 30


def test_published_rows_of_slake() -> None:
    path = real("slake/validate.json")
    rows = json.loads(path.read_text(encoding="utf-8"))
    english = [row for row in rows if row["q_lang"] == "en"]
    assert 300 < len(list(slake.read(path))) < len(english)
    assert len(list(slake.read(path, open_answers="distractors"))) == len(english)
