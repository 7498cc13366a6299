"""Cultures of one patient agree: an infection has one germ, wherever it is grown.

The words of germs lie in ``germs.json``; authored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

from pydantic import TypeAdapter

from gym_clinic.simulate.clinic.examination.shown import StudyReport


def germs_in(report: StudyReport) -> frozenset[str]:
    """Return the germs that a report shows.

    >>> sorted(germs_in(StudyReport("Growth of E. coli in 2 of 2 sets.", True)))
    ['Escherichia coli']
    >>> sorted(germs_in(StudyReport("No Salmonella grown.", False)))
    []
    """
    if not report.shows:
        return frozenset()
    return frozenset(name for name, words in _germs().items() if words.search(report.text))


def one_germ(
    reports: Mapping[str, StudyReport], again: Callable[[str, bool], StudyReport | None]
) -> dict[str, StudyReport]:
    """Return reports of which none shows another germ than the first that shows one.

    Args:
        reports: As they were drawn, each for itself.
        again: Draws a study among those of its results that show something, or nothing; None if it
            has none of that kind that is possible in the patient.
    """
    known: frozenset[str] = frozenset()
    agreed = dict(reports)
    for study, report in reports.items():
        germs = germs_in(report)
        if germs and known and germs.isdisjoint(known):
            agreed[study] = again(study, False) or report
        elif germs:
            known = known & germs or germs
    return agreed


@lru_cache(maxsize=1)
def _germs() -> Mapping[str, re.Pattern[str]]:
    text = Path(__file__).with_name("germs.json").read_bytes()
    table = TypeAdapter(dict[str, str]).validate_json(text)
    return {name: re.compile(words, re.IGNORECASE) for name, words in table.items()}
