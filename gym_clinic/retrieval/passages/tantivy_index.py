"""The engine for large bases: a tantivy index in a folder beside the file of the base.

The folder holds the inverted index of title and text alone; the passages stay in SQLite.
"""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

import orjson

from gym_clinic.errors import ConfigError
from gym_clinic.retrieval.passages.query import AnyOf, Phrase, Query, Title

NAME = "tantivy"
TOKENIZER = "simple, lowercase, ascii_fold, stemmer english"
SNIPPET_CHARACTERS = 160

_START = "titlestart"
"""A word before the first one of every title, since a phrase cannot be tied to the start."""

_STUCK = 20
"""Characters by which a fragment grows at each end, to end at a blank."""

_LOCK = ".tantivy-meta.lock"

PARTS = ("fast", "fieldnorm", "idx", "pos", "store", "term")
"""Files of a segment, by their suffix."""

_END = (1337).to_bytes(4, "little")
"""The last bytes of a complete file of a segment."""

_HEAP = 256 << 20
"""Bytes of postings held in memory before a segment is written; few segments search fast."""


def library() -> Any:
    """Return the package.

    Raises:
        ConfigError: If it is not installed.
    """
    try:
        return importlib.import_module("tantivy")
    except ImportError:
        raise ConfigError(
            "a large knowledge base needs tantivy (Python 3.11 or newer): "
            "pip install 'gym_clinic[tantivy]'; a base built with --engine fts5 does not"
        ) from None


def versions() -> dict[str, str]:
    """Return the version of the search library."""
    return {"tantivy": metadata.version("tantivy")}


def analyzer() -> Any:
    """Return the analyzer that turns a text into terms."""
    tantivy = library()
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.ascii_fold())
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )


def build(rows: Iterable[tuple[int, str, str, str]], folder: Path) -> None:
    """Write an index.

    Args:
        rows: Number, source, title and text of each passage.
        folder: The folder to write; it must not exist.
    """
    tantivy = library()
    folder.mkdir()
    fields = tantivy.SchemaBuilder()
    fields.add_text_field("body", tokenizer_name="english")
    fields.add_text_field("title", tokenizer_name="english")
    fields.add_text_field("source", tokenizer_name="raw", index_option="basic")
    fields.add_unsigned_field("n", fast=True)
    index = tantivy.Index(fields.build(), path=str(folder))
    index.register_tokenizer("english", analyzer())
    # One thread: the same passages give the same segments.
    writer = index.writer(_HEAP, 1)
    for number, source, title, text in rows:
        document = tantivy.Document()
        # Two values of one field: one length for BM25, but no phrase across their border.
        document.add_text("body", title)
        document.add_text("body", text)
        document.add_text("title", f"{_START} {title}")
        document.add_text("source", source)
        document.add_unsigned("n", number)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    mode = folder.stat().st_mode & 0o666
    for file in folder.iterdir():
        file.chmod(mode)  # tantivy creates some for the owner only


