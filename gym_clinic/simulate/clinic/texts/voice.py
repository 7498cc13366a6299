"""One writer of one document: a style that stays the same, and phrases filled with facts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from random import Random

from gym_clinic.facts.phrases import ParsedPhrase, slots_of
from gym_clinic.facts.records.drugs import Drug
from gym_clinic.simulate.clinic.patient import ClinicPatient
from gym_clinic.simulate.clinic.texts.document import Piece, joined
from gym_clinic.simulate.clinic.texts.phrasebook import phrases_of, runs
from gym_clinic.simulate.split import Split
from gym_clinic.simulate.writer import Writer

_FILLED = re.compile("\ue000(\\d+)\ue001")
_ARTICLE = re.compile(r"\b([Aa]) (?=8\b|11\b|18\b|8\d\b|[aeio])(?!one\b|eu)")
_START = re.compile(r"(?:^|(?<=[.?!] ))[\"(]?[a-z](?![A-Z])")
_CONTRACTED = re.compile(r"^(We|You|He|She|They|It|That|There|Don|Can|Couldn)'(?:ve|s|re|t|ll|d)$")
_DENIAL = re.compile(r"(no|nil|nkda|non|not|never|denies|without)\b", re.IGNORECASE)
_SHORT = 0.55
"""Share of abbreviations where a telegraphic writer has the choice."""


SHORT_PART, LONG_SENTENCE, RUNS_ON = 8, 18, 0.8
"""Words of a part that may follow another in one sentence, words of the longest such sentence, and
how often it does."""

OF_THE_PATIENT = re.compile(
    r"\bpt\b|\bc/o\b|own (?:account|reckoning)|by \0 (?:account|reckoning)|historian"
    r"|^says\b|, says\b|^denie[sd]\b|\0 (?:admits|describes|puts up)\b|what bothers"
    r"|plays it down|answers questions|speaks when|talking to staff|\bbell\b|\bbuzzer\b",
    re.IGNORECASE,
)
"""Phrases of a patient who speaks."""

FOREIGN: Mapping[bool, re.Pattern[str]] = {
    True: re.compile(
        r"\b(?:NIC|SHO|GP|BM|EWS|surgery|999|r/v|resps|abdo|O/E|HPC|PC|BIBA|crew|obs|G&S|SNT"
        r"|bleeped|venepuncture|NIBP|cannula|PMHx?)\b"
    ),
    False: re.compile(
        r"\b(?:EMS|MD|provider|CC|HPI|p/w|CTAB|HEENT|fingerstick|EGA|VS|V/S|NT/ND|ROS|PCP|Cor|Derm"
        r"|Abd|Ext|y/o|w/|labs|OB|charge nurse)(?!\w)"
    ),
}
"""American or not -> words that are written on the other side of the Atlantic."""

ONLY_THERE = "*"
"""Mark of words that only telegraphic writers use, and only for what is there."""


@dataclass(frozen=True)
class Style:
    """How a writer writes.

    Attributes:
        short: Telegraphic, with abbreviations; else in sentences.
        american: American spelling and abbreviations; else British.
        solidus: Durations such as 3/7 for three days.
        stop: What separates items of a telegraphic line.
    """

    short: bool
    american: bool
    solidus: bool
    stop: str


def draw_style(patient: ClinicPatient, author: str, short: float, american: bool) -> Style:
    """Draw the style of a writer.

    Args:
        patient: The patient; each writer of each patient has a style.
        author: The writer's role.
        short: Share of telegraphic writers in the role.
        american: Whether the place writes American English.
    """
    random = source(patient, f"{author}:style")
    telegraphic = random.random() < short
    return Style(
        short=telegraphic,
        american=american,
        solidus=telegraphic and not american and random.random() < 0.6,
        stop=random.choice((". ", ". ", "; ", ", ")),
    )


def source(patient: ClinicPatient, name: str) -> Random:
    """Return the source of randomness for a named part of the texts of a patient."""
    return Random(f"{patient.seed}:{patient.problems[0].condition}:texts:{name}")


class Voice:
    """Writes phrases in a style, and keeps which facts they render.

    Args:
        random: The source of randomness.
        style: How it writes.
        split: Which phrases it may use.
        words: Slots that are filled in every phrase, such as pronouns.
        habits: Names the writer; what is drawn by habit is the same in all of the writer's texts.

    Attributes:
        speaks_for: Whether a parent or the crew speaks for the patient.
        of_child: Whether the patient is too young to have done anything on purpose.
        said: Phrases that were written; a writer of several texts passes them on.
    """

    def __init__(
        self, random: Random, style: Style, split: Split, words: Mapping[str, str], habits: str
    ) -> None:
        self.random, self.style, self.split, self.habits = random, style, split, habits
        self.words = dict(words)
        self.grammar = phrases_of(split)
        self.speaks_for = False
        self.of_child = False
        self.said: list[ParsedPhrase] = []
        self._words: dict[tuple[str, bool], str] = {}

    def say(self, pool: str, /, **slots: Piece | str) -> Piece:
        """Draw a phrase of a pool; the style chooses the pool where both styles have one.

        A writer repeats a phrase only where the pool has few.

        Args:
            pool: Name of the pool, without the ending of a style.
            slots: What fills the slots.
        """
        return self._say(pool, slots)

    def say_without(self, slot: str | None, pool: str, slots: Mapping[str, Piece | str]) -> Piece:
        """Draw a phrase that does not have a slot; any phrase if it is None, or all have it."""
        return self._say(pool, slots, without=slot)

    def say_by_habit(self, pool: str, /, **slots: Piece | str) -> Piece:
        """Write the phrase of a pool that this writer uses in all texts."""
        return self._say(pool, slots, habit=True)

    def _say(
        self,
        pool: str,
        slots: Mapping[str, Piece | str],
        *,
        without: str | None = None,
        habit: bool = False,
    ) -> Piece:
        name = self.pool(pool)
        pieces: list[Piece] = []
        filled = dict(self.words)
        for slot, given in slots.items():
            piece = given if isinstance(given, Piece) else Piece(given)
            filled[slot] = f"\ue000{len(pieces)}\ue001"
            pieces.append(piece)
        random = Random(f"{self.habits}:{name}") if habit else self.random
        writer = Writer(self.grammar, random, filled)
        pool_of = self.grammar[name]
        fit = [one for one in pool_of if without not in set(slots_of(one))] or pool_of
        fit = [one for one in fit if self._is_own(one)] or fit
        fresh = [one for one in fit if habit or one not in self.said]
        phrase = random.choice(fresh or fit)
        self.said.append(phrase)
        text = writer.write(phrase)
        used = [int(one) for one in _FILLED.findall(text)]
        while _FILLED.search(text):
            text = _FILLED.sub(lambda match: pieces[int(match[1])].text, text)
        facts = tuple(fact for one in used for fact in pieces[one].facts)
        return Piece(_ARTICLE.sub(r"\1n ", text), facts)

    def _is_own(self, phrase: ParsedPhrase) -> bool:
        """Whether a phrase is of this side of the Atlantic, and of who speaks."""
        texts = written(phrase)
        if any(FOREIGN[self.style.american].search(one) for one in texts):
            return False
        told_by_others = self.speaks_for and "tells" not in slots_of(phrase)
        return not (told_by_others and any(OF_THE_PATIENT.search(one) for one in texts))

    def pool(self, name: str) -> str:
        """Return the pool of a name in this style: `name.short`, `name.full` or `name`."""
        first, second = ("short", "full") if self.style.short else ("full", "short")
        for one in (f"{name}.{first}", name, f"{name}.{second}"):
            if one in self.grammar:
                return one
        raise KeyError(f"no pool {name!r}")

    def word(self, name: str, has: bool = True) -> str:
        """Return how this writer writes a finding or condition, the same throughout a text.

        Args:
            name: Name of the finding, or id of the condition.
            has: Whether it is there; some words do not fit after "no".
        """
        if (name, has) not in self._words:
            self._words[name, has] = self._drawn_word(name, has)
        return self._words[name, has]

    def _drawn_word(self, name: str, has: bool) -> str:
        if self.of_child and f"{name}.child.full" in self.grammar:
            name = f"{name}.child"
        abbreviates = self.style.short and self.random.random() < _SHORT
        pools = (f"{name}.short", f"{name}.full") if abbreviates else (f"{name}.full",)
        for pool in pools:
            written = [str(one[0]) for one in self.grammar[pool]] if pool in self.grammar else []
            loose = has and self.style.short
            fit = [one for one in written if loose or not one.endswith(ONLY_THERE)]
            if fit:
                return self.random.choice(fit).rstrip(ONLY_THERE)
        return name[:1].lower() + name[1:]

    def sentences(self, pieces: Sequence[Piece]) -> Piece:
        """Join pieces as sentences."""
        return Piece(
            " ".join(sentence(one.text) for one in pieces if one.text),
            tuple(fact for one in pieces for fact in one.facts),
        )

    def run_on(self, pieces: Sequence[Piece]) -> Piece:
        """Join pieces as sentences; short ones follow each other in one, as in notes."""
        separator = self.style.stop if self.style.short and self.style.stop != ". " else ", "
        groups: list[list[Piece]] = []
        for one in pieces:
            if not one.text:
                continue
            words = sum(len(each.text.split()) for each in groups[-1]) if groups else 99
            short = len(one.text.split()) < SHORT_PART and words < LONG_SENTENCE
            whole = groups and groups[-1][-1].text.endswith((".", "?", '"'))
            if groups and separator == ", " and _DENIAL.match(groups[-1][-1].text):
                # After a comma the denial would seem to go on.
                whole = whole or not _DENIAL.match(one.text)
            if short and not whole and self.random.random() < RUNS_ON:
                groups[-1].append(one)
            else:
                groups.append([one])
        return self.sentences(
            [
                Piece(
                    separator.join([group[0].text, *(lowered(one.text) for one in group[1:])]),
                    tuple(fact for one in group for fact in one.facts),
                )
                for group in groups
            ]
        )

    def paragraph(self, *sections: Sequence[Piece]) -> Piece:
        """Join sections; within each, short parts run on."""
        return joined(self.run_on(section) for section in sections)

    def listed(self, pieces: Sequence[Piece], last: str = "and") -> Piece:
        """List pieces: "a, b and c", or by solidus and comma in a telegraphic style."""
        facts = tuple(fact for one in pieces for fact in one.facts)
        texts = [one.text for one in pieces]
        if self.style.short and all(len(one.split()) < 3 for one in texts):
            how = self.random.choice((", ", "/", ", ", " + " if last == "and" else "/"))
            return Piece(how.join(texts), facts)
        if len(texts) < 2 or (self.style.short and self.random.random() < 0.5):
            return Piece(", ".join(texts), facts)
        return Piece(f"{', '.join(texts[:-1])} {last} {texts[-1]}", facts)


@cache
def written(phrase: ParsedPhrase) -> frozenset[str]:
    """Return the ways to write a phrase, with a mark for each slot."""
    return frozenset("\0".join(one) for one in runs(phrase))


def lowered(text: str) -> str:
    """Return a text without its capital, unless its first word is a name or abbreviation.

    >>> lowered("No regular medication"), lowered("NKDA"), lowered("Crohn's disease")
    ('no regular medication', 'NKDA', "Crohn's disease")
    >>> lowered("We've noticed a cough"), lowered("We'll see"), lowered("I've had a cough")
    ("we've noticed a cough", "we'll see", "I've had a cough")
    """
    first = _CONTRACTED.sub(r"\1", text.split(" ", 1)[0])
    plain = first[1:].islower() and first.rstrip(":").isalpha()
    return text[:1].lower() + text[1:] if plain or first == "A" else text


def sentence(text: str) -> str:
    """Raise the first letters and end with a full stop."""
    text = _START.sub(lambda match: match[0].upper(), text.strip())
    return text if text.endswith((".", "?", "!", ":")) else text + "."


def spelled(piece: Piece, style: Style) -> Piece:
    """Write a text and its facts in the spelling of a style; phrases are kept in British."""
    if not style.american:
        return piece
    return Piece(
        americanised(piece.text),
        tuple(replace(one, says=americanised(one.says)) for one in piece.facts),
    )


@lru_cache(maxsize=1)
def _spellings() -> tuple[re.Pattern[str], re.Pattern[str], dict[str, str]]:
    file = Path(__file__).with_name("american.txt")
    lines = file.read_text(encoding="utf-8").split("\n")[:-1]
    words: dict[str, str] = dict(line.split(" = ") for line in lines)
    longest = sorted(words, key=len, reverse=True)
    british = "|".join(map(re.escape, longest))
    return re.compile(british), re.compile(british, re.IGNORECASE), words


def drug_name(drug: Drug) -> str:
    """Return the name of a drug in a British text; the table has the American one of some.

    A name of letters, or after a person, keeps its capital: BCG vaccine, St John's wort.
    """
    own = drug.name[:2].isupper() or re.search(r" [A-Z][a-z]", drug.name)
    usual = drug.name if own else drug.name[:1].lower() + drug.name[1:]
    british = (one for one in drug.synonyms if one != usual and americanised(one) == usual)
    return next(british, usual)


def americanised(text: str) -> str:
    """Return a text in American spelling.

    >>> americanised("Oedema, no haematuria.")
    'Edema, no hematuria.'
    """
    small, pattern, words = _spellings()
    if small.search(text.lower()) is None:  # six times as fast as a search in any case
        return text

    def replaced(match: re.Match[str]) -> str:
        found = words[match[0].lower()]
        return found[:1].upper() + found[1:] if match[0][:1].isupper() else found

    return pattern.sub(replaced, text)
