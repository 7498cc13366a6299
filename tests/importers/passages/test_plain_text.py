from __future__ import annotations

import bz2

from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.importers.passages.labels import Labels
from gym_clinic.importers.passages.plain_text import read
from gym_clinic.retrieval.passages.passage import BrokenRecord, Passage

LABELS = Labels("books")


def test_a_text_is_cut_at_the_ends_of_sentences(tmp_path):
    path = tmp_path / "Harrison 1.txt"
    sentence = "The fever lasted for\nthree days and then went away."
    path.write_text(f"\ufeffFever\n\n{' '.join([sentence] * 40)}\n", encoding="utf-8")
    found = list(read(path, LABELS))
    assert [one.id for one in found] == [f"books/Harrison 1-{n}" for n in range(1, len(found) + 1)]
    assert found[0].title == "Harrison 1"
    assert found[0].text.startswith("Fever\nThe fever lasted for three days")
    assert len(found) == 3
    for one in found:
        assert one.text.endswith("went away.")
        assert len(one.text) <= 1000


def test_packed_and_empty_texts_are_read(tmp_path):
    packed = tmp_path / "a.txt.bz2"
    packed.write_bytes(bz2.compress(b"One. Two."))
    assert list(read(packed, LABELS)) == [Passage("books/a-1", "books", "a", "One. Two.")]
    (tmp_path / "b.txt").write_bytes(b" \n\n")
    assert list(read(tmp_path / "b.txt", LABELS)) == []


def test_a_long_line_is_read_in_parts(tmp_path):
    path = tmp_path / "long.txt"
    text = "grüße an alle. " * 20_000
    path.write_text(text, encoding="utf-8")
    found = list(read(path, LABELS))
    assert "".join("".join(one.text for one in found).split()) == "".join(text.split())


def test_a_wrong_encoding_is_named_with_its_line(tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes("Good.\n\nMüller\n\nMore.".encode("latin-1"))
    *good, broken = read(path, LABELS)
    assert [one.text for one in good] == ["Good."]
    assert broken == BrokenRecord(str(path), "line 3", "not UTF-8: invalid start byte")


def test_a_truncated_text_is_named(tmp_path):
    path = tmp_path / "cut.txt"
    path.write_bytes("Good. ü".encode()[:-1])
    *_, broken = read(path, LABELS)
    assert str(broken) == f"{path} line 1: not UTF-8: unexpected end of data"
    packed = tmp_path / "cut.txt.bz2"
    packed.write_bytes(bz2.compress(b"One. Two." * 1000)[:-20])
    *_, broken = read(packed, LABELS)
    assert "cut off or damaged" in str(broken)


@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_named(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("any") / "x.txt"
    path.write_bytes(data)
    found = list(read(path, LABELS))
    broken = [one for one in found if isinstance(one, BrokenRecord)]
    try:
        data.decode("utf-8-sig")
    except UnicodeDecodeError:
        assert broken == found[-1:]
    else:
        assert not broken
