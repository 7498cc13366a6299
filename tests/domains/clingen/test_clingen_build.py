"""The tasks are built again by one command, and broken input leaves nothing behind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from clingen_rows import FOLDER, SPLITS, Rows, Some

from gym_clinic.domains.clingen import build
from gym_clinic.domains.clingen.literature.splits import Pair, assign
from gym_clinic.domains.clingen.literature.tasks import (
    build_split,
    build_task,
    order_of,
    with_dossier,
)
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.files import json_line
from gym_clinic.importers.facts.clingen import COLUMNS, read_validity


@pytest.fixture(scope="module")
def usable() -> list[Pair]:
    """The published pairs that have a dossier."""
    return with_dossier(build.read_pairs(FOLDER / "curations.jsonl"))


@pytest.mark.population
@pytest.mark.parametrize("split", SPLITS)
def test_a_task_is_built_again_byte_for_byte(split: str, usable: list[Pair], some: Some) -> None:
    lines = (FOLDER / f"{split}.jsonl").read_bytes().splitlines(keepends=True)
    pairs = {(one.gene, one.mondo_id, one.inheritance): one for one in usable}
    # Some of each are enough: the three splits are drawn by the same code.
    for line in some(lines[:: 9 if split == "train" else 3]):
        record = json.loads(line)["record"]
        pair = pairs[record["gene"], record["mondo_id"], record["inheritance"]]
        assert json_line(build_task(split, pair)) == line


@pytest.mark.slow
def test_the_files_hold_the_chosen_pairs_in_order(usable: list[Pair], rows: Rows) -> None:
    for split, pairs in assign(usable, 0).items():
        genes = [(pair.gene, pair.mondo_id) for pair in order_of(split, pairs)]
        records = [row["record"] for row in rows[split]]
        assert [(one["gene"], one["mondo_id"]) for one in records] == genes


def test_a_split_has_its_tasks_in_order(usable: list[Pair]) -> None:
    pairs = usable[:6]
    order = order_of("test", pairs, 3)
    assert sorted(order) == sorted(pairs)
    tasks = build_split("test", pairs, 3)
    assert [task["record"]["gene"] for task in tasks] == [pair.gene for pair in order]
    assert json_line(tasks[0]) == json_line(build_task("test", order[0], 3))
    assert json_line(tasks[0]) != json_line(build_task("test", order[0], 4))
    assert tasks[0]["record"]["edition"] == "test"


def test_curations_are_renewed_from_the_importers_output(tmp_path: Path) -> None:
    line = (FOLDER / "curations.jsonl").read_text(encoding="utf-8").splitlines()[0]
    row = json.loads(line) | {"sop": "SOP10", "report": "https://example.org"}
    refuted = row | {"classification": "Refuted"}
    facts = tmp_path / "facts.jsonl"
    facts.write_text(f"{json.dumps(refuted)}\n{json.dumps(row)}\n", encoding="utf-8")
    assert [json_line(row).decode() for row in build.read_facts(facts)] == [line + "\n"]


def test_curations_are_renewed_from_the_download(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = ["GENEX", "HGNC:9", "disease", "MONDO:9999901", "AD", "Limited", "Panel", "SOP10",
             "2024-03-14T16:00:00.000Z", "https://example.org"]  # fmt: skip
    refuted = [*cells[:5], "Refuted", *cells[6:]]
    download, facts = tmp_path / "download.CSV", tmp_path / "facts.jsonl"
    download.write_text("\n".join(map(",".join, [COLUMNS, refuted, cells])), encoding="utf-8")
    rows = [row.model_dump_json() for row in read_validity(download)]
    facts.write_text("\n".join(rows), encoding="utf-8")
    out = tmp_path / "out"
    monkeypatch.setattr(build, "build_tasks", lambda pairs, seed: {"dev": [], "test": []})
    build.main(["--facts", str(facts), "--out", str(out)])
    (row,) = map(json.loads, (out / "curations.jsonl").read_text(encoding="utf-8").splitlines())
    assert list(row) == list(build.FIELDS)
    assert (row["gene"], row["classification"], row["date"]) == ("GENEX", "Limited", "2024-03-14")
    assert {path.name for path in out.iterdir()} == {"curations.jsonl", "dev.jsonl", "test.jsonl"}
    with pytest.raises(ConfigError, match="is the download itself; give --facts FILE: what 'gym"):
        build.main(["--facts", str(download)])


def test_curations_beside_the_tasks_come_before_the_embedded_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[int] = []
    monkeypatch.setattr(build, "build_tasks", lambda pairs, seed: found.append(len(pairs)) or {})
    build.main(["--out", str(tmp_path / "new")])
    lines = (FOLDER / "curations.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "curations.jsonl").write_bytes(b"".join(lines[:7]))
    build.main(["--out", str(tmp_path)])
    assert found == [3208, 7]


def test_a_failed_build_leaves_the_old_curations(tmp_path: Path) -> None:
    facts = tmp_path / "facts.jsonl"
    line = (FOLDER / "curations.jsonl").read_bytes().splitlines(keepends=True)[0]
    facts.write_bytes(line)
    with pytest.raises(TaskError, match="no choice of panels"):
        build.main(["--facts", str(facts), "--out", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


def test_missing_files_and_folders_are_named_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigError, match=r"cannot read .*none\.jsonl.*give --facts FILE"):
        build.main(["--facts", str(tmp_path / "none.jsonl")])
    monkeypatch.setenv("GYM_CLINIC_DATA", str(tmp_path))
    with pytest.raises(ConfigError, match="has no folder 'tasks'"):
        build.main([])
    (tmp_path / "tasks").mkdir()
    with pytest.raises(ConfigError, match=r"cannot read .*clingen.curations\.jsonl.*--facts FILE"):
        build.main([])
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"cannot write to .*file"):
        build.write_tasks(tmp_path / "file", {"dev": []})


def test_the_module_is_the_same_command(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gym_clinic.domains.clingen.build", "--facts", "none.jsonl"],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("cannot read none.jsonl: No such file")
    assert "Traceback" not in done.stderr


def test_a_broken_curation_is_named_by_line_and_field(tmp_path: Path) -> None:
    path = tmp_path / "curations.jsonl"
    path.write_text('{"gene": "A"}\n', encoding="utf-8")
    with pytest.raises(TaskError, match=r"line 1.*hgnc_id"):
        build.read_pairs(path)
    path.write_text("{\n", encoding="utf-8")
    with pytest.raises(TaskError, match="line 1: not valid JSON"):
        build.read_pairs(path)


def test_too_few_curations_are_refused(usable: list[Pair]) -> None:
    with pytest.raises(TaskError, match="no choice of panels"):
        assign(usable[:40], 0)


def test_repeated_ids_are_refused_and_nothing_is_written(tmp_path: Path, rows: Rows) -> None:
    row = rows["test"][0]
    with pytest.raises(TaskError, match="twice"):
        build.write_tasks(tmp_path, {"dev": [row], "test": [row]})
    assert not list(tmp_path.iterdir())
