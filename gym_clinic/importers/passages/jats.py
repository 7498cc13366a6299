"""Article full texts in JATS XML -> `Passage`: the abstract and every section in pieces.

The id of a piece is the id of the article (its PMCID, else `pubmed:` and its PMID, else `doi:` and
its DOI) and a number. The title is that of the article and the section. See
`gym_clinic.importers.formats.jats` for the parts of an article that are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gym_clinic.importers.formats.jats import JatsArticle, Section, each_article
from gym_clinic.importers.formats.xml import XmlError
from gym_clinic.importers.passages.chunks import chunks
from gym_clinic.importers.passages.labels import Labels
from gym_clinic.retrieval.passages.passage import BrokenRecord, Passage


def read(path: Path, labels: Labels) -> Iterator[Passage | BrokenRecord]:
    """Read the articles of a file.

    Args:
        path: The file, plain or packed.
        labels: Source, category and licence of its passages.

    Yields:
        Passages, and an error for each broken article; the last for a damaged file.

    Raises:
        ConfigError: If the file cannot be opened, or lxml is missing.
    """
    try:
        for article in each_article(path):
            if isinstance(article, XmlError):
                yield BrokenRecord(str(path), article.place, article.what)
            else:
                yield from _passages(article, labels)
    except XmlError as error:
        yield BrokenRecord(str(path), error.place, error.what)


def _passages(article: JatsArticle, labels: Labels) -> Iterator[Passage]:
    id = article.pmcid or (f"pubmed:{article.pmid}" if article.pmid else f"doi:{article.doi}")
    number = 0
    for section in (Section("Abstract", article.abstract), *article.sections):
        for text in chunks(section.text.split("\n")):
            number += 1
            yield Passage(
                f"{id}-{number}",
                labels.source,
                f"{article.title} > {section.title}",
                text,
                labels.category,
                labels.licence,
            )
    if not number:
        yield Passage(id, labels.source, article.title, "")
