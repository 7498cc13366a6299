"""Article full texts in JATS XML, as PubMed Central serves them -> `JatsArticle`.

A file, plain or packed, is one `<article>`, with or without a document type or a namespace, or a
wrapper such as `<pmc-articleset>` around any number of articles, which are read one by one. These
parts are read: ids, year, title, abstract, and the text of body, appendices and floating figures
and tables (paragraphs, lists, captions, table cells). These are left out: references, citation
marks in superscript, footnote marks, LaTeX sources (the MathML text is kept) and comments.

External entities are never fetched and internal entities never expanded; the named characters of
HTML (`&alpha;`) are supported.

Source:
    JATS: Journal Article Tag Suite, ANSI/NISO Z39.96, archiving and interchange tag set.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.entities import html5
from pathlib import Path
from typing import Any

from gym_clinic.errors import TaskError
from gym_clinic.importers.formats.xml import XmlError, xml_elements


@dataclass(frozen=True)
class Section:
    """A section of an article.

    Attributes:
        title: Its title, after the titles of the sections around it ("Results > Mouse model").
        text: Its own text, a paragraph, caption, list item or table row a line.
    """

    title: str
    text: str


@dataclass(frozen=True)
class JatsArticle:
    """A full-text article.

    Attributes:
        pmid: PubMed id; empty if the file gives none.
        pmcid: PubMed Central id, with its "PMC"; empty if the file gives none.
        doi: Digital object identifier; empty if the file gives none.
        year: Year of first publication, in print or electronic; None if the file gives none.
        title: Title.
        abstract: Main abstract, a paragraph a line; empty if there is none.
        sections: Full text in reading order; empty if the file has the abstract only.
    """

    pmid: str
    pmcid: str
    doi: str
    year: int | None
    title: str
    abstract: str
    sections: tuple[Section, ...]


def read_jats(path: str | os.PathLike[str]) -> JatsArticle:
    """Read a file that holds one article.

    Args:
        path: The XML file.

    Returns:
        The article.

    Raises:
        ConfigError: If the file cannot be opened or lxml is missing.
        TaskError: If it is not JATS XML, lacks a title or every id, or has several articles; the
            text names the file and the element.
    """
    articles = list(read_articles(path))
    if len(articles) > 1:
        raise TaskError(f"{path}: {len(articles)} articles; expected one (use read_articles)")
    return articles[0]


def read_articles(path: str | os.PathLike[str]) -> Iterator[JatsArticle]:
    """Read every article of a file.

    Args:
        path: The XML file.

    Yields:
        At least one article.

    Raises:
        ConfigError: As `read_jats`.
        TaskError: As `read_jats`, and for a file without articles.
    """
    for found in each_article(path):
        if isinstance(found, XmlError):
            raise found
        yield found


def each_article(path: str | os.PathLike[str]) -> Iterator[JatsArticle | XmlError]:
    """Read every article of a file, and report the broken ones in their place.

    Args:
        path: The XML file, plain or packed.

    Yields:
        An article, or the error of an article that cannot be read.

    Raises:
        ConfigError: As `read_jats`.
        XmlError: If the file is not XML, has no article, or is damaged after the articles so far.
    """
    file = Path(path)
    for node in xml_elements(file, "article"):
        try:
            yield _Reader(file).article(node)
        except XmlError as error:
            yield error


_BLOCKS = frozenset({
    "abstract", "article-title", "body", "boxed-text", "caption", "def", "def-item",
    "def-list", "disp-formula", "disp-quote", "fig", "fig-group", "list", "list-item", "p",
    "preformat", "sec", "sig-block", "speech", "statement", "supplementary-material", "table",
    "table-wrap", "table-wrap-foot", "tbody", "tfoot", "thead", "title", "tr", "verse-group",
    "verse-line",
})  # fmt: skip
_SKIPPED = frozenset({
    "tex-math", "graphic", "inline-graphic", "media", "object-id", "sec-meta", "fn-group",
    "ref-list", "permissions", "annotation", "alt-text", "long-desc", "trans-title",
    "trans-abstract", "kwd-group",
})  # fmt: skip
_NOT_PUBLISHED = frozenset({
    "pmc-release", "nihms-submitted", "received", "accepted", "epreprint", "preprint",
    "ecorrected", "corrected",
})  # fmt: skip
_MARKS = ("fn", "aff", "corresp", "author-notes", "table-fn")
_BREAK = "\x1e"  # XML text cannot contain this character


def _tag(node: Any) -> str:
    """Name of an element without its namespace; empty for an entity reference."""
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""


def _child(node: Any, *path: str) -> Any:
    """The first descendant along a path of names, or None."""
    for name in path:
        node = next((child for child in node if _tag(child) == name), None)
        if node is None:
            return None
    return node


def _children(node: Any, *names: str) -> list[Any]:
    return [] if node is None else [child for child in node if _tag(child) in names]


def _is_mark(node: Any) -> bool:
    """Whether a cross-reference is a footnote mark or a raised citation number."""
    kind = node.get("ref-type")
    return kind in _MARKS or (kind == "bibr" and any(_tag(child) == "sup" for child in node))


class _Reader:
    """Reads the articles of one file; the file is named in errors."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def article(self, root: Any) -> JatsArticle:
        meta = _child(root, "front", "article-meta")
        if meta is None:
            raise self.error(root, "no <front><article-meta>; expected a full JATS article")
        pmid, pmcid, doi = self.ids(meta)
        heading = _child(meta, "title-group", "article-title")
        title = " ".join(self.lines(heading)) if heading is not None else ""
        if not title:
            raise self.error(meta, f"no <article-title> in {pmcid or pmid or doi}")
        sections = list(self.sections(_child(root, "body"), ()))
        back = _child(root, "back")
        for group in _children(back, "app-group"):
            sections += self.sections(group, ())
        floats = [line for group in _children(root, "floats-group") for line in self.lines(group)]
        if floats:
            sections.append(Section("Figures and tables", "\n".join(floats)))
        year, abstract = self.year(meta), self.abstract(meta)
        return JatsArticle(pmid, pmcid, doi, year, title, abstract, tuple(sections))

    def ids(self, meta: Any) -> tuple[str, str, str]:
        found: dict[str | None, str] = {}
        for node in _children(meta, "article-id"):
            found.setdefault(node.get("pub-id-type"), "".join(self.lines(node)))
        pmid = found.get("pmid", "")
        pmcid = found.get("pmcid", "") or found.get("pmc", "")
        if pmcid.isdigit():
            pmcid = f"PMC{pmcid}"
        doi = found.get("doi", "")
        if not pmid and not pmcid and not doi:
            raise self.error(meta, "no <article-id> of type pmid, pmc, pmcid or doi")
        return pmid, pmcid, doi

    def year(self, meta: Any) -> int | None:
        years = []
        for date in _children(meta, "pub-date"):
            kind = date.get("pub-type") or date.get("date-type") or ""
            node = _child(date, "year")
            if node is None or kind in _NOT_PUBLISHED:
                continue
            text = "".join(self.lines(node))
            if not re.fullmatch("[12][0-9]{3}", text):
                raise self.error(node, f"<year> is {text[:20]!r}; expected four digits")
            years.append(int(text))
        return min(years, default=None)

    def abstract(self, meta: Any) -> str:
        abstracts = _children(meta, "abstract")
        # Graphical, short and lay abstracts carry a type; the main one does not.
        plain = [node for node in abstracts if node.get("abstract-type") is None] or abstracts[:1]
        lines = []
        for node in plain:
            for title, text in self.passages(node, ()):
                if title:
                    lines.append(f"{title}: {text}")
                else:
                    lines += [line for line in text.split("\n") if line.lower() != "abstract"]
        return "\n".join(lines)

    def sections(self, node: Any, trail: tuple[str, ...]) -> Iterator[Section]:
        """The sections under a body, a section or a group of appendices."""
        if node is not None:
            for title, text in self.passages(node, trail):
                yield Section(title or "Main text", text)

    def passages(self, node: Any, trail: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """Titles and texts in reading order; a title includes those around it."""
        lines: list[str] = []
        for child in node:
            if _tag(child) in ("sec", "app"):
                if lines:
                    yield " > ".join(trail), "\n".join(lines)
                    lines = []
                title = _child(child, "title")
                name = " ".join(self.lines(title)).rstrip(": ") if title is not None else ""
                yield from self.passages(child, (*trail, name) if name else trail)
            elif not (trail and _tag(child) in ("title", "label")):
                lines += self.lines(child)
        if lines:
            yield " > ".join(trail), "\n".join(lines)

    def lines(self, node: Any) -> list[str]:
        """The text of an element, one line for each block in it."""
        out: list[str] = []
        self.write(node, out)
        lines = (" ".join(line.split()) for line in "".join(out).split(_BREAK))
        return [line.removesuffix(" |") for line in lines if line.strip("| ")]

    def write(self, node: Any, out: list[str]) -> None:
        """Append the text of an element, blocks set apart by breaks."""
        tag = _tag(node)
        if not tag:
            out.append(self.character(node))
        elif tag in _SKIPPED or (tag == "xref" and _is_mark(node)):
            return
        elif tag == "sup":
            self.write_raised(node, out)
        elif tag in ("td", "th"):
            cell: list[str] = []
            self.write_inside(node, cell)
            out.append("".join(cell).replace(_BREAK, " ") + " | ")
        elif tag in _BLOCKS:
            out.append(_BREAK)
            self.write_inside(node, out)
            out.append(_BREAK)
        else:
            self.write_inside(node, out)
            if tag in ("label", "break"):
                out.append(" ")

    def write_inside(self, node: Any, out: list[str]) -> None:
        out.append(node.text or "")
        for child in node:
            self.write(child, out)
            out.append(child.tail or "")

    def write_raised(self, node: Any, out: list[str]) -> None:
        """Append superscript, without the marks that would stick to the word before."""
        raised: list[str] = [node.text or ""]
        for child in node:
            if not (_tag(child) == "xref" and child.get("ref-type") in ("bibr", *_MARKS)):
                self.write(child, raised)
            raised.append(child.tail or "")
        text = "".join(raised)
        if len(node) and not text.strip(" \n\t,;–—-[]()"):  # what stood between the marks
            return
        # 10<sup>-3</sup> must not become 10-3.
        before = next((piece[-1] for piece in reversed(out) if piece), "")
        out.append(f"^{text}" if before.isdigit() and re.match("[-−+]?[0-9]", text) else text)

    def character(self, node: Any) -> str:
        """The character that an entity reference names."""
        name = str(node.text)[1:]
        if name not in html5:
            raise self.error(
                node, f"unknown entity &{name[:40]}; entities that a file defines are not read"
            )
        return html5[name]

    def error(self, node: Any, what: str) -> XmlError:
        return XmlError(self.file, f"line {node.sourceline or 1}", what)
