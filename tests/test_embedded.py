"""What ships answers at once, is built once, and is of the fact tables."""

from __future__ import annotations

import multiprocessing

import orjson
import pytest

from gym_clinic import embedded
from gym_clinic.errors import ConfigError
from gym_clinic.facts import load
from gym_clinic.paths import data_dir


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GYM_CLINIC_CACHE", str(tmp_path / "cache"))
    embedded.knowledge.cache_clear()
    yield tmp_path / "cache"
    embedded.knowledge.cache_clear()


def test_the_embedded_base_holds_every_passage(cache):
    lines = (data_dir("kb") / "passages.jsonl").read_bytes().splitlines()
    base = embedded.knowledge()
    assert len(base) == len(lines) >= 1_200
    record = orjson.loads(lines[17])
    found = base.get(record["id"])
    assert (found.title, found.text) == (record["title"], record["content"])
    titles = [one.title for one in base.search("Kawasaki disease management", 3)]
    assert "Kawasaki disease: management and treatment" in titles


def test_it_is_built_once_and_nothing_else_is_left(cache):
    first = embedded.knowledge().path
    made = first.stat().st_mtime_ns
    embedded.knowledge.cache_clear()
    assert embedded.knowledge().path == first
    assert first.stat().st_mtime_ns == made
    assert [path.name for path in cache.iterdir()] == [first.parent.name]
    assert [path.name for path in first.parent.iterdir()] == [first.name]


def search_anew(_):
    embedded.knowledge.cache_clear()
    return [one.id for one in embedded.knowledge().search("anaphylaxis adrenaline", 5)]


def test_many_processes_may_ask_for_it_first(cache):
    with multiprocessing.get_context("fork").Pool(8) as pool:
        found = pool.map(search_anew, range(16), chunksize=1)
    assert len(found[0]) == 5
    assert all(one == found[0] for one in found)
    assert len(list(cache.iterdir())) == 1


def test_a_cache_that_cannot_be_written_is_named(cache):
    cache.write_text("a file, no folder", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"cannot write .*cache.*GYM_CLINIC_CACHE"):
        embedded.knowledge()


def test_the_guidelines_are_those_of_the_tables():
    assert len(embedded.guidelines()) == len(load().diseases) >= 250
    (guidance,) = embedded.guidelines().lookup(["Kawasaki disease"])
    assert guidance.disease.name == "Kawasaki disease"
    assert len(guidance.present) == 10


def test_patients_are_enough_and_those_of_tasks_are_kept_out():
    matcher = embedded.patients()
    assert len(matcher.table.cases) >= 5_000
    kept_out = matcher.table.cases[0]
    again = embedded.patients((kept_out,))
    assert len(again.table.cases) == len(matcher.table.cases)
    assert kept_out.id in {case.id for case in matcher.table.cases}
    assert kept_out.id not in {case.id for case in again.table.cases}
    assert kept_out.phenotypes not in {case.phenotypes for case in again.table.cases}


def test_the_linker_finds_symptoms_of_the_graph():
    present, absent = embedded.linker().symptoms("He has had a fever since Monday. No rash.")
    assert "Fever" in {node.name for node in present}
    assert all(node in embedded.graph().nodes for node in (*present, *absent))
    assert absent
