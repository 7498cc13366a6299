"""How people say findings: nouns and clauses in lay words, by the person who speaks.

The files of the folder ``lay`` have one line for each finding::

    Headache: a headache; a sore head > {my} head hurts < {my} head is clear

First nouns, which follow "I've had" and, without their article, "no"; after ``>`` clauses that say
the finding, and after ``<`` clauses that deny it. ``{i}``, ``{my}`` and the other slots are filled
for the person who speaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from gym_clinic.errors import TaskError
from gym_clinic.facts.records.epidemiology import Sex

Speaker = Literal["patient", "parent", "crew"]

SLOTS = ("i", "my", "me", "ive", "im", "himself", "s")
_PERSONS: Mapping[str, tuple[str, ...]] = {
    "patient": ("I", "my", "me", "I've", "I'm", "myself", ""),
    "male": ("he", "his", "him", "he's", "he's", "himself", "s"),
    "female": ("she", "her", "her", "she's", "she's", "herself", "s"),
}
_LINE = re.compile(
    r"(?P<name>[^:]+): (?P<nouns>[^<>]+)(?:> (?P<says>[^<>]+))?(?:< (?P<denies>.+))?"
)
_SLOT = re.compile(r"\{(\w+)\}")
_AWKWARD = re.compile(
    r"(an? |the |very |some )?(not|no|very|few|too|less|lot|drop|lack|total|complete|sudden|"
    r"constant|being|getting|feeling|seeing|losing|raging|thumping|nagging|ravenous|terrible|huge|big|small|"
    r"strong|heavy|slow|thin|wrong|habit)\b"
    r"|.*\b(that|which|who|nobody|one side|again and again|after another|on a man)\b"
)
"""Nouns that sound wrong after "no": what they say is too much, or a whole clause."""

_STRONG = re.compile(
    r"\b(raging|constant(ly)?|drench\w*|explosive|ravenous|thumping|very|terrible|dread|terror|disgust|"
    r"hatred|covered|nonstop|never|won't|nothing|flood\w*|huge|dead|gone|severe|worst|bad|loud|harsh|"
    r"skin and bone|dripping|beads|everything|scarlet|bouncing|rushing|always|lost|loss of all)\b"
)
"""What makes much of a finding: nobody calls it slight by such a noun."""

_VERBAL = re.compile(r"(not|being|getting|feeling|seeing|losing) ")
"""Nouns that sound wrong after "I've had"."""

_ARTICLE = re.compile(r"(an?|some|the) (?=\S)")


BY_ACCIDENT = 10
"""Age in years below which tablets are swallowed by accident, and nobody is asked for suicide."""


@dataclass(frozen=True)
class LayWords:
    """How people say one finding; with slots.

    Attributes:
        nouns: What people have.
        says: Clauses that say that it is there.
        denies: Clauses that say that it is not.
    """

    nouns: tuple[str, ...]
    says: tuple[str, ...] = ()
    denies: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def lay_words() -> Mapping[str, LayWords]:
    """Return the lay words by the name of the finding.

    Raises:
        TaskError: For a line outside the layout, an unknown slot or a finding given twice.
    """
    return _read_files(sorted((Path(__file__).parent / "lay").glob("*.txt")))


@lru_cache(maxsize=1)
def of_children() -> Mapping[str, LayWords]:
    """Return the lay words of findings that are said otherwise of a young child."""
    return _read_files([Path(__file__).with_name("of_children.txt")])


def words_of(name: str, age: float) -> LayWords | None:
    """Return the lay words of a finding at an age in years; None if there are none.

    >>> words_of("Overdose of tablets", 3).nouns[0], words_of("Overdose of tablets", 30).nouns[0]
    ('swallowed tablets', 'an overdose')
    """
    young = of_children() if age < BY_ACCIDENT else {}
    return young.get(name) or lay_words().get(name)


def _read_files(paths: Iterable[Path]) -> dict[str, LayWords]:
    found: dict[str, LayWords] = {}
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            name, words = _read(line, f"{path}, line {number}")
            if name in found:
                raise TaskError(f"{path}, line {number}: {name!r} is given twice")
            found[name] = words
    return found


def _read(line: str, where: str) -> tuple[str, LayWords]:
    parts = _LINE.fullmatch(line)
    if parts is None:
        raise TaskError(f"{where}: expected 'Finding: noun; noun > clause < clause', not {line!r}")
    if unknown := sorted(set(_SLOT.findall(line)) - set(SLOTS)):
        raise TaskError(f"{where}: unknown slots {unknown}; choose from {list(SLOTS)}")
    nouns, says, denies = (_phrases(parts[key]) for key in ("nouns", "says", "denies"))
    return parts["name"], LayWords(nouns, says, denies)


def _phrases(text: str | None) -> tuple[str, ...]:
    return tuple(one.strip() for one in (text or "").split(";") if one.strip())


def in_person(text: str, speaker: Speaker, sex: Sex) -> str:
    """Fill the slots of a phrase for the person who speaks of a patient.

    >>> in_person("{my} head hurts, {i} can't sleep", "parent", "female")
    "her head hurts, she can't sleep"
    """
    forms = _PERSONS["patient" if speaker == "patient" else sex]
    filled = dict(zip(SLOTS, forms, strict=True))
    return _SLOT.sub(lambda found: filled[found[1]], text)


def bare(noun: str) -> str:
    """Return a noun without its article, as it follows "no".

    >>> bare("a sore head"), bare("pain in {my} chest")
    ('sore head', 'pain in {my} chest')
    """
    return _ARTICLE.sub("", noun, count=1) if _ARTICLE.match(noun) else noun


def negatable(nouns: Iterable[str]) -> list[str]:
    """Return the nouns that follow "no" well.

    >>> negatable(("vomiting", "being sick", "an appetite that has gone"))
    ['vomiting']
    """
    return [one for one in nouns if not _AWKWARD.match(one)]


def mild(nouns: Iterable[str]) -> list[str]:
    """Return the nouns that may be called slight; all of them if none may.

    >>> mild(("a fever", "a raging fever"))
    ['a fever']
    """
    given = list(nouns)
    return [one for one in given if not _STRONG.search(one)] or given


def sayable(nouns: Iterable[str]) -> list[str]:
    """Return the nouns that follow "I've had" well; all of them if none does.

    >>> sayable(("vomiting", "being sick"))
    ['vomiting']
    """
    given = list(nouns)
    return [one for one in given if not _VERBAL.match(one)] or given
