"""Terms of an ontology, whatever its file format, and what MONDO's say of diseases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from gym_clinic.errors import TaskError
from gym_clinic.facts.lines import build
from gym_clinic.facts.models import Codes
from gym_clinic.facts.profiles import Profile

Scope = Literal["EXACT", "BROAD", "NARROW", "RELATED"]
SCOPES: tuple[Scope, ...] = ("EXACT", "BROAD", "NARROW", "RELATED")

SOURCE = "mondo"
"""Key of this source in the profiles."""


@dataclass(frozen=True)
class Synonym:
    """Another name of a term.

    Attributes:
        text: The name.
        scope: Whether it means the same, or something wider, narrower or near.
    """

    text: str
    scope: Scope


@dataclass(frozen=True)
class Term:
    """A term of an ontology.

    Attributes:
        id: Its id with prefix, such as "HP:0000528".
        name: Its name; empty only for an obsolete term.
        definition: Its definition; empty where there is none.
        synonyms: Other names.
        parents: Ids of the terms that it is a kind of.
        alternatives: Ids that it has had elsewhere in the ontology.
        xrefs: Ids in other vocabularies, which may be wider or narrower.
        exact: Ids in other vocabularies that mean the same.
        obsolete: Whether it is no longer to be used.
        replaced_by: Ids to use instead of an obsolete one.
    """

    id: str
    name: str
    definition: str = ""
    synonyms: tuple[Synonym, ...] = ()
    parents: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    xrefs: tuple[str, ...] = ()
    exact: tuple[str, ...] = ()
    obsolete: bool = False
    replaced_by: tuple[str, ...] = ()


def names(terms: Iterable[Term]) -> dict[str, str]:
    """Return the name of every id; a replaced id has the name of the one term that replaces it."""
    every = list(terms)
    found = {old: term.name for term in every for old in term.alternatives if not term.obsolete}
    found |= {term.id: term.name for term in every if not term.obsolete}
    for term in every:
        if term.obsolete and len(term.replaced_by) == 1 and term.replaced_by[0] in found:
            found.setdefault(term.id, found[term.replaced_by[0]])
    return found


def disease_profiles(terms: Iterable[Term], place: str = "") -> Iterator[Profile]:
    """Return MONDO's diseases as profiles without features.

    Codes are taken from exact matches alone: a cross-reference may be to a wider term. Synonyms
    are those that mean the same.

    Args:
        terms: Terms of MONDO; others and obsolete ones are passed over.
        place: Where they come from, for errors.

    Yields:
        One profile for each disease.

    Raises:
        TaskError: For an id or a name that is none, by its term, and where there is no disease.
    """
    found = False
    for term in terms:
        if not term.obsolete and term.id.startswith("MONDO:"):
            found = True
            yield _profile(term, f"{place} {term.id}".lstrip())
    if not found:
        raise TaskError(f"{place}: no disease of MONDO; expected some".lstrip(": "))


def _profile(term: Term, place: str) -> Profile:
    name, *others = dict.fromkeys(
        " ".join(text.split())
        for text in (term.name, *(one.text for one in term.synonyms if one.scope == "EXACT"))
    )
    orpha = _coded(term, r"Orphanet:[1-9][0-9]*")
    icd10cm = _coded(term, r"ICD10CM:[A-Z][0-9][0-9A-Z](\.[0-9A-Z]{1,4})?")
    codes = build(
        Codes,
        place,
        omim=_coded(term, r"OMIM:[0-9]{6}"),
        orpha=tuple(f"ORPHA:{code.partition(':')[2]}" for code in orpha),
        mondo=(term.id,),
        icd10cm=tuple(code.partition(":")[2] for code in icd10cm),
    )
    return build(
        Profile,
        place,
        id=term.id,
        name=name,
        synonyms=tuple(others),
        codes=codes,
        source=SOURCE,
    )


def _coded(term: Term, pattern: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(code for code in term.exact if re.fullmatch(pattern, code)))
