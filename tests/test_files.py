from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gym_clinic.files import replace_file, replace_files


def broken() -> Iterator[bytes]:
    yield b"half"
    raise ValueError("the source broke off")


def test_a_file_is_written_into_a_folder_that_is_made(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b.txt"
    replace_file(target, [b"one\n", b"two\n"])
    replace_file(target, (part for part in (b"three\n",)))
    assert target.read_bytes() == b"three\n"
    assert list(target.parent.iterdir()) == [target]


def test_a_file_may_be_written_from_itself(tmp_path: Path) -> None:
    target = tmp_path / "lines"
    target.write_bytes(b"b\na\n")
    with target.open("rb") as lines:
        replace_file(target, sorted(lines))
    assert target.read_bytes() == b"a\nb\n"


def test_an_interrupted_write_leaves_the_old_files(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"old")
    with pytest.raises(ValueError, match="broke off"):
        replace_files({first: [b"new"], second: broken()})
    assert first.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [first]


def test_a_failed_write_leaves_no_files(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"no folder")
    with pytest.raises(OSError, match="file"):
        replace_files({tmp_path / "one": [b"1"], tmp_path / "file" / "two": [b"2"]})
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
