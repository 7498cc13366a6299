"""The rules baseline: a textbook reader who asks, examines, tests, and names the likeliest disease.

It reads what it is shown with the linker and the fact tables (:mod:`.reader`), and never the hidden
patient. It looks at everybody in the same way first, then at what the likeliest diseases would
show.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from gym_clinic.action import Dialect
from gym_clinic.chart.catalogue import studies_of, study_price, tests_of
from gym_clinic.clinical.differential import ELSEWHERE, finding_rates
from gym_clinic.domain import CallSpec
from gym_clinic.domains.clinical_diagnosis.deciding import question_about
from gym_clinic.domains.clinical_diagnosis.reader import EncounterReading, explains
from gym_clinic.facts import load
from gym_clinic.facts.named_drugs import is_a
from gym_clinic.facts.records.conditions import Condition
from gym_clinic.facts.records.drugs import CLASS

DRUG, PROCEDURE = "drug:", "procedure:"

FIRST: tuple[CallSpec, ...] = (
    ("read_patient_record", {}),
    ("read_allergies", {}),
    ("read_medicines", {}),
    ("read_history", {"section": "past illnesses"}),
    ("read_history", {"section": "pregnancy"}),
    ("list_documents", {}),
    ("get_vital_signs", {}),
    ("ask_patient", {"question": "What brings you in today?"}),
    ("ask_patient", {"question": "Is there anything else?"}),
)
"""What is looked at first in everybody."""

EXAMINED = ("general", "chest", "heart", "abdomen", "neurology")
TESTED = ("blood-count", "basic-metabolic-panel", "crp")

LIKELY, QUESTIONS, SITES, LABS, STUDIES = 5, 6, 3, 3, 2
"""Diseases that are thought of, and what is asked, examined and ordered because of them."""

DEAREST = 500.0
"""US dollars of a study at most."""

MEASURED = re.compile(
    r"increas|decreas|elevat|reduc|abnormal|circulat|concentration|level|urea|cytosis|penia|"
    r"aemia|emia\b|pnea|cardia|arrhythm|tension|wave|segment|interval|culture|oedema on"
)
"""Names of findings that are measured or seen, which nobody is asked about."""

CITED = 6
"""Findings that the answer cites, at most."""


class PlayedEnvironment(Protocol):
    """What a baseline reads of the environment it acts in."""

    dialect: Dialect


class RulesPhysician:
    """A policy for one episode.

    Args:
        dialect: How calls are written.
    """

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._reading = EncounterReading()
        self._asked: list[str | None] = []
        self._done: set[str] = {*EXAMINED, *TESTED, "ecg"}
        self._batches: Iterator[list[CallSpec]] = iter(())

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the next batch of calls; the last one submits the answer."""
        if "task_id" in info:
            self._reading, self._done = EncounterReading(), {*EXAMINED, *TESTED, "ecg"}
            self._reading.text(_ticket(info))
            self._batches = self._encounter()
        else:
            self._hear([one for one in info["messages"] if one["role"] == "tool"])
        batch = next(self._batches, [])
        self._asked = [one[1].get("about") for one in batch if one[0] == "ask_patient"]
        calls = [
            (name, {key: value for key, value in arguments.items() if key != "about"})
            for name, arguments in batch
        ]
        return self._dialect.write(calls) if calls else ""

    def _hear(self, messages: Sequence[dict[str, Any]]) -> None:
        asked = iter(self._asked)
        for one in messages:
            if one["name"] == "ask_patient":
                self._reading.answer(next(asked, None), one["content"])
            else:
                self._reading.response(one["name"], one["content"])

    def _encounter(self) -> Iterator[list[CallSpec]]:
        reading = self._reading
        yield list(FIRST)
        batch: list[CallSpec] = [("read_document", {"title": one}) for one in reading.documents]
        batch += [("examine_patient", {"system": one}) for one in EXAMINED]
        batch += [("order_lab", {"tests": list(TESTED)}), ("order_ecg", {})]
        yield batch
        yield self._closer()
        yield [("wait", {"minutes": 45}), ("read_results", {})]
        yield self._closer() or [("get_vital_signs", {})]
        yield [("wait", {"minutes": 45}), ("read_results", {})]
        yield [("get_vital_signs", {}), ("wait", {"minutes": 45}), ("read_results", {})]
        name = load().diseases[self._diagnosis().id].name
        yield [
            ("get_guideline", {"topic": name}),
            ("record_diagnosis", {"diagnosis": name, "certainty": "probable"}),
        ]
        yield [("submit_answer", self._answer())]

    def _diagnosis(self) -> Condition:
        return load().conditions[self._reading.ranked()[0][0]]

    def _closer(self) -> list[CallSpec]:
        """Ask, examine and order what tells the likeliest diseases apart."""
        facts = load()
        likely = [one for one, _ in self._reading.ranked()[:LIKELY]]
        batch: list[CallSpec] = []
        known = self._reading.present | self._reading.absent
        rates = [finding_rates()[one] for one in likely]
        spread = {
            one: max(each.get(one, 0.0) for each in rates)
            - min(each.get(one, 0.0) for each in rates)
            for each in rates
            for one in each
            if one not in known and not MEASURED.search(facts.phenotypes[one].name.casefold())
        }
        for one in sorted(spread, key=lambda one: (-spread[one], one))[:QUESTIONS]:
            question = question_about(facts.phenotypes[one].name)
            batch.append(("ask_patient", {"question": question, "about": one}))
        first, second = (facts.conditions[one] for one in likely[:2])
        sites = dict.fromkeys(sign.site for one in (first, second) for sign in one.signs)
        batch += [("examine_patient", {"system": one}) for one in self._fresh(sites, SITES)]
        labs = self._fresh([one for one in first.work_up if one in tests_of(facts)], LABS)
        if labs:
            batch.append(("order_lab", {"tests": labs}))
        asked = [one.test for one in first.distinctions if one.test is not None]
        studies = [one for one in (*asked, *first.work_up) if one in studies_of(facts)]
        cheap = [
            one
            for one in dict.fromkeys(studies)
            if not (price := study_price(one)).invasive and price.cost <= DEAREST
        ]
        batch += [("order_study", {"study": one}) for one in self._fresh(cheap, STUDIES)]
        return batch

    def _fresh(self, names: Iterable[str], most: int) -> list[str]:
        """The first of some names that were not examined or ordered yet; they are now."""
        found = [one for one in names if one not in self._done][:most]
        self._done.update(found)
        return found

    def _answer(self) -> dict[str, Any]:
        facts, ranked = load(), [one for one, _ in self._reading.ranked()[:5]]
        condition = facts.conditions[ranked[0]]
        rates = finding_rates()[condition.id]
        told = [one for one in self._reading.present if rates.get(one, 0.0) > ELSEWHERE]
        told.sort(key=lambda one: (-rates[one], one))
        cited: list[dict[str, Any]] = [
            {"finding": facts.phenotypes[one].name, "present": True} for one in told[:CITED]
        ]
        flagged = [
            key
            for key, flag in sorted(self._reading.flags.items())
            if explains(condition, key, flag)
        ]
        cited += [{"finding": facts.measurements[one].name, "present": True} for one in flagged]
        return {
            "diagnosis": facts.diseases[condition.id].name,
            "differential": [facts.diseases[one].name for one in ranked],
            "disposition": condition.disposition,
            "orders": [{"order": one} for one in self._orders(condition)],
            "follow_up": "Review within a week; come back at once if it gets worse.",
            "cited_findings": cited[:CITED],
        }

    def _orders(self, condition: Condition) -> list[str]:
        """The first treatment of the textbook without what the patient is allergic to."""
        facts = load()
        lists = condition.course.treated_by if condition.course is not None else ()
        line = [one.removeprefix(DRUG) for one in condition.first_line]
        for together in lists:
            chosen: list[str] = []
            for action in together:
                if action.startswith(CLASS):
                    members = [one for one in facts.drugs if is_a(one, action)]
                    likely = [one for one in line if one in members]
                    used = [one for one in members if condition.id in facts.drugs[one].uses]
                    able = [one for one in (*likely, *used, *members) if self._may_have(one)]
                    chosen += [facts.drugs[one].name for one in able[:1]] or [""]
                elif action.startswith(DRUG):
                    drug = action.removeprefix(DRUG)
                    chosen.append(facts.drugs[drug].name if self._may_have(drug) else "")
                else:
                    chosen.append(action)
            if all(chosen):
                return chosen
        return []

    def _may_have(self, drug: str) -> bool:
        return not any(is_a(drug, one) for one in self._reading.allergens)


def _ticket(info: dict[str, Any]) -> str:
    content = info["messages"][-1]["content"]
    return content if isinstance(content, str) else ""


def rules(env: PlayedEnvironment) -> Callable[[int], RulesPhysician]:
    """Make the rules baseline.

    Args:
        env: The environment.
    """
    return lambda seed: RulesPhysician(env.dialect)
