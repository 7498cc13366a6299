"""A curator's notes tell the numbers of the records and give no points."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from literature_records import draw_literature

from gym_clinic.domains.clingen.evidence import CATEGORIES, SUBTYPES
from gym_clinic.domains.clingen.literature.prose.readback import strange_in_notes
from gym_clinic.domains.clingen.literature.prose.summaries import genetics_summary, summary


@pytest.fixture(scope="module")
def literatures():
    return [draw_literature(f"notes {number}") for number in range(12)]


def test_a_note_has_the_numbers_of_its_experiments(literatures):
    for literature in literatures:
        results = {one.id: one for one in literature.results}
        for article in literature.articles:
            for category in CATEGORIES:
                note = summary(literature, article, category, "test")
                mine = [results[one] for one in article.results]
                counted = [
                    one
                    for one in mine
                    if one.subtype and SUBTYPES[one.subtype].category == category
                ]
                assert bool(note) == bool(counted and article.kind != "review")
                assert len(note) <= 900
                for one in counted if note else ():
                    assert one.measure.casefold() in note.casefold()
                    assert str(one.arms[0].n) in note
                    assert f"{one.arms[1].mean:g}" in note


def test_a_note_on_genetics_names_every_person_and_family(literatures):
    for literature in literatures:
        for article in literature.articles:
            note = genetics_summary(literature, article, "dev")
            if article.kind == "review":
                assert note == ""
                continue
            assert len(note) <= 1300
            for person in article.persons:
                assert note.count(person) == 1
            assert note.count("LOD score") == len(article.families)
            assert ("controls" in note.casefold()) == bool(article.case_control)


def test_notes_hold_only_numbers_of_the_records_and_no_judgement(literatures):
    for literature in literatures:
        for article in literature.articles:
            notes = [summary(literature, article, one, "train") for one in CATEGORIES]
            notes.append(genetics_summary(literature, article, "train"))
            assert strange_in_notes(literature, article, notes) == []
            assert not re.search(r"\bpoints\b(?! \()|support|evidence|score of \d", " ".join(notes))


def test_a_changed_count_of_alleles_is_found(literatures):
    literature, article = next(
        (one, article) for one in literatures for article in one.articles if article.persons
    )
    changed = replace(
        literature,
        variants=tuple(
            replace(one, population_alleles=77_777, population_total=88_888)
            for one in literature.variants
        ),
    )
    note = genetics_summary(changed, article, "train")
    assert strange_in_notes(literature, article, [note])
