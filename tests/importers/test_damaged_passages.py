"""Files of passages damaged at random: whatever is left is read, and what is broken is named."""

from __future__ import annotations

import bz2
import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("lxml")

from gym_clinic.importers.passages.labels import Labels
from gym_clinic.importers.passages.sources import READERS
from gym_clinic.retrieval.passages.passage import BrokenRecord, Passage


def citation(number: int) -> str:
    return (
        f"<PubmedArticle><MedlineCitation><PMID Version='1'>{number}</PMID><Article>"
        f"<ArticleTitle>On <i>S. aureus</i> {number}</ArticleTitle><Abstract><AbstractText "
        "Label='AIM'>é &lt; 5.</AbstractText></Abstract></Article></MedlineCitation>"
        "</PubmedArticle>\n"
    )


def article(number: int) -> str:
    return (
        f"<article><front><article-meta><article-id pub-id-type='pmc'>{number}</article-id>"
        f"<title-group><article-title>Title {number}</article-title></title-group><pub-date>"
        "<year>2012</year></pub-date><abstract><p>Short.</p></abstract></article-meta></front>"
        "<body><sec><title>Results</title><p>Müller.</p></sec></body></article>\n"
    )


def page(number: int) -> str:
    return (
        f"<page><title>T{number}</title><ns>0</ns><id>{number}</id><revision><text>It is "
        "'''hot'''.{{x|[[y]]}} é</text></revision></page>\n"
    )


def line(number: int) -> str:
    row = {"id": f"{number}", "title": "é", "content": f"text {number}"}
    return json.dumps(row, ensure_ascii=False) + "\n"


THREE = (1, 2, 3)
HEAD = "<?xml version='1.0'?>\n"
WHOLE = {
    "jsonl": "".join(map(line, THREE)),
    "pubmed": f"{HEAD}<PubmedArticleSet>{''.join(map(citation, THREE))}</PubmedArticleSet>",
    "jats": f"{HEAD}<pmc-articleset>{''.join(map(article, THREE))}</pmc-articleset>",
    "wikipedia": f"{HEAD}<mediawiki xmlns='w'>{''.join(map(page, THREE))}</mediawiki>",
    "text": "Fever is high.\n\nÄrzte see it.\n" * 50,
}
PACK = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress}


def test_every_format_is_damaged_here():
    assert WHOLE.keys() == READERS.keys()


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize("format", WHOLE)
def test_a_whole_file_is_read(tmp_path, format, suffix):
    path = tmp_path / f"file{suffix}"
    path.write_bytes(PACK[suffix](WHOLE[format].encode()))
    found = list(READERS[format](path, Labels("s")))
    assert len(found) >= 2
    assert all(isinstance(one, Passage) and one.text for one in found)


@pytest.mark.parametrize("format", WHOLE)
@given(
    place=st.floats(0, 1),
    taken=st.integers(0, 300),
    put=st.binary(max_size=8) | st.text(max_size=4).map(str.encode),
    cut=st.booleans(),
    suffix=st.sampled_from(list(PACK)),
)
def test_a_damaged_file_is_read_as_far_as_it_can_be(
    tmp_path_factory, format, place, taken, put, cut, suffix
):
    whole = PACK[suffix](WHOLE[format].encode())
    at = int(place * len(whole))
    path = tmp_path_factory.mktemp("damaged") / f"file{suffix}"
    path.write_bytes(whole[:at] + put + (b"" if cut else whole[at + taken :]))
    found = list(READERS[format](path, Labels("s")))
    broken = [one for one in found if isinstance(one, BrokenRecord)]
    assert all(one.file == str(path) and one.what for one in broken)
    assert all(one.id for one in found if isinstance(one, Passage))
    if cut and format in ("pubmed", "jats", "wikipedia") and at < len(whole) - 20:
        assert broken


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-16-le"])
@pytest.mark.parametrize("format", WHOLE)
def test_another_encoding_is_named_or_read_right(tmp_path, format, encoding):
    path = tmp_path / "file"
    path.write_bytes(WHOLE[format].encode(encoding))
    found = list(READERS[format](path, Labels("s")))
    passages = [one for one in found if isinstance(one, Passage)]
    right = list(READERS[format](_written(tmp_path, WHOLE[format]), Labels("s")))
    xml = format in ("pubmed", "jats", "wikipedia")
    if xml and encoding != "cp1252":  # told by the first bytes
        assert [(one.title, one.text) for one in found] == [(one.title, one.text) for one in right]
    elif format == "text" and encoding == "utf-16-le":
        assert all("\0" in one.text for one in passages)  # which no base takes in
    else:
        assert len(passages) < len(right)
        assert any(isinstance(one, BrokenRecord) for one in found)


def _written(folder, text):
    path = folder / "right"
    path.write_text(text, encoding="utf-8")
    return path
