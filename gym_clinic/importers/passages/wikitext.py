"""The markup of MediaWiki -> plain text.

Headings, paragraphs, list items, the shown text of links and the values of a few templates
(measures, words in other languages) are kept. All other templates, tables, references, files,
categories, formulas, galleries and comments are left out.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator

_DEPTH = 32
"""Deepest nesting of templates or links that is read."""

_GONE = re.compile(
    r"<!--.*?(?:-->|\Z)|<ref\b[^<>]*/>"
    r"|<(ref|math|chem|gallery|timeline|score|syntaxhighlight|source|imagemap|hiero)\b[^<>]*>"
    r".*?(?:</\1\s*>|\Z)|__[A-Z]+__",
    re.DOTALL | re.IGNORECASE,
)
_TEMPLATE = re.compile(r"\{\{([^{}]*)\}\}")
_TABLE = re.compile(r"^[ :]*\{\|(?:(?!^[ :]*\{\|).)*?^[ \t]*\|\}", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[\[([^\[\]]*)\]\]")
# "File:x.png" and "de:Fieber"; "Star Trek: The Motion Picture" is a title.
_NAMESPACE = re.compile(r":?\s*[^\W\d_]+\s*:(?! )")
_ADDRESS = re.compile(r"\[(?:https?:|ftp:)?//[^\s\[\]]+([^\[\]]*)\]")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,500}>")
_QUOTES = re.compile(r"'{2,5}")
_LEFT = re.compile(r"\{\{|\}\}|\[\[|\]\]|^[ \t]*(?:\{\||\|\}|\|-|[|!]).*$", re.MULTILINE)

# Templates whose text is their last argument, their first, or a number with its unit.
_LAST = frozenset({"lang", "transl", "nowrap", "nobr", "small", "sub", "sup"})
_FIRST = frozenset({"abbr", "tooltip", "ill"})
_MEASURES = frozenset({"convert", "cvt", "val"})

_APPENDICES = frozenset({
    "references", "external links", "see also", "further reading", "notes", "bibliography",
    "footnotes", "sources", "citations",
})  # fmt: skip


def plain_paragraphs(markup: str) -> Iterator[str]:
    """Give the paragraphs, headings and list items of a page.

    Args:
        markup: The page's source.

    Yields:
        Texts that are not blank; appendices such as references are left out.
    """
    skipped = 0
    for line in _plain(markup).split("\n"):
        text = " ".join(line.lstrip("*#:; \t").split())
        title = text.strip("= ")
        level = min(len(text) - len(text.lstrip("=")), len(text) - len(text.rstrip("=")))
        if level and title:
            if skipped and level > skipped:
                continue
            skipped = level if title.lower() in _APPENDICES else 0
            text = f"{title}."
        if text and not skipped:
            yield text


def _plain(markup: str) -> str:
    text = _repeatedly(_TEMPLATE, _template, _GONE.sub("", markup))
    text = _repeatedly(_TABLE, lambda _: "", text)
    text = _repeatedly(_LINK, _link, text)
    text = _ADDRESS.sub(r"\1", text)
    text = _LEFT.sub("", _TAG.sub("", _BREAK.sub(" ", text)))
    return html.unescape(_QUOTES.sub("", text)).replace("\xa0", " ")


def _repeatedly(
    pattern: re.Pattern[str], replacement: Callable[[re.Match[str]], str], text: str
) -> str:
    """Replace innermost matches first, up to the deepest nesting."""
    for _ in range(_DEPTH):
        text, number = pattern.subn(replacement, text)
        if not number:
            break
    return text


def _template(found: re.Match[str]) -> str:
    name, *arguments = (part.strip() for part in found[1].split("|"))
    values = [one for one in arguments if not re.match(r"[\w ]+=", one)]
    name = name.lower()
    if not values:
        return ""
    if name in _MEASURES:
        return " ".join(values[:2])
    if name in _FIRST:
        return values[0]
    return values[-1] if name in _LAST else ""


def _link(found: re.Match[str]) -> str:
    target, *shown = found[1].split("|")
    if _NAMESPACE.match(target) and not target.startswith(":"):
        return ""
    return shown[-1] if shown else target.lstrip(":")
