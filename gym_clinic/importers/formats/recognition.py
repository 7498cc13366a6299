"""What a file seems to be, by its beginning, for errors that say what was given instead.

The signs of known files are in `recognised.json`, the most particular first: regular expressions
that all occur in the beginning of the file, and one that does not (`but`).
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, TypeAdapter

from gym_clinic.errors import ClinicError
from gym_clinic.facts.typed_json import Strict
from gym_clinic.reading import open_text

_HEAD = 1 << 18
"""Bytes that are looked at."""

_SHOWN = 60
"""Characters of an unknown text that are shown."""


class Seen(NamedTuple):
    """What a file seems to be.

    Attributes:
        what: A description that follows "seems to be".
        formats: The formats that read such a file; empty if none does.
    """

    what: str
    formats: tuple[str, ...] = ()


class _Sign(Strict):
    what: str = Field(alias="is")
    formats: tuple[str, ...] = Field(default=(), alias="format")
    shows: tuple[str, ...]
    but: str = ""


def recognise(path: Path) -> Seen:
    """Say what a file seems to be.

    Args:
        path: The file or folder; it need not exist.
    """
    if path.is_dir():
        return Seen("a folder")
    try:
        with open_text(path) as file:
            data = file.read(_HEAD)
    except (ClinicError, OSError):
        return Seen("a file that cannot be read")
    text = data.decode("utf-8", "replace")
    if not text.strip():
        return Seen("an empty file")
    for sign in _signs():
        if all(_occurs(pattern, text) for pattern in sign.shows) and not (
            sign.but and _occurs(sign.but, text)
        ):
            return Seen(sign.what, sign.formats)
    if "\0" in text or text.count("\ufffd") > len(text) / 20:
        return Seen("a binary file")
    if root := re.search(r"<([A-Za-z][\w.:-]*)", text) if text.lstrip().startswith("<") else None:
        return Seen(f"XML whose first element is <{root[1]}>")
    first = text.strip().splitlines()[0]
    kind = "JSON" if first[:1] in "{[" else "a text"
    return Seen(f"{kind} that begins with {first[:_SHOWN]!r}")


def _occurs(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.MULTILINE | re.IGNORECASE | re.DOTALL) is not None


@functools.cache
def _signs() -> tuple[_Sign, ...]:
    file = Path(__file__).with_name("recognised.json")
    return TypeAdapter(tuple[_Sign, ...]).validate_json(file.read_bytes())
