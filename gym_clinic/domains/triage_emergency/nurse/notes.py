"""What the nurse of the rules baseline has read, and how it reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gym_clinic.clinical.naming import findings_named
from gym_clinic.domains.triage_emergency.complaints import CHILDBEARING
from gym_clinic.domains.triage_emergency.immunity import names_that_weaken
from gym_clinic.facts import load

SKIN = frozenset({"Angioedema", "Flushing", "Urticaria", "Lip swelling", "Tongue swelling",
                  "Weals that come and go"})  # fmt: skip
AIRWAY = frozenset({"Dyspnea", "Wheezing", "Stridor", "Throat tightness", "Syncope"})
CONTACT = "Contact with an allergen"
EXPOSED = {
    CONTACT: re.compile(r"allergic to|allergy to|reacts? to", re.IGNORECASE),
    "Overdose of tablets": re.compile(r"overdose|too many (tablets|pills)", re.IGNORECASE),
}
"""Exposure -> what tells of it in the first words."""

LOW_GLUCOSE, HIGH_GLUCOSE = 70.0, 250.0
"""Bedside glucose in mg/dL below which it is given, and from which on a diabetic emergency is
thought of."""

DAY = 24.0
"""Hours within which pain is new."""

_SPOKEN_FOR = re.compile(
    r"(not able|unable|isn't able|can'?t|cannot) (to )?speak for (him|her|them)sel(f|ves)",
    re.IGNORECASE,
)
"""Words of a crew that are no loss of speech."""

_AGE = re.compile(r", (?P<number>[\d.]+) (?P<unit>year|month|week|day)s?, (?P<sex>male|female)")
_PER_YEAR = {"year": 1.0, "month": 12.0, "week": 52.2, "day": 365.25}
_LONG = re.compile(r"\b(days?|weeks?|months?|years?|fortnight|yesterday)\b", re.IGNORECASE)
_NUMBERS = ("a", "couple of", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
            "eleven", "twelve")  # fmt: skip
_SINCE = re.compile(
    rf"\b(?P<number>\d+|{'|'.join((*_NUMBERS, 'an', 'one', 'two'))}) "
    r"(?P<unit>minute|hour|day|week|month|year)s?\b",
    re.IGNORECASE,
)
_HOURS = {"minute": 1 / 60, "hour": 1.0, "day": 24.0, "week": 168.0, "month": 730.0, "year": 8766.0}
UNDATED, UNDATED_OLD = 12.0, 60.0
"""Hours since it began where the words tell no number: within a day, and longer."""


def hours_said(text: str) -> float | None:
    """Return the hours since something began by an answer; None if it tells no number.

    >>> hours_said("It's been a couple of weeks."), hours_said("On Tuesday.")
    (336.0, None)
    """
    found = _SINCE.search(text)
    if found is None:
        return None
    said = found["number"].lower()
    word = {"an": "a", "one": "a", "two": "couple of"}.get(said, said)
    number = _NUMBERS.index(word) + 1 if word in _NUMBERS else int(word)
    return number * _HOURS[found["unit"].lower()]


@dataclass
class NurseNotes:
    """What the nurse has read.

    Attributes:
        age: In years.
        female: Whether the patient is female.
        told: Finding -> whether the patient has it.
        row: The last vital signs.
        ecg: The report of the ECG.
        screen: What the stroke screen found.
        glucose: Bedside glucose in mg/dL; None if it was not measured.
        warning: NEWS2 of the sepsis screen.
        department: The state of the department.
        flags: Red flags of the complaints, by the card of the department.
        look: What that card says to look at.
        calls_for: Red flag -> what it calls for where it is there, by that card.
        fertile: Whether that card asks this woman for a pregnancy.
        retains: Whether a chronic obstructive lung disease is on the record.
        weak: Whether the record has what weakens the immune system.
        treated: Whether it has a chemotherapy.
        allergies: The text of the record's allergies, in lower case; empty if it was not read.
        seen: Part of the examination -> what it showed, in lower case.
        old: Whether it began a day ago or earlier, by the patient's words.
        hours: Hours since it began, by these; None if they tell no number.
        given: Names of orders that were given.
        medicated: Whether a medicine is among them.
    """

    age: float = 40.0
    female: bool = False
    told: dict[str, bool] = field(default_factory=dict)
    row: Mapping[str, Any] = field(default_factory=dict)
    ecg: str = ""
    screen: Mapping[str, Any] = field(default_factory=dict)
    glucose: float | None = None
    warning: float = 0.0
    department: Mapping[str, Any] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    look: list[str] = field(default_factory=list)
    calls_for: dict[str, list[str]] = field(default_factory=dict)
    fertile: bool = False
    retains: bool = False
    weak: bool = False
    treated: bool = False
    allergies: str = ""
    seen: dict[str, str] = field(default_factory=dict)
    old: bool = False
    hours: float | None = None
    given: set[str] = field(default_factory=set)
    medicated: bool = False

    @property
    def has(self) -> frozenset[str]:
        """Names of the findings that are there, with the more general ones."""
        facts = load()
        ids = {one for key, there in self.told.items() if there
               for one in (key, *facts.above.get(key, ()))}  # fmt: skip
        return frozenset(facts.phenotypes[one].name for one in ids if one in facts.phenotypes)

    @property
    def small_pupils(self) -> bool:
        """Whether the examination showed pupils as after an opioid."""
        return bool(
            re.search(r"pin-?point|\b1(-2)? ?mm|miotic|miosis|tiny", self.seen.get("eyes", ""))
        )

    @property
    def allergic(self) -> bool:
        """Whether skin or contact and airway, breathing or circulation fit anaphylaxis."""
        has = self.has
        low = self.vital("sbp", 120) < 90 or self.vital("spo2", 99) < 92
        fast = self.vital("rr", 15) > (24 if self.age >= 12 else 40)
        within = bool(has & AIRWAY) or low or fast
        return (bool(has & SKIN) or CONTACT in has) and within

    @property
    def since(self) -> float:
        """Hours since it began, about."""
        return self.hours if self.hours is not None else UNDATED_OLD if self.old else UNDATED

    def vital(self, name: str, usual: float) -> float:
        """Return a vital sign of the last row; a usual value if it was not measured."""
        return float(self.row.get(name, usual))

    def open(self, ticket: str) -> None:
        """Read the ticket."""
        found = _AGE.search(ticket)
        if found is not None:
            self.age = float(found["number"]) / _PER_YEAR[found["unit"]]
            self.female = found["sex"] == "female"
        words = ticket.rpartition("First words: ")[2]
        self.told.update(findings_named(_SPOKEN_FOR.sub("", words)))
        self.hours = hours_said(words)
        self.old = self.hours is not None and self.hours >= DAY
        for name, pattern in EXPOSED.items():
            if pattern.search(words):
                self.told[load().finding_ids[name]] = True

    def hear(self, name: str, text: str) -> None:
        """Read what a tool answered."""
        if name == "ask_patient":
            first = not self.old and len(text) < 90
            self.old |= first and bool(_LONG.search(text))
            if self.hours is None:
                self.hours = hours_said(text)
            self.told.update(findings_named(text))
        elif name == "read_history":
            self.retains |= "obstructive pulmonary" in text.casefold()
            self.treated |= "chemotherapy" in text
            self.weak |= any(one in text for one in names_that_weaken(load()))
        elif name == "read_medicines":
            self.weak |= any(one in text for one in names_that_weaken(load()))
        elif name == "read_allergies":
            self.allergies = text.casefold()
        else:
            self._note(name, _fields(text))

    def _note(self, name: str, found: Mapping[str, Any]) -> None:
        if not found:
            return
        if name == "read_red_flags":
            self.flags += [one for one in found["ask for"] if one not in self.flags]
            self.look += [one for one in found["look at"] if one not in self.look]
            self.calls_for.update(found["where it is there"])
            asked = self.female and CHILDBEARING[0] <= self.age <= CHILDBEARING[1]
            self.fertile |= asked and any(one.startswith("women") for one in found)
        elif name == "measure_vital_signs":
            self.row = found
        elif name == "screen_stroke":
            self.screen = found
        elif name == "measure_glucose":
            self.glucose = float(found["glucose"])
        elif name == "screen_sepsis":
            self.warning = float(found.get("news2", 0))
        elif name == "read_department_state":
            self.department = found
        elif name == "examine_patient":
            text = str(found.get("findings", ""))
            self.seen[str(found.get("system"))] = text.casefold()
            self.told.update(findings_named(text))
        elif name == "read_results":
            self.ecg = str(found.get("report", self.ecg))


def _fields(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
