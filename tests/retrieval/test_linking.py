from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from linking_gold import GOLD, SYMPTOMS, UNSEEN
from small_graph import small_graph

from gym_clinic.errors import ConfigError
from gym_clinic.retrieval.graph import Node
from gym_clinic.retrieval.linking import Link, SymptomLinker

LINKER = SymptomLinker(SYMPTOMS)

# Pieces of sentences, so that what is tried at random is near to what people write.
PIECES = [
    *(name for node in SYMPTOMS for name in (node.name, *node.synonyms)),
    *("no", "denies", "without", "not only", "was ruled out", "but", "and", ",", ".", ":", "\n"),
    *("feverr", "Ä", "ﬁ", "’", "-", "38.5", "🙂", '"', "NOT", "(", "the", "of", "has", "none"),
]


def told(text: str) -> list[str]:
    return [f"{'-' if one.absent else '+'}{one.node.id}" for one in LINKER.link(text)]


@pytest.mark.parametrize(
    ("sentences", "precision", "recall"), [(GOLD, 0.95, 0.95), (UNSEEN, 0.95, 0.8)]
)
def test_precision_and_recall_on_the_gold_sentences(sentences, precision, recall):
    hits = found = expected = 0
    for sentence, gold in sentences:
        ours, theirs = Counter(told(sentence)), Counter(gold.split())
        hits += sum((ours & theirs).values())
        found += sum(ours.values())
        expected += sum(theirs.values())
    assert expected >= 35
    assert hits / found >= precision, f"precision {hits}/{found}"
    assert hits / expected >= recall, f"recall {hits}/{expected}"


@pytest.mark.parametrize(
    ("text", "kind", "score"),
    [
        ("Chest pain", "exact", 1.0),
        ("CHEST-PAIN", "exact", 1.0),
        ("pains in the chest", "stemmed", 0.95),
        ("thoracic pain", "synonym", 0.9),
        ("pain, thoracic", None, None),
        ("Œdema", None, None),
        ("Oedéma", "synonym", 0.9),
        ("chest pains", "stemmed", 0.95),
        ("diarrhoae", "approximate", 0.85 * 2 * 6 / 18),
        ("palpitatoins", "approximate", 0.85 * 2 * 8 / 24),
        ("phone", None, None),
    ],
)
def test_how_a_symptom_is_named(text, kind, score):
    links = LINKER.link(text)
    assert [one.kind for one in links] == ([kind] if kind else [])
    assert [one.score for one in links] == ([pytest.approx(score)] if score else [])


def test_a_link_says_where_it_stands():
    text = "He has NO pain in the chest."
    assert LINKER.link(text) == [
        Link(SYMPTOMS[1], "stemmed", 0.95, 10, 27, "pain in the chest", True)
    ]


def test_the_longest_name_wins_and_names_go_before_synonyms():
    nodes = [
        Node("a", "symptom", "Sweating", ("Sweats",)),
        Node("b", "symptom", "Night sweats"),
        Node("c", "symptom", "Sweats"),
    ]
    linker = SymptomLinker(nodes)
    assert [one.node.id for one in linker.link("night sweats, sweats and sweating")] == [
        "b",
        "c",
        "a",
    ]


def test_a_denial_in_a_name_is_no_denial():
    linker = SymptomLinker([Node("a", "symptom", "No social smile"), *SYMPTOMS])
    links = linker.link("No social smile, no fever")
    assert [(one.node.id, one.absent) for one in links] == [("a", False), ("fever", True)]


def test_abbreviations_match_capitals_only():
    linker = SymptomLinker([Node("a", "symptom", "Leukemia", ("ALL",))])
    assert [one.start for one in linker.link("all of ALL, All")] == [7]


def test_an_organ_is_not_its_inflammation():
    linker = SymptomLinker([Node("a", "symptom", "Thyroiditis"), Node("b", "symptom", "Clubbing")])
    assert [one.node.id for one in linker.link("The thyroid is clubbed: thyroiditis")] == ["b", "a"]


def test_symptoms_once_each_and_what_is_there_goes_first():
    present, absent = LINKER.symptoms("No fever, no cough. Fever today, and fever at night.")
    assert [node.id for node in present] == ["fever"]
    assert [node.id for node in absent] == ["cough"]


def test_other_kinds_are_found_when_asked_for():
    assert SymptomLinker(small_graph()).link("migraine") == []
    linker = SymptomLinker(small_graph(), kinds=("symptom", "disease"))
    assert [one.node.id for one in linker.link("Headache of a migraine")] == [
        "headache",
        "migraine",
    ]


def test_the_threshold_can_be_raised():
    strict = SymptomLinker(SYMPTOMS, threshold=1)
    assert strict.link("diarhea") == []
    assert strict.link("shortness of breath")[0].score == 0.9
    with pytest.raises(ConfigError, match="above 0 and at most 1, not 0"):
        SymptomLinker(SYMPTOMS, threshold=0)


def test_no_names_no_links():
    assert SymptomLinker([]).link("fever") == []
    assert SymptomLinker([Node("a", "symptom", "…")]).link("… fever") == []


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map(" ".join)))
@settings(max_examples=300, deadline=None)
def test_any_text_is_linked_and_spans_lie_in_it(text):
    links = LINKER.link(text)
    last = 0
    for one in links:
        assert last <= one.start < one.end <= len(text)
        assert one.text == text[one.start : one.end]
        assert 0 < one.score <= 1
        last = one.end
    assert LINKER.link(text) == links


@given(st.sampled_from(SYMPTOMS), st.sampled_from(["no {}", "denies {}.", "{} was ruled out"]))
@settings(deadline=None)
def test_every_name_is_found_there_and_absent(node, denial):
    for name in (node.name, *node.synonyms):
        assert told(f"I have {name}.") == [f"+{node.id}"]
        assert told(denial.format(name)) == [f"-{node.id}"]


@pytest.mark.parametrize("text", ["x" * 100_000, "no " * 30_000, "fevre " * 16_000, "\n" * 50_000])
def test_long_texts_are_linked(text):
    assert len(LINKER.link(text)) in (0, 16_000)
