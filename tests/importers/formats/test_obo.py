from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from real_data import damaged, real

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.formats.obo import read_obo
from gym_clinic.importers.formats.ontology import Synonym, Term, names

HEAD = "format-version: 1.2\ndata-version: made-up\n\n"
AMBER = """[Term]
id: HP:9000001
name: Amber glow
alt_id: HP:9000009
def: "A glow, \\"amber\\" by day.\\nFaint." [me:1]
comment: Passed over.
synonym: "Glow, amber" EXACT layperson [me:1, me:2]
synonym: "Light" BROAD []
xref: UMLS:C9999999 "Amber" {source="x"}
is_a: HP:0000118 ! Phenotypic abnormality
is_a: HP:0000001 {is_inferred="true"} ! All

"""
OLD = "[Term]\nid: HP:9000002\nis_obsolete: true\nreplaced_by: HP:9000001\n\n"
RELATION = "[Typedef]\nid: part_of\nname: part of\n\n"


@pytest.fixture
def read(tmp_path):
    def parse(*stanzas, head=HEAD):
        path = tmp_path / "hp.obo"
        path.write_text(head + "".join(stanzas), encoding="utf-8")
        return list(read_obo(path))

    return parse


def test_what_may_replace_an_obsolete_term_is_kept(read):
    candidates = "consider: HP:0000002\nconsider: HP:0000003 ! Tall\n"
    (found,) = read(f"[Term]\nid: HP:9000002\nis_obsolete: true\n{candidates}\n")
    assert (found.replaced_by, found.consider) == ((), ("HP:0000002", "HP:0000003"))
    assert names([found]) == {}  # a candidate is no replacement
    with pytest.raises(TaskError, match="tag consider: 'x'; expected an id"):
        read("[Term]\nid: HP:9000002\nis_obsolete: true\nconsider: x\n")


def test_a_file_may_begin_with_comments_and_blank_lines(read):
    head = "! made up\n\n" + HEAD
    assert [term.id for term in read("! more\n", AMBER, head=head)] == ["HP:9000001"]


def test_a_term_is_read_whole(read):
    assert read(RELATION, AMBER, OLD) == [
        Term(
            id="HP:9000001",
            name="Amber glow",
            definition='A glow, "amber" by day.\nFaint.',
            synonyms=(Synonym("Glow, amber", "EXACT"), Synonym("Light", "BROAD")),
            parents=("HP:0000118", "HP:0000001"),
            alternatives=("HP:9000009",),
            xrefs=('UMLS:C9999999 "Amber"',),
        ),
        Term(id="HP:9000002", name="", obsolete=True, replaced_by=("HP:9000001",)),
    ]


def test_replaced_ids_have_the_name_of_their_successor(read):
    assert names(read(AMBER, OLD)) == {
        "HP:9000001": "Amber glow", "HP:9000002": "Amber glow", "HP:9000009": "Amber glow",
    }  # fmt: skip
    lost = Term(id="HP:9000003", name="", obsolete=True)
    assert "HP:9000003" not in names([*read(AMBER), lost])


@pytest.mark.parametrize(
    ("stanzas", "message"),
    [
        (["[Term]\nname: x\n"], "line 4: a .Term. without id"),
        (["[Term]\nid: HP:9000001\n"], "line 4: a .Term. without name"),
        (["[Term]\nid: HP:90\nname: x\n"], "line 5, tag id: 'HP:90'; expected an id like"),
        ([AMBER, AMBER], "line 16, tag id: 'HP:9000001' is a duplicate of .* line 4"),
        (["[Term]\nid: a:1\nid: a:2\nname: x\n"], "line 6, tag id: duplicate tag in one"),
        (
            ["[Term]\nid: a:1\nname: x\nis_obsolete: yes\n"],
            "line 7, tag is_obsolete: 'yes'; expected true or false",
        ),
        (["[Term]\nid: a:1\nname: x\nis_a: y\n"], "line 7, tag is_a: 'y'; expected an id"),
        (
            ["[Term]\nid: a:1\nname: x\nsynonym: y\n"],
            "line 7, tag synonym: 'y'; expected a text in",
        ),
        (
            ['[Term]\nid: a:1\nname: x\nsynonym: "y" SAME []\n'],
            "line 7, tag synonym: scope 'SAME'; choose from",
        ),
        (['[Term]\nid: a:1\nname: x\nsynonym: "y\n'], "line 7, tag synonym: .*is the file whole"),
        (["[Term]\nid: a:1\nname\n"], "line 6: 'name'; expected 'tag: value'"),
        (["[Term\nid: a:1\n"], "line 4: '.Term'; expected '.Term.'"),
        ([RELATION], "no .Term.; expected an ontology in OBO format"),
    ],
)
def test_a_broken_term_is_named(read, stanzas, message):
    with pytest.raises(TaskError, match=message):
        read(*stanzas)


def test_another_kind_of_file_is_named(read, tmp_path):
    with pytest.raises(TaskError, match=r"line 1: '\{\}'; expected 'format-version"):
        read(head="{}")
    with pytest.raises(TaskError, match=r"no .Term."):
        read(head="")
    with pytest.raises(ConfigError, match="cannot read"):
        list(read_obo(tmp_path / "missing.obo"))


@given(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=40))
def test_any_quoted_text_comes_back(tmp_path_factory, text):
    written = text.replace("\\", "\\\\").replace('"', '\\"')
    path = tmp_path_factory.mktemp("obo") / "hp.obo"
    stanza = f'[Term]\nid: a:1\nname: x\nsynonym: "{written}" EXACT []\n'
    path.write_text(HEAD + stanza, encoding="utf-8")
    ((synonym,),) = (term.synonyms for term in read_obo(path))
    assert synonym == Synonym(text, "EXACT")


REAL = "hpo/hp_head.obo"


def test_the_published_ontology_is_read():
    found = {term.id: term for term in read_obo(real(REAL))}
    assert len(found) == 26
    eye = found["HP:0000528"]
    assert (eye.name, eye.parents) == ("Anophthalmia", ("HP:0100887",))
    assert eye.alternatives == ("HP:0001485", "HP:0007664")
    assert len(eye.synonyms) == 10
    assert eye.synonyms[-1] == Synonym("Ocular absence", "EXACT")
    assert found["HP:0040280"].name == "Obligate"
    assert names(found.values())["HP:0001485"] == "Anophthalmia"


def test_damaged_copies_of_the_published_ontology_are_named(tmp_path):
    path = real(REAL)
    data = path.read_bytes()
    for broken, message in (
        (data[: data.index(b"is_a: HP:0100887") + 12], "tag is_a: 'HP:010'; expected an id"),
        (data[: data.index(b"Microphthalmos") + 4], "tag synonym: .*is the file whole"),
        (data.replace(b"name: Anophthalmia\n", b""), "a .Term. without name"),
        (data.replace(b"name: Anophthalmia\n", b"name Anophthalmia\n"), "expected 'tag: value'"),
        (data.replace(b"Ocular", b"Ocul\xe4r"), r"line \d+: byte \d+ of it is not UTF-8"),
    ):
        with pytest.raises(TaskError, match=message):
            list(read_obo(damaged(path, tmp_path, broken)))
