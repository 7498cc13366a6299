"""What a simulated patient is made from: measurements, and how conditions change them.

A condition is the clinical course of a disease of the fact tables: who has it, how it begins, what
it does to vital signs, laboratory values, examination and studies, how it goes on, and what is done
about it. Findings, look-alikes, red flags and treatment in words stay with the disease.

The numbers are those of typical patients and mark a simulation; a source is named where one states
them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator
from typing_extensions import Self

from gym_clinic.facts.records.courses import Cause, Course, LongTermMedicine, Pair, Risk
from gym_clinic.facts.records.drugs import Reference
from gym_clinic.facts.records.epidemiology import Sex
from gym_clinic.facts.records.examination import (
    Complaint,
    Share,
    Sign,
    Study,
    StudyResult,
    values_of,
)
from gym_clinic.facts.records.instruments import Expr, Key
from gym_clinic.facts.records.models import Record, Slug, Text, Texts
from gym_clinic.facts.typed_json import Strict

Rate = Annotated[float, Field(ge=0, le=1)]
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


PATIENT_VALUES = ("age", "female", "weeks", "anticoagulated", "hours", "severity")
"""What `needed_when` and `wrong_when` may name besides measurements and their limits."""


class ReferenceRange(Strict):
    """A range of healthy people.

    Attributes:
        low: Lower limit; None where there is none.
        high: Upper limit; None where there is none.
        sex: For one sex alone.
        ages: From and to, in years, the end exclusive.
        weeks: Only in these weeks of a pregnancy, from and to, the end exclusive.
    """

    low: float | None = None
    high: float | None = None
    sex: Sex | None = None
    ages: Pair = (0, 130)
    weeks: Pair | None = None


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
        by_decade: An age, and the factor by which the usual value of healthy people is greater
            with every ten years from then on; None where age does not count.
        from_age: Age in years from which on it can be measured.
        reference: Reference ranges; the first that fits is taken.
        within: Coefficient of biological variation within a person.
        analytic: Coefficient of variation of the measurement.
        pace_hours: Hours in which it follows a change of the illness; 0 for at once.
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
    by_decade: Pair | None = None
    from_age: float = Field(default=0, ge=0)
    reference: tuple[ReferenceRange, ...] = ()
    within: float = Field(default=0, ge=0, lt=1)
    analytic: float = Field(default=0, ge=0, lt=1)
    pace_hours: float = Field(default=0, ge=0)
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


class Distinction(Strict):
    """What tells a condition apart from one that looks like it.

    Attributes:
        look_alike: Id of the other disease.
        by: What speaks for the other disease, in words.
        test: Measurement or study that shows it; None where history or examination do.
    """

    look_alike: Slug
    by: Text
    test: Text | None = None


class Variant(Strict):
    """A form of a condition; what it gives goes before what the condition gives.

    In JSON a plain number is a form of that share which gives nothing of its own.

    Attributes:
        share: Of the patients who have this form.
        rates: Finding -> share of the patients with this form; 0 where it does not occur.
        vitals: Measurement -> effect.
        labs: Measurement -> effect.
        treated_by: As in `Course`; that of the condition if empty.
        first_line: As in `Condition`; that of the condition if empty.
    """

    share: Share
    rates: dict[str, Rate] = {}
    vitals: dict[Key, Effect] = {}
    labs: dict[Key, Effect] = {}
    treated_by: tuple[tuple[Text, ...], ...] = ()
    first_line: Texts = ()


def _with_share(value: object) -> object:
    return {"share": value} if isinstance(value, (int, float)) else _with_tuples(value)


def _with_tuples(value: object) -> object:
    """A value of JSON with tuples for its lists, which strict models ask for."""
    if isinstance(value, dict):
        return {key: _with_tuples(one) for key, one in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value


class Condition(Record):
    """The clinical course of a disease.

    Attributes:
        id: Id of the disease.
        settings: Where its patients are seen.
        role: Why people have it: they come with it, or live with it.
        weight: Patients who come with it, in 100,000 people and a year; None for what is only
            lived with. The order of magnitude counts; ages and sex are those of the disease.
        prevalence: People who live with it, in 1,000; None for what people only come with.
        drawn: Whether simulated patients live with it by chance; else only where a task says so.
        months: Months in which people come with it, in the north; all if empty.
        hours: Hours of the day from which and before which they come with it.
        lived_with_before: Share of those who come with an attack of it who have lived with it, and
            taken its medicines; None where those who come with it have not had it before.
        arrives_when: What makes the diagnosis, as an expression on the state on arrival, `age`
            and `build` (body mass index as a share of the usual one): whoever comes with it is ill
            enough for it.
        variants: Form of the condition, such as the wall of an infarction; signs and results of
            one form never meet those of another.
        complaints: Why they come; empty for what is only ever in the background.
        rates: Finding -> share of patients, where the disease's band is too coarse.
        from_day: Finding that comes late -> the day of the illness from which on it may be there.
        vitals: Measurement -> effect.
        labs: Measurement -> effect.
        by_hours: Measurement -> the share of its effect that is there `hours` after the illness
            began, as an expression; it replaces the way in which severity grows before arrival.
        signs: Signs on examination.
        studies: What studies find.
        course: How it goes on.
        causes: What has brought it about.
        risks: What its patients have more often.
        medicines: What those who live with it take.
        work_up: Measurements, panels and studies that it needs.
        first_line: What is given or done first; as in `treated_by`.
        needed_when: Action of treatment or first line -> the condition on the patient under which
            it is needed, such as "spo2 < 94" for oxygen; otherwise it is left out. It names
            measurements and their limits, `age`, `female`, `weeks` of a pregnancy (0 for none),
            `anticoagulated`, `hours` since the illness began, and `severity` on arrival.
        wrong_when: Action -> the condition under which it must not be done and does no good, such
            as "hours > 4.5" for a thrombolytic.
        contraindicated: What must not be given; references of drugs and classes.
        allowed_beside: What of that its patients may all the same be given for something else.
        triage: Emergency severity index at arrival, 1 to 5.
        disposition: Where the patient goes.
        distinctions: What tells its look-alikes apart.
    """

    id: Slug
    settings: tuple[
        Literal["emergency", "primary-care", "ward", "intensive-care", "outpatient"], ...
    ]
    role: Literal["presenting", "background", "both"]
    weight: float | None = Field(default=None, gt=0)
    prevalence: float | None = Field(default=None, gt=0, lt=1000)
    lived_with_before: Share | None = None
    arrives_when: Expr | None = None
    drawn: bool = True
    months: tuple[Annotated[int, Field(ge=1, le=12)], ...] = ()
    hours: tuple[Annotated[int, Field(ge=0, le=23)], Annotated[int, Field(ge=1, le=24)]] = (0, 24)
    variants: dict[Slug, Annotated[Variant, BeforeValidator(_with_share)]] = {}
    complaints: tuple[Complaint, ...] = ()
    rates: dict[str, Rate] = {}
    from_day: dict[str, Annotated[float, Field(gt=0)]] = {}
    vitals: dict[Key, Effect] = {}
    labs: dict[Key, Effect] = {}
    by_hours: dict[Key, Expr] = {}
    signs: tuple[Sign, ...] = ()
    studies: tuple[Study, ...] = ()
    course: Course | None = None
    causes: tuple[Cause, ...] = ()
    risks: tuple[Risk, ...] = ()
    medicines: tuple[LongTermMedicine, ...] = ()
    work_up: Texts = ()
    first_line: Texts = ()
    needed_when: dict[Text, Expr] = {}
    wrong_when: dict[Text, Expr] = {}
    contraindicated: tuple[Reference, ...] = ()
    allowed_beside: tuple[Reference, ...] = ()
    triage: int | None = Field(default=None, ge=1, le=5)
    disposition: Disposition | None = None
    distinctions: tuple[Distinction, ...] = ()

    @model_validator(mode="after")
    def _variants_exist(self) -> Self:
        if self.variants and abs(sum(one.share for one in self.variants.values()) - 1) > 1e-6:
            raise ValueError("variants: the shares add up to 1")
        named = [one.variant for one in self.signs]
        named += [result.variant for study in self.studies for result in study.results]
        if unknown := sorted({one for one in named if one is not None} - self.variants.keys()):
            raise ValueError(f"signs and studies name {unknown}, which is no variant")
        for study in self.studies:
            study.check_complete(self.variants)
        return self

    @model_validator(mode="after")
    def _says_when_of_what_is_done(self) -> Self:
        done = {one for form in self.forms() for one in form.first_line}
        for form in self.forms():
            lists = form.course.treated_by if form.course is not None else ()
            done |= {one for together in lists for one in together}
        if unknown := sorted({*self.needed_when, *self.wrong_when} - done):
            raise ValueError(f"'needed_when' and 'wrong_when' name {unknown}, which nothing does")
        if unknown := sorted(self.by_hours.keys() - {*self.vitals, *self.labs}):
            raise ValueError(f"by_hours: {unknown} has no effect")
        if any(values_of(one) != {"hours"} for one in self.by_hours.values()):
            raise ValueError("by_hours: an expression of `hours` alone")
        if unknown := sorted({*self.allowed_beside} - {*self.contraindicated}):
            raise ValueError(f"allowed_beside: {unknown} is not contraindicated")
        return self

    @model_validator(mode="after")
    def _is_counted_where_it_occurs(self) -> Self:
        if (self.weight is None) != (self.role == "background"):
            raise ValueError("'weight' counts those who come with it, and is given for all of them")
        if (self.prevalence is None) != (self.role == "presenting"):
            raise ValueError(
                "'prevalence' counts those who live with it, and is given where any do"
            )
        if self.lived_with_before is not None and self.role != "both":
            raise ValueError("'lived_with_before' goes with the role 'both'")
        if sum(one.share for one in self.causes) > 1 + 1e-6:
            raise ValueError("causes: at most one is drawn; their shares add up to 1 at most")
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

    def named(self) -> Iterator[tuple[str, str, str]]:
        """Yield what it names of other tables: the field, the kind of record, and the name.

        The kinds are "finding", "measurement", "value" (what `when` may name), "disease",
        "drug", "drug or class" and "drug with a regimen".
        """
        yield "id", "disease", self.id
        yield from (("complaints", "finding", one.finding) for one in self.complaints)
        yield from (("from_day", "finding", key) for key in self.from_day)
        yield from (("by_hours", "measurement", key) for key in self.by_hours)
        forms: tuple[Condition | Variant, ...] = (self, *self.variants.values())
        for form in forms:
            field = "variants." * isinstance(form, Variant)
            yield from ((f"{field}rates", "finding", key) for key in form.rates)
            yield from ((f"{field}vitals", "measurement", key) for key in form.vitals)
            yield from ((f"{field}labs", "measurement", key) for key in form.labs)
        results = [result for study in self.studies for result in study.results]
        everything: tuple[Sign | StudyResult, ...] = (*self.signs, *results)
        for shown in everything:
            unless = shown.unless if isinstance(shown, StudyResult) else None
            for finding in (shown.goes_with, unless):
                yield from (("goes_with", "finding", finding),) if finding else ()
            yield from (("when", "value", key) for key in sorted(values_of(shown.when)))
        yield from (("medicines", "drug", one.drug) for one in self.regimens())
        for cause in self.causes:
            if cause.kind == "medicine":
                yield "causes", "drug or class", cause.what
            yield from (("causes", "drug with a regimen", one) for one in cause.still_taken)
        yield from (("contraindicated", "drug or class", one) for one in self.contraindicated)
        yield from (
            ("arrives_when", "value on arrival", key)
            for key in sorted(values_of(self.arrives_when))
        )
        for action, when in (*self.needed_when.items(), *self.wrong_when.items()):
            yield from ((action, "value of a patient", one) for one in sorted(values_of(when)))
        yield from (("distinctions", "disease", one.look_alike) for one in self.distinctions)

    def regimens(self) -> Iterator[LongTermMedicine]:
        """Yield how medicines are taken by those who live with it or have it by a cause."""
        yield from self.medicines
        yield from (one for cause in self.causes for one in cause.regimens)

    def forms(self) -> Iterator[Condition]:
        """Yield the condition as it is in general, then in each of its forms."""
        yield self
        yield from (self.form(one) for one in self.variants)

    def form(self, variant: str | None) -> Condition:
        """Return the condition as it is in one of its forms; itself for None."""
        if variant is None:
            return self
        one, course = self.variants[variant], self.course
        if course is not None and one.treated_by:
            course = course.model_copy(update={"treated_by": one.treated_by})
        return self.model_copy(
            update={
                "rates": {**self.rates, **one.rates},
                "vitals": {**self.vitals, **one.vitals},
                "labs": {**self.labs, **one.labs},
                "first_line": one.first_line or self.first_line,
                "course": course,
            }
        )
