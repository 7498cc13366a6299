"""The cues of ``cues.json``: phrases that say what a text states of the findings around them.

The table holds the words of each class, the kinds of cues, and the cues. A kind belongs to a layer;
where cues of one layer overlap, the longest counts, and a later layer overrides an earlier one. A
kind gives a status, in the first of its directions that fits, up to the first of its ends. A kind
of the layer "end" gives no status; it ends the scopes of other kinds, when its `when` says.

A cue is a phrase of elements between blanks: ``has|had`` is either word, ``{owner}`` a word of a
class, ``{degree*}`` any number of them, ``any?`` may be left out. ``{finding}`` is a word of a
finding, ``{number}`` begins with a digit. Apostrophes and hyphens are blanks: "doesn't" is
"doesn t". ``(-)``, ``(+)`` and ``(?)`` are the signs of :mod:`words`. In the examples of a cue,
``{}`` is the cue, and the marks behind the arrow are what a linker finds.

Source:
    The form of the table is that of ConText (Harkema et al., J Biomed Inform 2009, 42:839-851);
    negation is after NegEx (Chapman et al., J Biomed Inform 2001, 34:301-310). The cues are this
    project's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from gym_clinic.facts.typed_json import Strict, read_record
from gym_clinic.retrieval.graph.words import DOUBT, PLAIN, Word

Layer = Literal["denial", "time", "doubt", "person", "end", "answer"]
Status = Literal["present", "absent", "past", "other", "hypothetical", "context"]
"""Of the patient; negated; resolved or long ago; of another; asked, feared or conditional; or only
an allergy, an indication or part of the name of a thing, such as a clinic."""
Direction = Literal[
    "forward", "heading", "backward", "final", "anywhere", "list", "adjacent", "beside", "clause"
]
"""Forward; forward behind a colon; backward from the end of a clause or before its "on" or "by";
backward from its end alone; backward from anywhere in it; backward over a whole list; the finding
just before; likewise, and then in a further direction; the whole clause."""
When = Literal["always", "named", "joined", "comma", "never"]
"""An end counts always; once a finding was named; behind a comma or "and"; behind a comma; or never
by itself: it only makes a clause of its own."""

TABLE = Path(__file__).with_name("cues.json")

LONGEST_RUN = 6
"""Words that ``{class*}`` takes at most."""

DESCRIBED, NAMED, DISEASE, MEASURED = 1, 2, 3, 4
"""Marks of the words of a finding: described, by its name, by a name that is that of a disease too,
or by its value."""


class CueKind(Strict):
    """A kind of cues.

    Attributes:
        layer: Where it belongs.
        status: What it makes of the findings in its scope; nothing if there is none.
        directions: Where its scope lies; the first that fits counts.
        ends: What ends the scope: kinds of the layer "end", or an end of :mod:`context`.
        when: When a kind of the layer "end" counts.
        stops_back: Whether a kind of the layer "end" ends a scope that reaches back.
        in_clauses: Whether its words stand in a clause, never in an item of a list.
        makes_clause: Whether its words make a clause of what stands between two commas.
        section: Whether the scope of a heading goes on behind a semicolon.
        voids: Whether what it ends says the opposite: "no fever until yesterday".
        covers: Whether its words name no finding: "worried that".
        only: What it holds for, if not for every finding: those called by their name ("like a
            migraine", but not "like an elephant on my chest"), or diseases.
        unless_denied: Whether it has no effect where it is itself denied: "no sign of".
        needs: Class of words of which the clause must hold one.
        unless: Class of words of which the clause may hold none.
    """

    layer: Layer
    status: Status | None = None
    directions: tuple[Direction, ...] = ()
    ends: tuple[str, ...] = ()
    when: When = "always"
    stops_back: bool = False
    in_clauses: bool = False
    makes_clause: bool = False
    section: bool = False
    voids: bool = False
    covers: bool = False
    only: Literal["any", "name", "disease"] = "any"
    unless_denied: bool = False
    needs: str = ""
    unless: str = ""


class CueRow(Strict):
    """A row of the table.

    Attributes:
        kind: The kind of its cues.
        cues: The phrases.
        directions: Directions other than those of the kind.
        examples: Sentences with the findings that a linker finds in them.
    """

    kind: str
    cues: tuple[str, ...]
    directions: tuple[Direction, ...] = ()
    examples: tuple[str, ...]


class CueTable(Strict):
    """The table.

    Attributes:
        about: What it is.
        layers: The layers that give a status, in the order in which they are applied.
        words: Class -> its words.
        kinds: Kind of cues -> what it does.
        cues: The rows.
    """

    about: str
    layers: tuple[Layer, ...]
    words: dict[str, str]
    kinds: dict[str, CueKind]
    cues: tuple[CueRow, ...]


class Element(NamedTuple):
    """A word of a cue, a word that may be left out, or a run of words.

    Attributes:
        words: The words that fit.
        least: How many there are at least, 0 or 1.
        most: How many there are at most.
        special: "finding" or "number" instead of words.
    """

    words: frozenset[str]
    least: int = 1
    most: int = 1
    special: str = ""

    def fits(self, word: Word, mark: int) -> bool:
        """Return whether a word fits; of a finding, it has a mark."""
        if self.special:
            return mark > 0 if self.special == "finding" else word.text[0].isdigit()
        return word.text in self.words


class Cue(NamedTuple):
    """A cue: its kind, the directions in which it acts, and the elements of its phrase."""

    name: str
    kind: CueKind
    directions: tuple[Direction, ...]
    elements: tuple[Element, ...]

    def end(self, words: Sequence[Word], marks: Sequence[int], place: int) -> int:
        """Return the end of the cue if its second element begins at a word; 0 if it does not."""
        for element in self.elements[1:]:
            first, stop = place, min(place + element.most, len(words))
            while place < stop and words[place].before == PLAIN:
                if not element.fits(words[place], marks[place]):
                    break
                place += 1
            if place - first < element.least:
                return 0
        return place


@lru_cache(maxsize=1)
def cue_table() -> CueTable:
    """Return the table.

    Raises:
        TaskError: If it is broken; the text names the field.
    """
    return read_record(TABLE.read_bytes(), CueTable, str(TABLE))


@lru_cache(maxsize=128)
def words_of_class(name: str) -> frozenset[str]:
    """Return the words of a class.

    Raises:
        KeyError: If the table has no such class.
    """
    return frozenset(cue_table().words[name].split())


@lru_cache(maxsize=1)
def cues_by_word() -> Mapping[str, tuple[Cue, ...]]:
    """Return the cues by each word that may come first."""
    found: dict[str, list[Cue]] = {}
    for row in cue_table().cues:
        kind = cue_table().kinds[row.kind]
        for text in row.cues:
            elements = tuple(map(_element, text.split()))
            cue = Cue(row.kind, kind, row.directions or kind.directions, elements)
            for word in elements[0].words:
                found.setdefault(word, []).append(cue)
    return {word: tuple(cues) for word, cues in found.items()}


def _element(part: str) -> Element:
    """Return the element that a part of a cue stands for."""
    if part.endswith("*}"):
        return Element(words_of_class(part[1:-2]), least=0, most=LONGEST_RUN)
    if part.startswith("{"):
        special = part[1:-1] in ("finding", "number")
        words = frozenset[str]() if special else words_of_class(part[1:-1])
        return Element(words, special=part[1:-1] if special else "")
    optional = part.endswith("?") and part != DOUBT
    return Element(frozenset(part.removesuffix("?" if optional else "").split("|")), not optional)
