"""Articles in words: numbers and ids are those of the records, and phrases are held out."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from literature_records import draw_literature

from gym_clinic.domains.clingen.dossiers import read_dossiers
from gym_clinic.domains.clingen.literature.prose.experiments import protocol_pools
from gym_clinic.domains.clingen.literature.prose.labels import (
    measure_text,
    short_arm,
    short_measure,
)
from gym_clinic.domains.clingen.literature.prose.pools import PHRASES, grammar_of
from gym_clinic.domains.clingen.literature.prose.readback import mistakes
from gym_clinic.domains.clingen.literature.prose.style import AuthorStyle
from gym_clinic.domains.clingen.literature.prose.write import write
from gym_clinic.domains.clingen.literature.records import Arm
from gym_clinic.domains.clingen.literature.world import draw_literature as draw_world
from gym_clinic.simulate.grammar import read_pools
from gym_clinic.simulate.split import HELD_OUT


@pytest.fixture(scope="module")
def articles():
    literatures = [draw_literature(f"prose {number}") for number in range(12)]
    return [
        (one, article, write(one, article, split))
        for number, one in enumerate(literatures)
        for article in one.articles
        for split in [("train", "dev", "test")[number % 3]]
    ]


def test_the_same_records_give_the_same_article(articles):
    literature, article, written = articles[0]
    assert write(literature, article, "train") == written


def test_numbers_and_ids_are_those_of_the_records(articles):
    assert [mistakes(*one) for one in articles] == [[]] * len(articles)


def test_a_changed_mean_is_found(articles):
    literature, article, written = next(one for one in articles if one[1].results)
    results = tuple(
        replace(one, arms=(replace(one.arms[0], mean=987.6), *one.arms[1:]))
        for one in literature.results
    )
    assert mistakes(replace(literature, results=results), article, written)


def test_a_foreign_id_in_the_abstract_is_found(articles):
    literature, article, written = articles[0]
    changed = replace(written, abstract=written.abstract + " See SIM00000001.")
    assert mistakes(literature, article, changed)


def test_no_slot_or_bracket_is_left(articles):
    for _, _, written in articles:
        assert not re.search(r"[{}\[\]]|  |\.\.| ,", written.full_text + written.abstract)


def test_three_in_ten_phrases_of_a_pool_are_not_in_train():
    train = grammar_of("train")
    for path in PHRASES.glob("*.txt"):
        for name, entries in read_pools(path).pools.items():
            if len(entries) >= 4:
                assert len(train[name]) <= (1 - HELD_OUT) * len(entries) + 1, name


def test_titles_name_no_number_and_no_direction(articles):
    for literature, article, written in articles:
        title = written.title.casefold()
        for name in (article.disease, article.gene, *literature.phenotypes):
            title = title.replace(name.casefold(), "")
        assert not re.search(r"\b(lower|higher|reduced|increased|no evidence|confirm)", title)


def test_an_author_writes_numbers_one_way():
    style = AuthorStyle(american=True, plus_minus=False, p="P", spaced=False, dash=True)
    assert style.value(Arm("test", "cells", 8, 1.9, 0.6), "%") == "1.9% (SD 0.6)"
    assert style.finish(style.p_value(0.0004) + ", tumour") == "P<0.001, tumor"
    assert style.interval(-0.1, 0.3) == "95% CI −0.1 to 0.3"


def test_an_abstract_names_no_figure_and_no_table(articles):
    for _, _, written in articles:
        assert not re.search(r"\b(Figure|Table) \d", written.abstract)


def test_every_parenthesis_closes(articles):
    for _, _, written in articles:
        for text in (written.abstract, written.full_text):
            assert text.count("(") == text.count(")")


def test_a_drawn_world_reads_back_whole():
    dossiers = read_dossiers()
    pair = next(one for one in dossiers.pairs.values() if one.mechanism.name == "loss of function")
    literature = draw_world("prose", pair, dossiers, "Moderate")
    for article in literature.articles:
        assert mistakes(literature, article, write(literature, article, "dev")) == []


@pytest.fixture(scope="module")
def told_experiment(articles):
    return next(one for one in articles if one[1].results and "Methods" in dict(one[2].sections))


def changed_section(written, name, change):
    return replace(
        written,
        sections=tuple(
            (head, change(text) if head == name else text) for head, text in written.sections
        ),
    )


def test_a_direction_told_with_short_names_is_found(told_experiment):
    literature, article, written = told_experiment
    one = next(found for found in literature.results if found.id in article.results)
    own = replace(article, results=(one.id,))
    word = "lower" if one.comparison.difference > 0 else "higher"
    added = (
        f" {short_measure(measure_text(one.measure))} was {word} in {short_arm(one.arms[0].label)}."
    )
    changed = changed_section(written, "Discussion", lambda text: text + added)
    assert any("told as" in found for found in mistakes(literature, own, changed))


@pytest.mark.parametrize("added", [" Cells were kept for 9713 h.", " QQXR7 was sequenced."])
def test_a_number_or_symbol_added_to_the_methods_is_found(told_experiment, added):
    literature, article, written = told_experiment
    changed = changed_section(written, "Methods", lambda text: text + added)
    assert any("Methods" in one for one in mistakes(literature, article, changed))


def test_a_direction_against_the_numbers_is_found(told_experiment):
    literature, article, written = told_experiment
    one = next(found for found in literature.results if found.id in article.results)
    word = "lower" if one.comparison.difference > 0 else "higher"
    added = f" {one.measure} in {one.arms[0].label} was {word}."
    changed = changed_section(written, "Results", lambda text: text + added.capitalize())
    changed = changed_section(changed, "Results", lambda text: text + added)
    assert any("told as" in found for found in mistakes(literature, article, changed))


def test_an_abstract_does_not_name_what_it_leaves_out(articles):
    for literature, article, written in articles:
        results = [one for one in literature.results if one.id in article.results]
        shown = " ".join(one.measure for one in results if one.id not in article.abstract.omits)
        for one in results:
            if one.id in article.abstract.omits and one.measure not in shown:
                assert one.measure.casefold() not in written.abstract.casefold()


def test_an_abstract_tells_the_genotype_of_every_person(articles):
    for _, article, written in articles:
        if article.kind != "review":
            assert all(person in written.abstract for person in article.persons), article.pmid


@pytest.mark.population
def test_drawn_worlds_read_back_whole_and_fit_a_task(some):
    dossiers = read_dossiers()
    words = []
    for number, key in enumerate(some(sorted(dossiers.pairs)[::100])):
        pair = dossiers.pairs[key]
        if (pair.earliest_year or 0) > 2020:
            continue
        literature = draw_world("read back", pair, dossiers, "Limited")
        told = 0
        for article in literature.articles:
            written = write(literature, article, ("train", "dev", "test")[number % 3])
            assert mistakes(literature, article, written) == [], (key, article.pmid)
            told += len(f"{written.abstract} {written.full_text}".split())
        words.append(1.4 * told)
    assert max(words) <= 16_000
    assert sorted(words)[2 * len(words) // 3] <= 12_000


def test_every_person_of_an_article_is_told(articles):
    for _, article, written in articles:
        results = dict(written.sections).get("Results", "").split("\nTable 1.")[0]
        assert article.kind == "review" or all(person in results for person in article.persons), (
            article.pmid
        )


def test_methods_name_the_assay_of_every_measure():
    dossiers = read_dossiers()
    pairs = sorted(dossiers.pairs)[::60]
    for key in pairs:
        for one in draw_world("assay", dossiers.pairs[key], dossiers, "Strong").results:
            assert any(pool.startswith("protocol_") for pool in protocol_pools(one)), one.measure


def test_an_abstract_names_what_each_experiment_measured(articles):
    for literature, article, written in articles:
        for one in literature.results if article.kind != "review" else ():
            if one.id in article.results and one.id not in article.abstract.omits:
                assert one.measure.casefold() in written.abstract.casefold(), article.pmid


def test_one_experiment_in_ten_is_left_out_of_its_abstract():
    dossiers = read_dossiers()
    told = left_out = 0
    for key in sorted(dossiers.pairs)[::45]:
        for article in draw_world("left out", dossiers.pairs[key], dossiers, "Limited").articles:
            told += len(article.results)
            left_out += len(article.abstract.omits)
    assert left_out <= 0.14 * told
