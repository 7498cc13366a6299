"""A trajectory as text: its tags in order, and which rules of the format it breaks.

Source:
    Deep-DxSearch paper, A.1 (format requirements) and section 4.3 (the gate).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from gym_clinic.errors import ConfigError
from gym_clinic.names import suggest

ACTIVE = ("lookup", "match", "search", "diagnose")
"""Tags that act; ``reason`` is text."""

REPLIES = {"guide": "lookup", "refer": "match", "result": "search"}
"""Passive tag -> the call that it answers."""

SOURCES = ("WIKI", "PMC", "BOOK")
ALIASES = {"PUBMED": "PMC"}

_NAMES = ("reason", *ACTIVE, *REPLIES)
_TAG = re.compile(rf"<(/?)({'|'.join(_NAMES)})>")
_BOLD = re.compile(r"\\textbf\{([^{}]*)\}")
_SEARCH = re.compile(r"\s*\|([^|\s]+)\|(.*)", re.DOTALL)


@dataclass(frozen=True)
class Limits:
    """What a trajectory may hold (A.1).

    Attributes:
        lookup: Guideline look-ups.
        diseases: Diseases of one look-up.
        match: Patient matches.
        search: Literature searches.
        queries: Queries of one search.
        diagnoses: Diagnoses of the answer.
        reason: Whether ``<reason>`` must stand between two actions.
    """

    lookup: int = 1
    diseases: int = 10
    match: int = 3
    search: int = 2
    queries: int = 3
    diagnoses: int = 5
    reason: bool = True

    @classmethod
    def of(cls, option: Mapping[str, Any] | None) -> Limits:
        """Return the limits of a plain-JSON option; what it leaves out is the paper's.

        Raises:
            ConfigError: If a name is unknown or a value is no whole number from 0.
        """
        known = [field.name for field in fields(cls)]
        if option is None:
            return cls()
        if not isinstance(option, Mapping):
            raise ConfigError(f"limits is an object such as {{'match': 3}}, not {option!r}")
        for name, value in option.items():
            if name not in known:
                raise ConfigError(f"no limit {name!r}; {suggest(str(name), known)}")
            if name == "reason":
                if not isinstance(value, bool):
                    raise ConfigError(f"the limit 'reason' is true or false, not {value!r}")
            elif isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise ConfigError(f"the limit {name!r} is a whole number from 0, not {value!r}")
        return cls(**option)


class Segment(NamedTuple):
    """One tag of a trajectory with its content."""

    tag: str
    content: str


class TagReading(NamedTuple):
    """The segments of a text, and the faults of its tags."""

    segments: list[Segment]
    faults: list[str]


def read(text: str) -> TagReading:
    """Read the tags of a text from left to right."""
    segments: list[Segment] = []
    faults: list[str] = []
    position, opened, begin = 0, "", 0
    for found in _TAG.finditer(text):
        closes, name = bool(found[1]), found[2]
        if not opened:
            if text[position : found.start()].strip():
                faults.append("text outside of the tags")
            if closes:
                faults.append(f"tag pairing: </{name}> closes nothing")
            else:
                opened, begin = name, found.end()
        elif closes and name == opened:
            segments.append(Segment(name, text[begin : found.start()]))
            opened = ""
        else:
            kind = "tag pairing" if closes else "nested tag"
            faults.append(f"{kind}: <{found[1]}{name}> inside <{opened}>")
        position = found.end()
    if opened:
        faults.append(f"tag pairing: <{opened}> is not closed")
    elif text[position:].strip():
        faults.append("text outside of the tags")
    return TagReading(segments, faults)


def candidates_of(text: str) -> list[str]:
    r"""Return the diagnoses of a text: what is in ``\textbf{}`` of its only ``<diagnose>``.

    Returns:
        The names in order; none if there is no such tag, or more than one.
    """
    contents = [content for tag, content in read(text).segments if tag == "diagnose"]
    return bold(contents[0]) if len(contents) == 1 else []


def bold(content: str) -> list[str]:
    r"""Return the names in ``\textbf{}``, blank ones left out."""
    return [name.strip() for name in _BOLD.findall(content) if name.strip()]


def items(content: str) -> list[str]:
    """Return the parts of a list with commas, blank ones left out."""
    return [part.strip() for part in content.split(",") if part.strip()]


def source_of(name: str) -> str | None:
    """Return the source that a name stands for; None if it is none."""
    upper = name.strip().upper()
    upper = ALIASES.get(upper, upper)
    return upper if upper in SOURCES else None


def broken_rules(text: str, limits: Limits | None = None) -> list[str]:
    """Return the rules of the format that a whole trajectory breaks, each named once.

    Args:
        text: The trajectory, the replies of the environment included.
        limits: What it may hold; the paper's by default.
    """
    limits = limits or Limits()
    segments, faults = read(text)
    found = [*faults, *_order(segments, limits), *_amounts(segments, limits)]
    return list(dict.fromkeys(found))


def _order(segments: Sequence[Segment], limits: Limits) -> Iterator[str]:
    """Yield what is wrong in the order of the tags."""
    last, reasoned = "", True
    for number, (tag, _) in enumerate(segments):
        if tag == "reason":
            reasoned = True
        elif tag in REPLIES:
            if not number or segments[number - 1].tag != REPLIES[tag]:
                yield f"forged reply: <{tag}> does not follow <{REPLIES[tag]}>"
        else:
            if last and not reasoned and limits.reason:
                yield f"no reason between actions: <{last}> and <{tag}>"
            last, reasoned = tag, False
    diagnoses = [number for number, segment in enumerate(segments) if segment.tag == "diagnose"]
    if diagnoses != [len(segments) - 1] or not segments:
        yield "diagnose must be last and unique"


def _amounts(segments: Sequence[Segment], limits: Limits) -> Iterator[str]:
    """Yield what is too much, too little or not readable."""
    used = Counter(tag for tag, _ in segments)
    for tag in ("lookup", "match", "search"):
        most = getattr(limits, tag)
        if used[tag] > most:
            yield f"too many {tag}: {used[tag]}, at most {most}"
    for tag, content in segments:
        if tag == "lookup" and not 1 <= len(items(content)) <= limits.diseases:
            yield f"lookup diseases: {len(items(content))}, from 1 to {limits.diseases}"
        elif tag == "match" and not items(content):
            yield "match phenotypes: none"
        elif tag == "search":
            yield from _search_faults(content, limits)
        elif tag == "diagnose" and not 1 <= len(bold(content)) <= limits.diagnoses:
            yield (
                rf"diagnosis count: {len(bold(content))} in \textbf{{}}, "
                f"from 1 to {limits.diagnoses}"
            )


def _search_faults(content: str, limits: Limits) -> Iterator[str]:
    written = _SEARCH.fullmatch(content)
    if written is None or source_of(written[1]) is None:
        yield f"search source: expected one of |{'|, |'.join(SOURCES)}| before the queries"
    elif "|" in written[2] or not 1 <= len(items(written[2])) <= limits.queries:
        yield f"search queries: from 1 to {limits.queries} of one source, with commas between"
