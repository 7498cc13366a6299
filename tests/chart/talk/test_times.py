"""Times that are rendered are read back as what they were."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random

from gym_clinic.chart.talk.times import ago, how_long, mentioned_times, vaguely_ago

NOW = datetime(2025, 6, 17, 14, 20)


def test_a_time_is_read_back_as_it_was() -> None:
    random = Random(1)
    for _ in range(3000):
        minutes = round(10 ** random.uniform(0.8, 7.4))
        now = NOW + timedelta(minutes=random.randrange(20_000))
        for text in (ago(minutes, now, random), f"for {how_long(minutes, random)}"):
            (found,) = mentioned_times(text, now)
            assert found.least <= minutes <= found.most, (minutes, text, found)


def test_another_time_is_told_apart() -> None:
    random = Random(2)
    apart = 0
    for _ in range(500):
        minutes = round(10 ** random.uniform(2, 7))
        (found,) = mentioned_times(how_long(minutes), NOW)
        apart += not found.least <= 3 * minutes <= found.most
    assert apart >= 490


def test_a_vague_time_has_no_exact_number() -> None:
    random = Random(3)
    for _ in range(1000):
        minutes = round(10 ** random.uniform(0.8, 7.4))
        for found in mentioned_times(text := vaguely_ago(minutes, NOW, random), NOW):
            assert found.least <= minutes <= found.most, (minutes, text)
            assert found.most >= 1.5 * found.least


def test_weekdays_and_parts_of_the_day_are_days() -> None:
    (found,) = mentioned_times("It came on on Sunday.", NOW)
    assert (found.least, found.most) == (860 + 1440, 860 + 2 * 1440)
    (found,) = mentioned_times("since yesterday evening", NOW)
    assert (found.least, found.most) == (860, 860 + 1440)


def test_a_rate_is_no_time() -> None:
    assert mentioned_times("20 cigarettes a day and eight units a week, twice a day", NOW) == []


def test_a_day_or_two_is_a_time_in_every_form() -> None:
    for text in ("a day or two ago", "a day or two back", "over the last day or two"):
        (found,) = mentioned_times(text, NOW)
        assert found.least <= 30 * 60 <= found.most, text
