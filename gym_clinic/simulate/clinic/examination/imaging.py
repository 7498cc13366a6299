"""Images of one patient agree: what one image of a region shows, another that sees as well shows.

A condition lists the studies that are made for it. Another image of the same region shows what
those of them show that see no more than it does, without the words of their own technique; an image
that sees less may be normal. Two listed images never contradict each other in that way either.

The table of regions, with how well each image sees them, is ``imaging.json``; authored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from random import Random

from gym_clinic.facts.records.examination import Phrase
from gym_clinic.facts.records.models import Slug, Text, Texts
from gym_clinic.facts.typed_json import Strict, read_record
from gym_clinic.simulate.clinic.examination.shown import ShownSign, StudyReport, write_text
from gym_clinic.simulate.split import Split

_SIDE = re.compile(r"\b(left|right)\b", re.IGNORECASE)

NOT_SEEN = StudyReport("Limited views, not diagnostic for this question.", False)
"""The report of an image that sees a region too badly to be called normal."""


class ImagingTable(Strict):
    """What images show.

    Attributes:
        regions: Region -> image -> how well it sees the region; more is better.
        operated_if_seen: Procedure -> images one of which has to show why, if any is made.
        audible: Pattern of what an image of the lungs shows and an examiner hears as well.
        heard: Side -> what is heard then, where the condition does not say.
        limited: Images that are not diagnostic where one that sees more shows something.
        own_words: Beginnings of words that belong to one technique alone.
    """

    regions: dict[Text, dict[Slug, int]]
    operated_if_seen: dict[Text, tuple[Slug, ...]]
    audible: Text
    heard: dict[Text, Phrase]
    limited: tuple[Slug, ...]
    own_words: Texts


@lru_cache(maxsize=1)
def imaging_table() -> ImagingTable:
    """Return the table of images."""
    file = Path(__file__).with_name("imaging.json")
    return read_record(file.read_bytes(), ImagingTable, str(file))


@lru_cache(maxsize=256)
def sees(study: str) -> Mapping[str, bool]:
    """Return image of the same region -> whether a study sees at least as much as that image.

    The images that see most come first.
    """
    found: dict[str, bool] = {}
    for ranks in imaging_table().regions.values():
        if study in ranks:
            for other, rank in sorted(ranks.items(), key=lambda one: -one[1]):
                found[other] = found.get(other, False) or ranks[study] >= rank
    found.pop(study, None)
    return found


def image_report(reports: Mapping[str, StudyReport], study: str) -> StudyReport | None:
    """Return what a study shows of a problem; None if nothing of the problem is seen by it.

    Args:
        reports: The studies that are made for the problem.
        study: One of them, or another.
    """
    if study in reports:
        return reports[study]
    limited = None
    for other, as_much in sees(study).items():
        if other in reports and reports[other].shows:
            if as_much:
                return StudyReport(_plain(reports[other].text), True)
            limited = NOT_SEEN if study in imaging_table().limited else limited
    return limited


def without_reason(reports: Mapping[str, StudyReport], action: str) -> bool:
    """Return whether the images on which a procedure rests are made, and none shows why."""
    images = imaging_table().operated_if_seen.get(action, ())
    made = [reports[one] for one in images if one in reports]
    return bool(made) and not any(one.shows for one in made)


def audible(reports: Mapping[str, StudyReport]) -> str | None:
    """Return on which side an image of the lungs shows what no examiner misses; None for none.

    >>> audible({"chest-x-ray": StudyReport("Small effusions on both sides.", True)})
    'both'
    >>> audible({"chest-x-ray": StudyReport("Consolidation in the left lower lobe.", True)})
    'left'
    >>> audible({"chest-x-ray": StudyReport("Nodule of 3 cm, no consolidation.", True)})
    """
    lungs = imaging_table().regions["lungs"]
    for key, one in reports.items():
        shown = re.sub(r"\b[Nn]o\b[^.]*", "", one.text) if key in lungs and one.shows else ""
        if _audible().search(shown):
            sides = {side.lower() for side in _SIDE.findall(shown)}
            return sides.pop() if len(sides) == 1 else "both"
    return None


def heard(
    signs: tuple[ShownSign, ...],
    reports: Mapping[str, StudyReport],
    random: Random,
    split: Split | None = None,
) -> tuple[ShownSign, ...]:
    """Return the signs, with one of the chest where an image of the lungs shows what is heard."""
    side = audible(reports)
    if side is None or any(one.site == "chest" and one.abnormal for one in signs):
        return signs
    text = write_text(imaging_table().heard[side], random, split)
    others = (one for one in signs if one.site != "chest")
    return (*others, ShownSign("chest", text, True))


def contradictions(reports: Mapping[str, StudyReport]) -> Iterator[tuple[str, str]]:
    """Yield pairs of images of which the first shows something and the second, better, nothing."""
    for study, report in reports.items():
        if not report.shows:
            for other, as_much in sees(study).items():
                if as_much and other in reports and reports[other].shows:
                    yield other, study


def agreeing(
    reports: dict[str, StudyReport], again: Callable[[str, bool], StudyReport | None]
) -> dict[str, StudyReport]:
    """Return reports without contradictions.

    Args:
        reports: As they were drawn, each for itself.
        again: Draws a study among those of its results that show something, or nothing; None if it
            has none of that kind that is possible in the patient.
    """
    for less, more in list(contradictions(reports)):
        if reports[more].shows or not reports[less].shows:
            continue
        other = again(more, True)
        if other is not None:
            reports[more] = other
        else:
            reports[less] = again(less, False) or reports[less]
    return reports


def _plain(text: str) -> str:
    """The text without the clauses that only one technique would say, if anything is left.

    >>> _plain("Stones in the gallbladder, wall 6 mm, tender under the probe. Duct 4 mm.")
    'Stones in the gallbladder, wall 6 mm. Duct 4 mm.'
    """
    kept = []
    for sentence in re.split(r"(?<=[.;])\s+", text):
        clauses = sentence.rstrip(".;").split(", ")
        left = [one for one in clauses if not _technical().search(one)]
        if left:
            whole = ", ".join(left)
            kept.append(whole[0].upper() + whole[1:] + ".")
    return " ".join(kept) or text


@lru_cache(maxsize=1)
def _audible() -> re.Pattern[str]:
    return re.compile(imaging_table().audible, re.IGNORECASE)


@lru_cache(maxsize=1)
def _technical() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(imaging_table().own_words)})", re.IGNORECASE)
