from __future__ import annotations

import codecs
import json
import re

import pytest
from fact_tables import STAMP, UNKNOWN, authored, disease, sourced, tables, write
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts import BANDS, Frequency, Profile, load, profiles_of, read_profiles
from gym_clinic.facts.records.models import band_of


def test_the_tables_are_read_by_id(tmp_path):
    facts = load(write(tmp_path, tables()))
    amber = facts.diseases["amber-fever"]
    assert amber.synonyms == ("Fever, amber", "AF")
    assert amber.codes.icd10cm == ("A01.0",)
    assert [has.frequency.absent for has in amber.phenotypes] == [False, False, True, False]
    assert facts.phenotypes["sym-amber-glow"].name == "Amber glow"
    assert facts.interactions["blurol + class:amber-blocker"].effect == "too blue"
    assert facts.cross_reactions["other:amber to ambrol"].level == "low"
    assert facts.instruments["glow_score"].bands[1].meaning == "glows"
    assert facts.guidelines["glow"].steps == ("Look.", "Wait.")
    assert facts.sources["registry"].licence == "CC0"


def test_the_tables_are_read_once_and_cannot_be_changed(tmp_path):
    facts = load(write(tmp_path, tables()))
    assert load(str(tmp_path)) is facts
    with pytest.raises(TypeError):
        facts.diseases["amber-fever"] = None
    with pytest.raises(ValidationError, match="frozen"):
        facts.diseases["amber-fever"].name = "Other"


def test_a_byte_order_mark_is_passed_over(tmp_path):
    write(tmp_path, tables())
    file = tmp_path / "drugs.json"
    file.write_bytes(codecs.BOM_UTF8 + file.read_bytes())
    assert list(load(tmp_path).drugs) == ["ambrol", "blurol"]


def test_records_take_the_defaults_of_their_table_and_are_sorted_by_id(tmp_path):
    write(tmp_path, tables())
    rows = [{"id": key, "name": key.title(), "about": "Nerves."} for key in ("neurology", "eyes")]
    rows[1]["reviewed"] = "2026-02-02"
    table = {"defaults": STAMP, "records": rows}
    (tmp_path / "disciplines.json").write_text(json.dumps(table), encoding="utf-8")
    found = load(tmp_path).disciplines
    assert [one.reviewed for one in found.values()] == ["2026-02-02", "2026-01-31"]
    assert list(found) == ["eyes", "neurology"]


def test_diseases_may_stand_in_several_files_and_look_alikes_count_both_ways(tmp_path):
    found = tables()
    found["diseases"][1]["look_alikes"] = []
    write(tmp_path, found)
    file = tmp_path / "diseases" / "all.json"
    amber, blue = json.loads(file.read_bytes())["records"]
    file.write_text(json.dumps({"records": [amber]}), encoding="utf-8")
    file.with_name("more.json").write_text(json.dumps({"records": [blue]}), encoding="utf-8")
    diseases = load(tmp_path).diseases
    assert diseases["amber-fever"].look_alikes == ("blue-palsy",)
    assert diseases["blue-palsy"].look_alikes == ("amber-fever",)


def test_a_stated_frequency_goes_before_the_authors_band(tmp_path):
    write(tmp_path, tables())
    file = tmp_path / "diseases" / "all.json"
    table = json.loads(file.read_bytes())
    references = ["PMID:1", "PMID:2"]
    table["records"][1]["findings"] = [
        {
            "finding": "Amber glow",
            "band": "occasional",
            "stated": {
                "value": 0.5,
                "patients": 20,
                "source": "registry",
                "references": references,
            },
        },
        {"finding": "Multicystic kidney dysplasia"},
    ]
    file.write_text(json.dumps(table), encoding="utf-8")
    glow, kidney = load(tmp_path).diseases["blue-palsy"].phenotypes
    assert glow.frequency == Frequency(value=0.5, basis="sourced", source="registry", patients=20)
    assert (glow.phenotype, glow.references) == ("sym-amber-glow", tuple(references))
    assert kidney.frequency == Frequency(basis="unknown")


def amber(**changes):
    return lambda found: found["diseases"][0].update(changes)


