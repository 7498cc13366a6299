"""Treatment without a ground: drugs and procedures for which the patient has no illness.

A physician gives a drug for what the patient has, for what it looks like, or against a symptom;
oxygen for a saturation below the target, and fluids or blood for what is lost or failing.
Adrenaline, an antidote, an antibiotic, oxygen and a little fluid for everybody who comes through
the door are none of it, and without this rule they would cost a careful agent nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from gym_clinic.clinical.naming import fulfils
from gym_clinic.facts import Facts, load, with_ancestors
from gym_clinic.facts.expressions import parse
from gym_clinic.facts.records.instruments import Expr
from gym_clinic.facts.records.models import Texts
from gym_clinic.facts.typed_json import Strict, read_record
from gym_clinic.frozen import once
from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.patient import RETAIN_CARBON_DIOXIDE
from gym_clinic.simulate.clinic.texts.alarms import lowest_pressure

DRUG, PROCEDURE, ANTIBIOTIC = "drug:", "procedure:", "class:antibiotic"

GRAVER = (2, 3, 4)
"""Severity of one groundless treatment, of two, and of three or more."""

RECENT = -7 * 24 * 60
"""Minute from which on a finding that calls for support has begun; older losses are made up."""


def severity(groundless: Collection[str]) -> tuple[int, ...]:
    """Return the severity of groundless treatments, together; none without any.

    >>> [severity(()), severity(["drug:naloxone"]), severity(["a", "b", "c", "d"])]
    [(), (2,), (4,)]
    """
    return (GRAVER[min(len(groundless), len(GRAVER)) - 1],) if groundless else ()


def groundless(
    patient: ClinicPatient,
    made: Collection[str],
    gold: Mapping[str, Any],
    shown: Mapping[str, Sequence[float]] | None = None,
) -> tuple[str, ...]:
    """Return what was given, done or advised without a ground, routes left out.

    A ground is an illness of the patient, a look-alike of the one that brings the patient, a
    symptom, a medicine that is taken at home, or the gold, which knows what cannot wait. Where
    one antibiotic has a ground, others have it too: which of them is right is judged elsewhere.
    For oxygen, fluids and blood see `SupportGround`.

    Args:
        patient: The patient.
        made: Actions that were ordered, given or advised.
        gold: The gold of the task.
        shown: Measurement -> values that were shown; a wrong one is a ground as well.
    """
    right = accepted_orders(gold)
    support = groundless_support(patient, made, right, shown or {})
    return (*groundless_treatments(patient, made, right), *support)


def groundless_treatments(
    patient: ClinicPatient, made: Collection[str], right: Collection[str]
) -> tuple[str, ...]:
    """Return the drugs and procedures without a ground; ``right`` is what the gold accepts."""
    bare = {one.partition("@")[0] for one in made if one.startswith((DRUG, PROCEDURE))}
    grounds = _grounds(patient, right) if bare else set()
    return tuple(one for one in sorted(bare) if not _has_ground(one, grounds))


def groundless_support(
    patient: ClinicPatient,
    made: Collection[str],
    right: Collection[str],
    shown: Mapping[str, Sequence[float]],
) -> tuple[str, ...]:
    """Return the oxygen, fluids and blood without a ground; ``right`` is what the gold accepts."""
    return tuple(
        one
        for one, ground in ground_table().support.items()
        if one in made and one not in right and not _calls_for(patient, one, ground, shown)
    )


def _has_ground(action: str, grounds: Collection[str]) -> bool:
    return action in grounds or any(fulfils(action, ground) for ground in grounds)


def _grounds(patient: ClinicPatient, right: Collection[str]) -> set[str]:
    """The drugs and procedures, or classes of them, that have a ground; ``right`` by the gold."""
    ids = frozenset((*_thought_of(patient), *(one.condition for one in patient.background)))
    grounds = {
        *_of_conditions(patient.facts.folder, ids), *right,
        *(DRUG + one.drug for one in patient.medicines),
    }  # fmt: skip
    if any(fulfils(one, ANTIBIOTIC) for one in grounds):
        grounds.add(ANTIBIOTIC)
    return grounds


def _calls_for(
    patient: ClinicPatient, what: str, ground: SupportGround, shown: Mapping[str, Sequence[float]]
) -> bool:
    """Whether the patient has a ground for oxygen, fluids or blood."""
    facts, ids = patient.facts, {one.condition for one in patient.problems}
    treated = (what in _treatments(facts.folder, one) for one in ids)
    began = (item for one in patient.problems for item in one.findings.items())
    lately = with_ancestors((key for key, at in began if RECENT <= at <= 0), facts.above)
    if (
        not ids.isdisjoint(ground.conditions)
        or (ground.of_illness and any(treated))
        or any(facts.finding_ids[one] in lately for one in ground.findings)
    ):
        return True
    retains = any(one.condition in RETAIN_CARBON_DIOXIDE for one in patient.background)
    age = patient.person.age
    known = {"age": age, "low_sbp": lowest_pressure(age), "retains": float(retains)}
    true = patient.state(0)
    when = parse(ground.when)
    seen = ({**true, key: one} for key in when.names & shown.keys() for one in shown[key])
    return any(when.compute({**known, **one}) for one in (true, *seen))


def needless_teams(patient: ClinicPatient, called: Iterable[str]) -> tuple[str, ...]:
    """Return the pathways that were activated without a ground.

    None of their conditions is an illness of the patient or a look-alike. A pathway that the table
    does not have, such as isolation, needs no ground.

    Args:
        patient: The patient.
        called: Names of pathways.
    """
    near, table = _thought_of(patient), ground_table().pathways
    return tuple(one for one in called if one in table and near.isdisjoint(table[one]))


def _thought_of(patient: ClinicPatient) -> set[str]:
    """The problems of a patient, and the look-alikes of the one that brings the patient."""
    near = patient.facts.diseases[patient.problems[0].condition].look_alikes
    return {*near, *(one.condition for one in patient.problems)}


class SupportGround(Strict):
    """What is a ground for oxygen, fluids or blood: any part, or that the gold treats with it.

    Attributes:
        when: Condition on `age` and the state on arrival, also with one value as it was shown;
            `low_sbp` is the least systolic pressure of the age, `retains` is 1 where much oxygen
            may make the patient retain carbon dioxide.
        conditions: Problems in which it is given whatever the vital signs are.
        findings: Names of findings of which one began lately, in itself or in a form of it.
        of_illness: Whether a problem that is treated with it in any form is enough.
    """

    when: Expr
    conditions: Texts = ()
    findings: Texts = ()
    of_illness: bool = False


class GroundTable(Strict):
    """What needs no ground, and what is one.

    Attributes:
        supportive: Actions that need none but a symptom.
        support: Oxygen, fluids and blood -> what is a ground for it. Authored, not for patient
            care; the targets of oxygen are those of the BTS guideline of 2017.
        pathways: Pathway -> conditions that are a ground for it.
    """

    supportive: Texts
    support: dict[str, SupportGround]
    pathways: dict[str, Texts]


@lru_cache(maxsize=1)
def ground_table() -> GroundTable:
    """Return the table."""
    file = Path(__file__).with_suffix(".json")
    return read_record(file.read_bytes(), GroundTable, str(file))


@lru_cache(maxsize=512)
def _of_conditions(folder: Path, conditions: frozenset[str]) -> frozenset[str]:
    """What needs no ground, and what treats one of several conditions."""
    treated = (it for one in conditions for it in _treatments(folder, one))
    return frozenset((*ground_table().supportive, *treated))


@lru_cache(maxsize=512)
def _treatments(folder: Path, condition: str) -> frozenset[str]:
    """What treats a condition in any of its forms, or belongs to its first line."""
    facts: Facts = load(folder)
    if condition not in facts.conditions:
        return frozenset()
    forms = list(facts.conditions[condition].forms())
    lists = (each for one in forms if one.course is not None for each in one.course.treated_by)
    return frozenset(it for each in (*lists, *(one.first_line for one in forms)) for it in each)


def accepted_orders(gold: Mapping[str, Any]) -> frozenset[str]:
    """Return what the gold accepts: its treatments, and orders that are due."""
    return once(gold, "accepted orders", lambda: frozenset(_accepted(gold)))


def _accepted(gold: Mapping[str, Any]) -> Iterator[str]:
    acceptable = gold.get("acceptable", {})
    support = ground_table().support
    yield from (one for one in acceptable.get("related", ()) if one not in support)
    yield from (it for each in acceptable.get("treatments", ()) for it in each)
    for one in gold.get("assertions", ()):
        for names in one.get("orders", ()):
            yield from (kind + name for name in names for kind in (DRUG, PROCEDURE, ""))
