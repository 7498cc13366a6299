"""How varied the articles of test are: distinct sentences and runs of five words.

Real abstracts have .96 distinct runs of five words in 99,000 words and .98 in 38,000.
"""

from __future__ import annotations

import re
from collections import Counter
from random import Random

import pytest

from gym_clinic.domains.clingen.dossiers import read_dossiers
from gym_clinic.domains.clingen.evidence import CLASSES
from gym_clinic.domains.clingen.literature.prose.write import write
from gym_clinic.domains.clingen.literature.world import draw_literature
from gym_clinic.errors import TaskError

NUMBERS = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
REAL = {99_000: 0.96, 38_000: 0.98}


def sentences(text, names):
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "NAME", text, flags=re.IGNORECASE)
    text = re.sub(rf"\b(?:{'|'.join(NUMBERS)})\b", "N", text, flags=re.IGNORECASE)
    text = re.sub(r"\d+(?:[.,:/]\d+)*", "N", text)
    parts = (part.lower().strip(" .") for part in re.split(r"(?<=[.?])\s+(?=[A-Z])|\n+", text))
    return [part for part in parts if len(part.split()) > 2]


def variety(documents, words):
    """Distinct sentences in 1,000, share of the 20 most frequent, distinct runs of five words."""
    told = [one for document in documents for one in document]
    Random(7).shuffle(told)
    runs, seen = [], 0
    for one in told:
        parts = one.split()
        runs += [tuple(parts[at : at + 5]) for at in range(len(parts) - 4)]
        seen += len(parts)
        if seen >= words:
            break
    top = sum(count for _, count in Counter(told).most_common(20)) / len(told)
    return 1000 * len(set(told[:1000])) / len(told[:1000]), top, len(set(runs)) / len(runs)


@pytest.fixture(scope="module")
def documents(some):
    dossiers = read_dossiers()
    texts, abstracts = [], []
    for number, key in enumerate(some(sorted(dossiers.pairs)[::34])):
        try:
            drawn = draw_literature("0", dossiers.pairs[key], dossiers, CLASSES[number % 5])
        except TaskError:  # too young a pair for the class
            continue
        for article in drawn.articles:
            written = write(drawn, article, "test")
            names = (drawn.gene, drawn.disease, article.gene, article.disease)
            texts.append(sentences(written.full_text, names))
            abstracts.append(sentences(written.abstract, names))
    return {99_000: texts, 38_000: abstracts}


@pytest.mark.population
@pytest.mark.parametrize("words", REAL)
def test_articles_are_varied(documents, words):
    distinct, top, runs = variety(documents[words], words)
    assert distinct >= 900
    assert top <= 0.05
    assert runs >= 0.58 * REAL[words]


@pytest.mark.population
def test_articles_told_twice_are_not_varied(documents):
    again = documents[38_000][:60] * 4
    distinct, _, runs = variety(again, 38_000)
    assert distinct < 900
    assert runs < 0.58 * REAL[38_000]
