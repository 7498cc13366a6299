"""Times in words: durations, weekdays, dates and clock times, each computed from minutes."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from gym_clinic.simulate.clinic.texts.document import Fact, Piece
from gym_clinic.simulate.clinic.texts.voice import Voice

HOUR, DAY, WEEK = 60, 1440, 10080
MONTH, YEAR = 43830, 525960

_SOLIDUS = {"hour": (24, 24), "day": (7, 12), "week": (52, 8), "month": (12, 11)}
"""Unit -> what durations of it are written over, up to which number."""


def amount(minutes: float) -> tuple[int, str]:
    """Return a duration as a number and a unit, rounded as clinicians do.

    >>> amount(50), amount(300), amount(4000), amount(90000)
    ((50, 'minute'), (5, 'hour'), (3, 'day'), (2, 'month'))
    """
    if minutes < 90:
        return max(5 * round(minutes / 5), 5), "minute"
    for unit, length, below in (
        ("hour", HOUR, 36 * HOUR), ("day", DAY, 13.5 * DAY), ("week", WEEK, 8 * WEEK),
        ("month", MONTH, 23.5 * MONTH),
    ):  # fmt: skip
        if minutes < below:
            return max(round(minutes / length), 1), unit
    return round(minutes / YEAR), "year"


@dataclass(frozen=True)
class Onset:
    """When something began, in the words of one writer.

    Attributes:
        span: "3 days" or "3/7".
        hist: As an adjective: "3-day" or "3/7".
        since: "since Tuesday", "from about 06:40".
        ago: "3 days ago", "on Tuesday", "at 06:40".
    """

    span: Piece
    hist: Piece
    since: Piece
    ago: Piece

    def slots(self) -> dict[str, Piece]:
        """The slots of phrases that tell it."""
        return {"span": self.span, "hist": self.hist, "since": self.since, "ago": self.ago}


def onset(
    voice: Voice, finding: str, began: float, now: float, arrived: datetime.datetime
) -> Onset:
    """Return the words for a time.

    Args:
        voice: The writer.
        finding: What began.
        began: Minutes from arrival.
        now: When it is written, in minutes from arrival.
        arrived: Date and time of arrival.
    """

    def piece(text: str) -> Piece:
        return Piece(text, (Fact("onset", finding, text, minute=began),))

    number, unit = amount(now - began)
    plural = f"{number} {unit if number == 1 else unit + 's'}"
    short = {"minute": "min", "hour": "h", "day": "days", "week": "wk", "month": "mo", "year": "y"}
    span = plural
    if voice.style.short:
        span = f"{number} {'day' if (number, unit) == (1, 'day') else short[unit]}"
    if voice.style.solidus and unit in _SOLIDUS and number <= _SOLIDUS[unit][1]:
        span = f"{number}/{_SOLIDUS[unit][0]}"
    hist = span if "/" in span else f"{number}-{unit}"
    point = _point(voice, began, now, arrived)
    if point is None or voice.random.random() < 0.35:
        since = f"for {'' if voice.style.short else 'the '}last {span}"
        since = f"for {span}" if "/" in span or voice.random.random() < 0.7 else since
        ago = f"{span} ago" if "/" not in span else f"{plural} ago"
        return Onset(piece(span), piece(hist), piece(since), piece(ago))
    preposition, words = point
    start = voice.random.choice(("since", "since", "from"))
    return Onset(
        piece(span), piece(hist), piece(f"{start} {words}"), piece(f"{preposition}{words}")
    )


def _point(
    voice: Voice, began: float, now: float, arrived: datetime.datetime
) -> tuple[str, str] | None:
    """A preposition and the point in time at which something began; None for a span alone."""
    began_at = arrived + datetime.timedelta(minutes=round(began))
    now_at = arrived + datetime.timedelta(minutes=round(now))
    days = (now_at.date() - began_at.date()).days
    if days == 0 or now - began < 14 * HOUR:
        rounded = began_at - datetime.timedelta(minutes=began_at.minute % 5)
        words = clock(voice, rounded)
        about = "~" if voice.style.short else "about "
        day = "" if rounded.date() == now_at.date() else " yesterday"
        return "at ", f"{about}{words}{day}"
    if days == 1:
        return "", "yesterday"
    if days <= 6:
        return "on ", f"{began_at:%a}" if voice.style.short else f"{began_at:%A}"
    if days <= 60:
        return "on ", date(voice, began_at.date(), now_at.date())
    if days <= 330:
        return "in ", f"{began_at:%b}" if voice.style.short else f"{began_at:%B}"
    return "in ", f"{began_at:%Y}"


def clock(voice: Voice, when: datetime.datetime) -> str:
    """Return a time of day."""
    return f"{when:%H%M}" if voice.style.short and voice.style.solidus else f"{when:%H:%M}"


def date(voice: Voice, day: datetime.date, today: datetime.date) -> str:
    """Return a date; the year only where it is another one."""
    year = "" if day.year == today.year else f"/{day:%y}"
    if voice.style.short:
        first, second = (day.month, day.day) if voice.style.american else (day.day, day.month)
        return f"{first}/{second}{year}" if year else f"{first:02}/{second:02}"
    year = "" if not year else f"{',' * voice.style.american} {day.year}"
    return f"{day:%B} {day.day}{year}" if voice.style.american else f"{day.day} {day:%B}{year}"


def long_date(day: datetime.date, american: bool) -> str:
    """Return a date as letters have it."""
    return f"{day:%B} {day.day}, {day.year}" if american else f"{day.day} {day:%B} {day.year}"


VAGUE = ((2.5 * HOUR, "recent"), (9 * HOUR, "hours"), (1.5 * DAY, "day"), (9 * DAY, "days"),
         (8 * WEEK, "weeks"), (2 * YEAR, "months"), (float("inf"), "years"))  # fmt: skip
"""Below a duration in minutes -> the pool of vague words for it."""


def vaguely(voice: Voice, finding: str, began: float, now: float) -> Onset:
    """Return words for a time that the patient cannot place."""
    name = next(name for below, name in VAGUE if now - began < below)
    text = voice.say(f"vague.{name}").text
    span = Piece(text, (Fact("onset", finding, text, minute=began),))
    return Onset(span, span, Piece(f"for {text}", span.facts), Piece(f"{text} ago", span.facts))
