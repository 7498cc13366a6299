"""Builds that are stopped, killed, started twice, or find no room on the disk."""

from __future__ import annotations

import multiprocessing
import signal
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

pytest.importorskip("resource")

import killed_build
from bases import BROKEN, PASSAGES, Heard, base, files, source
from killed_build import FTS5_POINTS, POINTS, RECORDS

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.files import lock
from gym_clinic.retrieval.passages import build as building
from gym_clinic.retrieval.passages import staging
from gym_clinic.retrieval.passages.build import PassageSource, build_base
from gym_clinic.retrieval.passages.knowledge import KnowledgeBase
from gym_clinic.retrieval.passages.passage import Passage


def killed(out: Path, engine: str, point: str) -> None:
    """Run a build in a fork, which kills itself at this point."""
    child = multiprocessing.get_context("fork").Process(
        target=killed_build.main, args=(out, engine, point)
    )
    child.start()
    child.join(300)
    assert child.exitcode == -signal.SIGKILL


@pytest.mark.parametrize("point", POINTS)
def test_a_killed_build_leaves_the_old_base_intact_and_is_resumed(
    tmp_path, monkeypatch, engine, point
):
    monkeypatch.setattr(building, "BATCH", killed_build.BATCH)
    out = tmp_path / f"{engine}.db"
    old = base(tmp_path, engine)
    before = out.read_bytes()
    killed(out, engine, point)

    swapped = point == "replaced"
    assert (out.read_bytes() == before) is not swapped
    assert [one.id for one in old.search("troponin")] == ["p1", "p2"]
    reopened = KnowledgeBase(out)
    if swapped:
        assert len(reopened.search("new text", limit=100)) == RECORDS
    else:
        assert list(reopened) == PASSAGES
        assert [one.id for one in reopened.search("troponin")] == ["p1", "p2"]

    heard, read = Heard(), list[int]()
    manifest = build_base(
        [PassageSource("new", "1", lambda: killed_build.records(read=read))],
        out, engine=engine, listener=heard,
    )  # fmt: skip
    went_on_after = {"reading": 40, "indexing": 90, "sealed": 0, "replaced": 0}[point]
    assert heard.before == went_on_after
    assert len(read) == (0 if point == "indexing" else RECORDS)
    assert manifest.passages == RECORDS
    assert len(KnowledgeBase(out).search("new text", limit=100)) == RECORDS
    assert files(tmp_path) == {out.name} | ({manifest.index} if manifest.index else set())


def test_a_build_interrupted_at_the_keyboard_can_be_completed(tmp_path):
    def records(stop_at: int):
        for number, passage in enumerate(PASSAGES):
            if number == stop_at:
                raise KeyboardInterrupt
            yield passage

    for stop_at in (0, 3):
        with pytest.raises(KeyboardInterrupt):
            build_base([PassageSource("s", "1", lambda at=stop_at: records(at))], tmp_path / "b.db")
    heard = Heard()
    build_base([PassageSource("s", "1", lambda: records(99))], tmp_path / "b.db", listener=heard)
    assert heard.before == 0
    assert list(KnowledgeBase(tmp_path / "b.db")) == PASSAGES


def test_a_stopped_build_of_other_sources_starts_anew(tmp_path, engine):
    out = tmp_path / "b.db"
    killed(out, engine, "reading")
    heard = Heard()
    assert build_base([source(PASSAGES)], out, engine=engine, listener=heard).passages == 6
    assert heard.before == 0


def test_a_file_that_is_no_unfinished_build_is_replaced(tmp_path):
    (tmp_path / ".b.db.part").write_bytes(b"something else" * 1000)
    assert build_base([source(PASSAGES)], tmp_path / "b.db").passages == 6


def test_two_builds_of_one_base_do_not_mix(tmp_path):
    def records():
        with pytest.raises(
            ConfigError, match=r"another build is writing .*b.db; wait until it ends"
        ):
            build_base([source(PASSAGES)], tmp_path / "b.db")
        yield from PASSAGES

    assert build_base([PassageSource("outer", "1", records)], tmp_path / "b.db").passages == 6


@pytest.mark.parametrize("point", FTS5_POINTS)
def test_a_build_killed_while_it_is_indexed_is_resumed_with_either_engine(tmp_path, engine, point):
    out = tmp_path / "b.db"
    killed(out, "fts5", point)
    heard = Heard()
    again = PassageSource("new", "1", killed_build.records)
    manifest = build_base([again], out, engine=engine, listener=heard)
    assert heard.before == RECORDS
    assert [one.id for one in KnowledgeBase(out).search("subject7")] == ["new007"]
    tables = sqlite3.connect(out).execute("SELECT name FROM sqlite_master WHERE name LIKE '%fts%'")
    assert bool(tables.fetchall()) is (engine == "fts5")
    assert files(tmp_path) == {"b.db"} | ({manifest.index} if manifest.index else set())


