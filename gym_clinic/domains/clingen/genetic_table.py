"""The SOP's table of human genetic evidence: points by person, by segregation and by controls.

The table is the older one, which scores persons by kind of variant and origin; later versions of
the procedure score each variant. Where the table gives a range, one value is fixed here, so that a
class can be calculated.

Source:
    Strande NT et al. Am J Hum Genet 2017;100:895-906.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gym_clinic.domains.clingen.sop import GENETIC_CAP

ROWS: Mapping[str, tuple[float, float]] = {
    "de novo": (2.0, 12.0),
    "null": (1.5, 10.0),
    "other": (0.5, 7.0),
    "two in trans, one null or de novo": (2.0, 12.0),
    "two in trans": (1.0, 12.0),
}
"""Row of the case-level table -> points of a person and the maximum of the row."""

LOD_POINTS = ((3.0, 5.0), (2.0, 4.0), (1.5, 3.0), (1.0, 1.5))
"""Summed LOD score from which segregation earns points, the highest first."""

LEAST_LOD = 1.2
"""LOD score from which a family counts: four segregations of a dominant disease, or three affected
members with a recessive one."""

FAMILIES_AGAINST = 2
"""Families with an affected person who lacks the variant that contradict the relationship."""

SEGREGATION_CAP = 7.0

CASE_CONTROL_POINTS = ((0.001, 4.0), (0.05, 2.0))
"""p value of a case-control study below which it earns points; the odds ratio exceeds 1."""

TOO_COMMON = {"AR": 0.01}
"""Share of population alleles above which a variant does not cause the disease; else 0.001."""

NO_NULL = ("gain of function", "dominant negative")
"""Mechanisms for which a variant without product is no evidence."""


class PersonGenetics(NamedTuple):
    """What decides on the points of a person.

    Attributes:
        hits: Variants found.
        null: Whether one of them removes the product.
        de_novo: Whether one arose anew, both parents having been tested.
        in_trans: Whether two variants are proven to lie on different copies.
        common: Largest share of population alleles among the variants.
        other_cause: Whether something else explains the disease.
    """

    hits: int
    null: bool
    de_novo: bool
    in_trans: bool
    common: float = 0.0
    other_cause: bool = False


def row_of_person(person: PersonGenetics, inheritance: str, mechanism: str | None) -> str | None:
    """Return the row of the table that a person belongs to; None if the person earns nothing.

    Args:
        person: What is known of the person.
        inheritance: AD, AR, XL, SD, MT or UD.
        mechanism: Mechanism of the disease, if it is known.
    """
    if person.other_cause or person.common > TOO_COMMON.get(inheritance, 0.001):
        return None
    if inheritance == "AR":
        if person.hits < 2 or not person.in_trans:
            return None
        certain = person.null or person.de_novo
        return "two in trans, one null or de novo" if certain else "two in trans"
    if person.null and mechanism in NO_NULL:
        return None
    return "de novo" if person.de_novo else "null" if person.null else "other"


def case_level_points(rows: Mapping[str, int]) -> float:
    """Points of persons, by their number in each row, under the maxima of the rows.

    >>> case_level_points({"null": 7, "other": 2})
    11.0
    """
    return sum(min(ROWS[row][0] * number, ROWS[row][1]) for row, number in rows.items())


def segregation_points(lods: Iterable[float]) -> float:
    """Points of the summed LOD scores of families.

    >>> segregation_points([1.2, 0.9]), segregation_points([0.6, 0.9])
    (1.5, 0.0)
    """
    total = round(sum(one for one in lods if one >= LEAST_LOD), 2)
    earned = next((points for bound, points in LOD_POINTS if total >= bound), 0.0)
    return min(earned, SEGREGATION_CAP)


def contradicted(lods: Iterable[float]) -> bool:
    """Whether families contradict the relationship: two of them have a LOD score of 0.

    >>> contradicted([1.2, 0.0]), contradicted([1.2, 0.0, 0.0])
    (False, True)
    """
    return sum(one == 0 for one in lods) >= FAMILIES_AGAINST


def case_control_points(odds_ratio: float, p: float) -> float:
    """Points of a case-control study.

    >>> case_control_points(3.4, 0.0002), case_control_points(0.4, 0.01)
    (4.0, 0.0)
    """
    if odds_ratio <= 1:
        return 0.0
    return next((points for bound, points in CASE_CONTROL_POINTS if p < bound), 0.0)


def genetic_points(
    rows: Mapping[str, int], lods: Iterable[float], studies: Iterable[tuple[float, float]]
) -> float:
    """Points of all human genetic evidence of a pair, at most 12.

    Args:
        rows: Row of the table -> number of persons.
        lods: LOD scores of families that count.
        studies: Odds ratio and p value of each case-control study.
    """
    total = case_level_points(rows) + segregation_points(lods)
    return min(total + sum(case_control_points(*study) for study in studies), GENETIC_CAP)
