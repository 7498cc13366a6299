from __future__ import annotations

import codecs
import json
import re

import pytest
from fact_tables import UNKNOWN, authored, disease, sourced, tables, write
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts import load
from gym_clinic.facts.models import BANDS, Frequency, band_of


def test_the_tables_are_read_by_id(tmp_path):
    facts = load(write(tmp_path, tables()))
    amber = facts.diseases["amber-fever"]
    assert amber.synonyms == ("Fever, amber", "AF")
    assert amber.codes.icd10cm == ("A01.0",)
    assert [has.frequency.absent for has in amber.phenotypes] == [False, False, True, False]
    assert facts.phenotypes["sym-amber-glow"].name == "Amber glow"
    assert facts.drugs["blurol"].interactions[0].other == "ambrol"
    assert facts.instruments["glow-score"].bands[0].meaning == "glows"
    assert facts.guidelines["glow"].steps == ("Look.", "Wait.")
    assert facts.sources["registry"].licence == "CC0"


def test_the_tables_are_read_once_and_cannot_be_changed(tmp_path):
    facts = load(write(tmp_path, tables()))
    assert load(str(tmp_path)) is facts
    with pytest.raises(TypeError):
        facts.diseases["amber-fever"] = None
    with pytest.raises(ValidationError, match="frozen"):
        facts.diseases["amber-fever"].name = "Other"


def test_a_byte_order_mark_and_blank_lines_are_passed_over(tmp_path):
    write(tmp_path, tables())
    file = tmp_path / "drugs.jsonl"
    file.write_bytes(codecs.BOM_UTF8 + file.read_bytes().replace(b"\n", b"\r\n\r\n"))
    assert list(load(tmp_path).drugs) == ["ambrol", "blurol"]


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
            r"diseases.jsonl line 1 \(amber-fever\), field discipline: unknown 'neurologie'; "
            "did you mean 'neurology'",
        ),
        (amber(look_alikes=["blue-palsi"]), "field look_alikes: unknown .* mean 'blue-palsy'"),
        (amber(look_alikes=["amber-fever"]), "look_alikes: 'amber-fever' is the disease itself"),
        (
            amber(phenotypes=feature("HP:0000004")),
            "field phenotypes: unknown 'HP:0000004'; did you mean 'HP:000000[0-9]'",
        ),
        (amber(phenotypes=feature() * 2), "field phenotypes: 'HP:0000002' stands twice"),
        (amber(phenotypes=[]), "field phenotypes: Tuple should have at least 1 item"),
        (
            amber(phenotypes=feature(frequency={**sourced(0.5), "source": "registri"})),
            "field phenotypes.frequency.source: unknown 'registri'",
        ),
        (amber(sources=["nobody"]), "field sources: unknown 'nobody'; choose from"),
        (amber(name="blue palsy"), r"field name: '[Bb]lue palsy' is the name of '(blue|amber)"),
        (amber(synonyms=["Blue Palsy"]), "field name: 'Blue Palsy' is the name of 'blue-palsy'"),
        (amber(synonyms=["Amber fever"]), "synonyms: 'Amber fever' is the name itself"),
        (amber(synonyms=["x", "x"]), "field synonyms: 'x' stands twice"),
        (amber(codes={"omim": ["100100"]}), r"field codes.omim\[0\]: .* found '100100'"),
        (amber(codes={"snomed": []}), "field codes.snomed: Extra inputs"),
        (amber(rare="yes"), "field rare: Input should be a valid boolean, found 'yes'"),
        (amber(summary="Two\nlines."), "field summary: expected one line of text.*Two"),
        (amber(reviewed="2026-02-30"), "field reviewed: .*2026-02-30"),
        (amber(reviewed="30.1.2026"), "field reviewed: expected a day as YYYY-MM-DD"),
        (amber(id="Amber fever"), "line 1, field id: String should match"),
        (amber(id="zebra-fever"), "line 2, field id: 'blue-palsy' comes after 'zebra-fever'"),
        (
            amber(id="blue-palsy", look_alikes=[]),
            "line 2, field id: 'blue-palsy' stands on line 1 already",
        ),
        (
            appended("diseases", disease("cyan-cough", "C", codes={"orpha": ["ORPHA:17"]})),
            "line 3 .cyan-cough., field codes: 'ORPHA:17' belongs to 'amber-fever' already",
        ),
        (
            lambda found: found["drugs"][1]["interactions"][0].update({"with": "ambrel"}),
            "drugs.jsonl line 2 .blurol., field interactions.with: .* did you mean 'ambrol'",
        ),
        (
            lambda found: found["guidelines"][0].update(diseases=["amber"]),
            "guidelines.jsonl line 1 .glow., field diseases: unknown 'amber'",
        ),
        (
            lambda found: found["sources"]["own"].pop("licence"),
            "sources.json key 'own', field licence: Field required",
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_named_by_file_line_and_field(tmp_path, damage, message):
    found = tables()
    damage(found)
    with pytest.raises(TaskError, match=message):
        load(write(tmp_path, found))


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (b'{"id": "a", "id": "b"}\n', "line 1: the key 'id' stands twice"),
        (b'{"id": "a"', "line 1: not valid JSON"),
        (b'{"id": "\xe9"}', "line 1: not UTF-8"),
        (b"[]", "line 1, field record: Input should be an object"),
        (b"{}", "line 1, field sources: Field required"),
    ],
)
def test_a_broken_line_is_named(tmp_path, broken, message):
    write(tmp_path, tables())
    (tmp_path / "drugs.jsonl").write_bytes(broken)
    with pytest.raises(TaskError, match=rf"drugs\.jsonl {message}"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (b"[]", ": expected a JSON object, not list"),
        (b"\n{", " line 2: not valid JSON"),
        (b"\n\xe9", " line 2: not UTF-8"),
        (b'{"own": 1, "own": 2}', ": the key 'own' stands twice"),
    ],
)
def test_broken_sources_are_named(tmp_path, broken, message):
    write(tmp_path, tables())
    (tmp_path / "sources.json").write_bytes(broken)
    with pytest.raises(TaskError, match=rf"sources\.json{message}"):
        load(tmp_path)


@pytest.mark.parametrize("name", ["diseases.jsonl", "sources.json"])
def test_a_missing_file_is_named(tmp_path, name):
    write(tmp_path, tables())
    (tmp_path / name).unlink()
    with pytest.raises(ConfigError, match=f"cannot read .*{re.escape(name)}: No such file"):
        load(tmp_path)


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
def test_a_frequency_says_what_it_rests_on(frequency, message):
    with pytest.raises(ValidationError, match=message):
        Frequency.model_validate(frequency)


@pytest.mark.parametrize(
    "frequency", [sourced(0.0), sourced(band="excluded"), authored("excluded")]
)
def test_what_no_patient_has_is_absent(frequency):
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
