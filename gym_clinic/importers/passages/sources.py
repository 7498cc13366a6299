"""Files of passages in any supported format -> the sources of a knowledge base."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from gym_clinic.errors import ConfigError
from gym_clinic.importers.passages import jats, jsonl, plain_text, pubmed, wikipedia
from gym_clinic.importers.passages.labels import Labels
from gym_clinic.names import suggest
from gym_clinic.reading import PACKED, open_text, plain_name
from gym_clinic.reading.folders import visible_files
from gym_clinic.retrieval.passages.build import PassageSource
from gym_clinic.retrieval.passages.passage import BrokenRecord, Passage

Reader = Callable[[Path, Labels], Iterator[Passage | BrokenRecord]]

READERS: dict[str, Reader] = {
    "jsonl": jsonl.read,
    "pubmed": pubmed.read,
    "jats": jats.read,
    "wikipedia": wikipedia.read,
    "text": plain_text.read,
}
"""Format -> its reader."""

SUFFIXES = {".jsonl": "jsonl", ".txt": "text", ".xml": "", ".nxml": ""}
"""Suffix (before that of packing) -> format; for XML the first element decides."""

_ROOTS = {
    **dict.fromkeys(pubmed.ROOTS, "pubmed"),
    "article": "jats",
    "pmc-articleset": "jats",
    wikipedia.ROOT: "wikipedia",
}
_ROOT = re.compile(rb"<([A-Za-z][\w.-]*:)?([A-Za-z][\w.-]*)")
_HEAD = 1 << 16


def find_sources(
    paths: Sequence[Path],
    *,
    format: str = "auto",
    names: Mapping[Path, str] | None = None,
    categories: Mapping[str, str] | None = None,
    licences: Mapping[str, str] | None = None,
) -> list[PassageSource]:
    """Find the reader of each file.

    Args:
        paths: Files and folders; folders are searched with their subfolders, in order of names.
        format: Format of all files, or ``auto``: by suffix, for XML by the first element.
        names: Path -> name of its collection. The default is the format for XML, and the name of
            the file or folder for the others.
        categories: Collection -> category of its passages.
        licences: Collection -> licence of its passages.

    Returns:
        One source for each file.

    Raises:
        ConfigError: If the format is unknown or cannot be determined, a file does not exist, a
            folder is empty, or a category or licence names no collection.
    """
    if format != "auto" and format not in READERS:
        raise ConfigError(f"no format {format!r}; {suggest(format, ('auto', *READERS))}")
    names, categories, licences = names or {}, categories or {}, licences or {}
    found, collections = [], set()
    for path in paths:
        folder = path if path.is_dir() else path.parent
        own = path.resolve().name if path.is_dir() else _stem(Path(path.name))
        for file in _files(path, format):
            kind = format if format != "auto" else format_of(file)
            name = names.get(path) or (own if kind in ("jsonl", "text") else kind)
            category, licence = categories.get(name, ""), licences.get(name, "")
            labels = Labels(name, category, licence, _stem(file.relative_to(folder)))
            collections.add(name)
            found.append(_source(file, kind, labels))
    for what, given in (("category", categories), ("licence", licences)):
        for name in given:
            if name not in collections:
                advice = suggest(name, sorted(collections))
                raise ConfigError(f"a {what} for {name!r}, but no source has this name; {advice}")
    return found


def _source(file: Path, kind: str, labels: Labels) -> PassageSource:
    stat = file.stat()
    fingerprint = f"{kind} {labels} {stat.st_size} {stat.st_mtime_ns}"
    return PassageSource(str(file), fingerprint, partial(READERS[kind], file, labels))


def _files(path: Path, format: str) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise ConfigError(f"no file or folder {path}")
    files = visible_files(path, *(SUFFIXES if format == "auto" else ()))
    if not files:
        raise ConfigError(
            f"{path} has no file to read; expected {', '.join(SUFFIXES)}, also packed "
            f"({', '.join(PACKED)})"
        )
    return files


def _suffix(file: Path) -> str:
    return plain_name(file).suffix.lower()


def _stem(file: Path) -> str:
    """A path without its suffix."""
    return plain_name(file).with_suffix("").as_posix()


def format_of(file: Path) -> str:
    """Return the format of a file.

    Raises:
        ConfigError: If it cannot be determined.
    """
    suffix = _suffix(file)
    if suffix not in SUFFIXES:
        raise ConfigError(
            f"{file}: no format for {suffix!r}; expected {', '.join(SUFFIXES)}, also packed, "
            f"or give --format, one of {', '.join(READERS)}"
        )
    if SUFFIXES[suffix]:
        return SUFFIXES[suffix]
    with open_text(file) as opened:
        try:
            head = opened.read(_HEAD)
        except OSError as error:
            raise ConfigError(f"{file}: cannot be unpacked: {error}") from None
    root = _ROOT.search(re.sub(rb"<!--.*?-->", b"", head, flags=re.DOTALL))
    name = root[2].decode() if root else ""
    if name not in _ROOTS:
        raise ConfigError(
            f"{file}: its first element is <{name}>; expected one of "
            f"{', '.join(f'<{known}>' for known in _ROOTS)}, or give --format"
        )
    return _ROOTS[name]
