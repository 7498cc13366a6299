"""What treats a problem in one patient: right for the state, the other illnesses and the allergies.

The treatments of a condition are those of any patient. In one patient some of it is not needed
(oxygen without a lack of it), comes too late, or must not be given: an allergy, a pregnancy,
kidneys that fail, an illness the patient lives with, a medicine that is taken. Rules that the fact
tables of drugs do not have lie in ``unsuitable.json``; they are authored for this simulation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field, TypeAdapter

from gym_clinic.facts import Facts, load
from gym_clinic.facts.cross_reactions import reaction_level
from gym_clinic.facts.expressions import parse
from gym_clinic.facts.named_drugs import is_a
from gym_clinic.facts.records.conditions import Condition
from gym_clinic.facts.records.courses import Course
from gym_clinic.facts.records.drugs import CLASS
from gym_clinic.facts.records.instruments import Expr
from gym_clinic.facts.records.models import Text, Texts
from gym_clinic.facts.typed_json import Strict
from gym_clinic.simulate.clinic.drug_rules import (
    MEANT,
    better_apart,
    duplicates,
    never_together,
    stopped_by_kidneys,
)
from gym_clinic.simulate.clinic.examination.imaging import without_reason
from gym_clinic.simulate.clinic.physiology.body import State, with_limits

if TYPE_CHECKING:
    from gym_clinic.simulate.clinic.patient import ClinicPatient
    from gym_clinic.simulate.clinic.problems import Problem

DRUG, PROCEDURE = "drug:", "procedure:"
INTOLERANCES = ("itching", "vomiting", "nausea", "diarrhoea")
"""Reactions that are no allergy: they forbid the drug itself and nothing akin to it."""


@dataclass(frozen=True)
class Objection:
    """Why something should not be given to a patient.

    Attributes:
        why: In words.
        grave: Whether it must not be given; else it is given only where nothing better is left.
    """

    why: str
    grave: bool = True


@dataclass(frozen=True)
class SuitedTreatment:
    """What treats a problem in one patient.

    Attributes:
        condition: Id of the condition.
        alternatives: Sets of actions, each of which treats the problem and is right in this
            patient; what belongs to the first line comes first. Empty if nothing is right.
        first_line: What is done first, without what is not needed or not right here.
        drugs: Class among those actions -> the drugs of it that are right.
        withheld: Action of the condition that is not right in this patient -> why.
    """

    condition: str
    alternatives: tuple[tuple[str, ...], ...]
    first_line: tuple[str, ...]
    drugs: Mapping[str, tuple[str, ...]]
    withheld: Mapping[str, str]


class Unsuitable(Strict):
    """Drugs and procedures, and the patients who should not have them; all that is given holds.

    Attributes:
        what: References of drugs and classes, and procedures.
        why: In words.
        lives_with: The patient lives with one of these conditions.
        lives_without: The patient lives with none of these conditions.
        shows: The problem shows one of these findings, by name.
        without: The problem shows none of these findings.
        takes: The patient takes one of these drugs or classes.
        when: The condition on the patient, as in `Condition.needed_when`.
        except_for: Conditions that it treats all the same.
        only_for: Conditions for which alone this holds, such as of what is for later; all if empty.
        grave: As in `Objection`.
    """

    what: Texts = Field(min_length=1)
    why: Text
    lives_with: Texts = ()
    lives_without: Texts = ()
    shows: Texts = ()
    without: Texts = ()
    takes: Texts = ()
    when: Expr | None = None
    except_for: Texts = ()
    only_for: Texts = ()
    grave: bool = True


@lru_cache(maxsize=1)
def unsuitable() -> tuple[Unsuitable, ...]:
    """Return the rules of the data file."""
    text = Path(__file__).with_name("unsuitable.json").read_bytes()
    return TypeAdapter(tuple[Unsuitable, ...]).validate_json(text)


def values_at(patient: ClinicPatient, problem: Problem | None, minute: float = 0) -> State:
    """Return what the conditions on a treatment name: the state, and who the patient is.

    Besides measurements and limits these are `age`, `female`, `weeks` of a pregnancy (0 for none),
    `anticoagulated` (1 for who takes an anticoagulant), and of the problem `hours` since it began
    and its `severity`.
    """
    person = patient.person
    values = with_limits(patient.facts, patient.state(minute), *person.measured_by)
    taken = any(is_a(one.drug, f"{CLASS}anticoagulant") for one in patient.medicines)
    values |= {"female": person.sex == "female", "weeks": person.pregnant_weeks or 0}
    values |= {"anticoagulated": taken}
    if problem is not None:
        values |= {"hours": (minute - problem.began) / 60, "severity": problem.severity}
    return values


def course_in(condition: Condition, values: Mapping[str, float]) -> Course | None:
    """Return the course of a condition with what treats it in one patient.

    What is not needed is left out of the alternatives, and those with something that is wrong here
    are no alternatives. What is only contraindicated treats all the same.

    Args:
        condition: The condition in the form that the patient has.
        values: What `values_at` returns.
    """
    course = condition.course
    if course is None:
        return None
    left = []
    for together in course.treated_by:
        if not any(_is(condition.wrong_when, one, values) for one in together):
            left.append(tuple(one for one in together if is_needed(condition, one, values)))
    alternatives = tuple(dict.fromkeys(one for one in left if one))
    return course.model_copy(update={"treated_by": alternatives})


def is_needed(condition: Condition, action: str, values: Mapping[str, float]) -> bool:
    """Return whether an action for a condition is needed in a patient."""
    return action not in condition.needed_when or _is(condition.needed_when, action, values)


def _is(rules: Mapping[str, str], action: str, values: Mapping[str, float]) -> bool:
    return action in rules and bool(parse(rules[action]).compute(values))


def treatment_for(
    patient: ClinicPatient, problem: Problem | None = None, minute: float = 0
) -> SuitedTreatment:
    """Return what treats a problem and is right in this patient.

    Where something speaks against every alternative, those are kept of which nothing grave does.

    Args:
        patient: The patient.
        problem: One of the problems; the one that brings the patient if None.
        minute: Minutes from arrival at which the state is judged, untreated.
    """
    treated = patient.problems[0] if problem is None else problem
    condition = patient.facts.conditions[treated.condition].form(treated.variant)
    values = values_at(patient, treated, minute)
    course = course_in(condition, values)
    listed = () if course is None else course.treated_by
    sets = [each for each in listed if not any(without_reason(treated.studies, it) for it in each)]
    first = [
        one
        for one in condition.first_line
        if is_needed(condition, one, values) and not without_reason(treated.studies, one)
    ]
    judge = _Judge(patient, treated, condition, values)
    found = {one: judge.action(one) for one in (*first, *(one for each in sets for one in each))}
    ranks = {one: _rank(objections) for one, objections in found.items()}
    allowed = min((max(ranks[one] for one in each) for each in sets), default=0)
    if allowed == _GRAVE:
        kept: list[tuple[str, ...]] = []
    else:
        kept = [each for each in sets if max(ranks[one] for one in each) <= allowed]
    line = [one for one in first if ranks[one] <= min(allowed, _GRAVE - 1)]
    used = {one for each in (*kept, tuple(line)) for one in each}
    return SuitedTreatment(
        condition=treated.condition,
        alternatives=tuple(sorted(kept, key=lambda each: _order(each, line, patient.facts))),
        first_line=tuple(line),
        drugs={one: judge.members(one) for one in sorted(used) if one.startswith(CLASS)},
        withheld={
            one: objections[0].why
            for one, objections in found.items()
            if objections and one not in used
        }
        | {
            one: "it is wrong at this time or in this state"
            for one in condition.wrong_when
            if _is(condition.wrong_when, one, values)
        },
    )


def objections_to(
    patient: ClinicPatient, action: str, problem: Problem | None = None, minute: float = 0
) -> tuple[Objection, ...]:
    """Return what speaks against an action in a patient, what is grave first.

    Args:
        patient: The patient.
        action: As in `Course.treated_by`, such as "drug:ibuprofen" or "class:nsaid"; of a class,
            what speaks against that of its drugs against which least does.
        problem: What it is given for; the problem that brings the patient if None.
        minute: Minutes from arrival.
    """
    treated = patient.problems[0] if problem is None else problem
    condition = patient.facts.conditions[treated.condition].form(treated.variant)
    judge = _Judge(patient, treated, condition, values_at(patient, treated, minute))
    return tuple(judge.action(action))


def forbidden_drugs(
    patient: ClinicPatient, problem: Problem | None = None, minute: float = 0
) -> tuple[str, ...]:
    """Return the drugs that must not be given to a patient, by id: something grave forbids each.

    Args:
        patient: The patient.
        problem: What they would be given for; the problem that brings the patient if None.
        minute: Minutes from arrival.
    """
    treated = patient.problems[0] if problem is None else problem
    condition = patient.facts.conditions[treated.condition].form(treated.variant)
    judge = _Judge(patient, treated, condition, values_at(patient, treated, minute))
    return tuple(one for one in patient.facts.drugs if _rank(judge.drug(one)) == _GRAVE)


_GRAVE = 2


def _rank(objections: Sequence[Objection]) -> int:
    """0 for nothing, 1 for what is not grave, 2 for what is."""
    return max((_GRAVE if one.grave else 1 for one in objections), default=0)


def _order(together: Sequence[str], line: Sequence[str], facts: Facts) -> tuple[int, int, int]:
    """The place of an alternative: by the actions beyond the first line, then by its beginning."""
    places = [_place(one, line, facts) for one in together]
    beyond = sum(place == len(line) for place in places)
    return beyond, min(places), -len(together)


def _place(action: str, line: Sequence[str], facts: Facts) -> int:
    """The place of an action in the first line; its length if it is not there."""
    for number, one in enumerate(line):
        drug = one.removeprefix(DRUG)
        own = action.startswith(CLASS) and drug in facts.drugs and is_a(drug, action)
        if one == action or own:
            return number
    return len(line)


class _Judge:
    """What speaks against actions in one patient at one time."""

    def __init__(
        self,
        patient: ClinicPatient,
        problem: Problem,
        condition: Condition,
        values: Mapping[str, float],
    ) -> None:
        self.patient, self.facts, self.values = patient, patient.facts, values
        self.problem, self.condition = problem, condition
        self.lived_with = {one.condition for one in patient.background}
        self.shown = {self.facts.phenotypes[one].name for one in problem.findings}
        self.taken = [one.drug for one in patient.medicines]
        others = {one.condition for one in patient.problems} | self.lived_with
        self.forbidden = {
            key: [one for one in other.contraindicated if one not in other.allowed_beside]
            for key in sorted(others - {condition.id})
            for other in (self.facts.conditions[key],)
        }
        self._known: dict[str, list[Objection]] = {}
        self.rules = [one for one in unsuitable() if self._applies(one)]

    def action(self, action: str) -> list[Objection]:
        """Return what speaks against an action."""
        if action.startswith(CLASS):
            own = [self.drug(one) for one in drugs_of(self.facts, action)]
            found = min(own, key=_rank, default=[])
        elif action.startswith(DRUG):
            found = self.drug(action.removeprefix(DRUG))
        else:
            found = [Objection(one.why, one.grave) for one in self.rules if action in one.what]
        return sorted(found, key=lambda one: not one.grave)

    def members(self, group: str) -> tuple[str, ...]:
        """Return the drugs of a class against which least speaks."""
        ranks = {one: _rank(self.drug(one)) for one in drugs_of(self.facts, group)}
        least = min(ranks.values(), default=0)
        return tuple(one for one, rank in ranks.items() if rank == least)

    def drug(self, drug: str) -> list[Objection]:
        """Return what speaks against a drug."""
        if drug not in self._known:
            rules = [Objection(one.why, one.grave) for one in self.rules if _names(one.what, drug)]
            tables = (self._allergy, self._facts_of, self._illness, self._interaction)
            self._known[drug] = [*rules, *(one for table in tables for one in table(drug))]
        return self._known[drug]

    def _applies(self, one: Unsuitable) -> bool:
        return (
            self.condition.id in (one.only_for or {self.condition.id} - {*one.except_for})
            and (not one.lives_with or not self.lived_with.isdisjoint(one.lives_with))
            and self.lived_with.isdisjoint(one.lives_without)
            and (not one.shows or not self.shown.isdisjoint(one.shows))
            and self.shown.isdisjoint(one.without)
            and (not one.takes or any(_names(one.takes, drug) for drug in self.taken))
            and (one.when is None or bool(parse(one.when).compute(self.values)))
        )

    def _allergy(self, drug: str) -> Iterator[Objection]:
        for one in self.patient.allergies:
            level = reaction_level(one.allergen, drug)
            itself = is_a(drug, one.allergen)
            if itself or (
                level in ("high", "contraindicated") and one.reaction not in INTOLERANCES
            ):
                yield Objection(f"allergy to {one.allergen.removeprefix(CLASS)}")
            elif level == "moderate" and one.reaction not in INTOLERANCES:
                yield Objection(f"may react as to {one.allergen.removeprefix(CLASS)}", grave=False)

    def _facts_of(self, drug: str) -> Iterator[Objection]:
        record = self.facts.drugs.get(drug)
        if record is None:
            return
        pregnancy = record.pregnancy
        if pregnancy is not None and self.values["weeks"] and not self._of_pregnancy(drug):
            excepted = self.condition.id in pregnancy.except_conditions
            if pregnancy.level in ("contraindicated", "avoid") and not excepted:
                grave = pregnancy.level == "contraindicated"
                yield Objection(f"pregnancy: {pregnancy.reason}", grave)
        for rule in stopped_by_kidneys(self.facts, drug, self.values["egfr"]):
            yield Objection(f"kidney function: {rule.action}")

    def _of_pregnancy(self, drug: str) -> bool:
        """Whether it treats an illness of pregnancy, so that being pregnant is no reason."""
        epidemiology = self.facts.diseases[self.condition.id].epidemiology
        if epidemiology is None or epidemiology.pregnancy is None:
            return False
        lists = self.condition.course.treated_by if self.condition.course is not None else ()
        named = {*self.condition.first_line, *(one for each in lists for one in each)}
        return _names([one.removeprefix(DRUG) for one in named], drug)

    def _illness(self, drug: str) -> Iterator[Objection]:
        if _names(self.condition.contraindicated, drug):
            yield Objection(f"contraindicated in {self._name(self.condition.id)}")
        for key, forbidden in self.forbidden.items():
            if _names(forbidden, drug):
                yield Objection(f"contraindicated in {self._name(key)}", grave=False)

    def _interaction(self, drug: str) -> Iterator[Objection]:
        for other in self.taken:
            known = drug != other and drug in self.facts.drugs
            if known and never_together(self.facts, drug, other):
                yield Objection(f"not together with {other}")
            elif known and better_apart(self.facts, drug, other):
                yield Objection(f"better not together with {other}", grave=False)
            elif known and duplicates(self.facts, drug, other):
                yield Objection(f"of the same kind as {other}", grave=False)

    def _name(self, condition: str) -> str:
        return self.facts.diseases[condition].name


def drugs_of(facts: Facts, group: str) -> tuple[str, ...]:
    """Return the drugs of a class, as treatments mean it."""
    return _drugs_of(facts.folder, group)


@lru_cache(maxsize=256)
def _drugs_of(folder: Path, group: str) -> tuple[str, ...]:
    return tuple(one for one in load(folder).drugs if is_a(one, MEANT.get(group, group)))


def _names(references: Sequence[str], drug: str) -> bool:
    return any(is_a(drug, one) for one in references)
