"""A second problem that a patient has by chance: common, and unlike the first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from random import Random

from gym_clinic.facts import Disease, Facts, Person
from gym_clinic.simulate.disease.persons import epidemiology_of, frequency

COMMON = ("very_common", "common")
"""Classes of incidence of what counts as common."""


def common_problems(facts: Facts) -> list[str]:
    """Return the ids of the common diseases, but for those of pregnancy."""
    known = {key: epidemiology_of(one) for key, one in facts.diseases.items()}
    return [key for key, one in known.items() if one.incidence in COMMON and one.pregnancy is None]


def likely_besides(facts: Facts, person: Person, among: Iterable[str]) -> dict[str, float]:
    """Return the diseases that a person may have by chance, and their weights.

    A weight is the square root of the frequency at this age and sex, which keeps the less common
    ones in sight.

    Args:
        facts: The fact tables.
        person: Who the patient is.
        among: Ids of the diseases that are considered.
    """
    weights = {key: frequency(facts, key, person) ** 0.5 for key in among}
    return {key: weight for key, weight in weights.items() if weight}


def draw_second(
    likely: Mapping[str, float], first: Disease, random: Random, without: Collection[str] = ()
) -> str | None:
    """Draw a second problem that cannot be mistaken for the first; None if there is none.

    Args:
        likely: Ids of diseases and their weights, as :func:`likely_besides` returns them.
        first: The disease that the patient comes with.
        random: The source of randomness.
        without: Ids of what the patient has already.
    """
    barred = {first.id, *first.look_alikes, *without}
    left = {key: weight for key, weight in likely.items() if key not in barred}
    return random.choices(list(left), weights=list(left.values()))[0] if left else None
