"""Plain text -> `Passage`: pieces of at most 1,000 characters that end with sentences.

A blank line ends a paragraph. The title of a passage is the name of its document. Its id is the
collection, the document (unless both have one name) and a number.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from gym_clinic.importers.passages.chunks import chunks
from gym_clinic.importers.passages.labels import Labels
from gym_clinic.reading import open_text
from gym_clinic.retrieval.passages.passage import BrokenRecord, Passage

_LONGEST = 1 << 16
"""Bytes of a line that are read at once; a longer line becomes several paragraphs."""


def read(path: Path, labels: Labels) -> Iterator[Passage | BrokenRecord]:
    """Read a text, plain or packed.

    Args:
        path: The file.
        labels: Source, category and licence of its passages.

    Yields:
        Passages; the last item is an error if a line is broken, where reading ends.

    Raises:
        ConfigError: If the file cannot be opened.
    """
    title = labels.document or path.name.partition(".")[0]
    id = title if title == labels.source else f"{labels.source}/{title}"
    reader = _Paragraphs(path)
    with open_text(path) as file:
        for number, text in enumerate(chunks(reader.read(file)), start=1):
            yield Passage(
                f"{id}-{number}", labels.source, title, text, labels.category, labels.licence
            )
    if reader.broken is not None:
        yield reader.broken


class _Paragraphs:
    """Reads the paragraphs of a file up to the first broken line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.broken: BrokenRecord | None = None

    def read(self, file: BinaryIO) -> Iterator[str]:
        paragraph = ""
        for piece in self.pieces(file):
            paragraph += piece
            if not piece.strip():
                yield paragraph
                paragraph = ""
            elif len(paragraph) > _LONGEST:
                head, _, paragraph = paragraph.rpartition(" ")
                yield head
        yield paragraph

    def pieces(self, file: BinaryIO) -> Iterator[str]:
        """Lines, and parts of lines that are too long."""
        decoder = codecs.getincrementaldecoder("utf-8")()
        line, piece = 1, b""
        try:
            while piece := file.readline(_LONGEST):
                yield decoder.decode(piece)
                line += piece.endswith(b"\n")
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            self.broken = BrokenRecord(str(self.path), f"line {line}", f"not UTF-8: {error.reason}")
        except OSError as error:
            what = f"cut off or damaged: {error}"
            self.broken = BrokenRecord(str(self.path), f"line {line}", what)
