"""Large XML files read element by element, in constant memory.

External entities are never fetched, document types never loaded and entities never expanded.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gym_clinic.errors import ConfigError, TaskError

_CONTROL = re.compile(r"[\x7f-\x9f]")  # no XML text can hold the others


def xml_elements(path: Path, tag: str, *, root: str) -> Iterator[Any]:
    """Read the outermost elements of a name; each is emptied once the next is asked for.

    Args:
        path: The XML file, in the encoding that it declares.
        tag: Name of the elements.
        root: Name of the root that the file must have.

    Yields:
        One lxml element after the other.

    Raises:
        ConfigError: If the file cannot be opened or lxml is missing.
        TaskError: If it is not well-formed, has another root or none of these elements; the text
            names file and line.
    """
    try:
        etree: Any = importlib.import_module("lxml.etree")
    except ImportError:
        raise ConfigError('reading XML needs lxml: pip install "gym_clinic[import]"') from None
    try:
        file = path.open("rb")
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None
    with file:
        events = etree.iterparse(
            file,
            events=("start", "end"),
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
        )
        depth = count = 0
        opened = False
        try:
            for event, node in events:
                if not opened and node.tag != root:
                    raise TaskError(f"{path}: the root is <{node.tag}>; expected <{root}>")
                opened = True
                if node.tag != tag:
                    continue
                depth += 1 if event == "start" else -1
                if event == "end" and not depth:
                    count += 1
                    yield node
                    _forget(node)
        except etree.XMLSyntaxError as error:
            # Of an entity that is not defined, the error itself only says that nothing came.
            logged = events.error_log.last_error
            line, what = (logged.line, logged.message) if logged else (error.lineno, error.msg)
            raise TaskError(f"{path} line {line or 1}: no well-formed XML: {what}") from None
    if not count:
        raise TaskError(f"{path}: <{root}> holds no <{tag}>; expected some")


def text_of(node: Any, *path: str) -> str:
    """Return the text of the first element along a path; empty where there is none.

    Raises:
        ValueError: If it holds an entity that the file defines, or what a file holds that is not in
            the encoding that it declares: control characters, or UTF-8 read as ISO-8859-1.
    """
    found = node.find("/".join(path)) if path else node
    if found is None:
        return ""
    if any(not isinstance(child.tag, str) for child in found):
        raise ValueError(f"<{found.tag}> holds an entity; those that a file defines are not read")
    text = " ".join((found.text or "").split())
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
    """Empty an element, and drop what stands before it and before those around it."""
    node.clear(keep_tail=True)
    for outer in (node, *node.iterancestors()):
        while outer.getprevious() is not None:
            outer.getparent().remove(outer.getprevious())
