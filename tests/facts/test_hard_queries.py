"""Whether hard queries find their topic, or are told that nothing is about it.

``hard_queries.tsv`` has queries of seven kinds with the topics that answer them, ``-`` where no
passage is about what they ask for. The part ``dev`` was used to tune; the part ``held`` was written
by the same author after the rules and the aliases, and scored once. Before them 119 of 163 and 38
of 59 were right; measured now 158 and 54.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pytest

from gym_clinic import embedded
from gym_clinic.facts import Facts
from gym_clinic.facts.passages import HandbookPassage
from gym_clinic.retrieval import KnowledgeBase

QUERIES = Path(__file__).with_name("hard_queries.tsv")

ABSENT = "-"
"""The topic of a query that no passage is about."""

FLOORS = {"dev": 0.96, "held": 0.91}
"""Share of each part that is right."""

PARTS_OF_TOPICS = (
    "presentation", "urgency", "look-alikes", "management", "limits", "causes", "rules",
)  # fmt: skip
"""What the id of a passage adds to its topic."""


def rows() -> list[tuple[str, str, str, frozenset[str]]]:
    header, *lines = QUERIES.read_text(encoding="utf-8").splitlines()
    assert header == "part\tkind\tquestion\ttopics"
    split = [line.split("\t") for line in lines]
    return [(part, kind, text, frozenset(topics.split())) for part, kind, text, topics in split]


@pytest.fixture(scope="module")
def base() -> KnowledgeBase:
    return embedded.knowledge()


def topic(id: str) -> str:
    """Return the topic of a passage: its id without its part and number."""
    words = id.split("-")
    if words[-1].isdecimal() and words[0] == "drug":
        words.pop()
    joined = "-".join(words)
    ends = [f"-{part}" for part in PARTS_OF_TOPICS if joined.endswith(f"-{part}")]
    return joined.removesuffix(ends[0]) if ends else joined


def test_the_queries_are_many_of_each_kind_and_their_topics_exist(
    passages: list[HandbookPassage], facts: Facts
) -> None:
    queries = rows()
    assert len({text for _, _, text, _ in queries}) == len(queries) >= 220
    kinds = Counter((part, kind) for part, kind, _, _ in queries)
    assert len(kinds) == 14
    assert min(kinds.values()) >= 5
    known = {topic(passage.id) for passage in passages} | {
        f"drug-class-{key.replace('_', '-')}" for key in facts.drug_classes
    }
    for _, kind, text, topics in queries:
        assert (topics == {ABSENT}) == (kind == "absent"), text
        assert topics <= known | {ABSENT}, (text, topics - known)


@pytest.mark.parametrize("part", FLOORS)
def test_a_passage_on_the_topic_is_among_the_first_three(base: KnowledgeBase, part: str) -> None:
    right: defaultdict[str, list[bool]] = defaultdict(list)
    missed = []
    for _, kind, text, topics in (row for row in rows() if row[0] == part):
        found = base.search(text, limit=3)
        on = [topic(passage.id) for passage in found]
        answered = bool(found.absent_terms) and not found if ABSENT in topics else topics & {*on}
        right[kind].append(bool(answered))
        if not answered:
            missed.append((kind, text, on))
    print(part, {kind: f"{sum(hits)}/{len(hits)}" for kind, hits in right.items()})
    every = [hit for hits in right.values() for hit in hits]
    assert sum(every) / len(every) >= FLOORS[part], missed


def test_no_present_topic_is_said_to_be_absent(base: KnowledgeBase) -> None:
    for name in ("handbook_queries.tsv", "typed_questions.tsv"):
        lines = QUERIES.with_name(name).read_text(encoding="utf-8").splitlines()[1:]
        for question in (line.split("\t")[2] for line in lines):
            assert base.read_query(question).absent == (), question
    for _, kind, question, _ in rows():
        assert bool(base.read_query(question).absent) == (kind == "absent"), question


@pytest.mark.parametrize(
    ("query", "beginning"),
    [
        ("thyroid storm PTU vs methimazole order", "Thyroid storm"),
        ("GBS prophylaxis penicillin allergy labor", "Preterm labour"),
        ("GBS ascending weakness", "Guillain-Barre syndrome"),
        ("heart burn at night cant sleep", "Gastroesophageal reflux disease"),
        ("water on the lungs short of breath lying flat", "Heart failure"),
        ("vit D deficiency", "Osteomalacia"),
    ],
)
def test_the_topic_is_among_the_first_three(
    base: KnowledgeBase, query: str, beginning: str
) -> None:
    titles = [passage.title for passage in base.search(query, limit=3)]
    assert any(title.startswith(beginning) for title in titles), titles


def test_the_opposite_is_not_found_before_what_is_asked(base: KnowledgeBase) -> None:
    for query, wanted, opposite in (
        ("vit D deficiency", "Osteomalacia", "Hypervitaminosis"),
        ("vitamin D toxicity", "Hypervitaminosis", "Osteomalacia"),
        ("low potassium", "Low potassium", "Hyperkalaemia"),
        ("high potassium", "Hyperkalaemia", "Low potassium"),
        ("low blood sugar", "Hypoglycaemia", "Hyperglycemia"),
    ):
        titles = [passage.title for passage in base.search(query, limit=10)]
        first = {
            name: next((at for at, title in enumerate(titles) if title.startswith(name)), 10)
            for name in (wanted, opposite)
        }
        assert first[wanted] < first[opposite], titles


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("5-FU side effects", ("5-FU",)),
        ("flibbertozine dose", ("flibbertozine",)),
        ("cetuximab interactions", ("cetuximab",)),
    ],
)
def test_what_no_table_has_is_said_to_be_absent(
    base: KnowledgeBase, query: str, terms: tuple[str, ...]
) -> None:
    found = base.search(query)
    assert (list(found), found.absent_terms) == ([], terms)
    assert found.note == f"No passage is about {terms[0]}."


def test_an_absent_drug_beside_a_topic_is_named_and_the_topic_is_found(
    base: KnowledgeBase,
) -> None:
    found = base.search("flibbertozine for pneumonia", limit=3)
    assert found.absent_terms == ("flibbertozine",)
    assert any("neumonia" in passage.title for passage in found)
