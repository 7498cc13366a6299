"""The record of an image in which a given answer is right, with other findings beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from random import Random
from typing import Any

import orjson

from gym_clinic.simulate.images import read_record
from gym_clinic.simulate.images.tables import FindingTable, ModalityTable, modality

BESIDE = 0.45
"""Chance of each further finding beside the one that is asked for."""

ARTEFACT = (0.06, 0.3)
"""Chance of each artefact in the clearest and in the hardest image."""


@dataclass(frozen=True, slots=True)
class Target:
    """What must hold of an image.

    Attributes:
        finding: Fields of the finding that must be there; empty if none must.
        absent: A finding that must not be there.
        both: Whether the finding is on both sides.
        alone: Whether nothing else may be there.
        side: Side of the organ that is imaged.
    """

    finding: Mapping[str, Any] = field(default_factory=dict)
    absent: str | None = None
    both: bool = False
    alone: bool = False
    side: str | None = None


def draw_image(name: str, target: Target, random: Random) -> dict[str, Any]:
    """Draw the record of an image.

    Args:
        name: Its modality.
        target: What must hold.
        random: Random source.

    Returns:
        A record that :func:`gym_clinic.simulate.images.render` takes, checked.
    """
    table = modality(name)
    findings: list[dict[str, Any]] = []
    if target.finding:
        findings.append(_filled(table.finding(target.finding["finding"]), target.finding, random))
        if target.both:
            findings[0]["side"] = "left"
            other = {"finding": target.finding["finding"], "side": "right"}
            findings.append(_filled(table.finding(other["finding"]), other, random))
    elif target.absent is not None and random.random() < 0.5:
        # Often something that could be taken for it, else absence is a clean image.
        rivals = sorted(table.finding(target.absent).excludes & set(shown_alone(name)))
        if rivals:
            findings.append(_filled(table.finding(random.choice(rivals)), {}, random))
    _add_host(table, findings, target, random)  # first: others may exclude every host
    if not target.alone and not _whole(table, target):
        _add_others(table, findings, target, random)
    difficulty = round(random.random(), 3)
    chance = ARTEFACT[0] + (ARTEFACT[1] - ARTEFACT[0]) * difficulty
    sides = table.sides
    row = {
        "modality": name,
        "seed": random.randrange(2**31),
        "sex": random.choice(table.sexes),
        "age": round(random.uniform(*table.age)),
        "side": target.side or (random.choice(sides) if sides else None),
        "findings": findings,
        "artefacts": [artefact for artefact in table.artefacts if random.random() < chance],
        "difficulty": difficulty,
    }
    return read_record(row).to_json()


@lru_cache(maxsize=1)
def _wording() -> Mapping[str, Any]:
    words: Mapping[str, Any] = orjson.loads(
        files(__package__).joinpath("questions.json").read_bytes()
    )
    return words


def shown_alone(name: str) -> Sequence[str]:
    """Return the findings of a modality that need no other one to lie in."""
    words = _wording()[name]
    if "one_of" in words:
        return list(words["one_of"])
    return [key for key in modality(name).findings if key != "measurements"]


def _whole(table: ModalityTable, target: Target) -> bool:
    """Return whether the place of the target says all of the image, as a last measurement does."""
    name = target.finding.get("finding")
    return "place" in target.finding and not table.finding(str(name)).placed


def _filled(table: FindingTable, known: Mapping[str, Any], random: Random) -> dict[str, Any]:
    """Return a finding with all that is not known drawn."""
    row: dict[str, Any] = {"finding": table.name, **known}
    if table.sides:
        row.setdefault("side", random.choice(table.sides))
    if table.placed:
        row.setdefault("place", random.choice(table.places))
    if table.count != (1, 1):
        row.setdefault("count", random.randint(*table.count))
    if table.unit and "size" not in row:
        if table.grades:
            limits = table.grades[row.get("grade", random.choice(sorted(table.grades)))]
        else:
            limits = table.size
        row["size"] = round(random.uniform(*limits), 3)
    row.pop("grade", None)  # follows from the size
    return row


def _add_others(
    table: ModalityTable, findings: list[dict[str, Any]], target: Target, random: Random
) -> None:
    """Add findings that neither touch nor hide those that are there."""
    apart = [set(pair) for pair in _wording()[table.name]["apart"]]
    for name in random.sample(sorted(table.findings), len(table.findings)):
        other = table.findings[name]
        present = {finding["finding"] for finding in findings}
        if (
            random.random() >= BESIDE
            or name in present
            or name == target.absent
            or other.excludes & present
            or any(name in pair and pair & present for pair in apart)
        ):
            continue
        known: dict[str, Any] = {}
        if other.sides:
            free = set(other.sides) - {finding.get("side") for finding in findings}
            if not free:
                continue
            known["side"] = random.choice(sorted(free))
        elif other.placed:
            left = set(other.places) - {finding.get("place") for finding in findings}
            known["place"] = random.choice(sorted(left))
        findings.append(_filled(other, known, random))


def _add_host(
    table: ModalityTable, findings: list[dict[str, Any]], target: Target, random: Random
) -> None:
    """Add the lesion in which features lie, where a modality always shows one."""
    hosts = _wording()[table.name].get("one_of", ())
    present = {finding["finding"] for finding in findings}
    if target.absent not in (None, *hosts):
        # The same lesions lack a feature as have it.
        present.add(str(target.absent))
    if not hosts or present & set(hosts):
        return
    able = [
        host
        for host in hosts
        if host != target.absent and not table.finding(host).excludes & present
    ]
    findings.append(_filled(table.finding(random.choice(able)), {}, random))
