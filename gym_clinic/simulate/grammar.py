"""A small grammar for varied prose: alternatives in brackets, slots in braces.

``"[mice|rats] lacking {gene}"`` is a phrase: one alternative is drawn, the slot is looked up.
Alternatives nest, an alternative may be empty, and a slot may hold a phrase of its own.
The same source of randomness and the same facts give the same sentence, always.

    >>> from random import Random
    >>> Scribe(Random("demo"), {"gene": "ABCD1"}).say("[loss|absence] of {gene} [|alone]")
    'absence of ABCD1 alone'
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import TypeAlias


@dataclass(frozen=True)
class Slot:
    """A place that a fact fills."""

    name: str


@dataclass(frozen=True)
class Either:
    """Alternatives, one of which is drawn."""

    choices: tuple[tuple[Node, ...], ...]


Node: TypeAlias = "str | Slot | Either"
_TOKEN = re.compile(r"[\[\]|]|\{[a-z_0-9]+\}|[^\[\]|{}]+")
_ARTICLE = re.compile(r"\b([Aa]) (?=[aeiou]|8\b|11\b|18\b|8[05])(?!uni|one|use|euk|eur|usu)")
_SPACES = re.compile(r" {2,}")
_START = re.compile(r"([.?] )([a-z]\S*)")
_BEFORE_STOP = re.compile(r" +([,.;:)])")


@cache
def parse(phrase: str) -> tuple[Node, ...]:
    """Read a phrase into nodes: text, slots and alternatives.

    Raises:
        ValueError: For unbalanced brackets or a stray bar or brace; phrases are part of the
            program, so this is found by the first test that reads them.
    """
    tokens = _TOKEN.findall(phrase)
    if "".join(tokens) != phrase:
        raise ValueError(f"phrase has a stray brace: {phrase!r}")
    nodes, rest = _sequence(tokens, 0, top=True)
    if rest != len(tokens):
        raise ValueError(f"phrase has unbalanced brackets: {phrase!r}")
    return nodes


def _sequence(tokens: Sequence[str], at: int, *, top: bool) -> tuple[tuple[Node, ...], int]:
    """The nodes from position ``at`` up to a closing bracket, a bar or the end."""
    nodes: list[Node] = []
    while at < len(tokens):
        token = tokens[at]
        if token in ("|", "]"):
            if top:
                raise ValueError(f"phrase has a stray {token!r}: {''.join(tokens)!r}")
            break
        if token == "[":
            choices: list[tuple[Node, ...]] = []
            while True:
                choice, at = _sequence(tokens, at + 1, top=False)
                choices.append(choice)
                if at >= len(tokens):
                    raise ValueError(f"phrase has an open bracket: {''.join(tokens)!r}")
                if tokens[at] == "]":
                    break
            nodes.append(Either(tuple(choices)))
        elif token.startswith("{"):
            nodes.append(Slot(token[1:-1]))
        else:
            nodes.append(token)
        at += 1
    return tuple(nodes), at


class Scribe:
    """Writes phrases out for one article or one finding.

    Args:
        rng: The source of randomness.
        facts: Values of the slots; a value may be a phrase.
        narrow: Draw from four of every five entries of a pool, so that the rest stays unseen.
    """

    def __init__(self, rng: Random, facts: Mapping[str, str], *, narrow: bool = False) -> None:
        self.rng = rng
        self.facts = dict(facts)
        self.narrow = narrow

    def pick(self, pool: Sequence[str]) -> str:
        """Draw one entry of a pool, unexpanded."""
        if self.narrow and len(pool) >= 5:
            index = self.rng.randrange(len(pool) - len(pool) // 5)
            return pool[index + index // 4]
        return pool[self.rng.randrange(len(pool))]

    def say(self, phrase: str) -> str:
        """Expand a phrase."""
        text = "".join(self._write(parse(phrase)))
        text = _BEFORE_STOP.sub(r"\1", _SPACES.sub(" ", text)).strip()
        return _ARTICLE.sub(r"\1n ", text)

    def sentence(self, phrase: str) -> str:
        """Expand a phrase into one or more sentences: capital first, full stop last."""
        return punctuate(self.say(phrase))

    def draw(self, pool: Sequence[str]) -> str:
        """One entry of a pool as a sentence."""
        return self.sentence(self.pick(pool))

    def shuffled(self, pool: Sequence[str]) -> list[str]:
        """The entries of a pool in drawn order, unexpanded."""
        entries = list(pool)
        if self.narrow and len(entries) >= 5:
            entries = [entry for index, entry in enumerate(entries) if index % 5 != 4]
        self.rng.shuffle(entries)
        return entries

    def _write(self, nodes: Sequence[Node]) -> list[str]:
        out: list[str] = []
        for node in nodes:
            if isinstance(node, str):
                out.append(node)
            elif isinstance(node, Either):
                out.extend(self._write(node.choices[self.rng.randrange(len(node.choices))]))
            else:
                value = self.facts.get(node.name)
                if value is None:
                    raise KeyError(f"no fact for slot {node.name!r}; known: {sorted(self.facts)}")
                if "[" in value or "{" in value:
                    out.extend(self._write(parse(value)))
                else:
                    out.append(value)
        return out


def capitalise(text: str) -> str:
    """Raise the first letter, unless the word is one like iPSC or mRNA.

    >>> capitalise("mice of both sexes"), capitalise("mRNA was low"), capitalise("a third")
    ('Mice of both sexes', 'mRNA was low', 'A third')
    """
    if text[1:2].isupper():
        return text
    return text[:1].upper() + text[1:]


def punctuate(text: str) -> str:
    """Capital at every start, full stop last."""
    text = _START.sub(lambda match: match[1] + capitalise(match[2]), capitalise(text))
    return text if text.endswith((".", "?")) else text + "."


def read_pools(text: str) -> dict[str, tuple[str, ...]]:
    """Read pools of phrases from a page of text.

    ``= name`` opens a pool, ``- phrase`` an entry; an indented line continues the entry.

    Raises:
        ValueError: For a line outside this layout or a pool given twice.
    """
    pools: dict[str, list[str]] = {}
    entries: list[str] | None = None
    for line in text.strip().splitlines():
        if line.startswith("= "):
            if line[2:] in pools:
                raise ValueError(f"pool {line[2:]!r} is given twice")
            entries = pools.setdefault(line[2:], [])
        elif line.startswith("- ") and entries is not None:
            entries.append(line[2:])
        elif line.startswith("  ") and entries:
            entries[-1] += " " + line.strip()
        elif line.strip():
            raise ValueError(f"line outside the layout: {line!r}")
    return {name: tuple(found) for name, found in pools.items()}
