"""Large XML files, plain or packed, read element by element, in constant memory.

External entities are never fetched, document types never loaded and entities never expanded in
text; in attributes they are expanded within the limits of libxml2.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.reading import is_wide, open_bytes, open_text

_CONTROL = re.compile(r"[\x7f-\x9f]")  # XML text cannot contain the others


class XmlError(TaskError):
    """An XML file, its damaged end, or one of its elements cannot be read.

    Attributes:
        place: The place, such as ``line 3``; empty for the whole file.
        what: What is wrong with it, and what would be right.
    """

    def __init__(self, path: Path, place: str, what: str) -> None:
        super().__init__(f"{path} {place}: {what}" if place else f"{path}: {what}")
        self.place = place
        self.what = what


def xml_elements(path: Path, tag: str, *, root: str | tuple[str, ...] = ()) -> Iterator[Any]:
    """Read the outermost elements with a name; each is emptied when the next is read.

    Args:
        path: The XML file, in the encoding that it declares, or in UTF-16 or UTF-32.
        tag: Name of the elements, without a namespace.
        root: Permitted names of the root element; without any, every name is.

    Yields:
        The elements, as lxml gives them.

    Raises:
        ConfigError: If the file cannot be opened or lxml is missing.
        XmlError: If it is not well-formed, is cut off, has another root or no such element.
    """
    try:
        etree: Any = importlib.import_module("lxml.etree")
    except ImportError:
        raise ConfigError('reading XML needs lxml: pip install "gym_clinic[import]"') from None
    roots = (root,) if isinstance(root, str) else root
    expected = " or ".join(f"<{one}>" for one in roots)
    count = 0
    # libxml2 does not read all of UTF-16 and UTF-32, nor a file that declares another encoding.
    wide = is_wide(path)
    opened = open_text if wide else open_bytes
    events = partial(_events, etree, path, encoding="utf-8" if wide else None)
    with opened(path) as file:
        found = next(events(file, "start"))[1].tag.rpartition("}")[2]
    if roots and found not in roots:
        raise XmlError(path, "", f"the root is <{found}>; expected {expected}")
    with opened(path) as file:
        depth = 0
        for event, node in events(file, "start", "end", tag=f"{{*}}{tag}"):
            depth += 1 if event == "start" else -1
            if event == "end" and not depth:
                count += 1
                yield node
                _forget(node)
    if not count:
        raise XmlError(path, "", f"<{found}> holds no <{tag}>; expected some")


def _events(
    etree: Any,
    path: Path,
    file: BinaryIO,
    *events: str,
    tag: str | None = None,
    encoding: str | None = None,
) -> Iterator[tuple[str, Any]]:
    reading = etree.iterparse(
        file,
        events=events,
        tag=tag,
        encoding=encoding,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        yield from reading
    except etree.XMLSyntaxError as error:
        # For an undefined entity only the log has the cause.
        logged = reading.error_log.last_error
        line, what = (logged.line, logged.message) if logged else (error.lineno, error.msg)
        raise XmlError(path, f"line {line or 1}", f"no well-formed XML: {what}") from None
    except OSError as error:
        raise XmlError(path, "end", f"cut off or damaged: {error}") from None


def whole_text(node: Any) -> str:
    """Return the text of an element and all inside it, with white space as one space.

    Args:
        node: The element; for None the text is empty.

    Raises:
        ValueError: If it contains an entity that the file defines.
    """
    if node is None:
        return ""
    if not len(node):
        return " ".join((node.text or "").split())
    if any(not isinstance(inner.tag, str) for inner in node.iter()):
        raise ValueError(f"<{node.tag}> holds an entity; those that a file defines are not read")
    return " ".join("".join(node.itertext()).split())


def text_of(node: Any, *path: str) -> str:
    """Return the text of the first element at a path; empty if there is none.

    Raises:
        ValueError: If it holds an entity that the file defines, or what a file holds that is not in
            the encoding that it declares: control characters, or UTF-8 read as ISO-8859-1.
    """
    found = node.find("/".join(path)) if path else node
    text = whole_text(found)
    if found_control := _CONTROL.search(text):
        raise ValueError(
            f"<{found.tag}> holds the control character {found_control[0]!r}; the file is not in "
            "the encoding that it declares"
        )
    if not text.isascii() and _is_twice_encoded(text):
        raise ValueError(f"<{found.tag}> is {text[:60]!r}; the file is UTF-8, but declares another")
    return text


def _is_twice_encoded(text: str) -> bool:
    """Whether a text is UTF-8 that was read as ISO-8859-1."""
    try:
        text.encode("latin-1").decode()
    except UnicodeError:
        return False
    return True


def _forget(node: Any) -> None:
    """Empty an element, and drop the elements before it and before its ancestors."""
    node.clear(keep_tail=True)
    for outer in (node, *node.iterancestors()):
        while outer.getprevious() is not None:
            outer.getparent().remove(outer.getprevious())
