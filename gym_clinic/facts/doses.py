"""Usual doses of drugs by route, and what a dose of another unit is of them.

A route that a drug has no usual dose for does not work: insulin by mouth, an antibiotic that is
inhaled. The doses are those of usual practice; authored for simulations, not for patient care.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator
from typing_extensions import Self

from gym_clinic.errors import TaskError
from gym_clinic.facts.records.models import Record, Slug
from gym_clinic.facts.tables import Facts, load, read_table
from gym_clinic.facts.typed_json import Strict
from gym_clinic.facts.units import DoseRoute, DoseUnit
from gym_clinic.names import suggest

DOSES = "doses.json"
"""The file of the usual doses."""

Amount = Annotated[float, Field(gt=0)]

MILLIGRAMS: Mapping[str, float] = {"mcg": 0.001, "mg": 1.0, "g": 1000.0}

SAME_AS: Mapping[str, str] = {"io": "iv", "sl": "sublingual", "pr": "rectal"}
"""Route -> the route with the same usual doses."""

ADULT, ADULT_KG = 18.0, 70.0
"""Age in years and weight from which on doses are those of adults."""


STEPS = ((100.0, 25.0), (20.0, 5.0), (10.0, 2.5), (1.0, 0.5), (0.2, 0.05), (0.02, 0.01))
"""From what amount on -> the step in which children are given it: parts of tablets, marks of a
syringe."""


def dose_to_give(dose: float, unit: str, age: float) -> float:
    """Return a dose that can be given; that of a child is the nearest that can be measured.

    >>> dose_to_give(7.8, "mg", 6), dose_to_give(0.117, "mg", 3), dose_to_give(6.25, "mg", 40)
    (8.0, 0.12, 6.25)
    """
    scale = 1000.0 if unit == "g" else 1.0
    amount = dose * scale
    step = next((by for least, by in STEPS if amount >= least and age < ADULT), None)
    return float(f"{(amount if step is None else step * round(amount / step)) / scale:.3g}")


class UsualDose(Strict):
    """One dose by one route.

    Attributes:
        usual: Least and greatest single dose of an adult.
        unit: Their unit.
        per_day: How many are given a day; 1 for what is given once, below 1 for less often.
        per_kg: Least and greatest dose of a child for each kg, up to that of an adult; None to
            take that of an adult by weight.
        local: Whether it acts only where it is put, such as vancomycin in the gut.
    """

    usual: tuple[Amount, Amount]
    unit: DoseUnit
    per_day: Amount
    per_kg: tuple[Amount, Amount] | None = None
    local: bool = False

    @model_validator(mode="after")
    def _ascends(self) -> Self:
        for pair in (self.usual, self.per_kg):
            if pair is not None and pair[0] > pair[1]:
                raise ValueError(f"{list(pair)}: expected the least dose, then the greatest")
        return self

    def of_patient(self, age: float, weight_kg: float) -> tuple[float, float]:
        """Return the least and the greatest single dose of a patient, in `unit`.

        Args:
            age: In years.
            weight_kg: Weight.
        """
        low, high = self.usual
        if age >= ADULT:
            return low, high
        if self.per_kg is not None:
            return min(self.per_kg[0] * weight_kg, low), min(self.per_kg[1] * weight_kg, high)
        share = min(weight_kg / ADULT_KG, 1.0)
        return share * low, share * high


class DrugDoses(Record):
    """The usual doses of a drug.

    Attributes:
        drug: Id of the drug.
        routes: Route by which it works -> its usual dose.
        equals: Unit -> how much of the usual unit one of it is, as it is usually made up.
    """

    drug: Slug
    routes: dict[DoseRoute, UsualDose] = Field(min_length=1)
    equals: dict[DoseUnit, Amount] = {}

    @property
    def id(self) -> str:
        """Id of the drug."""
        return self.drug

    def by_route(self, route: str) -> UsualDose | None:
        """Return the usual dose by a route; None if the drug does not work by it."""
        found = {str(key): one for key, one in self.routes.items()}
        return found.get(SAME_AS.get(route, route))

    def in_usual_unit(self, dose: float, unit: str, usual: UsualDose) -> float | None:
        """Return a dose in the unit of the usual one; None if the units cannot be compared."""
        if unit == usual.unit:
            return dose
        if unit in MILLIGRAMS and usual.unit in MILLIGRAMS:
            return dose * MILLIGRAMS[unit] / MILLIGRAMS[usual.unit]
        worth = next((one for key, one in self.equals.items() if key == unit), None)
        return None if worth is None else dose * worth

    def units(self, usual: UsualDose) -> tuple[str, ...]:
        """Return the units in which a dose can be given."""
        mass = tuple(MILLIGRAMS) if usual.unit in MILLIGRAMS else (usual.unit,)
        return tuple(dict.fromkeys((*mass, *self.equals)))


def usual_doses(facts: Facts) -> Mapping[str, DrugDoses]:
    """Return drug -> its usual doses; drugs that no treatment names may lack them.

    Raises:
        TaskError: If the table names a drug that does not exist, or one twice.
    """
    return _usual_doses(facts.folder)


@lru_cache(maxsize=4)
def _usual_doses(folder: Path) -> Mapping[str, DrugDoses]:
    file, drugs = folder / DOSES, load(folder).drugs
    found: dict[str, DrugDoses] = {}
    for place, one in read_table(file, DrugDoses) if file.exists() else ():
        if one.drug not in drugs:
            raise TaskError(f"{place}: unknown drug {one.drug!r}; {suggest(one.drug, drugs)}")
        if one.drug in found:
            raise TaskError(f"{place}: duplicate of {one.drug!r}")
        found[one.drug] = one
    return found
