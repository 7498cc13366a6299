"""Text -> pieces of at most 1,000 characters that end where sentences end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

SIZE = 1_000
"""Characters of a piece, at most."""

# A sentence ends at . ! or ? (or its full-width form), with the quotes and brackets that close
# after it, before a blank and what may begin another one.
_END = re.compile(r"""(?:[.!?…]["'”’)\]]*(?=\s+["'“‘(\[]*[^\Wa-z_])|[。！？])\s*""")

# What ends in a full stop without ending a sentence; and so does a single initial.
_SHORT = re.compile(
    r"(?:^|[\s(\[])(?:[A-Z]|e\.g|i\.e|cf|vs|ca|approx|resp|incl|Dr|Drs|Mr|Mrs|Ms|Prof|St|Fig|Figs"
    r"|Tab|Eq|Eqs|Ref|Refs|No|Nos|Vol|p|pp|al|spp|sp|subsp|var|Inc|Ltd|Jr|Sr)\.\Z"
)
_LONGEST_SHORT = 9


def chunks(paragraphs: Iterable[str], size: int = SIZE) -> Iterator[str]:
    """Join the sentences of paragraphs into pieces, as many as fit into each.

    A sentence that is longer than a piece is cut between words, a word that is longer anywhere.

    Args:
        paragraphs: Texts in reading order; they are read one by one.
        size: Characters of a piece, at most.

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
    """Cut a text where its sentences end; nothing is lost but white space between them."""
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
