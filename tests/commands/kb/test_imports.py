"""``gym-clinic kb import``, on published files and on mistakes of the caller."""

from __future__ import annotations

import json

import pytest
from places import ROOT
from real_data import real

from gym_clinic.facts.records.profiles import read_profiles
from gym_clinic.importers import FACTS
from gym_clinic.names import import_named
from gym_clinic.retrieval.patients.guidelines import GuidelineIndex

ORDER = "00001 A99     0 Made-up fever" + " " * 48 + "Made-up fever\n"


@pytest.mark.parametrize(
    ("name", "source", "names", "records", "first"),
    [
        ("hpo-obo", "hpo/hp_head.obo", None, 26, "HP:0000001"),
        ("hpo", "hpo/hp.toy.json", None, 557, "HP:0032113"),
        ("mondo", "mondo/mondo_small.json", None, 3, "MONDO:0000001"),
        ("hpoa", "hpo/phenotype.excerpt.hpoa", None, 13, "OMIM:608328"),
        ("hpoa", "hpo/phenotype.excerpt.hpoa", "hpo/hp.toy.json", 13, "OMIM:608328"),
        ("hpoa", "hpo/phenotype.excerpt.hpoa", "hpo/hp_head.obo", 13, "OMIM:608328"),
        ("orphanet-phenotypes", "orphanet/en_product4_small.xml", None, 3, "ORPHA:61"),
        ("orphanet-history", "orphanet/en_product9_ages-small.xml", None, 9, "ORPHA:166024"),
        ("ddxplus-evidences", "ddxplus/release_evidences.json", None, 80, "E_55"),
    ],
)
def test_a_published_file_is_written_as_json_lines(
    tmp_path, run, name, source, names, records, first
):
    if name.startswith("orphanet"):
        pytest.importorskip("lxml")
    out = tmp_path / "out.jsonl"
    named = ["--names", real(names)] if names else []
    done = run("kb", "import", name, real(source), "--out", out, *named)
    assert done.status == 0
    assert f"out.jsonl: {records:,} records" in done.out
    rows = [json.loads(line) for line in out.read_bytes().splitlines()]
    assert len(rows) == records
    assert rows[0]["id"] == first


@pytest.mark.parametrize("named", [True, False])
def test_imported_conditions_are_profiles_with_named_features(tmp_path, run, named):
    source, names = real("ddxplus/release_conditions.json"), real("ddxplus/release_evidences.json")
    out = tmp_path / "out.jsonl"
    more = ["--names", names] if named else []  # else the file beside the conditions
    assert run("kb", "import", "ddxplus", source, *more, "--out", out).status == 0
    profiles = list(read_profiles(out))
    assert len(profiles) == 7
    assert all(len(has.name) > len(has.id) for one in profiles for has in one.features)
    assert (profiles[0].icd10, profiles[0].severity) == ("J44.1", 3)
    (found,) = GuidelineIndex(profiles).lookup(["acute COPD exacerbation"])
    assert found.record == profiles[0]


def test_features_without_names_are_reported(tmp_path, run):
    source = real("hpo/phenotype.excerpt.hpoa")
    done = run("kb", "import", "hpoa", source, "--out", tmp_path / "out.jsonl")
    assert "the features have no names; --names takes an ontology, hp.json or hp.obo" in done.err
    alone = tmp_path / "release_conditions.json"
    alone.write_bytes(real("ddxplus/release_conditions.json").read_bytes())
    done = run("kb", "import", "ddxplus", alone, "--out", tmp_path / "ddxplus.jsonl")
    assert done.status == 0
    assert "the features have no names; --names takes release_evidences.json" in done.err


def test_an_imported_file_answers_as_guidelines(tmp_path, run):
    out = tmp_path / "hpoa.jsonl"
    source = real("hpo/phenotype.excerpt.hpoa")
    assert run("kb", "import", "hpoa", source, "--out", out).status == 0
    index = GuidelineIndex(read_profiles(out))
    marfan, mass, none = index.lookup(["Marfan's syndrome", "MASS syndrome", "Common cold"])
    assert marfan.record.id == "OMIM:154700"
    assert len(marfan.present) == 10
    assert [has.id for has in mass.absent] == ["HP:0001083", "HP:0004933"]
    assert none.record is None


@pytest.mark.parametrize("name", FACTS)
def test_every_format_has_its_reader_and_is_documented(name):
    assert callable(import_named(FACTS[name][0], "importer"))
    page = ROOT / "docs" / "facts.md"
    assert f"`{name}`" in page.read_text(encoding="utf-8")


def test_a_broken_file_leaves_the_old_output(tmp_path, run):
    source, out = tmp_path / "order.txt", tmp_path / "out.jsonl"
    source.write_text(ORDER, encoding="utf-8")
    arguments = ("kb", "import", "icd10cm", source, "--out", out)
    assert run(*arguments).status == 0
    before = out.read_bytes()
    assert json.loads(before)["code"] == "A99"
    source.write_text(ORDER + "broken\n", encoding="utf-8")
    status, _, err = run(*arguments, "--strict")
    assert status == 2
    assert "order.txt line 2, order number" in err
    assert out.read_bytes() == before
    source.write_text("broken\n", encoding="utf-8")
    status, _, err = run(*arguments)
    assert status == 2
    assert "skipped: " in err
    assert "order.txt: no codes" in err
    assert out.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["order.txt", "out.jsonl"]


def test_a_broken_record_is_reported_and_skipped(tmp_path, run):
    source, out = tmp_path / "order.txt", tmp_path / "out.jsonl"
    source.write_text(ORDER + "broken\n" * 25 + ORDER.replace("00001 A99", "00002 A98"))
    status, printed, err = run("kb", "import", "icd10cm", source, "--out", out)
    assert status == 0
    assert "out.jsonl: 2 records" in printed
    assert "25 broken records were skipped" in printed
    assert err.count("skipped: ") == 20
    assert "order.txt line 2, order number" in err
    assert "and 5 more" in err
    assert [json.loads(line)["code"] for line in out.read_bytes().splitlines()] == ["A99", "A98"]


def test_only_the_hpo_names_features(tmp_path, run):
    terms = tmp_path / "mondo.obo"
    terms.write_text("format-version: 1.2\n\n[Term]\nid: MONDO:9000001\nname: amber fever\n")
    out = tmp_path / "out.jsonl"
    status, _, err = run("kb", "import", "hpoa", "x", "--names", terms, "--out", out)
    assert status == 2
    assert "mondo.obo: no HP: term, but MONDO: (1); expected an ontology of HP: terms" in err
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["hpao", "x", "--out", "y"], "no format 'hpao'; did you mean 'hpo"),
        (
            ["hpo", "x", "--out", "y", "--names", "z"],
            "--names goes with hpoa, ddxplus, not with hpo",
        ),
        (["hpo", "x", "--out", "./x"], "x is a source itself; name another file"),
        (["hpo", "missing.json", "--out", "y"], "cannot read missing.json: No such file"),
    ],
)
def test_mistakes_are_named(tmp_path, monkeypatch, run, arguments, message):
    monkeypatch.chdir(tmp_path)
    status, _, err = run("kb", "import", *arguments)
    assert status == 2
    assert message in err
    assert list(tmp_path.iterdir()) == []
