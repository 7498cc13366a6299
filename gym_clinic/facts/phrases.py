"""Phrases with alternatives and drawn numbers, as people write them in files.

* ``[a|b]`` stands for one of its alternatives. They nest, and one may be empty.
* ``<3-7>`` stands for a whole number from 3 to 7, ``<1.2-1.8>`` for one with a decimal.
* ``{name}`` is a slot that a program fills.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from gym_clinic.errors import TaskError


@dataclass(frozen=True)
class Slot:
    """A place that a fact fills, or an entry of the pool of that name."""

    name: str


@dataclass(frozen=True)
class Choice:
    """Alternatives, one of which is drawn."""

    alternatives: tuple[ParsedPhrase, ...]


@dataclass(frozen=True)
class Number:
    """A number that is drawn.

    Attributes:
        low: The least.
        high: The greatest.
        decimals: How many decimals it is written with.
    """

    low: float
    high: float
    decimals: int


PhrasePart: TypeAlias = "str | Slot | Choice | Number"
ParsedPhrase: TypeAlias = "tuple[PhrasePart, ...]"

_TOKEN = re.compile(r"[\[\]|]|\{[a-z_0-9]+\}|<[^<>\s|\[\]{}]*>|[^\[\]|{}<]+|<")
_NUMBER = re.compile(r"<(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)>")


@lru_cache(maxsize=1 << 14)
def parse(text: str, where: str = "phrase") -> ParsedPhrase:
    """Read a phrase.

    Args:
        text: The phrase as it is written in a file.
        where: File and line, for the error.

    Raises:
        TaskError: For a bracket without its counterpart, brackets without alternatives, a bar
            outside brackets, a brace that belongs to no slot, or a number that is none.
    """

    def mistake(what: str) -> TaskError:
        return TaskError(f"{where}: {what} in {text!r}")

    tokens = _TOKEN.findall(text)
    if "".join(tokens) != text:
        raise mistake("a brace that belongs to no {slot}")
    levels: list[list[list[PhrasePart]]] = [[[]]]  # open brackets -> alternatives -> parts
    for token in tokens:
        if token == "[":
            levels.append([[]])
        elif token in ("|", "]") and len(levels) == 1:
            raise mistake(f"{token!r} outside brackets")
        elif token == "|":
            levels[-1].append([])
        elif token == "]":
            alternatives = levels.pop()
            if len(alternatives) == 1:
                raise mistake("brackets without alternatives")
            levels[-1][-1].append(Choice(tuple(tuple(nodes) for nodes in alternatives)))
        elif token.startswith("<") and token.endswith(">"):
            levels[-1][-1].append(_number(token, mistake))
        else:
            levels[-1][-1].append(Slot(token[1:-1]) if token.startswith("{") else token)
    if len(levels) > 1:
        raise mistake("'[' without ']'")
    return tuple(levels[0][0])


def _number(token: str, mistake: Callable[[str], TaskError]) -> Number:
    found = _NUMBER.fullmatch(token)
    if found is None or float(found[1]) >= float(found[2]):
        raise mistake(f"{token} is not a number and a greater one, such as <3-7>,")
    decimals = max(len(end.partition(".")[2]) for end in found.groups())
    return Number(float(found[1]), float(found[2]), decimals)


def slots_of(phrase: ParsedPhrase) -> Iterator[str]:
    """Yield the name of every slot of a phrase, those of all alternatives included."""
    for node in phrase:
        if isinstance(node, Slot):
            yield node.name
        elif isinstance(node, Choice):
            for alternative in node.alternatives:
                yield from slots_of(alternative)


def may_be(text: str, template: str) -> bool:
    """Whether a text may have been written from a phrase without slots.

    >>> may_be("red area of 12 cm", "[red|warm] area[ of <8-18> cm|]")
    True
    >>> may_be("red area of many cm", "[red|warm] area[ of <8-18> cm|]")
    False
    """
    return _pattern(template).fullmatch(_dense(text)) is not None


@lru_cache(maxsize=1 << 14)
def _pattern(template: str) -> re.Pattern[str]:
    return re.compile("".join(_patterns(parse(template))))


def _patterns(phrase: ParsedPhrase) -> Iterator[str]:
    for node in phrase:
        if isinstance(node, str):
            yield re.escape(_dense(node))
        elif isinstance(node, Choice):
            yield f"(?:{'|'.join(''.join(_patterns(one)) for one in node.alternatives)})"
        elif isinstance(node, Number):
            yield r"\d+" + (rf"\.\d{{{node.decimals}}}" if node.decimals else "")


def _dense(text: str) -> str:
    return "".join(text.split())
