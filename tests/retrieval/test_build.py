from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import killed_build
import pytest
from bases import PASSAGES, base, source
from killed_build import POINTS, RECORDS

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.retrieval import build as building
from gym_clinic.retrieval import knowledge, tantivy_index
from gym_clinic.retrieval.build import Listener, Source, build
from gym_clinic.retrieval.knowledge import KnowledgeBase
from gym_clinic.retrieval.passage import BrokenRecord, Passage

pytest.importorskip("sqlite_utils")
ENGINES = ["fts5", "tantivy"]
SCRIPT = Path(killed_build.__file__)


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    if request.param == "tantivy":
        pytest.importorskip("tantivy")
    return str(request.param)


class Heard(Listener):
    def __init__(self) -> None:
        self.names: list[str] = []
        self.before = 0
        self.counts: list[tuple[int, int]] = []

    def resumed(self, records: int) -> None:
        self.before = records

    def broken(self, record: BrokenRecord) -> None:
        self.names.append(str(record))

    def indexed(self, passages: int, total: int) -> None:
        self.counts.append((passages, total))


def files(folder: Path) -> set[str]:
    return {one.name for one in folder.iterdir()}


def test_the_manifest_says_how_a_base_was_built(tmp_path, engine):
    manifest = base(tmp_path, engine).manifest
    assert manifest.engine == engine
    assert manifest.tokenizer
    assert manifest.versions["gym_clinic"]
    assert manifest.versions["sqlite" if engine == "fts5" else "tantivy"]
    assert (manifest.passages, manifest.duplicates, manifest.broken) == (6, 0, 0)
    assert len(manifest.content_hash) == 64
    assert files(tmp_path) == {f"{engine}.db"} | ({manifest.index} if manifest.index else set())


def test_the_hash_is_that_of_the_content(tmp_path):
    first = base(tmp_path / "1", "fts5").manifest.content_hash
    assert base(tmp_path / "2", "tantivy").manifest.content_hash == first
    other = [*PASSAGES[:-1], Passage("p6", "gamma", "x", "y")]
    assert base(tmp_path / "3", "fts5", other).manifest.content_hash != first


@pytest.mark.parametrize(("number", "expected"), [(49, "fts5"), (50, "tantivy")])
def test_auto_takes_the_engine_for_the_size(tmp_path, monkeypatch, number, expected):
    pytest.importorskip("tantivy")
    assert building.LARGE == 50_000
    monkeypatch.setattr(building, "LARGE", 50)
    found = [Passage(f"{n}", "s", "", f"text {n}") for n in range(number)]
    assert build([source(found)], tmp_path / "b.db").engine == expected


def test_duplicates_and_empty_records_are_counted_and_dropped(tmp_path):
    records = [
        Passage("a", "s", "Title", "The same text."),
        Passage("b", "t", "Title", " The same text.\n"),
        Passage("c", "s", "Other", "The same text."),
        Passage("d", "s", "", "cafe\u0301"),
        Passage("e", "s", "", "caf\u00e9"),
        Passage("f", "s", "Nothing", " \n"),
    ]
    manifest = build([source(records)], tmp_path / "b.db")
    assert (manifest.passages, manifest.duplicates, manifest.empty) == (3, 2, 1)
    assert [one.id for one in KnowledgeBase(tmp_path / "b.db")] == ["a", "c", "d"]
    assert manifest.sources == {"s": 3}


BROKEN = [
    Passage("a", "s", "", "one"),
    BrokenRecord("x.jsonl", "line 2", "no field 'id'"),
    Passage("a", "s", "", "two"),
    Passage("b", "s", "", "three"),
]


def test_broken_records_are_named_and_skipped(tmp_path):
    heard = Heard()
    manifest = build([source(BROKEN, "x.jsonl")], tmp_path / "b.db", listener=heard)
    assert heard.names == [
        "x.jsonl line 2: no field 'id'",
        "x.jsonl record 3: the id 'a' is that of an earlier passage",
    ]
    assert (manifest.passages, manifest.broken) == (2, 2)
    assert [one.text for one in KnowledgeBase(tmp_path / "b.db")] == ["one", "three"]


def test_strict_stops_at_the_first_and_leaves_the_old_base(tmp_path):
    out = tmp_path / "b.db"
    build([source(PASSAGES)], out)
    before = out.read_bytes()
    with pytest.raises(TaskError, match=r"^x.jsonl line 2: no field 'id'$"):
        build([source(BROKEN)], out, strict=True)
    assert out.read_bytes() == before
    # The good records before it are kept for the next try, the same without --strict.
    assert build([source(BROKEN)], out).passages == 2


