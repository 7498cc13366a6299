"""The hashed embedder, and embedders by name."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT

from gym_clinic.errors import ConfigError
from gym_clinic.retrieval.dense import hashed
from gym_clinic.retrieval.dense.embedder import embed_queries, unit_rows
from gym_clinic.retrieval.dense.hashed import HashedNgrams
from gym_clinic.retrieval.dense.opening import open_embedder

PHRASES = ["seizures", "Seizure", "epileptic seizure", "high fever", "fever", "long QT interval"]

anything = st.text(st.characters(), max_size=200)  # lone surrogates too


def counted(texts, dimension=512, shortest=3, longest=5):
    """Which n-grams a text has, one by one."""
    found = []
    for text in texts:
        words = "".join(c if c.isalnum() else " " for c in text.casefold()).split()
        grams = {}
        for word in words:
            bordered = f" {word} "
            for n in range(shortest, longest + 1):
                for at in range(len(bordered) - n + 1):
                    gram = bordered[at : at + n]
                    grams[gram] = grams.get(gram, 0) + 1
        found.append(grams)
    return found


def test_n_grams_lie_within_words():
    # Every row is the sum of its n-grams' rows, each a bucket and a sign.
    embedder = HashedNgrams(1 << 16)  # wide enough that nothing collides
    texts = ["Marfan syndrome", "long QT", "a b c"]
    for text, grams in zip(texts, counted(texts), strict=True):
        row = embedder.embed([text])[0]
        values = np.sqrt(sorted(grams.values()))
        assert np.count_nonzero(row) == len(grams)
        assert np.allclose(sorted(np.abs(row[row != 0])), values / np.linalg.norm(values))


def test_spelling_variants_are_near_and_other_words_are_not():
    rows = HashedNgrams().embed(PHRASES)
    cosines = rows @ rows.T
    assert cosines[0, 1] > 0.7
    assert cosines[0, 2] > 0.4
    assert cosines[3, 4] > 0.6
    assert abs(cosines[0, 4]) < 0.2
    assert abs(cosines[1, 5]) < 0.2


@given(st.lists(anything, max_size=8))
def test_any_text_has_a_unit_row_or_a_row_of_zeros(texts):
    rows = HashedNgrams(64).embed(texts)
    assert rows.shape == (len(texts), 64)
    assert rows.dtype == np.float32
    for text, row in zip(texts, rows, strict=True):
        length = float(np.linalg.norm(row))
        # Signs of colliding n-grams can cancel out, so words may leave zeros, never the reverse.
        assert length == 0 or length == pytest.approx(1, abs=1e-5)
        assert length == 0 or any(c.isalnum() for c in text)


@given(st.lists(anything, min_size=1, max_size=6))
def test_a_row_does_not_depend_on_the_other_texts(texts):
    embedder = HashedNgrams(32)
    alone = np.concatenate([embedder.embed([text]) for text in texts])
    assert np.array_equal(embedder.embed(texts), alone)


def test_blocks_and_pieces_change_nothing(monkeypatch):
    texts = ["fever and rash " * 40, "", "seizure", "x" * 500, "?", "marfan syndrome " * 30]
    whole = HashedNgrams(256).embed(texts)
    monkeypatch.setattr(hashed, "BLOCK_CHARACTERS", 50)
    pieces = HashedNgrams(256).embed(texts)
    assert np.array_equal(whole[[0, 1, 2, 4, 5]], pieces[[0, 1, 2, 4, 5]])
    assert float(whole[3] @ pieces[3]) > 0.9  # a word that is itself too long is cut
    assert not whole[1].any()
    assert not whole[4].any()
    # Often the same words are what they are once.
    assert float(whole[5] @ HashedNgrams(256).embed(["Marfan syndrome"])[0]) == pytest.approx(1)
    monkeypatch.setattr(hashed, "BLOCK_CELLS", 256)
    assert np.array_equal(HashedNgrams(256).embed(texts), pieces)


def test_case_compatibility_forms_and_punctuation_are_folded():
    embedder = HashedNgrams()
    rows = embedder.embed(["β-thalassaemia, ﬁbrosis", "Β THALASSAEMIA_FIBROSIS!"])
    assert np.allclose(rows[0], rows[1])


def test_the_same_in_every_process():
    code = (
        "from gym_clinic.retrieval.dense.opening import open_embedder\n"
        f"print(open_embedder().embed({PHRASES!r}).tobytes().hex())"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("0", "1")
    }
    assert printed == {HashedNgrams().embed(PHRASES).tobytes().hex()}


def test_the_hash_is_pinned():
    # An index on disk holds rows of this hash: changing it needs another name.
    row = HashedNgrams(16, (3, 4)).embed(["flu"])[0]
    assert np.flatnonzero(row).tolist() == [1, 4, 6, 7, 9]
    assert np.sign(row[row != 0]).tolist() == [1, -1, -1, -1, -1]
    # To the last bit: one of five n-grams each.
    assert set(np.abs(row[row != 0])) == {np.sqrt(np.float32(1) / np.float32(5))}


def test_another_seed_gives_another_row():
    one, other = (HashedNgrams(seed=seed).embed(["Marfan syndrome"]) for seed in (0, 1))
    assert not np.array_equal(one, other)
    assert float((one @ other.T).item()) < 0.5


@pytest.mark.parametrize(
    "embedder", [HashedNgrams(), HashedNgrams(2048), HashedNgrams(100, (4, 9), seed=2**64 - 1)]
)
def test_a_name_makes_the_same_embedder(embedder):
    again = open_embedder(embedder.name)
    assert (again.name, again.dimension) == (embedder.name, embedder.dimension)
    assert np.array_equal(again.embed(PHRASES), embedder.embed(PHRASES))
    assert np.array_equal(embed_queries(again, PHRASES), embedder.embed(PHRASES))


def test_short_names():
    assert open_embedder("hashed-ngrams").name == "hashed-ngrams:512:3-5:0"
    assert open_embedder("hashed-ngrams:2048").name == "hashed-ngrams:2048:3-5:0"
    assert open_embedder("hashed-ngrams:64:3-4").name == "hashed-ngrams:64:3-4:0"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("hashed-ngram", "did you mean 'hashed-ngrams'"),
        ("medcp", "did you mean 'medcpt'"),
        ("", "choose from"),
        ("hashed-ngrams:", None),
        ("hashed-ngrams:many", "not of the form"),
        ("hashed-ngrams:512:5-3", "shortest and the longest"),
        ("hashed-ngrams:512:2-3", "shortest and the longest"),
        ("hashed-ngrams:512:3-99", "shortest and the longest"),
        ("hashed-ngrams:0", "dimension is a whole number from 1"),
        ("hashed-ngrams:8:3-5:18446744073709551616", "seed"),
    ],
)
def test_unreadable_names_are_reported(name, said):
    if said is None:
        assert open_embedder(name).dimension == 512
        return
    with pytest.raises(ConfigError, match=said):
        open_embedder(name)


def test_unit_rows_keep_zeros():
    rows = unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    assert rows.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0.0, 0.0]]
