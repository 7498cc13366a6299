"""The aliases of kb/facts: well-formed, pointing at what the handbook has, and finding it."""

from __future__ import annotations

from collections import Counter

import pytest

from gym_clinic import embedded
from gym_clinic.errors import TaskError
from gym_clinic.facts import Facts
from gym_clinic.facts.aliases import Alias, search_names
from gym_clinic.facts.passages import HandbookPassage
from gym_clinic.facts.tables import load
from gym_clinic.facts.typed_json import read_fields
from gym_clinic.retrieval import KnowledgeBase

COMMON = {"sources": ["authored"], "provenance": "authored", "reviewed": "2026-11-22"}


@pytest.fixture(scope="module")
def base() -> KnowledgeBase:
    return embedded.knowledge()


def test_there_are_aliases_of_every_kind(facts: Facts) -> None:
    kinds = Counter()
    for one in facts.aliases.values():
        kinds[one.kind] += len(one.names)
    assert kinds["brand"] >= 800
    assert kinds["abbreviation"] >= 400
    assert kinds["lay"] >= 1500


def test_names_are_sorted_and_are_not_the_term(facts: Facts) -> None:
    for one in facts.aliases.values():
        assert list(one.names) == sorted(one.names, key=str.casefold), one.id
        assert one.term.casefold() not in map(str.casefold, one.names), one.id


def test_no_alias_repeats_a_synonym_of_its_record(facts: Facts) -> None:
    synonyms = {
        (synonym.casefold(), record.name)
        for table in (facts.diseases, facts.drugs, facts.phenotypes)
        for record in table.values()
        for synonym in record.synonyms
    }
    for one in facts.aliases.values():
        if not one.capitals:
            repeated = [name for name in one.names if (name.casefold(), one.term) in synonyms]
            assert not repeated, one.id


def test_most_drugs_have_a_brand(facts: Facts) -> None:
    named = {one.term for one in facts.aliases.values() if one.kind == "brand"}
    assert sum(drug.name in named for drug in facts.drugs.values()) >= 400


def test_the_handbook_has_the_words_of_every_term(facts: Facts, base: KnowledgeBase) -> None:
    drugs = {drug.name for drug in facts.drugs.values()}
    for term in {one.term for one in facts.aliases.values()} - drugs:
        assert base.search(f'"{term}"', limit=1), term


def test_an_alias_of_a_record_finds_a_passage_on_it(
    facts: Facts, base: KnowledgeBase, passages: list[HandbookPassage]
) -> None:
    topics = {one.id: one.topic.partition(" (")[0] for one in passages}
    terms: dict[str, set[str]] = {}
    for one in facts.aliases.values():
        for name in one.names:
            terms.setdefault(name, set()).add(one.term)
    asked = {name: wanted for name, wanted in terms.items() if wanted & set(topics.values())}
    missed = [
        name
        for name, wanted in asked.items()
        if not wanted & {topics[passage.id] for passage in base.search(name, limit=3)}
    ]
    assert len(asked) >= 2_500
    assert len(missed) <= 0.01 * len(asked), missed


def test_synonyms_of_the_records_are_aliases_too(facts: Facts) -> None:
    names = search_names(facts)
    assert ("frusemide", "Furosemide") in names.aliases
    assert ("AIDS", "HIV infection") in names.capitals
    assert "Glasgow Coma Scale" in names.titles
    assert not {name for name, _ in names.capitals} & {name for name, _ in names.aliases}


def test_tables_without_aliases_are_read(tmp_path, facts: Facts) -> None:
    from gym_clinic.facts.tables import default_folder

    for file in default_folder().rglob("*.json"):
        if file.name != "aliases.json":
            copy = tmp_path / file.relative_to(default_folder())
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes())
    assert load(tmp_path).aliases == {}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"kind": "nickname", "names": ["x"]}, "field kind"),
        ({"kind": "lay", "names": []}, "field names"),
        ({"kind": "lay", "names": ["x", "x"]}, "duplicate 'x'"),
    ],
)
def test_a_broken_alias_is_named(fields: dict[str, object], expected: str) -> None:
    with pytest.raises(TaskError, match=expected):
        read_fields({"term": "Fever", **COMMON, **fields}, Alias, "here")


