"""The argument of an article follows its records: its support, its limits, its conclusion."""

from __future__ import annotations

from dataclasses import replace

import pytest
from literature_records import draw_literature

from gym_clinic.domains.clingen.literature.designs import read_designs
from gym_clinic.domains.clingen.literature.experiments import ALPHA
from gym_clinic.domains.clingen.literature.prose.argument import (
    Ground,
    Weighing,
    expectation,
    weigh,
)
from gym_clinic.domains.clingen.literature.prose.pools import ArticleWriter, grammar_of
from gym_clinic.domains.clingen.literature.prose.write import write


@pytest.fixture(scope="module")
def literatures():
    return [draw_literature(f"argument {number}") for number in range(8)]


def told(literature, article):
    return [(one, {}) for one in literature.results if one.id in article.results]


def objections(literature, article):
    return {one.pool for one in weigh(literature, article, told(literature, article)).objections}


def with_people(literatures):
    return next(
        (one, article)
        for one in literatures
        for article in one.articles
        if article.persons and article.kind != "review"
    )


def test_a_second_diagnosis_speaks_against_a_person(literatures):
    literature, article = with_people(literatures)
    doubted = replace(
        literature, persons=tuple(replace(one, other_cause="X") for one in literature.persons)
    )
    weighing = weigh(doubted, article, [])
    assert "against_other" in objections(doubted, article)
    assert "for_people" not in {one.pool for one in weighing.supports}
    assert weighing.level == "low"


def test_a_difference_supports_and_no_difference_limits(literatures):
    for literature in literatures:
        for article in literature.articles:
            for one, facts in told(literature, article):
                weighing = weigh(literature, article, [(one, facts)])
                differs = one.comparison.p < ALPHA
                about_gene = expectation(one) != "expect_other"
                pools = [ground.pool for ground in weighing.supports + weighing.objections]
                assert ("for_result" in pools) == (differs and about_gene)
                assert ("against_null" in pools) == (not differs and about_gene)


def test_how_a_curator_reads_a_result_does_not_change_the_article(literatures):
    for literature in literatures:
        plain = replace(
            literature,
            results=tuple(
                replace(one, reading="negative", subtype=None) for one in literature.results
            ),
        )
        for article in literature.articles:
            assert write(plain, article, "dev") == write(literature, article, "dev")


def test_every_design_has_its_expectation_and_every_pool_exists(literatures):
    grammar = grammar_of("train")
    example = literatures[0].results[0]
    for key in read_designs().designs:
        pool = expectation(replace(example, design=key))
        assert pool in grammar
        assert (pool == "expect_other") == key.startswith("none")


def test_a_discussion_takes_up_every_earlier_article(literatures):
    for literature in literatures:
        for article in literature.articles:
            sections = dict(write(literature, article, "train").sections)
            said = sections.get("Discussion") or sections.get("Published studies", "")
            assert all(pmid in said for pmid in article.cites), article.pmid


def test_a_minority_of_the_persons_is_not_the_main_finding(literatures):
    minorities = 0
    for literature in literatures:
        for article in literature.articles:
            weighing = weigh(literature, article, told(literature, article))
            main, minority = weighing.opening[0], [one for one in weighing.supports if one.minority]
            minorities += bool(minority)
            assert main not in minority or len(weighing.supports) == 1
    assert minorities


@pytest.mark.parametrize(("pool", "repeated"), [("against_again", True), ("against_one", False)])
def test_people_reported_before_are_no_new_evidence(pool, repeated):
    facts = {"gene": "ABC1", "disease": "example ataxia", "people": "the patient"}
    ground = Ground(pool, count=(1, 1) if repeated else None)
    writer = ArticleWriter("test", "again", facts)
    Weighing((), (ground,), "people", "low").conclusion(writer)
    assert writer.begun("then_again") == repeated


@pytest.mark.parametrize("level", ["high", "middle", "low"])
def test_mixed_laboratory_work_is_not_the_reason_for_its_conclusion(level):
    facts = {"gene": "ABC1", "disease": "example ataxia", "measure": "grip strength"}
    facts |= {"arm1": "mice without ABC1", "arm2": "littermates", "direction": "lower"}
    grounds = (Ground("for_result"),), (Ground("against_null"),)
    writer = ArticleWriter("train", "mixed", facts)
    Weighing(*grounds, "lab", level).conclusion(writer)
    assert writer.begun("weigh_mixed") == (level == "middle")
