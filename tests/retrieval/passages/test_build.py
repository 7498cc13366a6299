from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from bases import BROKEN, PASSAGES, Heard, base, files, source

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.retrieval.graph.graph_file import save_graph
from gym_clinic.retrieval.graph.symptom_graph import SymptomGraph
from gym_clinic.retrieval.passages import build as building
from gym_clinic.retrieval.passages import knowledge, tantivy_index
from gym_clinic.retrieval.passages.build import build_base
from gym_clinic.retrieval.passages.knowledge import KnowledgeBase
from gym_clinic.retrieval.passages.passage import Passage


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
    assert build_base([source(found)], tmp_path / "b.db").engine == expected


def test_duplicates_and_empty_records_are_counted_and_dropped(tmp_path):
    records = [
        Passage("a", "s", "Title", "The same text."),
        Passage("b", "t", "Title", " The same text.\n"),
        Passage("c", "s", "Other", "The same text."),
        Passage("d", "s", "", "cafe\u0301"),
        Passage("e", "s", "", "caf\u00e9"),
        Passage("f", "s", "Nothing", " \n"),
    ]
    manifest = build_base([source(records)], tmp_path / "b.db")
    assert (manifest.passages, manifest.duplicates, manifest.empty) == (3, 2, 1)
    assert [one.id for one in KnowledgeBase(tmp_path / "b.db")] == ["a", "c", "d"]
    assert manifest.sources == {"s": 3}


def test_broken_records_are_named_and_skipped(tmp_path):
    heard = Heard()
    manifest = build_base([source(BROKEN, "x.jsonl")], tmp_path / "b.db", listener=heard)
    assert heard.names == [
        "x.jsonl line 2: no field 'id'",
        "x.jsonl record 3: duplicate id 'a'; expected one passage of each id",
    ]
    assert (manifest.passages, manifest.broken) == (2, 2)
    assert [one.text for one in KnowledgeBase(tmp_path / "b.db")] == ["one", "three"]


def test_the_text_of_a_broken_record_is_no_duplicate(tmp_path):
    heard = Heard()
    records = [
        Passage("a", "s", "", "one"),
        Passage("a", "s", "", "two"),
        Passage("b", "s", "", "two"),
    ]
    manifest = build_base([source(records)], tmp_path / "b.db", listener=heard)
    assert (manifest.passages, manifest.duplicates, manifest.broken) == (2, 0, 1)
    assert {one.id: one.text for one in KnowledgeBase(tmp_path / "b.db")} == {
        "a": "one",
        "b": "two",
    }


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("f\0e\0v\0e\0r\0", "contains a NUL character; expected text"),
        ("fever \ud83d", r"contains the lone surrogate '\ud83d'; expected text"),
    ],
)
def test_text_that_no_base_can_store_is_reported(tmp_path, text, what):
    heard = Heard()
    records = [
        Passage("a", "s", "", "one"),
        Passage("b", "s", text, "two"),
        Passage("c", "s", "", "two"),
    ]
    assert build_base([source(records, "x")], tmp_path / "b.db", listener=heard).passages == 2
    assert heard.names == [f"x record 2: {what}"]


def test_strict_stops_at_the_first_and_leaves_the_old_base(tmp_path):
    out = tmp_path / "b.db"
    build_base([source(PASSAGES)], out)
    before = out.read_bytes()
    with pytest.raises(TaskError, match=r"^x.jsonl line 2: no field 'id'$"):
        build_base([source(BROKEN)], out, strict=True)
    assert out.read_bytes() == before
    # The good records before it are kept for the next try, the same without --strict.
    assert build_base([source(BROKEN)], out).passages == 2


def test_building_without_passages_is_refused(tmp_path):
    with pytest.raises(TaskError, match=r"no passage for .*: 1 records, of them 1 broken and 0 wi"):
        build_base([source(BROKEN[1:2])], tmp_path / "b.db")
    assert files(tmp_path) == set()
    with pytest.raises(ConfigError, match="at least one source"):
        build_base([], tmp_path / "b.db")
    with pytest.raises(ConfigError, match="no engine 'tantify'; did you mean 'tantivy'"):
        build_base([source(PASSAGES)], tmp_path / "b.db", engine="tantify")
    with pytest.raises(ConfigError, match="is a folder; expected the file to write"):
        build_base([source(PASSAGES)], tmp_path)
    assert not (tmp_path / "b.db").exists()


