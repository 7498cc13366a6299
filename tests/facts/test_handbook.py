"""The embedded tables and passages: built from the text, whole, and fit to be read."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from places import KB
from real_data import real

from gym_clinic.facts.check import stale
from gym_clinic.facts.compose import CODE_COLUMNS
from gym_clinic.facts.tables import Facts
from gym_clinic.facts.passage_form import own_names
from gym_clinic.facts.passages import passages
from gym_clinic.facts.wording import inside, listed, opening, pick
from kb.build import build, changed, tables
from kb.renew import disease_codes, phenotype_codes, table


def test_the_files_are_what_the_text_gives() -> None:
    assert changed(build(KB / "authoring"), KB) == [], "run python -m kb.build"


def test_a_file_that_is_not_as_built_is_named(tmp_path: Path) -> None:
    files = {"facts/drugs.jsonl": b"{}\n", "passages.jsonl": b""}
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts" / "drugs.jsonl").write_bytes(b"{}\n")
    assert changed(files, tmp_path) == ["passages.jsonl"]
    (tmp_path / "passages.jsonl").write_bytes(b"")
    assert changed(files, tmp_path) == []
    (tmp_path / "facts" / "drugs.jsonl").write_bytes(b"{}")
    assert changed(files, tmp_path) == ["facts/drugs.jsonl"]


def test_the_build_repeats() -> None:
    assert tables(KB / "authoring") == tables(KB / "authoring")


def test_ids_are_those_of_the_published_files() -> None:
    phenotypes = json.loads(real("rarebench/phenotype_mapping.json").read_bytes())
    diseases = json.loads(real("rarebench/disease_mapping.json").read_bytes())
    folder = KB / "authoring"
    rows = [*disease_codes(folder, diseases), *phenotype_codes(folder, phenotypes)]
    assert (folder / "codes.tsv").read_bytes() == table(CODE_COLUMNS, rows)


def test_every_stated_share_says_where_it_is_from(facts: Facts) -> None:
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


def test_the_proof_of_the_codes_holds(facts: Facts) -> None:
    assert stale(facts, KB / "facts") is None


def test_counts(facts: Facts) -> None:
    assert len(facts.diseases) >= 250
    assert len({one.discipline for one in facts.diseases.values()}) >= 20
    assert len(facts.drugs) >= 120
    assert len(facts.instruments) >= 80
    assert len(facts.guidelines) >= 150
    assert sum(bool(one.synonyms) for one in facts.phenotypes.values()) >= 300
    assert sum(one.rare for one in facts.diseases.values()) >= 100


def test_every_disease_is_whole(facts: Facts) -> None:
    for one in facts.diseases.values():
        present = [has for has in one.phenotypes if not has.frequency.absent]
        assert 5 <= len(present) <= 16, one.id
        assert one.look_alikes, one.id
        assert min(len(one.red_flags), len(one.tests), len(one.treatment)) >= 2, one.id
        assert one.summary.endswith("."), one.id


def test_no_finding_bears_the_name_of_its_disease(facts: Facts) -> None:
    for one in facts.diseases.values():
        found = {facts.phenotypes[has.phenotype].name.casefold() for has in one.phenotypes}
        assert not found & own_names(one), one.id


def test_every_finding_is_used(facts: Facts) -> None:
    used = {has.phenotype for one in facts.diseases.values() for has in one.phenotypes}
    assert used == set(facts.phenotypes)


def test_passages_are_many_and_distinct(facts: Facts, rows: list[dict[str, Any]]) -> None:
    assert rows == json.loads(json.dumps(passages(facts)))
    assert len(rows) >= 1200
    assert len({row["id"] for row in rows}) == len(rows)
    assert len({row["content"] for row in rows}) == len(rows)
    assert len({row["title"] for row in rows}) == len(rows)
    assert min(Counter(row["category"] for row in rows).values()) >= 40


def test_passages_read_as_text(rows: list[dict[str, Any]]) -> None:
    broken = re.compile(r"[{}<>|_*]|\bNone\b|  | [.,;:]|[,;:]\.|\.\.|,,|\(\)|: ;|TODO")
    for row in rows:
        text = row["content"]
        assert 40 <= len(text.split()) <= 200, row["id"]
        assert text[0].isupper() or text[0].isdigit(), row["id"]
        assert text.endswith("."), row["id"]
        assert not broken.search(text), (row["id"], broken.search(text))
        assert all(row[key] for key in ("title", "category", "topic", "sources")), row["id"]
        assert (row["licence"], row["provenance"]) == ("Apache-2.0", "authored")
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", row["date"])


def test_no_passage_holds_an_answer_of_the_curation_tasks(rows: list[dict[str, Any]]) -> None:
    lines = (KB.parent / "tasks" / "clingen" / "curations.jsonl").read_text().splitlines()
    curations = [json.loads(line) for line in lines]
    genes = {one["gene"] for one in curations}
    classes = {one["classification"] for one in curations}
    named = re.compile("|".join(map(re.escape, sorted(classes))))
    for row in rows:
        text = f"{row['title']} {row['content']}"
        assert not named.search(text), row["id"]
        assert not re.search(r"ClinGen|gene-disease", text), row["id"]
        if genes & set(re.findall(r"[\w-]+", text)):
            assert not re.search(r"(definitive|moderate|limited|strong) evidence", text, re.I)


def test_wording() -> None:
    assert inside("Wilson disease") == "Wilson disease"
    assert inside("HIV infection") == "HIV infection"
    assert inside("Dilated cardiomyopathy") == "dilated cardiomyopathy"
    assert opening("fever") == "Fever"
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed(["a and b", "c"]) == "a and b; and c"
    chosen = {pick(("one", "two", "three"), str(number)) for number in range(50)}
    assert chosen == {"one", "two", "three"}
    assert pick(("one", "two"), "key") == pick(("one", "two"), "key")


def test_the_page_tells_the_true_figures(facts: Facts, rows: list[dict[str, Any]]) -> None:
    page = (KB / "SOURCES.md").read_text(encoding="utf-8")
    stated = [(one.id, has.frequency) for one in facts.diseases.values() for has in one.phenotypes]
    sourced = [(key, has) for key, has in stated if has.basis == "sourced"]
    for figure in (
        f"{len(facts.diseases):,} diseases of {len(facts.disciplines)} disciplines",
        f"{len(facts.phenotypes):,} findings, {len(facts.drugs)} drugs",
        f"{len(facts.instruments)} scores, {len(facts.guidelines)} guidelines",
        f"{len(rows):,} passages",
        f"{len(facts.guidelines)} written by hand",
        f"{len(rows) - len(facts.guidelines):,} put together",
        f"**{len(sourced)} frequencies** of {len(dict(sourced))} diseases",
        f"The other {len(stated) - len(sourced):,} are",
    ):
        assert figure in page
