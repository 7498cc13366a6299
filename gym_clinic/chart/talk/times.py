"""How long ago something was, in words, and what a text says about it.

What is rendered here is read back by :func:`mentioned_times`; a time that a patient does not know
is said vaguely, and never by the clock.
"""

from __future__ import annotations

import datetime
import re
from random import Random
from typing import NamedTuple

MINUTE, HOUR, DAY = 1, 60, 24 * 60
WEEK, MONTH, YEAR = 7 * DAY, 30.44 * DAY, 365.25 * DAY
UNITS: tuple[tuple[str, float, float], ...] = (
    ("minute", MINUTE, 90),
    ("hour", HOUR, 23 * HOUR),
    ("day", DAY, 12 * DAY),
    ("week", WEEK, 9 * WEEK),
    ("month", MONTH, 23 * MONTH),
    ("year", YEAR, float("inf")),
)
"""Unit, its minutes, and from how many minutes on the next one is used."""

NUMBERS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
FEW = {"a couple of": (1.4, 3.2), "a few": (1.4, 12.0), "several": (2.0, 15.0)}
OR_TWO = (0.6, 2.6)
"""Vague amount -> the least and greatest number that it stands for."""

_AMOUNT = "|".join((*sorted(FEW, key=len, reverse=True), *NUMBERS[1:], r"\d+", "half an", "an?"))
_LONG = re.compile(
    rf"\b({_AMOUNT}|last(?= \w+ or two\b)) (minute|hour|day|week|month|year)s?(?P<two> or two)?\b",
    re.IGNORECASE,
)
_DAY = re.compile(
    rf"\b(yesterday|today|this (?:morning|afternoon|evening)|last night|tonight|"
    rf"on ({'|'.join(DAYS)}))\b",
    re.IGNORECASE,
)


_RATE = re.compile(
    rf"\b((?:units|times|once|twice|{'|'.join(NUMBERS[1:])}|\d+)(?: cigarettes)?) "
    r"(?:in )?an? (?:day|week)\b",
    re.IGNORECASE,
)


class MentionedTime(NamedTuple):
    """A time in a text, as minutes before now.

    Attributes:
        text: The words.
        least: Least minutes ago.
        most: Most minutes ago.
    """

    text: str
    least: float
    most: float


def number_word(number: int) -> str:
    """Return a number in words up to twelve, in digits above."""
    return NUMBERS[number] if 0 < number < len(NUMBERS) else str(number)


def how_long(minutes: float, random: Random | None = None) -> str:
    """Return a duration in words.

    >>> how_long(185), how_long(3 * 1440), how_long(30 * 365 * 1440)
    ('three hours', 'three days', '30 years')
    """
    for unit, size, until in UNITS:
        if minutes < until:
            amount = max(round(minutes / size), 1)
            if unit == "minute" and amount > 12:
                amount = max(round(minutes / 5) * 5, 5)
            break
    if amount == 1:
        return f"{'an' if unit == 'hour' else 'a'} {unit}"
    if amount == 2 and random is not None and random.random() < 0.3:
        return f"a couple of {unit}s"
    return f"{number_word(amount)} {unit}s"


def ago(minutes: float, now: datetime.datetime, random: Random) -> str:
    """Return when something was: by how long ago, by the day or by the weekday."""
    ways = [f"{how_long(minutes, random)} ago", f"about {how_long(minutes, random)} ago"]
    then = now - datetime.timedelta(minutes=minutes)
    days = (now.date() - then.date()).days
    part = "morning" if then.hour < 12 else "afternoon" if then.hour < 18 else "evening"
    if days == 0 and minutes > 90 and then.hour >= 5:
        ways.append(f"this {part}")
    if days == 1 and then.hour >= 5:
        ways += ["yesterday", f"yesterday {part}"]
    if 2 <= days <= 6:
        ways += [f"on {DAYS[then.weekday()]}"] * 2
    return random.choice(ways)


def vaguely_ago(minutes: float, now: datetime.datetime, random: Random) -> str:
    """Return when something was, without a number."""
    then = now - datetime.timedelta(minutes=minutes)
    if minutes < 90:
        ways = ["a short while ago", "not long ago", "just before I came"]
    elif then.date() == now.date():
        ways = ["earlier today", "some time today", "at some point today"]
    elif minutes < 20 * HOUR:
        ways = ["some hours ago", "since yesterday or so", "within the last day"]
    elif minutes < 44 * HOUR:
        ways = ["a day or two ago", "a day or two back", "over the last day or two"]
    elif minutes < 12 * DAY:
        ways = ["a few days ago", "some days ago", "earlier on, days ago"]
    elif minutes < 9 * WEEK:
        ways = ["a few weeks ago", "some weeks back", "weeks ago"]
    elif minutes < 23 * MONTH:
        ways = ["some months back", "quite some months ago", "months ago"]
    else:
        ways = ["years ago", "a long time ago", "some years back"]
    return random.choice(ways)


def mentioned_times(text: str, now: datetime.datetime) -> list[MentionedTime]:
    """Return the times and durations that a text mentions."""
    found = []
    text = _RATE.sub(r"\1", text)
    for one in _LONG.finditer(text):
        amount, unit = one[1].casefold(), one[2].casefold()
        size = next(size for name, size, _ in UNITS if name == unit)
        low, high = FEW.get(amount, (0.0, 0.0))
        if one["two"]:
            low, high = OR_TWO
        elif not high:
            number = _number(amount)
            slack = 0.6 if unit != "minute" else max(0.6, 0.2 * number)
            low, high = number - slack, number + slack
        found.append(MentionedTime(one[0], low * size, high * size))
    for one in _DAY.finditer(text):
        found.append(_by_day(one, now))
    return found


def _number(amount: str) -> float:
    if amount in ("a", "an"):
        return 1.0
    if amount == "half an":
        return 0.5
    return float(NUMBERS.index(amount)) if amount in NUMBERS else float(amount)


def _by_day(one: re.Match[str], now: datetime.datetime) -> MentionedTime:
    text = one[0].casefold()
    midnight = (now - now.replace(hour=0, minute=0)).total_seconds() / 60
    if one[2]:
        weekday = [day.casefold() for day in DAYS].index(one[2].casefold())
        days = (now.weekday() - weekday) % 7 or 7
        return MentionedTime(one[0], midnight + (days - 1) * DAY, midnight + days * DAY)
    if text == "yesterday":
        return MentionedTime(one[0], midnight, midnight + DAY)
    if text == "last night":
        return MentionedTime(one[0], max(midnight - 6 * HOUR, 0), midnight + 7 * HOUR)
    return MentionedTime(one[0], 0, midnight)
