"""Reading what an encounter has shown: findings in words, values with their flags, who it is.

It reads the texts that an agent is shown, with the linker and the fact tables, and nothing else.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from gym_clinic.clinical.differential import differential
from gym_clinic.clinical.naming import findings_named
from gym_clinic.facts import Person, load
from gym_clinic.facts.named_drugs import resolve, resolve_allergen
from gym_clinic.facts.records.conditions import Condition, Effect, Measurement
from gym_clinic.facts.records.epidemiology import Pregnancy

Flag = Literal["L", "H", ""]

OTHER, OPPOSITE = 0.08, 0.02
"""Share of abnormal values that a disease does not explain, and of those opposite to it."""

MEASURED = 0.6
"""Weight of measured values, which depend on each other, beside findings."""

VITALS = ("hr", "sbp", "rr", "spo2", "temp_c", "gcs", "pain", "crt_s")

_NO = re.compile(r"^\W*(no|nope|not|never|none|nothing)\b", re.IGNORECASE)


@dataclass
class EncounterReading:
    """What was read so far.

    Attributes:
        present: Ids of findings that are there.
        absent: Ids of findings that are not.
        flags: Measurement -> whether its value is low, high or neither.
        person: Who the patient is; None until the record was read.
        allergens: References of what the patient is allergic to.
        medicines: Ids of the drugs that the patient takes.
        documents: Titles of notes and letters.
    """

    present: set[str] = field(default_factory=set)
    absent: set[str] = field(default_factory=set)
    flags: dict[str, Flag] = field(default_factory=dict)
    person: Person | None = None
    allergens: set[str] = field(default_factory=set)
    medicines: set[str] = field(default_factory=set)
    documents: list[str] = field(default_factory=list)

    def text(self, text: str) -> None:
        """Read findings in a text."""
        for key, there in findings_named(text):
            if there:
                self.present.add(key)
                self.absent.discard(key)
            elif key not in self.present:
                self.absent.add(key)

    def answer(self, asked: str | None, text: str) -> None:
        """Read the answer to a question about a finding; "no" alone denies it."""
        before = set(self.present)
        self.text(text)
        if asked is not None and asked not in self.present and _NO.match(text):
            self.absent.add(asked)
        if asked is not None and asked in before:
            self.absent.discard(asked)

    def response(self, name: str, content: str) -> None:
        """Read the response of a tool."""
        if name in ("read_document", "ask_patient"):
            self.text(content)
            return
        try:
            fields = json.loads(content)
        except ValueError:
            return
        if not isinstance(fields, dict):
            return
        if name == "read_patient_record":
            self._record(fields)
        elif name == "read_history":
            self._history(fields)
        elif name == "read_allergies":
            for one in _listed(fields.get("allergies")):
                self.allergens.update(resolve_allergen(str(one.get("substance"))))
        elif name == "read_medicines":
            for one in _listed(fields.get("medicines")):
                drug = resolve(str(one.get("drug")))
                self.medicines.update(drug.ingredients if drug is not None else ())
        elif name == "list_documents":
            titles = fields.get("documents")
            self.documents = titles if isinstance(titles, list) else []
        elif name == "examine_patient":
            self.text(str(fields.get("findings", "")))
        elif name == "get_vital_signs":
            for key in VITALS:
                if isinstance(fields.get(key), (int, float)):
                    self._measured(key, float(fields[key]))
        elif name == "read_results":
            for one in _listed(fields.get("results")):
                self.text(str(one.get("report", "")))
                for line in _listed(one.get("values")):
                    flag = line.get("flag", "")
                    self.flags[str(line.get("test"))] = flag if flag in ("L", "H") else ""

    def _record(self, fields: Mapping[str, Any]) -> None:
        pregnancy = self.person.pregnancy if self.person is not None else None
        self.person = Person(float(fields["age"]), fields["sex"], pregnancy)

    def _history(self, fields: Mapping[str, Any]) -> None:
        if fields.get("section") == "pregnancy" and self.person is not None:
            entry = str(fields.get("entries"))
            state: Pregnancy | None = "pregnant" if "weeks" in entry else None
            state = "postpartum" if "birth" in entry else state
            self.person = self.person._replace(pregnancy=state)

    def _measured(self, key: str, value: float) -> None:
        low, high = _limits(load().measurements[key], self.person)
        self.flags[key] = "L" if value < low else "H" if value > high else ""

    def ranked(self) -> list[tuple[str, float]]:
        """Return the presenting diseases with their scores, the most likely first."""
        found = [
            (one.disease, one.score + MEASURED * _fit(one.disease, tuple(self.flags.items())))
            for one in differential(self.present, self.absent, self.person)
        ]
        return sorted(found, key=lambda one: (-one[1], one[0]))


def _listed(value: Any) -> Iterable[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _limits(one: Measurement, person: Person | None) -> tuple[float, float]:
    for limits in one.reference:
        fits = person is None or limits.ages[0] <= person.age < limits.ages[1]
        fits = fits and limits.weeks is None
        if fits and (limits.sex is None or person is None or limits.sex == person.sex):
            low = -math.inf if limits.low is None else limits.low
            return low, math.inf if limits.high is None else limits.high
    return -math.inf, math.inf


def _fit(disease: str, flags: tuple[tuple[str, Flag], ...]) -> float:
    """The logarithm of how likely a disease makes these flags."""
    expected = _expected(disease)
    total = 0.0
    for key, flag in flags:
        direction, share = expected.get(key, ("", 0.0))
        if not direction:
            total += math.log(OTHER if flag else 1 - 2 * OTHER)
        elif flag == direction:
            total += math.log(share)
        else:
            total += math.log(OPPOSITE if flag else 1 - share)
    return total


@lru_cache(maxsize=256)
def _expected(disease: str) -> Mapping[str, tuple[Flag, float]]:
    """Measurement -> the flag that a disease gives it, and in which share of its patients."""
    condition = load().conditions[disease]
    found: dict[str, tuple[Flag, float]] = {}
    for form in (condition, *(condition.form(one) for one in condition.variants)):
        for key, effect in {**form.vitals, **form.labs}.items():
            found[key] = _direction(load().measurements[key], effect)
    return found


def _direction(one: Measurement, effect: Effect) -> tuple[Flag, float]:
    """The flag that an effect gives, and how often: by its size in standard deviations."""
    mean, deviation = one.usual if one.usual is not None else (1.0, 0.5)
    if effect.add is not None:
        moved = effect.add[0]
    elif effect.times is not None:
        moved = mean * (effect.times[0] - 1)
    else:
        assert effect.set is not None
        moved = effect.set[0] - mean
    size = abs(moved) / max(deviation, 1e-9)
    share = min(max(0.25 * (size - 0.5), OTHER), 0.9)
    return ("H" if moved > 0 else "L"), share


def explains(condition: Condition, key: str, flag: Flag) -> bool:
    """Return whether a condition moves a measurement in the direction of its flag."""
    return bool(flag) and _expected(condition.id).get(key, ("", 0.0))[0] == flag
