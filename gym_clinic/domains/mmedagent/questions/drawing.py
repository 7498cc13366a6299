"""``draw_question(seed, split)``: the question first, then the gold, then an image that fits it.

The options are drawn before the gold, and the gold is drawn evenly from them, so that no model of
the question and its options does better than a constant answer. Only then is the record of the
image drawn, such that this answer is right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from random import Random
from string import ascii_uppercase
from typing import Any

import orjson

from gym_clinic.domains.mmedagent.questions.findings import Target, draw_image
from gym_clinic.errors import ConfigError
from gym_clinic.simulate.images import modalities, modality
from gym_clinic.simulate.images.tables import FindingTable
from gym_clinic.simulate.split import Split, of_split

KINDS = ("presence", "side", "location", "count", "size", "grade", "diagnosis", "next_step")
"""What is asked for."""

OPTIONS = 4
"""Most options of a question about counts, sizes, diagnoses and steps."""

STEP = 1.3
"""Least ratio of two sizes among the options: what can be told apart by eye and scale."""

NONE = "none"
"""Stands for an image without a finding."""


@dataclass(frozen=True, slots=True)
class ImageQuestion:
    """A question about an image that is not yet rendered.

    Attributes:
        question: Its text; it does not name the kind of image.
        options: Label -> option, from "A" on.
        gold: The right label.
        kind: One of `KINDS`.
        modality: The kind of image.
        finding: The finding that is asked for; "none" or "eye" where it is none of the tables.
        image: The record to render, as plain JSON; its ``difficulty`` is from 0 to 1.
    """

    question: str
    options: Mapping[str, str]
    gold: str
    kind: str
    modality: str
    finding: str
    image: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked, before the gold is drawn.

    Attributes:
        finding: The finding that is asked for.
        choices: Option -> the target that makes it right.
    """

    finding: str
    choices: Mapping[str, Target]


def draw_question(
    seed: str, split: Split, kind_of_image: str | None = None, kind: str | None = None
) -> ImageQuestion:
    """Draw the question of a seed.

    Args:
        seed: Any text; the same arguments give the same question.
        split: Whose phrases it has.
        kind_of_image: A modality; drawn evenly if None.
        kind: One of `KINDS`; drawn evenly from those of the modality if None.

    Raises:
        ConfigError: If there is no such modality, or it has no such questions.
    """
    random = Random(f"question:{split}:{seed}")
    name = kind_of_image or random.choice(sorted(modalities()))
    modality(name)
    able = [kind for kind in KINDS if findings_of(name, kind)]
    if kind is None:
        kind = random.choice(able)
    elif kind not in able:
        raise ConfigError(f"{name} has no questions of kind {kind!r}; choose from {able}")
    plan = _PLANS[kind](name, kind, random)
    options = list(plan.choices)
    random.shuffle(options)
    gold = random.choice(options)
    text = _text(name, kind, plan.finding, split, random)
    labels = dict(zip(ascii_uppercase, options, strict=False))
    right = next(label for label, option in labels.items() if option == gold)
    image = draw_image(name, plan.choices[gold], random)
    return ImageQuestion(text, labels, right, kind, name, plan.finding, image)


def _text(name: str, kind: str, finding: str, split: Split, random: Random) -> str:
    pool = "eye" if finding == "eye" else kind
    words = wording()[name]
    called = words.get("measured", {}) if kind == "size" else {}
    return str(random.choice(of_split(pool, phrases()[pool], split))).format(
        finding=called.get(finding, words["named"].get(finding)),
        counted=words["counted"].get(finding),
    )


def findings_of(name: str, kind: str) -> list[str]:
    """Return the findings of a modality about which a kind of question can be asked."""
    table, words = modality(name), wording()[name]
    if kind == "diagnosis":
        return list(words["diagnoses"])
    if kind == "next_step":
        return [step["finding"] for step in words["next_steps"]]
    skipped = words.get("skip", {}).get(kind, ())
    kept = [
        key
        for key, finding in table.findings.items()
        if _can_ask(kind, finding) and key not in skipped
    ]
    return [*kept, "eye"] if kind == "side" and table.sides else kept


