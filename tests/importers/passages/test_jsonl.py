from __future__ import annotations

import gzip
import json

import pytest

from gym_clinic.errors import ConfigError
from gym_clinic.importers.passages import jsonl as passages_jsonl
from gym_clinic.importers.passages.jsonl import read
from gym_clinic.importers.passages.labels import Labels
from gym_clinic.retrieval.passages.passage import BrokenRecord, Passage

LABELS = Labels("books", "textbook", "own")
GOOD = {"id": "Anatomy_0", "title": "Anatomy", "content": "Bones.", "contents": "Anatomy. Bones."}


@pytest.fixture
def lines(tmp_path):
    def write(*rows):
        path = tmp_path / "chunks.jsonl"
        path.write_bytes(
            b"".join(row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n"
                     for row in rows)
        )  # fmt: skip
        return path

    return write


def test_a_chunk_in_the_layout_of_medrag_becomes_a_passage(lines):
    assert list(read(lines(GOOD), LABELS)) == [
        Passage("Anatomy_0", "books", "Anatomy", "Bones.", "textbook", "own")
    ]


def test_fields_of_a_record_override_the_labels(lines):
    row = {"id": 7, "title": "", "content": "x", "source": "s", "category": "c", "licence": "l"}
    assert list(read(lines(row), LABELS)) == [Passage("7", "s", "", "x", "c", "l")]


def test_blank_lines_byte_order_marks_and_packed_files_are_read(lines, tmp_path):
    path = lines(b"\xef\xbb\xbf", GOOD, b"\n \r\n", GOOD | {"id": "b"})
    assert [one.id for one in read(path, LABELS)] == ["Anatomy_0", "b"]
    packed = tmp_path / "chunks.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert list(read(packed, LABELS)) == list(read(path, LABELS))


@pytest.mark.parametrize(
    ("row", "what"),
    [
        (b"{\n", "not valid JSON: "),
        (b"[]\n", "expected an object with id, title and content"),
        (b'{"id": "\xff"}\n', "not UTF-8: invalid start byte at byte 8"),
        (b'{"id": "a", "id": "b"}\n', "duplicate key 'id'"),
        ({"title": "", "content": "x"}, "field id: expected text that is not blank, not nothing"),
        (GOOD | {"id": " "}, "field id: expected text that is not blank, not ' '"),
        (GOOD | {"id": True}, "field id: expected text that is not blank, not True"),
        ({"id": "a", "content": "x"}, "field title: expected text, not nothing"),
        ({"id": "a", "title": ""}, "field content: expected text, not nothing"),
        (GOOD | {"content": "\n"}, "field content: expected text that is not blank"),
        (GOOD | {"content": ["x"]}, "field content: expected text, not ['x']"),
        (GOOD | {"category": None}, "field category: expected text, not None"),
    ],
)
def test_a_bad_line_in_the_middle_is_named_and_the_others_are_read(lines, row, what):
    path = lines(GOOD, row, GOOD | {"id": "c"})
    first, broken, last = read(path, LABELS)
    assert isinstance(broken, BrokenRecord)
    assert str(broken).startswith(f"{path} line 2: {what}")
    assert (first.id, last.id) == ("Anatomy_0", "c")


def test_a_line_that_is_too_long_is_one_error(lines, monkeypatch):
    monkeypatch.setattr(passages_jsonl, "LONGEST", 100)
    first, broken, last = read(
        lines(GOOD, GOOD | {"content": "x" * 450}, GOOD | {"id": "c"}), LABELS
    )
    assert (first.id, last.id) == ("Anatomy_0", "c")
    assert str(broken).endswith("line 2: longer than 100 bytes; expected one passage")


def test_a_truncated_packed_file_is_named_after_the_records_before_the_end(lines, tmp_path):
    rows = [GOOD | {"id": f"{n}", "content": f"{n * 7919 % 1000} text"} for n in range(3000)]
    whole = gzip.compress(lines(*rows).read_bytes())
    packed = tmp_path / "cut.jsonl.gz"
    for data in (whole[: len(whole) // 2], whole[:-9] + b"\0" * 9):
        packed.write_bytes(data)
        *good, broken = read(packed, LABELS)
        assert isinstance(broken, BrokenRecord)
        assert broken.place == f"after line {len(good)}"
        assert broken.what.startswith("cut off or damaged: ")
    packed.write_bytes(b"no gzip")  # the content tells how a file is packed, not its name
    (broken,) = read(packed, LABELS)
    assert "line 1: not valid JSON" in str(broken)


def test_a_missing_file_is_a_config_error(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot read .*none.jsonl: No such file"):
        list(read(tmp_path / "none.jsonl", LABELS))
