"""A dump of Wikipedia's articles (`pages-articles.xml`, plain or .bz2) -> `Passage`.

Only articles are read: no redirects, talk pages, templates or disambiguation pages. A passage is
at most 1,000 characters of the plain text (`wikitext.py`). Its id is `wikipedia:`, the number of
the page and the number of the piece; its title is that of the page.

Source:
    MediaWiki XML export format, versions 0.10 and 0.11.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gym_clinic.importers.formats.xml import XmlError, whole_text, xml_elements
from gym_clinic.importers.passages.chunks import chunks
from gym_clinic.importers.passages.labels import Labels
from gym_clinic.importers.passages.wikitext import plain_paragraphs
from gym_clinic.retrieval.passages.passage import BrokenRecord, Passage

ROOT = "mediawiki"

ARTICLE = "0"
"""The namespace of articles."""

# The template of a disambiguation page; "disambiguation needed" marks a link in an article.
_DISAMBIGUATION = re.compile(
    r"\{\{(?:[^{}|]* )?\s*(?:disambiguation(?: page| cleanup)?|disambig|dab)\s*(?:\||\}\})",
    re.IGNORECASE,
)


def read(path: Path, labels: Labels) -> Iterator[Passage | BrokenRecord]:
    """Read the articles of a dump.

    Args:
        path: The file.
        labels: Source, category and licence of its passages.

    Yields:
        Passages, and an error for each broken page; the last for a damaged file.

    Raises:
        ConfigError: If the file cannot be opened, or lxml is missing.
    """
    try:
        for page in xml_elements(path, "page", root=ROOT):
            try:
                yield from _passages(page, labels)
            except ValueError as error:
                yield BrokenRecord(str(path), f"line {page.sourceline}", str(error))
    except XmlError as damage:
        yield BrokenRecord(str(path), damage.place, damage.what)


def _passages(page: Any, labels: Labels) -> Iterator[Passage]:
    if whole_text(page.find("{*}ns")) not in ("", ARTICLE) or page.find("{*}redirect") is not None:
        return
    title, number = whole_text(page.find("{*}title")), whole_text(page.find("{*}id"))
    if not title or not number.isdigit():
        raise ValueError(f"<page> with <title> {title[:80]!r} and <id> {number[:20]!r}; needs both")
    written = page.find("{*}revision/{*}text")
    if written is None:
        raise ValueError(f"page {title[:80]!r} has no <revision><text>")
    if len(written):
        raise ValueError(f"<text> of page {title[:80]!r} holds entities or elements")
    markup = written.text or ""
    if _DISAMBIGUATION.search(markup):
        return
    piece = 0
    for piece, text in enumerate(chunks(plain_paragraphs(markup)), start=1):
        yield Passage(
            f"wikipedia:{number}-{piece}",
            labels.source,
            title,
            text,
            labels.category,
            labels.licence,
        )
    if not piece:
        yield Passage(f"wikipedia:{number}", labels.source, title, "")
