"""What no passage is about is said, and is not answered with something else."""

from __future__ import annotations

import bases
import pytest

from gym_clinic.retrieval.passages.absent import Absence, absent_terms
from gym_clinic.retrieval.passages.aliases import AliasTable
from gym_clinic.retrieval.passages.knowledge import KnowledgeBase
from gym_clinic.retrieval.passages.passage import Passage
from gym_clinic.retrieval.passages.reading import LONG

PASSAGES = [
    Passage("p1", "s", "Rituximab", "Rituximab has side effects; its dose is given by vein."),
    Passage("p2", "s", "Pneumonia", "Pneumonia is treated with amoxicillin; the dose is small."),
    Passage("p3", "s", "Blood pressure", "Heartburn, and a low blood pressure."),
]


@pytest.fixture(scope="module", params=["fts5", "tantivy"])
def base(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    if request.param == "tantivy":
        pytest.importorskip("tantivy")
    built = bases.base(tmp_path_factory.mktemp("absent"), request.param, PASSAGES)
    return KnowledgeBase(built.path, aliases=AliasTable([("Mabthera", "Rituximab")]))


@pytest.mark.parametrize(
    ("text", "unknown", "absence"),
    [
        ("5-FU side effects", {"FU"}, Absence(("5-FU",), is_topic=True)),
        ("zonegrifen dose", {"zonegrifen"}, Absence(("zonegrifen",), is_topic=True)),
        ("cetuximab in pneumonia", {"cetuximab"}, Absence(("cetuximab",))),
        ("MK-2870 in pneumonia", {"MK"}, Absence(("MK-2870",))),
        ("basketball and pneumonia", {"basketball"}, Absence()),
        ("pneumonia dose", set(), Absence()),
        ("eins zwei drei vier", {"eins", "zwei", "drei", "vier"}, Absence()),
    ],
)
def test_terms_that_a_query_is_about(text: str, unknown: set[str], absence: Absence) -> None:
    words = [word for part in text.split() for word in part.split("-")]
    assert absent_terms(text, words, unknown) == absence


@pytest.mark.parametrize("query", ["5-FU side effects", "zonegrifen dose", "cetuximab dose"])
def test_nothing_is_found_for_a_topic_that_no_passage_has(base: KnowledgeBase, query: str) -> None:
    found = base.search(query)
    assert (list(found), found.absent_terms) == ([], (query.split()[0],))
    assert base.ranked(query).ids == ()
    assert base.read_query(query).describe() == f"No passage is about {query.split()[0]}."


def test_another_topic_is_still_found(base: KnowledgeBase) -> None:
    found = base.search("zonegrimab in pneumonia")
    assert [passage.id for passage in found] == ["p2"]
    assert found.note == "No passage is about zonegrimab."


@pytest.mark.parametrize(
    "query",
    ["ritxuimab dose", "Mabthera dose", "heart burn", "bloodpressure", "pnemonia treatment"],
)
def test_what_is_read_otherwise_is_not_absent(base: KnowledgeBase, query: str) -> None:
    found = base.search(query)
    assert found
    assert found.absent_terms == ()


def test_a_long_text_is_not_judged(base: KnowledgeBase) -> None:
    text = " ".join(f"zonegrifen{'x' * number}" for number in range(LONG + 1))
    assert base.read_query(text).absent == ()
