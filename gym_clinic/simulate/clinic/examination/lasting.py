"""What studies show of the illnesses that a patient lives with: what stays between attacks.

Somebody with known emphysema has it in the lung function test, whatever brings them today. The
table ``lasting.json`` says which studies show which condition for good; it is authored. A report is
drawn once from the results of the condition, or has a text of its own, and is the same each time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple

from pydantic import TypeAdapter, model_validator
from typing_extensions import Self

from gym_clinic.facts import Facts
from gym_clinic.facts.records.examination import Phrase, Share
from gym_clinic.facts.records.models import Slug, Text
from gym_clinic.facts.typed_json import Strict
from gym_clinic.simulate.clinic.examination.imaging import image_report
from gym_clinic.simulate.clinic.examination.shown import StudyReport, draw_report, write_text
from gym_clinic.simulate.disease.findings import draw_variant
from gym_clinic.simulate.split import Split

_SENTENCE = re.compile(r"(?<=[.;])\s+")


class LastingResult(Strict):
    """What a study shows of a condition that somebody lives with.

    Attributes:
        condition: Id of the condition.
        study: The study.
        results: Which results of the condition it is drawn from: those that show it, or all.
        text: What it shows, where the results of the condition are those of an attack.
        share: Of those who live with it who have the text.
        beside: Words of sentences that it takes the place of: it stands beside all else that a
            report says. None for a test of nothing else, whose report it replaces.
    """

    condition: Slug
    study: Slug
    results: Literal["shown", "all"] = "shown"
    text: Phrase | None = None
    share: Share = 1.0
    beside: Text | None = None

    @model_validator(mode="after")
    def _share_is_of_a_text(self) -> Self:
        if self.share < 1 and self.text is None:
            raise ValueError("'share' goes with 'text'; results of a condition have their shares")
        if self.beside is not None and self.text is None:
            raise ValueError("'beside' goes with 'text'")
        return self


class Lasting(NamedTuple):
    """A result in one patient.

    Attributes:
        study: The study.
        report: What it shows.
        beside: As in `LastingResult`.
    """

    study: str
    report: StudyReport
    beside: str | None


@lru_cache(maxsize=1)
def lasting_results() -> tuple[LastingResult, ...]:
    """Return the table."""
    text = Path(__file__).with_name("lasting.json").read_bytes()
    return TypeAdapter(tuple[LastingResult, ...]).validate_json(text)


def draw_lasting(
    facts: Facts,
    seed: int,
    conditions: Iterable[str],
    values: Mapping[str, float],
    split: Split | None = None,
) -> tuple[Lasting, ...]:
    """Draw what studies show of the conditions that a patient lives with, in order of the table.

    Args:
        facts: The fact tables.
        seed: Of the patient.
        conditions: Ids of the conditions.
        values: The usual state, `age`, and the limits of healthy people.
        split: Whose wordings are drawn; those of all if None.
    """
    known = frozenset(conditions)
    return tuple(
        Lasting(one.study, report, one.beside)
        for one in lasting_results()
        if one.condition in known and (report := _draw(facts, seed, one, values, split)) is not None
    )


def _draw(
    facts: Facts, seed: int, one: LastingResult, values: Mapping[str, float], split: Split | None
) -> StudyReport | None:
    random = Random(f"{seed}:{one.condition}:{one.study}:lasting")
    if one.text is not None:
        there = random.random() < one.share
        return StudyReport(write_text(one.text, random, split), True) if there else None
    condition = facts.conditions[one.condition]
    variant = draw_variant(condition, Random(f"{seed}:{one.condition}:lasting form"))
    (study,) = (each for each in condition.studies if each.study == one.study)
    shows = True if one.results == "shown" else None
    return draw_report(study, variant, lambda _: True, values, random, shows, split)


def with_lasting(lasting: Iterable[Lasting], study: str, today: StudyReport | None) -> str | None:
    """Return the text of a report with what lasts; None if there is nothing to tell.

    What a problem of today shows is told unchanged, and nothing that contradicts it.

    Args:
        lasting: What studies show for good.
        study: The study.
        today: What it shows of today's problems, or of a healthy person.
    """
    text, shows = ("", False) if today is None else today
    for one in _seen(lasting, study):
        if one.beside is None:
            return text if shows else one.report.text
        sentences = [each for each in _SENTENCE.split(text) if each]
        other = re.compile(one.beside, re.IGNORECASE)
        left = [each for each in sentences if not other.search(each)]
        if shows and len(left) < len(sentences):
            continue
        text = " ".join((*left, one.report.text))
    return text or None


def lasting_shows(lasting: Iterable[Lasting], study: str) -> bool:
    """Return whether a study shows an illness that the patient lives with."""
    return any(one.report.shows for one in _seen(lasting, study))


def _seen(lasting: Iterable[Lasting], study: str) -> Iterator[Lasting]:
    """Yield what a study sees, in its own words; an image also what others of the region see."""
    for one in lasting:
        if one.study == study:
            yield one
        elif one.beside is not None:
            seen = image_report({one.study: one.report}, study)
            if seen is not None and seen.shows:
                yield Lasting(study, seen, one.beside)
