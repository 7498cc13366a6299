"""What clinicians call diseases and findings, resolved to the ids of the fact tables.

A name is a preferred name, a synonym, an alias ("MI") or an id. Nothing is guessed: a name that
several diseases share means none of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from gym_clinic.embedded import linker
from gym_clinic.errors import ToolError
from gym_clinic.facts import load, stem, words
from gym_clinic.names import LONGEST, nearest

_EMPTY = frozenset({"a", "acute", "an", "and", "by", "due", "in", "of", "on", "the", "to", "with"})
"""Words that a name may have more or fewer of."""


def disease_named(name: str) -> str | None:
    """Return the id of the disease that a name means; None for none, or for several.

    >>> disease_named("myocardial infarction")
    'acute-myocardial-infarction'
    """
    exact, loose = _disease_names()
    found = exact.get(_key(name), frozenset()) or loose.get(_loose(name), frozenset())
    return next(iter(found)) if len(found) == 1 else None


def find_disease(name: str) -> str:
    """Return the id of a disease.

    Raises:
        ToolError: If there is none of that name, or there are several; the text says which.
    """
    exact, loose = _disease_names()
    found = exact.get(_key(name), frozenset()) or loose.get(_loose(name), frozenset())
    if len(found) == 1:
        return next(iter(found))
    diseases = load().diseases
    if found:
        several = ", ".join(sorted(diseases[one].name for one in found))
        raise ToolError(f"'{name[:LONGEST]}' may be one of several diseases: {several}.")
    near = nearest(name, tuple(one.name for one in diseases.values()))
    hint = f"did you mean '{near}'?" if near else "give its usual name."
    raise ToolError(f"No disease '{name[:LONGEST]}'; {hint}")


def findings_named(text: str) -> tuple[tuple[str, bool], ...]:
    """Return the findings that a text names, by id, each with whether it states it as present.

    A text that is a name or a synonym means that finding. In any other, findings are linked as the
    simulated patients hear them; what is only thought of, or of another person, is left out.
    """
    known = _finding_names().get(_key(text))
    if known is not None:
        return ((known, True),)
    found: dict[str, bool] = {}
    for one in linker().link(text[:2000]):
        if one.status in ("present", "absent"):
            found.setdefault(one.record.id, one.status == "present")
    return tuple(found.items())


def _key(name: str) -> tuple[str, ...]:
    return words(name.replace("-", " "))


def _loose(name: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _key(name)) - _EMPTY


@lru_cache(maxsize=1)
def _disease_names() -> tuple[
    Mapping[tuple[str, ...], frozenset[str]], Mapping[frozenset[str], frozenset[str]]
]:
    """Words of a name -> ids; and the same without order and small words."""
    exact: dict[tuple[str, ...], frozenset[str]] = {}
    loose: dict[frozenset[str], frozenset[str]] = {}
    for key, name in _all_disease_names():
        exact[_key(name)] = exact.get(_key(name), frozenset()) | {key}
        if _loose(name):
            loose[_loose(name)] = loose.get(_loose(name), frozenset()) | {key}
    return exact, loose


def _all_disease_names() -> Iterator[tuple[str, str]]:
    facts = load()
    by_term: dict[str, list[str]] = {}
    for key, one in facts.diseases.items():
        for name in (key, one.name, *one.synonyms):
            yield key, name
            by_term.setdefault(name.casefold(), []).append(key)
    for alias in facts.aliases.values():
        for key in by_term.get(alias.term.casefold(), ()):
            yield from ((key, name) for name in alias.names)


@lru_cache(maxsize=1)
def _finding_names() -> Mapping[tuple[str, ...], str]:
    facts = load()
    found: dict[tuple[str, ...], str] = {}
    named: Iterable[tuple[str, Iterable[str]]] = (
        (key, (one.name, *one.synonyms, key)) for key, one in facts.phenotypes.items()
    )
    for key, names in named:
        for name in names:
            found.setdefault(_key(name), key)
    return found
