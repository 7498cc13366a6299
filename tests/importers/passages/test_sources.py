from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

pytest.importorskip("lxml")

from gym_clinic.errors import ConfigError
from gym_clinic.importers.passages.jats import read as read_jats
from gym_clinic.importers.passages.labels import Labels
from gym_clinic.importers.passages.sources import find_sources, format_of
from gym_clinic.retrieval.passages.passage import BrokenRecord, Passage

CHUNK = json.dumps({"id": "a", "title": "T", "content": "Text."})
PUBMED = "<?xml version='1.0'?><!DOCTYPE PubmedArticleSet SYSTEM 'x'><PubmedArticleSet/>"
WIKI = "<!-- <article> --><mediawiki xmlns='x'></mediawiki>"


def article(number, sections="<sec><title>Results</title><p>Mice died.</p></sec>", year=2012):
    return (
        f'<article><front><article-meta><article-id pub-id-type="pmc">{number}</article-id>'
        f"<title-group><article-title>Title {number}</article-title></title-group>"
        f'<pub-date pub-type="epub"><year>{year}</year></pub-date>'
        f"<abstract><p>Short.</p></abstract></article-meta></front><body>{sections}</body></article>"
    )


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.jsonl").write_text(CHUNK)
    (tmp_path / "b.xml.gz").write_bytes(gzip.compress(PUBMED.encode()))
    (tmp_path / "deep" / "c.nxml").write_text(article(1))
    (tmp_path / "d.xml").write_text(WIKI)
    (tmp_path / "e.txt").write_text("Plain.")
    (tmp_path / "README.md").write_text("not read")
    return tmp_path


def test_suffix_and_first_element_decide_the_format(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".md")
    assert [format_of(path) for path in files] == ["jsonl", "pubmed", "wikipedia", "jats", "text"]
    sources = find_sources([folder])
    assert [source.name for source in sources] == [str(path) for path in files]
    found = [one for source in sources for one in source.records()]
    passages = [one for one in found if isinstance(one, Passage)]
    assert {one.source for one in passages} == {folder.name, "jats"}
    assert [str(one) for one in found if isinstance(one, BrokenRecord)] == [
        f"{folder / 'b.xml.gz'}: <PubmedArticleSet> holds no <MedlineCitation>; expected some",
        f"{folder / 'd.xml'}: <mediawiki> holds no <page>; expected some",
    ]


def test_the_caller_gives_names_categories_and_licences(folder):
    sources = find_sources(
        [folder / "a.jsonl", folder / "deep"],
        names={folder / "deep": "pmc"},
        categories={"pmc": "article"},
        licences={"a": "CC0", "pmc": "CC BY"},
    )
    found = [one for source in sources for one in source.records()]
    assert {(one.source, one.category, one.licence) for one in found} == {
        ("a", "", "CC0"), ("pmc", "article", "CC BY"),
    }  # fmt: skip
    with pytest.raises(ConfigError, match="a licence for 'pcm', but no source has this name"):
        find_sources([folder], names={folder: "pmc"}, licences={"pcm": "x"})


def test_a_source_that_changes_has_another_fingerprint(folder):
    before = find_sources([folder / "a.jsonl"])[0].fingerprint
    assert find_sources([folder / "a.jsonl"])[0].fingerprint == before
    (folder / "a.jsonl").write_text(CHUNK + "\n")
    after = find_sources([folder / "a.jsonl"])[0].fingerprint
    assert after != before
    assert find_sources([folder / "a.jsonl"], licences={"a": "x"})[0].fingerprint != after


def test_a_given_format_is_used(folder):
    (source,) = find_sources([folder / "README.md"], format="text")
    assert [one.text for one in source.records()] == ["not read"]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("x.pdf", b"", r"x.pdf: no format for '.pdf'; expected .jsonl, .txt"),
        ("x.xml", b"<html/>", r"x.xml: its first element is <html>; expected one of <Pubmed"),
        ("x.xml", b"", r"x.xml: its first element is <>"),
        ("x.xml.gz", b"\x1f\x8bno gzip", r"x.xml.gz: cannot be unpacked: Compressed file ended"),
        ("x.xml.gz", b"no XML", r"x.xml.gz: its first element is <>"),
    ],
)
def test_a_file_of_unknown_format_is_named(tmp_path, name, content, expected):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigError, match=expected):
        find_sources([tmp_path / name])


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"no file or folder .*none"):
        find_sources([tmp_path / "none"])
    with pytest.raises(ConfigError, match=r"has no file to read; expected .jsonl"):
        find_sources([tmp_path])
    with pytest.raises(ConfigError, match="no format 'pubmet'; did you mean 'pubmed'"):
        find_sources([tmp_path], format="pubmet")


