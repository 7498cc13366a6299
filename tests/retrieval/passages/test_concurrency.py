from __future__ import annotations

import multiprocessing
import pickle
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from bases import PASSAGES, base, source
from search_workers import answers, send_answers

from gym_clinic.errors import ConfigError
from gym_clinic.retrieval.passages.build import build_base
from gym_clinic.retrieval.passages.knowledge import KnowledgeBase
from gym_clinic.retrieval.passages.manifest import BaseManifest
from gym_clinic.retrieval.passages.passage import Passage


@pytest.fixture(params=["fts5", "tantivy"])
def knowledge(request: pytest.FixtureRequest, tmp_path: Path) -> KnowledgeBase:
    if request.param == "tantivy":
        pytest.importorskip("tantivy")
    return base(tmp_path, request.param)


def test_many_threads_get_the_same_answers(knowledge):
    expected = answers(knowledge)
    together = threading.Barrier(16)

    def work() -> list[list[Passage]]:
        together.wait(timeout=300)
        return answers(knowledge)

    with ThreadPoolExecutor(16) as pool:
        waiting = [pool.submit(work) for _ in range(16)]
        assert all(one.result(timeout=300) == expected for one in waiting)


@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_other_processes_get_the_same_answers(knowledge, start):
    expected = answers(knowledge)
    context = multiprocessing.get_context(start)
    pipes, workers = [], []
    for _ in range(2 if start == "fork" else 1):
        mine, theirs = context.Pipe(duplex=False)
        worker = context.Process(target=send_answers, args=(knowledge, theirs))
        worker.start()
        theirs.close()
        pipes.append(mine)
        workers.append(worker)
    for pipe, worker in zip(pipes, workers, strict=True):
        assert pipe.poll(60)
        assert pipe.recv() == expected
        worker.join(timeout=300)
        assert worker.exitcode == 0
    assert answers(knowledge) == expected


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_fork_waits_for_threads_that_are_reading(knowledge):
    context = multiprocessing.get_context("fork")
    reading, done, told = threading.Event(), [], []

    def read() -> None:
        with knowledge._database.connection():
            reading.set()
            time.sleep(0.5)
            done.append(True)

    thread = threading.Thread(target=read)
    thread.start()
    assert reading.wait(300)
    mine, theirs = context.Pipe(duplex=False)
    worker = context.Process(target=send_answers, args=(knowledge, theirs))
    worker.start()
    told += done
    thread.join(300)
    assert told == [True]
    assert mine.poll(60)
    assert mine.recv() == answers(knowledge)
    worker.join(timeout=300)
    assert worker.exitcode == 0


def test_a_process_forks_while_it_goes_through_the_base(knowledge, monkeypatch):
    monkeypatch.setattr("gym_clinic.retrieval.passages.knowledge._AT_ONCE", 2)
    context = multiprocessing.get_context("fork")
    ids = []
    for passage in knowledge:
        worker = context.Process(target=knowledge.search, args=(passage.title,))
        worker.start()
        worker.join(timeout=300)
        assert worker.exitcode == 0
        ids.append(passage.id)
    assert ids == [one.id for one in PASSAGES]


def test_a_base_is_sent_by_its_path(knowledge):
    copied = pickle.loads(pickle.dumps(knowledge))
    assert copied.path == knowledge.path
    assert answers(copied) == answers(knowledge)


def test_a_base_replaced_while_it_is_opened_is_the_new_one(knowledge, monkeypatch):
    engine, path = knowledge.manifest.engine, knowledge.path
    read, replaced = BaseManifest.read, []

    def read_and_replace(connection, file):
        found = read(connection, file)
        if not replaced:
            replaced.append(file)
            build_base([source([Passage("n", "new", "", "More pain.")])], path, engine=engine)
            (path.parent / found.index / "meta.json").unlink(missing_ok=True)
        return found

    monkeypatch.setattr(BaseManifest, "read", read_and_replace)
    opened = KnowledgeBase(path)
    monkeypatch.undo()
    if engine == "tantivy":  # the old index is gone; the file alone would still be whole
        assert opened.manifest == KnowledgeBase(path).manifest
        assert [one.id for one in opened.search("pain")] == ["n"]
    else:
        assert answers(opened) == answers(knowledge)


def test_a_base_that_is_gone_is_reported(knowledge):
    knowledge.path.unlink()
    assert knowledge.search("pain")  # what is open stays so
    knowledge.close()
    with pytest.raises(ConfigError, match="was replaced or removed while it was in use"):
        knowledge.search("pain")


def test_a_closed_base_opens_again(knowledge):
    expected = answers(knowledge)
    knowledge.close()
    assert answers(knowledge) == expected


def test_a_base_replaced_in_use_is_reported_and_never_mixed(knowledge):
    engine = knowledge.manifest.engine
    before = answers(knowledge)
    build_base(
        [source([*PASSAGES, Passage("p7", "alpha", "", "More pain.")])],
        knowledge.path,
        engine=engine,
    )
    # The open connection still reads the old file, which is whole.
    assert answers(knowledge) == before
    knowledge.close()
    with pytest.raises(ConfigError, match="was replaced or removed while it was in use; open"):
        knowledge.search("pain")
    assert {one.id for one in KnowledgeBase(knowledge.path).search("pain")} >= {"p7"}