def tells_of(text: str, one: str, other: str) -> bool:
    """Whether a row tells of both, by name or as members of the classes that the text lists."""
    rows = [row.partition(" with ") for row in text.split(". ")]
    return any(other in theirs and (one in own or one in text) for own, _, theirs in rows)


def test_two_drugs_bring_the_passage_on_both_first(facts: Facts, base: KnowledgeBase) -> None:
    pairs = [
        tuple(facts.drugs[side].name for side in one.between)
        for one in list(facts.interactions.values())[::6]
        if one.severity and one.of_drugs and len(one.between) == 2
    ]
    first = both = 0
    missed = []
    for one, other in pairs:
        names = (one.casefold(), other.casefold())
        found = [each.record for each in base.search(f"{one} and {other} together", limit=3)]
        tells = any(tells_of(found[0].text.casefold(), *pair) for pair in (names, names[::-1]))
        first += tells
        titles = " ".join(each.title for each in found)
        both += one in titles and other in titles
        missed += [] if tells else [(one, other, titles)]
    assert len(pairs) >= 40
    assert first >= 0.9 * len(pairs), missed
    assert both >= 0.8 * len(pairs)


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("guillan barry when to intubate", "Guillain-Barr"),
        ("HELLP delivery timing", "HELLP syndrome"),
        ("DRESS and LFTs", "DRESS syndrome"),
        ("hirshprungs biopsy", "Hirschsprung disease"),
    ],
)
def test_names_without_syndrome_or_disease_are_found(base: KnowledgeBase, query, title) -> None:
    assert any(one.record.title.startswith(title) for one in base.search(query, limit=3))


@pytest.mark.parametrize("word", ["down", "west", "crush", "fifth", "compartment"])
def test_an_ordinary_word_is_no_name_of_a_disease(facts: Facts, word: str) -> None:
    names = search_names(facts)
    assert word not in {one.casefold() for one, _ in names.aliases}


def test_abbreviations_in_context_have_several_meanings_that_the_handbook_has(
    facts: Facts, base: KnowledgeBase
) -> None:
    names = Counter(name for alias in facts.meanings.values() for name in alias.names)
    assert len(names) >= 50
    plain = {name for alias in facts.aliases.values() for name in alias.names} | {
        synonym
        for table in (facts.diseases, facts.phenotypes)
        for record in table.values()
        for synonym in record.synonyms
    }
    for alias in facts.meanings.values():
        assert alias.kind == "abbreviation", alias.id
        assert len(alias.context) >= 3, alias.id
        assert list(alias.context) == sorted(set(alias.context)), alias.id
        assert base.search(f'"{alias.term}"', limit=1), alias.id
    single = {name for name, count in names.items() if count == 1 and name not in plain}
    assert not single, single


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("GBS in labour", {"group B streptococcus"}),
        ("gbs in labour", {"group B streptococcus"}),
        ("GBS ascending weakness", {"Guillain Barre syndrome"}),
        ("AS murmur syncope", {"Aortic stenosis"}),
        ("AS uveitis spine", {"Ankylosing spondylitis"}),
        ("SMA floppy infant", {"Spinal muscular atrophy"}),
        ("SMA occlusion", {"Mesenteric ischaemia"}),
        ("PVD floaters", {"Posterior vitreous detachment"}),
        ("ROM of the shoulder", {"range of motion"}),
    ],
)
def test_the_words_beside_an_abbreviation_choose_its_meaning(
    base: KnowledgeBase, query: str, terms: set[str]
) -> None:
    aliases = base.read_query(query).aliases
    assert set(aliases[query.split()[0]]) == terms
