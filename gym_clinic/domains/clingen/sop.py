"""The ClinGen gene-disease validity SOP: from scored evidence to one of five classes.

`classify` adds the capped experimental points to the genetic points and looks up the class in
the bands. Default points and ranges of the subtypes are in `evidence.py`; every other number of
the matrix is a constant of this module.

Cases that the SOP leaves open, and how they are decided here:

* Text and matrix disagree on replication over time, so `replication` chooses; a result that
  depends on the choice is flagged.
* Totals between two printed bands (6 to 7, 11 to 12, 0 to 0.1) have no class in the table;
  they get the lower of the two classes they lie between (Limited below 0.1) and a flag.
* With contradictory evidence the condition of Definitive is not met, so the class is Strong at
  most. Disputed and Refuted are never returned: experts decide between them, and both are
  outside the five labels. The flag `contradictory` marks such a pair for expert review.
* Experts may move the calculated class by one level with a rationale; this module does not.

Source:
    Strande NT et al. Am J Hum Genet 2017;100:895-906; ClinGen Gene-Disease Validity Standard
    Operating Procedures, versions 8 to 11 (bands and replication matrix: version 11, figure 9).
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from gym_clinic.domains.clingen.evidence import CATEGORIES, CLASSES, SUBTYPES, Subtype
from gym_clinic.domains.clingen.naming import find_subtype, known_subtype
from gym_clinic.errors import ConfigError

GROUP_CAPS: dict[str, float] = {
    "function": 2.0,
    "functional_alteration": 2.0,
    "models_and_rescue": 4.0,
}
"""Maximum points of each group of categories; the caps sum to 8."""

EXPERIMENTAL_CAP = 6.0
"""Maximum points of experimental evidence, applied after the group caps."""

GENETIC_CAP = 12.0
"""Maximum points of genetic evidence."""

TOTAL_MAX = EXPERIMENTAL_CAP + GENETIC_CAP
"""Maximum points of a curation: 18."""

BANDS: dict[str, tuple[float, float]] = {
    "No Known Disease Relationship": (0.0, 0.0),
    "Limited": (0.1, 6.0),
    "Moderate": (7.0, 11.0),
    "Strong": (12.0, 18.0),
    "Definitive": (12.0, 18.0),
}
"""Printed band of each class, in points. Definitive is Strong with replication over time."""

CONTRADICTORY_CLASSES = ("Disputed", "Refuted")
"""Classes for contradictory evidence: decided by experts, never calculated."""


class Replication(NamedTuple):
    """One interpretation of "replicated over time".

    Attributes:
        publications: Independent publications with human genetic evidence.
        years: Years since the first of them.
        strict: Whether both numbers must be exceeded (True) or reached (False).
    """

    publications: int
    years: float
    strict: bool

    def holds(self, publications: int, years: float) -> bool:
        """Whether a gene-disease pair counts as replicated over time."""
        if self.strict:
            return publications > self.publications and years > self.years
        return publications >= self.publications and years >= self.years


REPLICATION: dict[str, Replication] = {
    "text": Replication(2, 3, strict=False),
    "matrix": Replication(2, 3, strict=True),
}
"""The text asks for >= 2 publications over >= 3 years, the matrix for > 2 and > 3."""

_NON_HUMAN = ("non_human_model_organism", "rescue_in_non_human_model_organism")
_EXPECTED = (
    "a subtype; (pmid, subtype) or (category, subtype); one of these with points at the end; or a "
    "mapping with 'subtype' and, optionally, 'category' and 'points'"
)

_CATEGORY_FIELDS = ("category", "evidence_type")
_SUBTYPE_FIELDS = ("subtype", "type", "evidence_subtype")

EvidenceItem: TypeAlias = "str | Subtype | tuple[object, ...] | list[object] | Mapping[str, object]"


class SopResult(NamedTuple):
    """The result of the SOP's calculation.

    Attributes:
        points: Genetic plus experimental points after all caps, 0 to 18. Decimals add up
            exactly (0.1 + 0.2 is 0.3), and the bands are read on this number.
        classification: One of the five labels in `evidence.CLASSES`.
        flags: Remarks on the result, in a fixed order and without duplicates:
            `category_cap_applied:<group>`, `experimental_cap_applied`, `genetic_cap_applied`,
            `no_human_genetic_evidence`, `animal_model_only`, `genetic_points_without_publication`,
            `decimal_gap`, `not_replicated_over_time`, `replication_text_and_matrix_disagree`,
            `contradictory`, `contradictory_withholds_definitive`.
    """

    points: float
    classification: str
    flags: tuple[str, ...]


def classify(
    evidence: Iterable[EvidenceItem],
    *,
    genetic_points: float,
    publications: int,
    years_since_first: float,
    contradictory: bool = False,
    replication: Literal["text", "matrix"] = "text",
) -> SopResult:
    """Calculate the clinical validity class of a gene-disease pair.

    Args:
        evidence: Instances of experimental evidence. Each scores, so the same subtype from two
            articles adds up. An item is one of these: the name of a subtype (key, single-agent
            label, a sub-agent's term, or its place in the matrix such as
            "rescue.rescue_in_human"; capitals and punctuation do not matter); a `Subtype`; a
            tuple of an article or a category, a subtype, and optionally points; a mapping with
            `subtype` (or `type`, or a sub-agent's `evidence_subtype`) and, optionally,
            `category` (or `evidence_type`) and `points`; other fields are ignored. Biochemical
            Function, Protein Interaction and Gene Expression may be named as a whole, since
            their subtypes have equal points. Without points the default of the matrix is
            awarded.
        genetic_points: Points of human genetic evidence, 0 or more; at most 12 are counted. 0
            means that no human variant is asserted to be causal.
        publications: Independent publications with scored human genetic evidence.
        years_since_first: Years since the first of them.
        contradictory: Whether convincing contradictory evidence exists. The class is then
            Strong at most, and experts must decide on Disputed or Refuted.
        replication: The interpretation of "replicated over time": "text" (at least 2
            publications and at least 3 years) or "matrix" (more than 2 and more than 3).

    Returns:
        Points, class and flags.

    Raises:
        ConfigError: For a number that is negative or not finite, points outside the range of
            a subtype, an unknown subtype or an unknown `replication`.

    Source:
        SOP version 11, figure 9; a pair without human genetic evidence is No Known Disease
        Relationship regardless of its experimental points.
    """
    genetic = _number("genetic_points", genetic_points)
    years = float(_number("years_since_first", years_since_first))
    if isinstance(publications, bool) or not isinstance(publications, numbers.Integral):
        raise ConfigError(f"publications is {publications!r}; expected a whole number, 0 or more")
    if publications < 0:
        raise ConfigError(f"publications is {publications}; expected 0 or more")
    if not isinstance(contradictory, bool):
        raise ConfigError(f"contradictory is {contradictory!r}; expected True or False")
    if not isinstance(replication, str) or replication not in REPLICATION:
        raise ConfigError(f"unknown replication {replication!r}; choose from {list(REPLICATION)}")

    experimental, scored, flags = _experimental(evidence)
    if genetic > Fraction(GENETIC_CAP):
        flags.append("genetic_cap_applied")
        genetic = Fraction(GENETIC_CAP)
    points = float(experimental + genetic)

    if genetic == 0:
        flags.append("no_human_genetic_evidence")
        if any(key in _NON_HUMAN for key in scored):
            flags.append("animal_model_only")
        label = CLASSES[0]
    else:
        if publications == 0:
            flags.append("genetic_points_without_publication")
        label = _band(points, flags)
        if label == "Strong":
            readings = {
                name: rule.holds(int(publications), years) for name, rule in REPLICATION.items()
            }
            if not readings[replication]:
                flags.append("not_replicated_over_time")
            if not contradictory and len(set(readings.values())) > 1:
                flags.append("replication_text_and_matrix_disagree")
            if readings[replication]:
                label = "Definitive"
    if contradictory:
        flags.append("contradictory")
        if label == "Definitive":
            flags.append("contradictory_withholds_definitive")
            label = "Strong"
    return SopResult(points, label, tuple(flags))


def experimental_points(evidence: Iterable[EvidenceItem]) -> float:
    """Points of experimental evidence after the group caps and the cap of 6.

    Args:
        evidence: Instances of evidence, as in `classify`.

    Returns:
        0.0 to 6.0.

    Raises:
        ConfigError: As in `classify`.
    """
    return float(_experimental(evidence)[0])


def points_by_category(evidence: Iterable[EvidenceItem]) -> dict[str, float]:
    """Points of each category that has evidence, before any cap, in the order of the matrix.

    Args:
        evidence: Instances of evidence, as in `classify`.

    Raises:
        ConfigError: As in `classify`.
    """
    sums = dict.fromkeys(CATEGORIES, Fraction(0))
    for item in evidence:
        subtype, points = _read(item)
        sums[subtype.category] += points
    return {category: float(points) for category, points in sums.items() if points}


def _experimental(evidence: Iterable[EvidenceItem]) -> tuple[Fraction, list[str], list[str]]:
    """Capped points, the keys that scored above 0, and the flags of the caps."""
    if isinstance(evidence, (str, bytes, Mapping)) or not isinstance(evidence, Iterable):
        raise ConfigError(
            f"evidence is {evidence!r:.200}; expected a list of items, each {_EXPECTED}"
        )
    groups = dict.fromkeys(GROUP_CAPS, Fraction(0))
    scored: list[str] = []
    for item in evidence:
        subtype, points = _read(item)
        groups[CATEGORIES[subtype.category].cap_group] += points
        if points:
            scored.append(subtype.key)
    flags = []
    total = Fraction(0)
    for group, points in groups.items():
        cap = Fraction(GROUP_CAPS[group])
        if points > cap:
            flags.append(f"category_cap_applied:{group}")
        total += min(points, cap)
    if total > Fraction(EXPERIMENTAL_CAP):
        flags.append("experimental_cap_applied")
        total = Fraction(EXPERIMENTAL_CAP)
    return total, scored, flags


def _read(item: object) -> tuple[Subtype, Fraction]:
    """The subtype of an item and the points it is awarded."""
    points: object = None
    if isinstance(item, Mapping):
        points = item.get("points")
        names = [item[key] for key in _CATEGORY_FIELDS if key in item][:1]
        names += [item[key] for key in _SUBTYPE_FIELDS if key in item][:1]
    elif isinstance(item, (tuple, list)):
        names = list(item)
        if names and not isinstance(names[-1], (str, Subtype)):
            points = names.pop()
    else:
        names = [item]
    subtype = _named(names)
    if subtype is None:
        raise ConfigError(f"evidence item {item!r:.200} is not readable; expected {_EXPECTED}")
    if points is None:
        return subtype, _exact(subtype.points)
    low, high = subtype.range
    awarded = _number(f"points of {subtype.key}", points)
    if not _exact(low) <= awarded <= _exact(high):
        raise ConfigError(f"points of {subtype.key} are {points}; the range is {low:g} to {high:g}")
    return subtype, awarded


def _named(names: list[object]) -> Subtype | None:
    """The subtype named last: alone, after its categories, or after an article's id."""
    if not names or len(names) > 3:
        return None
    last = names[-1]
    if isinstance(last, Subtype):
        return last if SUBTYPES.get(last.key) == last else None
    if not isinstance(last, str):
        return None
    texts = [name for name in names if isinstance(name, str)]
    if len(names) > 1 and len(texts) == len(names):
        found = known_subtype(" ".join(texts))
        if found is not None:
            return found
        if known_subtype(texts[0]) is not None:
            raise ConfigError(f"points of {texts[0]} are {last!r:.40}; expected a number")
        return _named(names[1:])  # the first name is not a category, so it is an article
    return find_subtype(last, categories=True)


def _band(points: float, flags: list[str]) -> str:
    """The highest class whose band is reached, at most Strong: Definitive needs replication."""
    label = "Limited"
    for name in ("Moderate", "Strong"):
        if points >= BANDS[name][0]:
            label = name
    low, high = BANDS[label]
    if not low <= points <= high:
        flags.append("decimal_gap")
    return label


def _number(name: str, value: object) -> Fraction:
    """A finite number of 0 or more, exact in its decimal form."""
    if isinstance(value, bool) or not isinstance(value, (numbers.Real, Decimal)):
        raise ConfigError(f"{name} is {value!r:.50}; expected a number, 0 or more")
    try:
        size = float(value)
    except (OverflowError, ValueError):  # an integer too large for a float, or a signalling NaN
        size = math.nan
    if not math.isfinite(size) or size < 0:
        raise ConfigError(f"{name} is {value!r:.50}; expected a finite number, 0 or more")
    return _exact(size)


def _exact(value: float) -> Fraction:
    """The decimal that the number is printed as, so that tenths add up without error."""
    return Fraction(repr(float(value)))
