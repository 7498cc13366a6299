"""An embedder without a model: character n-grams of the words, hashed into buckets."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gym_clinic.errors import ConfigError
from gym_clinic.names import at_least_one
from gym_clinic.retrieval.dense.embedder import Embeddings

HASHED = "hashed-ngrams"
LONGEST_NGRAM = 16
BLOCK_CHARACTERS = 1 << 17
BLOCK_CELLS = 1 << 22
"""Most characters and result cells that are hashed at once, about 50 MB."""

_SPACE = 0x20
_FNV_BASIS, _FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3


class HashedNgrams:
    """Character n-grams of the words, hashed into buckets: no download, the same everywhere.

    Embeddings are equal to the last bit on every machine, in every process and batch. The one
    exception: an older Python may fold characters that its Unicode version does not know.

    Texts are folded (NFKC, lower case, words only). An n-gram lies within a word and its two
    borders, as in fastText. Its hash chooses a bucket and a sign, so that collisions cancel out
    on average (feature hashing: Weinberger et al., ICML 2009). A bucket's count c becomes
    sign(c)·√|c|, which damps words that are repeated. Similar spellings and word forms are near
    one another; similar meanings are not.

    Args:
        dimension: Number of buckets: a few hundred for phrases, thousands for passages.
        n: Shortest and longest n-gram, in characters, borders included.
        seed: Of the hash; another seed gives other collisions.

    Raises:
        ConfigError: If a setting is out of range.
    """

    def __init__(self, dimension: int = 512, n: tuple[int, int] = (3, 5), *, seed: int = 0) -> None:
        self.dimension = at_least_one("dimension", dimension)
        shortest, longest = n
        if not 3 <= shortest <= longest <= LONGEST_NGRAM:
            raise ConfigError(
                f"n is the shortest and the longest n-gram, from 3 to {LONGEST_NGRAM}; got {n!r}"
            )
        if not 0 <= seed < 1 << 64:
            raise ConfigError(f"seed is a whole number from 0 below 2^64; got {seed!r}")
        self.n, self.seed = (shortest, longest), seed

    def __repr__(self) -> str:
        return f"HashedNgrams({self.dimension}, {self.n}, seed={self.seed})"

    @property
    def name(self) -> str:
        """As ``hashed-ngrams:512:3-5:0``: dimension, lengths, seed."""
        return f"{HASHED}:{self.dimension}:{self.n[0]}-{self.n[1]}:{self.seed}"

    def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return a row for each text, shape (n, dimension)."""
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for numbers, pieces in self._blocks(texts):
            rows[numbers[0] : numbers[-1] + 1] += self._counts(numbers, pieces)
        # The square of a row's length is the sum of its counts: whole numbers, exact everywhere.
        lengths = np.abs(rows).sum(axis=1, keepdims=True)
        scaled: Embeddings = np.sign(rows) * np.sqrt(np.abs(rows) / np.maximum(lengths, 1))
        return scaled

    def _blocks(self, texts: Sequence[str]) -> Iterator[tuple[list[int], list[str]]]:
        """Fold texts and group their pieces, so that memory is bounded.

        Yields:
            Numbers of texts, in order, and a piece of each; a long text has several.
        """
        numbers: list[int] = []
        pieces: list[str] = []
        characters = 0
        for number, text in enumerate(texts):
            for piece in _pieces(text):
                cells = (number - numbers[0]) * self.dimension if numbers else 0
                if numbers and (characters > BLOCK_CHARACTERS or cells > BLOCK_CELLS):
                    yield numbers, pieces
                    numbers, pieces, characters = [], [], 0
                numbers.append(number)
                pieces.append(piece)
                characters += len(piece)
        if numbers:
            yield numbers, pieces

    def _counts(self, numbers: list[int], pieces: list[str]) -> NDArray[np.float32]:
        """Return the signed counts of texts, shape (numbers from first to last, dimension)."""
        joined = "".join(pieces).encode("utf-32-le", "surrogatepass")
        codes = np.frombuffer(joined, "<u4").astype(np.uint64)
        local = np.array(numbers) - numbers[0]
        rows = np.repeat(local, [len(piece) for piece in pieces])
        cells: list[NDArray[np.int64]] = []
        signs: list[NDArray[np.float32]] = []
        hashes = np.full(len(codes), _FNV_BASIS ^ self.seed, np.uint64)
        within = np.ones(len(codes), bool)
        for length in range(1, min(self.n[1], len(codes)) + 1):
            last = codes[length - 1 :]
            hashes = (hashes[: len(last)] ^ last) * np.uint64(_FNV_PRIME)
            if length >= 3:
                # Only the first and the last character may be a blank, a border of the word.
                within = within[: len(last)] & (codes[length - 2 : -1] != _SPACE)
            if length >= self.n[0]:
                mixed = _mix(hashes[within])
                bucket = (mixed % np.uint64(self.dimension)).astype(np.int64)
                cells.append(rows[: len(last)][within] * self.dimension + bucket)
                signs.append(1 - 2 * (mixed >> np.uint64(63)).astype(np.float32))
        size = (int(local[-1]) + 1) * self.dimension
        if not cells:
            return np.zeros((size // self.dimension, self.dimension), np.float32)
        counts = np.bincount(np.concatenate(cells), np.concatenate(signs), size)
        return counts.reshape(-1, self.dimension).astype(np.float32)


def _pieces(text: str) -> Iterator[str]:
    """Fold a text to its words, and yield it in pieces that begin and end with a blank.

    The blanks are the borders of the first and the last word, and separate the n-grams of
    pieces. A text without words has no piece.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = re.sub(r"[\W_]+", " ", folded).strip()
    start = 0
    while len(words) - start > BLOCK_CHARACTERS:
        # Only a word that is longer than a piece is cut.
        cut = words.rfind(" ", start, start + BLOCK_CHARACTERS)
        cut = cut if cut > start else start + BLOCK_CHARACTERS
        yield f" {words[start:cut].strip()} "
        start = cut
    if start < len(words):
        yield f" {words[start:].strip()} "


def _mix(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread every bit of a hash over all (the finaliser of splitmix64)."""
    hashes = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    hashes = (hashes ^ (hashes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: NDArray[np.uint64] = hashes ^ (hashes >> np.uint64(31))
    return mixed


def hashed_ngrams(settings: str) -> HashedNgrams:
    """Return the embedder with the settings of a name, the part after ``hashed-ngrams:``.

    Raises:
        ConfigError: If the settings cannot be read or are out of range.
    """
    form = r"(\d{1,7})(?::(\d{1,2})-(\d{1,2}))?(?::(\d{1,20}))?"
    if not settings:
        return HashedNgrams()
    found = re.fullmatch(form, settings, re.ASCII)
    if found is None:
        raise ConfigError(
            f"{f'{HASHED}:{settings}'!r} is not of the form "
            f"{HASHED}:DIMENSION:SHORTEST-LONGEST:SEED, as {HashedNgrams().name!r}"
        )
    dimension, shortest, longest, seed = (int(one) if one else None for one in found.groups())
    lengths = (3, 5) if shortest is None or longest is None else (shortest, longest)
    return HashedNgrams(dimension or 0, lengths, seed=seed or 0)
