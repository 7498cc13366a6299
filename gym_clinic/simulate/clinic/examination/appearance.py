"""The general appearance: nobody in severe pain, pale, vomiting or shocked is said to look well."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_WELL = re.compile(
    r"\b(looks?|appears?|looking|systemically) well\b|^well\b(?! (\w+ed|kempt|grown|built|between))"
    r"|\bNAD\b|not unwell|not pale|healthy"
)
"""What an examiner writes of somebody who looks well."""

_AT_EASE = re.compile(
    r"(?<!unable to get )(?<!not )(?<!un)comfortable|(no|not( in)?) distress|relaxed|pain free"
)
"""What an examiner writes of somebody who does not suffer."""

PAINED, HOT, FAINT = 5.0, 39.0, 90.0
"""Pain score, temperature in degrees Celsius and systolic pressure in mmHg of the clearly ill."""

FROM_AGE = 4
"""Age in years from which on these count: small children may play with a fever."""

SICK, PALE = ("Vomiting", "Dehydration"), "Pallor"
"""Findings of who is not at ease, and of who does not look well."""


def as_ill(text: str, has: Callable[[str], bool], values: Mapping[str, float]) -> str:
    """Return a general appearance without clauses that the record contradicts.

    >>> in_pain = {"pain": 8, "temp_c": 37, "sbp": 120, "age": 40}
    >>> as_ill("flushed, looks well", lambda finding: False, in_pain)
    'flushed'

    Args:
        text: What is noted.
        has: Whether the patient has a finding, by its name.
        values: The state on arrival, and `age`.
    """
    worst = values["pain"] >= PAINED or values["temp_c"] >= HOT or values["sbp"] < FAINT
    ill = (worst and values["age"] >= FROM_AGE) or any(has(one) for one in SICK)
    wrong = [_WELL] * (ill or has(PALE)) + [_AT_EASE] * ill
    clauses = text.split(", ")
    return ", ".join(one for one in clauses if not any(each.search(one) for each in wrong))
