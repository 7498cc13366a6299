"""Checkpoints by name, run by a stand-in for sentence-transformers that records its calls."""

from __future__ import annotations

import pickle
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import numpy as np
import pytest

from gym_clinic.errors import ConfigError
from gym_clinic.retrieval.dense.build import passage_text
from gym_clinic.retrieval.dense.checkpoints import CHECKPOINTS, SentenceTransformer, known
from gym_clinic.retrieval.dense.embedder import QueryEmbedder, embed_queries, unit_rows
from gym_clinic.retrieval.dense.opening import open_embedder
from gym_clinic.retrieval.passages.passage import Passage


class FakeTransformer:
    def __init__(self, name, max_seq_length):
        if "missing" in name:
            raise OSError(f"{name} is not a local folder and is not a valid model identifier")
        self.name, self.max_seq_length = name, max_seq_length

    def get_word_embedding_dimension(self):
        return 4


class FakePooling:
    def __init__(self, width, mode):
        self.width, self.mode = width, mode


class FakeModel:
    made: list[FakeModel] = []

    def __init__(self, name=None, *, modules=None, device=None):
        if name and "missing" in name:
            raise OSError(f"{name} is not a local folder and is not a valid model identifier")
        self.name, self.modules, self.device = name, modules, device
        self.read, self.busy = [], False
        FakeModel.made.append(self)

    def encode(self, texts, *, batch_size, convert_to_numpy, show_progress_bar):
        assert isinstance(texts, list)
        assert convert_to_numpy
        assert not show_progress_bar
        assert not self.busy, "RuntimeError: Already borrowed"
        self.busy = True
        time.sleep(0.001)
        self.busy = False
        self.read += texts
        return np.array([[len(str(text)), 3, 4, 0] for text in texts], np.float64)


@pytest.fixture
def library(monkeypatch):
    FakeModel.made = []
    package, models = ModuleType("sentence_transformers"), ModuleType("models")
    package.SentenceTransformer = FakeModel
    models.Transformer, models.Pooling = FakeTransformer, FakePooling
    monkeypatch.setitem(sys.modules, "sentence_transformers", package)
    monkeypatch.setitem(sys.modules, "sentence_transformers.models", models)
    return FakeModel


def test_medcpt_has_two_encoders_with_cls_pooling(library):
    embedder = open_embedder("medcpt")
    articles, queries = library.made
    assert [articles.modules[0].name, queries.modules[0].name] == [
        "ncbi/MedCPT-Article-Encoder",
        "ncbi/MedCPT-Query-Encoder",
    ]
    assert [articles.modules[0].max_seq_length, queries.modules[0].max_seq_length] == [512, 64]
    assert {(one.modules[1].width, one.modules[1].mode) for one in library.made} == {(4, "cls")}
    assert (embedder.name, embedder.dimension) == ("ncbi/MedCPT-Article-Encoder", 4)
    articles.read.clear()
    rows = embedder.embed(["Title\nabstract\nends", "no title"])
    assert articles.read == [("Title", "abstract\nends"), ("", "no title")]
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1])
    embed_queries(embedder, ["diabetes?"])
    assert queries.read == ["diabetes?"]


def test_a_first_line_is_no_title(library):
    embedder = open_embedder("medcpt")
    library.made[0].read.clear()
    embedder.embed([passage_text(Passage("a", "s", "", "first line\nsecond line"))])
    assert library.made[0].read == [("", "first line\nsecond line")]
    open_embedder("biolord").embed([passage_text(Passage("a", "s", "", "first line"))])
    assert library.made[-1].read[-1] == "first line"


def test_bge_puts_its_instruction_before_queries_only(library):
    embedder = open_embedder("bge-base")
    (model,) = library.made
    assert model.name == "BAAI/bge-base-en-v1.5"
    model.read.clear()
    embedder.embed(["a text"])
    embed_queries(embedder, ["a query"])
    assert model.read == [
        "a text",
        "Represent this sentence for searching relevant passages: a query",
    ]


def test_biolord_and_unknown_checkpoints_are_run_as_they_are_configured(library):
    for name, loaded in (
        ("biolord", "FremyCompany/BioLORD-2023"),
        ("owner/checkpoint", "owner/checkpoint"),
    ):
        library.made = []
        embedder = open_embedder(name)
        (model,) = library.made
        assert (model.name, model.modules, embedder.name) == (loaded, None, loaded)
        model.read.clear()
        embedder.embed(["Title\ntext"])
        embed_queries(embedder, ["query"])
        assert model.read == ["Title\ntext", "query"]


def test_a_folder_is_a_checkpoint(library, tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    assert open_embedder("mine").name == "mine"


@pytest.mark.parametrize("key", CHECKPOINTS)
def test_the_published_name_of_a_checkpoint_means_the_same(library, key):
    checkpoint = CHECKPOINTS[key]
    assert known(checkpoint.article) is known(key) is checkpoint
    assert checkpoint.source
    assert checkpoint.pooling in (None, "cls", "mean")
    # An index notes the name; it must open the same embedder.
    assert open_embedder(open_embedder(key).name).checkpoint is checkpoint


def test_no_texts_give_no_rows(library):
    embedder = SentenceTransformer("biolord", device="cpu")
    assert library.made[0].device == "cpu"
    assert isinstance(embedder, QueryEmbedder)
    assert embedder.embed([]).shape == (0, 4)


def test_threads_can_share_an_embedder(library):
    embedder = open_embedder("biolord")
    with ThreadPoolExecutor(8) as workers:
        found = list(workers.map(lambda at: embedder.embed_queries(["x" * at]), range(1, 60)))
    assert np.allclose(found[30], unit_rows(np.array([[31.0, 3, 4, 0]])))


def test_an_empty_text_has_a_row_of_zeros(library):
    for name in ("medcpt", "bge-small", "biolord"):
        embedder = open_embedder(name)
        for embed in (embedder.embed, embedder.embed_queries):
            assert embed(["", "fever", " \n"]).any(axis=1).tolist() == [False, True, False]


def test_half_a_character_is_read_as_a_question_mark(library):
    embedder = open_embedder("medcpt")
    for model in library.made:
        model.read.clear()
    embedder.embed(["a \ud800\nb"])
    embedder.embed_queries(["\udfff c"])
    assert [model.read for model in library.made] == [[("a ?", "b")], ["? c"]]


def test_a_copy_loads_the_checkpoint_again(library):
    embedder = pickle.loads(pickle.dumps(SentenceTransformer("medcpt", device="cpu", batch=3)))
    assert [one.device for one in library.made] == ["cpu"] * 4
    assert (embedder.name, embedder.batch) == ("ncbi/MedCPT-Article-Encoder", 3)


def test_an_unknown_checkpoint_is_reported(library, monkeypatch):
    with pytest.raises(ConfigError, match="'owner/missing' cannot be loaded: owner/missing is not"):
        open_embedder("owner/missing")


def test_the_missing_extra_is_reported(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ConfigError, match=r'pip install "gym_clinic\[embed\]"'):
        open_embedder("biolord")
