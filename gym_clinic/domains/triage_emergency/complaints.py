"""What a triage nurse asks for with each complaint, and what she looks at where it is there.

The red flags lie in ``red_flags.json``, by groups of complaints, the most dangerous first; the
group without complaints is for all others. What a complaint or a red flag that is there calls for
lies in ``follow_ups.json``: when it began, the part of the body that it names, the test at the
bedside. Authored for this simulation, not for patient care.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter

from gym_clinic.facts import Facts, with_ancestors
from gym_clinic.facts.records.models import Text, Texts
from gym_clinic.facts.typed_json import Strict
from gym_clinic.simulate.clinic.telling.lay_words import BY_ACCIDENT

CHILDBEARING = (12.0, 55.0)
"""Ages in years from and to which a woman is asked for a pregnancy."""

ONSET = "onset"
"""Stands in the table for the key of the time when the finding itself began."""

SUICIDE = "Suicidal ideation"
"""What everybody is asked for who tells of a low mood, with whatever complaint."""

WORDS = {
    ONSET: "when it began", "lookup:glucose": "glucose at the bedside",
    "lookup:responses": "eye opening, speech and movement", "lookup:stroke screen": "stroke screen",
    "lookup:sepsis screen": "sepsis screen", "lookup:trauma screen": "trauma screen",
    "record:medicines": "medicines on the record",
}  # fmt: skip
"""Step of a follow-up -> what the card of the department calls it."""


class ComplaintGroup(Strict):
    """Complaints with which the same is asked.

    Attributes:
        complaints: Names of findings, which stand for their special forms as well.
        ask: Names of the red flags, the most important first.
        pregnancy: Whether women are asked for a pregnancy.
    """

    complaints: Texts
    ask: tuple[Text, ...]
    pregnancy: bool = False


class FollowUp(Strict):
    """Findings that call for the same where they are there.

    Attributes:
        findings: Names of findings, which stand for their special forms as well.
        then: Steps: keys as in :mod:`gym_clinic.clinical.judging.seen`, or "onset".
    """

    findings: Texts
    then: tuple[Text, ...]


class FlagsToAsk(NamedTuple):
    """What is asked with the complaints of a patient.

    Attributes:
        findings: Names of the red flags, the most important first.
        pregnancy: Whether a woman is asked for a pregnancy.
    """

    findings: tuple[str, ...]
    pregnancy: bool


def _read(name: str) -> bytes:
    return Path(__file__).with_name(name).read_bytes()


@lru_cache(maxsize=1)
def complaint_groups() -> tuple[ComplaintGroup, ...]:
    """Return the table of red flags."""
    return TypeAdapter(tuple[ComplaintGroup, ...]).validate_json(_read("red_flags.json"))


@lru_cache(maxsize=1)
def follow_ups() -> tuple[FollowUp, ...]:
    """Return the table of what is looked at where a finding is there."""
    return TypeAdapter(tuple[FollowUp, ...]).validate_json(_read("follow_ups.json"))


def flags_of(facts: Facts, complaints: Iterable[str], age: float) -> FlagsToAsk:
    """Return what is asked with complaints.

    >>> from gym_clinic.facts import load
    >>> facts = load()
    >>> flags_of(facts, [facts.finding_ids["Testicular pain"]], 20).findings
    ('Testicular pain', 'Vomiting', 'Fever', 'Abdominal pain')

    Args:
        facts: The fact tables.
        complaints: Ids of findings. The flags of several groups come in turn, one of each, in the
            order of the table, which has the most dangerous complaints first; the group of all
            others is there if a complaint has none of its own.
        age: In years; nobody asks for the suicide of a young child.
    """
    table = complaint_groups()
    lists = [one.complaints for one in table]
    found = [_rows(facts, one, lists) for one in complaints] or [()]
    there = {row for rows in found for row in rows or [lists.index(())]}
    groups = [table[row] for row in sorted(there)]
    rounds = zip_longest(*(one.ask for one in groups))
    left_out = (None, SUICIDE) if age < BY_ACCIDENT else (None,)
    asked = (flag for each in rounds for flag in each if flag not in left_out)
    return FlagsToAsk(tuple(dict.fromkeys(asked)), any(one.pregnancy for one in groups))


def steps_for(facts: Facts, finding: str) -> tuple[str, ...]:
    """Return what a finding that is there calls for: keys, or "onset".

    >>> from gym_clinic.facts import load
    >>> facts = load()
    >>> steps_for(facts, facts.finding_ids["Syncope"])
    ('lookup:trauma screen', 'record:medicines')

    Args:
        facts: The fact tables.
        finding: Its id.
    """
    rows = _rows(facts, finding, [one.findings for one in follow_ups()])
    return follow_ups()[rows[0]].then if rows else ("site:general",)


def steps_in_turn(facts: Facts, findings: Iterable[str]) -> tuple[str, ...]:
    """Return what findings that are there call for, each once: the first step of each comes first.

    Args:
        facts: The fact tables.
        findings: Their ids, the chief complaint first.
    """
    each = [
        [f"{ONSET}:{one}" if step == ONSET else step for step in steps_for(facts, one)]
        for one in dict.fromkeys(findings)
    ]
    return tuple(dict.fromkeys(step for some in zip_longest(*each) for step in some if step))


def steps_in_words(steps: Iterable[str]) -> list[str]:
    """Return steps as the card of the department has them."""
    sites = "examination: "
    kept = dict.fromkeys(ONSET if one.startswith(ONSET) else one for one in steps)
    return [WORDS.get(one) or one.replace("site:", sites) for one in kept]


def _rows(facts: Facts, finding: str, lists: Sequence[Texts]) -> tuple[int, ...]:
    """Places of the lists that name a finding itself; if none does, of those of what is above."""
    above = [one for one in with_ancestors([finding], facts.above) if one in facts.phenotypes]
    for keys in ([finding] if finding in facts.phenotypes else [], above):
        names = {facts.phenotypes[one].name for one in keys}
        rows = tuple(row for row, listed in enumerate(lists) if names & {*listed})
        if rows:
            return rows
    return ()
