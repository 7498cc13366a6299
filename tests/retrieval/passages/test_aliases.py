from __future__ import annotations

import copy
import pickle

import pytest

from gym_clinic.retrieval.passages.aliases import AliasTable
from gym_clinic.retrieval.passages.query import Phrase, Title

TABLE = AliasTable(
    [
        ("heart attack", "myocardial infarction"),
        ("attack", "episode"),
        ("Tylenol", "paracetamol"),
        ("shortness of breath", "dyspnoea"),
        ("kidney stones", "renal colic"),
        ("Meniere's disease", "vertigo"),
        ("A&E", "emergency department"),
        ("anaemia", "low haemoglobin"),
        ("anaemia", "pallor"),
    ],
    capitals=[("ALL", "acute lymphoblastic leukaemia")],
    titles=["paracetamol", "Renal colic", "Low back pain"],
)


def phrases(text: str) -> list[tuple[str, ...]]:
    found = TABLE.find([word for word in text.split() if word != "s"])
    return [one.words for _, terms in found for one in terms if isinstance(one, Phrase)]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("signs heart attack man", [("myocardial", "infarction")]),
        ("panic attack", [("episode",)]),
        ("TYLENOL dose", [("paracetamol",)]),
        ("shortness breath", [("dyspnoea",)]),
        ("kidney stone", [("renal", "colic")]),
        ("anemias", [("low", "haemoglobin"), ("pallor",)]),
        ("ALL chemotherapy", [("acute", "lymphoblastic", "leukaemia")]),
        ("all drugs", []),
        ("Meniere s disease", [("vertigo",)]),
        ("heart", []),
        ("", []),
    ],
)
def test_aliases_are_found_in_a_row_of_words(text: str, terms: list[tuple[str, ...]]) -> None:
    assert phrases(text) == terms


def test_places_are_those_of_the_words() -> None:
    (found,) = TABLE.find(["after", "Heart", "attack"])
    assert found[0] == range(1, 3)


def test_a_title_is_searched_by_its_name_and_by_its_aliases() -> None:
    for text in ("Tylenol", "paracetamol"):
        ((_, nodes),) = TABLE.find([text])
        assert Title(("paracetamol",)) in nodes
    ((_, nodes),) = TABLE.find(["low", "back", "pain"])
    assert nodes == (Title(("Low", "back", "pain")),)


def test_the_titles_of_terms_are_compared_without_case() -> None:
    ((_, nodes),) = TABLE.find(["kidney", "stones"])
    assert nodes == (Phrase(("renal", "colic")), Title(("Renal", "colic")))


def test_the_words_of_the_aliases_are_known() -> None:
    assert TABLE.knows("Tylenol")
    assert TABLE.knows("stones")
    assert TABLE.knows("stone")
    assert not TABLE.knows("gravel")
    assert {"tylenol", "stones", "all", "colic"} <= TABLE.words


def test_copies_are_equal_in_use() -> None:
    for other in (pickle.loads(pickle.dumps(TABLE)), copy.deepcopy(TABLE)):
        assert len(other) == len(TABLE)
        assert other.find(["heart", "attack"]) == TABLE.find(["heart", "attack"])


def test_an_empty_table_finds_nothing() -> None:
    assert AliasTable([]).find(["fever"]) == []
    assert len(AliasTable([("", "x"), ("?", "y")])) == 0


def test_two_terms_of_a_query_are_searched_by_the_words_of_a_passage_on_both() -> None:
    table = AliasTable(
        [("Coumadin", "Warfarin"), ("Advil", "Ibuprofen"), ("blood thinner", "anticoagulant")],
        titles=["Warfarin", "Ibuprofen"],
        pairs=[("Warfarin", "Ibuprofen", "Warfarin with ibuprofen")],
    )
    for text, rows in (
        ("Coumadin and Advil", [Phrase(("Warfarin", "with", "ibuprofen"))]),
        ("ibuprofen warfarin", [Phrase(("Warfarin", "with", "ibuprofen"))]),
        ("Coumadin and warfarin", []),
        ("Advil alone", []),
    ):
        found = [nodes for _, nodes in table.find(text.split())]
        assert table.on_both(found) == rows
