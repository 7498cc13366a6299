"""The sentences of tests/retrieval/graph/sentences, and the score of a linker on them.

A line is "sentence => marks". A mark is "+" (present), "-" (absent), "<" (past) or "~" (only
asked) and the name of a finding; "A|B" accepts either, "A|" is optional. Of each file, the lines of
even number (from 0) are for development and the others are held out: the linker is never changed by
them. All were written before the linker was developed with them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "retrieval" / "graph" / "sentences"
STYLES = ("discharge", "lay", "notes", "questions", "scope", "triage", "vignettes")


@dataclass(frozen=True)
class Sentence:
    """A sentence with its marks; each mark is the set of the marks that are accepted."""

    text: str
    marks: tuple[frozenset[str], ...]


@dataclass(frozen=True)
class Score:
    """Counts over sentences: marks found rightly, found, and expected; and what went wrong."""

    right: int
    found: int
    hit: int
    expected: int
    wrong: tuple[str, ...]

    @property
    def precision(self) -> float:
        return self.right / self.found

    @property
    def recall(self) -> float:
        return self.hit / self.expected

    def __add__(self, other: Score) -> Score:
        return Score(
            self.right + other.right,
            self.found + other.found,
            self.hit + other.hit,
            self.expected + other.expected,
            self.wrong + other.wrong,
        )


def sentences(style: str, *, held: bool) -> list[Sentence]:
    lines = (FOLDER / f"{style}.txt").read_text(encoding="utf-8").splitlines()
    return [_read(line) for line in lines[held::2]]


def hard_sentences(name: str) -> list[Sentence]:
    """Return the sentences of a file of ``tests/retrieval/graph/hard``.

    Those in ``held.txt`` were first read when the linker was done: .969 and .971. Some kinds of
    mistakes that they showed were mended afterwards.
    """
    file = FOLDER.with_name("hard") / f"{name}.txt"
    return [_read(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _read(line: str) -> Sentence:
    text, arrow, marks = line.partition(" =>")
    assert arrow, line
    accepted = []
    for mark in filter(None, map(str.strip, marks.split(";"))):
        assert mark[0] in "+-<~", line
        accepted.append(frozenset(mark[0] + name if name else "" for name in mark[1:].split("|")))
    return Sentence(text, tuple(accepted))


def score(linker, chosen: Iterable[Sentence]) -> Score:
    """Score what ``linker.symptoms`` gives: findings present and absent."""
    total = Score(0, 0, 0, 0, ())
    for one in chosen:
        present, absent = linker.symptoms(one.text)
        found = {f"+{node.name}" for node in present} | {f"-{node.name}" for node in absent}
        marks = [mark for mark in one.marks if not any(each[:1] in ("~", "<") for each in mark)]
        needed = [mark for mark in marks if "" not in mark]
        allowed = frozenset().union(*marks)
        missed = [mark for mark in needed if not mark & found]
        extra = found - allowed
        wrong = ()
        if missed or extra:
            told = " ".join("/".join(sorted(mark)) for mark in missed)
            wrong = (f"{one.text}  missed: {told}  extra: {sorted(extra)}",)
        total += Score(
            len(found & allowed), len(found), len(needed) - len(missed), len(needed), wrong
        )
    return total
