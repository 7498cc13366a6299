"""The embedded tables and the handbook: complete and readable."""

from __future__ import annotations

import doctest
import json
import re
import shutil
from collections import Counter
from pathlib import Path

from fact_tables import tables, write
from places import KB

from gym_clinic.facts import Facts, load
from gym_clinic.facts.passages import HandbookPassage, fingerprint, handbook, sentences
from gym_clinic.facts.passages.form import own_names
from gym_clinic.facts.passages.sentences import inside, listed, pick
from gym_clinic.facts.records.models import DiseaseEntry
from gym_clinic.facts.records.terms import read_terms


def test_every_stated_frequency_has_its_source(facts: Facts) -> None:
    stated = [
        has
        for one in facts.diseases.values()
        for has in one.phenotypes
        if has.frequency.basis == "sourced"
    ]
    assert len(stated) >= 900
    for has in stated:
        assert has.frequency.source == "orphanet"  # whose licence lets its figures stand here
        assert has.references[0].startswith("ORPHA:")


def test_counts(facts: Facts) -> None:
    assert len(facts.diseases) >= 250
    assert len({one.discipline for one in facts.diseases.values()}) >= 20
    assert len(facts.drugs) >= 450
    assert len(facts.instruments) >= 80
    assert len(facts.guidelines) >= 150
    assert sum(bool(one.synonyms) for one in facts.phenotypes.values()) >= 300
    assert sum(one.rare for one in facts.diseases.values()) >= 100


def test_every_disease_is_complete(facts: Facts) -> None:
    for one in facts.diseases.values():
        present = [has for has in one.phenotypes if not has.frequency.absent]
        assert 5 <= len(present) <= 45, one.id
        assert one.look_alikes, one.id
        assert min(len(one.red_flags), len(one.tests), len(one.treatment)) >= 2, one.id
        assert one.summary.endswith("."), one.id


def test_no_finding_has_the_name_of_its_disease(facts: Facts) -> None:
    for one in facts.diseases.values():
        found = {facts.phenotypes[has.phenotype].name.casefold() for has in one.phenotypes}
        assert not found & own_names(one), one.id


def test_every_finding_is_used_or_recognised_in_texts(facts: Facts) -> None:
    used = {has.phenotype for one in facts.diseases.values() for has in one.phenotypes}
    assert used <= set(facts.phenotypes)
    for id in facts.phenotypes.keys() - used:  # of everyday practice, and of no disease here
        assert id.startswith("HP:") or id in read_terms(), id


def test_passages_are_many_and_distinct(passages: list[HandbookPassage]) -> None:
    assert len(passages) >= 1200
    for field in ("id", "text", "title"):
        assert len({getattr(one, field) for one in passages}) == len(passages)
    assert min(Counter(one.category for one in passages).values()) >= 40


def test_passages_read_as_text(passages: list[HandbookPassage]) -> None:
    broken = re.compile(r"[{}<>|_*]|\bNone\b|  | [.,;:]|[,;:]\.|\.\.|,,|\(\)|: ;|TODO")
    for one in passages:
        assert 35 <= len(one.text.split()) <= 200, one.id
        assert one.text[0].isupper() or one.text[0].isdigit(), one.id
        assert one.text.endswith("."), one.id
        assert not broken.search(one.text), (one.id, broken.search(one.text))
        assert all((one.title, one.category, one.topic, one.record.sources)), one.id


def test_composing_repeats_and_the_fingerprint_follows_the_tables(
    facts: Facts, passages: list[HandbookPassage], tmp_path: Path
) -> None:
    assert handbook(facts) == passages
    folder = tmp_path / "facts"
    shutil.copytree(KB / "facts", folder)
    assert fingerprint(folder) == fingerprint(KB / "facts")
    file = folder / "diseases" / "urology.json"
    file.write_text(file.read_text(encoding="utf-8").replace("kidney", "renal", 1), "utf-8")
    assert fingerprint(folder) != fingerprint(KB / "facts")


def test_no_passage_holds_an_answer_of_the_curation_tasks(passages: list[HandbookPassage]) -> None:
    lines = (KB.parent / "tasks" / "clingen" / "curations.jsonl").read_text().splitlines()
    curations = [json.loads(line) for line in lines]
    genes = {one["gene"] for one in curations}
    classes = {one["classification"] for one in curations}
    named = re.compile("|".join(map(re.escape, sorted(classes))))
    for one in passages:
        text = f"{one.title} {one.text}"
        assert not named.search(text), one.id
        assert not re.search(r"ClinGen|gene-disease", text), one.id
        if genes & set(re.findall(r"[\w-]+", text)):
            assert not re.search(r"(definitive|moderate|limited|strong) evidence", text, re.I)


def test_sentences() -> None:
    assert inside("Wilson disease") == "Wilson disease"
    assert inside("HIV infection") == "HIV infection"
    assert inside("Dilated cardiomyopathy") == "dilated cardiomyopathy"
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed(["a and b", "c"]) == "a and b; and c"
    chosen = {pick(("one", "two", "three"), str(number)) for number in range(50)}
    assert chosen == {"one", "two", "three"}
    assert pick(("one", "two"), "key") == pick(("one", "two"), "key")
    assert doctest.testmod(sentences) == (0, 6)


def test_empty_fields_are_left_out(tmp_path: Path) -> None:
    found = {one.id: one.text for one in handbook(load(write(tmp_path, tables())))}
    assert found["disease-blue-palsy-urgency"] == (
        "Suspect it in a patient with abnormality of body height. Consider also amber fever."
    )
    assert found["drug-ambrol"] == (
        "Ambrol is a drug of the class amber blocker. In short: made up. It is used in amber fever."
    )
    assert not any("{}" in text or " ." in text for text in found.values())


def test_the_example_of_the_page_is_a_disease() -> None:
    page = (KB / "SOURCES.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    table = json.loads((KB / "facts" / "diseases" / "neurology.json").read_bytes())
    fields = table["defaults"] | json.loads(example)
    entry = DiseaseEntry.model_validate_json(json.dumps(fields))
    assert entry.findings[1].feature("HP:0012735").frequency.band == "frequent"


def test_the_page_states_the_true_figures(facts: Facts, passages: list[HandbookPassage]) -> None:
    page = (KB / "SOURCES.md").read_text(encoding="utf-8")
    stated = [(one.id, has.frequency) for one in facts.diseases.values() for has in one.phenotypes]
    sourced = [(key, has) for key, has in stated if has.basis == "sourced"]
    for figure in (
        f"{len(facts.diseases):,} diseases of {len(facts.disciplines)} disciplines",
        f"{len(facts.phenotypes):,} findings, {len(facts.drugs)} drugs",
        f"{len(facts.instruments)} scores, {len(facts.guidelines)} guidelines",
        f"{len(passages):,} passages",
        f"{len(facts.guidelines)} are the steps of the guidelines",
        f"{len(passages) - len(facts.guidelines):,} are put together",
        f"**{len(sourced):,} frequencies** of {len(dict(sourced))} diseases",
        f"The other {len(stated) - len(sourced):,} are",
    ):
        assert figure in page
