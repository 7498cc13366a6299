"""Terms of an ontology, independent of the file format."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Scope = Literal["EXACT", "BROAD", "NARROW", "RELATED"]
SCOPES: tuple[Scope, ...] = ("EXACT", "BROAD", "NARROW", "RELATED")


@dataclass(frozen=True)
class Synonym:
    """Another name of a term.

    Attributes:
        text: The name.
        scope: Whether its meaning is the same (exact), wider, narrower or related.
    """

    text: str
    scope: Scope


@dataclass(frozen=True)
class Term:
    """A term of an ontology.

    Attributes:
        id: Its id with prefix, such as "HP:0000528".
        name: Its name; empty only for an obsolete term.
        definition: Its definition; empty if there is none.
        synonyms: Other names.
        parents: Ids of the terms above it (is-a).
        alternatives: Former ids of terms that were merged into it.
        xrefs: Ids in other vocabularies; their meaning may be wider or narrower.
        exact: Ids in other vocabularies with the same meaning.
        obsolete: Whether it must no longer be used.
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
