"""Text -> pieces of at most 1,000 characters, cut between sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

SIZE = 1_000
"""Longest piece, in characters."""

# A sentence ends at . ! or ? (or its full-width form) with the quotes and brackets after it, if a
# blank and a possible start of a sentence follow.
_END = re.compile(r"""(?:[.!?…]["'”’)\]]*(?=\s+["'“‘(\[]*[^\Wa-z_])|[。！？])\s*""")

# Abbreviations, and single initials, whose full stop does not end a sentence.
_SHORT = re.compile(
    r"(?:^|[\s(\[])(?:[A-Z]|e\.g|i\.e|cf|vs|ca|approx|resp|incl|Dr|Drs|Mr|Mrs|Ms|Prof|St|Fig|Figs"
    r"|Tab|Eq|Eqs|Ref|Refs|No|Nos|Vol|p|pp|al|spp|sp|subsp|var|Inc|Ltd|Jr|Sr)\.\Z"
)
_LONGEST_SHORT = 9


def chunks(paragraphs: Iterable[str], size: int = SIZE) -> Iterator[str]:
    """Join the sentences of paragraphs into pieces, each as long as possible.

    A sentence that is longer than a piece is cut between words, a longer word anywhere.

    Args:
        paragraphs: Texts in reading order; they are read one by one.
        size: Longest piece, in characters.

    Yields:
        Pieces that are not blank. Sentences are joined by one space, paragraphs by a line end;
        all other white space is one space.
    """
    piece = ""
    for paragraph in paragraphs:
        between = "\n"
        for sentence in sentences(" ".join(paragraph.split())):
            for part in _parts(sentence, size):
                if piece and len(piece) + 1 + len(part) > size:
                    yield piece
                    piece = ""
                piece = f"{piece}{between}{part}" if piece else part
                between = " "
    if piece:
        yield piece


def sentences(text: str) -> Iterator[str]:
    """Cut a text into sentences; only white space between them is lost."""
    start = 0
    for end in _END.finditer(text):
        tail = text[max(start, end.start() - _LONGEST_SHORT) : end.start() + 1]
        if text[end.start()] == "." and _SHORT.search(tail):
            continue
        yield text[start : end.end()].strip()
        start = end.end()
    if rest := text[start:].strip():
        yield rest


def _parts(sentence: str, size: int) -> Iterator[str]:
    while len(sentence) > size:
        cut = sentence.rfind(" ", 1, size + 1)
        if cut < 0:
            cut = size
        yield sentence[:cut].rstrip()
        sentence = sentence[cut:].lstrip()
    if sentence:
        yield sentence
