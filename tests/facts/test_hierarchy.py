"""The parents of findings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from fact_tables import phenotype, tables, write
from places import KB
from real_data import real

from gym_clinic.errors import TaskError
from gym_clinic.facts import (
    Disease,
    Facts,
    ancestors,
    descendants,
    load,
    most_specific,
    with_ancestors,
)
from gym_clinic.facts.passages.form import OFTEN, leading, named
from gym_clinic.facts.typed_json import read_object
from kb.build.parents import all_ancestors, own_parents, read_is_a, with_parents

IDS = {name: f"HP:000000{number}" for number, name in enumerate("ABCD", 1)}
HEADER = "id\tname\tparents\n"


def table() -> dict[str, list[dict[str, object]]]:
    return {"records": [{"id": key, "name": name} for name, key in IDS.items()]}


@pytest.fixture
def is_a(tmp_path: Path) -> Path:
    """A is a B through a term that the table lacks, and a C; B is a C."""
    a, b, c, _ = IDS.values()
    rows = [f"{a}\tA\tHP:0000009|{c}", f"HP:0000009\tX\t{b}", f"{b}\tB\t{c}", f"{c}\tC\t"]
    file = tmp_path / "is_a.tsv"
    file.write_text(HEADER + "\n".join(rows) + "\n", encoding="utf-8")
    return file


def own(folder: Path, left_out: bool = False, **parents: list[str]) -> Path:
    file = folder / "own.json"
    made = {"added": parents, "left_out": {"A": ["B"]} if left_out else {}}
    file.write_text(json.dumps(made), encoding="utf-8")
    return file


def test_a_parent_is_the_nearest_ancestor_in_the_table(is_a: Path, tmp_path: Path) -> None:
    made = with_parents(table(), is_a, own(tmp_path, D=["A"]))
    a, b, c, _ = IDS.values()
    assert [one["parents"] for one in made["records"]] == [[b], [c], [], [a]]
    assert with_parents(made, is_a, own(tmp_path, D=["A"])) == made


def test_an_ancestor_is_left_out_where_not_everyone_has_it(is_a: Path, tmp_path: Path) -> None:
    made = with_parents(table(), is_a, own(tmp_path, left_out=True, D=["A"]))
    a, _, c, _ = IDS.values()
    assert [one["parents"] for one in made["records"]] == [[c], [c], [], [a]]


def test_circles_and_unknown_names_are_errors(is_a: Path, tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="HP:0000001 is an ancestor of itself"):
        with_parents(table(), is_a, own(tmp_path, C=["A"]))
    with pytest.raises(TaskError, match=r"key 'D': unknown 'Z'"):
        own_parents(IDS, own(tmp_path, D=["Z"]))
    is_a.write_text(HEADER + "HP:0000001\tA\n", encoding="utf-8")
    with pytest.raises(TaskError, match="line 2: expected id, name and parents"):
        read_is_a(is_a)


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        (["HP:0000009"], "field parents: unknown 'HP:0000009'"),
        (["HP:0000001"], "field parents: 'HP:0000001' is an ancestor of itself"),
    ],
)
def test_tables_with_broken_parents_are_errors(
    tmp_path: Path, parents: list[str], message: str
) -> None:
    rows = tables()
    first = phenotype("HP:0000001", "First")
    rows["phenotypes"].append({**first, "parents": parents})
    with pytest.raises(TaskError, match=message):
        load(write(tmp_path, rows))


def test_ancestors_and_descendants_are_each_others_inverse(facts: Facts) -> None:
    above = ancestors(facts.phenotypes)
    below = descendants(above)
    pairs = {(key, one) for key, several in above.items() for one in several}
    assert pairs == {(one, key) for key, several in below.items() for one in several}
    ids = {one.name: one.id for one in facts.phenotypes.values()}
    pleuritic, chest, pain = (ids[n] for n in ("Pleuritic chest pain", "Chest pain", "Pain"))
    assert with_ancestors([pleuritic], above) == {pleuritic, chest, pain}
    assert most_specific([pleuritic, pain, ids["Fever"]], above) == {pleuritic, ids["Fever"]}


def test_no_parent_of_the_tables_is_an_ancestor_of_another(facts: Facts) -> None:
    above = ancestors(facts.phenotypes)
    for one in facts.phenotypes.values():
        assert most_specific(one.parents, above) == set(one.parents), one.id


def test_the_parents_of_the_tables_are_those_of_the_hpo_and_our_own() -> None:
    made = read_object(KB / "facts" / "phenotypes.json")
    again = with_parents(made, real("hpo/hp_isa.tsv"))
    for one, other in zip(made["records"], again["records"], strict=True):
        assert one.get("parents", []) == other["parents"], one["id"]


def test_own_findings_have_parents_by_hand(facts: Facts) -> None:
    ids = {one.name: one.id for one in facts.phenotypes.values()}
    by_hand = own_parents(ids)
    assert sum(key.startswith("sym-") for key in by_hand) >= 130
    assert all_ancestors(by_hand)


def related_clues(facts: Facts, named: Callable[[Disease], list[str]]) -> list[str]:
    """Diseases of whose clues one is a form of another."""
    key_of = {one.name.casefold(): key for key, one in facts.phenotypes.items()}
    found = []
    for disease in facts.diseases.values():
        keys = [key_of[name.casefold()] for name in named(disease)]
        if any(one in facts.above[other] for one in keys for other in keys):
            found.append(disease.id)
    return found


def test_clues_are_not_forms_of_one_another() -> None:
    facts = load()
    assert related_clues(facts, lambda one: leading(facts, one, OFTEN, 5)) == []
    # Without the hierarchy, bladder cancer has hematuria three times over.
    assert "bladder-cancer" in related_clues(facts, lambda one: named(facts, one, OFTEN)[:5])
