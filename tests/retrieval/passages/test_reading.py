"""How queries are read, with both engines: corrections, aliases, spellings, long texts."""

from __future__ import annotations

import pickle
import time
from pathlib import Path

import bases
import pytest

from gym_clinic.retrieval.passages.aliases import AliasTable
from gym_clinic.retrieval.passages.knowledge import KnowledgeBase
from gym_clinic.retrieval.passages.passage import Passage
from gym_clinic.retrieval.passages.query import MAX_WORDS, AllOf, AnyOf, Phrase
from gym_clinic.retrieval.passages.reading import LONG, QueryReading

PASSAGES = [
    Passage("p1", "s", "Paracetamol", "Paracetamol is given for fever and pain."),
    Passage("p2", "s", "Haemorrhage", "A haemorrhage after surgery; breast cancer is rarer."),
    Passage("p3", "s", "Hemorrhage in the US", "A hemorrhage, and a breath of fresh air."),
    Passage("p4", "s", "Myocardial infarction", "Crushing chest pain of the heart with sweating."),
    Passage("p5", "s", "Of other kinds", "Acute myocardial infarction, fever, heart, heart."),
    Passage("p6", "s", "Ménière disease", "Vertigo with ringing ears."),
]

ALIASES = AliasTable(
    [("Tylenol", "paracetamol"), ("heart attack", "Myocardial infarction"), ("MI", "infarct")],
    capitals=[("ALL", "leukaemia")],
    titles=["Myocardial infarction"],
)