def feature(phenotype="HP:0000002", frequency=None):
    return [{"phenotype": phenotype, "frequency": frequency or authored("frequent")}]


def appended(table, row):
    return lambda found: found[table].append(row)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            amber(discipline="neurologie"),
            r"all.json record 1 \(amber-fever\), field discipline: unknown 'neurologie'; "
            "did you mean 'neurology'",
        ),
        (amber(look_alikes=["blue-palsi"]), "field look_alikes: unknown .* mean 'blue-palsy'"),
        (amber(look_alikes=["amber-fever"]), "look_alikes: 'amber-fever' is the disease itself"),
        (
            amber(phenotypes=feature("Amber glows")),
            "field findings: unknown 'Amber glows'; did you mean 'Amber glow'",
        ),
        (amber(phenotypes=feature() * 2), "findings: duplicate 'Abnormality of body height'"),
        (amber(phenotypes=[]), "field findings: Tuple should have at least 1 item"),
        (
            amber(phenotypes=feature(frequency={**sourced(0.5), "source": "registri"})),
            "field findings.stated.source: unknown 'registri'",
        ),
        (amber(sources=["nobody"]), "field sources: unknown 'nobody'; choose from"),
        (amber(name="blue palsy"), r"field name: '[Bb]lue palsy' is the name of '(blue|amber)"),
        (amber(synonyms=["Blue Palsy"]), "field name: 'Blue Palsy' is the name of 'blue-palsy'"),
        (amber(synonyms=["Amber fever"]), "synonyms: 'Amber fever' is the name itself"),
        (amber(synonyms=["x", "x"]), "field synonyms: duplicate 'x'"),
        (amber(codes={"omim": ["100100"]}), r"field codes.omim\[0\]: .* found '100100'"),
        (amber(codes={"snomed": []}), "field codes.snomed: Extra inputs"),
        (amber(rare="yes"), "field rare: Input should be a valid boolean, found 'yes'"),
        (amber(summary="Two\nlines."), "field summary: expected one line of text.*Two"),
        (amber(reviewed="2026-02-30"), "field reviewed: .*2026-02-30"),
        (amber(reviewed="30.1.2026"), "field reviewed: expected a day as YYYY-MM-DD"),
        (amber(id="Amber fever"), r"record 1 \(Amber fever\), field id: String should match"),
        (
            amber(id="blue-palsy", look_alikes=[]),
            r"record 2 \(blue-palsy\), field id: duplicate of .*all.json record 1 \(blue-palsy\)",
        ),
        (
            appended("diseases", disease("cyan-cough", "C", codes={"orpha": ["ORPHA:17"]})),
            "record 3 .cyan-cough., field codes: 'ORPHA:17' belongs to 'amber-fever' already",
        ),
        (
            lambda found: found["interactions"][0].update(between=["blurol", "ambrel"]),
            "all.json record 1, field between: unknown 'ambrel'; did you mean 'ambrol'",
        ),
        (
            lambda found: found["drugs"][0].update(classes=["amber-blocke"]),
            "drugs.json record 1 .ambrol., field classes: .* did you mean 'amber-blocker'",
        ),
        (
            lambda found: found["allergies"][0].update(allergen="amber"),
            "allergies.json record 1, field allergen: unknown 'amber'",
        ),
        (
            lambda found: found["guidelines"][0].update(diseases=["amber"]),
            "guidelines.json record 1 .glow., field diseases: unknown 'amber'",
        ),
        (
            lambda found: found["sources"]["own"].pop("licence"),
            "sources.json key 'own', field licence: Field required",
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_named_by_file_record_and_field(tmp_path, damage, message):
    found = tables()
    damage(found)
    with pytest.raises(TaskError, match=message):
        load(write(tmp_path, found))


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ('{"records": [{"id": "a", "id": "b"}]}', ": duplicate key 'id' in one object"),
        ('{"records": [\n{"id": "a"', " line 2: not valid JSON"),
        ('{"records": ["a"]}', " record 1: expected a JSON object, not str"),
        ('{"records": [{}]}', " record 1, field sources: Field required"),
        ('{"records": {}}', ": expected an object with 'defaults' .an object. and 'records'"),
        ('{"defaults": [], "records": []}', ": expected an object with 'defaults'"),
        ('{"default": {}, "records": []}', ": expected an object with 'defaults'"),
    ],
)
def test_a_broken_table_is_named(tmp_path, broken, message):
    write(tmp_path, tables())
    (tmp_path / "drugs.json").write_text(broken, encoding="utf-8")
    with pytest.raises(TaskError, match=rf"drugs\.json{message}"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (b"[]", ": expected a JSON object, not list"),
        (b"\n{", " line 2: not valid JSON"),
        (b"\n\xe9", " line 2: not UTF-8"),
        (b'{"own": 1, "own": 2}', ": duplicate key 'own' in one object"),
    ],
)
def test_broken_sources_are_named(tmp_path, broken, message):
    write(tmp_path, tables())
    (tmp_path / "sources.json").write_bytes(broken)
    with pytest.raises(TaskError, match=rf"sources\.json{message}"):
        load(tmp_path)


