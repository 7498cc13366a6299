"""What HPO annotations state of one disease and one term -> one feature, whatever their order.

* Counts of different cohorts add up: 1/20 and 19/20 are 20/40. Rows with the same references, sex
  and number of patients describe one cohort several times (by onset or modifier, for example); the
  greatest count of them is taken. Rows without references are cohorts of their own.
* Where there are counts, percentages and bands give no number. Several percentages, whose cohorts
  have no known size, give the middle one, and of an even number the lower of the two in the middle;
  so do bands.
* A statement that the feature is present stands above one that it is absent (NOT, 0, "excluded"):
  NOT beside 3/10 is 3/10. Cohorts of which no patient has it count among the others: 0/10 and 3/10
  are 3/20.
* All references are kept: first those of the frequency, then the others, each in order.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gym_clinic.facts.records.models import BANDS, BandName, Frequency, band_of
from gym_clinic.facts.records.profiles import ProfileFeature

SOURCE = "hpoa"
"""Key of this source in the frequencies."""


class Statement(NamedTuple):
    """One row: a count, a share, a band, or none of them.

    Attributes:
        references: What it cites.
        having: Number of patients with the feature.
        patients: Number of patients counted.
        share: Share of patients, 0 to 1, of an unknown number.
        band: Qualitative class; "excluded" for NOT.
        sex: Sex in which patients were counted; empty for both.
    """

    references: tuple[str, ...]
    having: int | None = None
    patients: int | None = None
    share: float | None = None
    band: BandName | None = None
    sex: str = ""

    @property
    def absent(self) -> bool:
        """Whether it says that the feature is absent."""
        return self.having == 0 or self.share == 0 or self.band == "excluded"


def pooled(term: str, name: str, statements: Sequence[Statement]) -> ProfileFeature:
    """Return one feature for all that is stated of it.

    Args:
        term: Id of the phenotype.
        name: Its name; may be empty.
        statements: What the rows state, in any order; at least one.
    """
    present = [statement for statement in statements if not statement.absent]
    # Cohorts without the feature are part of a count, but no reason against a present one.
    counted = [statement for statement in statements if statement.having is not None]
    if any(statement.having for statement in counted) or (counted and not present):
        used, frequency = counted, _count(counted)
    else:
        used, frequency = _middle(present or statements)
    others = (statement for statement in statements if statement not in used)
    return ProfileFeature(
        id=term,
        name=name,
        frequency=frequency,
        references=tuple(dict.fromkeys((*_references(used), *_references(others)))),
    )


def _count(counted: Iterable[Statement]) -> Frequency:
    """The share of all cohorts together."""
    cohorts: dict[tuple[object, ...], tuple[int, int]] = {}
    for number, statement in enumerate(counted):
        # Without a reference nothing says that two rows describe one cohort.
        cohort = (frozenset(statement.references) or number, statement.sex, statement.patients)
        having, _ = cohorts.get(cohort, (0, 0))
        cohorts[cohort] = (max(having, statement.having or 0), statement.patients or 0)
    having, patients = map(sum, zip(*cohorts.values(), strict=True))
    value = having / patients
    return Frequency(
        value=value, band=band_of(value), basis="sourced", source=SOURCE, patients=patients
    )


def _middle(stated: Sequence[Statement]) -> tuple[list[Statement], Frequency]:
    """The middle percentage or band, and the statements that give it."""
    shares = [statement for statement in stated if statement.share is not None]
    values = [statement.share for statement in stated if statement.share is not None]
    bands = [statement for statement in stated if statement.band is not None]
    if shares:
        value = statistics.median_low(values)
        frequency = Frequency(value=value, band=band_of(value), basis="sourced", source=SOURCE)
        return [statement for statement in shares if statement.share == value], frequency
    if bands:
        order = list(BANDS)
        rarest_first = sorted(
            (statement.band for statement in bands if statement.band), key=order.index, reverse=True
        )
        band = rarest_first[(len(rarest_first) - 1) // 2]
        frequency = Frequency(band=band, basis="sourced", source=SOURCE)
        return [statement for statement in bands if statement.band == band], frequency
    return list(stated), Frequency(basis="unknown")


def _references(statements: Iterable[Statement]) -> list[str]:
    """Every reference once, in the order of their names and numbers."""
    every = {name for statement in statements for name in statement.references}
    return sorted(every, key=lambda name: [part.zfill(12) for part in re.split(r"(\d+)", name)])
