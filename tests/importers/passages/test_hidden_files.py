"""Hidden files and those of macOS are no sources."""

from __future__ import annotations

from importer_samples import PASSAGES, TASK_FILES

from gym_clinic.importers.passages import find_sources
from gym_clinic.importers.tasks.clingen import read as read_clingen
from gym_clinic.importers.tasks.mmlu_medical import read as read_mmlu

APPLE = b"\x00\x05\x16\x07\x00\x02"


def put(file, data):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


def test_hidden_files_are_no_sources_of_passages(tmp_path):
    put(tmp_path / "a.jsonl", PASSAGES["jsonl"])
    for name in ("._a.jsonl", "__MACOSX/._a.jsonl", "__MACOSX/a.jsonl", ".git/b.txt"):
        put(tmp_path / name, APPLE)
    assert [source.name for source in find_sources([tmp_path])] == [str(tmp_path / "a.jsonl")]
    assert len(find_sources([tmp_path], format="jsonl")) == 1


def test_hidden_files_are_no_tasks(tmp_path):
    put(tmp_path / "anatomy_dev.csv", TASK_FILES["mmlu_medical"][0]["anatomy_dev.csv"])
    put(tmp_path / "._anatomy_dev.csv", APPLE)
    assert len(list(read_mmlu(tmp_path))) == 2
    for name, data in TASK_FILES["clingen"][0].items():
        put(tmp_path / name, data)
        put((tmp_path / name).with_name(f"._{(tmp_path / name).name}"), APPLE)
    assert len(list(read_clingen(tmp_path / "annotations.jsonl"))) == 2
