from __future__ import annotations

import sys

import pytest

pytest.importorskip("lxml")

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.formats.jats import Section, read_articles, read_jats

DOCTYPE = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE article PUBLIC '
    '"-//NLM//DTD JATS (Z39.96) Journal Archiving and Interchange DTD v1.2//EN" '
    '"JATS-archivearticle1.dtd">\n'
)
META = """
<article-id pub-id-type="pmid">SYN0000001</article-id>
<article-id pub-id-type="pmc">000000001</article-id>
<article-id pub-id-type="doi">10.0000/synthetic</article-id>
<title-group><article-title>Loss of <italic>GENEX</italic> in
  a <bold>mouse</bold><xref ref-type="fn" rid="n">*</xref></article-title></title-group>
<contrib-group><contrib><name><surname>Nobody</surname></name></contrib></contrib-group>
<pub-date pub-type="ppub"><month>1</month><year>2012</year></pub-date>
<pub-date pub-type="epub"><year>2011</year></pub-date>
<pub-date pub-type="pmc-release"><year>2010</year></pub-date>
<abstract><p>We made mice.</p></abstract>
"""


def article(body="", meta=META, back="", rest="", attributes="") -> str:
    return (
        f'<article xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'xmlns:mml="http://www.w3.org/1998/Math/MathML"{attributes}>'
        f"<front><journal-meta/><article-meta>{meta}</article-meta></front>"
        f"<body>{body}</body><back>{back}<ref-list><ref>Reference.</ref></ref-list></back>{rest}"
        "</article>"
    )


@pytest.fixture
def read(tmp_path):
    def parse(text, encoding="utf-8"):
        path = tmp_path / "article.xml"
        path.write_bytes(text.encode(encoding))
        return read_jats(path)

    return parse


@pytest.fixture
def text(read):
    """The full text that a body gives, where it is one section."""

    def parse(body, doctype=""):
        (section,) = read(doctype + article(body)).sections
        return section.text

    return parse


def test_an_article_is_read_whole(read):
    found = read(DOCTYPE + article("<sec><title>Results</title><p>Mice died.</p></sec>"))
    assert found.pmid == "SYN0000001"
    assert found.pmcid == "PMC000000001"
    assert found.year == 2011
    assert found.title == "Loss of GENEX in a mouse"
    assert found.abstract == "We made mice."
    assert found.sections == (Section("Results", "Mice died."),)


def test_nested_sections_keep_their_titles_and_order(read):
    body = """<p>Before all.</p>
    <sec><label>1</label><title>Results</title><p>Opening.</p>
      <sec><title>Mice</title><p>One.</p><p>Two.</p>
        <sec><title>Rescue</title><p>Three.</p></sec></sec>
      <sec><p>Untitled.</p></sec></sec>
    <sec><title>Empty</title></sec>
    <sec><title>Discussion</title><p>End.</p></sec>"""
    assert read(article(body)).sections == (
        Section("Main text", "Before all."),
        Section("Results", "Opening."),
        Section("Results > Mice", "One.\nTwo."),
        Section("Results > Mice > Rescue", "Three."),
        Section("Results", "Untitled."),
        Section("Discussion", "End."),
    )


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("Line\n   breaks and\ttabs&#160;go", "Line breaks and tabs go"),
        ("<italic>GENEX</italic><sup>−/−</sup> mice", "GENEX−/− mice"),
        ("GENE1<sup>+/−</sup> mice", "GENE1+/− mice"),
        ("10<sup>-3</sup> M and <italic>10</italic><sup>6</sup>", "10^-3 M and 10^6"),
        ("H<sub>2</sub>O, Ca<sup>2+</sup>", "H2O, Ca2+"),
        ('GENE1<sup><xref ref-type="bibr" rid="a">12</xref></sup> is', "GENE1 is"),
        ('GENE1<xref ref-type="bibr" rid="a"><sup>12</sup></xref> is', "GENE1 is"),
        (
            'x<sup>[<xref ref-type="bibr" rid="a">1</xref>–<xref ref-type="bibr" rid="b">3</xref>]'
            "</sup>.",
            "x.",
        ),
        ('<sup>−/−<xref ref-type="bibr" rid="a">1</xref></sup> mice', "−/− mice"),
        ('shown [<xref ref-type="bibr" rid="a">12</xref>]', "shown [12]"),
        ('(<xref ref-type="fig" rid="f">Fig. 1A</xref>)', "(Fig. 1A)"),
        ('mouse<xref ref-type="table-fn" rid="t">a</xref> line', "mouse line"),
        ("a<!-- hidden -->b<?pi hidden?>c", "abc"),
        ("p &lt; .05 &amp; &#945; &#x3b2;", "p < .05 & α β"),
        ("<![CDATA[a < b]]>", "a < b"),
        ("one<break/>two", "one two"),
        (
            "<inline-formula><alternatives><tex-math>\\begin{document}x^2</tex-math>"
            "<mml:math><mml:mi>x</mml:mi><mml:mn>2</mml:mn></mml:math></alternatives>"
            "</inline-formula> holds",
            "x2 holds",
        ),
        ('<ext-link xlink:href="http://x">site</ext-link>', "site"),
    ],
)
def test_inline_markup(text, markup, expected):
    assert text(f"<p>{markup}</p>") == expected