def test_a_base_of_nothing_is_no_base(tmp_path):
    with pytest.raises(TaskError, match=r"no passage for .*: 1 records, of them 1 broken and 0 wi"):
        build([source(BROKEN[1:2])], tmp_path / "b.db")
    with pytest.raises(ConfigError, match="at least one source"):
        build([], tmp_path / "b.db")
    with pytest.raises(ConfigError, match="no engine 'tantify'; did you mean 'tantivy'"):
        build([source(PASSAGES)], tmp_path / "b.db", engine="tantify")
    with pytest.raises(ConfigError, match="is a folder; expected the file to write"):
        build([source(PASSAGES)], tmp_path)
    assert not (tmp_path / "b.db").exists()


def killed(out: Path, engine: str, point: str) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(out), engine, point],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.mark.parametrize("point", POINTS)
def test_a_killed_build_leaves_the_old_base_whole_and_goes_on(tmp_path, monkeypatch, engine, point):
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
    manifest = build(
        [Source("new", "1", lambda: killed_build.records(read=read))],
        out, engine=engine, listener=heard,
    )  # fmt: skip
    went_on_after = {"reading": 40, "indexing": 90, "sealed": 0, "replaced": 0}[point]
    assert heard.before == went_on_after
    assert len(read) == (0 if point == "indexing" else RECORDS)
    assert manifest.passages == RECORDS
    assert len(KnowledgeBase(out).search("new text", limit=100)) == RECORDS
    assert files(tmp_path) == {out.name} | ({manifest.index} if manifest.index else set())


def test_a_build_stopped_from_the_keyboard_goes_on(tmp_path):
    def records(stop_at: int):
        for number, passage in enumerate(PASSAGES):
            if number == stop_at:
                raise KeyboardInterrupt
            yield passage

    for stop_at in (0, 3):
        with pytest.raises(KeyboardInterrupt):
            build([Source("s", "1", lambda at=stop_at: records(at))], tmp_path / "b.db")
    heard = Heard()
    build([Source("s", "1", lambda: records(99))], tmp_path / "b.db", listener=heard)
    assert heard.before == 0
    assert list(KnowledgeBase(tmp_path / "b.db")) == PASSAGES


def test_a_stopped_build_of_other_sources_starts_anew(tmp_path, engine):
    out = tmp_path / "b.db"
    killed(out, engine, "reading")
    heard = Heard()
    assert build([source(PASSAGES)], out, engine=engine, listener=heard).passages == 6
    assert heard.before == 0


def test_a_file_that_is_no_unfinished_build_is_replaced(tmp_path):
    (tmp_path / ".b.db.part").write_bytes(b"something else" * 1000)
    assert build([source(PASSAGES)], tmp_path / "b.db").passages == 6


def test_two_builds_of_one_base_do_not_mix(tmp_path):
    def records():
        with pytest.raises(ConfigError, match=r"database is locked; is another build writing it"):
            build([source(PASSAGES)], tmp_path / "b.db")
        yield from PASSAGES

    assert build([Source("outer", "1", records)], tmp_path / "b.db").passages == 6


def test_a_finished_base_is_one_plain_file(tmp_path):
    base(tmp_path, "fts5")
    tables = sqlite3.connect(tmp_path / "fts5.db").execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'passages_fts%'"
    )
    assert {name for (name,) in tables} == {"passages", "manifest"}


def test_a_missing_package_is_told_with_its_install_line(tmp_path, monkeypatch):
    path = base(tmp_path, "tantivy").path
    monkeypatch.setitem(sys.modules, "tantivy", None)
    line = r"pip install 'gym_clinic\[tantivy\]'"
    with pytest.raises(ConfigError, match=line):
        KnowledgeBase(path)
    with pytest.raises(ConfigError, match=line):
        build([source(PASSAGES)], tmp_path / "other.db", engine="tantivy")
    monkeypatch.setitem(sys.modules, "sqlite_utils", None)
    with pytest.raises(ConfigError, match=r"pip install 'gym_clinic\[kb\]'"):
        build([source(PASSAGES)], tmp_path / "other.db")
    assert not (tmp_path / "other.db").exists()


