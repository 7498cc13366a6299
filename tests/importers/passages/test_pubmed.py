from __future__ import annotations

import gzip

import pytest

pytest.importorskip("lxml")

from gym_clinic.errors import ConfigError
from gym_clinic.importers.formats.xml import xml_elements
from gym_clinic.importers.passages.labels import Labels
from gym_clinic.importers.passages.pubmed import read
from gym_clinic.retrieval.passages.passage import BrokenRecord, Passage

LABELS = Labels("pubmed", "abstract", "NLM")
HEAD = (
    '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE PubmedArticleSet SYSTEM '
    '"http://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n<PubmedArticleSet>\n'
)
TAIL = "</PubmedArticleSet>\n"


def citation(number, title="Title.", abstract="<AbstractText>Text.</AbstractText>", version="1"):
    return f"""<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM">
<PMID Version="{version}">{number}</PMID>
<Article PubModel="Print"><Journal><Title>Journal</Title></Journal>
<ArticleTitle>{title}</ArticleTitle><Abstract>{abstract}</Abstract>
<AuthorList><Author><LastName>Nobody</LastName></Author></AuthorList></Article>
<CommentsCorrectionsList><CommentsCorrections><PMID Version="1">99</PMID></CommentsCorrections>
</CommentsCorrectionsList></MedlineCitation>
<PubmedData><ArticleIdList><ArticleId IdType="pubmed">1</ArticleId></ArticleIdList></PubmedData>
</PubmedArticle>
"""


@pytest.fixture
def file(tmp_path):
    def write(*citations, tail=TAIL, encoding="utf-8"):
        path = tmp_path / "pubmed25n0001.xml"
        path.write_bytes((HEAD + "".join(citations) + tail).encode(encoding))
        return path

    return write


def test_a_citation_becomes_a_passage(file):
    abstract = (
        '<AbstractText Label="BACKGROUND AND AIMS" NlmCategory="BACKGROUND">H<sub>2</sub>O and '
        "<i>TNF</i>-&#945; &lt; 5.</AbstractText>\n<AbstractText Label='UNLABELLED'>More."
        "</AbstractText><AbstractText/><CopyrightInformation>Copyright</CopyrightInformation>"
    )
    assert list(read(file(citation(12, "On <i>S. aureus</i>\n  in man.", abstract)), LABELS)) == [
        Passage(
            "pubmed:12", "pubmed", "On S. aureus in man.",
            "BACKGROUND AND AIMS: H2O and TNF-α < 5.\nMore.", "abstract", "NLM",
        )
    ]  # fmt: skip


def test_versions_have_their_own_ids_and_citations_without_abstract_no_text(file):
    found = read(file(citation(12), citation(12, version="2"), citation(13, abstract="")), LABELS)
    assert [(one.id, one.text) for one in found] == [
        ("pubmed:12", "Text."), ("pubmed:12.2", "Text."), ("pubmed:13", ""),
    ]  # fmt: skip