def test_a_finished_base_is_one_plain_file(tmp_path):
    base(tmp_path, "fts5")
    tables = sqlite3.connect(tmp_path / "fts5.db").execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'passages_fts%'"
    )
    assert {name for (name,) in tables} == {"passages", "manifest", "words"}


@pytest.mark.parametrize("part", tantivy_index.PARTS)
@pytest.mark.parametrize("damage", ["missing", "cut off", "empty"])
def test_a_damaged_index_is_reported_before_it_is_searched(tmp_path, part, damage):
    made = base(tmp_path, "tantivy")
    (file,) = (tmp_path / made.manifest.index).glob(f"*.{part}")
    whole = file.read_bytes()
    file.unlink()
    if damage != "missing":
        file.write_bytes(whole[: -9 if damage == "cut off" else 0])
    with pytest.raises(ConfigError, match=r"no readable index .*build it again"):
        KnowledgeBase(made.path)


def test_a_missing_package_is_reported_with_its_install_line(tmp_path, monkeypatch):
    path = base(tmp_path, "tantivy").path
    monkeypatch.setitem(sys.modules, "tantivy", None)
    line = r"pip install 'gym_clinic\[tantivy\]'"
    with pytest.raises(ConfigError, match=line):
        KnowledgeBase(path)
    with pytest.raises(ConfigError, match=line):
        build_base([source(PASSAGES)], tmp_path / "other.db", engine="tantivy")
    assert not (tmp_path / "other.db").exists()


def test_a_file_that_is_no_base_is_reported(tmp_path):
    with pytest.raises(ConfigError, match=r"no knowledge base .*none.db; 'gym-clinic kb build'"):
        KnowledgeBase(tmp_path / "none.db")
    (tmp_path / "text.db").write_text("hello" * 1000)
    with pytest.raises(ConfigError, match=r"text.db is no knowledge base \(file is not a data"):
        KnowledgeBase(tmp_path / "text.db")
    lists = sqlite3.connect(tmp_path / "list.db")
    lists.executescript("CREATE TABLE manifest (document); INSERT INTO manifest VALUES ('[1]')")
    lists.close()
    with pytest.raises(ConfigError, match=r"list.db has the layout None, this version"):
        KnowledgeBase(tmp_path / "list.db")
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE t (x)").connection.close()
    with pytest.raises(ConfigError, match=r"other.db is no knowledge base \(no such table"):
        KnowledgeBase(tmp_path / "other.db")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"format": 2', '"format": 1', "has the layout 1, this version of gym_clinic reads 2"),
        ('"fts5"', '"lucene"', "built with the engine 'lucene', which this version"),
        ('"tokenizer"', '"analyzer"', r"too many or too few fields: \['analyzer', 'tokenizer'\]"),
    ],
)
def test_a_base_of_another_version_is_refused(tmp_path, old, new, expected):
    path = base(tmp_path, "fts5").path
    changed = sqlite3.connect(path)
    changed.execute("UPDATE manifest SET document = replace(document, ?, ?)", (old, new))
    changed.commit()
    changed.close()
    with pytest.raises(ConfigError, match=expected):
        KnowledgeBase(path)


def test_a_base_that_is_cut_off_or_damaged_is_named(tmp_path):
    path = base(tmp_path, "fts5").path
    whole = path.read_bytes()
    for length in (1, 511, 512, 4096, len(whole) // 2, len(whole) - 4096, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(ConfigError, match=r"fts5.db is (cut off|no knowledge base|damaged)"):
            KnowledgeBase(path)
    told = set()
    for at in range(0, len(whole), 512):
        path.write_bytes(whole[:at] + b"\xff" * 512 + whole[at + 512 :])
        found = None
        try:
            found = list(KnowledgeBase(path))
        except ConfigError as error:
            told.add(str(error).partition(" (")[0].partition(": ")[0])
        assert found is None or len(found) == len(PASSAGES)
    assert told >= {f"{path} is damaged", f"{path} is no knowledge base"}


@pytest.mark.parametrize("content", [b"hello", b"SQLite format 4\0" * 99])
def test_a_file_that_is_no_base_is_not_written_over(tmp_path, content):
    path = tmp_path / "fts5.db"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"fts5.db exists and is no knowledge base"):
        base(tmp_path, "fts5")
    path.unlink()
    save_graph(SymptomGraph.build([], []), path)
    graph = path.read_bytes()
    with pytest.raises(ConfigError, match=r"fts5.db exists and is no knowledge base"):
        base(tmp_path, "fts5")
    assert path.read_bytes() == graph


