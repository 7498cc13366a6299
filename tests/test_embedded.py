"""What ships answers at once, is built once, and is of the fact tables."""

from __future__ import annotations

import multiprocessing
import os
import time
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from threading import Barrier, Event

import pytest
from fact_tables import tables, write

from gym_clinic import embedded
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts import load
from gym_clinic.facts.passages import handbook
from gym_clinic.facts.tables import _load


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GYM_CLINIC_CACHE", str(tmp_path / "cache"))
    forget()
    yield tmp_path / "cache"
    forget()


@pytest.fixture
def small(cache, tmp_path, monkeypatch):
    """Fact tables that are composed and built in no time."""
    folder = write(tmp_path / "data" / "kb" / "facts", tables())
    monkeypatch.setenv("GYM_CLINIC_DATA", str(tmp_path / "data"))
    return folder


def forget():
    """Let the base be opened anew, as by another process."""
    embedded.knowledge.__wrapped__.cache_clear()


@pytest.mark.slow
def test_the_embedded_base_holds_every_passage(cache):
    passages = handbook(load())
    base = embedded.knowledge()
    assert len(base) == len(passages) >= 1_200
    one = passages[17]
    found = base.get(one.id)
    assert (found.title, found.text, found.source) == (one.title, one.text, "handbook")
    titles = [one.title for one in base.search("Kawasaki disease management", 3)]
    assert "Kawasaki disease: management and treatment" in titles


def test_the_embedded_base_is_built_once_and_leaves_no_other_file(cache, small):
    first = embedded.knowledge().path
    made = first.stat().st_mtime_ns
    forget()
    assert embedded.knowledge().path == first
    assert first.stat().st_mtime_ns == made
    assert [path.name for path in cache.iterdir()] == [first.parent.name]
    assert [path.name for path in first.parent.iterdir()] == [first.name]


def search_anew(_):
    forget()
    return [one.id for one in embedded.knowledge().search("amber fever", 5)]


def test_many_processes_may_ask_for_it_first(cache, small):
    with multiprocessing.get_context("fork").Pool(8) as pool:
        found = pool.map(search_anew, range(16), chunksize=1)
    assert len(found[0]) == 5
    assert all(one == found[0] for one in found)
    assert len(list(cache.iterdir())) == 1


def test_many_threads_may_ask_for_it_first(cache, small):
    together = Barrier(8)

    def ask(_):
        together.wait()
        return embedded.knowledge()

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(ask, range(8)))
    assert all(one is found[0] for one in found)


making = Event()


@embedded._one_at_a_time
@lru_cache(maxsize=1)
def made_slowly():
    making.set()
    time.sleep(0.3)  # in which the fork comes
    return os.getpid()


def test_a_fork_waits_for_a_thread_that_makes_something():
    with ThreadPoolExecutor(1) as thread:
        first = thread.submit(made_slowly)
        making.wait()
        with multiprocessing.get_context("fork").Pool(1) as pool:
            assert pool.apply_async(made_slowly).get(timeout=300) == os.getpid()
        assert first.result() == os.getpid()


def test_the_handbook_follows_the_fact_tables_of_the_data_folder(cache, small):
    first = embedded.knowledge()
    assert "Amber fever is a rare disease" in first.get("disease-amber-fever-presentation").text
    forget()
    rows = tables()
    rows["diseases"][0]["rare"] = False
    write(small, rows)
    load_anew()
    second = embedded.knowledge()
    assert first.path != second.path
    assert "Amber fever is a disease" in second.get("disease-amber-fever-presentation").text
    forget()
    (small / "drugs.json").write_text('{"records": [{}]}', encoding="utf-8")
    load_anew()
    with pytest.raises(TaskError, match=r"drugs\.json record 1, field sources"):
        embedded.knowledge()
    assert len(list(cache.iterdir())) == 2


def test_a_data_folder_without_tables_is_named(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("GYM_CLINIC_DATA", str(tmp_path))
    with pytest.raises(ConfigError, match="no folder 'kb'"):
        embedded.knowledge()
    (tmp_path / "kb").mkdir()
    with pytest.raises(ConfigError, match=r"no files in .*diseases; expected tables"):
        embedded.knowledge()


def load_anew():
    """Let the tables be read anew, as by another process."""
    _load.cache_clear()


def test_a_cache_that_cannot_be_written_is_named(cache, small):
    cache.write_text("a file, no folder", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"cannot write .*cache.*GYM_CLINIC_CACHE"):
        embedded.knowledge()


def test_the_guidelines_are_those_of_the_tables():
    assert len(embedded.guidelines()) == len(load().diseases) >= 250
    (guidance,) = embedded.guidelines().lookup(["Kawasaki disease"])
    assert guidance.record.name == "Kawasaki disease"
    assert len(guidance.present) == 10


@pytest.mark.slow
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
