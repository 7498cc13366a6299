"""What a person types as ``name=value``: lists and objects as JSON, or as people write them.

Quotes may be left out where a word is meant, ``[{finding: dyspnea, present: true}]``; they are kept
where they matter: ``"5"`` is a text, ``5`` a number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gym_clinic import strict_json
from gym_clinic.errors import ConfigError

MAX_DEPTH = 32
"""Lists and objects within one another."""

_NAME = re.compile(r"[\s,]*([A-Za-z_]\w*)\s*=\s*")
_NEXT = re.compile(r"[\s,]+[A-Za-z_]\w*\s*=(?!=)")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’"}


def is_pairs(text: str) -> bool:
    """Whether a text begins as ``name=value``."""
    return _NAME.match(text) is not None


def read_pairs(text: str, kinds: Mapping[str, frozenset[str]]) -> dict[str, Any]:
    """Read ``name=value name=value …``; a value without quotes goes on to the next name.

    Args:
        text: The pairs.
        kinds: Name -> what it takes: "string", "array", "object", "number", …; a text stays as it
            was typed where only a text is taken.

    Raises:
        ConfigError: If it cannot be read so; the message says where.

    >>> read_pairs("sign=blood pressure at=5", {"sign": frozenset({"string"})})
    {'sign': 'blood pressure', 'at': 5}
    """
    found: dict[str, Any] = {}
    place = 0
    while text[place:].strip(" \t\r\n,"):
        match = _NAME.match(text, place)
        if match is None:
            raise ConfigError(f"expected name=value, got {_shown(text[place:])}")
        name, place = match[1], match.end()
        if name in found:
            raise ConfigError(f"{name} is given twice")
        found[name], place = _value(text, place, kinds.get(name, frozenset()))
    return found


def _value(text: str, place: int, kinds: frozenset[str]) -> tuple[Any, int]:
    """Return the value that begins at a place, and where it ends."""
    first = text[place : place + 1]
    only_text = kinds <= {"string", "null"} and "string" in kinds
    if (first in _QUOTES and first) or (first in ("[", "{") and first and not only_text):
        reader = _Reader(text, place)
        value = reader.value(0)
        if reader.place == len(text) or text[reader.place] in " \t\r\n,":
            if first in _QUOTES and "array" in kinds and "string" not in kinds:
                value = [value]
            return value, reader.place
        if first in ("[", "{"):
            raise ConfigError(f"after {text[place : reader.place]} stands {_shown(reader.rest)}")
    following = _NEXT.search(text, place)
    end = following.start() if following else len(text)
    word = text[place:end].strip().rstrip(",")
    if only_text:
        return (None if word == "null" and "null" in kinds else word), end
    if "array" in kinds and "string" not in kinds and word != "null":
        return [_word(item.strip()) for item in word.split(",") if item.strip()], end
    return _word(word), end


def _word(text: str) -> Any:
    """Read a word without quotes: a number, true, false, null, or a text."""
    if text in _WORDS:
        return _WORDS[text]
    return strict_json.loads(text) if _NUMBER.fullmatch(text) else text


def _shown(text: str) -> str:
    words = text.split()
    return repr(words[0][:40] if words else "")


class _Reader:
    """Reads one list, object or quoted text."""

    def __init__(self, text: str, place: int) -> None:
        self.text, self.place = text, place

    @property
    def rest(self) -> str:
        """What is not read yet."""
        return self.text[self.place :]

    def value(self, depth: int) -> Any:
        """Read a value."""
        if depth > MAX_DEPTH:
            raise ConfigError(f"nested too deeply: more than {MAX_DEPTH} levels")
        first = self._peek()
        if first == "[":
            return self._list(depth)
        if first == "{":
            return self._object(depth)
        if first in _QUOTES:
            return self._quoted()
        return _word(self._bare(",]}"))

    def _list(self, depth: int) -> list[Any]:
        began, found = self.place, list[Any]()
        self.place += 1
        while self._inside(began, "]"):
            found.append(self.value(depth + 1))
            self._separate(began, "]")
        return found

    def _object(self, depth: int) -> dict[str, Any]:
        began, found = self.place, dict[str, Any]()
        self.place += 1
        while self._inside(began, "}"):
            key = self._quoted() if self._peek() in _QUOTES else self._bare(":=,]}")
            if self._peek() not in (":", "=") or not key:
                got = _shown(key or self.rest)
                raise ConfigError(f"expected 'name: value' in {{…}}, got {got}")
            if key in found:
                raise ConfigError(f"{key!r} is given twice in one {{…}}")
            self.place += 1
            found[key] = self.value(depth + 1)
            self._separate(began, "}")
        return found

    def _inside(self, began: int, closing: str) -> bool:
        """Whether a further item follows; past the closing bracket if none does."""
        if self._peek() == closing:
            self.place += 1
            return False
        if self.place >= len(self.text):
            raise ConfigError(f"{self.text[began:][:40]!r} is not closed; a {closing!r} is missing")
        return True

    def _separate(self, began: int, closing: str) -> None:
        """Step over the comma behind an item."""
        after = self._peek()
        if after == ",":
            self.place += 1
        elif after and after != closing:
            raise ConfigError(f"expected ',' or {closing!r}, got {_shown(self.rest)}")

    def _quoted(self) -> str:
        """Read a text in quotes, with the escapes of JSON."""
        closing = _QUOTES[self.text[self.place]]
        end = self.place + 1
        while end < len(self.text) and self.text[end] != closing:
            end += 2 if self.text[end] == "\\" else 1
        if end >= len(self.text):
            raise ConfigError(f"the quote before {_shown(self.rest[1:])} is not closed")
        inner, self.place = self.text[self.place + 1 : end], end + 1
        escaped = re.sub(r'\\(["\'\\])|"', lambda found: '\\"' if (found[1] or '"') == '"' else
                         ("\\\\" if found[1] == "\\" else "'"), inner)  # fmt: skip
        try:
            return str(strict_json.loads(f'"{escaped}"'))
        except ValueError:
            return inner  # a backslash or a tab that is meant as it stands

    def _bare(self, ends: str) -> str:
        """Read a text without quotes."""
        end = self.place
        while end < len(self.text) and self.text[end] not in ends:
            end += 1
        word, self.place = self.text[self.place : end].strip(), end
        return word

    def _peek(self) -> str:
        """Return the next character that is no blank; empty at the end."""
        while self.place < len(self.text) and self.text[self.place].isspace():
            self.place += 1
        return self.text[self.place : self.place + 1]
