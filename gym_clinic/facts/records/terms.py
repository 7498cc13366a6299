"""The finding terms of ``kb/facts/terms``: how patients and clinicians name findings in texts.

They serve to recognise findings and are told nowhere; the names and synonyms of a finding are in
the table of phenotypes. A phrase is written in words with alternatives: ``(tight|heavy) chest`` is
two phrases, ``blood in (the|) urine`` too, and ``{cannot} swallow`` has the alternatives of the
linker's word list "cannot".
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from gym_clinic.errors import TaskError
from gym_clinic.facts.records.models import PhenotypeId, Record, Strict, Text, Texts
from gym_clinic.facts.tables import default_folder, read_table

TERMS = "terms"
"""The folder of the tables, with a file for each body system."""


class Abbreviation(Strict):
    """An abbreviation in clinical notes.

    Attributes:
        text: The abbreviation.
        beside: Words of which one must be in the same text; any text will do if empty.
        unless: Words of which none may be in the same text.
    """

    text: Text
    beside: Texts = ()
    unless: Texts = ()


class ValueRange(Strict):
    """Values of a measurement that are a finding, as clinical notes write them: "K 6.8".

    Attributes:
        of: Names of the measurement; one of up to two letters counts as it is written.
        least: The lowest value, in any of the units that are not told apart.
        most: The highest value that is plausible.
        unit: How the text behind the number must begin, without blanks and strokes.
        percent: Whether the number may be a percentage.
        beside: Words of which one must be in the same text; any text will do if empty.
        unless: Words of which none may be in the same text.
    """

    of: Texts
    least: float
    most: float
    unit: str = ""
    percent: bool = False
    beside: Texts = ()
    unless: Texts = ()


class FindingTerms(Record):
    """The terms of one finding.

    Attributes:
        id: The finding.
        name: Its name in the table of phenotypes.
        terms: Phrases, whose words occur in this order; "=" before one: exactly these words.
        aches: Parts of the body; their pain, in any words for pain, is this finding.
        shorthand: Abbreviations, which stand in capitals or among other shorthand.
        letters: Lists of letters, as "N/v/d": the capital letter stands for this finding.
        denials: Words that say that the finding is absent: "afebrile".
        denials_beside: Likewise, if certain words are in the text: "non-tender" of an abdomen.
        denied_by: Names of more than this finding; who has none of it has not this finding: "no
            organomegaly".
        normal: What is examined, and if it is normal the finding is absent: "hearing".
        values: Measured values that are the finding.
    """

    id: PhenotypeId
    name: Text
    terms: Texts = ()
    aches: Texts = ()
    shorthand: tuple[Abbreviation, ...] = ()
    letters: Texts = ()
    denials: Texts = ()
    denials_beside: tuple[Abbreviation, ...] = ()
    denied_by: Texts = ()
    normal: Texts = ()
    values: tuple[ValueRange, ...] = ()


def read_terms(
    folder: str | os.PathLike[str] | None = None, *, without: Collection[str] = ()
) -> Mapping[str, FindingTerms]:
    """Read the finding terms by the id of the finding; the same folder is read once.

    A finding may have a record in several files, as our own and as those of a source; their terms
    are joined.

    Args:
        folder: The folder of the fact tables; the embedded ones by default.
        without: Names of files that are not read.

    Raises:
        TaskError: For the first mistake; the text names file, record and field.
    """
    place = default_folder() if folder is None else Path(folder).resolve()
    return _read(place, tuple(sorted(without)))


@lru_cache(maxsize=4)
def _read(folder: Path, without: tuple[str, ...]) -> Mapping[str, FindingTerms]:
    found: dict[str, FindingTerms] = {}
    for file in sorted((folder / TERMS).glob("*.json")):
        if file.name in without:
            continue
        here: set[str] = set()
        for place, record in read_table(file, FindingTerms):
            if record.id in here:
                raise TaskError(f"{place}, field id: duplicate")
            here.add(record.id)
            known = found.get(record.id)
            found[record.id] = _joined(known, record) if known else record
    return MappingProxyType(found)


def _joined(one: FindingTerms, other: FindingTerms) -> FindingTerms:
    """Return the terms of two records of a finding."""
    lists = [
        name
        for name in FindingTerms.model_fields
        if name not in (*Record.model_fields, "id", "name")
    ]
    return one.model_copy(
        update={name: getattr(one, name) + getattr(other, name) for name in lists}
    )
