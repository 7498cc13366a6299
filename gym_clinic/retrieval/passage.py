"""A passage of a knowledge base, as a search returns it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Passage:
    """One passage.

    Attributes:
        id: Name of the passage, unique in its base.
        source: The collection that it comes from.
        title: Title, "" if there is none.
        text: The whole text.
        category: Kind of text, as its source has it.
        licence: Licence of the text.
        score: How well it answers the query; higher is better, comparable within one answer.
        snippet: Part of the text with the hits marked ``<b>…</b>``.
    """

    id: str
    source: str
    title: str
    text: str
    category: str = ""
    licence: str = ""
    score: float = 0.0
    snippet: str = ""
