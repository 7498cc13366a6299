"""What a citation means as clinicians write it: "BP 82/46", "raised lactate", "no fever".

`named_evidence` knows names. A citation may also hold a value with its unit, a direction, a
negation, what a study shows, or say that a medicine is taken. The words lie in ``citing.json``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from gym_clinic.clinical.naming.evidence import cited_words, find_evidence, named_evidence
from gym_clinic.clinical.naming.orders import LONGEST, undirected
from gym_clinic.errors import ConfigError
from gym_clinic.facts import Facts, load, words
from gym_clinic.instruments.units import analyte_of, convert

HIGH, LOW = "high", "low"

_VALUE = re.compile(
    r"^(?P<name>\D.*?)(?:\s*[:=(,]\s*|\s+)(?:(?:is|was|of|at|reading|about)\s+)?"
    r"(?P<value>\d+(?:[.,]\d+)?)(?:\s*/\s*\d+(?:\.\d+)?(?=\s|$|\)|mm))?\s*"
    r"(?P<unit>[^\d\s()][^()]*?)?\s*\)?(?:\s*[(,]\s*(?P<side>[a-z ]+)\)?)?$",
    re.I,
)
"""A name, a value or a pair of pressures or "8/10", a unit, and "(high)"."""

_BRACKETS = re.compile(r"\s*\([^)]*\)$")
_WEEKS = re.compile(
    r"^\d+(?:\+\d)?\s*(?:weeks?|/40)(?:'?\s*(?:of\s+)?(?:pregnan\w+|gestation))?$", re.I
)

_SHOWS = re.compile(
    r"^(?P<study>.+?)\s*(?::| -| –|\b(?:shows?|showed|showing|with|reveals?|demonstrates?|positive"
    r" for)\b)\s*(?P<what>.+)$",
    re.I,
)
_SHOWN_ON = re.compile(r"^(?P<what>.+?)\s+(?:on|in|at|by)\s+(?:the\s+)?(?P<study>.+)$", re.I)


class Cited(NamedTuple):
    """What a citation means.

    Attributes:
        key: What is cited, in the keys of :mod:`gym_clinic.clinical.judging.seen`; None if unknown.
        present: Whether it is said to be there, or abnormal; None if that is not said.
        value: The value of a measurement, in the unit of the tables.
        side: Whether a measurement is said to be "high" or "low".
    """

    key: str | None
    present: bool | None = None
    value: float | None = None
    side: str | None = None


def read_cited(facts: Facts, text: str) -> Cited:
    """Return what a citation means.

    >>> from gym_clinic.facts import load
    >>> read_cited(load(), "BP 82/46 mmHg")
    Cited(key='vital:sbp', present=None, value=82.0, side=None)
    >>> read_cited(load(), "raised lactate"), read_cited(load(), "no fever")[:2]
    (Cited(key='lab:lactate', present=True, value=None, side='high'), ('told:HP:0001945', False))
    >>> read_cited(load(), "fever, cough, rash and everything else").key is None
    True
    """
    plain = " ".join(text.split())
    if not plain or len(plain) > LONGEST:
        return Cited(None)
    return _cited(facts.folder, plain)


@lru_cache(maxsize=1 << 14)
def _cited(folder: Any, text: str) -> Cited:
    facts = load(folder)
    for reading in _READINGS:
        found = reading(facts, text)
        if found is not None:
            return found
    bare = _BRACKETS.sub("", text).strip()
    if bare and bare != text:
        return _cited(folder, bare)
    key = find_evidence(facts, text)
    return _shown(facts, text, ("site",)) or Cited(None) if key is None else Cited(key)


def _named(facts: Facts, text: str) -> Cited | None:
    key = named_evidence(facts, text)
    return None if key is None else Cited(key)


def _graded(facts: Facts, text: str) -> Cited | None:
    """Read "raised lactate", "potassium low", "abnormal ECG" and "normal chest x-ray"."""
    for grade, present, side in _GRADES:
        for rest in (*_without(text, grade), *_without(text, grade, after=True)):
            key = named_evidence(facts, rest)
            kinds = ("vital:", "lab:") if side else ("vital:", "lab:", "study:", "site:")
            if key is not None and key.startswith(kinds):
                return Cited(key, present, None, side)
    return None


def _valued(facts: Facts, text: str) -> Cited | None:
    """A measurement, or a score, with its value."""
    found = _VALUE.match(text)
    named = None if found is None else _graded(facts, found["name"]) or _named(facts, found["name"])
    if found is None or named is None or named.key is None:
        return None
    kind, _, of = named.key.partition(":")
    if kind == "patient" or kind == "score":
        return named
    if kind not in ("vital", "lab"):
        return None
    if found["side"]:
        named = _graded(facts, f"{found['side'].strip()} {found['name']}") or named
    return named._replace(value=_in_unit(facts, of, found["value"], found["unit"] or ""))


def _in_unit(facts: Facts, of: str, number: str, unit: str) -> float | None:
    """The value in the unit of the tables; None, so that it is not compared, if it has another."""
    value, wanted = float(number.replace(",", ".")), facts.measurements[of].unit
    unit, same = unit.strip(" .,"), cited_words().table["same unit"].get(of, ())
    if not unit or unit.casefold() in (wanted.casefold(), *same):
        return value
    try:
        return convert(value, unit, wanted, analyte_of(of))
    except ConfigError:
        return None


def _taken(facts: Facts, text: str) -> Cited | None:
    """A medicine that is taken, with its dose or without; a pregnancy with its weeks."""
    if _WEEKS.match(text):
        return Cited("pregnancy")
    rests = (*_without(text, "taken"), *_without(text, "taken after", after=True), text)
    bare = (one for rest in rests for one in (rest, undirected(rest)))
    return _first(named_evidence(facts, f"medicine: {one}") for one in bare)


def _absent(facts: Facts, text: str) -> Cited | None:
    """What is said not to be there."""
    found = _first(named_evidence(facts, rest) for rest in _without(text, "absent"))
    return None if found is None else found._replace(present=False)


def _shown(facts: Facts, text: str, kinds: tuple[str, ...] = ("study",)) -> Cited | None:
    """A study, or a part of the examination, with what it shows; what that is does not count."""
    for pattern in (_SHOWS, _SHOWN_ON):
        found = pattern.match(text)
        key = None if found is None else named_evidence(facts, found["study"])
        if found is not None and key is not None and key.partition(":")[0] in kinds:
            table, said = cited_words().table, found["what"].casefold().strip(" .")
            if said in table["normal"]:
                return Cited(key, False)
            denying = {*words(said)} & {*table["denying"]}
            return None if denying else Cited(key, True)
    return None


def _first(keys: Iterable[str | None]) -> Cited | None:
    return next((Cited(one) for one in keys if one is not None), None)


def _without(text: str, kind: str, *, after: bool = False) -> Iterator[str]:
    """Yield a text without one of the words of a kind, which begins it, or ends it."""
    small = text.casefold()
    for word in cited_words().table[kind]:
        if not after and small.startswith(f"{word} "):
            yield text[len(word) + 1 :].strip(" :")
        if after and small.endswith((f" {word}", f" ({word})")):
            yield text[: small.rindex(word)].strip(" (:,").removesuffix(" is").strip()


_GRADES = (("higher", True, HIGH), ("lower", True, LOW), ("abnormal", True, None),
           ("normal", False, None))  # fmt: skip
"""Kind of words -> whether that is abnormal, and on which side."""

_READINGS: tuple[Callable[[Facts, str], Cited | None], ...] = (
    _valued, _named, _graded, _taken, _absent, _shown,
)  # fmt: skip
"""Ways to read a citation, in this order; a value comes first, since doses are parts of names."""
