"""The HPO's names and exact synonyms, by which the linker recognises findings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fact_tables import tables, write

from gym_clinic import embedded
from gym_clinic.errors import ConfigError
from gym_clinic.facts import load
from gym_clinic.facts.hierarchy import ancestors
from gym_clinic.facts.records.terms import TERMS
from gym_clinic.facts.tables import default_folder
from gym_clinic.facts.typed_json import read_object
from kb.build.synonyms import FILE, synonyms

OBO = """format-version: 1.2

[Term]
id: HP:0000002
name: Abnormality of body height
synonym: "Unusual stature" EXACT []
synonym: "Height, odd" EXACT layperson []
synonym: "Somewhat tall" RELATED []
synonym: "Odd height (for age)" EXACT []
synonym: "Fever, amber" EXACT []
synonym: "ABH" EXACT []
synonym: "Build" EXACT []
synonym: "Odd form" EXACT []

[Term]
id: HP:0000003
name: Multicystic kidney dysplasia
synonym: "Cystic kidney" EXACT []
synonym: "Odd form" EXACT []

[Term]
id: HP:0000009
name: Elsewhere
synonym: "Somewhere" EXACT []
"""


def taken(tmp_path: Path, left_out: dict[str, list[str]], obo: str = OBO) -> dict[str, Any]:
    write(tmp_path, tables())
    (tmp_path / "hp.obo").write_text(obo)
    (tmp_path / "left.json").write_text(json.dumps(left_out))
    return synonyms(tmp_path, tmp_path / "hp.obo", tmp_path / "left.json")


def test_exact_synonyms_are_taken_that_name_one_finding_alone(tmp_path):
    table = taken(tmp_path, {"Abnormality of body height": ["Build"]})
    (record,) = table["records"]
    assert record["name"] == "Abnormality of body height"
    assert record["terms"] == ["Height, odd", "Unusual stature"]
    assert table["defaults"]["sources"] == ["hpo"]


def test_what_is_left_out_must_be_in_the_hpo(tmp_path):
    with pytest.raises(ConfigError, match=r"not in the HPO.*'Builds'"):
        taken(tmp_path, {"Abnormality of body height": ["Builds"]})


@pytest.mark.parametrize("obo", ["", "id: MP:0000001\nname: Tail\n"])
def test_a_file_without_terms_of_the_hpo_is_an_error(tmp_path, obo):
    with pytest.raises(ConfigError, match="no term of the HPO"):
        taken(tmp_path, {}, obo)


@pytest.mark.population
def test_names_and_synonyms_link_to_their_finding_or_a_relative(some):
    phenotypes = load().phenotypes
    above = ancestors(phenotypes)
    names = [
        (one.id, name)
        for one in phenotypes.values()
        if one.id.startswith("HP:")
        for name in (one.name, *one.synonyms)
    ]
    for record in read_object(default_folder() / TERMS / FILE)["records"]:
        names += [(record["id"], name) for name in record["terms"]]
    assert len(names) > 4000
    chosen = some(names)
    missed, strictly = [], 0
    for id, name in chosen:
        found = {node.id for node in embedded.linker().symptoms(f"The patient has {name}.")[0]}
        strictly += id in found
        if not any(one == id or one in above[id] or id in above[one] for one in found):
            missed.append(name)
    assert len(missed) <= max(1, 0.02 * len(chosen)), missed
    assert strictly >= 0.95 * len(chosen) - 1
