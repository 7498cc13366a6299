"""PubMed citations in the XML of the baseline and update files -> `Passage`.

Each citation becomes one passage: its title, and the paragraphs of the abstract with their labels.
The id is `pubmed:` and the PMID, with the version if it is not 1 (`pubmed:123.2`). A citation
without an abstract gives a passage without text, which a build counts and drops. Book chapters and
the lists of deleted citations in update files are not read.

Source:
    NLM, PubMed DTD (`PubmedArticleSet`), 2019 and later.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gym_clinic.importers.formats.xml import XmlError, whole_text, xml_elements
from gym_clinic.importers.passages.labels import Labels
from gym_clinic.retrieval.passages.passage import BrokenRecord, Passage

ROOTS = ("PubmedArticleSet", "MedlineCitationSet")


def read(path: Path, labels: Labels) -> Iterator[Passage | BrokenRecord]:
    """Read the citations of a file, plain or packed.

    Args:
        path: The file.
        labels: Source, category and licence of its passages.

    Yields:
        A passage or an error for each citation; the last for a damaged file.

    Raises:
        ConfigError: If the file cannot be opened, or lxml is missing.
    """
    try:
        for citation in xml_elements(path, "MedlineCitation", root=ROOTS):
            try:
                yield _passage(citation, labels)
            except ValueError as error:
                yield BrokenRecord(str(path), f"line {citation.sourceline}", str(error))
    except XmlError as damage:
        yield BrokenRecord(str(path), damage.place, damage.what)


def _passage(citation: Any, labels: Labels) -> Passage:
    pmid = citation.find("PMID")
    number = whole_text(pmid)
    if not (number.isascii() and number.isdigit()):
        raise ValueError(f"<PMID> is {number[:20]!r}; expected digits")
    version = pmid.get("Version", "1")
    article = citation.find("Article")
    if article is None:
        raise ValueError(f"PMID {number} has no <Article>")
    title = whole_text(article.find("ArticleTitle")) or whole_text(article.find("VernacularTitle"))
    if not title:
        raise ValueError(f"PMID {number} has neither <ArticleTitle> nor <VernacularTitle>")
    paragraphs = []
    for part in article.findall("Abstract/AbstractText"):
        label, text = part.get("Label", ""), whole_text(part)
        # Some labels mean that there is no label.
        plain = not label or label.upper() == "UNLABELLED"
        if text:
            paragraphs.append(text if plain else f"{label}: {text}")
    return Passage(
        f"pubmed:{number}" if version == "1" else f"pubmed:{number}.{version}",
        labels.source,
        title,
        "\n".join(paragraphs),
        labels.category,
        labels.licence,
    )
