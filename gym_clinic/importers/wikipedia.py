"""A dump of Wikipedia's articles (`pages-articles.xml`, plain or .bz2) -> `Passage`.

Articles alone are read: no redirects, talk pages, templates or disambiguation pages. A piece is
at most 1,000 characters of the plain text (`wikitext.py`); its id is `wikipedia:`, the number of
the page and its own, its title that of the page.

Source:
    MediaWiki XML export format, versions 0.10 and 0.11.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gym_clinic.importers.chunks import chunks
from gym_clinic.importers.labels import Labels
from gym_clinic.importers.packed import DamagedFileError, text_of, xml_records
from gym_clinic.importers.wikitext import plain_paragraphs
from gym_clinic.retrieval.passage import BrokenRecord, Passage

ARTICLE = "0"
"""The namespace of articles."""

_DISAMBIGUATION = re.compile(r"\{\{\s*(?:\w+ )?(?:disambiguation|disambig|dab)\b", re.IGNORECASE)


def read(path: Path, labels: Labels) -> Iterator[Passage | BrokenRecord]:
    """Read the articles of a dump.

    Args:
        path: The file.
        labels: Source, category and licence of its passages.

    Yields:
        Passages, or what is wrong with a page. Where the file is damaged, the last.

    Raises:
        ConfigError: If the file cannot be opened, or lxml is missing.
    """
    try:
        for page in xml_records(path, "page"):
            try:
                yield from _passages(page, labels)
            except ValueError as error:
                yield BrokenRecord(str(path), f"line {page.sourceline}", str(error))
    except DamagedFileError as damage:
        yield BrokenRecord(str(path), damage.place, str(damage))


def _passages(page: Any, labels: Labels) -> Iterator[Passage]:
    if text_of(page.find("{*}ns")) not in ("", ARTICLE) or page.find("{*}redirect") is not None:
        return
    title, number = text_of(page.find("{*}title")), text_of(page.find("{*}id"))
    if not title or not number.isdigit():
        raise ValueError(f"<page> with <title> {title[:80]!r} and <id> {number[:20]!r}; needs both")
    markup = page.findtext("{*}revision/{*}text")
    if markup is None:
        raise ValueError(f"page {title[:80]!r} has no <revision><text>")
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