def _can_ask(kind: str, finding: FindingTable) -> bool:
    if kind == "side":
        return bool(finding.sides)
    if kind == "location":
        return bool(finding.places)
    if kind == "count":
        return finding.count != (1, 1)
    if kind == "size":
        return bool(finding.unit) and not finding.grades
    return kind == "presence" or len(finding.grades) > 1


@lru_cache(maxsize=1)
def phrases() -> Mapping[str, Sequence[str]]:
    """Return the phrases of each kind of question."""
    found: Mapping[str, Sequence[str]] = _read("phrases.json")
    return found


@lru_cache(maxsize=1)
def wording() -> Mapping[str, Mapping[str, Any]]:
    """Return what each modality's questions call its findings, and which steps follow them."""
    found: Mapping[str, Mapping[str, Any]] = _read("questions.json")
    return found


def _read(name: str) -> Any:
    return orjson.loads(files(__package__).joinpath(name).read_bytes())


def _presence(name: str, kind: str, random: Random) -> Plan:
    finding = random.choice(findings_of(name, kind))
    return Plan(finding, {"yes": Target({"finding": finding}), "no": Target(absent=finding)})


def _side(name: str, kind: str, random: Random) -> Plan:
    finding = random.choice(findings_of(name, kind))
    sides = ("left", "right")
    if finding == "eye":
        return Plan(finding, {side: Target(side=side) for side in sides})
    choices = {side: Target({"finding": finding, "side": side}) for side in sides}
    if finding in wording()[name]["both_sides"]:
        choices["both sides"] = Target({"finding": finding}, both=True)
    return Plan(finding, choices)


def _location(name: str, kind: str, random: Random) -> Plan:
    finding = random.choice(findings_of(name, kind))
    places = modality(name).finding(finding).places
    return Plan(finding, {place: Target({"finding": finding, "place": place}) for place in places})


def _count(name: str, kind: str, random: Random) -> Plan:
    finding = random.choice(findings_of(name, kind))
    least, most = modality(name).finding(finding).count
    first = random.randint(least, max(least, most - OPTIONS + 1))
    counts = range(first, min(first + OPTIONS, most + 1))
    return Plan(
        finding, {str(count): Target({"finding": finding, "count": count}) for count in counts}
    )


def _size(name: str, kind: str, random: Random) -> Plan:
    finding = random.choice(findings_of(name, kind))
    table = modality(name).finding(finding)
    least, most = table.size
    count = 2
    while count < OPTIONS and least * 1.02 * STEP**count <= most * 0.98:
        count += 1
    start = random.uniform(least * 1.02, most * 0.98 / STEP ** (count - 1))
    step = random.uniform(STEP, (most * 0.98 / start) ** (1 / (count - 1)))
    digits = 0 if least >= 10 else 1
    sizes = [round(start * step**number, digits) for number in range(count)]
    if digits == 0:
        sizes = [int(size) for size in sizes]
    return Plan(
        finding,
        {f"{size} {table.unit}": Target({"finding": finding, "size": size}) for size in sizes},
    )


def _grade(name: str, kind: str, random: Random) -> Plan:
    finding = random.choice(findings_of(name, kind))
    grades = modality(name).finding(finding).grades
    return Plan(finding, {grade: Target({"finding": finding, "grade": grade}) for grade in grades})


def _diagnosis(name: str, kind: str, random: Random) -> Plan:
    diagnoses = wording()[name]["diagnoses"]
    drawn = random.sample(list(diagnoses), min(OPTIONS, len(diagnoses)))
    targets = {
        diagnoses[key]: Target({} if key == NONE else {"finding": key}, alone=True) for key in drawn
    }
    return Plan(NONE, targets)


def _next_step(name: str, kind: str, random: Random) -> Plan:
    steps = wording()[name]["next_steps"]
    choices = {}
    for step in random.sample(steps, min(OPTIONS, len(steps))):
        row = {key: value for key, value in step.items() if key != "step"}
        choices[step["step"]] = Target({} if row["finding"] == NONE else row, alone=True)
    return Plan(NONE, choices)


_PLANS = {
    "presence": _presence,
    "side": _side,
    "location": _location,
    "count": _count,
    "size": _size,
    "grade": _grade,
    "diagnosis": _diagnosis,
    "next_step": _next_step,
}
