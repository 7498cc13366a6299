"""Questions to the record of the patient and to the hidden truth of the case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gym_clinic.facts.named_drugs import is_a
from gym_clinic.safety.conditions import predicate
from gym_clinic.safety.evidence import Evidence, Found, found, spoken
from gym_clinic.safety.situation import Situation
from gym_clinic.safety.state import as_number
from gym_clinic.safety.terms import term


def said_range(
    below: float | None = None,
    at_least: float | None = None,
    above: float | None = None,
    at_most: float | None = None,
) -> str:
    """Return limits in words: "at least 12 and at most 55"."""
    if at_least is not None and at_least == at_most:
        return f"{at_least:g}"
    limits = (("at least", at_least), ("above", above), ("below", below), ("at most", at_most))
    return " and ".join(f"{word} {limit:g}" for word, limit in limits if limit is not None)


def in_range(
    value: float | None,
    below: float | None = None,
    at_least: float | None = None,
    above: float | None = None,
    at_most: float | None = None,
) -> bool:
    """Return whether a number is within limits; one that is not known is not."""
    return value is not None and (
        (below is None or value < below)
        and (at_least is None or value >= at_least)
        and (above is None or value > above)
        and (at_most is None or value <= at_most)
    )


def same(value: Any, wanted: Any) -> bool:
    """Return whether a value is the wanted one; names are compared by meaning, true is not 1."""
    if isinstance(value, str) and isinstance(wanted, str):
        return term(value) == term(wanted)
    return type(value) is type(wanted) and bool(value == wanted)


@predicate(lambda **limits: f"the patient's age in years is {said_range(**limits)}")
def age(situation: Situation, **limits: float) -> Found:
    """The age in years is within limits; a patient without an age is an adult of 40."""
    years = situation.patient.years
    return found([f"age {years:g} years"] if in_range(years, **limits) else [])


@predicate(
    lambda field, one_of: f"the record gives {spoken([field])} as {spoken(one_of)}".replace(
        " as True", " as true"
    )
)
def recorded(situation: Situation, field: str, one_of: Sequence[Any]) -> Found:
    """A field of the record has one of the values."""
    value = situation.patient.field(field)
    return found(
        [f"{spoken([field])} is {spoken([value])}"]
        if any(same(value, one) for one in one_of)
        else []
    )


@predicate(lambda field: f"the record does not say: {spoken([field])}")
def unknown(situation: Situation, field: str) -> Found:
    """A field of the record is absent."""
    return found(
        [f"{spoken([field])} is not known"] if situation.patient.field(field) is None else []
    )


@predicate(lambda field, **limits: f"the record's {spoken([field])} is {said_range(**limits)}")
def recorded_number(situation: Situation, field: str, **limits: float) -> Found:
    """A number of the record, such as a score, is within limits."""
    value = as_number(situation.patient.field(field))
    return found(
        [f"{spoken([field])} is {value:g}"]
        if value is not None and in_range(value, **limits)
        else []
    )


@predicate(
    lambda name, **limits: f"the laboratory value {spoken([name])} is {said_range(**limits)}"
)
def lab(situation: Situation, name: str, **limits: float) -> Found:
    """A laboratory value is within limits; one that is not known is not."""
    value = situation.measured("labs", name)
    return found(
        [f"{spoken([name])} is {value:g}"]
        if value is not None and in_range(value, **limits)
        else []
    )


@predicate(lambda name, **limits: f"the vital sign {spoken([name])} is {said_range(**limits)}")
def vital(situation: Situation, name: str, **limits: float) -> Found:
    """A vital sign is within limits; one that is not known is not."""
    value = situation.measured("vitals", name)
    return found(
        [f"{spoken([name])} is {value:g}"]
        if value is not None and in_range(value, **limits)
        else []
    )


@predicate(lambda name: f"the laboratory value {spoken([name])} is not known")
def lab_unknown(situation: Situation, name: str) -> Found:
    """A laboratory value is absent."""
    unknown = situation.measured("labs", name) is None
    return found([f"{spoken([name])} is not known"] if unknown else [])


@predicate(lambda any_of: f"on record: {spoken(any_of)}")
def condition(situation: Situation, any_of: Sequence[str]) -> Found:
    """The patient has one of the conditions on record."""
    return found(f"on record: {spoken([one])}" for one in situation.having(*any_of))


@predicate(lambda any_of: f"an allergy to {spoken(any_of)} is on record")
def allergy_entry(situation: Situation, any_of: Sequence[str]) -> Found:
    """The allergy list has one of the substances by name."""
    wanted = {term(one) for one in any_of}
    entries = [
        one.substance for one in situation.patient.allergies if term(one.substance) in wanted
    ]
    return found(f"allergy list: {name}" for name in entries)


@predicate("care is for comfort only")
def comfort_care(situation: Situation) -> Found:
    """Comfort is the only goal of care."""
    return found(["comfort care"] if situation.comfort else [])


@predicate("the patient takes medicines at home")
def home_medicines(situation: Situation) -> Found:
    """There is a home medicine, discontinued or not."""
    return found([f"home: {one.name}" for one in situation.home])


@predicate(lambda any_of: f"a home medicine that was not discontinued is {spoken(any_of)}")
def takes_at_home(situation: Situation, any_of: Sequence[str]) -> Found:
    """A home medicine that was not discontinued is one of the drugs or classes."""
    return found(
        f"home: {product.name}"
        for product in situation.active_home
        for one in product.medicines
        if any(is_a(one.drug, reference) for reference in any_of)
    )


@predicate(lambda any_of: f"it was taken at home before: {spoken(any_of)}")
def took_at_home(situation: Situation, any_of: Sequence[str]) -> Found:
    """A home medicine, discontinued or not, is one of the drugs."""
    drugs = {one.drug for product in situation.home for one in product.medicines}
    return found(f"home: {one}" for one in any_of if one in drugs)


@predicate(
    lambda any_of=None: (
        "the case is a time-critical emergency" + (f": {spoken(any_of)}" if any_of else "")
    )
)
def emergency(situation: Situation, any_of: Sequence[str] | None = None) -> Found:
    """The hidden truth of the case is an emergency, or one of those named."""
    truth = situation.state.gold.get("emergency")
    if truth is None or (any_of and not any(same(truth, one) for one in any_of)):
        return None
    return (Evidence(f"emergency: {spoken([truth])}"),)


@predicate(lambda field: f"the hidden truth of the case says: {spoken([field])}")
def truth(situation: Situation, field: str) -> Found:
    """A field of the hidden truth is true or holds something."""
    return found([f"truth: {spoken([field])}"] if situation.state.gold.get(field) else [])


@predicate(lambda field: f"the hidden truth of the case denies: {spoken([field])}")
def truth_denies(situation: Situation, field: str) -> Found:
    """A field of the hidden truth is there and false; null denies an emergency."""
    gold = situation.state.gold
    return found([f"truth: no {spoken([field])}"] if field in gold and not gold[field] else [])


@predicate(lambda field, **limits: f"the true {spoken([field])} is {said_range(**limits)}")
def true_number(situation: Situation, field: str, **limits: float) -> Found:
    """A number of the hidden truth is within limits."""
    value = as_number(situation.state.gold.get(field))
    return found(
        [f"true {spoken([field])} is {value:g}"]
        if value is not None and in_range(value, **limits)
        else []
    )


@predicate(lambda any_of: f"the patient refused {spoken(any_of)}")
def refused(situation: Situation, any_of: Sequence[str]) -> Found:
    """The patient refused one of the treatments."""
    names = {term(one) for one in situation.patient.refused}
    return found(f"refused: {one}" for one in any_of if term(one) in names)