def test_lists_and_boxes_are_lines(text):
    body = """<p>Two lines:<list><list-item><label>•</label><p>first</p></list-item>
      <list-item><p>second</p></list-item></list>after</p>
      <boxed-text><caption><title>Box</title></caption><p>In it.</p></boxed-text>
      <disp-quote><p>Said.</p></disp-quote>"""
    assert text(body) == "Two lines:\n•\nfirst\nsecond\nafter\nBox\nIn it.\nSaid."


def test_captions_and_tables_are_read_in_place(text):
    body = """<p>See <fig id="f"><label>Figure 1</label><caption><title>Rescue.</title>
      <p>Wild-type <italic>GENEX</italic> restores.</p></caption>
      <alt-text>hidden</alt-text><graphic xlink:href="g"/></fig>here.</p>
      <table-wrap><label>Table 1</label><caption><p>Scores</p></caption><table>
      <thead><tr><th>Line</th><th>Survival</th></tr></thead>
      <tbody><tr><td><p>mutant</p><p>mouse</p></td><td>0</td></tr><tr><td/><td/></tr></tbody>
      </table><table-wrap-foot><fn><p>Mean.</p></fn></table-wrap-foot></table-wrap>"""
    assert text(body).split("\n") == [
        "See",
        "Figure 1",
        "Rescue.",
        "Wild-type GENEX restores.",
        "here.",
        "Table 1",
        "Scores",
        "Line | Survival",
        "mutant mouse | 0",
        "Mean.",
    ]


def test_appendices_and_floats_follow_and_references_do_not(read):
    found = read(
        article(
            "<sec><title>Results</title><p>Main.</p></sec>",
            back="<ack><p>Thanks.</p></ack><app-group><app><title>Appendix</title><p>More.</p>"
            "</app></app-group>",
            rest="<floats-group><fig><label>Figure 9</label><caption><p>Late.</p></caption></fig>"
            "</floats-group><sub-article><body><p>Review.</p></body></sub-article>",
        )
    )
    assert found.sections[1:] == (
        Section("Appendix", "More."),
        Section("Figures and tables", "Figure 9\nLate."),
    )


def test_structured_abstract_and_its_variants(read):
    meta = META.replace(
        "<abstract><p>We made mice.</p></abstract>",
        """<abstract abstract-type="graphical"><p>Picture.</p></abstract>
        <abstract><title>Abstract</title><sec><title>Background</title><p>Why.</p></sec>
        <sec><title>Results:</title><p>What.</p><p>More.</p></sec></abstract>
        <trans-abstract><p>Pourquoi.</p></trans-abstract>""",
    )
    assert read(article(meta=meta)).abstract == "Background: Why.\nResults: What.\nMore."
    only_typed = META.replace("<abstract>", '<abstract abstract-type="summary">')
    assert read(article(meta=only_typed)).abstract == "We made mice."
    none = META.replace("<abstract><p>We made mice.</p></abstract>", "")
    assert read(article(meta=none)).abstract == ""


def test_an_article_without_body_has_no_sections(read):
    assert read(article().replace("<body></body>", "")).sections == ()


@pytest.mark.parametrize(
    ("old", "new", "pmid", "pmcid"),
    [
        ('"pmc">000000001', '"pmc">PMC000000001', "SYN0000001", "PMC000000001"),
        ('"pmc">000000001', '"pmcid">PMC000000001', "SYN0000001", "PMC000000001"),
        ('"pmc">000000001', '"pmcid-ver">PMC000000001.1', "SYN0000001", ""),
        ('"pmid">SYN0000001', '"publisher-id">x', "", "PMC000000001"),
    ],
)
def test_ids_of_old_and_new_files_are_read(read, old, new, pmid, pmcid):
    found = read(article(meta=META.replace(old, new)))
    assert (found.pmid, found.pmcid) == (pmid, pmcid)


def test_an_article_needs_one_id_and_no_year(read):
    meta = META.replace('"pmid">SYN0000001', '"doi">10.9999/syn').replace('"pmc">', '"other">')
    found = read(article(meta=meta.replace("pub-date", "other-date")))
    assert (found.pmid, found.pmcid, found.doi, found.year) == ("", "", "10.9999/syn", None)