def test_a_damaged_base_may_be_built_anew(tmp_path):
    path = base(tmp_path, "fts5").path
    whole = path.read_bytes()
    for damaged in (whole[:4096], whole[:100] + b"\xff" * 512 + whole[612:], b""):
        path.write_bytes(damaged)
        assert len(base(tmp_path, "fts5")) == len(PASSAGES)


def test_a_base_that_lacks_what_its_index_has_is_named(tmp_path, engine):
    path = base(tmp_path, engine).path
    changed = sqlite3.connect(path)
    changed.execute("DELETE FROM passages WHERE id = 'p1'")
    changed.commit()
    changed.close()
    with pytest.raises(ConfigError, match=r"db lacks passages that its index has; build it again"):
        KnowledgeBase(path).search("chest troponin")


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
from gym_clinic.retrieval.graph.symptom_graph import SymptomGraph
from gym_clinic.retrieval.graph.graph_file import save_graph
from gym_clinic.retrieval.passages.knowledge import KnowledgeBase
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


def test_an_index_has_the_permissions_of_its_folder(tmp_path):
    pytest.importorskip("tantivy")
    folder = tmp_path / base(tmp_path, "tantivy").manifest.index
    modes = {file.stat().st_mode & 0o777 for file in folder.iterdir()}
    assert modes == {folder.stat().st_mode & 0o666}


def test_other_folders_named_like_an_index_are_kept(tmp_path):
    pytest.importorskip("tantivy")
    (tmp_path / "tantivy.db.index-notes").mkdir()
    (tmp_path / "tantivy.db.index7").write_text("a file")
    first, second = (base(tmp_path, "tantivy").manifest for _ in range(2))
    digits = first.content_hash[:12]
    assert first.index == f"tantivy.db.index1-{digits}"
    assert second.index == f"tantivy.db.index2-{digits}"
    assert files(tmp_path) == {
        "tantivy.db", second.index, "tantivy.db.index7", "tantivy.db.index-notes",
    }  # fmt: skip


@pytest.mark.parametrize("move", [Path.rename, shutil.copy])
def test_a_base_that_was_renamed_or_copied_keeps_its_index(tmp_path, move):
    pytest.importorskip("tantivy")
    old = base(tmp_path, "tantivy")
    move(old.path, tmp_path / "old.db")
    other = [Passage("n", "new", "", "Another pain.")]
    assert [one.id for one in base(tmp_path, "tantivy", other).search("pain")] == ["n"]
    renamed = KnowledgeBase(tmp_path / "old.db")
    assert renamed.search("pain") == old.search("pain")
    (tmp_path / "old.db").unlink()
    index = base(tmp_path, "tantivy", other).manifest.index
    assert files(tmp_path) == {"tantivy.db", index}


def test_the_index_of_another_base_is_not_taken(tmp_path):
    pytest.importorskip("tantivy")
    there = base(tmp_path / "there", "tantivy", [Passage("n", "new", "", "Another pain.")])
    here = base(tmp_path / "here", "tantivy")
    shutil.copy(there.path, here.path)
    with pytest.raises(ConfigError, match=rf"no readable index .*{there.manifest.index}"):
        KnowledgeBase(here.path)


def test_every_page_is_read_at_opening_unless_warm_is_false(tmp_path, monkeypatch, engine):
    path = base(tmp_path, engine).path
    touched: list[Path] = []
    monkeypatch.setattr(knowledge, "touch", touched.append)
    index = KnowledgeBase(path, warm=False).manifest.index
    assert not touched
    KnowledgeBase(path)
    beside = (tmp_path / index).iterdir() if index else ()
    assert set(touched) == {path, *beside}
