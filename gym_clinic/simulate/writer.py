"""Phrases written out: seeded text with its articles, capitals and full stops.

The same source of randomness and the same facts give the same text.

    >>> from random import Random
    >>> from gym_clinic.facts.phrases import parse
    >>> from gym_clinic.simulate.grammar import Grammar
    >>> grammar = Grammar({"outcome": (parse("[loss|absence] of {gene} [|alone] was seen"),)})
    >>> Writer(grammar, Random("demo"), {"gene": "ABCD1"}).draw("outcome")
    'Absence of ABCD1 alone was seen.'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from random import Random

from gym_clinic.facts.phrases import Choice, Number, ParsedPhrase
from gym_clinic.simulate.grammar import Grammar

_ARTICLE = re.compile(r"\b([Aa]) (?=[aeiou]|8\b|11\b|18\b|8[05])(?!uni|one|use|euk|eur|usu)")
_SPACES = re.compile(r" {2,}")
_START = re.compile(r"(?<=[.?] )[a-z]\S*")
_BEFORE_STOP = re.compile(r" +([,.;:)])")


class Writer:
    """Writes phrases out for one text, or for one part of it.

    "A" becomes "an" where the next word asks for it; a sentence gets a capital and a full stop.

    Args:
        grammar: The pools.
        rng: The source of randomness.
        facts: Slot -> plain text, whatever characters it holds, or a parsed phrase.
        hold_back: With n, leave out every n-th entry of each pool of n or more, so that texts
            written without it hold phrases that these do not; 0 uses all.

    Attributes:
        rng: The source of randomness.
        facts: Slot -> plain text, or a parsed phrase; may be added to.
    """

    def __init__(
        self,
        grammar: Grammar,
        rng: Random,
        facts: Mapping[str, str | ParsedPhrase],
        *,
        hold_back: int = 0,
    ) -> None:
        self.grammar = grammar
        self.rng = rng
        self.facts = dict(facts)
        self.hold_back = hold_back

    def entries(self, pool: str) -> list[ParsedPhrase]:
        """Return the phrases of a pool that this writer may use."""
        phrases, every = self.grammar[pool], self.hold_back
        if not every or len(phrases) < every:
            return list(phrases)
        return [phrase for place, phrase in enumerate(phrases, 1) if place % every]

    def pick(self, pool: str) -> ParsedPhrase:
        """Draw a phrase of a pool; a pool of one needs no draw."""
        phrases = self.entries(pool)
        return phrases[self.rng.randrange(len(phrases))] if len(phrases) > 1 else phrases[0]

    def shuffled(self, pool: str) -> list[ParsedPhrase]:
        """Return the phrases of a pool in drawn order."""
        phrases = self.entries(pool)
        self.rng.shuffle(phrases)
        return phrases

    def write(self, phrase: ParsedPhrase) -> str:
        """Write a phrase out.

        Raises:
            KeyError: If a slot has neither a fact nor a pool.
        """
        text = "".join(self._texts(phrase))
        text = _BEFORE_STOP.sub(r"\1", _SPACES.sub(" ", text)).strip()
        return _ARTICLE.sub(r"\1n ", text)

    def sentence(self, phrase: ParsedPhrase) -> str:
        """Write a phrase out as one or more sentences."""
        return punctuate(self.write(phrase))

    def say(self, pool: str) -> str:
        """Draw a phrase of a pool and write it out."""
        return self.write(self.pick(pool))

    def draw(self, pool: str) -> str:
        """Draw a phrase of a pool and write it out as one or more sentences."""
        return self.sentence(self.pick(pool))

    def _texts(self, phrase: ParsedPhrase) -> Iterator[str]:
        for node in phrase:
            if isinstance(node, str):
                yield node
            elif isinstance(node, Choice):
                yield from self._texts(self.rng.choice(node.alternatives))
            elif isinstance(node, Number):
                yield f"{self.rng.uniform(node.low, node.high):.{node.decimals}f}"
            else:
                fact = self.facts.get(node.name)
                if isinstance(fact, str):
                    yield fact
                else:
                    yield from self._texts(self.pick(node.name) if fact is None else fact)


def capitalise(text: str) -> str:
    """Raise the first letter, unless the word is one like iPSC or mRNA.

    >>> capitalise("mice of both sexes"), capitalise("mRNA was low"), capitalise("a third")
    ('Mice of both sexes', 'mRNA was low', 'A third')
    """
    if text[1:2].isupper():
        return text
    return text[:1].upper() + text[1:]


def punctuate(text: str) -> str:
    """Put a capital at the start of every sentence and a full stop at the end."""
    text = _START.sub(lambda match: capitalise(match[0]), capitalise(text))
    return text if text.endswith((".", "?", ".)", "?)")) else text + "."


def counted(number: int, noun: str) -> str:
    """Write a number with its noun, the latter in the plural unless the number is 1.

    >>> counted(1, "proband"), counted(3, "proband")
    ('1 proband', '3 probands')
    """
    return f"{number} {noun}{'s' * (number != 1)}"
