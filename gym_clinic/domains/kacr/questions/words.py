"""The words of a question: findings as patients and as clinicians say them, by split.

A finding may be said in words that the embedded linker knows, or in words that it does not know
("stools like pebbles"): a reader has to understand those.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from gym_clinic.domains.kacr.questions.question import Style
from gym_clinic.embedded import linker
from gym_clinic.facts.passages.sentences import inside
from gym_clinic.facts.phrases import parse
from gym_clinic.facts.records.epidemiology import Sex
from gym_clinic.simulate import Grammar, read_grammar, read_pools
from gym_clinic.simulate.clinic.telling.lay_words import (
    LayWords,
    bare,
    in_person,
    negatable,
    words_of,
)
from gym_clinic.simulate.clinic.texts.phrasebook import finding_words
from gym_clinic.simulate.split import Split, of_split
from gym_clinic.simulate.told.kinds import kind_of

POOLS = ("opening", "opening_plain", "clause", "more", "none", "known", "signs", "none_seen",
         "tests", "none_tested", "asking")  # fmt: skip

_FOLDER = Path(__file__).parent
_DENIES = re.compile(r"\b(no|not|without|lack|never|can't|won't|isn't|doesn't|nobody|nothing)\b")


class Wording(NamedTuple):
    """One way to say a finding.

    Attributes:
        text: The words, with the slots of :mod:`.lay_words`.
        clause: Whether it is a clause ("my head hurts") rather than a noun.
        linked: Whether the embedded linker finds the finding, or a more general one, in it.
    """

    text: str
    clause: bool
    linked: bool


@lru_cache(maxsize=6)
def grammar(style: Style, split: Split) -> Grammar:
    """Return the phrases of a style that a split may use."""
    read_grammar(_FOLDER / "phrases" / style, POOLS)  # checks the file
    file = read_pools(_FOLDER / "phrases" / style / "question.txt")
    return Grammar({
        name: tuple(
            parse(text, name)
            for text in of_split(f"kacr.{style}.{name}", [entry.text for entry in entries], split)
        )
        for name, entries in file.pools.items()
    })  # fmt: skip


@lru_cache(maxsize=1)
def figurative() -> dict[str, tuple[str, ...]]:
    """Return finding, by name, -> clauses that describe it without naming it."""
    found = {}
    for line in (_FOLDER / "figurative.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, clauses = line.partition(": ")
            found[name] = tuple(clause.strip() for clause in clauses.split(";"))
    return found


@lru_cache(maxsize=1 << 14)
def wordings(name: str, style: Style, split: Split, child: bool) -> tuple[Wording, ...]:
    """Return the ways to say a finding that a split may use; its own name comes last.

    Args:
        name: Name of the finding.
        style: Patients use lay words; examinations use those of clinicians, and lay words for
            complaints.
        split: Whose words.
        child: Whether the patient is a young child.
    """
    lay = (words_of(name, 3 if child else 30) or LayWords(())) if kind_of(name) != "test" else None
    full, _ = finding_words().get(name, ((), ()))
    nouns = list(lay.nouns) if lay else []
    clauses = [*(lay.says if lay and style == "patient" else ()), *figurative().get(name, ())]
    clinical = [form for form in full if not form.endswith("*")]
    if style == "examination":
        nouns = [*clinical, *nouns]
    elif not nouns:
        nouns = clinical
    said = [*((text, False) for text in nouns), *((text, True) for text in clauses)]
    texts = list(dict.fromkeys(text for text, _ in said))
    allowed = set(of_split(f"{name}.kacr", texts, split))
    found = [Wording(text, clause, _links(name, text, clause)) for text, clause in said
             if text in allowed]  # fmt: skip
    if not any(wording.linked for wording in found):
        found.append(Wording(inside(name), False, True))
    return tuple(found)


def _links(name: str, text: str, clause: bool) -> bool:
    """Whether the linker finds a finding in some words, or a more general one."""
    from gym_clinic.facts import load

    facts = load()
    plain = in_person(text, "patient", "male")
    found = linker().link(f"{plain}." if clause else f"I've had {plain}.")
    close = {facts.finding_ids[name], *facts.above[facts.finding_ids[name]]}
    return any(link.record.id in close for link in found)


def absent_words(name: str, style: Style, split: Split, sex: Sex, random: Random) -> str:
    """Return how a finding that is absent follows "no"."""
    lay = words_of(name, 30) if kind_of(name) in ("complaint", "sign") else None
    nouns = [noun for noun in negatable(lay.nouns if lay else ()) if not _DENIES.search(noun)]
    full, _ = finding_words().get(name, ((), ()))
    clinical = [form for form in full if not form.endswith("*") and not _DENIES.search(form)]
    forms = nouns if style == "patient" and nouns else clinical or nouns
    if not forms:
        return inside(name)
    chosen = random.choice(of_split(f"{name}.kacr", forms, split) or forms)
    return bare(chosen)


def listed(items: Sequence[str], last: str = "and") -> str:
    """Return items as a list in words.

    >>> listed(["a", "b", "c"]), listed(["a", "b"], "or")
    ('a, b and c', 'a or b')
    """
    named = list(dict.fromkeys(items))
    if len(named) < 3:
        return f" {last} ".join(named)
    return f"{', '.join(named[:-1])} {last} {named[-1]}"


def spoken(text: str, style: Style, sex: Sex, parent: bool) -> str:
    """Fill the slots of words for who speaks."""
    first_person = style == "patient" and not parent
    return in_person(text, "patient" if first_person else "parent", sex)
