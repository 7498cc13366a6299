"""Patterns of amounts and times in a line of a medicine chart, and of names that hold digits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from gym_clinic.facts.drug_names import known_names
from gym_clinic.facts.medicine_words import medicine_words

NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+"
_JOINT = re.compile(r"[\s/_#-]+")


def _either(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


@lru_cache(maxsize=1)
def amount_pattern() -> re.Pattern[str]:
    """An amount with its unit: "5 mg", "0.5-1 mg", "250 mg/5 ml", "15 mg/kg/day", "1/2 tab"."""
    known = medicine_words()
    units = _either(known.units)
    number = rf"\d/\d|{NUMBER}|{_either(known.numbers)}"
    return re.compile(
        rf"(?<![\w.,])(?P<number>{number})(?:\s*(?:-|–|to)\s*(?P<most>{number}))?"
        rf"\s*-?\s*(?P<million>million\s+)?(?P<unit>{units})(?![\w%])"
        rf"(?P<per>(?:\s*(?:/|\bper\b)\s*(?:{NUMBER})?\s*(?:{units})(?![\w%]))*)"
    )


@lru_cache(maxsize=1)
def time_patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """How often by hours or days, how often a day, and for how long."""
    known = medicine_words()
    units = _either(word for word, short in known.units.items() if short in known.times)
    numbers = rf"\d+|{_either(known.numbers)}"
    return (
        re.compile(
            rf"(?<![\w.])(?:q\s*|every\s+)(?:(?P<least>\d+)\s*(?:-|to)\s*)?(?P<number>\d+)?"
            rf"\s*(?:(?P<unit>{units})|(?<=q[468])|(?<=q1[2]))(?!\w)"
        ),
        re.compile(
            rf"(?<![\w.])(?P<times>{numbers})\s*(?:x|times)\s*(?:/|a\s|per\s|each\s)?\s*"
            rf"(?P<of>{units}|daily|weekly)(?!\w)"
        ),
        re.compile(
            rf"(?<![\w.])(?:x\s*(?:{numbers})(?:\s*(?:{units}|doses?))?"
            rf"|(?:for|over)\s*(?:{numbers})(?:\s*(?:-|to)\s*\d+)?\s*(?:{units}))(?!\w)"
        ),
    )


def letters_of(name: str) -> str:
    """The letters and digits of a name, however they are joined."""
    return _JOINT.sub("", name)


@lru_cache(maxsize=1)
def by_letters() -> Mapping[str, str]:
    """Letters and digits -> the known name, of names that hold digits or brackets."""
    return {letters_of(name): name for name in known_names() if re.search(r"[\d()]", name)}


@lru_cache(maxsize=1)
def names_with_digits() -> re.Pattern[str]:
    """Known names that hold digits or brackets; after one that ends with a number is no unit."""
    names = (name for name in known_names() if letters_of(name) in by_letters())
    units = _either(medicine_words().units)
    patterns = []
    for name in sorted(names, key=len, reverse=True):
        spaced = r"[\s/_-]*".join(re.escape(word) for word in name.split())
        if name[-1].isdigit():
            head = r"[\s/_-]*".join(re.escape(word) for word in name.split()[:-1])
            last = re.escape(name.split()[-1])
            spaced = rf"{head}\s*#\s*{last}(?!\w)|{spaced}(?!\w)(?!\s*(?:{units})(?!\w))"
        patterns.append(spaced)
    return re.compile(rf"(?<![\w.])(?:{'|'.join(patterns)})(?![\w%])")
