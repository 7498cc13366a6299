"""What reading a query finds and costs, against searching its words as they stand.

Run: ``python bench/reading.py`` (prints figures; asserts nothing). The questions are those of
``tests/facts``, with the topics that answer them; both ways are timed in turn, warm, by CPU time.
``--engine tantivy`` searches the embedded passages by the other engine.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from gym_clinic import embedded
from gym_clinic.facts import load
from gym_clinic.facts.passages import handbook
from gym_clinic.retrieval import KnowledgeBase, PassageSource, build_base
from gym_clinic.retrieval.passages.query import parse_query
from gym_clinic.retrieval.passages.reading import QueryReading

QUESTIONS = Path(__file__).parents[1] / "tests" / "facts" / "typed_questions.tsv"
LIMIT = 10
FIRST = 3


class WordsOnly(KnowledgeBase):
    """A base that searches the words of a query as they stand."""

    def read_query(self, query: str, operator: str = "or") -> QueryReading:
        """Return the parsed query."""
        return QueryReading(parse_query(query, operator))


def main() -> None:
    """Print how many questions are answered and the time, for each kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", choices=("fts5", "tantivy"), default="fts5")
    engine = parser.parse_args().engine
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "clinic.db"
        source = PassageSource("embedded", "1", lambda: iter(embedded.knowledge()))
        build_base([source], path, engine=engine)
        bench(WordsOnly(path), KnowledgeBase(path, aliases=embedded.aliases()))


def bench(words: KnowledgeBase, read: KnowledgeBase) -> None:
    """Compare two ways to search the same passages."""
    topics = {
        one.id: f"{one.id.partition('-')[0]}-{getattr(one.record, 'id', '').replace('_', '-')}"
        for one in handbook(load())
    }
    found: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    seconds: dict[str, list[tuple[float, float]]] = defaultdict(list)
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()[1:]
    for again in range(3):
        for _, kind, question, wanted in (line.split("\t") for line in lines):
            timed = []
            for base in (words, read):
                start = time.process_time()
                passages = base.search(question, LIMIT)
                timed.append(
                    (
                        time.process_time() - start,
                        bool({topics[one.id] for one in passages[:FIRST]} & set(wanted.split())),
                    )
                )
            if again:
                seconds[kind].append((timed[0][0], timed[1][0]))
            else:
                found[kind].append((timed[0][1], timed[1][1]))
    print(f"{len(words):,} passages, {len(lines)} questions, among the first {FIRST}")
    for kind, hits in (*found.items(), ("all", [one for some in found.values() for one in some])):
        times = seconds[kind] or [one for some in seconds.values() for one in some]
        before, after = (sum(column) for column in zip(*hits, strict=True))
        slow, fast = (statistics.median(column) * 1e3 for column in zip(*times, strict=True))
        print(
            f"{kind:17} as written {before:3}, read {after:3} of {len(hits):3}; CPU, median "
            f"{slow:.2f} ms, read {fast:.2f} ms, ratio {fast / slow:.2f}"
        )


if __name__ == "__main__":
    main()
