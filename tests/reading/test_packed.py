"""What a file is shows in its first bytes; archives give their visible files."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import threading
import zipfile
from pathlib import Path

import pytest

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.reading import open_bytes, plain_name, plain_or_packed, read_text
from gym_clinic.reading.folders import texts, visible_files


def zipped(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def test_the_name_of_a_file_does_not_matter(tmp_path):
    file = tmp_path / "plain.gz"
    file.write_bytes(b"text\n")
    assert read_text(file) == b"text\n"
    file = tmp_path / "packed.txt"
    file.write_bytes(gzip.compress(b"text\n") + gzip.compress(b"more\n"))
    assert read_text(file) == b"text\nmore\n"


def test_a_zip_file_of_one_visible_file_is_that_file(tmp_path):
    file = tmp_path / "a.zip"
    file.write_bytes(zipped(**{"a.txt": b"text", "__MACOSX/._a.txt": b"\0", ".hidden": b"\0"}))
    assert read_text(file) == b"text"
    file.write_bytes(zipped(a=b"", b=b""))
    with pytest.raises(TaskError, match=r"a zip file of 2 files; expected one \(unpack it first\)"):
        read_text(file)
    file.write_bytes(zipped(a=b"text")[:-30])
    with pytest.raises(TaskError, match="expected a whole zip file without a password"):
        read_text(file)


OPEN_FILES = Path("/proc/self/fd")


@pytest.mark.skipif(not OPEN_FILES.exists(), reason="this system does not list open files")
def test_opening_closes_what_is_below(tmp_path):
    file = tmp_path / "a.gz"
    file.write_bytes(gzip.compress(b"text"))
    before = len(list(OPEN_FILES.iterdir()))
    for _ in range(5):
        with open_bytes(file) as opened:
            assert opened.read() == b"text"
    assert len(list(OPEN_FILES.iterdir())) == before


def test_a_pipe_can_be_read(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writing = threading.Thread(target=pipe.write_bytes, args=(gzip.compress(b"a\r\nb\r\n"),))
    writing.start()
    assert read_text(pipe) == b"a\nb\n"
    writing.join()


def test_names_without_their_packing(tmp_path):
    assert plain_name(Path("a/hp.json.gz")) == Path("a/hp.json")
    assert plain_name(Path("a/hp.json.ZIP")) == Path("a/hp.json")
    assert plain_name(Path("a/hp.json")) == Path("a/hp.json")
    file = tmp_path / "hp.json"
    assert plain_or_packed(file) == file
    (tmp_path / "hp.json.xz").write_bytes(b"")
    assert plain_or_packed(file) == tmp_path / "hp.json.xz"
    file.write_bytes(b"")
    assert plain_or_packed(file) == file


@pytest.fixture
def folder(tmp_path):
    for name in (
        "b.json", "a/c.json.gz", "a/notes.txt", ".hidden/d.json", "a/._c.json", "__MACOSX/b.json",
    ):  # fmt: skip
        file = tmp_path / "in" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(gzip.compress(b"{}\r\n") if name.endswith("gz") else b"{}\r\n")
    return tmp_path / "in"


def test_hidden_files_are_skipped(folder):
    found = [str(file.relative_to(folder)) for file in visible_files(folder)]
    assert found == ["a/c.json.gz", "a/notes.txt", "b.json"]
    assert [file.name for file in visible_files(folder, ".json")] == ["c.json.gz", "b.json"]
    assert [file.name for file in visible_files(folder, ".json", deep=False)] == ["b.json"]


def test_folders_and_archives_give_the_same_texts(folder, tmp_path):
    expected = [("a/c.json.gz", b"{}\n"), ("b.json", b"{}\n")]
    zip_file, tar_file = tmp_path / "all.zip", tmp_path / "all.tar.gz"
    with zipfile.ZipFile(zip_file, "w") as archive, tarfile.open(tar_file, "w:gz") as tar:
        for file in sorted(folder.rglob("*"), reverse=True):
            archive.write(file, file.relative_to(folder))
            tar.add(file, str(file.relative_to(folder)), recursive=False)
    for place in (folder, zip_file, tar_file):
        found = [(name.removeprefix(f"{place}/"), data) for name, data in texts(place, ".json")]
        assert found == expected
        with pytest.raises(ConfigError, match=r"holds no \.csv file"):
            list(texts(place, ".csv"))
    tar_file.write_bytes(tar_file.read_bytes()[:-40])
    with pytest.raises(TaskError, match=r"all\.tar\.gz: "):
        list(texts(tar_file, ".json"))
