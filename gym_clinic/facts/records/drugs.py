"""The records of drugs: what each is for, its limits, its metabolism, and what it must not meet.

A reference is the id of a drug, or that of a class after ``class:``. Severities are this project's
own. `verified_against` names stored sources that agree; it is None where none was found, and where
it says "lower grade" the source rates the pair lower.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field, model_validator
from typing_extensions import Self

from gym_clinic.facts.records.models import Record, Slug, Slugs, Text, Texts
from gym_clinic.facts.typed_json import Strict

CLASS = "class:"
"""Before the id of a class in a reference."""

RULES_ONLY = ("drug-table",)
"""Sources of a class that is there for its rules, and that nobody searches by its name."""

Reference = Annotated[str, Field(pattern=r"^(class:)?[a-z0-9]+(-[a-z0-9]+)*$")]
Allergen = Annotated[str, Field(pattern=r"^((class|other):)?[a-z0-9]+(-[a-z0-9]+)*$")]
Enzyme = Annotated[str, Field(pattern=r"^([1-4][A-Z][0-9]{1,2}|P-gp|OATP[0-9][A-Z][0-9])$")]
Severity = Literal["contraindicated", "major", "moderate"]


class EnzymeEffect(Strict):
    """An effect on an enzyme.

    Attributes:
        enzyme: Its name without "CYP", or that of a transporter (P-gp, OATP1B1).
        strength: How strong it is, where that is known; "gut" is an effect on absorption alone.
    """

    enzyme: Enzyme
    strength: Literal["strong", "moderate", "weak", "gut"] | None = None


class Metabolism(Strict):
    """What a drug has to do with the enzymes of the family CYP450, and with transporters.

    Attributes:
        substrate_of: Enzymes that break it down or activate it.
        prodrug: Whether they activate it, so that an inhibitor takes its effect.
        inhibits: Enzymes that it inhibits.
        induces: Enzymes that it induces.
    """

    substrate_of: tuple[Enzyme, ...] = ()
    prodrug: bool = False
    inhibits: tuple[EnzymeEffect, ...] = ()
    induces: tuple[EnzymeEffect, ...] = ()


class Pregnancy(Strict):
    """Whether a drug may be given in pregnancy.

    Attributes:
        level: From acceptable to contraindicated.
        reason: Why.
        except_conditions: Conditions of the patient under which the level does not hold.
        except_indications: Indications for which it does not hold.
    """

    level: Literal["contraindicated", "avoid", "caution", "acceptable"]
    reason: Text
    except_conditions: Slugs = ()
    except_indications: Slugs = ()


class RenalRule(Strict):
    """What to do with a drug when the kidneys fail.

    Attributes:
        measure: The measure that is compared, in mL/min (eGFR per 1.73 m2).
        below: It holds below this value.
        at_most: It holds up to this value, inclusive.
        at_least: It holds from this value.
        above: It holds above this value.
        when: The condition in words, where it is not a range of the measure.
        action: What to do.
        only_indications: Indications for which alone it holds; all where empty.
        route: The route for which alone it holds; all where None.
        most: Greatest daily dose that it leaves, in mg; None where it names none.
        verified_against: Stored sources that agree.
    """

    measure: Literal["eGFR", "CrCl"] | None = None
    below: float | None = None
    at_most: float | None = None
    at_least: float | None = None
    above: float | None = None
    when: Text | None = None
    action: Text
    only_indications: Slugs = ()
    route: Literal["iv"] | None = None
    most: float | None = Field(default=None, gt=0)
    verified_against: Text | None = None

    @model_validator(mode="after")
    def _has_a_condition(self) -> Self:
        limits = (self.below, self.at_most, self.at_least, self.above)
        if (self.measure is None) == (self.when is None):
            raise ValueError("expected a measure with limits, or a condition in words")
        if (self.measure is None) != all(limit is None for limit in limits):
            raise ValueError("a measure has limits, and limits have a measure")
        return self

    def holds_at(self, value: float) -> bool:
        """Return whether it holds at a value of its measure; not where it has none."""
        return self.measure is not None and (
            (self.below is None or value < self.below)
            and (self.at_most is None or value <= self.at_most)
            and (self.at_least is None or value >= self.at_least)
            and (self.above is None or value > self.above)
        )


class OlderAdultRule(Strict):
    """What holds from 65 years, in the manner of the Beers criteria.

    Attributes:
        rule: The rule in words.
        caution: Whether it calls for caution only, and never counts as "avoid".
        only_indications: Indications for which alone it counts; all where empty.
        form: The form of the drug, or the way of giving it, that it is about.
    """

    rule: Text
    caution: bool = False
    only_indications: Slugs = ()
    form: Text | None = None


class DoseLimit(Strict):
    """The greatest daily dose of an adult.

    Attributes:
        maximum: Amount in 24 hours, or in a week where the unit says so.
        unit: Its unit; amounts in another are converted before they are compared.
        form: The form or salt that it is about, one of the drug's synonyms; None for all others.
        by_route: Amounts that replace the maximum for a route: iv, im, sc, nasal.
        intermittent: Amount that replaces it where the drug is given three times a week or less.
        note: Its conditions in words.
        verified_against: Stored sources that agree.
    """

    maximum: float = Field(gt=0)
    unit: Literal["mg", "mcg", "g", "mg/week"]
    form: Text | None = None
    by_route: dict[Literal["iv", "im", "sc", "nasal"], float] = Field(default_factory=dict)
    intermittent: float | None = Field(default=None, gt=0)
    note: Text | None = None
    verified_against: Text | None = None


class Drug(Record):
    """A drug.

    Attributes:
        id: Slug.
        name: International nonproprietary name.
        synonyms: Other names, salts and forms.
        summary: One or two sentences; None for a drug that is known by its limits alone.
        classes: Ids of the classes that it belongs to.
        uses: What it is given for: ids of diseases, or text.
        cautions: When not to give it, or with care.
        max_daily_doses: Greatest daily doses of an adult.
        doses_by_indication: Greatest daily doses for an indication, in the unit of the first
            limit, where they are lower.
        renal: What to do when the kidneys fail, as one published table has it.
        renal_doses: The same in full, by indication and with the greatest dose that is left; these
            rules hold where they are given.
        pregnancy: Whether it may be given in pregnancy.
        older_adults: What holds from 65 years.
        metabolism: What it has to do with CYP450, empty where nothing; None where nobody looked.
    """

    id: Slug
    name: Text
    synonyms: Texts = ()
    summary: Text | None = None
    classes: Slugs = ()
    uses: Texts = ()
    cautions: Texts = ()
    max_daily_doses: tuple[DoseLimit, ...] = ()
    doses_by_indication: dict[Slug, float] = Field(default_factory=dict)
    renal: tuple[RenalRule, ...] = ()
    renal_doses: tuple[RenalRule, ...] = ()
    pregnancy: Pregnancy | None = None
    older_adults: tuple[OlderAdultRule, ...] = ()
    metabolism: Metabolism | None = None

    @property
    def kidney_rules(self) -> tuple[RenalRule, ...]:
        """What to do when the kidneys fail: the rules in full, or else the published ones."""
        return self.renal_doses or self.renal

    def most_by_kidneys(self, value: float, route: str | None) -> float | None:
        """Return the greatest daily dose in mg at a kidney function, whatever it is for.

        Args:
            value: Clearance in mL/min, or the estimated filtration in its place.
            route: How it is given; None where nobody said.
        """
        rules = (one for one in self.kidney_rules if not one.only_indications)
        rules = (one for one in rules if one.route in (None, route) and one.holds_at(value))
        return min((one.most for one in rules if one.most is not None), default=None)

    @model_validator(mode="after")
    def _knows_its_forms(self) -> Self:
        forms = [one.form for one in self.max_daily_doses]
        if len(set(forms)) < len(forms):
            raise ValueError("max_daily_doses: two limits of one form")
        if unknown := {form for form in forms if form and form not in self.synonyms}:
            raise ValueError(f"max_daily_doses: {sorted(unknown)} is no synonym")
        return self


class DrugClass(Record):
    """A class of drugs; its members name it.

    Attributes:
        id: Slug.
        name: Name.
        older_adults: What holds for all its members from 65 years.
    """

    id: Slug
    name: Text
    older_adults: tuple[OlderAdultRule, ...] = ()


class InteractionCondition(Strict):
    """When the severity of an interaction holds; one of the attributes is given.

    Attributes:
        condition: A condition of the patient.
        age_days_max: Greatest age in days.
        drug: The drug whose route is asked for.
        route: That route; a home medicine without a route counts as "po".
    """

    condition: Slug | None = None
    age_days_max: int | None = None
    drug: Slug | None = None
    route: Literal["po", "im", "iv"] | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        given = [self.condition is not None, self.age_days_max is not None, self.drug is not None]
        if sum(given) != 1 or (self.drug is None) != (self.route is None):
            raise ValueError("expected a condition, an age, or a drug with its route")
        return self


class AvoidedFrom(Strict):
    """In whom an interaction is avoided and not only watched; any one attribute is enough.

    Attributes:
        potassium_from: Potassium in mmol/L from which on it is avoided.
        egfr_below: eGFR in mL/min/1.73 m2 below which it is avoided.
        age_from: Age in years from which on it is avoided.
    """

    potassium_from: float | None = None
    egfr_below: float | None = None
    age_from: float | None = None

    @model_validator(mode="after")
    def _names_a_limit(self) -> Self:
        if self.potassium_from is None and self.egfr_below is None and self.age_from is None:
            raise ValueError("expected a limit of potassium, of eGFR or of age")
        return self


class Washout(Strict):
    """How long an interaction outlasts a drug that was stopped.

    Attributes:
        days: Days after which it is over.
        days_from: Days after the drugs named here.
        stopped: Class whose stopping counts; either side where None.
    """

    days: float = Field(gt=0)
    days_from: dict[Slug, float] = Field(default_factory=dict)
    stopped: Reference | None = None


class Interaction(Record):
    """An interaction of two drugs or classes, or of three that act together.

    A pair of drugs overrides a rule of classes; of several rules of classes the most severe
    applies. The washout of a rule of classes holds for its pairs too.

    Attributes:
        between: The drugs and classes; the effect is told from the side of the first.
        severity: How severe it is; None where it was never graded.
        applies_if: When the severity holds.
        otherwise: The severity where that is not so.
        mechanism: How it comes about.
        effect: What happens.
        management: What to do.
        avoid_if: In whom it is avoided, whatever else the management says.
        differs: Why a pair of drugs is graded otherwise than the rule of its classes.
        washout: How long it outlasts a drug that was stopped.
        verified_against: Stored sources that agree.
    """

    between: tuple[Reference, ...] = Field(min_length=2, max_length=3)
    severity: Severity | None = None
    applies_if: InteractionCondition | None = None
    otherwise: Severity | None = None
    mechanism: Text | None = None
    effect: Text | None = None
    management: Text | None = None
    avoid_if: AvoidedFrom | None = None
    differs: Text | None = None
    washout: Washout | None = None
    verified_against: Text | None = None

    @property
    def id(self) -> str:
        """The drugs and classes in the order of the alphabet."""
        return " + ".join(sorted(self.between))

    @property
    def of_drugs(self) -> bool:
        """Whether it is one of two drugs, and names no class."""
        return not any(one.startswith(CLASS) for one in self.between)

    @model_validator(mode="after")
    def _is_graded_or_told(self) -> Self:
        if (self.severity is None) != (self.mechanism is None):
            raise ValueError("a graded interaction has its mechanism, another has none")
        if self.severity is None and self.effect is None:
            raise ValueError("expected a severity or an effect")
        if (self.applies_if is None) != (self.otherwise is None):
            raise ValueError("a condition has a severity otherwise, and that a condition")
        return self


class CrossReaction(Record):
    """How likely a patient with an allergy reacts to other drugs.

    Attributes:
        allergen: A drug, a class, or after ``other:`` something else, such as ``other:egg``.
        risk: The drugs and classes that are asked about.
        level: How great the risk is.
        note: Why.
    """

    allergen: Allergen
    risk: Annotated[tuple[Reference, ...], Field(min_length=1)]
    level: Literal["contraindicated", "high", "moderate", "low", "very_low", "none"]
    note: Text

    @property
    def id(self) -> str:
        """The allergen with the drugs that are asked about."""
        return f"{self.allergen} to {' '.join(self.risk)}"


def plain_name(name: str) -> str:
    """Return the name of a drug for comparing: small letters, parts joined by blanks.

    >>> plain_name("Piperacillin-Tazobactam") == plain_name("piperacillin_tazobactam")
    True
    """
    return " ".join(re.split(r"[\s_/-]+", name.casefold().strip()))
