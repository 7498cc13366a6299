"""The metrics of a run, as they are read back while it goes on, and after it was resumed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic import ConfigError
from gym_clinic.viewer.runs import Run, read_run


def line(step: Any, data: Any) -> str:
    return json.dumps({"step": step, "data": data}) + "\n"


def write(folder: Path, name: str, *lines: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("".join(lines), encoding="utf-8")
    return folder


def test_a_folder_and_a_file_are_read(tmp_path: Path) -> None:
    folder = write(tmp_path / "grpo", "metrics-1.jsonl", line(2, {"b": 1}), line(1, {"a": 0.5}))
    assert read_run(folder) == Run("grpo", {1: {"a": 0.5}, 2: {"b": 1.0}})
    assert list(read_run(str(folder)).steps) == [1, 2]
    assert read_run(folder / "metrics-1.jsonl").name == "grpo/metrics-1"
    assert read_run(folder).metrics == ["a", "b"]
    assert read_run(folder).series("a") == ([1], [0.5])
    assert read_run(folder).series("c") == ([], [])


def test_after_a_resume_the_later_value_counts(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    write(folder, "metrics-1.jsonl", *(line(step, {"r": step, "n": 1}) for step in (1, 2, 3)))
    # The checkpoint was of step 1, and an evaluation at the start of it logs nothing else.
    write(folder, "metrics-2.jsonl", line(1, {"val": 7}), line(2, {"r": 20}), line(3, {"r": 30}))
    write(folder, "metrics-10.jsonl", line(3, {"r": 300}), line(4, {"r": 400}))
    write(folder, "other.jsonl", line(9, {"r": 9}))
    found = read_run(folder)
    assert found.series("r") == ([1, 2, 3, 4], [1.0, 20.0, 300.0, 400.0])
    assert found.series("val") == ([1], [7.0])
    assert found.series("n") == ([1, 2, 3], [1.0, 1.0, 1.0])


def test_what_is_not_finite_is_left_out(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "run", "metrics-1.jsonl",
        '{"step": 1, "data": {"kl": null, "r": 1}}\n', line(2, {"kl": 0.25}),
    )  # fmt: skip
    assert read_run(folder).steps == {1: {"r": 1.0}, 2: {"kl": 0.25}}


@given(cut=st.integers(1, 40), data=st.data())
def test_a_last_line_may_be_cut_anywhere(
    tmp_path_factory: pytest.TempPathFactory, cut: int, data: st.DataObject
) -> None:
    text = line(3, {"r": 0.25, "βeta": 1})
    raw = text.replace("\\u03b2", "β").encode()
    cut = min(cut, len(raw) - 2)
    folder = tmp_path_factory.mktemp("run")
    whole = "".join(line(step, {"r": data.draw(st.floats(-9, 9))}) for step in (1, 2))
    (folder / "metrics-1.jsonl").write_bytes(whole.encode() + raw[:cut])
    found = read_run(folder)
    assert list(found.steps) == [1, 2]
    assert found.cut == (folder / "metrics-1.jsonl",)
    (folder / "metrics-1.jsonl").write_bytes(whole.encode() + raw[:-1])  # only its end is missing
    assert (list(read_run(folder).steps), read_run(folder).cut) == ([1, 2, 3], ())


def test_the_files_of_killed_runs_may_all_be_cut(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    for name in ("metrics-1.jsonl", "metrics-2.jsonl"):
        write(folder, name, line(int(name[8]), {"r": 1}), '{"step": 3, "da')
    assert [path.name for path in read_run(folder).cut] == ["metrics-1.jsonl", "metrics-2.jsonl"]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("{'step': 1}", "not valid JSON"),
        ('{"step": 1}', "expected {"),
        ("[]", "expected {"),
        (line(True, {}).strip(), "step is a whole number"),
        (line(1.5, {}).strip(), "step is a whole number"),
        (line(-1, {}).strip(), "step is a whole number"),
        (line(1, [1]).strip(), "data is an object"),
        (line(1, {"r": "high"}).strip(), "'r' is a number, not 'high'"),
        ('{"step": 1, "data": {"r": 1, "r": 2}}', "duplicate key 'r'"),
        ('{"step": 1, "data": {"r": NaN}}', "not valid JSON"),
        ('{"step": 1, "data": {"r": 1e999}}', "not valid JSON"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, bad: str, said: str) -> None:
    folder = write(tmp_path / "run", "metrics-1.jsonl", line(1, {"r": 1}), bad + "\n")
    with pytest.raises(ConfigError) as error:
        read_run(folder)
    assert f"{folder / 'metrics-1.jsonl'}, line 2: " in str(error.value)
    assert said in str(error.value)


def test_a_last_line_that_is_whole_and_wrong_is_not_taken_for_cut(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", "metrics-1.jsonl", line(1, {"r": 1}), '{"step": 2}')
    with pytest.raises(ConfigError, match="line 2: expected"):
        read_run(folder)


def test_a_missing_or_empty_run_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no run at .*nowhere.*folder that holds metrics-"):
        read_run(tmp_path / "nowhere")
    with pytest.raises(ConfigError, match=r"holds no metrics-\*\.jsonl"):
        read_run(tmp_path)
    for text in ("", "\n", line(1, {}), '{"step"'):
        write(tmp_path / "run", "metrics-1.jsonl", text)
        with pytest.raises(ConfigError, match="no metrics have been logged yet"):
            read_run(tmp_path / "run")
