"""What Orphanet's annotations add to the diseases, and what the authors judged of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fact_tables import authored, disease, phenotype, tables, write
from places import KB

from gym_clinic.errors import TaskError
from gym_clinic.facts import BANDS, Facts, load, restates_diagnosis
from gym_clinic.facts.records.models import DiseaseEntry
from gym_clinic.facts.tables import read_table, table_files
from gym_clinic.facts.typed_json import read_object
from kb.build.annotated import (
    Annotated,
    Judged,
    annotated,
    bands_apart,
    check_disputes,
    read_judged,
    very_frequent,
)
from kb.build.recall import recall

COLUMNS = "database_id\tdisease_name\tqualifier\thpo_id\treference\tfrequency\taspect"
NAMES = ("Pain", "Chest pain", "Fever", "Amber fever rash", "Cough")
IDS = {name: f"HP:000000{number}" for number, name in enumerate(NAMES, 1)}
ABOVE = {"HP:0000002": frozenset({"HP:0000001"})}


class Tables:
    """Tables of one disease, and annotations of it."""

    def __init__(self, folder: Path, **bands: str) -> None:
        rows = tables()
        rows["phenotypes"] = [phenotype(code, name) for name, code in IDS.items()]
        rows["phenotypes"][1]["parents"] = [IDS["Pain"]]
        features = [
            {"phenotype": IDS[name], "frequency": authored(band)} for name, band in bands.items()
        ]
        rows["diseases"] = [disease("amber-fever", "Amber fever", phenotypes=features)]
        self.folder = write(folder / "facts", rows)
        self.facts = load(self.folder)
        self.file = folder / "phenotype.hpoa"

    def features(self, **frequencies: str) -> list[Annotated]:
        rows = [
            f"ORPHA:17\tAmber fever\t\t{IDS[name]}\tORPHA:17\t{code}\tP"
            for name, code in frequencies.items()
        ]
        self.file.write_text("\n".join([COLUMNS, *rows, ""]), encoding="utf-8")
        (file,) = (one for one in table_files(self.folder) if one.parent.name == "diseases")
        entries = {one.id: one for _, one in read_table(file, DiseaseEntry)}
        return list(annotated(entries, {"amber-fever": ["ORPHA:17"]}, self.file))


OFTEN = BANDS["very_frequent"][0]
SELDOM = BANDS["occasional"][0]


def spaced(**names: Any) -> dict[str, Any]:
    return {name.replace("_", " "): value for name, value in names.items()}


def added(made: Tables, judged: Judged | None = None, **frequencies: str) -> list[str]:
    found = very_frequent(
        made.features(**spaced(**frequencies)), made.facts.phenotypes, judged or Judged({}, {})
    )
    return [one.id for several in found.values() for one in several]


def test_very_frequent_findings_are_added(tmp_path: Path) -> None:
    made = Tables(tmp_path, Fever="frequent")
    assert added(made, Cough=OFTEN, Chest_pain=SELDOM, Fever=OFTEN) == [IDS["Cough"]]


def test_a_finding_is_not_added_twice_over(tmp_path: Path) -> None:
    """The most special one is; a general one is not where the disease has a special one."""
    assert added(Tables(tmp_path / "a", Fever="frequent"), Pain=OFTEN, Chest_pain=OFTEN) == [
        IDS["Chest pain"]
    ]
    had = Tables(tmp_path / "b", **spaced(Chest_pain="frequent"))
    assert added(had, Pain=OFTEN) == []


def test_refused_findings_and_names_of_the_disease_are_not_added(tmp_path: Path) -> None:
    made = Tables(tmp_path, Fever="frequent")
    refused = Judged({}, {"amber-fever": frozenset({"Cough"})})
    assert added(made, refused, Cough=OFTEN, Amber_fever_rash=OFTEN) == []


def test_a_band_two_bands_from_orphanets_must_be_judged(tmp_path: Path) -> None:
    made = Tables(tmp_path, Fever="very_frequent")
    near, far = made.features(Fever=BANDS["frequent"][0]), made.features(Fever=SELDOM)
    check_disputes(near, IDS, Judged({}, {}))
    with pytest.raises(TaskError, match=r"amber-fever: 'Fever' is very_frequent here and occasi"):
        check_disputes(far, IDS, Judged({}, {}))
    file = tmp_path / "judged.json"
    dispute = {"disease": "amber-fever", "finding": "Fever", "orphanet": "occasional", "why": "x"}
    file.write_text(json.dumps({"bands": [dispute], "findings": {}}), encoding="utf-8")
    judged = read_judged(IDS, file)
    check_disputes(far, IDS, judged)
    with pytest.raises(TaskError, match=r"no such dispute: .*amber-fever"):
        check_disputes(near, IDS, judged)


def test_recall_counts_more_special_findings(tmp_path: Path) -> None:
    made = Tables(tmp_path, **spaced(Chest_pain="frequent", Fever="excluded", Cough="occasional"))
    features = made.features(**spaced(Pain=OFTEN, Cough=OFTEN, Fever=OFTEN, Amber_fever_rash=OFTEN))
    found = recall(features, IDS, ABOVE)
    assert found == (1, 4, 1, 1)
    assert found.share == 0.5
    assert recall(features, IDS, {}).share == 0.25


def test_what_was_judged_is_of_findings_in_the_tables(facts: Facts) -> None:
    ids = {one.name: one.id for one in facts.phenotypes.values()}
    judged = read_judged(ids)
    files = [file for file in table_files(KB / "facts") if file.parent.name == "diseases"]
    entries = {one.id: one for file in files for _, one in read_table(file, DiseaseEntry)}
    for (key, _), dispute in judged.disputes.items():
        bands = {one.finding: one for one in entries[key].findings}
        assert bands_apart(bands[dispute.finding].band, dispute.orphanet) >= 2, dispute
        assert bands[dispute.finding].stated is None, dispute
    for key, names in judged.refused.items():
        ours = {one.finding for one in entries[key].findings if one.stated and not one.band}
        assert not ours & names, key


def test_no_stated_band_is_two_bands_from_the_authors() -> None:
    for file in table_files(KB / "facts"):
        if file.parent.name == "diseases":
            for _, one in read_table(file, DiseaseEntry):
                for has in one.findings:
                    if has.stated is not None and has.stated.value is None:
                        assert bands_apart(has.band, has.stated.band) < 2, (one.id, has.finding)


def test_added_findings_are_very_frequent_and_name_no_disease(facts: Facts) -> None:
    ids = {one.name: one for one in facts.phenotypes.values()}
    found = 0
    for file in table_files(KB / "facts"):
        if file.parent.name == "diseases":
            for record in read_object(file)["records"]:
                for has in record["findings"]:
                    if "band" not in has:
                        found += 1
                        assert has["stated"]["band"] in ("obligate", "very_frequent")
                        disease = facts.diseases[record["id"]]
                        assert not restates_diagnosis(disease, ids[has["finding"]])
    assert found >= 300
