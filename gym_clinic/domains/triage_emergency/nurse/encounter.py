"""The encounter of the rules baseline: what it does, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from gym_clinic.action import Dialect
from gym_clinic.clinical.differential import differential, finding_rates
from gym_clinic.domain import CallSpec
from gym_clinic.domains.triage_emergency.nurse.conclusions import (
    citations_of_notes,
    level_of_notes,
    pathway_of_notes,
    place_of_notes,
)
from gym_clinic.domains.triage_emergency.nurse.notes import NurseNotes
from gym_clinic.domains.triage_emergency.nurse.orders import (
    against_pain,
    at_once,
    by_signs,
    of_protocol,
)
from gym_clinic.domains.triage_emergency.placement import NO_PATHWAY, protocols
from gym_clinic.facts import load

FIRST = "Do you have chest pain, dyspnea or syncope?"
QUESTIONS = (
    "When did it start?",
    "Do you have fever, cough or vomiting?",
    "Do you have headache, hemiparesis or slurred speech?",
    "Do you have abdominal pain or bleeding?",
)
"""What everybody is asked."""

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

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the next batch of calls; the last one submits the answer."""
        if "task_id" in info:
            self._notes = NurseNotes()
            self._notes.open(str(info["messages"][-1]["content"]))
            self._batches = self._encounter()
        else:
            for one in info["messages"]:
                if one["role"] == "tool":
                    self._notes.hear(one["name"], str(one["content"]))
        batch = next(self._batches, [])
        return self._dialect.write(batch) if batch else ""

    def _encounter(self) -> Iterator[list[CallSpec]]:
        notes = self._notes
        first = ("ask_patient", {"question": FIRST})
        record = ("read_history", {"section": "past illnesses"})
        yield [("measure_vital_signs", {}), first, record]
        urgent = [*at_once(notes), *self._bedside()]
        if "Poor trace" in str(notes.row.get("comment", "")):
            urgent.append(("measure_vital_signs", {}))
        if urgent:
            yield urgent
        saving = [*by_signs(notes)]
        if saving:
            yield saving
        yield [
            ("read_allergies", {}),
            *self._cards(),
            *(("ask_patient", {"question": one}) for one in QUESTIONS),
        ]
        yield [*at_once(notes), *self._closer()]
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
            last = [*activation, *of_protocol(notes, pathway)]
            if last:
                yield last
        yield [("submit_answer", self._answer(pathway))]

    def _bedside(self) -> Iterator[CallSpec]:
        """Glucose, chest and pupils of those whose vital signs call for it."""
        notes = self._notes
        if notes.vital("gcs", 15) < 15:
            yield "measure_glucose", {}
        if notes.vital("gcs", 15) < 15 and notes.vital("rr", 15) < 12:
            yield "examine_patient", {"system": "eyes"}
        if notes.vital("spo2", 99) < 94 or notes.vital("sbp", 120) < 90:
            yield "examine_patient", {"system": "chest"}

    def _cards(self) -> Iterator[CallSpec]:
        names = load().phenotypes
        there = [names[key].name for key, has in self._notes.told.items() if has and key in names]
        for one in there[:LIKELY]:
            yield "read_red_flags", {"complaint": one}

    def _closer(self) -> Iterator[CallSpec]:
        """What answers and vital signs call for."""
        notes, has = self._notes, self._notes.has
        if has & NERVES:
            yield "screen_stroke", {}
            yield "examine_patient", {"system": "neurology"}
        if notes.glucose is None and has & {"Polyuria", "Polydipsia", "Seizure", "Confusion"}:
            yield "measure_glucose", {}
        if "Fever" in has or notes.vital("temp_c", 37.0) >= 38 or "Chills" in has:
            yield "screen_sepsis", {"suspected_infection": True}
        if notes.vital("gcs", 15) < 15:
            question = "Do you have overdose of tablets or exposure to fumes or smoke?"
            yield "ask_patient", {"question": question}
        flags = [one.casefold() for one in notes.flags]
        for some in (flags[:AT_ONCE], flags[AT_ONCE : 2 * AT_ONCE]):
            if some:
                yield "ask_patient", {"question": f"Do you have {' or '.join(some)}?"}
        if notes.fertile:
            yield "ask_patient", {"question": "How many weeks pregnant are you?"}
        yield "examine_patient", {"system": "general"}

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
        sites = [sign.site for disease in likely[:2] for sign in facts.conditions[disease].signs]
        new = dict.fromkeys(one for one in sites if one in EXAMINED and one not in notes.seen)
        return [*batch, *(("examine_patient", {"system": one}) for one in [*new][:2])]

    def _activation(self, pathway: str) -> CallSpec:
        return "activate_pathway", {"pathway": protocols()[pathway].activates}

    def _answer(self, pathway: str) -> dict[str, Any]:
        found = level_of_notes(self._notes, pathway)
        return {
            "level": found,
            "pathway": pathway,
            "disposition": place_of_notes(self._notes, found, pathway),
            "cited_findings": citations_of_notes(self._notes, found),
            "follow_up": "Vital signs again within 30 minutes.",
        }


def rules(env: DialectOwner) -> Callable[[int], RulesNurse]:
    """Return a maker of the nurse who works by rules.

    Args:
        env: The environment it acts in.
    """
    return lambda seed: RulesNurse(env.dialect)
