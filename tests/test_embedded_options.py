"""Bases opened by the plain-JSON options of a domain: once a process, in forks and threads too."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import bases
import gymnasium as gym
import pytest
from small_graph import small_graph

from gym_clinic import embedded
from gym_clinic.embedded import open_graph, open_knowledge, open_patients
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.retrieval import (
    HashedNgrams,
    KnowledgeServer,
    PatientCase,
    PatientMatcher,
    save_graph,
)

GRAPH = small_graph()
CASES = [
    PatientCase("c1", "Influenza", ("Fever", "Cough"), "synthetic"),
    PatientCase("c2", "Migraine", ("Headache", "Photophobia"), "synthetic"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bases")
    bases.base(folder, "fts5")
    PatientMatcher(CASES, HashedNgrams()).save(folder / "patients")
    save_graph(GRAPH, folder / "graph.db")
    return folder


@pytest.fixture(scope="module")
def options(folder):
    """Paths of small bases, as the options of a domain."""
    return {
        "knowledge": str(folder / "fts5.db"),
        "patients": str(folder / "patients"),
        "graph": str(folder / "graph.db"),
    }


@pytest.fixture(scope="module")
def server(folder):
    pytest.importorskip("fastapi")
    pytest.importorskip("uvicorn")
    pytest.importorskip("httpx")
    with KnowledgeServer(bases.KnowledgeBase(folder / "fts5.db"), port=0) as running:
        yield running


def test_each_option_opens_its_base(options):
    assert [one.id for one in open_knowledge(options["knowledge"]).search("migraine")] == ["p3"]
    assert open_patients(options["patients"]).match(["Headache"], 1)[0].record.id == "c2"
    assert open_graph(options["graph"]).nodes == GRAPH.nodes


def test_a_base_of_ones_own_takes_the_embedded_aliases(options):
    path = options["knowledge"]
    assert open_knowledge(path).search("hemicrania Tylenol") == []
    aliased = open_knowledge({"path": path, "aliases": "embedded"})
    assert aliased is open_knowledge({"aliases": "embedded", "path": path})
    assert aliased.read_query("Tylenol").aliases == {"Tylenol": ("Paracetamol",)}
    assert aliased.search("sick headache")[0].id == "p3"


def test_embedded_opens_the_shipped_files():
    assert open_knowledge() is open_knowledge("embedded") is embedded.knowledge()
    assert open_graph() is embedded.graph()


def test_the_same_option_gives_the_same_object(folder, options, server, monkeypatch):
    monkeypatch.chdir(folder)
    assert open_knowledge(options["knowledge"]) is open_knowledge("fts5.db")
    assert open_patients(options["patients"]) is open_patients("patients")
    assert open_graph(options["graph"]) is open_graph("graph.db")
    client = open_knowledge({"url": server.url, "timeout": 9.0})
    assert client is open_knowledge({"timeout": 9.0, "url": server.url})
    assert client is not open_knowledge({"url": server.url})


def test_a_base_that_was_replaced_is_opened_anew(tmp_path):
    path = str(tmp_path / "fts5.db")
    old = bases.base(tmp_path, "fts5") and open_knowledge(path)
    bases.base(tmp_path, "fts5", [*bases.PASSAGES, bases.Passage("p7", "new", "", "a migraine")])
    assert len(open_knowledge(path)) == len(old) + 1
    assert open_knowledge(path) is open_knowledge(path)


def test_threads_get_one_object(tmp_path):
    bases.base(tmp_path, "fts5")
    together = Barrier(8)

    def ask(_):
        together.wait()
        return open_knowledge(str(tmp_path / "fts5.db"))

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(ask, range(8)))
    assert all(one is found[0] for one in found)


@pytest.mark.parametrize(
    ("open_base", "given", "message"),
    [
        (open_knowledge, "embeded", r"no knowledge base 'embeded'; did you mean 'embedded'\?"),
        (open_knowledge, "absent.db", r"no knowledge base 'absent\.db'; expected 'embedded', the"),
        (open_knowledge, 5, r"a knowledge base is 'embedded', .*'url'.*; got 5"),
        (open_knowledge, "", r"a knowledge base is 'embedded'.*; got ''"),
        (open_knowledge, {"ulr": "x"}, r"a knowledge base is .*'url'.*; got \{'ulr': 'x'\}"),
        (open_knowledge, {"path": "x.db", "aliases": "own"}, r"a base with aliases is .*'own'"),
        (open_knowledge, {"url": "here"}, r"url must be an address .*; got 'here'"),
        (
            open_knowledge,
            {"url": "http://127.0.0.1:1", "timout": 5},
            r"takes no option 'timout'; did you mean 'timeout'\?",
        ),
        (open_patients, "absent", r"no patient database 'absent'; expected 'embedded' or the fo"),
        (open_patients, {"url": "x"}, r"a patient database is 'embedded' or the folder"),
        (open_graph, "graph_.db", r"no symptom graph 'graph_\.db'; expected 'embedded' or the p"),
        (open_graph, None, r"a symptom graph is 'embedded' or the path of a graph; got None"),
    ],
)
def test_an_option_that_is_wrong_is_named_with_what_is_right(open_base, given, message):
    with pytest.raises(ConfigError, match=message):
        open_base(given)


def test_a_file_of_another_kind_is_refused(options, tmp_path):
    (tmp_path / "notes.txt").write_text("no base", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"notes\.txt is no knowledge base"):
        open_knowledge(str(tmp_path / "notes.txt"))
    with pytest.raises(TaskError, match=r"notes\.txt is no symptom graph"):
        open_graph(str(tmp_path / "notes.txt"))
    with pytest.raises(ConfigError, match=r"cannot read .*cases\.jsonl"):
        open_patients(str(tmp_path))


def call(name, **arguments):
    request = json.dumps({"name": name, "arguments": arguments})
    return f"<tool_call>{request}</tool_call>"


ACTIONS = (
    (call("search_passages", query="migraine aura"), "p3"),
    (call("match_patients", phenotype="Headache"), "c2"),
    (call("count_symptoms"), str(len(GRAPH.of_kind("symptom")))),
)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_vector_environments_answer_from_a_file_and_from_a_server(options, server, context):
    served = {**options, "knowledge": {"url": server.url}}
    makers = [
        partial(gym.make, "lookup_domain:lookup/Lookup-v0", **one) for one in (options, served)
    ]
    alone = makers[1]()  # opened before the workers start, and so in the forks
    alone.reset(seed=1)
    alone.step(ACTIONS[0][0])
    environments = gym.vector.AsyncVectorEnv(makers, shared_memory=False, context=context)
    try:
        environments.reset(seed=1)
        # The similarity of patients is compiled, which a spawned process would do again.
        for action, expected in ACTIONS if context == "fork" else ACTIONS[::2]:
            found, *_ = environments.step([action] * 2)
            assert found[0] == found[1]
            assert expected in found[0]
    finally:
        environments.close()
    assert ACTIONS[1][1] in alone.step(ACTIONS[1][0])[0]


def test_environments_of_one_process_share_what_they_open(options):
    made = [gym.make("lookup_domain:lookup/Lookup-v0", **options) for _ in range(2)]
    for environment in made:
        environment.reset(seed=1)
    first, second = (one.step(call("identify_process"))[0] for one in made)
    assert first == second
    assert f'"process":{os.getpid()}' in first.replace(" ", "")
    assert made[0].spec.to_json()
