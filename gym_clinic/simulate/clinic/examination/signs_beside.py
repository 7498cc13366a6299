"""What is seen of findings that have nothing to do with why the patient comes.

Who tells of a mouth ulcer has one to be seen. The signs lie in ``signs_beside.json``; authored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from pydantic import TypeAdapter

from gym_clinic.facts.records.examination import Phrase
from gym_clinic.facts.records.models import Text
from gym_clinic.facts.typed_json import Strict
from gym_clinic.simulate.clinic.examination.shown import ShownSign, write_text
from gym_clinic.simulate.split import Split


class SignOfFinding(Strict):
    """What is seen of a finding.

    Attributes:
        site: The part of the examination.
        text: What is noted.
        instead_of: Pattern of clauses that it takes the place of, where these note what is normal.
    """

    site: Text
    text: Phrase
    instead_of: Text


class SignBeside(NamedTuple):
    """What is seen in one patient.

    Attributes:
        sign: What is noted.
        instead_of: As in `SignOfFinding`.
    """

    sign: ShownSign
    instead_of: str


@lru_cache(maxsize=1)
def signs_of_findings() -> Mapping[str, SignOfFinding]:
    """Return finding, by its name, -> what is seen of it."""
    text = Path(__file__).with_name("signs_beside.json").read_bytes()
    return TypeAdapter(dict[str, SignOfFinding]).validate_json(text)


def signs_beside(findings: Iterable[str], seed: int, split: Split | None) -> Iterator[SignBeside]:
    """Yield what is seen of findings beside the problems.

    Args:
        findings: Their names.
        seed: Of the patient.
        split: Whose wordings are drawn; those of all if None.
    """
    for name in findings:
        one = signs_of_findings().get(name)
        if one is not None:
            text = write_text(one.text, Random(f"{seed}:{name}:beside"), split)
            yield SignBeside(ShownSign(one.site, text, True), one.instead_of)


def with_signs_beside(
    signs: tuple[ShownSign, ...], beside: Iterable[SignBeside]
) -> tuple[ShownSign, ...]:
    """Return the signs of the problems, with those of what the patient has beside them.

    Where the problems make the part abnormal, nobody notes what is beside it.
    """
    found = list(signs)
    abnormal = {one.site for one in signs if one.abnormal}
    for one in beside:
        if one.sign.site not in abnormal:
            other = re.compile(one.instead_of, re.IGNORECASE)
            here = [_without(it, other) for it in found if it.site == one.sign.site]
            found = [it for it in found if it.site != one.sign.site]
            found += [one.sign, *(it for it in here if it.text)]
    return tuple(found)


def _without(sign: ShownSign, other: re.Pattern[str]) -> ShownSign:
    """A sign without the clauses that name something; one that is abnormal is kept."""
    if sign.abnormal:
        return sign
    kept = (one for one in sign.text.split(", ") if not other.search(one))
    return sign._replace(text=", ".join(kept))
