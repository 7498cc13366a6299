"""How varied texts are: distinct sentences, the most frequent ones, distinct 5-grams."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random

_SENTENCES = re.compile(r"(?<=[.?!])\s+(?=[A-Z0-9])|\n+")
_NUMBERS = re.compile(r"\d+(?:[.,:/]\d+)*")
_SPELLED = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Variety:
    """Measures of texts.

    Attributes:
        distinct: Distinct sentences in 1,000.
        frequent: Share of the 20 most frequent sentences.
        grams: Share of sequences of five words that are distinct, in the first `tokens` words.
    """

    distinct: float
    frequent: float
    grams: float


def sentences(text: str, names: Collection[str]) -> list[str]:
    """Return the sentences of more than two words, with names and numbers masked."""
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "NAME", text, flags=re.IGNORECASE)
    masked = (_NUMBERS.sub("N", _SPELLED.sub("N", one)) for one in _SENTENCES.split(text))
    plain = (" ".join(one.lower().split()).strip(" .") for one in masked)
    return [one for one in plain if len(one.split()) > 2]


def variety(texts: Sequence[list[str]], tokens: int) -> Variety:
    """Measure the sentences of documents, which are shuffled by a fixed seed."""
    flat = [sentence for text in texts for sentence in text]
    Random(7).shuffle(flat)
    drawn = flat[:1000]
    frequent = sum(count for _, count in Counter(flat).most_common(20)) / len(flat)
    grams: list[tuple[str, ...]] = []
    seen = 0
    for sentence in flat:
        words = sentence.split()
        grams += [tuple(words[at : at + 5]) for at in range(len(words) - 4)]
        seen += len(words)
        if seen >= tokens:
            break
    return Variety(
        1000 * len(set(drawn)) / len(drawn), frequent, len(set(grams)) / max(len(grams), 1)
    )