def test_new_date_types(read):
    meta = META.replace('pub-type="epub"', 'date-type="pub" publication-format="electronic"')
    assert read(article(meta=meta)).year == 2011


def test_wrappers_and_namespaces(tmp_path, read):
    both = article() + article(meta=META.replace("SYN0000001", "SYN0000002"))
    path = tmp_path / "set.xml"
    path.write_text(f"<pmc-articleset>{both}</pmc-articleset>", encoding="utf-8")
    assert [found.pmid for found in read_articles(path)] == ["SYN0000001", "SYN0000002"]
    with pytest.raises(TaskError, match="2 articles; expected one"):
        read_jats(path)
    one = read(f"<pmc-articleset>{article('<p>x</p>')}</pmc-articleset>")
    namespaced = article(
        "<p>x</p>", attributes=' xmlns="https://jats.nlm.nih.gov/ns/archiving/1.3/"'
    )
    assert read(f"<OAI-PMH><record>{namespaced}</record></OAI-PMH>") == one


def test_other_encodings_are_read_as_declared(read):
    xml = '<?xml version="1.0" encoding="ISO-8859-1"?>' + article("<p>Behçet</p>")
    assert read(xml, "latin-1").sections[0].text == "Behçet"


# Entities ------------------------------------------------------------------------------------


def test_named_characters_are_read_without_the_document_type(text):
    assert text("<p>TNF-&alpha; &ge; 2 &eacute;t&eacute;</p>", DOCTYPE) == "TNF-α ≥ 2 été"


def test_files_are_never_read_through_an_entity(tmp_path, read):
    secret = tmp_path / "secret.txt"
    secret.write_text("canary")
    doctype = f'<!DOCTYPE article [<!ENTITY leak SYSTEM "{secret.as_uri()}">]>'
    with pytest.raises(TaskError, match="unknown entity &leak;"):
        read(doctype + article("<p>&leak;</p>"))


def bomb(levels):
    entities = ['<!ENTITY a0 "ha">']
    for level in range(1, levels + 1):
        entities.append(f"<!ENTITY a{level} '" + f"&a{level - 1};" * 10 + "'>")
    return f"<!DOCTYPE article [{''.join(entities)}]>"


def test_entities_are_never_expanded(read):
    with pytest.raises(TaskError, match="unknown entity &a2;"):
        read(bomb(2) + article("<p>&a2;</p>"))
    with pytest.raises(TaskError, match=r"unknown entity|amplification"):
        read(bomb(11) + article("<p>&a11;</p>"))
    with pytest.raises(TaskError, match=r"amplification|loop"):
        read(bomb(11) + article('<p content-type="&a11;">x</p>'))


def test_an_external_document_type_is_never_fetched(tmp_path, text):
    dtd = tmp_path / "own.dtd"
    dtd.write_text('<!ENTITY alpha "canary">')
    assert text("<p>&alpha;</p>", f'<!DOCTYPE article SYSTEM "{dtd.as_uri()}">') == "α"


# Errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("xml", "expected"),
    [
        ("", "line 1: no well-formed XML"),
        ("not xml", "line 1: no well-formed XML"),
        ("<article><front>\n</article>", "line 2: no well-formed XML"),
        (article()[:-20], "no well-formed XML"),
        (article("<p>&alpha;</p>"), "'alpha' not defined"),
        ("<html><p>Not found</p></html>", "<html> holds no <article>"),
        ("<pmc-articleset><Reply Id='1' error='none'/></pmc-articleset>", "holds no <article>"),
        ("<article><body/></article>", "no <front><article-meta>"),
        (article(meta=""), "no <article-id> of type pmid, pmc, pmcid or doi"),
        (article(meta=META.replace("article-title", "article-name")), "no <article-title>"),
        (article(meta=META.replace("2011", "MMXI")), "<year> is 'MMXI'; expected four digits"),
        ("<a>" * 5000, "no well-formed XML"),
    ],
)
def test_errors_name_file_and_element(tmp_path, read, xml, expected):
    with pytest.raises(TaskError) as caught:
        read(xml)
    assert str(tmp_path / "article.xml") in str(caught.value)
    assert expected in str(caught.value)


def test_a_missing_file_and_a_missing_lxml_are_config_errors(tmp_path, monkeypatch, read):
    with pytest.raises(ConfigError, match="cannot read"):
        read_jats(tmp_path / "none.xml")
    monkeypatch.setitem(sys.modules, "lxml.etree", None)
    with pytest.raises(ConfigError, match=r'pip install "gym_clinic\[import\]"'):
        read(article())
