"""The names of drugs as the fact tables have them: whole names, brands, salts, combinations.

A name is compared as `plain_name` writes it. Lay words for a drug ("water pill") name no drug.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from gym_clinic.facts.records.drugs import plain_name
from gym_clinic.facts.tables import load

UNKNOWN = "unknown:"
"""Before the name of a drug that is not known, where an id stands."""

MAX_NAME_WORDS = 6
"""Words of the longest name that is looked for inside a text."""


@dataclass(frozen=True)
class NamedDrug:
    """What a name of a drug means.

    Attributes:
        ingredients: Ids of the drugs, in the order of the name; a class, after ``class:``, where
            the name is of a regimen of any of its members.
        form: The form or salt that the facts have limits or rules for.
        route: The route that the name itself gives, such as "iv".
    """

    ingredients: tuple[str, ...]
    form: str | None = None
    route: str | None = None


class NameWord(NamedTuple):
    """A word of a name.

    Attributes:
        text: The word in small letters.
        apart: Whether a slash, a plus, a comma or "and" stands before it.
    """

    text: str
    apart: bool = False


class NameScan(NamedTuple):
    """The drugs that words name in a row.

    Attributes:
        ingredients: Ids of the drugs; empty if none is named.
        form: The form of the drug, where it is one alone.
        left: Words that name nothing.
    """

    ingredients: tuple[str, ...]
    form: str | None
    left: tuple[str, ...]

    def is_better_than(self, other: NameScan, left: int) -> bool:
        """Return whether it names a drug where another does not, or leaves fewer words."""
        return bool(self.ingredients) and (not other.ingredients or left < len(other.left))


@lru_cache(maxsize=1)
def name_tables() -> dict[str, Any]:
    """Return the names that this project adds to those of the fact tables."""
    file = Path(__file__).with_name("named_drugs.json")
    tables: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return tables


@lru_cache(maxsize=1)
def known_names() -> Mapping[str, NamedDrug]:
    """Return plain name -> what it means: of the facts, names and products of our own, aliases.

    A later name does not replace an earlier one.
    """
    known: dict[str, NamedDrug] = {}
    for drug in load().drugs.values():
        forms = {plain_name(limit.form): limit.form for limit in drug.max_daily_doses if limit.form}
        forms |= {plain_name(rule.form): rule.form for rule in drug.older_adults if rule.form}
        for name in (drug.id, drug.name, *drug.synonyms):
            known.setdefault(plain_name(name), NamedDrug((drug.id,), forms.get(plain_name(name))))
        for plain, form in forms.items():
            known.setdefault(plain, NamedDrug((drug.id,), form))
    tables = name_tables()
    for key, other in tables["other_drugs"].items():
        for name in (key, *other["names"]):
            known.setdefault(plain_name(name), NamedDrug((key,)))
    for key, names in tables["names"].items():
        for name in names:
            known.setdefault(plain_name(name), known[plain_name(key)])
    for name, ingredients in tables["combinations"].items():
        known.setdefault(plain_name(name), NamedDrug(tuple(ingredients)))
    drugs = {drug.name: drug.id for drug in load().drugs.values()}
    for alias in load().aliases.values():
        if alias.term in drugs and alias.kind != "lay":
            for name in alias.names:
                known.setdefault(plain_name(name), NamedDrug((drugs[alias.term],)))
    for name, (ingredient, form) in tables["regimens"].items():
        known[plain_name(name)] = NamedDrug((ingredient,), form)
    return known


@lru_cache(maxsize=1)
def salts() -> frozenset[str]:
    """Return the words of salts, which add nothing to the name of a drug before them."""
    return frozenset(name_tables()["salts"])


def scan_names(words: Sequence[NameWord], no_names: frozenset[str] = frozenset()) -> NameScan:
    """Return the drugs that words name in a row, the longest names first.

    >>> scan_names([NameWord("losartan"), NameWord("potassium")]).ingredients
    ('losartan',)
    >>> scan_names([NameWord("losartan"), NameWord("potassium", apart=True)]).ingredients
    ('losartan', 'potassium-chloride')

    Args:
        words: The words.
        no_names: Words that are no name when they stand alone, such as routes.
    """
    known, named, left = known_names(), list[NamedDrug](), list[str]()
    start, after_name = 0, False
    while start < len(words):
        word = words[start]
        size = _longest_name(words, start, no_names)
        if after_name and size < 2 and not word.apart and word.text in salts():
            start += 1  # "losartan potassium" is one drug
            continue
        after_name = size > 0
        if after_name:
            name = " ".join(word.text for word in words[start : start + size])
            named.append(known[name])
            after_name = name not in salts()  # magnesium citrate is no form of "magnesium"
        else:
            left.append(word.text)
        start += size or 1
    ingredients = tuple(dict.fromkeys(drug for entry in named for drug in entry.ingredients))
    return NameScan(ingredients, named[0].form if len(named) == 1 else None, tuple(left))


def _longest_name(words: Sequence[NameWord], start: int, no_names: frozenset[str]) -> int:
    """How many words from a place on are the longest name there; 0 if none is."""
    for size in range(min(len(words) - start, MAX_NAME_WORDS), 0, -1):
        name = " ".join(word.text for word in words[start : start + size])
        if name in known_names() and not (size == 1 and name in no_names):
            return size
    return 0
