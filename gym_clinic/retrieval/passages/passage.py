"""A passage of a knowledge base, and a record that could not become one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Passage:
    """A piece of text to be found.

    Attributes:
        id: Unique in its base.
        source: Its collection, such as ``pubmed``.
        title: Title; may be empty.
        text: The text itself.
        category: Kind of text, such as ``guideline``; may be empty.
        licence: Terms of use; may be empty.
        score: In a search result, its BM25 score; higher is better.
        snippet: In a search result, the part of the text with most hits, each in ``<b>…</b>``.
            The text is not escaped.
    """

    id: str
    source: str
    title: str
    text: str
    category: str = ""
    licence: str = ""
    score: float = 0.0
    snippet: str = ""


@dataclass(frozen=True)
class BrokenRecord:
    """A record that an importer could not read.

    Attributes:
        file: The file that holds it.
        place: Where in the file, such as ``line 3`` or ``record 17``; empty for the whole file.
        what: The error, and what was expected.
    """

    file: str
    place: str
    what: str

    def __str__(self) -> str:
        return f"{self.file} {self.place}".rstrip() + f": {self.what}"


def encodable(text: str) -> str:
    """Return a text that UTF-8 can encode: a lone surrogate becomes ``?``."""
    return text.encode("utf-8", "replace").decode("utf-8")
