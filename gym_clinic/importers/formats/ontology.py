"""Terms of an ontology, independent of the file format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from gym_clinic.errors import TaskError

Scope = Literal["EXACT", "BROAD", "NARROW", "RELATED"]
_SHOWN_PREFIXES = 5

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
        consider: Ids that may fit instead of an obsolete one, each to be judged.
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
    consider: tuple[str, ...] = ()


def check_prefix(terms: Iterable[Term], prefix: str, place: str) -> None:
    """Check that an ontology is the expected one: no other prefix has more terms.

    Args:
        terms: Its terms.
        prefix: The expected prefix, such as "HP".
        place: The file, for the error.

    Raises:
        TaskError: If it is another ontology; the text names the prefixes that were found.
    """
    counts = Counter(term.id.partition(":")[0] for term in terms)
    most = counts.most_common(_SHOWN_PREFIXES)
    if not counts[prefix] or counts[prefix] < most[0][1]:
        has = f"{counts[prefix]:,} {prefix}: terms" if counts[prefix] else f"no {prefix}: term"
        found = ", ".join(f"{name}: ({number:,})" for name, number in most)
        raise TaskError(f"{place}: {has}, but {found}; expected an ontology of {prefix}: terms")


def names(terms: Iterable[Term]) -> dict[str, str]:
    """Return the name of every id; a replaced id has the name of the one term that replaces it."""
    every = list(terms)
    found = {old: term.name for term in every for old in term.alternatives if not term.obsolete}
    found |= {term.id: term.name for term in every if not term.obsolete}
    for term in every:
        if term.obsolete and len(term.replaced_by) == 1 and term.replaced_by[0] in found:
            found.setdefault(term.id, found[term.replaced_by[0]])
    return found
