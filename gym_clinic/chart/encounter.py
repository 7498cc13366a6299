"""The chart of one encounter: a case with a clock.

The record is frozen and shared; what this encounter changes lies in an overlay, as in `Case`. The
patient is the hidden truth, is shared and never copied: whatever is measured is computed from it at
the time, under what was given by then. Tools spend minutes by `Chart.spend`, which ends the
encounter when the patient dies or leaves.
"""

from __future__ import annotations

import copy
import dataclasses
import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from gym_clinic.case import Case
from gym_clinic.chart.catalogue import actions
from gym_clinic.chart.coherence import Contradiction
from gym_clinic.chart.orders import NEVER, Order, OrderKind, given_by
from gym_clinic.chart.outcomes import EncounterOutcome, patience, treatments
from gym_clinic.chart.record import chart_record
from gym_clinic.chart.talk import AskedPatient, PatientAnswer, RulesPatient
from gym_clinic.chart.talk.own_record import OwnRecord
from gym_clinic.errors import ToolError
from gym_clinic.frozen import Frozen, freeze
from gym_clinic.simulate.clinic import ClinicPatient, State
from gym_clinic.simulate.clinic.texts import Document

DIED, LEFT = "died", "left"
"""Why an encounter ended: the patient died, or left without being seen to the end."""

_SHARED = ("patient", "_base", "_computed")

Made = TypeVar("Made")