@pytest.mark.parametrize("name", ["drugs.json", "sources.json"])
def test_a_missing_file_is_named(tmp_path, name):
    write(tmp_path, tables())
    (tmp_path / name).unlink()
    with pytest.raises(ConfigError, match=f"cannot read .*{re.escape(name)}: No such file"):
        load(tmp_path)


def test_missing_diseases_are_named(tmp_path):
    write(tmp_path, tables())
    (tmp_path / "diseases" / "all.json").unlink()
    with pytest.raises(ConfigError, match=r"no files in .*diseases; expected tables"):
        load(tmp_path)


def test_profiles_name_their_features(tmp_path):
    amber, blue = found = profiles_of(load(write(tmp_path / "facts", tables())))
    assert (amber.id, amber.codes.omim, blue.name) == (
        "amber-fever",
        ("OMIM:100100",),
        "Blue palsy",
    )
    assert [(has.name, has.frequency.absent) for has in amber.features] == [
        ("Abnormality of body height", False),
        ("Multicystic kidney dysplasia", False),
        ("Abnormal morphology of female internal genitalia", True),
        ("Amber glow", False),
    ]
    file = tmp_path / "profiles.jsonl"
    file.write_text("".join(one.model_dump_json() + "\n" for one in found), encoding="utf-8")
    assert list(read_profiles(file)) == found
    assert isinstance(found[0], Profile)


@pytest.mark.parametrize(
    ("frequency", "message"),
    [
        ({**sourced(), "basis": "sourced"}, "a sourced frequency has a source, and a value or"),
        ({**sourced(0.5), "source": None}, "a sourced frequency has a source"),
        ({**authored("frequent"), "value": 0.5}, "'authored' goes without value and source"),
        ({**authored("frequent"), "source": "own"}, "'authored' goes without value and source"),
        ({**UNKNOWN, "basis": "authored"}, "an authored frequency has a band"),
        ({**authored("frequent"), "basis": "unknown"}, "an unknown one has none"),
        (sourced(0.5, "occasional"), "0.5 is frequent, not occasional"),
        (sourced(0.0, "very_rare"), "0.0 is excluded, not very_rare"),
        ({**sourced(band="frequent"), "patients": 9}, "patients are counted where there is a"),
        ({**sourced(0.5), "patients": 0}, "greater than or equal to 1"),
        (sourced(1.5), "less than or equal to 1"),
    ],
)
def test_a_frequency_has_a_basis(frequency, message):
    with pytest.raises(ValidationError, match=message):
        Frequency.model_validate(frequency)


@pytest.mark.parametrize(
    "frequency", [sourced(0.0), sourced(band="excluded"), authored("excluded")]
)
def test_a_feature_that_no_patient_has_is_absent(frequency):
    assert Frequency.model_validate(frequency).absent


@given(st.floats(0, 1))
def test_every_share_has_one_band(share):
    band = band_of(share)
    _, low, high = BANDS[band]
    assert (share == 0) == (band == "excluded")
    assert share < high + 0.01
    assert share >= low or band == "very_rare"
    assert json.dumps(sourced(share, band))
    assert Frequency.model_validate(sourced(share, band)).band == band
