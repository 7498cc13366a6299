"""The order of passages beyond the score of their words: opposites and further ones of a topic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from gym_clinic.retrieval.passages.directions import is_opposite, topic_of
from gym_clinic.retrieval.passages.reading import QueryReading

OPPOSITE_FACTOR = 0.5
"""Factor of the score of a passage on the opposite of what a query asks for."""

REPEATED_FACTORS = (1.0, 0.9, 0.5)
"""Factors of the first, second and every further passage of one topic."""

DEEPER = 10
"""Passages that are ranked beyond those that are returned."""


def is_ranked_by_topic(reading: QueryReading, topics: Collection[str]) -> bool:
    """Return whether the order of passages depends on their titles.

    Args:
        reading: The query as it is read.
        topics: Topics of the base, in small letters.
    """
    return reading.direction is not None or (bool(topics) and len(reading.topics) != 1)


def ranked_by_topic(
    scores: Mapping[int, float],
    titles: Mapping[int, str],
    reading: QueryReading,
    topics: Collection[str],
) -> dict[int, float]:
    """Return scores that are lower for opposites, and for further passages of one topic.

    A query that names one topic may be answered by several of its passages. One that names several
    topics, or none, shall not be answered by those of a single topic.

    Args:
        scores: Number of a passage -> its score.
        titles: Number of a passage -> its title.
        reading: The query as it is read.
        topics: Topics of the base, in small letters.
    """
    heads = {number: topic_of(titles[number]) for number in scores}
    named = {
        topic for topic in reading.topics if any(head.startswith(topic) for head in heads.values())
    }
    spread = len(named) != 1
    seen: Counter[str] = Counter()
    found: dict[int, float] = {}
    for number in sorted(scores, key=lambda number: (-scores[number], number)):
        head, score = heads[number], scores[number]
        if reading.direction is not None and is_opposite(reading.direction, head):
            score *= OPPOSITE_FACTOR
        if spread and head in topics:
            score *= REPEATED_FACTORS[min(seen[head], len(REPEATED_FACTORS) - 1)]
            seen[head] += 1
        found[number] = score
    return found
