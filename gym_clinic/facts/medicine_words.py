"""The words beside the name in a line of a medicine chart, from ``medicine_words.json``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from gym_clinic.facts.records.drugs import plain_name


class Route(NamedTuple):
    """A way of giving a medicine.

    Attributes:
        name: Its short name, such as "iv"; None where the text is no route that is known.
        manner: "push", "bolus" or "infusion"; None where the text says nothing of it.
    """

    name: str | None
    manner: str | None = None


class MedicineWords(NamedTuple):
    """The vocabulary.

    Attributes:
        units: Unit as it is written -> its short name.
        counts: Units that count what has a strength, such as tablets.
        times: Units of time.
        hours: Unit of time -> hours.
        numbers: Number in words -> in digits.
        often: Word -> times a day.
        when: Words that say when, and not how often.
        as_needed: Words for "when needed".
        routes: Word -> route.
        manners: Word -> manner of giving.
        with_manner: Word -> route and manner, both.
        forms: Word of a form -> the route that it implies; empty if none.
        form_names: Word of a form -> its short name.
        fillers: Words that say nothing.
        separators: Words between two names.
        denials: Words by which a text does not order what it names.
        short: Short word of a name -> the whole one.
        phrases: Several words -> the one that stands for them, the longest first.
        diluent: What a medicine is mixed with, after "in".
        beside: Words that are no name when they stand beside one: all of these but forms.
    """

    units: Mapping[str, str]
    counts: frozenset[str]
    times: frozenset[str]
    hours: Mapping[str, float]
    numbers: Mapping[str, str]
    often: Mapping[str, float]
    when: frozenset[str]
    as_needed: frozenset[str]
    routes: Mapping[str, str]
    manners: Mapping[str, str]
    with_manner: Mapping[str, tuple[str, str]]
    forms: Mapping[str, str]
    form_names: Mapping[str, str]
    fillers: frozenset[str]
    separators: frozenset[str]
    denials: frozenset[str]
    short: Mapping[str, str]
    phrases: tuple[tuple[re.Pattern[str], str], ...]
    diluent: re.Pattern[str]
    beside: frozenset[str]


@lru_cache(maxsize=1)
def medicine_words() -> MedicineWords:
    """Return the vocabulary."""
    file = Path(__file__).with_name("medicine_words.json")
    table: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    names = {**table["often_phrases"], **table["routes"], "prn": table["as_needed"]}
    phrases = {text: short for short, texts in names.items() for text in texts if " " in text}
    phrases |= dict.fromkeys(table["when_phrases"], "once")
    routes, manners = _by_word(table["routes"]), _by_word(table["manners"])
    beside = {
        *table["often"], *table["when"], *table["as_needed"], *routes, *manners,
        *table["route_with_manner"], *table["fillers"], *table["separators"],
    }  # fmt: skip
    return MedicineWords(
        units=_by_word(table["units"]),
        counts=frozenset(table["counts"]),
        times=frozenset(table["times"]),
        hours=table["hours_of_times"],
        numbers=table["numbers"],
        often=table["often"],
        when=frozenset(table["when"]),
        as_needed=frozenset(word for word in table["as_needed"] if " " not in word),
        routes=routes,
        manners=manners,
        with_manner={word: (way, how) for word, (way, how) in table["route_with_manner"].items()},
        forms=_by_word(table["forms"]),
        form_names=_by_word(table["form_names"]),
        fillers=frozenset(table["fillers"]),
        separators=frozenset(table["separators"]),
        denials=frozenset(table["denials"]),
        short=table["short_words"],
        phrases=tuple(
            (_whole(text), f" {phrases[text]} ") for text in sorted(phrases, key=len, reverse=True)
        ),
        diluent=re.compile(
            r"\b(?:mixed |diluted )?in (?:\d+ ?ml (?:of )?)?(?:"
            + "|".join(map(re.escape, sorted(table["diluents"], key=len, reverse=True)))
            + r")(?![\w'])"
        ),
        beside=frozenset(beside),
    )


def _by_word(names: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Word -> the short name under which it is listed."""
    return {word: short for short, words in names.items() for word in words}


def _whole(text: str) -> re.Pattern[str]:
    """A pattern of words that stand together, with any blanks or hyphens between them."""
    return re.compile(r"(?<![\w-])" + r"[\s-]+".join(map(re.escape, text.split())) + r"(?![\w-])")


@lru_cache(maxsize=1024)
def parse_route(text: str) -> Route:
    """Return the route that a text names as a whole, and the manner of giving.

    >>> parse_route("Intravenous"), parse_route("IV push"), parse_route("by carrier pigeon")
    (Route(name='iv', manner=None), Route(name='iv', manner='push'), Route(name=None, manner=None))
    """
    known = medicine_words()
    plain = plain_name(text.replace(".", ""))
    if plain in known.routes:
        return Route(known.routes[plain])
    for pattern, short in known.phrases:
        plain = pattern.sub(short, plain)
    name, manner = None, None
    for word in plain.split():
        if word in known.with_manner and name in (None, known.with_manner[word][0]):
            name, manner = known.with_manner[word]
        elif word in known.manners and manner is None:
            manner = known.manners[word]
        elif word in known.routes and name in (None, known.routes[word]):
            name = known.routes[word]
        elif word not in known.fillers and word not in known.when:
            return Route(None)
    return Route(name, manner)