def test_update_files_and_packed_files_are_read(file):
    tail = f"<DeleteCitation><PMID Version='1'>12</PMID></DeleteCitation>{TAIL}"
    path = file(citation(1), citation(2), tail=tail)
    packed = path.with_name(f"{path.name}.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert [one.id for one in read(packed, LABELS)] == ["pubmed:1", "pubmed:2"]


@pytest.mark.parametrize(
    ("bad", "what"),
    [
        (citation("x1"), "<PMID> is 'x1'; expected digits"),
        (citation(""), "<PMID> is ''; expected digits"),
        (citation(5, ""), "PMID 5 has neither <ArticleTitle> nor <VernacularTitle>"),
        (
            "<PubmedArticle><MedlineCitation><PMID>5</PMID></MedlineCitation></PubmedArticle>",
            "PMID 5 has no <Article>",
        ),
        ("<PubmedArticle><MedlineCitation/></PubmedArticle>", "<PMID> is ''; expected digits"),
    ],
)
def test_a_bad_citation_in_the_middle_is_named_and_the_others_are_read(file, bad, what):
    path = file(citation(1), bad, citation(2))
    first, broken, last = read(path, LABELS)
    assert (first.id, last.id) == ("pubmed:1", "pubmed:2")
    assert isinstance(broken, BrokenRecord)
    assert broken.place.startswith("line 1")
    assert broken.what == what


def test_a_truncated_file_is_named_after_the_records_before_the_end(file):
    path = file(citation(1), citation(2), citation(3)[:200], tail="")
    *good, broken = read(path, LABELS)
    assert [one.id for one in good] == ["pubmed:1", "pubmed:2"]
    assert str(broken).startswith(f"{path} line 2")
    assert "no well-formed XML: " in broken.what
    packed = path.with_name("cut.xml.gz")
    packed.write_bytes(gzip.compress(file(citation(1), citation(2)).read_bytes())[:-30])
    *_, broken = read(packed, LABELS)
    assert broken.place == "end"
    assert broken.what.startswith("cut off or damaged: ")


def test_a_wrong_encoding_is_named(file):
    *good, broken = read(file(citation(1), citation(2, "Müller"), encoding="latin-1"), LABELS)
    assert isinstance(broken, BrokenRecord)
    assert "no well-formed XML" in broken.what
    assert not [one for one in good if "M" in one.title]


def test_nested_entities_are_not_expanded(file):
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    declared = f'"x.dtd" [<!ENTITY l0 "lol">{levels}]>'
    for bad in (
        citation(2, "&l9;"),
        citation(2, abstract='<AbstractText Label="&l9;">x</AbstractText>'),
    ):
        path = file(citation(1), bad, citation(3))
        text = path.read_text()
        path.write_text(text.replace(text.split("SYSTEM ")[1].split("\n")[0], declared))
        first, broken = read(path, LABELS)
        assert first.id == "pubmed:1"
        assert "Maximum entity amplification factor exceeded" in broken.what


def test_a_file_that_is_not_pubmed_is_named(tmp_path):
    path = tmp_path / "x.xml"
    for text, what in (
        ("<html><body/></html>", "the root is <html>; expected <PubmedArticleSet> or <MedlineCit"),
        ("<PubmedArticleSet/>", "<PubmedArticleSet> holds no <MedlineCitation>; expected some"),
        ("", "line 1: no well-formed XML: "),
    ):
        path.write_text(text)
        (broken,) = read(path, LABELS)
        assert what in str(broken)


def test_entities_of_the_file_are_not_expanded(file, tmp_path):
    path = file(citation(1, "&bomb;"), citation(2))
    text = path.read_text().replace(
        '"http://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">',
        '"none.dtd" [<!ENTITY bomb SYSTEM "file:///etc/hostname">]>',
    )
    path.write_text(text)
    first, second = read(path, LABELS)
    assert first.what == "<ArticleTitle> holds an entity; those that a file defines are not read"
    assert second.id == "pubmed:2"


def test_memory_stays_constant(file):
    path = file(*[citation(number) for number in range(1, 300)])
    # What a record's file holds in memory: the record, and what is read ahead of it.
    kept = [
        sum(1 for _ in one.getroottree().iter())
        for one in xml_elements(path, "MedlineCitation", root="PubmedArticleSet")
    ]
    assert len(kept) == 299
    assert max(kept[250:]) <= max(kept[:2]) + 5


def test_a_missing_file_or_package_is_a_config_error(tmp_path, monkeypatch, file):
    with pytest.raises(ConfigError, match=r"cannot read .*none.xml"):
        list(read(tmp_path / "none.xml", LABELS))
    monkeypatch.setitem(__import__("sys").modules, "lxml.etree", None)
    with pytest.raises(ConfigError, match=r'pip install "gym_clinic\[import\]"'):
        list(read(file(citation(1)), LABELS))
