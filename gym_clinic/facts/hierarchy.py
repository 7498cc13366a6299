"""The hierarchy of findings: whoever has a finding has its parents too.

A finding that two diseases have in different detail distinguishes neither of them: pleuritic chest
pain is chest pain.

Source:
    The true-path rule of ontologies, as the Human Phenotype Ontology states it for "is a".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gym_clinic.facts.records.models import Phenotype


def ancestors(phenotypes: Mapping[str, Phenotype]) -> dict[str, frozenset[str]]:
    """Return the ancestors of each finding, by id; a finding is none of its own.

    Args:
        phenotypes: Findings by id.

    Raises:
        ValueError: If a parent is unknown, or a finding is an ancestor of itself.
    """
    found: dict[str, frozenset[str]] = {}
    for key in phenotypes:
        _add(key, phenotypes, found, ())
    return found


def _add(
    key: str,
    phenotypes: Mapping[str, Phenotype],
    found: dict[str, frozenset[str]],
    below: tuple[str, ...],
) -> frozenset[str]:
    if key in below:
        raise ValueError(f"{key!r} is an ancestor of itself: {' -> '.join((*below, key))}")
    if key not in phenotypes:
        raise ValueError(f"unknown parent {key!r} of {below[-1]!r}")
    if key not in found:
        several = phenotypes[key].parents
        above = [_add(parent, phenotypes, found, (*below, key)) for parent in several]
        found[key] = frozenset(several).union(*above)
    return found[key]


def descendants(above: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Return the descendants of each finding, by id.

    Args:
        above: The ancestors of each.
    """
    below: dict[str, set[str]] = {key: set() for key in above}
    for key, several in above.items():
        for one in several:
            below[one].add(key)
    return {key: frozenset(several) for key, several in below.items()}


def with_ancestors(keys: Iterable[str], above: Mapping[str, frozenset[str]]) -> set[str]:
    """Return findings together with all their ancestors."""
    several = set(keys)
    return several.union(*(above[key] for key in several))


def most_specific(keys: Iterable[str], above: Mapping[str, frozenset[str]]) -> set[str]:
    """Return the findings that are no ancestor of another one of them."""
    several = set(keys)
    return several.difference(*(above[key] for key in several))