def test_what_is_no_base_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"no knowledge base .*none.db; 'gym-clinic kb build'"):
        KnowledgeBase(tmp_path / "none.db")
    (tmp_path / "text.db").write_text("hello" * 1000)
    with pytest.raises(ConfigError, match=r"text.db is no knowledge base \(file is not a data"):
        KnowledgeBase(tmp_path / "text.db")
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE t (x)").connection.close()
    with pytest.raises(ConfigError, match=r"other.db is no knowledge base \(no such table"):
        KnowledgeBase(tmp_path / "other.db")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"format": 1', '"format": 2', "has the layout 2, this version of gym_clinic reads 1"),
        ('"fts5"', '"lucene"', "built with the engine 'lucene', which this version"),
    ],
)
def test_a_base_of_another_time_is_refused(tmp_path, old, new, expected):
    path = base(tmp_path, "fts5").path
    changed = sqlite3.connect(path)
    changed.execute("UPDATE manifest SET document = replace(document, ?, ?)", (old, new))
    changed.commit()
    changed.close()
    with pytest.raises(ConfigError, match=expected):
        KnowledgeBase(path)


def test_an_index_that_is_gone_or_broken_is_named(tmp_path):
    pytest.importorskip("tantivy")
    path = base(tmp_path, "tantivy").path
    folder = tmp_path / KnowledgeBase(path).manifest.index
    moved = folder.rename(tmp_path / "elsewhere")
    with pytest.raises(ConfigError, match=r"no readable index .*tantivy.db.index1"):
        KnowledgeBase(path)
    moved.rename(folder)
    assert len(KnowledgeBase(path).search("pain")) == 3
    (folder / "meta.json").write_text("{")
    with pytest.raises(ConfigError, match=r"no readable index .*tantivy.db.index1"):
        KnowledgeBase(path)
    assert tantivy_index.NAME == "tantivy"


def test_a_base_in_a_folder_of_any_name_moves_whole(tmp_path, engine):
    folder = tmp_path / "a b#?%[é]"
    base(folder, engine)
    base(folder, engine)  # over the old one
    moved = folder.rename(tmp_path / "moved?")
    assert len(KnowledgeBase(moved / f"{engine}.db").search("pain")) == 3
    assert len(files(moved)) == (1 if engine == "fts5" else 2)


READ = """
import os, sys
from gym_clinic.retrieval.knowledge import KnowledgeBase
import sqlite3, tempfile, importlib.metadata, email.parser  # what nobody may not read later
if os.geteuid() == 0:
    import tantivy
    os.setuid(65534)
print(sorted(passage.id for passage in KnowledgeBase(sys.argv[1]).search("pain")))
"""


def test_a_base_is_read_where_nothing_may_be_written(engine):
    pytest.importorskip("tantivy")
    # Not below the folder of the tests, which is for their owner alone.
    with tempfile.TemporaryDirectory() as folder:
        path = base(Path(folder), engine).path
        for each in (path, *Path(folder).glob("*.index*/*")):
            each.chmod(0o444)
        for each in (*Path(folder).glob("*.index*"), Path(folder)):
            each.chmod(0o555)
        done = subprocess.run(
            [sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=False
        )
        Path(folder).chmod(0o755)
        for each in Path(folder).glob("*.index*"):
            each.chmod(0o755)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "['p1', 'p2', 'p3']\n"


def test_an_index_may_be_read_by_whoever_may_read_its_folder(tmp_path):
    pytest.importorskip("tantivy")
    folder = tmp_path / base(tmp_path, "tantivy").manifest.index
    modes = {file.stat().st_mode & 0o777 for file in folder.iterdir()}
    assert modes == {folder.stat().st_mode & 0o666}


def test_what_is_named_like_an_index_is_left_alone(tmp_path):
    pytest.importorskip("tantivy")
    (tmp_path / "tantivy.db.index-notes").mkdir()
    (tmp_path / "tantivy.db.index7").write_text("a file")
    assert base(tmp_path, "tantivy").manifest.index == "tantivy.db.index1"
    assert base(tmp_path, "tantivy").manifest.index == "tantivy.db.index2"
    assert files(tmp_path) == {
        "tantivy.db", "tantivy.db.index2", "tantivy.db.index7", "tantivy.db.index-notes",
    }  # fmt: skip


def test_every_page_is_touched_at_load_unless_told_not_to(tmp_path, monkeypatch, engine):
    path = base(tmp_path, engine).path
    touched: list[Path] = []
    monkeypatch.setattr(knowledge, "touch", touched.append)
    index = KnowledgeBase(path, warm=False).manifest.index
    assert not touched
    KnowledgeBase(path)
    beside = (tmp_path / index).iterdir() if index else ()
    assert set(touched) == {path, *beside}
