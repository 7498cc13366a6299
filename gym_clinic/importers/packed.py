"""Files as they are downloaded: plain, .gz or .bz2, and the records of an XML file one by one."""

from __future__ import annotations

import bz2
import gzip
import importlib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from gym_clinic.errors import ConfigError

_OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open}

UNREADABLE = (EOFError, gzip.BadGzipFile, zlib.error, OSError)
"""What reading a packed file raises if it is cut off or damaged."""


def open_packed(path: Path) -> BinaryIO:
    """Open a file for reading, unpacking ``.gz`` and ``.bz2``.

    Raises:
        ConfigError: If it cannot be opened.
    """
    try:
        file = _OPENERS.get(path.suffix, open)(path, "rb")
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None
    return cast(BinaryIO, file)


class DamagedFileError(Exception):
    """From here on a file cannot be read.

    Attributes:
        place: Where, such as ``line 3``.
    """

    def __init__(self, place: str, what: str) -> None:
        super().__init__(what)
        self.place = place


def xml_records(path: Path, *tags: str) -> Iterator[Any]:
    """Read the elements of some names one by one, in constant memory.

    Entities are never fetched nor expanded. An element is good until the next one is asked for.

    Args:
        path: The file.
        tags: Names without a namespace; an element inside another one of them is not given.

    Yields:
        lxml elements.

    Raises:
        ConfigError: If the file cannot be opened, or lxml is missing.
        DamagedFileError: Where it is no well-formed XML, or cut off.
    """
    try:
        etree = importlib.import_module("lxml.etree")
    except ImportError:
        raise ConfigError('reading XML needs lxml: pip install "gym_clinic[import]"') from None
    with open_packed(path) as file:
        reading = etree.iterparse(
            file,
            events=("end",),
            tag=[f"{{*}}{tag}" for tag in tags],
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
        )
        try:
            for _, element in reading:
                yield element
                _forget(element)
        except etree.XMLSyntaxError as error:
            raise DamagedFileError(
                f"line {error.lineno or 1}", f"no well-formed XML: {error.msg}"
            ) from None
        except UNREADABLE as error:
            raise DamagedFileError("end", f"cut off or damaged: {error}") from None


def _forget(element: Any) -> None:
    """Free an element and all that stands before it, which would stay until the end."""
    element.clear()
    while element is not None:
        while (before := element.getprevious()) is not None:
            element.getparent().remove(before)
        element = element.getparent()


def text_of(element: Any) -> str:
    """Return the text of an element and all inside it, with white space as one space."""
    return " ".join("".join(element.itertext()).split()) if element is not None else ""
