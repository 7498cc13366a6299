"""How a condition comes about and goes on, and what those who live with it take."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator
from typing_extensions import Self

from gym_clinic.facts.records.examination import Phrase, Share
from gym_clinic.facts.records.models import Slug, Text
from gym_clinic.facts.typed_json import Strict
from gym_clinic.facts.units import DoseRoute, DoseUnit

Pair = tuple[float, float]


class Course(Strict):
    """How a condition goes on from when the patient comes.

    Attributes:
        onset_hours: Least and greatest time from its beginning until the patient comes.
        change_per_hour: Untreated, how severity changes at first, 1 being that of arrival: above 0
            it gets worse.
        shape: How it changes: by the same amount every hour, ever faster (by the same factor every
            hour), or ever slower towards `plateau`.
        plateau: The severity that a course with the shape "saturating" comes near, 1 being that of
            arrival; below 1 for one that gets better.
        harm_after_minutes: Untreated, from when on lasting harm is done; None if not within a day.
        fatal_at: Severity at which the patient dies; None if it does not kill within days.
        treated_by: Alternatives, each a list of actions that work together: "drug:ID",
            "class:ID", "procedure:NAME", "fluids", "oxygen", "blood". Watching treats nothing.
        routes: Drug among them, as "drug:ID" -> the routes by which alone it treats this.
        half_time_minutes: Treated, the time in which severity halves.
    """

    onset_hours: Pair
    change_per_hour: float
    shape: Literal["linear", "accelerating", "saturating"] = "linear"
    plateau: float | None = Field(default=None, ge=0)
    harm_after_minutes: int | None = Field(default=None, gt=0)
    fatal_at: float | None = Field(default=None, gt=1)
    treated_by: tuple[tuple[Text, ...], ...] = ()
    routes: dict[Text, tuple[DoseRoute, ...]] = {}
    half_time_minutes: int = Field(gt=0)

    @model_validator(mode="after")
    def _watching_is_no_treatment(self) -> Self:
        if any("observation" in together for together in self.treated_by):
            raise ValueError("treated_by: watching changes no course; leave 'observation' out")
        return self

    @model_validator(mode="after")
    def _routes_are_of_what_treats(self) -> Self:
        treats = {one for together in self.treated_by for one in together}
        if unknown := sorted(self.routes.keys() - treats):
            raise ValueError(f"routes: {unknown} treats nothing")
        return self

    @model_validator(mode="after")
    def _saturates_somewhere(self) -> Self:
        if (self.shape == "saturating") != (self.plateau is not None):
            raise ValueError("'plateau' goes with the shape 'saturating', and with no other")
        if self.plateau is not None and (self.plateau - 1) * self.change_per_hour <= 0:
            raise ValueError("plateau: above 1 for what gets worse, below 1 for what gets better")
        return self


class LongTermMedicine(Strict):
    """A medicine that people with the condition take.

    Attributes:
        drug: Id of the drug.
        doses: Usual doses.
        unit: Unit of a dose.
        per_day: Doses a day; below 1 for a weekly one.
        share: Of patients who take it.
        children_from: Age in years from which on children take it, by weight; None for adults
            alone.
        until: Age in years from which on nobody takes it any more; None for no such age.
    """

    drug: Slug
    doses: tuple[float, ...] = Field(min_length=1)
    unit: DoseUnit | Literal["tablets"]
    per_day: float = Field(gt=0)
    share: Share
    children_from: float | None = Field(default=None, gt=0)
    until: float | None = Field(default=None, gt=0)


class Risk(Strict):
    """What makes a condition more likely, and so is more frequent in its patients.

    Attributes:
        factor: Id of a background condition, or a habit: "smoking", "alcohol", "injection-drugs",
            "obesity", "pregnancy", "immobility", "recent-surgery", "travel", "family-history".
        share: Of the patients with the condition who have it.
    """

    factor: Slug
    share: Share


class Cause(Strict):
    """What has brought a condition about in some of its patients; at most one of the causes.

    Attributes:
        kind: A medicine, an exposure or a procedure.
        what: A medicine by the id of the drug or the reference of its class ("class:opioid"); an
            exposure or a procedure in words, which may be a phrase with alternatives.
        days_ago: From and to, in days before the illness began: when it ended or took place or,
            for a medicine that is still taken, when it was begun.
        share: Of the patients who have it, or its weight among the causes that fit the age.
        ages: Years of age of whom it happens to, from and to.
        ended: Whether a medicine is no longer taken.
        taken_for: What a medicine is or was taken for: the id of a condition that the patient
            lives with, or words.
        together_with: Further medicines that are taken still and without which it would not have
            happened: ids of drugs, or references of classes.
        regimens: How medicines that are still taken are taken, where no condition says.
    """

    kind: Literal["medicine", "exposure", "procedure"]
    what: Phrase
    days_ago: Pair
    share: Share
    ages: Pair = (0, 130)
    ended: bool = False
    taken_for: Phrase | None = None
    together_with: tuple[Text, ...] = ()
    regimens: tuple[LongTermMedicine, ...] = ()

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if not 0 <= self.days_ago[0] <= self.days_ago[1]:
            raise ValueError("days_ago: from and to, 0 or more")
        if (self.kind == "medicine") != (self.taken_for is not None):
            raise ValueError("'taken_for' goes with a medicine, and with nothing else")
        if self.kind != "medicine" and (self.ended or self.together_with):
            raise ValueError("'ended' and 'together_with' are of medicines")
        return self

    @property
    def still_taken(self) -> tuple[str, ...]:
        """The medicines that the patient takes on arrival."""
        first = (self.what,) if self.kind == "medicine" and not self.ended else ()
        return (*first, *self.together_with)
