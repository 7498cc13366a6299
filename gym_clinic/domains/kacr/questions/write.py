"""A question written out, from what is told and nothing else."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import NamedTuple

from gym_clinic.domains.kacr.questions.question import Style
from gym_clinic.domains.kacr.questions.words import (
    Wording,
    absent_words,
    grammar,
    listed,
    spoken,
    wordings,
)
from gym_clinic.facts import Person
from gym_clinic.simulate import Writer
from gym_clinic.simulate.split import Split
from gym_clinic.simulate.told.kinds import kind_of

CHILD, SPEAKS, YOUNG = 16, 12, 10
"""Ages in years: below the first a girl or boy; below the second the parents ask; below the third
some findings are said otherwise."""

OPENS_WITH = 3
"""Findings that the first sentence tells at most."""

SECTIONS = {"known": ("known", "history"), "sign": ("signs", "sign_list"),
            "test": ("tests", "result_list")}  # fmt: skip
"""Kind of finding -> the pool that tells it, and the slot that lists it."""

ABSENCES = {"complaint": ("none", "absences"), "sign": ("none_seen", "unseen"),
            "test": ("none_tested", "untested")}  # fmt: skip


class Writing(NamedTuple):
    """A text, and how it says each finding."""

    text: str
    words: dict[str, str]


class QuestionWriter:
    """Writes one question.

    Args:
        person: The patient.
        style: Who asks.
        split: Whose phrases and words are used.
        random: The source of randomness.
    """

    def __init__(self, person: Person, style: Style, split: Split, random: Random) -> None:
        self.person, self.style, self.split, self.random = person, style, split, random
        self.parent = person.age < SPEAKS
        self._said: set[str] = set()

    def write(
        self, present: Mapping[str, str], absent: Sequence[str], hidden: Collection[str]
    ) -> Writing:
        """Return the text.

        Args:
            present: Id -> name of each finding to tell.
            absent: Names of findings to tell as absent.
            hidden: Ids of those to be said in words that the linker does not know.
        """
        keys = list(present)
        self.random.shuffle(keys)
        ways = {key: self._way(present[key], key in hidden) for key in keys}
        words = {key: spoken(way.text, self.style, self.person.sex, self.parent)
                 for key, way in ways.items()}  # fmt: skip
        kinds = {key: kind_of(present[key]) for key in keys}
        complaints = [key for key in keys if kinds[key] == "complaint" and not ways[key].clause]
        clauses = [key for key in keys if ways[key].clause]
        facts = self._person()
        writer = Writer(grammar(self.style, self.split), self.random, facts)
        parts: list[str] = []

        def say(pool: str, slot: str = "", text: str = "") -> None:
            writer.facts[slot] = text
            parts.append(writer.draw(pool))

        first = complaints[: self.random.randint(1, OPENS_WITH)]
        if first:
            say("opening", "complaints", listed([words[key] for key in first]))
        else:
            say("opening_plain")
        rest = [("clause", "says", words[key]) for key in clauses]
        if later := complaints[len(first) :]:
            rest.append(("more", "complaints", listed([words[key] for key in later])))
        self.random.shuffle(rest)
        for pool, slot, text in rest:
            say(pool, slot, text)
        for kind in ("complaint", "known", "sign", "test"):
            if kind in SECTIONS:
                told = [words[key] for key in keys if kinds[key] == kind and key not in clauses]
                if told:
                    pool, slot = SECTIONS[kind]
                    say(pool, slot, listed(told))
            missing = [name for name in absent if kind_of(name) == kind]
            if missing and kind in ABSENCES:
                pool, slot = ABSENCES[kind]
                say(pool, slot, listed([self._absent(name) for name in missing], "or"))
        say("asking")
        return Writing(" ".join(parts), words)

    def _way(self, name: str, hidden: bool) -> Wording:
        """Choose how to say a finding; no words twice in a text."""
        ways = wordings(name, self.style, self.split, self.person.age < YOUNG)
        fitting = [way for way in ways if way.linked is not hidden and way.text not in self._said]
        chosen = self.random.choice(fitting or list(ways))
        self._said.add(chosen.text)
        return chosen

    def _absent(self, name: str) -> str:
        text = absent_words(name, self.style, self.split, self.person.sex, self.random)
        return spoken(text, self.style, self.person.sex, self.parent)

    def _person(self) -> dict[str, str]:
        """Return the slots that depend on who the patient is."""
        person, female = self.person, self.person.sex == "female"
        noun = (
            ("woman" if female else "man") if person.age >= CHILD else "girl" if female else "boy"
        )
        age = _age(person.age)
        if self.style == "examination":
            pregnant = "pregnant " * (person.pregnancy == "pregnant")
            who = f"{_article(age)} {age} {pregnant}{noun}" if age else f"a newborn {noun}"
            if person.pregnancy == "postpartum":
                who += " who gave birth recently"
            comes = "is brought" if self.parent else "comes"
            return {"who": who, "he": "she" if female else "he", "comes": comes}
        state = {"pregnant": " and pregnant", "postpartum": " and gave birth recently"}
        child = "daughter" if female else "son"
        if self.parent:
            me = f"this is about my {age} {child}" if age else f"this is about my newborn {child}"
            return {"me_is": me, "ive": "she's" if female else "he's",
                    "i": "she" if female else "he", "my": "her" if female else "his",
                    "dont": "doesn't"}  # fmt: skip
        me = f"I'm {_article(age)} {age} {noun}{state.get(person.pregnancy or '', '')}"
        return {"me_is": me, "ive": "I've", "i": "I", "my": "my", "dont": "don't"}


def _article(age: str) -> str:
    """Return the article before an age.

    >>> _article("84-year-old"), _article("18-year-old"), _article("42-year-old")
    ('an', 'an', 'a')
    """
    return "an" if age.startswith("8") or age.startswith(("11-", "18-")) else "a"


def _age(years: float) -> str:
    """Return an age as it stands before a noun; "" for a newborn."""
    if years >= 2:
        return f"{int(years)}-year-old"
    if years >= 2 / 12:
        return f"{int(years * 12)}-month-old"
    days = int(years * 365.25)
    return f"{days}-day-old" if days > 1 else ""
