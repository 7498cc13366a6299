"""Texts in UTF-8, UTF-16 or UTF-32, handed on in UTF-8 with lines that end in a line feed.

What is no valid text in the encoding of its file comes out as bytes that are not UTF-8, so that a
reader names the line. The first line end of a file shows whether lines end in a line feed, a
carriage return, or both.
"""

from __future__ import annotations

import codecs
import io
import itertools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from gym_clinic.errors import TaskError
from gym_clinic.reading.packed import chunks, open_bytes, stream, unpacked

# The marks of UTF-32 come first: that of UTF-16 is the beginning of one of them.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, ""), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip

_HEAD = 1 << 12
"""Bytes that show the encoding."""

_LINE_END = re.compile(rb"\r\n?|\n")
_NEVER_UTF8 = b"\xff"


def open_text(path: Path) -> BinaryIO:
    """Open a text for reading it as UTF-8, unpacked, without a byte order mark.

    Raises:
        ConfigError: As `open_bytes`.
        TaskError: As `open_bytes`.
    """
    return _as_utf8(open_bytes(path))


def read_text(path: Path) -> bytes:
    """Read a whole file as `open_text` gives it.

    Raises:
        ConfigError: As `open_bytes`.
        TaskError: As `open_bytes`, and if it is cut off or damaged.
    """
    with open_text(path) as file:
        return _whole(file, str(path))


def text_of(data: bytes, place: str) -> bytes:
    """Return the content of a file of an archive as `open_text` gives it.

    Args:
        data: Its bytes.
        place: Its name, for errors.

    Raises:
        TaskError: If it is cut off or damaged.
    """
    with _as_utf8(unpacked(io.BytesIO(data), place)) as file:
        return _whole(file, place)


def is_wide(path: Path) -> bool:
    """Whether a text is in UTF-16 or UTF-32, whatever it may declare.

    Raises:
        ConfigError: As `open_bytes`.
        TaskError: As `open_bytes`.
    """
    with open_bytes(path) as file:
        try:
            return bool(_encoding(file.read(_HEAD))[0])
        except OSError:  # the damage is reported where the file is read
            return False


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield each line of a text with its number from 1, with its line feed.

    Raises:
        ConfigError: As `open_bytes`.
        TaskError: As `open_bytes`, and if the file is cut off or damaged.
    """
    number = 0
    with open_text(path) as file:
        try:
            for number, line in enumerate(file, 1):
                yield number, line
        except OSError as error:
            raise TaskError(f"{path} after line {number}: cut off or damaged: {error}") from None


def _whole(file: BinaryIO, place: str) -> bytes:
    try:
        return file.read()
    except OSError as error:
        raise TaskError(f"{place}: cut off or damaged: {error}") from None


def _as_utf8(file: BinaryIO) -> BinaryIO:
    return stream(_with_line_feeds(_in_utf8(file)), file)


def _in_utf8(file: BinaryIO) -> Iterator[bytes]:
    """The text in UTF-8, without its mark."""
    pieces = chunks(file)
    head = b""
    try:
        while len(head) < _HEAD and (piece := next(pieces, b"")):
            head += piece
    except OSError:  # all before the damage is handed on before it is reported
        yield head[_encoding(head)[1] :] if not _encoding(head)[0] else _NEVER_UTF8
        raise
    encoding, length = _encoding(head)
    rest = itertools.chain((head[length:],), pieces)
    if not encoding:
        yield from rest
        return
    decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")
    try:
        for piece in rest:
            yield decoder.decode(piece).encode("utf-8", "surrogatepass")
        yield decoder.decode(b"", final=True).encode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        yield _NEVER_UTF8


def _encoding(head: bytes) -> tuple[str, int]:
    """The encoding of a text, empty for UTF-8, and the length of its mark."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding, len(mark)
    # Without a mark, UTF-16 shows by the zeros beside the letters of ASCII.
    pairs = len(head) // 2
    for encoding, high, low in (("utf-16-le", 1, 0), ("utf-16-be", 0, 1)):
        zeros = head[high : 2 * pairs : 2].count(0)
        if zeros > pairs / 3 and not head[low : 2 * pairs : 2].count(0):
            return encoding, 0
    return "", 0


def _with_line_feeds(pieces: Iterable[bytes]) -> Iterator[bytes]:
    ends, held = b"", b""
    for piece in pieces:
        data = held + piece
        held = b""
        if ends != b"\n" and data.endswith(b"\r"):  # a line feed may follow
            held, data = b"\r", data[:-1]
        if not ends and (first := _LINE_END.search(data)):
            ends = first[0]
        if ends.startswith(b"\r"):
            data = data.replace(b"\r\n", b"\n")
        if ends == b"\r":
            data = data.replace(b"\r", b"\n")
        yield data
    if held:
        yield held if ends == b"\r\n" else b"\n"