def test_texts_with_one_name_have_different_ids(tmp_path, monkeypatch):
    for name in ("a/ch1.txt", "b/ch1.txt", "vol.1.TXT", "vol.2.txt.GZ"):
        file = tmp_path / "book" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(gzip.compress(b"Text.") if name.endswith("GZ") else b"Text.")
    monkeypatch.chdir(tmp_path / "book")
    for path in (tmp_path / "book", Path()):
        found = [one for source in find_sources([path]) for one in source.records()]
        assert {one.source for one in found} == {"book"}
        assert [one.id for one in found] == [
            "book/a/ch1-1", "book/b/ch1-1", "book/vol.1-1", "book/vol.2-1",
        ]  # fmt: skip
    (single,) = find_sources([Path("vol.1.TXT")])
    assert [(one.id, one.title) for one in single.records()] == [("vol.1-1", "vol.1")]


def test_packed_articles_are_read(tmp_path):
    path = tmp_path / "a.nxml.gz"
    path.write_bytes(gzip.compress(article(1).encode()))
    (source,) = find_sources([path])
    assert [one.id for one in source.records()] == ["PMC1-1", "PMC1-2"]
    path.write_bytes(path.read_bytes()[:-20])
    *_, broken = source.records()
    assert "cut off or damaged" in str(broken)


def test_articles_before_the_damage_are_read(tmp_path):
    path = tmp_path / "set.xml"
    path.write_text(f"<pmc-articleset>{article(1)}{article(2)[:200]}")
    *good, broken = read_jats(path, LABELS)
    assert [one.id for one in good] == ["PMC1-1", "PMC1-2"]
    assert "no well-formed XML" in str(broken)


LABELS = Labels("pmc", "article", "CC BY")


def test_an_article_becomes_pieces_of_its_sections(tmp_path):
    path = tmp_path / "a.xml"
    long = "<sec><title>Results</title><p>" + "A mouse died. " * 100 + "</p></sec>"
    path.write_text(article(1, long))
    found = list(read_jats(path, LABELS))
    assert found[0] == Passage("PMC1-1", "pmc", "Title 1 > Abstract", "Short.", "article", "CC BY")
    assert [one.id for one in found] == ["PMC1-1", "PMC1-2", "PMC1-3"]
    assert {one.title for one in found[1:]} == {"Title 1 > Results"}
    assert all(one.text.endswith("died.") and len(one.text) <= 1000 for one in found[1:])


def test_an_article_may_have_a_doi_alone_and_no_date(tmp_path):
    path = tmp_path / "a.xml"
    dated = '<pub-date pub-type="epub"><year>2012</year></pub-date>'
    path.write_text(article("10.9999/syn").replace('"pmc"', '"doi"').replace(dated, ""))
    found = list(read_jats(path, LABELS))
    assert [one.id for one in found] == ["doi:10.9999/syn-1", "doi:10.9999/syn-2"]


def test_a_bad_article_in_the_middle_is_named_and_the_others_are_read(tmp_path):
    path = tmp_path / "set.xml"
    articles = article(1) + "\n" + article(2, year="n.d.") + article(3)
    path.write_text(f"<pmc-articleset>{articles}</pmc-articleset>")
    found = list(read_jats(path, LABELS))
    assert [getattr(one, "id", None) for one in found] == [
        "PMC1-1", "PMC1-2", None, "PMC3-1", "PMC3-2",
    ]  # fmt: skip
    assert str(found[2]) == f"{path} line 2: <year> is 'n.d.'; expected four digits"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (article(1).encode()[:-40], "line 1: no well-formed XML"),
        (article(1, "<p>Müller</p>").encode("latin-1"), "line 1: no well-formed XML"),
        (b"<html/>", "<html> holds no <article>; expected some"),
        (b"", "line 1: no well-formed XML"),
    ],
)
def test_a_file_that_is_not_an_article_is_named(tmp_path, content, expected):
    path = tmp_path / "bad.xml"
    path.write_bytes(content)
    (broken,) = read_jats(path, LABELS)
    assert isinstance(broken, BrokenRecord)
    assert expected in str(broken)
    assert str(broken).startswith(str(path))
