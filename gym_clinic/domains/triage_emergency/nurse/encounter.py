"""The encounter of the rules baseline: what it does, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol

from gym_clinic.action import Dialect
from gym_clinic.clinical.differential import differential, finding_rates
from gym_clinic.domain import CallSpec
from gym_clinic.domains.triage_emergency.acuity_table import calling_for_resources
from gym_clinic.domains.triage_emergency.complaints import ONSET, WORDS
from gym_clinic.domains.triage_emergency.nurse.conclusions import (
    alarmed,
    citations_of_notes,
    level_of_notes,
    pathway_of_notes,
    place_of_notes,
)
from gym_clinic.domains.triage_emergency.nurse.notes import NurseNotes
from gym_clinic.domains.triage_emergency.nurse.orders import (
    SEVERE,
    against_pain,
    at_once,
    by_signs,
    of_protocol,
)
from gym_clinic.domains.triage_emergency.placement import FOLLOW_UP, NO_PATHWAY, protocols
from gym_clinic.facts import load

BEGAN = "When did it start?"

UNSPECIFIC = "malaise"
"""Complaint whose card is read where the first words name none."""

BESIDE: Mapping[str, CallSpec] = {
    WORDS["lookup:glucose"]: ("measure_glucose", {}),
    WORDS["lookup:responses"]: ("observe_responses", {}),
    WORDS["lookup:stroke screen"]: ("screen_stroke", {}),
    WORDS["lookup:sepsis screen"]: ("screen_sepsis", {"suspected_infection": True}),
    WORDS["lookup:trauma screen"]: ("screen_trauma", {}),
}
"""What the card of a complaint says to do -> the call, besides examinations."""

MOST_LOOKED = 3
"""Steps of the cards that are done for the complaints, and again for what is there, at most."""

HEART = frozenset({"Chest pain", "Palpitations", "Syncope"})
NERVES = frozenset({"Hemiparesis", "Slurred speech", "Aphasia", "Unilateral facial palsy",
                    "Weakness of facial musculature", "Vertigo", "Visual loss"})  # fmt: skip

LATE = ("chest pain", "isolation")
"""Protocols that are named after everything was looked at."""

LIKELY, AT_ONCE = 4, 4
"""Diseases that are thought of, and findings of one question."""

EXAMINED = ("skin", "chest", "abdomen", "neurology", "limbs", "head and neck", "heart", "joints",
            "eyes", "ears nose throat")  # fmt: skip
"""Parts that are examined at the door."""


class DialectOwner(Protocol):
    """What a baseline reads of the environment it acts in."""

    dialect: Dialect


class RulesNurse:
    """A policy for one episode.

    Args:
        dialect: How calls are written.
    """

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._notes = NurseNotes()
        self._batches: Iterator[list[CallSpec]] = iter(())
        self._done: list[CallSpec] = []

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the next batch of calls; the last one submits the answer."""
        if "task_id" in info:
            self._notes, self._done = NurseNotes(), []
            self._notes.open(str(info["messages"][-1]["content"]))
            self._batches = self._encounter()
        else:
            for one in info["messages"]:
                if one["role"] == "tool":
                    self._notes.hear(one["name"], str(one["content"]))
        batch = next(filter(None, self._batches), [])  # a step may have nothing to do
        return self._dialect.write(batch) if batch else ""

    def _encounter(self) -> Iterator[list[CallSpec]]:
        notes = self._notes
        record = ("read_history", {"section": "past illnesses"})
        yield [("measure_vital_signs", {}), record, *self._cards()]
        urgent = [*at_once(notes), *self._bedside()]
        if "Poor trace" in str(notes.row.get("comment", "")):
            urgent.append(("measure_vital_signs", {}))
        yield urgent
        yield [*by_signs(notes)]
        yield [*self._allergies(), *self._questions(), *self._steps(notes.look)]
        there = (step for one in notes.flags if one in notes.has
                 for step in self._dated(one, notes.calls_for.get(one, ())))  # fmt: skip
        yield [*at_once(notes), *self._closer(), *self._steps(there)]
        pathway = pathway_of_notes(notes)
        early = pathway not in (NO_PATHWAY, *LATE)
        if early:
            yield [self._activation(pathway), *of_protocol(notes, pathway)]
        yield [*by_signs(notes), *against_pain(notes, pathway), *self._further()]
        later: list[CallSpec] = [("read_medicines", {}), ("read_department_state", {})]
        if "ecg" in notes.given:
            later = [("wait", {"minutes": 6}), ("read_results", {"order": "ecg"}), *later]
        yield later
        if not early:
            pathway = pathway_of_notes(notes)
            activation = [] if pathway == NO_PATHWAY else [self._activation(pathway)]
            yield [*activation, *of_protocol(notes, pathway)]
        yield [("submit_answer", self._answer(pathway))]

    def _bedside(self) -> Iterator[CallSpec]:
        """Glucose, chest and pupils of those whose vital signs call for it."""
        notes = self._notes
        if notes.vital("gcs", 15) < 15:
            yield "measure_glucose", {}
        if notes.vital("gcs", 15) < 13 or (
            notes.vital("gcs", 15) < 15 and notes.vital("rr", 15) < 12
        ):
            yield "examine_patient", {"system": "eyes"}
        if notes.vital("spo2", 99) < 94 or notes.vital("sbp", 120) < 90:
            yield "examine_patient", {"system": "chest"}

    def _cards(self) -> Iterator[CallSpec]:
        names = load().phenotypes
        there = [names[key].name for key, has in self._notes.told.items() if has and key in names]
        complaint = " and ".join(there[:LIKELY]) or UNSPECIFIC
        yield "read_red_flags", {"complaint": complaint}

    def _allergies(self) -> Iterator[CallSpec]:
        """Read the allergies of who will be given a medicine, and with a fever the treatments."""
        notes = self._notes
        feverish = not 36 <= notes.vital("temp_c", 37.0) < 37.8
        drowsy = notes.vital("gcs", 15) < 15
        if feverish:
            yield "read_history", {"section": "procedures"}
        if feverish or notes.medicated or notes.vital("pain", 0) >= SEVERE or drowsy:
            yield "read_allergies", {}

    def _questions(self) -> Iterator[CallSpec]:
        """Ask when it began, if the first words do not tell, for red flags and for a pregnancy.

        Where life is in danger nobody asks on after the first question of the card.
        """
        notes = self._notes
        if notes.hours is None:
            yield "ask_patient", {"question": BEGAN}
        if notes.vital("gcs", 15) < 15:
            question = "Do you have overdose of tablets or exposure to fumes or smoke?"
            yield "ask_patient", {"question": question}
        known = notes.has
        flags = [one.casefold() for one in notes.flags if one not in known]
        dying = level_of_notes(notes, pathway_of_notes(notes)) == 1
        rounds = (flags[:AT_ONCE], flags[AT_ONCE : 2 * AT_ONCE])
        for some in rounds[:1] if dying else rounds:
            if some:
                yield "ask_patient", {"question": f"Do you have {' or '.join(some)}?"}
        if notes.fertile:
            yield "ask_patient", {"question": "How many weeks pregnant are you?"}

    def _steps(self, steps: Iterable[str | CallSpec]) -> Iterator[CallSpec]:
        """Yield the calls of the first steps of a card, each once."""
        calls = [self._call(one) if isinstance(one, str) else one for one in steps]
        new = [one for one in calls if one is not None and one not in self._done]
        for one in new[:MOST_LOOKED]:
            if one not in self._done:
                self._done.append(one)
                yield one

    def _call(self, step: str) -> CallSpec | None:
        kind, _, site = step.partition(": ")
        if kind == "examination":
            return None if site in self._notes.seen else ("examine_patient", {"system": site})
        return BESIDE.get(step)

    def _dated(self, flag: str, steps: Iterable[str]) -> Iterator[str | CallSpec]:
        """The steps of a red flag that is there; when it began is asked for itself."""
        for one in steps:
            asks = ("ask_patient", {"question": f"When did the {flag.casefold()} start?"})
            yield asks if one == WORDS[ONSET] else one

    def _closer(self) -> Iterator[CallSpec]:
        """What answers and vital signs call for."""
        notes, has = self._notes, self._notes.has
        steps: list[str | CallSpec] = []
        if has & NERVES:
            steps.append(("screen_stroke", {}))
        if notes.glucose is None and has & {"Polyuria", "Polydipsia", "Seizure", "Confusion"}:
            steps.append(("measure_glucose", {}))
        if "Fever" in has or notes.vital("temp_c", 37.0) >= 38 or "Chills" in has:
            steps.append(("screen_sepsis", {"suspected_infection": True}))
        yield from self._steps(steps)

    def _further(self) -> list[CallSpec]:
        """Ask for and examine what the likeliest diseases of the library would show."""
        notes, facts = self._notes, load()
        names = facts.phenotypes
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
        called = calling_for_resources()  # the level turns on these
        count = {key: key in names and names[key].name in called for key in chances}
        wanted = sorted(chances, key=lambda key: (not count[key], -chances[key], key))
        wanted = wanted[: 2 * AT_ONCE]
        asked = [names[key].name.casefold() for key in wanted]
        batch: list[CallSpec] = [
            ("ask_patient", {"question": f"Do you have {', '.join(some[:-1])} or {some[-1]}?"})
            for some in (asked[:AT_ONCE], asked[AT_ONCE:])
            if len(some) > 1
        ]
        if alarmed(notes) or notes.vital("gcs", 15) < 15:
            return []  # who is urgent is not asked on
        sites = [sign.site for disease in likely[:2] for sign in facts.conditions[disease].signs]
        new = dict.fromkeys(one for one in sites if one in EXAMINED and not notes.seen)
        return [*batch, *(("examine_patient", {"system": one}) for one in [*new][:1])]

    def _activation(self, pathway: str) -> CallSpec:
        return "activate_pathway", {"pathway": protocols()[pathway].activates}

    def _answer(self, pathway: str) -> dict[str, Any]:
        found = level_of_notes(self._notes, pathway)
        return {
            "level": found,
            "pathway": pathway,
            "disposition": place_of_notes(self._notes, found, pathway),
            "cited_findings": citations_of_notes(self._notes, found),
            "follow_up": FOLLOW_UP[found],
        }


def rules(env: DialectOwner) -> Callable[[int], RulesNurse]:
    """Return a maker of the nurse who works by rules.

    Args:
        env: The environment it acts in.
    """
    return lambda seed: RulesNurse(env.dialect)
