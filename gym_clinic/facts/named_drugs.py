"""What a name means on a chart: a drug, a class of drugs, a route, what somebody is allergic to.

Every look-up of a drug's name ends here. A name resolves to the ids of its ingredients in the fact
tables, through `parse_medicine`; nothing is guessed, and a name that is not known stays unresolved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from gym_clinic.facts.drug_names import UNKNOWN, NamedDrug, known_names, name_tables
from gym_clinic.facts.medicine_text import parse_medicine
from gym_clinic.facts.medicine_words import parse_route
from gym_clinic.facts.records.drugs import CLASS, plain_name
from gym_clinic.facts.tables import load

__all__ = [
    "UNKNOWN",
    "NamedDrug",
    "classes_of",
    "did_you_mean",
    "is_a",
    "is_no_allergy",
    "nearest_drugs",
    "plain_route",
    "resolve",
    "resolve_allergen",
    "resolve_class",
]

LETTERS_A_MISTAKE = 5
"""Letters of a name for each mistake that a suggestion allows."""

MAX_SUGGESTIONS = 3
"""Names of different drugs, equally near, that are suggested."""


def resolve(name: str) -> NamedDrug | None:
    """Return what the name of a drug means; None if it is not known.

    A line of a chart is a name too, if it says nothing that is not understood.

    >>> resolve("WARFARIN 5 MG PO DAILY").ingredients
    ('warfarin',)
    >>> resolve("co-amoxiclav IV")
    NamedDrug(ingredients=('amoxicillin-clavulanate',), form=None, route='iv')
    >>> resolve("hydrocodone/acetaminophen").ingredients
    ('hydrocodone', 'paracetamol')
    """
    return parse_medicine(name).named


@lru_cache(maxsize=1024)
def nearest_drugs(name: str) -> tuple[str, ...]:
    """Return the known names that a misspelt one is nearest to; none where none is near.

    One mistake is allowed for every five letters, so that another drug is not suggested for what is
    only somewhat like it. Nothing takes a suggestion for what was written.

    >>> nearest_drugs("Bactrum DS"), nearest_drugs("moonwort")
    (('bactrim',), ())
    """
    from rapidfuzz.distance import OSA  # here, since importing it takes 20 ms

    wrong = " ".join(parse_medicine(name).left_over)
    most = len(wrong) // LETTERS_A_MISTAKE
    if not most or parse_medicine(name).drugs:
        return ()
    distances = {
        known: distance
        for known in known_names()
        if (distance := OSA.distance(wrong, known, score_cutoff=most)) <= most
    }
    best = min(distances.values(), default=0)
    near = {known_names()[known].ingredients: known for known, far in distances.items()
            if far == best}  # fmt: skip
    return tuple(sorted(near.values())[:MAX_SUGGESTIONS])


def did_you_mean(name: str) -> str:
    """Return the advice for a name of a drug that is not known; empty if there is none.

    >>> did_you_mean("warfrin")
    "did you mean 'warfarin'?"
    """
    near = " or ".join(f"'{drug}'" for drug in nearest_drugs(name))
    return f"did you mean {near}?" if near else ""


def plain_route(route: str | None) -> str | None:
    """Return a route by its short name ("intravenous" -> "iv"); others in small letters."""
    if route is None:
        return None
    return parse_route(route).name or plain_name(route) or None


@lru_cache(maxsize=1024)
def classes_of(drug: str) -> frozenset[str]:
    """Return the ids of the classes of a drug; none for a drug outside the tables."""
    if drug.startswith(CLASS):
        return frozenset({drug.removeprefix(CLASS)})
    record = load().drugs.get(drug)
    others = name_tables()["other_drugs"]
    listed = record.classes if record else others.get(drug, {}).get("classes", ())
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
    for written in (plain, plain.removesuffix("s")):
        known: str | None = name_tables()["classes"].get(written)
        slug = written.replace(" ", "-")
        if known or slug in load().drug_classes:
            return known or slug
    return None


_ALLERGY_WORDS = re.compile(
    r"\b(?:allerg(?:y|ies|ic)(?: to)?|hypersensitivity(?: to)?|intolerance(?: to)?|products?|"
    r"containing|drugs?|medications?|medicines?|agents?|preparations?)\b"
)
_REACTION = re.compile(r"\s*[(:;]|\s+[-\N{EN DASH}\N{EM DASH}]+\s|,\s|\s=\s|->|>")
_SEVERAL = re.compile(r"\s*(?:[/,;&+]|\band\b)\s*")


@lru_cache(maxsize=1024)
def resolve_allergen(name: str) -> tuple[str, ...]:
    """Return the references that an allergy is to; empty if the substance is not known.

    >>> resolve_allergen("PCN (anaphylaxis)"), resolve_allergen("Bactrim"), resolve_allergen("dust")
    (('class:penicillin',), ('trimethoprim-sulfamethoxazole',), ())
    """
    for text in _allergen_texts(name):
        if known := _allergen(text):
            return known
        parts = [_allergen(part) for part in _SEVERAL.split(text) if part]
        if len(parts) > 1 and all(parts):
            return tuple(dict.fromkeys(drug for part in parts for drug in part))
    return ()


def _allergen_texts(name: str) -> Iterator[str]:
    """The name as it is written, then without its reaction, then without words of allergies."""
    whole = name.casefold().strip()
    substance = _REACTION.split(whole)[0].strip()
    yield from dict.fromkeys((whole, substance, _ALLERGY_WORDS.sub(" ", substance).strip()))


def _allergen(name: str) -> tuple[str, ...]:
    if other := name_tables()["allergens"].get(plain_name(name)):
        return (str(other),)
    if group := resolve_class(name):
        return (CLASS + group,)
    found = resolve(name)
    return found.ingredients if found else ()


def is_no_allergy(name: str) -> bool:
    """Return whether an entry of an allergy list says that there is no allergy, such as "NKDA"."""
    return plain_name(name.strip(". ")) in name_tables()["no_allergies"]
