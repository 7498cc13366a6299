"""The patient of a task and the chart that an episode opens with.

A domain uses them like this::

    Domain(..., open_case=open_case, ended=ended, ticket=...)

The record of a task says how its patient is drawn. Its fields are ``seed`` and ``condition`` (as
`draw_patient` takes them), ``split`` (whose phrases are used), ``edit`` (one edit or a list of
them, see :mod:`.edits`; none if absent), ``ticket`` (kinds of documents that the ticket quotes, so
that what they tell is known from the start) and ``blank`` (parts of the chart's record that are
missing from it, such as ``"allergies"``). A domain may add fields of its own.

A patient is drawn once and cached, with the frozen record of the chart; opening a case costs
microseconds then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, TypeVar

import orjson

from gym_clinic.chart import Chart, chart_record
from gym_clinic.chart.record import BEFORE_CARE
from gym_clinic.clinical.edits import apply_edits
from gym_clinic.episode import Episode, Task
from gym_clinic.facts import with_ancestors
from gym_clinic.frozen import Frozen, freeze, thaw
from gym_clinic.simulate.clinic import ClinicPatient, disclosures, draw_patient
from gym_clinic.simulate.clinic.texts import Document, documents

KEPT = 256
"""Patients that are kept in memory, at about 100 kB each."""

MEASURED = 512
"""States, measurements and reports that are kept of a patient."""

Made = TypeVar("Made")

_FIELDS = ("seed", "condition", "split", "edit", "ticket", "blank")


@dataclass(frozen=True, eq=False)
class ClinicWorld:
    """All that is fixed of the patient of a task.

    Attributes:
        patient: The patient, with the edits.
        record: What the chart opens with, frozen.
        texts: The documents from before care, in the order of their times.
        quoted: Fact -> "yes" or "no", of what the ticket's documents tell.
        readings: Measurement -> value, of what the ticket's documents tell.
    """

    patient: ClinicPatient
    record: Frozen
    texts: tuple[Document, ...]
    quoted: Mapping[str, str]
    readings: Mapping[str, float]
    _memo: dict[Any, Any] = field(default_factory=dict, repr=False)

    def once(self, key: Any, make: Callable[[], Made]) -> Made:
        """Return what was made for a key before, by any episode; else make it."""
        if key not in self._memo:
            if len(self._memo) >= MEASURED:
                self._memo.clear()
            self._memo[key] = make()
        found: Made = self._memo[key]
        return found

    def __getstate__(self) -> dict[str, Any]:
        # What was made for a key is made again, the same, where it is asked for.
        return {name: getattr(self, name) for name in self.__dataclass_fields__} | {"_memo": {}}

    @cached_property
    def findings(self) -> frozenset[str]:
        """The findings that the patient has on arrival, with what they imply."""
        told = {one.finding for one in disclosures(self.patient) if one.has}
        there = {key for key, has in self.patient.findings(0).items() if has}
        return frozenset(with_ancestors(told | there, self.patient.facts.above))

    def text_of(self, kind: str) -> str:
        """Return the text of the first document of a kind; empty if there is none."""
        return next((one.text for one in self.texts if one.kind == kind), "")


@lru_cache(maxsize=KEPT)
def _world(key: bytes) -> ClinicWorld:
    record = orjson.loads(key)
    split = record.get("split", "train")
    drawn = draw_patient(record["seed"], record["condition"], split=split)
    patient = apply_edits(drawn, record.get("edit") or ())
    texts = documents(patient, split, kinds=BEFORE_CARE)
    opening = thaw(chart_record(patient, texts, split))
    for name in record.get("blank", ()):
        opening[name] = type(opening[name])()
    quoted, readings = dict[str, str](), dict[str, float]()
    for one in texts:
        if one.kind in record.get("ticket", ()):
            for fact in one.facts:
                if fact.kind == "reading" and fact.value is not None:
                    readings[fact.of] = fact.value
                quoted[f"{fact.kind}:{fact.of}"] = "yes" if fact.has else "no"
    frozen = freeze(opening)
    assert isinstance(frozen, Frozen)
    return ClinicWorld(patient, frozen, texts, quoted, readings)


def open_world(record: Mapping[str, Any]) -> ClinicWorld:
    """Return the world of a task's record; drawn once and kept.

    Raises:
        ConfigError: If the record names an unknown condition.
        TaskError: If an edit does not fit the patient.
    """
    wanted = {name: record[name] for name in _FIELDS if record.get(name) is not None}
    return _world(orjson.dumps(wanted, option=orjson.OPT_SORT_KEYS))


def open_patient(record: Mapping[str, Any]) -> ClinicPatient:
    """Return the patient of a task's record; errors as for `open_world`."""
    return open_world(record).patient


@dataclass(frozen=True)
class TurnMark:
    """How far the agent had read when a turn ended.

    Attributes:
        events: Number of the chart's events.
        told: Facts that had been told.
        shown: Measurements that had been shown.
    """

    events: int = 0
    told: frozenset[str] = frozenset()
    shown: frozenset[str] = frozenset()


_NOTHING = (-1.0, -1.0)
"""Begin and end of the measures of a message before the first of them."""


class ClinicCase(Chart):
    """The chart of an episode of a clinical domain.

    Attributes:
        world: What is fixed of the patient.
        marks: How far the agent had read at the end of each turn; the first is of the ticket.
        judged: What the judge found last, kept for the parts of the reward.
        saved: Minutes that were saved as measures of one message are taken by several hands.
    """

    def __init__(self, world: ClinicWorld) -> None:
        super().__init__(world.record, world.patient)
        self.world = world
        self.judged: tuple[int, Any] | None = None
        self.saved = 0.0
        self._together = _NOTHING
        self.told.update(world.quoted)
        for measurement, value in world.readings.items():
            self.show(measurement, value)
        self.marks = [TurnMark(len(self.events), frozenset(self.told), frozenset(self.shown))]

    def __getstate__(self) -> dict[str, Any]:
        # The judge is the domain's: it does not travel, and judges the same elsewhere.
        return {**self.__dict__, "judged": None}

    def computed(self, key: Any, make: Callable[[], Made]) -> Made:
        """Return what follows from the patient and a key, made once for all episodes."""
        return self.world.once(key, make)

    def work(self, minutes: float) -> None:
        """Let the time of a measure pass: those of one message are the work of a team.

        Those that follow one another begin together, and take as long as the longest of them.
        """
        began, ended = self._together
        began = began if ended == self.minute else self.minute
        left = max(began + minutes - self.minute, 0.0)
        self.spend(left, seen=True)
        self.saved += minutes - left
        self._together = began, self.minute

    def begin_message(self) -> None:
        """Note that the measures that follow are not the work of the team before them."""
        self._together = _NOTHING

    def end_turn(self) -> None:
        """Note how far the agent has read: what an answer of a later turn can rest on."""
        last = self.marks[-1]  # nothing is ever forgotten, so that as many are the same ones
        told = last.told if len(last.told) == len(self.told) else frozenset(self.told)
        shown = last.shown if len(last.shown) == len(self.shown) else frozenset(self.shown)
        self.marks.append(TurnMark(len(self.events), told, shown))


def open_case(task: Task) -> ClinicCase:
    """Open the chart of a task, for `Domain.open_case`."""
    return ClinicCase(open_world(task.record))


def ended(episode: Episode) -> str | None:
    """Return why the encounter is over, for `Domain.ended`; it also marks the end of the turn."""
    case = episode.case
    if not isinstance(case, ClinicCase):
        raise TypeError(f"expected the case of open_case, not {type(case).__name__}")
    case.end_turn()
    return case.ended()
