"""Times in words, read back from texts into ranges of minutes."""

from __future__ import annotations

import datetime
import re

MINUTE_OF = {"min": 1, "h": 60, "day": 1440, "wk": 10080, "week": 10080, "mo": 43830, "y": 525960,
             "minute": 1, "hour": 60, "month": 43830, "year": 525960}  # fmt: skip
SOLIDUS = {"24": 60, "7": 1440, "52": 10080, "12": 43830}
VAGUE = (("hour|while", 0, 3 * 60), ("hours", 0, 12 * 60), ("day", 6 * 60, 3 * 1440),
         ("days", 1.5 * 1440, 12 * 1440),
         ("weeks", 7 * 1440, 70 * 1440), ("months", 45 * 1440, 830 * 1440),
         ("years", 600 * 1440, 1e12))  # fmt: skip
DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

_AMOUNT = re.compile(r"(\d+)[- ]?(minute|min|hour|h|day|week|wk|month|mo|year|y)s?\b")
_SOLIDUS = re.compile(r"\b(\d+)/(24|7|52|12)\b")
_CLOCK = re.compile(r"(?:~|about )(\d\d):?(\d\d)( yesterday)?")
_NUMBERS = re.compile(r"\b(\d{1,2})/(\d{1,2})(?:/(\d\d))?\b")
_NAMED = re.compile(r"(?:(\d{1,2}) )?([A-Z][a-z]{2})[a-z]*(?: (\d{1,2})\b)?(?:,? (\d{4}))?")


def began_between(says: str, now: float, arrived: datetime.datetime) -> tuple[float, float] | None:
    """Return the earliest and latest minute at which something began, as a text says.

    Args:
        says: Such as "since Tuesday" or "3/7".
        now: When the text was written, in minutes from arrival.
        arrived: Date and time of arrival.

    Returns:
        Minutes from arrival; None if nothing in the text is a time.
    """
    now_at = arrived + datetime.timedelta(minutes=round(now))
    dated = re.match(r"(since|on|from) \d", says) is not None  # else 10/12 is ten months
    if (found := _SOLIDUS.search(says)) and not dated:
        return _around(now, int(found[1]), SOLIDUS[found[2]])
    if found := _AMOUNT.search(says):
        return _around(now, int(found[1]), MINUTE_OF[found[2]])
    if found := _CLOCK.search(says):
        day = now_at.date() - datetime.timedelta(days=bool(found[3]))
        began = datetime.datetime.combine(day, datetime.time(int(found[1]), int(found[2])))
        return _minutes(began, arrived) - 1, _minutes(began, arrived) + 6
    if "yesterday" in says:
        return _day(now_at.date() - datetime.timedelta(days=1), arrived)
    if found := _NUMBERS.search(says):
        return _either(found, now_at.date(), arrived)
    if found := next((one for one in DAYS if re.search(rf"\b{one}", says)), None):
        back = (now_at.weekday() - DAYS.index(found)) % 7 or 7
        return _day(now_at.date() - datetime.timedelta(days=back), arrived)
    if (found := _NAMED.search(says)) and found[2] in MONTHS:
        return _named(found, now_at.date(), arrived)
    if found := re.search(r"\b(?:19|20)\d\d\b", says):
        first = datetime.date(int(found[0]), 1, 1)
        last = datetime.date(int(found[0]), 12, 31)
        return _day(first, arrived)[0], _day(last, arrived)[1]
    for word, low, high in VAGUE:
        if re.search(rf"\b(?:{word})\b", says):
            return now - high, now - low
    return None


def _around(now: float, number: int, unit: int) -> tuple[float, float]:
    half = 0.52 * unit if unit > 1 else 4
    return now - number * unit - half, now - number * unit + half


def _minutes(when: datetime.datetime, arrived: datetime.datetime) -> float:
    return (when - arrived).total_seconds() / 60


def _day(day: datetime.date, arrived: datetime.datetime) -> tuple[float, float]:
    start = _minutes(datetime.datetime.combine(day, datetime.time()), arrived)
    return start - 1, start + 1441


def _either(
    found: re.Match[str], today: datetime.date, arrived: datetime.datetime
) -> tuple[float, float] | None:
    """A date in numbers, day or month first: the one of the last sixty-one days."""
    for day, month in ((int(found[1]), int(found[2])), (int(found[2]), int(found[1]))):
        for year in (today.year, today.year - 1):
            try:
                one = datetime.date(year, month, day)
            except ValueError:
                continue
            if 6 <= (today - one).days <= 61:
                return _day(one, arrived)
    return None


def _named(
    found: re.Match[str], today: datetime.date, arrived: datetime.datetime
) -> tuple[float, float] | None:
    month, day = MONTHS.index(found[2]) + 1, found[1] or found[3]
    year = int(found[4]) if found[4] else today.year
    if day is not None:
        one = datetime.date(year, month, int(day))
        if not found[4] and one > today:
            one = one.replace(year=year - 1)
        return _day(one, arrived)
    first = datetime.date(year, month, 1)
    if first > today:
        first = first.replace(year=year - 1)
    last = (first + datetime.timedelta(days=32)).replace(day=1)
    return _day(first, arrived)[0], _day(last, arrived)[0]
