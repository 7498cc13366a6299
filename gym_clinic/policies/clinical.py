"""Cheap tricks on clinical domains; none of them may earn much.

Each ends with the best constant answer of the domain's menu, fitted on a small sample of the train
split, and adds what its idea is. They read the ticket and what tools return, and the fact tables;
nothing else.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from gym_clinic.chart.catalogue import studies_of, tests_of
from gym_clinic.domain import CallSpec, Menu
from gym_clinic.embedded import linker
from gym_clinic.env import ClinicEnv
from gym_clinic.facts import load
from gym_clinic.images import text_of
from gym_clinic.names import at_least_one
from gym_clinic.policies.arguments import sample
from gym_clinic.policies.fitted.constants import ConstantSearch, best_labels, by_tool, fitted
from gym_clinic.policies.moves import Playbook
from gym_clinic.policies.playing import Action, Maker

FIT = 24
"""Tasks of the train split on which the constant answer is fitted."""

MOST_TESTS, MOST_ORDERS, MOST_CITED = 12, 12, 12
"""Tests of one order, orders and citations of one answer."""

WATCHED = ("INR", "potassium", "creatinine", "sodium", "ALT", "ECG", "glucose", "haemoglobin")
"""What is watched of everybody, where an answer plans tests."""

TEAMS = ("stroke", "sepsis", "cath_lab", "massive_transfusion")
"""Protocols that call a team."""

LONGEST_WAIT = 240
"""Minutes until everything that was ordered is back."""

Trick = Callable[["_Encounter"], Iterator[list[CallSpec]]]


@dataclass
class _Encounter:
    """What a trick knows.

    Attributes:
        ticket: The text of the ticket.
        tools: Name -> schema of its parameters.
        answer: Name and arguments of the submission; a trick changes the arguments.
        draw: The source of randomness.
        last: The texts that the calls before returned.
    """

    ticket: str
    tools: Mapping[str, Mapping[str, Any]]
    answer: tuple[str, dict[str, Any]]
    draw: random.Random
    last: list[str]

    def has(self, name: str) -> bool:
        """Return whether there is such a tool."""
        return name in self.tools

    def fill(self, field: str, value: Any) -> None:
        """Set a field of the answer, where it has one of that name."""
        if field in self.tools[self.answer[0]].get("properties", {}):
            self.answer[1][field] = value


class _Trickster:
    """Plays a trick call by call, then gives the answer.

    Args:
        playbook: Tickets and menus.
        label: The menu of a ticket -> label of the constant answer.
        trick: The trick.
        seed: Seed of the source of randomness.
    """

    def __init__(
        self, playbook: Playbook, label: Callable[[Menu], str], trick: Trick, seed: int
    ) -> None:
        self._playbook, self._label, self._trick, self._seed = playbook, label, trick, seed
        self._encounter: _Encounter | None = None
        self._batches: Iterator[list[CallSpec]] = iter(())
        self._turns = 0

    def act(self, observation: str, info: dict[str, Any]) -> Action:
        """Return the next calls; the answer when there are none left, or on the last turn."""
        if "task_id" in info:
            self._open(info)
        assert self._encounter is not None
        self._encounter.last = [str(one.get("content")) for one in info["messages"]]
        self._turns -= 1
        batch = next(filter(None, self._batches), None) if self._turns > 0 else None
        calls = batch or [self._encounter.answer]
        return [{"name": name, "arguments": arguments} for name, arguments in calls]

    def _open(self, info: dict[str, Any]) -> None:
        menu = self._playbook.menu(self._playbook.task(info))
        move = menu.answers[self._label(menu)]
        assert not isinstance(move, str)
        name, arguments = move[-1]
        functions = [one["function"] for one in info["tools"]]
        self._encounter = _Encounter(
            ticket=text_of(info["messages"][-1]["content"]),
            tools={one["name"]: one["parameters"] for one in functions},
            answer=(name, orjson.loads(orjson.dumps(dict(arguments)))),
            draw=random.Random(f"{self._seed}"),
            last=[],
        )
        self._turns = int(info["max_turns"])
        self._batches = self._trick(self._encounter)


def _made(env: ClinicEnv, trick: Trick, tasks: int, by_kind: bool = False) -> Maker:
    label = fitted(env, ConstantSearch, by_tool, at_least_one("tasks", tasks)).best_label() or ""
    labels = best_labels(env, tasks) if by_kind else {}
    playbook = Playbook(env)
    return lambda seed: _Trickster(playbook, lambda menu: labels.get(menu.kind, label), trick, seed)


def order_everything(env: ClinicEnv, tasks: int = FIT) -> Maker:
    """Order every test and study, wait, read all results, and give the constant answer."""
    return _made(env, _order_everything, tasks)


def _order_everything(encounter: _Encounter) -> Iterator[list[CallSpec]]:
    facts = load()
    tests = sorted(tests_of(facts))
    chunks = [tests[at : at + MOST_TESTS] for at in range(0, len(tests), MOST_TESTS)]
    calls: list[CallSpec] = []
    if encounter.has("order_lab"):
        calls += [("order_lab", {"tests": chunk}) for chunk in chunks]
    if encounter.has("order_study"):
        calls += [("order_study", {"study": one}) for one in studies_of(facts)]
    yield from _looks(encounter)
    yield calls
    if encounter.has("wait"):
        yield [("wait", {"minutes": LONGEST_WAIT})]
    if encounter.has("read_results"):
        yield [("read_results", {})]
    watched = [{"test": one, "first_day": 7} for one in WATCHED]
    encounter.fill("plan", {"monitoring": watched})  # where nothing is ordered but in the answer


def _looks(encounter: _Encounter) -> Iterator[list[CallSpec]]:
    """Read what tools without required arguments read."""
    looks = (
        "measure_vital_signs", "get_vital_signs", "read_patient_record", "read_allergies",
        "read_medicines", "read_laboratory_results",
    )  # fmt: skip
    yield [(name, {}) for name in looks if encounter.has(name)]


def prescribe_everything(env: ClinicEnv, tasks: int = FIT) -> Maker:
    """Give and advise the treatments that are the first of most conditions."""
    return _made(env, _prescribe_everything, tasks)


def _prescribe_everything(encounter: _Encounter) -> Iterator[list[CallSpec]]:
    names = [one.removeprefix("drug:") for one in _common_treatments() if one.startswith("drug:")]
    given: list[CallSpec] = []
    if encounter.has("give_medication"):
        dose = {"dose": 100, "unit": "mg", "route": "iv"}
        given = [("give_medication", {"drug": one, **dose}) for one in names[:MOST_ORDERS]]
    yield given
    advised = [
        {"order": one.partition(":")[2] or one, "dose": 100, "unit": "mg", "route": "iv",
         "per_day": 1}
        for one in _common_treatments()[:MOST_ORDERS]
    ]  # fmt: skip
    encounter.fill("orders", advised)
    encounter.fill("plan", {"add": names[:MOST_ORDERS], "alternative": names[0]})


def _common_treatments() -> list[str]:
    count = Counter(one for condition in load().conditions.values()
                    for one in condition.first_line)  # fmt: skip
    return [one for one, _ in count.most_common() if not one.startswith("class:")]


def every_instrument(env: ClinicEnv, tasks: int = FIT) -> Maker:
    """Compute every score from invented values."""
    return _made(env, _every_instrument, tasks)


def _every_instrument(encounter: _Encounter) -> Iterator[list[CallSpec]]:
    made: list[CallSpec] = []
    for name, schema in encounter.tools.items():
        if name.startswith(("calculate_", "screen_")):
            needed = {**schema, "required": list(schema.get("properties", {}))}
            made.append((name, sample(needed, encounter.draw, ["yes", "no"])))
    yield made


def keyword_salad(env: ClinicEnv, tasks: int = FIT) -> Maker:
    """Cite every finding and every value that the ticket names, and name many diseases."""
    return _made(env, _keyword_salad, tasks)


def _keyword_salad(encounter: _Encounter) -> Iterator[list[CallSpec]]:
    linked = linker().link(encounter.ticket)
    findings = list(dict.fromkeys(one.record.name for one in linked))
    encounter.fill("cited_findings", [{"finding": one} for one in findings[:MOST_CITED]])
    diseases = [one.name for one in load().diseases.values()]
    encounter.fill("differential", encounter.draw.sample(diseases, 5))
    encounter.fill("follow_up", " ".join(findings))
    yield from ()


def negated_orders(env: ClinicEnv, tasks: int = FIT) -> Maker:
    """Name treatments and findings in the negative, in the hope that the names alone count."""
    return _made(env, _negated_orders, tasks)


def _negated_orders(encounter: _Encounter) -> Iterator[list[CallSpec]]:
    named = [one.partition(":")[2] or one for one in _common_treatments()[:MOST_ORDERS]]
    encounter.fill("orders", [{"order": f"do not give {one}"} for one in named])
    linked = linker().link(encounter.ticket)
    findings = dict.fromkeys(one.record.name for one in linked)
    encounter.fill("cited_findings", [{"finding": f"no {one}"} for one in findings][:MOST_CITED])
    encounter.fill("plan", {"stop": [f"do not stop {one}" for one in named]})
    yield from ()


def answer_without_looking(env: ClinicEnv, tasks: int = FIT, by_kind: bool = False) -> Maker:
    """Give the constant answer at once; one for each kind of request, where `by_kind` asks so."""
    return _made(env, lambda encounter: iter(()), tasks, by_kind)


def look_once(env: ClinicEnv, tasks: int = FIT) -> Maker:
    """Measure the vital signs, cite them all as normal, and give the constant answer."""
    return _made(env, _look_once, tasks)


def _look_once(encounter: _Encounter) -> Iterator[list[CallSpec]]:
    yield from _looks(encounter)
    for text in encounter.last:
        try:
            row = orjson.loads(text)
        except ValueError:
            continue
        if isinstance(row, dict) and "hr" in row:
            numbers = {key: value for key, value in row.items() if isinstance(value, int | float)}
            cited = [
                {"finding": key, "present": False, "value": value} for key, value in numbers.items()
            ]
            encounter.fill("cited_findings", cited)


def refer_everyone(env: ClinicEnv, tasks: int = FIT) -> Maker:
    """Ask several services and send everybody to the ward, or as high as the answer allows.

    Where protocols call the teams, call several; where a drug is asked about, put it off.
    """
    return _made(env, _refer_everyone, tasks)


def _refer_everyone(encounter: _Encounter) -> Iterator[list[CallSpec]]:
    yield from _looks(encounter)
    asked = ("internal medicine", "surgery", "intensive care", "cardiology", "neurology")
    if encounter.has("activate_pathway"):
        yield [("activate_pathway", {"pathway": one}) for one in TEAMS]
    if encounter.has("consult_service"):
        yield [("consult_service", {"service": one, "question": "Please see."}) for one in asked]
    fields = encounter.tools[encounter.answer[0]].get("properties", {})
    allowed: Sequence[str] = fields.get("disposition", {}).get("enum", ())
    for wanted in ("intensive care", "ward", "resuscitation"):
        if wanted in allowed:
            encounter.fill("disposition", wanted)
            break
    encounter.fill("orders", [{"order": f"consult:{one}"} for one in asked])
    encounter.fill("verdict", "do not start")
    encounter.fill("plan", {"wait_days": 14})
