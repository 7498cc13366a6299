"""Checkpoints run by sentence-transformers itself, on a tiny model that is made here."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from string import ascii_lowercase

import numpy as np
import pytest

from gym_clinic.errors import ConfigError
from gym_clinic.retrieval.dense import checkpoints
from gym_clinic.retrieval.dense.checkpoints import CHECKPOINTS, SentenceTransformer

pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """Return the folder of a BERT of two layers that spells its words."""
    folder = tmp_path_factory.mktemp("checkpoint") / "tiny"
    folder.mkdir()
    letters = [*ascii_lowercase, *(f"##{letter}" for letter in ascii_lowercase)]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, "fever", "rash"]
    (folder / "vocab.txt").write_text("\n".join(words))
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(0)
    shape = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = transformers.BertConfig(vocab_size=len(words), intermediate_size=64, **shape)
    transformers.BertModel(config).save_pretrained(folder)
    return str(folder)


@pytest.fixture
def medcpt(tiny, monkeypatch):
    like = replace(CHECKPOINTS["medcpt"], article=tiny, query=tiny)
    monkeypatch.setattr(checkpoints, "CHECKPOINTS", {"tiny": like})
    return SentenceTransformer("tiny", device="cpu")


def read(tiny, texts, tokens):
    """Return what the README of MedCPT computes: the last hidden state at [CLS]."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny)
    model = transformers.AutoModel.from_pretrained(tiny).eval()
    options = {"truncation": True, "padding": True, "return_tensors": "pt"}
    with torch.no_grad():
        encoded = tokenizer(texts, max_length=tokens, **options)
        rows = model(**encoded).last_hidden_state[:, 0, :].numpy()
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_titles_and_texts_are_read_as_medcpt_reads_them(tiny, medcpt):
    texts = ["rash\nfever rash fever", "rash", "rash rash\n" + "fever rash " * 600]
    pairs = [["rash", "fever rash fever"], ["", "rash"], ["rash rash", "fever rash " * 600]]
    assert np.allclose(medcpt.embed(texts), read(tiny, pairs, 512), atol=1e-5)


def test_queries_are_read_as_medcpt_reads_them(tiny, medcpt):
    queries = ["fever " * 100, "rash"]
    assert np.allclose(medcpt.embed_queries(queries), read(tiny, queries, 64), atol=1e-5)


def test_any_text_in_any_thread(medcpt):
    queries = ["fever " * (at % 40) + "\ud800 🙂" * (at % 3) for at in range(200)]
    with ThreadPoolExecutor(8) as workers:
        rows = list(workers.map(lambda query: medcpt.embed_queries([query])[0], queries))
    assert [row.any() for row in rows] == [bool(query.strip()) for query in queries]


def test_a_folder_without_a_checkpoint_is_reported(tmp_path):
    with pytest.raises(ConfigError, match="cannot be loaded"):
        SentenceTransformer(str(tmp_path))
