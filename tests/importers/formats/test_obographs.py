from __future__ import annotations

import doctest
import json

import pytest
from real_data import damaged, real

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.facts.mondo import read_diseases
from gym_clinic.importers.formats import obographs
from gym_clinic.importers.formats.obographs import curie, read_obo_graph
from gym_clinic.importers.formats.ontology import Synonym, Term

OBO = "http://purl.obolibrary.org/obo/"


def node(key, name=None, **meta):
    label = {} if name is None else {"lbl": name}
    return {"id": f"{OBO}{key}", "type": "CLASS", **label, "meta": meta}


def said(predicate, value):
    return {"pred": predicate, "val": value}


MATCH = "http://www.w3.org/2004/02/skos/core#exactMatch"
AMBER = node(
    "MONDO_9000001",
    "amber fever",
    definition={"val": "A fever."},
    synonyms=[
        said("hasExactSynonym", "Fever,  amber "),
        said("hasExactSynonym", "amber fever"),
        said("hasBroadSynonym", "fever"),
        said("hasOtherSynonym", "passed over"),
    ],
    xrefs=[{"val": "OMIM:100200"}],
    basicPropertyValues=[
        said(MATCH, "https://omim.org/entry/100100"),
        said(MATCH, "http://identifiers.org/omim/100100"),
        said(MATCH, "http://www.orpha.net/ORDO/Orphanet_17"),
        said(MATCH, "http://purl.bioontology.org/ontology/ICD10CM/A01.0"),
        said(MATCH, "http://example.org/else"),
        said("http://www.w3.org/2004/02/skos/core#closeMatch", "https://omim.org/entry/100300"),
        said(f"{OBO}oboInOwl#hasAlternativeId", f"{OBO}MONDO_9000009"),
    ],
)  # fmt: skip
OLD = node(
    "MONDO_9000002",
    deprecated=True,
    basicPropertyValues=[said(f"{OBO}IAO_0100001", f"{OBO}MONDO_9000001")],
)
PROPERTY = {"id": f"{OBO}IAO_0000115", "type": "PROPERTY", "lbl": "definition"}
EDGES = [
    {"sub": f"{OBO}MONDO_9000001", "pred": "is_a", "obj": f"{OBO}MONDO_0000001"},
    {"sub": f"{OBO}MONDO_9000001", "pred": f"{OBO}RO_1", "obj": f"{OBO}MONDO_0000002"},
]


@pytest.fixture
def write(tmp_path):
    def graph(*nodes, edges=EDGES):
        path = tmp_path / "mondo.json"
        path.write_text(json.dumps({"graphs": [{"nodes": nodes, "edges": edges}]}), "utf-8")
        return path

    return graph


def test_a_term_is_read_whole(write):
    assert list(read_obo_graph(write(PROPERTY, AMBER, OLD))) == [
        Term(
            id="MONDO:9000001",
            name="amber fever",
            definition="A fever.",
            synonyms=(
                Synonym("Fever,  amber ", "EXACT"),
                Synonym("amber fever", "EXACT"),
                Synonym("fever", "BROAD"),
            ),
            parents=("MONDO:0000001",),
            alternatives=("MONDO:9000009",),
            xrefs=("OMIM:100200",),
            exact=(
                "OMIM:100100", "OMIM:100100", "Orphanet:17", "ICD10CM:A01.0",
                "http://example.org/else",
            ),
        ),
        Term(id="MONDO:9000002", name="", obsolete=True, replaced_by=("MONDO:9000001",)),
    ]  # fmt: skip


def test_diseases_take_their_codes_from_exact_matches(write):
    (found,) = read_diseases(write(AMBER, OLD, node("HP_0000001", "All")))
    assert (found.id, found.name, found.synonyms) == (
        "MONDO:9000001", "amber fever", ("Fever, amber",),
    )  # fmt: skip
    assert found.codes.model_dump() == {
        "omim": ("OMIM:100100",), "orpha": ("ORPHA:17",), "mondo": ("MONDO:9000001",),
        "icd10cm": ("A01.0",),
    }  # fmt: skip
    assert (found.features, found.source) == ((), "mondo")


def test_what_may_replace_an_obsolete_term_is_kept(write):
    consider = "http://www.geneontology.org/formats/oboInOwl#consider"
    values = ("HP:0000002", f"{OBO}HP_0000003")
    old = node(
        "HP_9000002",
        deprecated=True,
        basicPropertyValues=[said(consider, value) for value in values],
    )
    (found,) = read_obo_graph(write(old))
    assert (found.replaced_by, found.consider) == ((), ("HP:0000002", "HP:0000003"))


