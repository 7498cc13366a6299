"""A text comes out as UTF-8 with line feeds, however it was written."""

from __future__ import annotations

import bz2
import gzip
import lzma

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.reading import numbered_lines, open_text, read_text

MARKS = {
    "utf-8": b"\xef\xbb\xbf", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff",
    "utf-32-le": b"\xff\xfe\x00\x00", "utf-32-be": b"\x00\x00\xfe\xff",
}  # fmt: skip
PACK = {"": bytes, "gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}

# Control characters apart, in which no text differs from UTF-16 without a mark.
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40)


@given(
    lines=st.lists(TEXT, min_size=1, max_size=20),
    encoding=st.sampled_from(sorted(MARKS)),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    packing=st.sampled_from(sorted(PACK)),
)
def test_a_text_is_the_same_in_every_form(lines, encoding, end, packing, tmp_path_factory):
    file = tmp_path_factory.getbasetemp() / "text"
    written = "".join(line + end for line in lines)
    file.write_bytes(PACK[packing](MARKS[encoding] + written.encode(encoding)))
    assert read_text(file).decode() == "".join(f"{line}\n" for line in lines)
    found = list(numbered_lines(file))
    assert [line.decode() for _, line in found] == [f"{line}\n" for line in lines]
    assert [number for number, _ in found] == list(range(1, len(lines) + 1))


@given(
    text=st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=2),
    encoding=st.sampled_from(["utf-16-le", "utf-16-be", "utf-8"]),
)
def test_ascii_needs_no_mark(text, encoding, tmp_path_factory):
    file = tmp_path_factory.getbasetemp() / "ascii"
    file.write_bytes(text.encode(encoding))
    assert read_text(file).decode() == text


@given(st.binary(max_size=200))
def test_bytes_without_a_mark_and_zeros_stay(tmp_path_factory, data):
    data = data.replace(b"\0", b"x").replace(b"\r", b"")
    file = tmp_path_factory.getbasetemp() / "bytes"
    if not data.startswith((*MARKS.values(), b"\x1f\x8b", b"BZh", b"PK", b"\xfd7z")):
        file.write_bytes(data)
        assert read_text(file) == data


@pytest.mark.parametrize("size", [(1 << 12) - 1, 1 << 12, (1 << 16) - 1, 1 << 16, 3 << 16])
@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_line_ends_at_the_edge_of_what_is_read_at_once(size, end, tmp_path):
    file = tmp_path / "text"
    for shift in (-1, 0, 1):
        first = b"a" * (size + shift)
        file.write_bytes(first + end + b"b" + end)
        assert read_text(file) == first + b"\nb\n"


def test_a_lone_carriage_return_in_a_file_of_line_feeds_stays(tmp_path):
    file = tmp_path / "text"
    file.write_bytes(b"a\nb\rc\n")
    assert read_text(file) == b"a\nb\rc\n"
    file.write_bytes(b"a\r\nb\rc\r\n")
    assert read_text(file) == b"a\nb\rc\n"


@pytest.mark.parametrize("data", ["a\nb".encode("utf-16") + b"\x00", b"\xff\xfe\x00\xd8a\x00"])
def test_what_is_no_text_in_its_encoding_is_never_utf_8(data, tmp_path):
    file = tmp_path / "text"
    file.write_bytes(data)
    with pytest.raises(UnicodeDecodeError):
        read_text(file).decode()


def test_lines_before_the_damage_are_read(tmp_path):
    file = tmp_path / "lines.gz"
    lines = [f"{number} {number * 7919 % 1000}\n".encode() for number in range(20_000)]
    whole = gzip.compress(b"".join(lines))
    file.write_bytes(whole[: len(whole) // 2])
    found: list[bytes] = []
    with pytest.raises(TaskError, match=r"lines\.gz after line \d+: cut off or damaged"):
        found.extend(line for _, line in numbered_lines(file))
    assert len(found) > 1000
    assert found[:-1] == lines[: len(found) - 1]  # of the last, a part may be there


def test_a_folder_and_a_missing_file_are_errors_of_the_caller(tmp_path):
    with pytest.raises(ConfigError, match="it is a folder; expected a file"):
        open_text(tmp_path)
    with pytest.raises(ConfigError, match="none: No such file"):
        read_text(tmp_path / "none")
