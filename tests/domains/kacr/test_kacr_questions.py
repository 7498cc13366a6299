"""Drawn questions: labels follow from the case, texts from the record, splits share few phrases."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from random import Random

import pytest
from places import ROOT

from gym_clinic import embedded
from gym_clinic.domains.kacr.build import main
from gym_clinic.domains.kacr.questions import ClinicalQuestion, draw_question
from gym_clinic.domains.kacr.questions.draw import (
    GROWN,
    MISLED_MASS,
    MOST_DISCIPLINES,
    PAEDIATRICS,
)
from gym_clinic.domains.kacr.questions.evidence import evidence
from gym_clinic.domains.kacr.questions.words import POOLS, figurative, grammar, wordings
from gym_clinic.domains.kacr.tasks import SIZES, make_task
from gym_clinic.facts import Person, load, with_ancestors
from gym_clinic.simulate import Grammar, Writer
from gym_clinic.simulate.split import HELD_OUT
from gym_clinic.simulate.told.kinds import overlaps

COUNT = 24
"""Questions drawn of each split."""


@lru_cache(maxsize=1)
def questions() -> list[ClinicalQuestion]:
    return [draw_question(f"test-{number}", split) for split in ("train", "test")
            for number in range(COUNT)]  # fmt: skip


def person_of(question: ClinicalQuestion) -> Person:
    pregnancy = load().diseases[question.condition].epidemiology
    return Person(
        question.age,
        "female" if question.sex == "female" else "male",
        pregnancy.pregnancy if pregnancy else None,
    )


def masses(question: ClinicalQuestion, present: list[str]) -> dict[str, float]:
    posterior = evidence().posterior(person_of(question), present, question.absent)
    return evidence().disciplines(posterior)


def test_a_seed_gives_the_same_question() -> None:
    assert draw_question("7", "dev") == draw_question("7", "dev")
    assert draw_question("7", "dev").text != draw_question("8", "dev").text
    assert draw_question("7", "dev").text != draw_question("7", "test").text


def test_labels_follow_from_the_diseases_of_the_case() -> None:
    diseases = load().diseases
    for question in questions():
        assert 1 <= len(question.disciplines) <= MOST_DISCIPLINES
        assert question.disciplines[0] == diseases[question.condition].discipline
        if question.second is not None:
            assert diseases[question.second].discipline in question.disciplines
            assert sum(told.cause == "second" for told in question.present) >= 2
        known = {question.condition, question.second, *question.differential} - {None}
        assert set(question.disciplines) <= {diseases[key].discipline for key in known}
        if question.age >= GROWN:
            assert PAEDIATRICS not in question.disciplines


def test_findings_are_of_the_disease_that_causes_them() -> None:
    room = evidence().facts.diseases
    for question in questions():
        own = {feature.phenotype for feature in room[question.condition].phenotypes
               if not feature.frequency.absent}  # fmt: skip
        implied = with_ancestors([told.id for told in question.present], load().above)
        assert implied.isdisjoint(question.absent)
        for told in question.present:
            if told.cause == "second":
                assert told.id not in own


def test_texts_tell_the_record_and_no_disease() -> None:
    diseases = load().diseases
    for question in questions():
        folded = question.text.casefold()
        for told in question.present:
            assert told.words.casefold() in folded, (told, question.text)
        for key in (question.condition, question.second):
            assert key is None or not overlaps(diseases[key], question.text), question.text
        assert not re.search(r"[{}\[\]<>]|  | ,|\.\.|\?\.", question.text), question.text
        assert not re.search(r"\b[Aa] (8\d?|11|18)-", question.text), question.text
        assert question.text.endswith((".", "?"))


def test_hidden_findings_are_those_that_the_linker_does_not_find() -> None:
    above = load().above
    for question in questions():
        links = embedded.linker().link(question.text)
        linked = {link.record.id for link in links if link.status == "present"}
        assert linked == set(question.linked)
        hidden = {told.id for told in question.present
                  if linked.isdisjoint({told.id, *above[told.id]})}  # fmt: skip
        assert hidden == set(question.hidden)


def test_misleading_symptoms_speak_for_a_wrong_discipline() -> None:
    """All findings speak for a right one; what the linker finds does not where it misleads."""
    flags = set()
    for question in questions():
        flags.add(question.misleading)
        right = set(question.disciplines)
        assert next(iter(masses(question, [told.id for told in question.present]))) in right
        linked = masses(question, list(question.linked))
        assert (next(iter(linked)) in right) is not question.misleading
        if question.misleading:
            assert question.hidden
            assert sum(linked.get(key, 0.0) for key in right) <= MISLED_MASS
    assert flags == {True, False}


def test_words_that_the_linker_does_not_know_do_not_give_a_misleading_question_away() -> None:
    """Both kinds of questions hide findings, and both styles have both."""
    kinds = {(question.style, question.misleading, bool(question.hidden))
             for question in questions()}  # fmt: skip
    for style in ("patient", "examination"):
        assert (style, False, True) in kinds
        assert (style, True, True) in kinds


@pytest.mark.parametrize("style", ["patient", "examination"])
def test_a_share_of_every_pool_is_not_in_train(style: str) -> None:
    train, test, dev = (grammar(style, split) for split in ("train", "test", "dev"))
    for pool in POOLS:
        new = set(test[pool]) | set(dev[pool])
        held = new - set(train[pool])
        assert len(held) >= HELD_OUT * len(set(train[pool]) | new), pool
        assert set(test[pool]) - set(train[pool]), pool


def test_figurative_words_name_findings_and_are_split() -> None:
    facts = load()
    unknown = 0
    for name, clauses in figurative().items():
        assert name in facts.finding_ids, name
        assert len(clauses) >= 3, name
        ways = {split: {way.text for way in wordings(name, "patient", split, False)}
                for split in ("train", "test")}  # fmt: skip
        assert ways["test"] - ways["train"], name
        unknown += any(not way.linked for way in wordings(name, "patient", "train", False))
    assert unknown > 0.8 * len(figurative())


def test_every_finding_can_be_said_in_known_words() -> None:
    for finding in list(load().phenotypes.values())[::30]:
        for style in ("patient", "examination"):
            assert any(way.linked for way in wordings(finding.name, style, "test", False))


def test_the_task_files_are_those_of_the_seeds(tmp_path) -> None:
    main(["--out", str(tmp_path), "--count", "2"], "tasks build kacr")
    for split in SIZES:
        made = (tmp_path / f"{split}.jsonl").read_bytes().splitlines()
        kept = (ROOT / "tasks" / "kacr" / f"{split}.jsonl").read_bytes().splitlines()
        assert made == kept[:2]
        assert json.loads(made[0])["provenance"] == "synthetic"


def test_tasks_without_end_differ_and_use_the_phrases_of_train() -> None:
    first, second = make_task("endless:1", "train"), make_task("endless:2", "train")
    assert first.ticket != second.ticket
    assert first == make_task("endless:1", "train")


SAID = {
    "complaints": "vomiting and chest pain", "says": "my head hurts",
    "sign_list": "jaundice and hepatomegaly", "result_list": "anemia and proteinuria",
    "history": "hypothyroidism and osteoporosis", "absences": "vomiting or chest pain",
    "unseen": "jaundice or hepatomegaly", "untested": "anemia or proteinuria",
    "i": "I", "my": "my", "dont": "don't", "ive": "I've", "me_is": "I'm a 40-year-old man",
    "who": "a 40-year-old man", "he": "he", "comes": "comes",
}  # fmt: skip
COUNTS = {"opening_plain": 0, "asking": 0, "clause": 1}
"""Pool -> findings that a phrase of it tells; two for the others."""


@pytest.mark.parametrize("style", ["patient", "examination"])
def test_the_linker_reads_each_phrase_as_it_is_meant(style: str) -> None:
    """What is told is read as present, what is denied as absent, and no phrase adds a symptom."""
    for split in ("train", "dev", "test"):
        phrases = grammar(style, split)
        for pool in POOLS:
            expected = "absent" if pool.startswith("none") else "present"
            for phrase in phrases[pool]:
                text = Writer(Grammar({pool: (phrase,)}), Random(0), SAID).draw(pool)
                links = embedded.linker().link(text)
                assert len(links) == COUNTS.get(pool, 2), (text, links)
                assert {link.status for link in links} <= {expected}, text
