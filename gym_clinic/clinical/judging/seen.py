"""What the agent has read of a chart, derived from what its tools did; never shown to it.

A gold lists under ``read`` the keys that must have been read before the answer. The keys:

* ``vital:sbp``, ``lab:troponin``: a measurement of which a value was shown; it counts for others of
  the same substance, such as the capillary glucose for the glucose of the laboratory.
* ``study:ecg``: a report that was read; of an image also those of the same region that see no more
  than it does. ``site:abdomen``: a part that was examined.
* ``told:HP:0002027``: a finding that the patient, or a document that was read, said to be there or
  not to be there. What is there implies its more general findings; what is not there implies its
  special forms: who denies bleeding need not be asked for blood in the vomit.
* ``onset:HP:0002027``: when a finding began, as the patient or a document told.
* ``record:patient``, ``record:allergies``, ``record:medicines``, ``record:history:habits``: a part
  of the record that was read.
* ``medicine:warfarin``, ``allergy:class:penicillin``, ``condition:asthma``, ``habit:smoking``,
  ``pregnancy``: what was found there, or was told.
* ``told:medicines``, ``told:allergies``, ``told:past``: the patient was asked about all of them.
* ``document:TITLE``: a document that was read. ``kind:letter``: one of that kind.
* ``score:qsofa``: a score that was computed.
* ``guideline:DISEASE``, ``knowledge``, ``lookup:KEY``: tools of knowledge note what they answered
  by ``case.log("get_guideline", disease=ID)``, ``case.log("search_knowledge")`` and
  ``case.log("look_up", key=KEY)``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any

from gym_clinic.chart import Chart
from gym_clinic.chart.catalogue import studies_of
from gym_clinic.chart.talk.hearing import areas
from gym_clinic.chart.talk.meaning import DENIED_PLAINLY
from gym_clinic.clinical.world import ClinicCase, TurnMark
from gym_clinic.episode import Episode
from gym_clinic.facts import Facts, load
from gym_clinic.facts.hierarchy import descendants
from gym_clinic.facts.records.drugs import CLASS
from gym_clinic.simulate.clinic.examination.imaging import sees
from gym_clinic.simulate.clinic.finding_lists import alike

BROADEST = 40
"""Special forms of a finding whose denial counts for them, at most: "no pain" is too broad."""

_NOT_SAID = ("unknown", "")
_TOLD_OF_ALL = ("medicines", "allergies", "past")
_FOUND = ("medicine", "allergy", "condition", "habit")

Arguments = Mapping[str, Any]


def seen(chart: Chart, until: TurnMark | None = None) -> frozenset[str]:
    """Return the keys of what the agent has read.

    Args:
        chart: The chart.
        until: Up to the end of a turn; all that was read by now if None.
    """
    events = chart.events if until is None else chart.events[: until.events]
    found: set[str] = set()
    for event in events:
        maker = _BY_TOOL.get(event["tool"])
        if maker is not None:
            found.update(maker(chart, event["args"]))
    facts = chart.patient.facts
    alike = _alike_in(facts.folder)
    for measurement in chart.shown if until is None else until.shown:
        found.update(alike[measurement])
    for fact, value in chart.told.items():
        if until is None or fact in until.told:
            found |= _keys_told(facts.folder, fact, value)
    return frozenset(found)


def seen_before_answer(episode: Episode) -> frozenset[str]:
    """Return what was read before the message with the answer; else up to now.

    What is called in the same message as the answer comes too late to be used in it.
    """
    case = episode.case
    if not isinstance(case, ClinicCase):
        raise TypeError(f"expected the case of open_case, not {type(case).__name__}")
    if episode.answer is None:
        return seen(case)
    return seen(case, case.marks[min(answer_turn(episode), len(case.marks) - 1)])


def answer_turn(episode: Episode) -> int:
    """Return the number of the turn with which the message of the answer, the last, begins."""
    last = len(episode.turns) - 1
    while last > 0 and episode.turns[last].same_message:
        last -= 1
    return last


def told_alike(facts: Facts, key: str) -> tuple[str, ...]:
    """Return the keys of the findings that mean the same to a clinician, the given one first.

    Such as pain of the testicle and of the scrotum; by an authored list. Each is cited only where
    it is so itself.
    """
    return _told_alike(facts.folder).get(key, (key,))


def is_read(facts: Facts, key: str, read: Collection[str]) -> bool:
    """Return whether something, or a finding that means the same, is among what was read."""
    return any(one in read for one in told_alike(facts, key))


@lru_cache(maxsize=2)
def _told_alike(folder: Any) -> Mapping[str, tuple[str, ...]]:
    ids = load(folder).finding_ids
    keys = {name: f"told:{ids[name]}" for name in alike()}
    return {keys[name]: (keys[name], *(keys[one] for one in alike()[name])) for name in keys}


def measured_alike(facts: Facts, measurement: str) -> tuple[str, ...]:
    """Return the keys of a measurement and of those of the same substance, its own first."""
    return _alike_in(facts.folder)[measurement]


@lru_cache(maxsize=2)
def _alike_in(folder: Any) -> Mapping[str, tuple[str, ...]]:
    measured = load(folder).measurements
    substance = {one: each.formula if each.formula in measured else one
                 for one, each in measured.items()}  # fmt: skip
    keys = {
        one: f"{'vital' if each.kind == 'vital' else 'lab'}:{one}" for one, each in measured.items()
    }
    return {
        one: (keys[one], *(keys[it] for it in measured if it != one and substance[it] == of))
        for one, of in substance.items()
    }


@lru_cache(maxsize=1 << 13)
def _keys_told(folder: Any, fact: str, value: str) -> frozenset[str]:
    """The keys of a fact that was told."""
    return frozenset(_told(load(folder), fact, value))


def _told(facts: Facts, fact: str, value: str) -> Iterator[str]:
    kind, _, of = fact.partition(":")
    if value in _NOT_SAID:
        return
    if kind == "finding":
        yield f"told:{of}"
        implied = special_forms(facts, of) if value == "no" else facts.above.get(of, ())
        yield from (f"told:{one}" for one in implied)
    elif kind == "onset":
        yield fact
    elif kind == "area" and of in DENIED_PLAINLY and value == "no":
        yield from (f"told:{facts.finding_ids[one]}" for one in areas()[of])
    elif fact in _TOLD_OF_ALL:
        yield f"told:{fact}"
    elif fact == "life:pregnant" or kind == "pregnancy":
        yield "pregnancy"
    elif kind == "past" and of in facts.drugs:
        yield f"medicine:{of}"
    elif kind in _FOUND and value != "no" and not (kind == "medicine" and value in facts.drugs):
        yield fact
        if kind == "allergy":
            yield "told:allergies"


def special_forms(facts: Facts, finding: str) -> frozenset[str]:
    """Return the findings that are denied with a finding: its special forms, if they are few."""
    forms = _forms_in(facts.folder).get(finding, frozenset[str]())
    return forms if len(forms) <= BROADEST else frozenset()


@lru_cache(maxsize=2)
def _forms_in(folder: Any) -> Mapping[str, frozenset[str]]:
    return descendants(load(folder).above)


def _history(chart: Chart, args: Arguments) -> Iterator[str]:
    section = args["section"]
    yield f"record:history:{section}"
    if section == "past illnesses":
        ids = _diseases_by_name(chart.patient.facts)
        yield from (f"condition:{ids[one['condition']]}" for one in chart["history"]["past"])
    elif section == "habits":
        yield from (f"habit:{one}" for one in chart["history"]["habits"])
    elif section == "pregnancy":
        yield "pregnancy"


def _medicines(chart: Chart, args: Arguments) -> Iterator[str]:
    yield "record:medicines"
    ids = _drugs_by_name(chart.patient.facts)
    yield from (f"medicine:{ids[one['drug']]}" for one in chart["medicines"])
    yield from (f"medicine:{ids[one['drug']]}" for one in chart["ended_medicines"])


def _allergies(chart: Chart, args: Arguments) -> Iterator[str]:
    yield "record:allergies"
    known = {one["substance"] for one in chart["allergies"]}
    facts = chart.patient.facts
    for one in chart.patient.allergies:
        reference = one.allergen
        group = reference.startswith(CLASS)
        table: Mapping[str, Any] = facts.drug_classes if group else facts.drugs
        if table[reference.removeprefix(CLASS)].name in known:
            yield f"allergy:{reference}"


def _document(chart: Chart, args: Arguments) -> Iterator[str]:
    yield f"document:{args['title']}"
    yield f"kind:{chart['documents'][args['title']]['kind']}"


def _result(chart: Chart, args: Arguments) -> Iterator[str]:
    if args["test"] in _studies(chart.patient.facts):
        yield f"study:{args['test']}"
        yield from (f"study:{one}" for one, as_much in sees(args["test"]).items() if as_much)


_BY_TOOL: Mapping[str, Callable[[Chart, Arguments], Iterator[str]]] = {
    "get_patient_record": lambda chart, args: iter(("record:patient",)),
    "get_history": _history,
    "get_medications": _medicines,
    "get_allergies": _allergies,
    "get_document": _document,
    "get_result": _result,
    "examine": lambda chart, args: iter((f"site:{args['system']}",)),
    "calculate": lambda chart, args: iter((f"score:{args['instrument']}",)),
    "get_guideline": lambda chart, args: iter((f"guideline:{args['disease']}", "knowledge")),
    "search_knowledge": lambda chart, args: iter(("knowledge",)),
    "look_up": lambda chart, args: iter((f"lookup:{args['key']}",)),
}


@lru_cache(maxsize=2)
def _studies_in(folder: Any) -> frozenset[str]:
    return frozenset(studies_of(load(folder)))


def _studies(facts: Facts) -> frozenset[str]:
    return _studies_in(facts.folder)


@lru_cache(maxsize=2)
def _names_in(folder: Any) -> tuple[dict[str, str], dict[str, str]]:
    facts = load(folder)
    diseases = {one.name: key for key, one in facts.diseases.items()}
    return diseases, {one.name: key for key, one in facts.drugs.items()}


def _diseases_by_name(facts: Facts) -> Mapping[str, str]:
    return _names_in(facts.folder)[0]


def _drugs_by_name(facts: Facts) -> Mapping[str, str]:
    return _names_in(facts.folder)[1]