class TantivyEngine:
    """Searches by BM25 (k1 1.2, b 0.75) over title and text together.

    Args:
        folder: The index.

    Raises:
        ConfigError: If tantivy is missing, or there is no index that it can read.
    """

    def __init__(self, folder: Path) -> None:
        self._tantivy = library()
        self._analyzer = analyzer()
        try:
            _check_whole(folder)
            with _lockable(folder) as place:
                index = self._tantivy.Index.open(str(place))
                index.register_tokenizer("english", self._analyzer)
                index.config_reader("manual")
                index.reload()
                self._searcher = index.searcher()
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise ConfigError(
                f"no readable index {folder}: {error}; it belongs beside the file of the base; "
                f"if another tantivy than {versions()['tantivy']} built it, build it again"
            ) from None
        self._schema = index.schema

    def hits(self, query: Query, limit: int, source: str | None) -> list[tuple[float, int]]:
        """Return score and number of the best passages; equal scores in any order."""
        wanted = self.render(query)
        if source is not None:
            wanted = self._tantivy.Query.boolean_query(
                [
                    (self._tantivy.Occur.Must, wanted),
                    (self._tantivy.Occur.Must, self._of(source)),
                ]
            )
        found = self._searcher.search(wanted, limit, count=False).hits
        numbers = self._searcher.fast_field_values("n", [address for _, address in found])
        # The terms of a score are added in an order that differs between passages, which changes
        # the last bits. Five digits are the same for equal passages.
        return [
            (float(f"{score:.5g}"), number)
            for (score, _), number in zip(found, numbers, strict=True)
        ]

    def _of(self, source: str) -> Any:
        term = self._tantivy.Query.term_query(self._schema, "source", source, "basic")
        return self._tantivy.Query.const_score_query(term, 0.0)

    def snippets(self, query: Query, texts: Mapping[int, str]) -> Sequence[str]:
        """Return the best part of each of some passages, in their order."""
        generator = self._tantivy.SnippetGenerator.create(
            self._searcher, self.render(query), self._schema, "body"
        )
        generator.set_max_num_chars(SNIPPET_CHARACTERS)
        found = []
        for text in texts.values():
            document = self._tantivy.Document()
            document.add_text("body", text)
            found.append(_marked(generator.snippet_from_doc(document), text))
        return found

    def knows(self, *words: str) -> bool:
        """Return whether any passage has a form of this word, or of these words in a row."""
        terms = [term for word in words for term in self._analyzer.analyze(word)]
        has = (self._searcher.doc_freq("body", term) for term in terms)
        if len(words) == 1:
            return any(has)
        return all(has) and bool(self._searcher.search(self.render(Phrase(words)), 1).hits)

    def render(self, node: Query) -> Any:
        """Build a query object of tantivy; its own query parser is not used."""
        query, occur = self._tantivy.Query, self._tantivy.Occur
        if isinstance(node, Title):
            title = self._analyzer.analyze(" ".join((_START, *node.words)))
            return query.phrase_query(self._schema, "title", title)
        if isinstance(node, Phrase):
            terms = [term for word in node.words for term in self._analyzer.analyze(word)]
            if not terms:
                return query.empty_query()
            if len(terms) == 1:
                return query.term_query(self._schema, "body", terms[0], "freq")
            return query.phrase_query(self._schema, "body", terms)
        if isinstance(node, AnyOf):
            return query.boolean_query([(occur.Should, self.render(part)) for part in node.parts])
        return query.boolean_query(
            [(occur.Must, self.render(part)) for part in node.parts]
            + [(occur.MustNot, self.render(part)) for part in node.excluded]
        )


def _check_whole(folder: Path) -> None:
    """Check that no file is missing or truncated: tantivy would panic during a search.

    Raises:
        OSError, ValueError, LookupError, TypeError: If one is, or the metadata are damaged.
    """
    for segment in orjson.loads((folder / "meta.json").read_bytes())["segments"]:
        for part in PARTS:
            file = folder / f"{segment['segment_id'].replace('-', '')}.{part}"
            with file.open("rb") as opened:
                opened.seek(-len(_END), os.SEEK_END)
                if opened.read() != _END:
                    raise ValueError(f"{file.name} is cut off")


@contextmanager
def _lockable(folder: Path) -> Iterator[Path]:
    """Return a folder that tantivy can open: it locks a file in it, even to read."""
    lock = folder / _LOCK
    if os.access(lock if lock.exists() else folder, os.W_OK):
        yield folder
        return
    with tempfile.TemporaryDirectory() as own:
        for file in folder.iterdir():
            if file.name != _LOCK:
                (Path(own) / file.name).symlink_to(file.resolve())
        yield Path(own)


def _marked(snippet: Any, text: str) -> str:
    """Mark the hits of a snippet; an ellipsis shows that the text continues."""
    whole, place = text.encode(), snippet.fragment_range()
    fragment = whole[place.start : place.end]
    pieces, at = [], 0
    for hit in snippet.highlighted():
        pieces += [fragment[at : hit.start], b"<b>", fragment[hit.start : hit.end], b"</b>"]
        at = hit.end
    marked = b"".join([*pieces, fragment[at:]]).decode()
    start, end = (len(whole[:at].decode()) for at in (place.start, place.end))
    first, last = _outwards(text, start, -1), _outwards(text, end, 1)
    before, after = ("…" if rest.strip() else "" for rest in (text[:first], text[last:]))
    return f"{before}{text[first:start]}{marked}{text[end:last]}{after}"


def _outwards(text: str, at: int, step: int) -> int:
    """Move the end of a fragment outwards to the next blank."""
    furthest = min(max(0, at + step * _STUCK), len(text))
    while at != furthest and not text[min(at, at + step)].isspace():
        at += step
    return at
