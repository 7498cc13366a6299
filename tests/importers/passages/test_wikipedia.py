from __future__ import annotations

import bz2

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("lxml")

from gym_clinic.importers.passages.labels import Labels
from gym_clinic.importers.passages.wikipedia import read
from gym_clinic.importers.passages.wikitext import plain_paragraphs
from gym_clinic.retrieval.passages.passage import BrokenRecord, Passage

LABELS = Labels("wikipedia", "encyclopedia", "CC BY-SA 4.0")


def page(number, title="Fever", text="It is '''hot'''.", ns=0, extra=""):
    return (
        f"<page><title>{title}</title><ns>{ns}</ns><id>{number}</id>{extra}<revision><id>99</id>"
        f"<contributor><username>x</username><id>3</id></contributor>"
        f'<text bytes="9" xml:space="preserve">{text}</text></revision></page>\n'
    )


def dump(*pages, version="0.11", tail="</mediawiki>"):
    return (
        f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-{version}/" version="{version}">\n'
        f"<siteinfo><sitename>Wikipedia</sitename></siteinfo>\n{''.join(pages)}{tail}"
    )


@pytest.fixture
def file(tmp_path):
    def write(text, name="pages-articles.xml.bz2"):
        path = tmp_path / name
        path.write_bytes(bz2.compress(text.encode()) if name.endswith("bz2") else text.encode())
        return path

    return write


@pytest.mark.parametrize("version", ["0.10", "0.11"])
@pytest.mark.parametrize("name", ["pages-articles.xml.bz2", "pages.xml"])
def test_articles_become_passages(file, version, name):
    pages = [
        page(1),
        page(2, "Talk:Fever", ns=1),
        page(3, "Pyrexia", "#REDIRECT [[Fever]]", extra='<redirect title="Fever"/>'),
        page(4, "Fever (disambiguation)", "{{Disambiguation}} * [[Fever]]"),
        page(7, "Hot", "* [[Fever]] {{ Human name disambiguation|x}}"),
        page(8, "Cold", "* [[Chill]]\n{{disambig}}"),
        page(5, "Long", " ".join(["A sentence of the text."] * 90)),
        page(6, "Empty", "{{Infobox}}"),
        page(9, "Chill", "A [[cold]]{{disambiguation needed|date=May}} feeling."),
    ]
    found = list(read(file(dump(*pages, version=version), name), LABELS))
    assert found[0] == Passage(
        "wikipedia:1-1", "wikipedia", "Fever", "It is hot.", "encyclopedia", "CC BY-SA 4.0"
    )
    assert [one.id for one in found[1:]] == [
        "wikipedia:5-1", "wikipedia:5-2", "wikipedia:5-3", "wikipedia:6", "wikipedia:9-1",
    ]  # fmt: skip
    assert [one.text for one in found[-2:]] == ["", "A cold feeling."]


@pytest.mark.parametrize(
    ("bad", "what"),
    [
        (page("x"), "<page> with <title> 'Fever' and <id> 'x'; needs both"),
        (page(2, ""), "<page> with <title> '' and <id> '2'; needs both"),
        ("<page><title>T</title><ns>0</ns><id>2</id></page>", "page 'T' has no <revision><text>"),
        (
            page(2, text="a<b/>c"),
            "<text> of page 'Fever' holds entities or elements",
        ),
    ],
)
def test_a_bad_page_in_the_middle_is_named(file, bad, what):
    first, broken, last = read(file(dump(page(1), bad, page(3))), LABELS)
    assert (first.id, last.id) == ("wikipedia:1-1", "wikipedia:3-1")
    assert isinstance(broken, BrokenRecord)
    assert (broken.place[:5], broken.what) == ("line ", what)


def test_a_truncated_dump_and_other_files_are_named(file):
    text = dump(page(1), page(2)[:60], tail="")
    first, broken = read(file(text, "cut.xml"), LABELS)
    assert first.id == "wikipedia:1-1"
    assert "no well-formed XML" in broken.what
    path = file(dump(page(1)))
    path.write_bytes(path.read_bytes()[:-15])
    *_, broken = read(path, LABELS)
    assert "cut off or damaged" in broken.what
    path.write_bytes(b"BZh9 no such thing")
    (broken,) = read(path, LABELS)
    assert "cut off or damaged" in broken.what


@pytest.mark.parametrize(
    ("markup", "paragraphs"),
    [
        ("'''Fever''' is ''high'' [[body temperature|temperature]] in [[human]]s.",
         ["Fever is high temperature in humans."]),
        ("{{Infobox|a={{nested|x}}\n|b=2}}Text{{cite|x}}.", ["Text."]),
        ("Above {{convert|38|C|F}} {{lang|la|febris}} {{nowrap|1 2}} {{abbr|CT|tomography}}.",
         ["Above 38 C febris 1 2 CT."]),
        ("One.<ref name=a>Cite {{x}}</ref> Two.<ref name='a' /> Three.<!-- no -->",
         ["One. Two. Three."]),
        ("== Cause ==\nA.\n=== Rare ===\nB.", ["Cause.", "A.", "Rare.", "B."]),
        ("A.\n== References ==\n{{reflist}}\n=== More ===\nx\n== Care ==\nB.",
         ["A.", "Care.", "B."]),
        ("* one\n** two\n# three\n; four\n: five", ["one", "two", "three", "four", "five"]),
        ("A.\n{| class=wikitable\n! h\n|-\n| cell {{x}}\n{|\n| in\n|}\n|}\nB.", ["A.", "B."]),
        ("A.[[File:x.png|thumb|A [[hot]] man]][[Category:Fever]][[de:Fieber]] B.", ["A. B."]),
        ("See [https://example.org/a the site] and [https://example.org/b].",
         ["See the site and ."]),
        ("H<sub>2</sub>O &lt; 5&nbsp;µg<br/>x <math>\\frac{a}{b}</math>y __NOTOC__",
         ["H2O < 5 µg x y"]),
        ("See [[ICD: the codes|codes]] and [[Mission: Heart]].", ["See codes and Mission: Heart."]),
        ("Open {{template and [[link and <ref>x", ["Open template and link and"]),
        ("", []),
    ],
)  # fmt: skip
def test_markup_becomes_text(markup, paragraphs):
    assert list(plain_paragraphs(markup)) == paragraphs


PIECES = st.sampled_from(
    ["{{", "}}", "[[", "]]", "{|", "|}", "|", "\n", "=", "== x ==", "'''", "<ref>", "</ref>",
     "<!--", "-->", "<math>", "[http://x ", "]", "a b", "&lt;", "*", "<b>", "File:", ":", "é"]
)  # fmt: skip


@given(st.text() | st.lists(PIECES, max_size=60).map("".join))
def test_any_markup_is_read(markup):
    for paragraph in plain_paragraphs(markup):
        assert paragraph == " ".join(paragraph.split())
        assert paragraph


HOSTILE = ["{{", "[[", "{{a|", "{|\n", "{|\n|", "<ref>", "[http://x", "<!--", "<b", "\n", " ", "= ",
           "'", "<ref name=a ", "[[a|", "{{x|y=", ": {|"]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_markup_is_read_to_its_end(piece):
    markup = piece * 30_000 + " end"
    assert sum(map(len, plain_paragraphs(markup))) <= len(markup)
