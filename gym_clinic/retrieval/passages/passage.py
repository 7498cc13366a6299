"""A passage of a knowledge base, and a record that could not become one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from gym_clinic.retrieval.scored import Scored

_HIT = re.compile(r"<b>(.*?)</b>", re.DOTALL)


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
    """

    id: str
    source: str
    title: str
    text: str
    category: str = ""
    licence: str = ""


@dataclass(frozen=True)
class FoundPassage(Scored[Passage]):
    """A passage that a search found, with the fields of its record.

    Attributes:
        record: The passage.
        score: BM25, or the score of the fusion of several rankings.
        how: The snippet.
    """

    record: Passage

    @property
    def id(self) -> str:
        """Id of the passage."""
        return self.record.id

    @property
    def source(self) -> str:
        """Its collection."""
        return self.record.source

    @property
    def title(self) -> str:
        """Its title."""
        return self.record.title

    @property
    def text(self) -> str:
        """Its text."""
        return self.record.text

    @property
    def category(self) -> str:
        """Kind of text."""
        return self.record.category

    @property
    def licence(self) -> str:
        """Terms of use."""
        return self.record.licence

    @property
    def snippet(self) -> str:
        """The part of the text with most hits, each in ``<b>…</b>``; it is not escaped."""
        return self.how

    @property
    def excerpt(self) -> str:
        """The snippet without tags."""
        return without_tags(self.how)


class FoundPassages(list[FoundPassage]):
    """The passages that a search found, best first.

    Attributes:
        absent_terms: Terms of the query, as they are written, that no passage is about.

    Args:
        passages: The passages.
        absent_terms: As above.
    """

    def __init__(
        self, passages: Iterable[FoundPassage] = (), absent_terms: Iterable[str] = ()
    ) -> None:
        super().__init__(passages)
        self.absent_terms = tuple(absent_terms)

    @property
    def note(self) -> str:
        """A sentence that says what no passage is about; empty if there is nothing to say.

        >>> FoundPassages((), ["5-FU"]).note
        'No passage is about 5-FU.'
        """
        return absence_note(self.absent_terms)


def without_tags(snippet: str, mark: str = "{}") -> str:
    """Return a snippet without its tags.

    Args:
        snippet: A text with hits in ``<b>…</b>``.
        mark: How a hit is shown, at the place of ``{}``.

    >>> without_tags("raised <b>troponin</b>", mark="*{}*")
    'raised *troponin*'
    """
    before, after = mark.split("{}")
    return _HIT.sub(lambda hit: f"{before}{hit[1]}{after}", snippet)


def absence_note(terms: Iterable[str]) -> str:
    """Return the sentence that says what no passage is about; empty if there are no terms."""
    named = " or ".join(terms)
    return f"No passage is about {named}." if named else ""


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