class Chart(Case):
    """The chart of one encounter.

    Args:
        record: The frozen record, as `chart_record` makes it; one serves any number of episodes.
        patient: The patient; never shown to an agent.
        answers: Who answers questions, such as a chat patient; by rules if None.

    Attributes:
        patient: The patient.
        minute: Minutes since arrival; it never goes back.
        events: What was done, in the words of the safety rules: ``t``, ``tool``, ``args``.
        vitals: Rows of vital signs that were measured by hand, each with its minute.
        shown: Measurement -> the values that the agent has been shown.
        told: Fact -> what was last said of it: by the patient in an answer ("finding:ID" -> "yes",
            as `Said` has it), or in a document that was read ("yes" or "no").
        contradictions: Values that the agent gave and the chart does not support.
        wrong_answers: How many answers failed the check against the record; a metric only.
    """

    def __init__(
        self,
        record: Mapping[str, Any],
        patient: ClinicPatient,
        answers: AskedPatient | None = None,
    ) -> None:
        super().__init__(record)
        self.patient = patient
        self.minute = 0.0
        self.events: list[Frozen] = []
        self.vitals: list[Frozen] = []
        self.shown: dict[str, tuple[float, ...]] = {}
        self.told: dict[str, str] = {}
        self.contradictions: list[Contradiction] = []
        self.wrong_answers = 0
        self.discomfort = 0
        self._seen = 0.0
        self._patience: float | None = None
        self._end: str | None = None
        self._talk = answers
        self._results: dict[str, Frozen] = {}
        self._computed: dict[Any, Any] = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> Chart:
        twin = object.__new__(type(self))
        memo[id(self)] = twin
        for key, value in self.__dict__.items():
            twin.__dict__[key] = value if key in _SHARED else copy.deepcopy(value, memo)
        return twin

    @property
    def talk(self) -> AskedPatient:
        """Who answers for the patient: by rules, unless a chat patient was put here."""
        if self._talk is None:
            record = self.computed("own record", lambda: OwnRecord(self.patient))
            self._talk = RulesPatient(self.patient, self["split"], record)
        return self._talk

    @talk.setter
    def talk(self, talk: AskedPatient) -> None:
        self._talk = talk

    @property
    def now(self) -> datetime.datetime:
        """Date and time."""
        return self.at(self.minute)

    def at(self, minute: float) -> datetime.datetime:
        """Return the date and time of a minute since arrival."""
        return self.patient.arrived + datetime.timedelta(minutes=minute)

    def clock(self, minute: float | None = None) -> str:
        """Return the time of day of a minute, now by default: "09:40"; of another day with it."""
        return _clock(self.patient.arrived, self.minute if minute is None else minute)

    def log(self, tool: str, **arguments: Any) -> None:
        """Note an action for the judge of safety, in the words of its rules."""
        kept = {key: value for key, value in arguments.items() if value is not None}
        self.events.append(Frozen(t=self.minute, tool=tool, args=freeze(kept)))

    def spend(self, minutes: float, *, seen: bool = False) -> None:
        """Let time pass.

        Args:
            minutes: How many minutes.
            seen: Whether the patient is with someone at the end of them.

        Raises:
            ToolError: If the encounter is over, or ends within this time.
        """
        self.check_open()
        target = self.minute + minutes
        if self._patience is None:
            waits = self.computed("patience", lambda: patience(self.patient))
            self._patience = NEVER if waits is None else waits
        leaves = self._seen + self._patience
        until = min(target, leaves)
        death = self.death(until)
        if death is not None and death <= until:
            self.minute, self._end = max(float(death), self.minute), DIED
        elif leaves < target:
            self.minute, self._end = leaves, LEFT
        self.check_open()
        self.minute = target
        if seen:
            self._seen = target

    def work(self, minutes: float) -> None:
        """Let the time of a measure at the patient pass, such as oxygen, a drug or a procedure.

        Args:
            minutes: How long it takes.
        """
        self.spend(minutes, seen=True)

    def check_open(self) -> None:
        """Raise an error if the encounter is over.

        Raises:
            ToolError: It names the end and its time.
        """
        if self._end is not None:
            raise ToolError(f"The patient {self._end} at {self.clock()}. The encounter is over.")

    def ended(self) -> str | None:
        """Return why the encounter is over, for `Domain.ended`; None while it goes on."""
        return self._end

    @property
    def orders(self) -> Mapping[str, Order]:
        """Every order of this encounter, by its number."""
        found: Mapping[str, Order] = self["orders"]
        return found

    def place(
        self,
        kind: OrderKind,
        what: str,
        name: str,
        *,
        done: float,
        due: float | None = None,
        does: tuple[str, ...] = (),
        details: Mapping[str, Any] | None = None,
        cost: float = 0.0,
        discomfort: int = 0,
        repeat: int = 0,
    ) -> Order:
        """Place an order; the arguments are those of `Order`.

        Raises:
            TypeError: If a tool that is not of kind WRITE asks for it.
        """
        placed = self.edit("orders")
        order = Order(
            id=f"o{len(placed) + 1}",
            kind=kind,
            what=what,
            name=name,
            ordered=self.minute,
            done=done,
            due=done if due is None else due,
            actions=does,
            details=freeze(details or {}),
            cost=cost,
            discomfort=discomfort,
            repeat=repeat,
        )
        placed[order.id] = order
        return order

    def cancel(self, order: Order) -> Order:
        """Cancel an order now; what was carried out before stays done."""
        cancelled = dataclasses.replace(order, cancelled=self.minute)
        self.edit("orders")[order.id] = cancelled
        return cancelled

    def given(self, minute: float | None = None) -> dict[str, float]:
        """Return action -> minute of what was given or done by a minute, now by default."""
        return given_by(self.orders.values(), self.minute if minute is None else minute)

    def computed(self, key: Any, make: Callable[[], Made]) -> Made:
        """Return what follows from the patient and a key alone, made once.

        A chart of a patient who is kept for many episodes keeps it for all of them.
        """
        if key not in self._computed:
            self._computed[key] = make()
        found: Made = self._computed[key]
        return found

    def state(self, minute: float | None = None) -> State:
        """Return the true state at a minute, now by default; never shown to an agent."""
        when = self.minute if minute is None else minute
        given = self.given(when)
        key = ("state", when, tuple(sorted(given.items())))
        return self.computed(key, lambda: self.patient.state(when, given))

    def death(self, minute: float) -> int | None:
        """Return the minute of death under what is given by a minute; None if they live."""
        given = self.given(minute)
        key = ("death", tuple(sorted(given.items())))
        return self.computed(key, lambda: self.patient.death(given))

    def show(self, measurement: str, value: float) -> None:
        """Remember that the agent has been shown a value."""
        known = self.shown.get(measurement, ())
        if value not in known:
            self.shown[measurement] = (*known, value)

    def remember(self, order: str, result: Mapping[str, Any]) -> Frozen:
        """Keep a result that was computed, frozen."""
        self._results[order] = freeze(result)
        return self._results[order]

    def remembered(self, order: str) -> Frozen | None:
        """Return a result that was computed before."""
        return self._results.get(order)

    def find_order(self, name: str) -> Order:
        """Return an order by its number, or the last one of a test, study, drug or procedure.

        Raises:
            ToolError: If there is none; the text lists the orders.
        """
        wanted = name.strip().casefold()
        for one in reversed(list(self.orders.values())):
            if wanted in (one.id, one.what.casefold(), one.name.casefold()):
                return one
        known = ", ".join(f"{one.id} ({one.name})" for one in self.orders.values())
        raise ToolError(f"No order '{name[:80]}'. Orders: {known or 'none'}.")

    def carried_out(self) -> Iterator[Order]:
        """Yield the orders that were carried out by now."""
        return (one for one in self.orders.values() if one.happened(self.minute))

    def cost(self) -> float:
        """Return what was spent so far, in US dollars."""
        return sum(one.cost for one in self.carried_out())

    def committed(self) -> dict[str, float]:
        """Return cost in US dollars and number of the orders that stand, carried out or not yet.

        What is ordered just before an encounter ends is done all the same.
        """
        stand = [
            one for one in self.orders.values()
            if one.cancelled is None or one.happened(self.minute)
        ]  # fmt: skip
        return {"cost": round(sum(one.cost for one in stand), 2), "orders": float(len(stand))}

    def discomforts(self) -> int:
        """Return the discomfort so far; one needle serves all samples of a minute."""
        needles: dict[float, int] = {}
        other = self.discomfort
        for one in self.carried_out():
            if one.kind == "laboratory":
                needles[one.done] = max(one.discomfort, needles.get(one.done, 0))
            else:
                other += one.discomfort
        return other + sum(needles.values())

    def ask(self, question: str) -> PatientAnswer:
        """Ask the patient, or who speaks for the patient, and count what the check finds wrong."""
        answer = self.talk.answer(question, self.minute, self.given())
        self.wrong_answers += bool(answer.failures)
        for said in answer.facts:
            self.told[said.fact] = said.value
        return answer

    def outcome(self) -> EncounterOutcome:
        """Return how the encounter went so far; never shown to an agent."""
        given, minute = self.given(), self.minute
        key = ("treatments", minute, tuple(sorted(given.items())))
        found = self.computed(key, lambda: treatments(self.patient, given, minute))
        return EncounterOutcome(self._end, minute, found)

    def metrics(self) -> dict[str, float]:
        """Return figures of the encounter, for `Domain.metrics`; none of them names a diagnosis."""
        return {
            "minutes": self.minute,
            "cost_usd": self.cost(),
            "discomfort": float(self.discomforts()),
            "orders": float(sum(1 for _ in self.carried_out())),
            "contradictions": float(
                sum(one.kind == "contradicts the chart" for one in self.contradictions)
            ),
            "invented_values": float(
                sum(one.kind == "not on the chart" for one in self.contradictions)
            ),
            "wrong_answers": float(self.wrong_answers),
            "died": float(self._end == DIED),
            "left": float(self._end == LEFT),
            "harmed": float(self.outcome().harmed),
        }


def open_chart(
    patient: ClinicPatient, documents: Mapping[str, str] | Iterable[Document] | None = None
) -> Chart:
    """Return a fresh chart of a patient.

    For many episodes of one patient, make the record once by `chart_record`.

    Args:
        patient: The patient.
        documents: Title -> text of notes and letters, or documents.
    """
    return Chart(chart_record(patient, documents), patient)


@lru_cache(maxsize=1 << 12)
def _clock(arrived: datetime.datetime, minute: float) -> str:
    when = arrived + datetime.timedelta(minutes=minute)
    time = f"{when.hour:02}:{when.minute:02}"
    return time if when.date() == arrived.date() else f"{when:%Y-%m-%d} {time}"


def minutes_of(action: str) -> float:
    """Return how long an action takes."""
    return actions().minutes[action]
