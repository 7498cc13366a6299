"""The text that the tables are written in."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts.authoring import read_entries, read_table, slug, split

WRITTEN = """# reviewed: 2026-01-31

== Amber fever | AF; Fever, amber
S A made-up disease.
V fever; cough
# a remark
==~ Blue cough
S Another.
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "entries.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_entries_are_read(tmp_path: Path) -> None:
    amber, blue = read_entries(written(tmp_path, WRITTEN), "SV")
    assert (amber.name, amber.synonyms, amber.rare) == (
        "Amber fever",
        ("AF", "Fever, amber"),
        False,
    )
    assert amber.items("V") == ("fever", "cough")
    assert amber.items("L") == ()
    assert amber.reviewed == "2026-01-31"
    assert amber.place.endswith("entries.txt line 3")
    assert (blue.rare, blue.text("S")) == (True, "Another.")
    with pytest.raises(TaskError, match="'Blue cough' has no line 'T'"):
        blue.text("T")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("# reviewed: 2026-01-31", "# seen: today", "line 1: expected '# reviewed"),
        ("V fever", "Q fever", "line 5: 'Q fever; cough' is no line of an entry"),
        ("V fever", "fever", "line 5: 'fever; cough' is no line of an entry"),
        ("V fever", "S fever", "line 5: a second line 'S'"),
        ("== Amber", "Amber", "line 3: 'Amber fever"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = written(tmp_path, WRITTEN.replace(old, new, 1))
    with pytest.raises(TaskError, match=message):
        list(read_entries(path, "SV"))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read"):
        list(read_entries(tmp_path / "none.txt", "S"))
    (tmp_path / "latin.txt").write_bytes(b"# reviewed: 2026-01-31\n== Caf\xe9\n")
    with pytest.raises(TaskError, match=r"latin\.txt line 2: byte 6 of it is not UTF-8"):
        list(read_entries(tmp_path / "latin.txt", "S"))
    (tmp_path / "mark.txt").write_bytes(b"\xef\xbb\xbf" + WRITTEN.encode().replace(b"\n", b"\r\n"))
    assert len(list(read_entries(tmp_path / "mark.txt", "SV"))) == 2
    (tmp_path / "empty.txt").write_bytes(b"")
    with pytest.raises(TaskError, match="line 1"):
        list(read_entries(tmp_path / "empty.txt", "S"))


def test_tables_are_read(tmp_path: Path) -> None:
    path = written(tmp_path, "name\tgroup\nfever\twhole body\ncough\t\n")
    assert [cells for _, cells in read_table(path, ("name", "group"))] == [
        ("fever", "whole body"),
        ("cough", ""),
    ]
    with pytest.raises(TaskError, match="line 1: expected the columns"):
        list(read_table(path, ("name", "body")))
    with pytest.raises(TaskError, match="line 2: 1 cells, expected 2"):
        list(read_table(written(tmp_path, "name\tgroup\nfever\n"), ("name", "group")))


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("any") / "entries.txt"
    path.write_bytes(b"# reviewed: 2026-01-31\n" + text.encode("utf-8", "surrogatepass"))
    try:
        names = [one.name for one in read_entries(path, "SV")]
    except TaskError as error:
        names = [str(error).partition(str(path))[1]]
    assert all(names)


@given(st.text(max_size=60))
def test_slugs_and_lists(text: str) -> None:
    assert set(slug(text)) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert all(part == part.strip() and part for part in split(text))