@pytest.fixture(scope="module", params=["fts5", "tantivy"])
def base(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    if request.param == "tantivy":
        pytest.importorskip("tantivy")
    built = bases.base(tmp_path_factory.mktemp("reading"), request.param, PASSAGES)
    return KnowledgeBase(built.path, aliases=ALIASES)


def ids(base: KnowledgeBase, query: str) -> list[str]:
    return [passage.id for passage in base.search(query)]


def test_a_misspelt_word_is_corrected_and_named(base: KnowledgeBase) -> None:
    reading = base.read_query("feaver treatment")
    assert reading.corrected == {"feaver": "fever"}
    assert reading.describe() == "corrected: feaver -> fever"
    assert set(ids(base, "feaver")) == {"p1", "p5"}


def test_a_known_word_in_any_form_is_not_corrected(base: KnowledgeBase) -> None:
    for query in ("fever", "fevers", "Fever's", "Meniere", "ménière", "the", "12", "x9", "garden"):
        assert base.read_query(query).corrected == {}, query


def test_of_two_near_words_the_one_that_makes_a_name_is_taken(base: KnowledgeBase) -> None:
    named = KnowledgeBase(base.path, aliases=AliasTable([], titles=["Breast cancer"]))
    assert named.read_query("breat").corrected == {"breat": "breath"}
    assert named.read_query("breat cancer").corrected == {"breat": "breast"}


def test_a_misspelt_alias_finds_its_term(base: KnowledgeBase) -> None:
    reading = base.read_query("tylenal")
    assert reading.corrected == {"tylenal": "tylenol"}
    assert reading.aliases == {"tylenol": ("paracetamol",)}
    assert ids(base, "tylenal") == ["p1"]


def test_an_alias_is_searched_as_well(base: KnowledgeBase) -> None:
    assert ids(base, "Tylenol") == ["p1"]
    reading = base.read_query("the heart attack")
    assert reading.aliases == {"heart attack": ("Myocardial infarction",)}
    assert {"p4", "p5"} <= set(ids(base, "heart attack"))
    assert KnowledgeBase(base.path).read_query("Tylenol").aliases == {}


def test_a_title_with_the_name_goes_first(base: KnowledgeBase) -> None:
    assert ids(base, "heart attack")[0] == "p4"
    assert set(ids(base, "myocardial infarction")) == {"p4", "p5"}


def test_the_s_of_a_possessive_is_no_word(base: KnowledgeBase) -> None:
    named = KnowledgeBase(base.path, aliases=AliasTable([("Barany's vertigo", "Ménière disease")]))
    for query in ("Barany's vertigo", "Baranys vertigo", "Barany vertigo"):
        assert named.read_query(query).aliases, query
    assert base.read_query("s").query == Phrase(("s",))


def test_british_and_american_spellings_find_each_other(base: KnowledgeBase) -> None:
    for query in ("haemorrhage", "hemorrhage"):
        assert set(ids(base, query)) == {"p2", "p3"}


@pytest.mark.parametrize(
    ("query", "suggested"),
    [
        ('"feaver"', {"feaver": "fever"}),
        ('"feaver and pain"', {"feaver": "fever"}),
        ("feaver AND pain", {"feaver": "fever"}),
        ("pain NOT feaver", {}),
        ("Tylenol NOT pain", {}),
    ],
)
def test_quotes_and_conditions_are_searched_as_written(
    base: KnowledgeBase, query: str, suggested: dict[str, str]
) -> None:
    reading = base.read_query(query)
    assert reading.corrected == reading.aliases == {}
    assert reading.suggested == suggested
    if suggested:
        assert ids(base, query) == []
        assert reading.describe() == "did you mean: feaver -> fever"


def test_the_operator_and_leaves_words_as_they_are(base: KnowledgeBase) -> None:
    reading = base.read_query("feaver pain", "and")
    assert reading.query == AllOf((Phrase(("feaver",)), Phrase(("pain",))))
    assert base.search("feaver pain", operator="and") == []


def test_a_phrase_beside_free_words_stays_as_it_is(base: KnowledgeBase) -> None:
    reading = base.read_query('feaver "chest pian"')
    assert reading.corrected == {"feaver": "fever"}
    assert reading.suggested == {"pian": "pain"}
    assert isinstance(reading.query, AnyOf)
    assert Phrase(("chest", "pian")) in reading.query.parts


def test_function_words_are_dropped_beside_others_only(base: KnowledgeBase) -> None:
    assert base.read_query("can you give me fever").query == Phrase(("fever",))
    assert base.read_query("can you").query == AnyOf((Phrase(("can",)), Phrase(("you",))))


def test_capitals_are_told_from_words(base: KnowledgeBase) -> None:
    assert base.read_query("ALL fever").aliases == {"ALL": ("leukaemia",)}
    assert base.read_query("all fever").aliases == {}


def narrative(words: int) -> str:
    return "A 67-year-old man came yesterday. " + " ".join(f"word{n}" for n in range(words))


def test_a_long_text_keeps_its_informative_words(base: KnowledgeBase) -> None:
    text = f"{narrative(2 * MAX_WORDS)} vertigo heart feaver MI Tylenol"
    reading = base.read_query(text)
    assert isinstance(reading.query, AnyOf)
    kept = {word for part in reading.query.parts if isinstance(part, Phrase) for word in part.words}
    assert {"vertigo", "heart"} <= kept
    assert not {"67", "man", "came", "yesterday", "old"} & kept
    assert len(reading.query.parts) <= MAX_WORDS + 1
    assert reading.left_out > MAX_WORDS
    assert reading.corrected == {}
    assert reading.aliases == {"MI": ("infarct",)}
    assert "left out: " in reading.describe()


def test_a_short_text_keeps_every_other_word(base: KnowledgeBase) -> None:
    reading = base.read_query(" ".join(f"word{n}" for n in range(LONG)))
    assert reading.left_out == 0
    assert isinstance(reading.query, AnyOf)
    assert len(reading.query.parts) == LONG


def test_a_text_without_words_is_no_query(base: KnowledgeBase) -> None:
    assert base.read_query(" ?! ") == QueryReading(None)
    assert base.search("?") == []


def test_a_copy_keeps_its_aliases(base: KnowledgeBase) -> None:
    other = pickle.loads(pickle.dumps(base))
    assert other.read_query("Tylenol") == base.read_query("Tylenol")


def test_reading_takes_little_time(base: KnowledgeBase) -> None:
    base.read_query("fever and chest pain")
    start = time.process_time()
    for _ in range(200):
        base.read_query("fever and chest pain")
    assert (time.process_time() - start) / 200 < 0.002


def test_the_words_are_counted_in_both_engines(base: KnowledgeBase, tmp_path: Path) -> None:
    from gym_clinic.retrieval.passages.database import ReadOnlyDatabase
    from gym_clinic.retrieval.passages.vocabulary import Vocabulary

    words = Vocabulary(ReadOnlyDatabase(base.path)).all_words()
    assert words["fever"] == 2
    assert words["meniere"] == 1
    assert "9" not in words
