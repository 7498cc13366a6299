"""What distinguishes two diseases that are mistaken for each other, and what they share.

A finding distinguishes them if one has it and the other has neither it nor a more general or more
special one. A finding that names a disease, or is more general or more special than one that
does, never speaks against that disease: osteoporosis is no sign against osteoporosis, and neither
is a reduced bone mineral density.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gym_clinic.facts.hierarchy import descendants, most_specific, with_ancestors
from gym_clinic.facts.records.models import Disease
from gym_clinic.facts.restating import restates_diagnosis
from gym_clinic.facts.tables import Facts


@dataclass(frozen=True)
class Comparison:
    """The findings of two diseases by what they tell, as ids.

    Attributes:
        shared: What both have, as special as both have it.
        for_one: What speaks for the first and against the second.
        for_other: What speaks for the second and against the first.
        alike: Whether anything connects them: a shared finding, or one that names the other.
    """

    shared: frozenset[str]
    for_one: frozenset[str]
    for_other: frozenset[str]
    alike: bool


@dataclass(frozen=True)
class Comparing:
    """Compares diseases by the hierarchy of their findings.

    Attributes:
        facts: The fact tables.
        above: Ancestors of each finding.
        below: Descendants of each finding.
    """

    facts: Facts
    above: Mapping[str, frozenset[str]]
    below: Mapping[str, frozenset[str]]
    _named: dict[tuple[str, str], bool] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, facts: Facts) -> Comparing:
        """Return what compares the diseases of fact tables."""
        return cls(facts, facts.above, descendants(facts.above))

    def compare(self, one: Disease, other: Disease) -> Comparison:
        """Compare two diseases."""
        mine, theirs = self.present(one), self.present(other)
        all_mine, all_theirs = (with_ancestors(has, self.above) for has in (mine, theirs))
        shared = most_specific((mine & all_theirs) | (theirs & all_mine), self.above)
        for_one = {key for key in mine if self.speaks_against(key, other)}
        for_other = {key for key in theirs if self.speaks_against(key, one)}
        alike = bool(shared) or any(
            self.names(key, disease)
            for has, disease in ((mine, other), (theirs, one))
            for key in has
        )
        return Comparison(frozenset(shared), frozenset(for_one), frozenset(for_other), alike)

    def present(self, disease: Disease) -> set[str]:
        """Return the ids of the findings that a disease has."""
        return {has.phenotype for has in disease.phenotypes if not has.frequency.absent}

    def speaks_against(self, key: str, disease: Disease) -> bool:
        """Whether a finding of another disease speaks against a disease."""
        kin = {key} | self.above[key] | self.below[key]
        return not kin & self.present(disease) and not self.names(key, disease)

    def names(self, key: str, disease: Disease) -> bool:
        """Whether a finding, or one above or below it, names a disease."""
        place = (key, disease.id)
        if place not in self._named:
            kin = {key} | self.above[key] | self.below[key]
            self._named[place] = any(
                restates_diagnosis(disease, self.facts.phenotypes[one]) for one in kin
            )
        return self._named[place]
