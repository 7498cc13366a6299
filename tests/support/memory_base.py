"""A knowledge base in memory, for tests of what is built on one."""

from __future__ import annotations

import re
from types import SimpleNamespace

from gym_clinic.retrieval.passages.passage import FoundPassage, Passage
from gym_clinic.retrieval.passages.searcher import check_search

TOPICS = ("seizure", "fever", "headache", "anaemia", "rash", "cough", "oedema", "jaundice")


def passages(count=40):
    """Passages of our own, each with a word that no other has."""
    return [
        Passage(
            id=f"p{number:03}",
            source="cards" if number % 3 else "notes",
            title=f"{TOPICS[number % len(TOPICS)]} card {number}",
            text=f"A child with {TOPICS[number % len(TOPICS)]} and sign{number} is seen at once.",
            category="card",
            licence="CC0",
        )
        for number in range(count)
    ]


class MemoryBase:
    """Counts the words of a query that a passage has."""

    def __init__(self, held, content_hash="abc"):
        self.manifest = SimpleNamespace(content_hash=content_hash)
        self.held = {passage.id: passage for passage in held}
        self.asked = []

    def __len__(self):
        return len(self.held)

    def get(self, id):
        return self.held.get(id)

    def search(self, query, limit=10, source=None, operator="or"):
        check_search(limit, operator)
        self.asked.append((query, limit, source, operator))
        words = set(re.findall(r"\w+", query.lower()))
        found = []
        for passage in self.held.values():
            has = words & set(re.findall(r"\w+", f"{passage.title} {passage.text}".lower()))
            if (
                has
                and (operator == "or" or has == words)
                and (source is None or passage.source == source)
            ):
                hit = FoundPassage(passage, float(len(has)), f"<b>{min(has)}</b>")
                found.append(hit)
        return sorted(found, key=lambda hit: (-hit.score, hit.id))[:limit]