def test_a_full_disk_is_reported_and_the_build_is_resumed(tmp_path, engine):
    out = tmp_path / f"{engine}.db"
    old = base(tmp_path, engine)
    mine, theirs = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(
        target=killed_build.full_disk, args=(out, engine, theirs)
    )
    child.start()
    assert mine.poll(60)
    assert f"cannot write {tmp_path}" in mine.recv()
    child.join(300)
    assert list(KnowledgeBase(out)) == list(old)
    heard = Heard()
    again = PassageSource("new", "1", killed_build.records)
    manifest = build_base([again], out, engine=engine, listener=heard)
    assert heard.before == RECORDS
    assert files(tmp_path) == {out.name} | ({manifest.index} if manifest.index else set())


def test_an_unwritable_folder_is_reported(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"cannot make the folder .*file/deep: Not a directory"):
        build_base([source(PASSAGES)], tmp_path / "file" / "deep" / "b.db")
    (tmp_path / ".b.db.lock").mkdir()
    with pytest.raises(ConfigError, match=r"cannot write .*\.b\.db\.lock: Is a directory"):
        build_base([source(PASSAGES)], tmp_path / "b.db")
    (tmp_path / ".c.db.part").mkdir()
    with pytest.raises(ConfigError, match=r"cannot write .*\.c\.db\.part: unable to open"):
        build_base([source(PASSAGES)], tmp_path / "c.db")


def stopped_after(number: int, records) -> PassageSource:
    """A source that is the same each time, and stopped after so many records the first time."""
    left = iter([number])

    def read():
        stop = next(left, None)
        for at, record in enumerate(records):
            if at == stop:
                raise KeyboardInterrupt
            yield record

    return PassageSource("s", "1", read)


def test_a_strict_build_does_not_go_on_from_one_that_skipped(tmp_path, monkeypatch):
    monkeypatch.setattr(building, "BATCH", 2)
    some = stopped_after(4, [*BROKEN, Passage("z", "s", "", "last")])
    with pytest.raises(KeyboardInterrupt):
        build_base([some], tmp_path / "b.db")
    with pytest.raises(TaskError, match=r"^x.jsonl line 2: no field 'id'$"):
        build_base([some], tmp_path / "b.db", strict=True)
    assert build_base([some], tmp_path / "b.db").broken == 2


def test_a_build_is_resumed_only_by_the_version_that_began_it(tmp_path, monkeypatch):
    monkeypatch.setattr(building, "BATCH", 2)
    for version, before in (("1", 0), ("1", 4), ("2", 0)):
        monkeypatch.setattr(building, "__version__", version)
        some = stopped_after(5, PASSAGES)
        heard = Heard()
        with pytest.raises(KeyboardInterrupt):
            build_base([some], tmp_path / "b.db", listener=heard)
        assert heard.before == before


def test_one_of_several_simultaneous_builds_succeeds(tmp_path, engine):
    names = ("a", "b", "c", "d")
    together = Barrier(len(names))

    def work(name: str) -> str:
        records = [Passage(f"{name}{n}", name, "", f"text {n} of {name}") for n in range(9)]
        together.wait(timeout=300)
        try:
            build_base([source(records, name)], tmp_path / "b.db", engine=engine)
        except ConfigError as error:
            return str(error)
        return ""

    refused = f"another build is writing {tmp_path / 'b.db'}; wait until it ends"
    for _ in range(5):
        with ThreadPoolExecutor(len(names)) as pool:
            told = list(pool.map(work, names))
        assert set(told) in ({""}, {"", refused})
        found = KnowledgeBase(tmp_path / "b.db")
        assert len({one.source for one in found.search("text")}) == 1
        assert len(list(found)) == len(found.search("text")) == 9
        index = found.manifest.index
        assert files(tmp_path) == {"b.db"} | ({index} if index else set())


def test_a_deleted_lock_file_locks_nothing(tmp_path, monkeypatch):
    place, held = tmp_path / ".b.db.lock", []

    def taken_away(file):
        if not held:
            place.unlink()  # as a build does that ends
        held.append(file)
        return lock(file)

    monkeypatch.setattr(staging, "lock", taken_away)
    with staging.only_build(tmp_path / "b.db"):
        assert len(held) == 2
        with (
            pytest.raises(ConfigError, match="another build"),
            staging.only_build(tmp_path / "b.db"),
        ):
            pass
    assert files(tmp_path) == set()
