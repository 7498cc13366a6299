"""What a simulated patient is made from: measurements, and how conditions change them.

A condition is the clinical course of a disease of the fact tables: who has it, how it begins, what
it does to vital signs, laboratory values, examination and studies, how it goes on, and what is done
about it. Findings, look-alikes, red flags and treatment in words stay with the disease.

The numbers are those of typical patients and mark a simulation; a source is named where one states
them.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator
from typing_extensions import Self

from gym_clinic.facts.drugs import Reference
from gym_clinic.facts.epidemiology import Sex
from gym_clinic.facts.instruments import Expr, Key
from gym_clinic.facts.models import Record, Slug, Text, Texts
from gym_clinic.facts.typed_json import Strict

Pair = tuple[float, float]
Share = Annotated[float, Field(gt=0, le=1)]
Disposition = Literal[
    "home",
    "ward",
    "intensive care",
    "theatre",
    "catheter laboratory",
    "labour ward",
    "psychiatric ward",
    "outpatient referral",
]


class ReferenceRange(Strict):
    """A range of healthy people.

    Attributes:
        low: Lower limit; None where there is none.
        high: Upper limit; None where there is none.
        sex: For one sex alone.
        ages: From and to, in years, the end exclusive.
    """

    low: float | None = None
    high: float | None = None
    sex: Sex | None = None
    ages: Pair = (0, 130)


class Measurement(Record):
    """A vital sign or laboratory value.

    Attributes:
        id: Its name in conditions and expressions.
        name: Name.
        short: Name in notes and lists.
        kind: Vital sign, or laboratory value by its specimen.
        unit: Unit, by its UCUM name or that of laboratories.
        decimals: Decimals that are reported.
        possible: Least and greatest value in a living patient.
        usual: Mean and standard deviation in healthy adults; None for a computed value.
        reference: Reference ranges; the first that fits is taken.
        within: Coefficient of biological variation within a person.
        analytic: Coefficient of variation of the measurement.
        formula: A computed value, from other measurements, `age` (years) and `female`.
        minutes: From order to result.
        cost: Price in US dollars, for metrics only.
        discomfort: 0 none, 1 a needle, 2 unpleasant, 3 painful.
        panel: The order that includes it, such as "basic-metabolic-panel".
    """

    id: Key
    name: Text
    short: Text
    kind: Literal["vital", "blood", "arterial", "urine", "other"]
    unit: str
    decimals: int = Field(ge=0, le=4)
    possible: Pair
    usual: Pair | None = None
    reference: tuple[ReferenceRange, ...] = ()
    within: float = Field(default=0, ge=0, lt=1)
    analytic: float = Field(default=0, ge=0, lt=1)
    formula: Expr | None = None
    minutes: int = Field(default=0, ge=0)
    cost: float = Field(default=0, ge=0)
    discomfort: int = Field(default=0, ge=0, le=3)
    panel: Slug | None = None

    @model_validator(mode="after")
    def _is_drawn_or_computed(self) -> Self:
        if (self.usual is None) == (self.formula is None):
            raise ValueError("expected 'usual' or 'formula', and not both")
        if self.possible[0] >= self.possible[1]:
            raise ValueError("possible: the least value is below the greatest")
        return self


class Effect(Strict):
    """What a condition does to a measurement at its usual severity; exactly one is given.

    Attributes:
        add: Mean and standard deviation of what is added.
        times: Median and geometric standard deviation of a factor.
        set: Mean and standard deviation of the value that it moves to.
    """

    add: Pair | None = None
    times: Pair | None = None
    set: Pair | None = None

    @model_validator(mode="after")
    def _has_one(self) -> Self:
        if sum(one is not None for one in (self.add, self.times, self.set)) != 1:
            raise ValueError("expected one of 'add', 'times' and 'set'")
        if self.times is not None and (self.times[0] <= 0 or self.times[1] < 1):
            raise ValueError("times: a factor above 0, and a geometric deviation of at least 1")
        return self


class Complaint(Strict):
    """Why a patient comes.

    Attributes:
        finding: Name of the finding.
        weight: How often it is the complaint.
        words: How patients say it.
    """

    finding: Text
    weight: float = Field(gt=0)
    words: Texts = Field(min_length=1)


class Sign(Strict):
    """A sign on examination, or one that is looked for and not there.

    Attributes:
        site: The part of the examination.
        text: What is noted.
        share: Of patients at the usual severity who have it.
        otherwise: What is noted in the others; nothing if None.
        variant: The variant of the condition that it belongs to; None for all.
    """

    site: Literal[
        "general", "skin", "head and neck", "eyes", "ears nose throat", "heart", "chest", "abdomen",
        "rectal", "genitourinary", "pelvic", "obstetric", "back", "limbs", "joints", "neurology",
        "mental state", "breast",
    ]  # fmt: skip
    text: Text
    share: Share
    otherwise: Text | None = None
    variant: Slug | None = None


class StudyResult(Strict):
    """A result of a study.

    Attributes:
        text: The report.
        share: Of patients who have this result; the shares of a study add up to 1.
        shows: Whether it points to the condition.
        variant: The variant of the condition that it belongs to; None for all.
    """

    text: Text
    share: Share
    shows: bool = True
    variant: Slug | None = None


class Study(Strict):
    """An ECG, an image, a culture or another study.

    Attributes:
        study: Its name, such as "ecg", "chest-x-ray", "ct-head", "blood-culture".
        results: What it finds.
    """

    study: Slug
    results: tuple[StudyResult, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _shares_add_up(self) -> Self:
        if abs(sum(one.share for one in self.results) - 1) > 1e-6:
            raise ValueError(f"results of {self.study}: the shares add up to 1")
        return self


class Course(Strict):
    """How a condition goes on from when the patient comes.

    Attributes:
        onset_hours: Least and greatest time from its beginning until the patient comes.
        change_per_hour: Untreated, how severity changes, 1 being that of arrival: above 0 it
            gets worse.
        harm_after_minutes: Untreated, from when on lasting harm is done; None if not within a day.
        fatal_at: Severity at which the patient dies; None if it does not kill within days.
        treated_by: Alternatives, each a list of actions that work together: "drug:ID",
            "class:ID", "procedure:NAME", "fluids", "oxygen", "blood". Watching treats nothing.
        half_time_minutes: Treated, the time in which severity halves.
    """

    onset_hours: Pair
    change_per_hour: float
    harm_after_minutes: int | None = Field(default=None, gt=0)
    fatal_at: float | None = Field(default=None, gt=1)
    treated_by: tuple[tuple[Text, ...], ...] = ()
    half_time_minutes: int = Field(gt=0)

    @model_validator(mode="after")
    def _watching_is_no_treatment(self) -> Self:
        if any("observation" in together for together in self.treated_by):
            raise ValueError("treated_by: watching changes no course; leave 'observation' out")
        return self


class LongTermMedicine(Strict):
    """A medicine that people with the condition take.

    Attributes:
        drug: Id of the drug.
        doses: Usual doses.
        unit: Unit of a dose.
        per_day: Doses a day; below 1 for a weekly one.
        share: Of patients who take it.
    """

    drug: Slug
    doses: tuple[float, ...] = Field(min_length=1)
    unit: Literal["mg", "mcg", "g", "units", "mL", "puffs", "mmol"]
    per_day: float = Field(gt=0)
    share: Share


class Risk(Strict):
    """What makes a condition more likely, and so is more frequent in its patients.

    Attributes:
        factor: Id of a background condition, or a habit: "smoking", "alcohol", "injection-drugs",
            "obesity", "pregnancy", "immobility", "recent-surgery", "travel", "family-history".
        share: Of the patients with the condition who have it.
    """

    factor: Slug
    share: Share


class Distinction(Strict):
    """What tells a condition apart from one that looks like it.

    Attributes:
        look_alike: Id of the other disease.
        by: What differs, in words.
        test: Measurement or study that shows it; None where history or examination do.
    """

    look_alike: Slug
    by: Text
    test: Text | None = None


class Condition(Record):
    """The clinical course of a disease.

    Attributes:
        id: Id of the disease.
        settings: Where its patients are seen.
        role: Why people have it: they come with it, or live with it.
        weight: New patients in 100,000 people and a year, or ill people in 1,000 for what is lived
            with; the order of magnitude counts. Ages and sex are those of the disease.
        variants: Form of the condition, such as the wall of an infarction -> share of patients;
            signs and results of one form never meet those of another.
        complaints: Why they come; empty for what is only ever in the background.
        rates: Finding -> share of patients, where the disease's band is too coarse.
        vitals: Measurement -> effect.
        labs: Measurement -> effect.
        signs: Signs on examination.
        studies: What studies find.
        course: How it goes on.
        risks: What its patients have more often.
        medicines: What those who live with it take.
        work_up: Measurements, panels and studies that it needs.
        first_line: What is given or done first; as in `treated_by`.
        contraindicated: What must not be given; references of drugs and classes.
        triage: Emergency severity index at arrival, 1 to 5.
        disposition: Where the patient goes.
        distinctions: What tells its look-alikes apart.
    """

    id: Slug
    settings: tuple[
        Literal["emergency", "primary-care", "ward", "intensive-care", "outpatient"], ...
    ]
    role: Literal["presenting", "background", "both"]
    weight: float = Field(gt=0)
    variants: dict[Slug, Share] = {}
    complaints: tuple[Complaint, ...] = ()
    rates: dict[str, Share] = {}
    vitals: dict[Key, Effect] = {}
    labs: dict[Key, Effect] = {}
    signs: tuple[Sign, ...] = ()
    studies: tuple[Study, ...] = ()
    course: Course | None = None
    risks: tuple[Risk, ...] = ()
    medicines: tuple[LongTermMedicine, ...] = ()
    work_up: Texts = ()
    first_line: Texts = ()
    contraindicated: tuple[Reference, ...] = ()
    triage: int | None = Field(default=None, ge=1, le=5)
    disposition: Disposition | None = None
    distinctions: tuple[Distinction, ...] = ()

    @model_validator(mode="after")
    def _variants_exist(self) -> Self:
        if self.variants and abs(sum(self.variants.values()) - 1) > 1e-6:
            raise ValueError("variants: the shares add up to 1")
        named = [one.variant for one in self.signs]
        named += [result.variant for study in self.studies for result in study.results]
        if unknown := sorted({one for one in named if one is not None} - self.variants.keys()):
            raise ValueError(f"signs and studies name {unknown}, which is no variant")
        for study in self.studies:
            for variant in self.variants:
                if not any(one.variant in (None, variant) for one in study.results):
                    raise ValueError(f"results of {study.study}: none for variant {variant!r}")
        return self

    @model_validator(mode="after")
    def _comes_with_a_complaint(self) -> Self:
        presenting = (self.complaints, self.course, self.triage, self.disposition)
        if self.role == "background":
            if self.complaints or self.course is not None or self.triage is not None:
                raise ValueError("a background condition has no complaint, course or triage")
        elif not all(one is not None and one != () for one in presenting):
            raise ValueError("a presenting condition has complaints, course, triage, disposition")
        return self