def test_an_ontology_without_diseases_is_an_error(write):
    with pytest.raises(TaskError, match=r"mondo\.json: no disease of MONDO, but HP:, MONDO:"):
        list(read_diseases(write(OLD, node("HP_0000001", "All"))))


def test_a_disease_with_an_invalid_name_is_named(write):
    with pytest.raises(
        TaskError, match=r"mondo\.json MONDO:9000003, field name: expected one line of text"
    ):
        list(read_diseases(write(node("MONDO_9000003", "a\x00b"))))


@pytest.mark.parametrize(
    ("nodes", "edges", "message"),
    [
        ([node("HP_1", "x"), node("HP_2")], [], r"nodes\[1\], field lbl: .*HP_2 has no name"),
        ([{"type": "CLASS"}], [], r"nodes\[0\], field id: Field required"),
        ([node("HP_1", 5)], [], r"nodes\[0\], field lbl: .* found 5"),
        ([node("HP_1", "x", synonyms=[{"val": "y"}])], [], r"field meta.synonyms\[0\].pred"),
        (["x"], [], r"nodes\[0\], field record: .* found 'x'"),
        ([], [{"sub": "x"}], r"edges\[0\], field pred: Field required"),
        ([PROPERTY], [], "no node of type CLASS; expected an ontology"),
    ],
)
def test_a_broken_node_is_named(write, nodes, edges, message):
    with pytest.raises(TaskError, match=message):
        list(read_obo_graph(write(*nodes, edges=edges)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "expected a JSON object, not list"),
        ('{"graphs": {}}', "field graphs: expected a JSON array"),
        ('{"graphs": [{"edges": []}]}', r"graphs\[0\], field nodes: expected a JSON array"),
        ('{"graphs": [', "line 1: .*is the file whole"),
        ("", "line 1: .*is the file whole"),
    ],
)
def test_another_kind_of_file_is_named(tmp_path, text, message):
    path = tmp_path / "hp.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TaskError, match=message):
        list(read_obo_graph(path))
    with pytest.raises(ConfigError, match="cannot read"):
        list(read_obo_graph(tmp_path / "missing.json"))


def test_the_examples_of_the_documentation_hold():
    assert doctest.testmod(obographs) == (0, 1)
    assert curie("https://example.org/x") == "https://example.org/x"
    assert curie("http://linkedlifedata.com/resource/umls/id/C0019247") == "UMLS:C0019247"


@pytest.mark.parametrize(
    ("name", "terms", "obsolete"), [("hpo/hp.toy.json", 557, 164), ("hpo/hp.module.json", 637, 104)]
)
def test_the_published_ontologies_are_read(name, terms, obsolete):
    found = {term.id: term for term in read_obo_graph(real(name))}
    assert len(found) == terms
    assert sum(term.obsolete for term in found.values()) == obsolete
    assert all(term.name or term.obsolete for term in found.values())
    assert found["HP:0003827"].replaced_by == ("HP:0001522",)
    assert all(parent.startswith("HP:") for term in found.values() for parent in term.parents)


def test_the_published_diseases_are_read():
    found = {one.id: one for one in read_diseases(real("mondo/mondo_small.json"))}
    assert set(found) == {"MONDO:0000001", "MONDO:0003847", "MONDO:0007952"}
    assert found["MONDO:0007952"].codes.omim == ("OMIM:155000",)
    assert found["MONDO:0000001"].codes.orpha == ("ORPHA:377788",)


@pytest.mark.parametrize("name", ["hpo/hp.toy.json", "mondo/mondo_small.json"])
def test_damaged_copies_of_the_published_files_are_named(tmp_path, name):
    path = real(name)
    data = path.read_bytes()
    half = len(data) // 2
    node_in_the_middle = data.index(b'"type" : "CLASS"', half)
    for broken, message in (
        (data[:half], r"line \d+: .*is the file whole"),
        (b"\xe9" + data, "line 1: "),
        (data.replace(b'"nodes"', b'"knots"', 1), r"graphs\[0\], field nodes: expected a JSON"),
        (
            data[:node_in_the_middle] + b'"id": 7, ' + data[node_in_the_middle:],
            r"nodes\[\d+\], field id: .* found 7",
        ),
    ):
        with pytest.raises(TaskError, match=message):
            list(read_obo_graph(damaged(path, tmp_path, broken)))
