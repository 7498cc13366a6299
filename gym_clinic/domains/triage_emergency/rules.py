"""The rules baseline: a triage nurse who works by the published criteria, and guesses resources.

It measures, asks the same questions of everybody, reads answers by the linker of findings, and
never sees the hidden patient. What a nurse cannot know is guessed: how many resources will be
needed follows from the complaint alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from gym_clinic.action import Dialect
from gym_clinic.clinical.differential import differential, finding_rates
from gym_clinic.clinical.naming import findings_named
from gym_clinic.domain import CallSpec
from gym_clinic.domains.triage_emergency.acuity import CALM, danger_zone, level
from gym_clinic.domains.triage_emergency.complaints import CHILDBEARING
from gym_clinic.domains.triage_emergency.placement import NO_PATHWAY, protocols
from gym_clinic.facts import load

QUESTIONS = (
    "When did it start?",
    "Do you have chest pain, dyspnea or syncope?",
    "Do you have fever, cough or vomiting?",
    "Do you have headache, hemiparesis or slurred speech?",
    "Do you have abdominal pain or bleeding?",
)
"""What everybody is asked."""

ALARMS = frozenset({
    "Angioedema", "Antepartum hemorrhage", "Aphasia", "Confusion", "Hematemesis", "Hemiparesis",
    "Loss of consciousness", "Melena", "Nuchal rigidity", "Overdose of tablets", "Paraplegia",
    "Reduced consciousness/confusion", "Saddle anaesthesia", "Seizure", "Slurred speech",
    "Stridor", "Suicidal ideation", "Testicular pain", "Thunderclap headache",
    "Unilateral facial palsy", "Visual loss", "Weakness of facial musculature",
    "Aggressive behavior", "Post-partum hemorrhage", "Coffee ground vomitus",
})  # fmt: skip
"""Findings that a nurse takes for a high-risk situation."""

BLEEDS = frozenset({"Hematemesis", "Melena", "Hematochezia", "Coffee ground vomitus",
                    "Abnormal vaginal bleeding"})  # fmt: skip
BIRTH = frozenset({"Antepartum hemorrhage", "Post-partum hemorrhage"})
ALLERGY = frozenset({"Angioedema", "Contact with an allergen", "Throat tightness", "Urticaria"})
BREATH = frozenset({"Dyspnea", "Wheezing", "Stridor"})
HEART = frozenset({"Chest pain", "Palpitations", "Syncope"})
NERVES = frozenset({"Hemiparesis", "Slurred speech", "Aphasia", "Unilateral facial palsy",
                    "Weakness of facial musculature", "Vertigo", "Visual loss"})  # fmt: skip
AIRBORNE = frozenset({"Vesicular eruption", "Hemoptysis", "Anosmia"})
POISON = frozenset({"Overdose of tablets", "Exposure to fumes or smoke"})
DELIVERED = frozenset({"Recent childbirth"})
TWO = frozenset({"Abdominal pain", "Dyspnea", "Flank pain", "Jaundice", "Pelvic pain", "Vomiting",
                 "Weight loss", "Hematochezia", "Pedal edema", "Psychosis"})  # fmt: skip
"""Complaints for which tests and treatment are usual."""
ONE = frozenset({"Dysuria", "Fatigue", "Arthralgia", "Palpitations", "Pharyngalgia", "Dizziness",
                 "Vertigo", "Diarrhea", "Joint swelling", "Pallor"})  # fmt: skip
"""Complaints for which one kind of test is usual."""

TOGETHER: Mapping[str, tuple[CallSpec, ...]] = {
    "stroke": (("order_study", {"study": "ct-head"}),),
    "sepsis": (("order_study", {"study": "blood-culture"}), ("order_lab", {"tests": ["lactate"]})),
    "diabetic emergency": (
        ("order_lab", {"tests": ["venous-blood-gas", "ketones"]}),
        ("give_fluids", {"fluid": "saline", "millilitres": 500}),
    ),
}
"""Protocol -> what is ordered with it."""

LIKELY, AT_ONCE = 4, 4
"""Diseases that are thought of, and findings of one question."""

EXAMINED = ("skin", "chest", "abdomen", "neurology", "limbs", "head and neck", "heart", "joints",
            "eyes", "ears nose throat")  # fmt: skip
"""Parts that are examined at the door."""

SEVERE, GROWN = 7, 16
"""Pain from which on, and age in years from which on, paracetamol is given."""

ADULT_HEART = 35
"""Age in years from which on chest pain is taken for the heart."""

HIGH_GLUCOSE = 250.0
"""Bedside glucose in mg/dL from which on a diabetic emergency is thought of."""

NORMAL: Mapping[str, tuple[float, float]] = {
    "hr": (60, 100), "rr": (12, 20), "spo2": (95, 100), "sbp": (100, 140), "temp_c": (36, 37.8),
    "gcs": (15, 15),
}  # fmt: skip
"""Vital sign -> what is normal for adults."""

MOST_VITALS, MOST_CITED = 2, 7
"""Vital signs and findings that the answer cites, at most."""

_AGE = re.compile(r", (?P<number>[\d.]+) (?P<unit>years|months?), (?P<sex>male|female)")
_PER_YEAR = {"years": 1.0, "months": 12.0, "month": 12.0}


class DialectOwner(Protocol):
    """What a baseline reads of the environment it acts in."""

    dialect: Dialect


@dataclass
class NurseNotes:
    """What the nurse has read.

    Attributes:
        age: In years.
        told: Finding -> whether the patient has it.
        row: The last vital signs.
        ecg: The report of the ECG.
        screen: What the stroke screen found.
        glucose: Bedside glucose.
        warning: NEWS2 of the sepsis screen.
        department: The state of the department.
        flags: Red flags of the complaints, by the card of the department.
        fertile: Whether that card asks this woman for a pregnancy.
        retains: Whether a chronic obstructive lung disease is on the record.
        female: Whether the patient is female.
    """

    age: float = 40.0
    told: dict[str, bool] = field(default_factory=dict)
    row: Mapping[str, Any] = field(default_factory=dict)
    ecg: str = ""
    screen: Mapping[str, Any] = field(default_factory=dict)
    glucose: float = 0.0
    warning: float = 0.0
    department: Mapping[str, Any] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    fertile: bool = False
    retains: bool = False
    female: bool = False

    @property
    def has(self) -> frozenset[str]:
        """Names of the findings that are there, with the more general ones."""
        facts = load()
        ids = {one for key, there in self.told.items() if there
               for one in (key, *facts.above.get(key, ()))}  # fmt: skip
        return frozenset(facts.phenotypes[one].name for one in ids if one in facts.phenotypes)


class RulesNurse:
    """A policy for one episode.

    Args:
        dialect: How calls are written.
    """

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._notes = NurseNotes()
        self._batches: Iterator[list[CallSpec]] = iter(())

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the next batch of calls; the last one submits the answer."""
        if "task_id" in info:
            self._notes = NurseNotes()
            self._open(str(info["messages"][-1]["content"]))
            self._batches = self._encounter()
        else:
            for one in info["messages"]:
                if one["role"] == "tool":
                    self._hear(one["name"], str(one["content"]))
        batch = next(self._batches, [])
        return self._dialect.write(batch) if batch else ""

    def _open(self, ticket: str) -> None:
        found = _AGE.search(ticket)
        if found is not None:
            self._notes.age = float(found["number"]) / _PER_YEAR[found["unit"]]
            self._notes.female = found["sex"] == "female"
        self._notes.told.update(findings_named(ticket.rpartition("First words: ")[2]))

    def _hear(self, name: str, text: str) -> None:
        notes = self._notes
        if name == "ask_patient":
            notes.told.update(findings_named(text))
            return
        if name == "read_history":
            notes.retains = "obstructive pulmonary" in text.casefold()
            return
        try:
            found = json.loads(text)
        except ValueError:
            return
        if name == "read_red_flags":
            notes.flags += [one for one in found["ask for"] if one not in notes.flags]
            asked = notes.female and CHILDBEARING[0] <= notes.age <= CHILDBEARING[1]
            notes.fertile |= asked and len(found) > 1
        elif name == "measure_vital_signs":
            notes.row = found
        elif name == "screen_stroke":
            notes.screen = found
        elif name == "measure_glucose":
            notes.glucose = float(found["glucose"])
        elif name == "screen_sepsis":
            notes.warning = float(found.get("news2", 0))
        elif name == "read_department_state":
            notes.department = found
        elif name == "read_results":
            notes.ecg = str(found.get("report", notes.ecg))

    def _encounter(self) -> Iterator[list[CallSpec]]:
        notes = self._notes
        names = load().phenotypes
        there = [names[key].name for key, has in notes.told.items() if has and key in names]
        yield [("measure_vital_signs", {}), ("read_history", {"section": "past illnesses"}),
               *(("read_red_flags", {"complaint": one}) for one in there[:LIKELY]),
               *(("ask_patient", {"question": one}) for one in QUESTIONS)]  # fmt: skip
        yield self._closer()
        yield self._further()
        later: list[CallSpec] = [("read_medicines", {}), ("read_department_state", {})]
        if notes.row.get("pain", 0) >= SEVERE and notes.age >= GROWN and not notes.has & POISON:
            dose = {"drug": "paracetamol", "dose": 1.0, "unit": "g", "route": "po"}
            later = [("read_allergies", {}), ("give_medication", dose), *later]
        if notes.has & HEART:
            later = [("wait", {"minutes": 6}), ("read_results", {"order": "ecg"}), *later]
        yield later
        pathway = self._pathway()
        if pathway != NO_PATHWAY:
            first = [("activate_pathway", {"pathway": protocols()[pathway].activates})]
            yield [*first, *TOGETHER.get(pathway, ())]
        yield [("submit_answer", self._answer(pathway))]

    def _closer(self) -> list[CallSpec]:
        """What vital signs and answers call for."""
        notes, row, has = self._notes, self._notes.row, self._notes.has
        batch: list[CallSpec] = []
        if self._allergic():
            dose = {"drug": "epinephrine", "dose": 0.5, "unit": "mg", "route": "im"}
            batch.append(("give_medication", dose))
        if notes.retains and row.get("spo2", 99) < 88:
            batch.append(("give_oxygen", {"device": "venturi mask", "litres_per_minute": 4}))
        elif not notes.retains and row.get("spo2", 99) < 92:
            batch.append(("give_oxygen", {"device": "face mask", "litres_per_minute": 6}))
        if row.get("sbp", 120) < 90 and notes.age >= 16:
            batch.append(("give_fluids", {"fluid": "balanced crystalloid", "millilitres": 500}))
        if has & HEART:
            batch.append(("order_ecg", {}))
        if has & NERVES:
            batch.append(("screen_stroke", {}))
        if row.get("gcs", 15) < 15 or "Polyuria" in has or "Polydipsia" in has:
            batch.append(("measure_glucose", {}))
        if "Fever" in has or row.get("temp_c", 37.0) >= 38:
            batch.append(("screen_sepsis", {"suspected_infection": True}))
        flags = [one.casefold() for one in notes.flags][:AT_ONCE]
        if flags:
            batch.append(("ask_patient", {"question": f"Do you have {' or '.join(flags)}?"}))
        if notes.fertile:
            batch.append(("ask_patient", {"question": "How many weeks pregnant are you?"}))
        return [*batch, ("examine_patient", {"system": "general"})]

    def _further(self) -> list[CallSpec]:
        """Ask for and examine what the likeliest diseases of the library would show."""
        notes, facts = self._notes, load()
        there = {key for key, has in notes.told.items() if has}
        likely = [
            one.disease
            for one in differential(there, {*notes.told} - there)
            if one.disease in facts.conditions
        ][:LIKELY]
        chances: dict[str, float] = {}
        for disease in likely:
            for key, share in finding_rates()[disease].items():
                if key not in notes.told:
                    chances[key] = chances.get(key, 0.0) + share
        wanted = sorted(chances, key=lambda key: (-chances[key], key))[: 2 * AT_ONCE]
        names = [facts.phenotypes[key].name.casefold() for key in wanted]
        batch: list[CallSpec] = [
            ("ask_patient", {"question": f"Do you have {', '.join(some[:-1])} or {some[-1]}?"})
            for some in (names[:AT_ONCE], names[AT_ONCE:])
            if len(some) > 1
        ]
        sites = [sign.site for disease in likely[:1] for sign in facts.conditions[disease].signs]
        found = next((one for one in sites if one in EXAMINED), None)
        return [*batch, ("examine_patient", {"system": found})] if found else batch

    def _allergic(self) -> bool:
        has = self._notes.has
        return len(has & ALLERGY) >= 2 or bool(has & ALLERGY and has & BREATH)

    def _pathway(self) -> str:
        notes, row, has = self._notes, self._notes.row, self._notes.has
        raised = "st elevation" in notes.ecg.casefold().replace("no st elevation", "")
        positive = {"one side droops", "one arm drifts", "slurred or wrong words"}
        bleeding = bool(has & BLEEDS) and row.get("hr", 0) >= row.get("sbp", 999)
        criteria = {
            "anaphylaxis": self._allergic(),
            "stemi": raised,
            "stroke": bool(positive & {str(one) for one in notes.screen.values()}),
            "obstetric emergency": bool(has & BIRTH) or bool(has & DELIVERED and has & BLEEDS),
            "major haemorrhage": bleeding,
            "sepsis": notes.warning >= 7,
            "diabetic emergency": notes.glucose >= HIGH_GLUCOSE,
            "poisoning": bool(has & POISON),
            "chest pain": "Chest pain" in has and notes.age >= ADULT_HEART,
            "isolation": bool(has & AIRBORNE),
        }
        return next((name for name, met in criteria.items() if met), NO_PATHWAY)

    def _answer(self, pathway: str) -> dict[str, Any]:
        found = self._level(pathway)
        return {
            "level": found,
            "pathway": pathway,
            "disposition": self._place(found, pathway),
            "cited_findings": self._cited(),
            "follow_up": "Vital signs again within 30 minutes.",
        }

    def _level(self, pathway: str) -> int:
        notes, row, has = self._notes, self._notes.row, self._notes.has
        shock = row.get("sbp", 120) < 90 and notes.age >= 10
        poor = row.get("crt_s", 1) >= 3 or row.get("gcs", 15) < 15
        saving = (
            row.get("gcs", 15) <= 8
            or row.get("spo2", 99) < 90
            or (row.get("rr", 15) < 8 and notes.age >= 12)
            or (shock and poor)
            or pathway in ("anaphylaxis", "major haemorrhage")
        )
        risk = bool(has & ALARMS) or ("Chest pain" in has and notes.age >= ADULT_HEART)
        return level(
            {"age": notes.age, **{name: float(row.get(name, CALM[name])) for name in CALM}},
            life_saving=saving,
            high_risk=risk or pathway not in (NO_PATHWAY, "isolation"),
            confused=row.get("gcs", 15) < 15,
            severe_pain=row.get("pain", 0) >= SEVERE,
            resources=self._resources(),
        )

    def _resources(self) -> int:
        notes, row, has = self._notes, self._notes.row, self._notes.has
        if has & TWO or row.get("temp_c", 37.0) >= 38.5 or row.get("pain", 0) >= 6:
            return 2
        return 1 if has & ONE or notes.age >= 65 else 0

    def _place(self, found: int, pathway: str) -> str:
        notes = self._notes
        if found == 1:
            return "resuscitation"
        if found == 2:
            row = {name: float(notes.row.get(name, CALM[name])) for name in CALM}
            calm = not danger_zone(notes.age, row) and not notes.has & ALARMS
            return "standard bed" if calm and pathway == NO_PATHWAY else "monitored bed"
        if pathway == "isolation":
            return "standard bed"
        if found == 3:
            free = notes.department.get("standard beds free", 0)
            return "standard bed" if free else "waiting room"
        return "fast track" if notes.department.get("fast track") == "open" else "waiting room"

    def _cited(self) -> list[dict[str, Any]]:
        """Vital signs outside the normal range or one that is normal, and what was told."""
        cited: list[dict[str, Any]] = []
        for name, (low, high) in NORMAL.items():
            value = self._notes.row.get(name)
            if value is not None and not low <= value <= high and len(cited) < MOST_VITALS:
                cited.append({"finding": f"vital:{name}", "present": True})
        if not cited and self._notes.row:
            cited.append({"finding": "vital:spo2", "present": False})
        names = load().phenotypes
        told = sorted(self._notes.told.items(), key=lambda one: not one[1])
        cited += [{"finding": names[key].name, "present": there} for key, there in told]
        return cited[:MOST_CITED]


def rules(env: DialectOwner) -> Callable[[int], RulesNurse]:
    """Return a maker of the nurse who works by rules.

    Args:
        env: The environment it acts in.
    """
    return lambda seed: RulesNurse(env.dialect)


__all__: Sequence[str] = ("RulesNurse", "rules")
