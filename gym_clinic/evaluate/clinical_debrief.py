"""How a clinical episode was judged, item by item, as tables for people; they show the gold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gym_clinic.clinical.judging.citations import verdicts
from gym_clinic.clinical.judging.equivalents import share_found
from gym_clinic.clinical.judging.groundless import severity
from gym_clinic.clinical.judging.judge import DUPLICATE, JudgedEpisode
from gym_clinic.clinical.naming import evidence_name
from gym_clinic.evaluate.report import Grid
from gym_clinic.facts import Facts

YES, NO, OTHERS = "yes", "no", "no, but others serve"

ASKED = {"medicines": "asked: all medicines", "allergies": "asked: all allergies",
         "past": "asked: past illnesses"}  # fmt: skip
"""What the patient is asked about as a whole."""

KINDS = {"lookup": "looked up", "record": "record", "kind": "document"}
"""Kinds of what is read, in words."""


def explain(judged: JudgedEpisode) -> list[Grid]:
    """Return tables of the answer, what was missed, the citations, assertions and harms.

    A table without rows is left out.
    """
    if_right = _with_right_conclusion(judged)
    tables = (
        Grid("The answer", ("part", "right", "weight", "adds"), tuple(_parts(judged, if_right))),
        Grid("Missing for success", ("what", "which"), tuple(_missing(judged))),
        Grid("To be read before the answer", ("read", "finding"), tuple(_readings(judged))),
        Grid("Citations", ("verdict", "finding", "cited as"), tuple(_citations(judged))),
        Grid("Assertions", ("holds", "assertion"), tuple(_assertions(judged, if_right))),
        Grid("Harms", ("severity", "harm", "evidence"), tuple(_harms(judged))),
    )
    return [one for one in tables if one.rows]


def _with_right_conclusion(judged: JudgedEpisode) -> JudgedEpisode:
    """The same episode with the right first part of its answer, which other parts wait for."""
    first, right = next(iter(judged.judge.weights)), judged.gold.get("answer", {})
    changed = JudgedEpisode(judged.judge, judged.episode)
    if judged.raw is not None and first in right:
        changed.raw = {**judged.raw, first: right[first]}
    return changed


def _uncounted(judged: JudgedEpisode) -> str:
    return f"not counted: the {next(iter(judged.judge.weights))} is wrong"


def _parts(judged: JudgedEpisode, if_right: JudgedEpisode) -> Iterator[tuple[str, ...]]:
    for number, (name, value) in enumerate(judged.parts.items()):
        counted = number == 0 or if_right.parts[name] <= value
        right = f"{value:.2f}" if counted else _uncounted(judged)
        weight = judged.judge.weights[name]
        yield name, right, f"{weight:g}", f"{weight * value:+.3f}"
    yield "accuracy", "", "", f"{judged.accuracy:.3f}"


def _missing(judged: JudgedEpisode) -> Iterator[tuple[str, str]]:
    """What success asks for beside the answer: actions on the patient, and what must be read."""
    for name, given in judged.missing:
        which = ", ".join(map(str, given.values())) or "any that decides"
        yield "not ordered" if name.startswith("order_") else "not done", f"{name}: {which}"
    for key in judged.unread:
        yield "not read", _in_words(judged.facts, key)


def _readings(judged: JudgedEpisode) -> Iterator[tuple[str, str]]:
    """What the gold asks to be read; a group is fulfilled as a whole, by its facts or others."""
    wanted = dict.fromkeys(judged.gold.get("read", ()), True)
    for key, found in _found(judged, wanted, lambda key, _: judged.knows(key)):
        yield found, _in_words(judged.facts, key)


def _in_words(facts: Facts, key: str) -> str:
    """What was to be read, for people."""
    kind, _, of = key.partition(":")
    if kind == "told" and of in ASKED:
        return ASKED[of]
    if kind == "onset":
        return f"when it began: {evidence_name(facts, f'told:{of}')}"
    if kind in ("lookup", "record", "kind"):
        return f"{KINDS[kind]}: {of.removeprefix('history:').replace(':', ', ')}"
    return evidence_name(facts, key)


def _citations(judged: JudgedEpisode) -> Iterator[tuple[str, str, str]]:
    """Every citation with its verdict, then what the gold asks for and nobody cited."""
    for one, verdict, _ in verdicts(judged.case, judged.answer.cited, judged.read):
        yield verdict, one.text, _presence(one.present)
    if judged.answer.uncounted:
        yield "beyond the number that is read", f"{judged.answer.uncounted} more", ""
    wanted = {one["finding"]: one["present"] for one in judged.gold.get("cite", ())}
    cites = judged.cited.cites
    for key, found in _found(judged, wanted, lambda key, has: cites(key, has, judged.facts)):
        if found == NO:
            yield "missing", evidence_name(judged.facts, key), _presence(wanted[key])


def _found(
    judged: JudgedEpisode, wanted: dict[str, bool], has: Callable[[str, bool], bool]
) -> Iterator[tuple[str, str]]:
    """Yield each wanted key with whether it was found, or others in the place of its group."""
    groups = judged.gold.get("instead", ())
    for key, present in wanted.items():
        group = [one for one in groups if key in one["keys"]]
        own = {one: wanted[one] for one in wanted if group and one in group[0]["keys"]}
        served = bool(own) and share_found(own, group, has) >= 1 - 1e-9
        yield key, YES if has(key, present) else OTHERS if served else NO


def _assertions(judged: JudgedEpisode, if_right: JudgedEpisode) -> Iterator[tuple[str, str]]:
    for one in judged.gold.get("assertions", ()):
        holds = judged.raw is not None and judged.held(one)
        waits = judged.raw is not None and not holds and if_right.held(one)
        lacking = "" if holds or waits else _lacking(judged, one)
        mark = YES if holds else _uncounted(judged) if waits else NO
        yield mark, f"{one['text']} {lacking}".strip()


def _lacking(judged: JudgedEpisode, assertion: Mapping[str, Any]) -> str:
    """What is said of an assertion that does not hold: what it lacks, in the domain's words.

    Where all was read before a treatment, no treatment was recognised.
    """
    asked = assertion["check"] == "read_before_treating"
    if asked and all(judged.knows(key) for key in assertion["keys"]):
        return "They were read, but no treatment that is right was recognised."
    return judged.judge.lacking(judged, assertion)


def _harms(judged: JudgedEpisode) -> Iterator[tuple[str, str, str]]:
    """What was done or decided wrongly, with what it rests on."""
    for one in judged.violations:
        yield (
            str(one.severity),
            f"{one.rule}: {one.title}",
            "; ".join(each.text for each in one.evidence),
        )
    for harm in judged.harms:
        yield str(harm.severity), harm.text, ""
    groundless = judged.groundless
    for title, actions, grades in (
        ("wrong in this patient", judged.forbidden, ()),
        ("beside one of its kind", judged.duplicated, (DUPLICATE,)),
        ("without a ground", groundless, severity(groundless)),
    ):
        if actions:
            yield ", ".join(map(str, grades)), title, ", ".join(actions)
    if judged.economy:
        yield "", "too many or too dear orders", f"{judged.economy:.2f} of the reward"


def _presence(present: bool) -> str:
    return "there, or abnormal" if present else "not there, or normal"
