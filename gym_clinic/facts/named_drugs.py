"""Names of drugs as they are written on charts: brands, salts, forms, routes, combinations.

A name resolves to the ids of its ingredients in the fact tables. Nothing is guessed: a name that
none of the steps below knows stays unresolved.

1. The whole name: international name, synonym, brand, fixed combination.
2. The name without strengths, routes and forms ("IV", "40 mg", "tablet", "ER").
3. The name without salts ("hydrochloride", "succinate").
4. A sequence of such names ("paracetamol/codeine", "hydrocodone with acetaminophen").
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from gym_clinic.facts.records.drugs import CLASS, plain_name
from gym_clinic.facts.tables import load

UNKNOWN = "unknown:"
"""Before the name of a drug that is not known, where an id stands."""

_STRENGTH = re.compile(r"\b[0-9][0-9.,]*\s*(?:(?:mcg|mg|g|ml|meq|units?|iu|ug|µg)\b|%)?")
_MARKS = re.compile(r"[()\[\]®™,+;&#]")


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


@lru_cache(maxsize=1)
def _tables() -> dict[str, Any]:
    file = Path(__file__).with_name("named_drugs.json")
    tables: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return tables


@lru_cache(maxsize=1)
def _known() -> dict[str, NamedDrug]:
    """Plain name -> what it means: drugs of the facts, names and products of our own, then aliases.

    None replaces one before it. Lay words for a drug ("water pill") name no drug on a chart.
    """
    found: dict[str, NamedDrug] = {}
    for drug in load().drugs.values():
        forms = {plain_name(one.form): one.form for one in drug.max_daily_doses if one.form}
        forms |= {plain_name(one.form): one.form for one in drug.older_adults if one.form}
        for name in (drug.id, drug.name, *drug.synonyms):
            found.setdefault(plain_name(name), NamedDrug((drug.id,), forms.get(plain_name(name))))
        for plain, form in forms.items():
            found.setdefault(plain, NamedDrug((drug.id,), form))
    tables = _tables()
    for key, one in tables["other_drugs"].items():
        for name in (key, *one["names"]):
            found.setdefault(plain_name(name), NamedDrug((key,)))
    for key, names in tables["names"].items():
        for name in names:
            found.setdefault(plain_name(name), found[plain_name(key)])
    for name, ingredients in tables["combinations"].items():
        found.setdefault(plain_name(name), NamedDrug(tuple(ingredients)))
    drugs = {drug.name: drug.id for drug in load().drugs.values()}
    for alias in load().aliases.values():
        if alias.term in drugs and alias.kind != "lay":
            for name in alias.names:
                found.setdefault(plain_name(name), NamedDrug((drugs[alias.term],)))
    for name, (ingredient, form) in tables["regimens"].items():
        found[plain_name(name)] = NamedDrug((ingredient,), form)
    return found


@lru_cache(maxsize=4096)
def resolve(name: str) -> NamedDrug | None:
    """Return what the name of a drug means; None if it is not known.

    >>> resolve("Coumadin 5 mg tablet").ingredients
    ('warfarin',)
    >>> resolve("co-amoxiclav IV")
    NamedDrug(ingredients=('amoxicillin-clavulanate',), form=None, route='iv')
    >>> resolve("hydrocodone/acetaminophen").ingredients
    ('hydrocodone', 'paracetamol')
    """
    for plain in (plain_name(name), plain_name(_MARKS.sub(" ", name))):
        if found := _known().get(plain):
            return found
    tables, route = _tables(), None
    words = plain_name(_STRENGTH.sub(" ", _MARKS.sub(" ", name.casefold()))).split()
    for drop in ("routes", "forms", "salts"):
        if drop == "routes":
            route = next((tables[drop][word] for word in words if word in tables[drop]), None)
        words = [word for word in words if word not in tables[drop]] or words
        if found := _known().get(" ".join(words)):
            return NamedDrug(found.ingredients, found.form, found.route or route)
        if ingredients := _sequence(tuple(words)):
            return NamedDrug(ingredients, None, route)
    return None


def _sequence(words: tuple[str, ...]) -> tuple[str, ...]:
    """The ingredients of names in a row, the longest first; none if a word is left over."""
    if not words:
        return ()
    for size in range(min(len(words), 4), 0, -1):
        found = _known().get(" ".join(words[:size]))
        if found and size == len(words):
            return found.ingredients
        if found and (rest := _sequence(words[size:])):
            return tuple(dict.fromkeys((*found.ingredients, *rest)))
    return ()


def plain_route(route: str | None) -> str | None:
    """Return a route by its short name ("intravenous" -> "iv"); others in small letters."""
    if route is None:
        return None
    plain = plain_name(route)
    return str(_tables()["routes"].get(plain, plain)) or None


@lru_cache(maxsize=1024)
def classes_of(drug: str) -> frozenset[str]:
    """Return the ids of the classes of a drug; none for a drug outside the tables."""
    if drug.startswith(CLASS):
        return frozenset({drug.removeprefix(CLASS)})
    record = load().drugs.get(drug)
    listed = record.classes if record else _tables()["other_drugs"].get(drug, {}).get("classes", ())
    return frozenset(listed)


def is_a(drug: str, reference: str) -> bool:
    """Return whether a drug is what a reference names: the drug itself, or ``class:`` and a class.

    >>> is_a("ramipril", "class:ace-inhibitor"), is_a("ramipril", "ramipril")
    (True, True)
    """
    if reference.startswith(CLASS):
        return reference.removeprefix(CLASS) in classes_of(drug)
    return drug == reference


def resolve_class(name: str) -> str | None:
    """Return the id of a class of drugs by its name, plural or abbreviation; None if unknown."""
    plain = plain_name(name)
    known: str | None = _tables()["classes"].get(plain)
    slug = plain.replace(" ", "-")
    return known or (slug if slug in load().drug_classes else None)


@lru_cache(maxsize=1024)
def resolve_allergen(name: str) -> tuple[str, ...]:
    """Return the references that an allergy is to; empty if the substance is not known.

    >>> resolve_allergen("Penicillin"), resolve_allergen("Bactrim"), resolve_allergen("pollen")
    (('class:penicillin',), ('trimethoprim-sulfamethoxazole',), ())
    """
    plain = plain_name(name)
    if other := _tables()["allergens"].get(plain):
        return (str(other),)
    if group := resolve_class(name):
        return (CLASS + group,)
    found = resolve(name)
    return found.ingredients if found else ()
