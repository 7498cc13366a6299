"""What clinicians call diseases and findings, resolved to the ids of the fact tables.

A name is a preferred name, a synonym, an alias ("MI"), an id, or the code of a disease. Nothing is
guessed: a name or code that several share means none of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from gym_clinic.clinical.naming.descriptions import described, disease_words
from gym_clinic.embedded import linker
from gym_clinic.errors import ToolError
from gym_clinic.facts import load, stem, words
from gym_clinic.names import LONGEST, nearest

_EMPTY = frozenset({
    "acut", "and", "by", "due", "in", "of", "on", "the", "to", "with", "left", "right",
    "bilater", "unilater",
})  # fmt: skip
"""Stems of words that a name may have more or fewer of."""


def disease_named(name: str) -> str | None:
    """Return the id of the disease that a name or code means; None for none, or for several.

    >>> disease_named("myocardial infarction"), disease_named("asthma or COPD")
    ('acute-myocardial-infarction', None)
    """
    found = _diseases_named(name)
    return next(iter(found)) if len(found) == 1 else None


def disease_called(name: str) -> str | None:
    """Return the id of the disease that has a name as it stands; a description is none.

    >>> disease_called("asthma"), disease_called("severe acute asthma")
    ('asthma', None)
    """
    found = _diseases_of(name) if len(name) <= LONGEST else frozenset()
    return next(iter(found)) if len(found) == 1 else None


def find_disease(name: str) -> str:
    """Return the id of a disease.

    Raises:
        ToolError: If there is none of that name, or there are several; the text says which.
    """
    found = _diseases_named(name)
    if len(found) == 1:
        return next(iter(found))
    diseases = load().diseases
    if found:
        several = ", ".join(sorted(diseases[one].name for one in found))
        raise ToolError(f"'{name[:LONGEST]}' may be one of several diseases: {several}.")
    near = nearest(name, tuple(one.name for one in diseases.values()))
    hint = f"did you mean '{near}'?" if near else "give its usual name."
    raise ToolError(f"No disease '{name[:LONGEST]}'; {hint}")


def _diseases_named(name: str) -> frozenset[str]:
    if len(name) > LONGEST:  # a long text is not kept, and is no description
        return _diseases_of.__wrapped__(name)
    return _diseases_of(name) or _described(name)


@lru_cache(maxsize=1 << 12)
def _described(name: str) -> frozenset[str]:
    return described(name, _qualified)


def _qualified(name: str) -> frozenset[str]:
    """The diseases of a name, with or without words that do not change which disease is meant."""
    if found := _diseases_of(name):
        return found
    said, qualifiers = _loose(name), disease_words().qualifiers
    fitting = [one for one in _disease_names()[1] if one <= said and said - one <= qualifiers]
    most = max((len(one) for one in fitting), default=0)
    return frozenset().union(
        *(_disease_names()[1][one] for one in fitting if len(one) == most)
    )  # the longest name: "new type 1 diabetes" is not "diabetes"


@lru_cache(maxsize=1 << 12)
def _diseases_of(name: str) -> frozenset[str]:
    exact, loose, joined = _disease_names()
    coded = frozenset(_by_code().get(name.strip().upper(), ())[:2])
    return (
        exact.get(_key(name))
        or loose.get(_loose(name))
        or joined.get(_joined(name))
        or (coded if len(coded) == 1 else frozenset())
    )


def finding_named(name: str) -> str | None:
    """Return the id of the finding that a name, synonym or id means; None for none, or several.

    >>> finding_named("Dyspnea")
    'HP:0002094'
    """
    return _finding_names().get(_key(name))


def findings_named(text: str) -> tuple[tuple[str, bool], ...]:
    """Return the findings that a text names, by id, each with whether it states it as present.

    A text that is a name or a synonym means that finding. In any other, findings are linked as the
    simulated patients hear them; what is only thought of, or of another person, is left out.
    """
    known = finding_named(text)
    if known is not None:
        return ((known, True),)
    found: dict[str, bool] = {}
    for one in linker().link(text[:2000]):
        if one.status in ("present", "absent"):
            found.setdefault(one.record.id, one.status == "present")
    return tuple(found.items())


def _key(name: str) -> tuple[str, ...]:
    return words(name.replace("-", " "))


def _joined(name: str) -> str:
    """A name as one word, before its spelling is made uniform: 'gastro-oesophageal'."""
    return "".join(words(name.replace("-", "").replace(" ", "")))


def _loose(name: str) -> frozenset[str]:
    key = _key(name)
    start = 1 if key[:1] in (("a",), ("an",)) else 0  # "a stroke", but "hepatitis A"
    return frozenset(stem(word) for word in key[start:]) - _EMPTY


@lru_cache(maxsize=1)
def _disease_names() -> tuple[
    Mapping[tuple[str, ...], frozenset[str]],
    Mapping[frozenset[str], frozenset[str]],
    Mapping[str, frozenset[str]],
]:
    """Words of a name -> ids; the same without order and small words, and written as one word."""
    exact: dict[tuple[str, ...], frozenset[str]] = {}
    loose: dict[frozenset[str], frozenset[str]] = {}
    joined: dict[str, frozenset[str]] = {}
    for key, name in _all_disease_names():
        exact[_key(name)] = exact.get(_key(name), frozenset()) | {key}
        if _loose(name):
            loose[_loose(name)] = loose.get(_loose(name), frozenset()) | {key}
        joined[_joined(name)] = joined.get(_joined(name), frozenset()) | {key}
    return exact, loose, joined


def _all_disease_names() -> Iterator[tuple[str, str]]:
    facts = load()
    yield from ((key, name) for key, names in disease_words().names.items() for name in names)
    by_term: dict[str, list[str]] = {}
    for key, one in facts.diseases.items():
        for name in (key, one.name, *one.synonyms):
            yield key, name
            by_term.setdefault(name.casefold(), []).append(key)
    for alias in facts.aliases.values():
        for key in by_term.get(alias.term.casefold(), ()):
            yield from ((key, name) for name in alias.names)


@lru_cache(maxsize=1)
def _by_code() -> Mapping[str, tuple[str, ...]]:
    """Code -> the diseases that have it."""
    found: dict[str, tuple[str, ...]] = {}
    for key, one in load().diseases.items():
        for codes in one.codes.model_dump().values():
            for code in codes:
                found[code.upper()] = (*found.get(code.upper(), ()), key)
    return found


@lru_cache(maxsize=1)
def _finding_names() -> Mapping[tuple[str, ...], str | None]:
    """Words of a name -> the finding; ids and names come before synonyms."""
    phenotypes = load().phenotypes
    found: dict[tuple[str, ...], str | None] = {}
    for names in ((lambda one: (one.id, one.name)), (lambda one: one.synonyms)):
        fresh: dict[tuple[str, ...], set[str]] = {}
        for key, one in phenotypes.items():
            for name in names(one):
                fresh.setdefault(_key(name), set()).add(key)
        for words_of, keys in fresh.items():
            found.setdefault(words_of, keys.pop() if len(keys) == 1 else None)
    return found
