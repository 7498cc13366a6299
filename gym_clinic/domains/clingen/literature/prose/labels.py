"""What measures and groups are called: in full where they come first, in short where they recur."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from gym_clinic.domains.clingen.literature.records import Experiment

_LABELS: dict[str, list[tuple[str, str]]] = json.loads(
    (Path(__file__).parent / "labels.json").read_text(encoding="utf-8")
)
_TAIL = re.compile(
    r" (?:of|in|after|with|before|by|on|relative|at|over|from|that|through|recovered|to)\b"
)

_QUANTITY = re.compile(r"the \w+ of (?:\S+ )+?(?=(?:with|within|for|that|in|after|re\w+ed)\b)")


@lru_cache(maxsize=512)
def measure_text(measure: str) -> str:
    """Write a measure inside a sentence; a plural noun is told as a number or share.

    >>> measure_text("grip strength"), measure_text("stools a day")
    ('grip strength', 'the number of stools a day')
    """
    for start, words in _LABELS["prefixes"]:
        if re.match(start, measure):
            return f"{words} {measure}"
    return measure


def short_measure(measure: str) -> str:
    """Shorten a measure for its second mention.

    >>> short_measure("spontaneous firing of induced neurons"), short_measure("grip strength")
    ('spontaneous firing', 'grip strength')
    >>> short_measure("left ventricular ejection fraction")
    'ejection fraction'
    >>> short_measure("the number of cells after five days")
    'the number of cells'
    >>> short_measure("flux through the pathway of SBF1")
    'flux through the pathway of SBF1'
    """
    head = _TAIL.split(measure)[0]
    words = head.split()
    if quantity := _QUANTITY.match(measure):
        return quantity[0].rstrip()
    if len(words) < 2 or words[0] == "the":
        return measure
    return " ".join(words[-2:]) if len(words) >= 4 else head


@lru_cache(maxsize=2048)
def short_arm(label: str) -> str:
    """Shorten the name of a group for its second mention.

    >>> short_arm("cells of unrelated donors"), short_arm("mice without NUS1")
    ('donor cells', 'mutant mice')
    """
    for full, short in _LABELS["arms"]:
        if found := re.fullmatch(full, label):
            return found.expand(short)
    return label


def shorten(
    text: str, results: Sequence[Experiment], before: str = "", *, groups: bool = True
) -> str:
    """Shorten measures and groups where a text names them again.

    Args:
        text: One paragraph.
        results: The experiments that it may name.
        before: What the reader has read, where they are named in full.
        groups: Whether groups are shortened too.
    """
    short: dict[str, str] = {}
    for one in results:
        measure = measure_text(one.measure)
        short[measure.casefold()] = short_measure(measure)
        arms = {arm.label: short_arm(arm.label) for arm in one.arms if arm.role != "control"}
        if groups and len(set(arms.values())) == len(arms):
            short |= {label.casefold(): name for label, name in arms.items()}
    names = sorted((key for key in short if short[key].casefold() != key), key=len, reverse=True)
    if not names:
        return text
    seen = {name for name in names if name in before.casefold()}

    def written(found: re.Match[str]) -> str:
        key = found[0].casefold()
        if key not in seen:
            seen.add(key)
            return found[0]
        name = short[key]
        return name[0].upper() + name[1:] if found[0][0].isupper() and key[0].islower() else name

    pattern = "|".join(map(re.escape, names))
    return re.sub(rf"(?<![\w-])(?:{pattern})(?![\w-])", written, text, flags=re.IGNORECASE)
