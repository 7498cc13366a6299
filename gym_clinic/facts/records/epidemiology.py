"""Who has a disease: at which ages, of which sex, in pregnancy or after it, and how often.

These are the bands of the age at which patients come with the disease, the share of females among
them, and the order of magnitude of their number. They suffice to simulate plausible patients; they
are no estimates of incidence.
"""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

from pydantic import Field, model_validator
from typing_extensions import Self

from gym_clinic.facts.typed_json import Strict

Sex = Literal["female", "male"]
Pregnancy = Literal["pregnant", "postpartum"]
IncidenceName = Literal["very_common", "common", "uncommon", "rare", "very_rare"]

INCIDENCE: dict[IncidenceName, tuple[float, float]] = {
    "very_common": (1_000, 100_000),
    "common": (100, 1_000),
    "uncommon": (10, 100),
    "rare": (1, 10),
    "very_rare": (0, 1),
}
"""Class -> patients who come with it, of 100,000 people in a year, from and to."""

OLDEST = 120.0
"""Greatest age, in years."""

Years = Annotated[float, Field(ge=0, le=OLDEST)]


class Person(NamedTuple):
    """What the epidemiology depends on.

    Attributes:
        age: In years.
        sex: "female" or "male".
        pregnancy: "pregnant", "postpartum" (in the first year after a birth), or None.
    """

    age: float
    sex: Sex
    pregnancy: Pregnancy | None = None


class AgeBand(NamedTuple):
    """Ages with equal weight within; an array of three numbers in JSON.

    Attributes:
        low: From this age on, in years.
        high: Below this age, in years.
        weight: Share of the patients, relative to the other bands.
    """

    low: Years
    high: Years
    weight: Annotated[float, Field(gt=0)]


class Epidemiology(Strict):
    """Who has a disease.

    Attributes:
        ages: Age at which patients come with it.
        female: Share of females among them, 0 to 1.
        incidence: How many patients come with it, a class of :data:`INCIDENCE`.
        pregnancy: Whether all of them are pregnant, or have given birth in the last year.
        basis: The judgement of the table's authors, or a source.
        source: Key of the source, where there is one.
    """

    ages: tuple[AgeBand, ...] = Field(min_length=1)
    female: float = Field(ge=0, le=1)
    incidence: IncidenceName
    pregnancy: Pregnancy | None = None
    basis: Literal["sourced", "authored"] = "authored"
    source: str | None = None

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        for one, following in zip(self.ages, (*self.ages[1:], None), strict=True):
            if one.low >= one.high or (following and following.low < one.high):
                raise ValueError(f"ages {list(one)}: bands ascend, and no two overlap")
        if self.pregnancy and self.female < 1:
            raise ValueError("pregnancy goes with female 1")
        if (self.basis == "sourced") != (self.source is not None):
            raise ValueError("a sourced epidemiology has a source, an authored one has none")
        return self

    def admits(self, person: Person) -> bool:
        """Whether a person may have the disease."""
        return (
            (self.female > 0 if person.sex == "female" else self.female < 1)
            and self.pregnancy in (None, person.pregnancy)
            and any(one.low <= person.age < one.high for one in self.ages)
        )


class Only(Strict):
    """Who alone can have a finding.

    Attributes:
        sex: People of this sex; None for both.
        low: People from this age on, in years.
        high: People below this age, in years.
        pregnancy: Only in pregnancy, or in the year after a birth; None for neither.
    """

    sex: Sex | None = None
    low: Years = 0.0
    high: Years = OLDEST
    pregnancy: Pregnancy | None = None

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.low >= self.high:
            raise ValueError(f"low {self.low} is not below high {self.high}")
        if self.pregnancy and self.sex != "female":
            raise ValueError("pregnancy goes with sex 'female'")
        return self

    def admits(self, person: Person) -> bool:
        """Whether a person can have the finding."""
        return (
            self.sex in (None, person.sex)
            and self.low <= person.age < self.high
            and self.pregnancy in (None, person.pregnancy)
        )
