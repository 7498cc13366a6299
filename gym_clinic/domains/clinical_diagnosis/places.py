"""Where a patient may go: the usual place of the condition, and others that are as right.

Wards differ between hospitals: who is watched closely is in intensive care in one and on a ward
with a monitor in another. A set of places is right, by the condition, its acuity and the vital
signs of the patient. The table ``places.json`` is authored, and is not for patient care.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal

from gym_clinic.facts import with_ancestors
from gym_clinic.facts.expressions import parse
from gym_clinic.facts.named_drugs import is_a
from gym_clinic.facts.records.conditions import Condition
from gym_clinic.facts.records.instruments import Expr
from gym_clinic.facts.records.models import Text, Texts
from gym_clinic.facts.typed_json import Strict, read_record
from gym_clinic.simulate.clinic import ClinicPatient

EMERGENCY = 2
"""Last triage level of an emergency."""

ADULT = 18
"""Age in years from which on the limits of adults hold."""

SCHOOL_AGE = 10
"""Age in years below which the least systolic pressure is 70 mmHg and twice the age."""

CHANGED = 0.04
"""Share by which a vital sign is worse than is usual for the patient before it counts."""

SEVERAL = 2
"""Vital signs out of their limits with which a patient is in great danger."""

COMA = 9
"""Coma score below which a patient is in great danger, whatever else."""

CARE, WARD = "intensive care", "ward"

HOME = "home"

AWAY = (HOME, "outpatient referral")
"""Places outside of the hospital."""

Limits = dict[str, tuple[float, float]]
"""Vital sign -> the least value that is within its limits, and the first above them."""


class Beside(Strict):
    """Places that are as right as the usual one, for a triage level of the condition."""

    usual: Text
    triage: int
    also: Texts


class OfCondition(Strict):
    """What holds for one condition.

    Attributes:
        also: Further places that are right.
        stable: Further places that are right for those who are neither unwell nor old.
        stable_when: Condition on the state on arrival that they must fulfil besides.
        grave: Condition on the state on arrival by which intensive care is right too.
        admitted: Condition on the state on arrival by which a ward is right, and no place outside.
        never: Places that are not right, whatever the level says.
    """

    also: Texts = ()
    stable: Texts = ()
    stable_when: Expr = "True"
    grave: Expr = "False"
    admitted: Expr = "False"
    never: Texts = ()


class OfForm(Strict):
    """The places of a form of a condition, where they are not those of the condition."""

    condition: Text
    form: Text
    places: Texts


class Over(Strict):
    """When an attack of a condition lets the patient go home; every part that is given must hold.

    Attributes:
        condition: The condition, the only problem of the patient.
        when: Condition on the state on arrival, `age`, `severity` and `weeks` of a pregnancy (0 for
            none).
        takes: References of medicines of which one is taken.
        lives_with: Conditions of which one is lived with.
        without: References of medicines, conditions that are lived with, and names of findings of
            which none may be there.
        on_arrival: Whether it is over on arrival, so that there is no emergency; else it is over
            once it has been treated, and the patient is watched (see the rules of safety).
        then: Condition on the state at the answer, by which the treatment has worked.
    """

    condition: Text
    when: Expr = "True"
    takes: Texts = ()
    lives_with: Texts = ()
    without: Texts = ()
    on_arrival: bool = False
    then: Expr = "True"


class PlaceTable(Strict):
    """Which places are right.

    Attributes:
        beside: By usual place and triage level.
        conditions: By condition.
        findings: Name of a finding -> further places that are right with it.
        forms: By form.
        failing: Limits outside of which a patient may need intensive care, by age.
        unwell: Limits outside of which a patient may need a ward, by age.
        quickly_reversed: Conditions of which a patient in great danger is well again minutes after
            the treatment, so that a ward may still do.
        over: Attacks that end, and leave the patient well enough to go home.
        oldest_at_home: Age in years from which on nobody is `stable`.
    """

    beside: tuple[Beside, ...]
    conditions: dict[str, OfCondition]
    findings: dict[str, Texts]
    forms: tuple[OfForm, ...]
    failing: dict[Literal["adult", "child"], Limits]
    unwell: dict[Literal["adult", "child"], Limits]
    quickly_reversed: Texts
    over: tuple[Over, ...]
    oldest_at_home: float


@lru_cache(maxsize=1)
def place_table() -> PlaceTable:
    """Return the table of places."""
    file = Path(__file__).with_name("places.json")
    return read_record(file.read_bytes(), PlaceTable, str(file))


def dispositions(condition: Condition, patient: ClinicPatient | None = None) -> tuple[str, ...]:
    """Return where a patient may go, the best place first.

    An emergency is not sent home from its first visit, wherever it ends: it is observed on a ward;
    but for an attack that is over (see `Over`).
    Who is unwell by several vital signs may stay on a ward, whatever the condition; who is failing
    does not go home, and may go to intensive care. A ward is not enough in great danger, nor for
    who is failing with a condition of intensive care, unless treatment reverses it in minutes.

    Args:
        condition: What the patient has, or is thought to have.
        patient: The patient; someone who is well enough, with the usual form, if None.
    """
    table = place_table()
    own = table.conditions.get(condition.id, OfCondition())
    usual, urgent = str(condition.disposition), condition.triage or 9
    if urgent <= EMERGENCY and usual == "home":
        usual = WARD
    level = [one.also for one in table.beside if (one.usual, one.triage) == (usual, urgent)]
    places = [usual, *(place for also in level for place in also), *own.also]
    if patient is None:
        return tuple(dict.fromkeys(one for one in places if one not in own.never))
    places = _of_form(table, condition, patient) or places
    facts = patient.facts
    for finding, also in table.findings.items():
        if any(facts.finding_ids[finding] in one.findings for one in patient.problems):
            places += also
    failing, unwell = (_outside(one, patient) for one in (table.failing, table.unwell))
    well = not failing and not unwell and patient.person.age < table.oldest_at_home
    ill = bool(failing) or len(unwell) >= SEVERAL
    state = patient.state(0)
    places += own.stable if well and parse(own.stable_when).compute(state) else ()
    places += (CARE,) if parse(own.grave).compute(state) else ()
    places += (HOME,) if attack_over(condition.id, patient) is not None else ()
    places += (WARD,) if ill and {*places} & {*AWAY} else ()
    wrong = {*own.never}
    if parse(own.admitted).compute(state):
        places += (WARD,)
        wrong |= {*AWAY}
    if failing:
        places += (CARE,) if WARD in places else ()
        wrong |= {*AWAY}
    danger = len(failing) >= SEVERAL or state["gcs"] < COMA
    watched = usual == CARE and (failing or (urgent < EMERGENCY and ill))
    if (danger or watched) and condition.id not in table.quickly_reversed:
        wrong.add(WARD)
    return tuple(dict.fromkeys(one for one in places if one not in wrong))


def attack_over(condition: str, patient: ClinicPatient) -> Over | None:
    """Return the rule by which a patient may go home after an attack; None if there is none."""
    if [one.condition for one in patient.problems] != [condition]:
        return None
    problem, facts = patient.problems[0], patient.facts
    lived_with = {one.condition for one in patient.background}
    has = lived_with | with_ancestors(problem.findings, facts.above)
    drugs = [one.drug for one in patient.medicines]
    person, values = patient.person, patient.state(0)
    values |= {"age": person.age, "severity": problem.severity, "weeks": person.pregnant_weeks or 0}

    def taken(references: Texts) -> bool:
        return any(is_a(drug, one) for drug in drugs for one in references)

    for one in place_table().over:
        fits = one.condition == condition and parse(one.when).compute(values)
        fits = fits and (not one.takes or taken(one.takes)) and not taken(one.without)
        known = not one.lives_with or not lived_with.isdisjoint(one.lives_with)
        if fits and known and has.isdisjoint(facts.finding_ids.get(it, it) for it in one.without):
            return one
    return None


def is_failing(patient: ClinicPatient) -> bool:
    """Return whether a vital sign on arrival is out of the limits of failing."""
    return bool(_outside(place_table().failing, patient))


def _of_form(table: PlaceTable, condition: Condition, patient: ClinicPatient) -> list[str]:
    """The places of the form that the patient has; none if they are those of the condition."""
    has = {(one.condition, one.variant) for one in patient.problems}
    of = [one for one in table.forms if one.condition == condition.id]
    return [place for one in of if (one.condition, one.form) in has for place in one.places]


def _outside(
    limits: Mapping[Literal["adult", "child"], Limits], patient: ClinicPatient
) -> list[str]:
    """The vital signs on arrival that are out of their limits, and worse than they usually are."""
    age, state = patient.person.age, patient.state(0)
    chosen = {**limits["adult" if age >= ADULT else "child"]}
    if age < ADULT:
        chosen["sbp"] = (90.0 if age >= SCHOOL_AGE else 70.0 + 2 * math.floor(age), math.inf)
    return [
        key for key, (low, high) in chosen.items()
        if state[key] < min(low, patient.usual[key] * (1 - CHANGED))
        or state[key] >= max(high, patient.usual[key] * (1 + CHANGED))
    ]  # fmt: skip
