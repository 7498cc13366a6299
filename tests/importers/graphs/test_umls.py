"""The UMLS Metathesaurus becomes a symptom graph."""

from __future__ import annotations

import gzip

import pytest
from places import DATA

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.graphs.umls import read_umls
from gym_clinic.retrieval.graph.symptom_graph import Node, Relation

UMLS = DATA / "umls_format"


def atom(cui, name, *, language="ENG", ts="P", stt="PF", ispref="Y", suppress="N"):
    return (
        f"{cui}|{language}|{ts}|L1|{stt}|S1|{ispref}|A1||M1|D1|MSH|PT|D1|{name}|0|{suppress}|256|"
    )


def kind(cui, tui, name="x"):
    return f"{cui}|{tui}|A1.1|{name}|AT1|256|"


def relation(first, rel, second, rela="", suppress="N"):
    return f"{first}|A1|AUI|{rel}|{second}|A2|AUI|{rela}|R1||MSH|MSH||Y|{suppress}||"


@pytest.fixture
def meta(tmp_path):
    """A release of a cough, a pneumonia, its discipline, and what is to be left out."""
    files = {
        "MRSTY": [
            kind("C1", "T184"),
            kind("C2", "T047"),
            kind("C3", "T091"),
            kind("C4", "T121"),
            kind("C5", "T047"),
            kind("C5", "T184"),
            kind("C6", "T047"),
        ],
        "MRCONSO": [
            atom("C1", "Coughing", ts="S"),
            atom("C1", "Cough"),
            atom("C1", "Toux", language="FRE"),
            atom("C1", "Cough, obsolete", ts="S", suppress="O"),
            atom("C1", "Coughing", stt="VO"),
            atom("C2", "Pneumonia"),
            atom("C3", "Pulmonology", ts="S", ispref="N"),
            atom("C4", "Aspirin"),
            atom("C5", "Fever"),
            atom("C6", "Grippe", language="FRE"),
        ],
        "MRREL": [
            relation("C2", "RO", "C1", "manifestation_of"),
            relation("C1", "RO", "C2", "has_manifestation"),
            relation("C3", "RB", "C2"),
            relation("C1", "RO", "C5", "associated_with", suppress="O"),
            relation("C1", "SY", "C1"),
            relation("C4", "RO", "C1", "may_treat"),
            relation("C2", "RO", "C6"),
        ],
    }
    for name, rows in files.items():
        (tmp_path / f"{name}.RRF").write_text("\n".join(rows) + "\n")
    return tmp_path


def test_a_release_becomes_a_graph_whose_relations_read_from_the_second_concept(meta):
    graph = read_umls(meta)
    assert graph.nodes == (
        Node("C1", "symptom", "Cough", ("Coughing",)),
        Node("C2", "disease", "Pneumonia"),
        Node("C3", "discipline", "Pulmonology"),
        Node("C5", "symptom", "Fever"),
    )
    # "C2 | RO | C1 | manifestation_of": the cough is a manifestation of the pneumonia.
    assert list(graph.triples()) == [
        Relation("C1", "manifestation_of", "C2"),
        Relation("C2", "RB", "C3"),
        Relation("C2", "has_manifestation", "C1"),
    ]


def test_packed_files_and_other_line_ends_are_read(meta):
    expected = list(read_umls(meta).triples())
    for name in ("MRREL.RRF", "MRCONSO.RRF"):
        rows = (meta / name).read_bytes()
        (meta / name).unlink()
        (meta / f"{name}.gz").write_bytes(gzip.compress(rows.replace(b"\n", b"\r\n")))
    assert list(read_umls(meta).triples()) == expected
    packed = (meta / "MRREL.RRF.gz").read_bytes()
    (meta / "MRREL.RRF.gz").write_bytes(packed[:-12])
    with pytest.raises(TaskError, match=r"MRREL\.RRF\.gz after line"):
        read_umls(meta)


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        ("MRREL", b"|has_manifestation|", b"|", "line 2: 15 fields; expected 16"),
        ("MRREL", b"|Y|N||\nC3", b"|Y|N|\nC3", "line 2: 15 fields; expected 16"),
        ("MRCONSO", b"|Toux|", b"|Toux|x|", "line 3: 19 fields; expected 18"),
        ("MRCONSO", b"|Toux|", b"|To\xfcx|", "line 3: not UTF-8"),
        ("MRSTY", b"C3|T091|A1.1|x|AT1|256|", b"C3|T091|A1.1|x|AT", "line 3: 4 fields; expected 6"),
    ],
)
def test_a_broken_line_is_named(meta, name, old, new, expected):
    file = meta / f"{name}.RRF"
    data = file.read_bytes()
    assert old in data
    file.write_bytes(data.replace(old, new, 1))
    with pytest.raises(TaskError) as caught:
        read_umls(meta)
    assert str(caught.value).startswith(f"{file} {expected}")


def test_a_file_without_its_last_field_or_a_missing_file_is_named(meta):
    file = meta / "MRREL.RRF"
    file.write_bytes(file.read_bytes()[:-6])
    with pytest.raises(TaskError, match=r"MRREL\.RRF line 7: 13 fields"):
        read_umls(meta)
    file.unlink()
    with pytest.raises(ConfigError, match=r"cannot read .*MRREL\.RRF"):
        read_umls(meta)


@pytest.fixture
def real(tmp_path):
    """The real rows, with the types of one concept, and a relation, changed into what is read."""
    if not UMLS.exists():
        pytest.skip(f"no such folder beside this checkout: {UMLS}")
    for name in ("MRCONSO.RRF", "MRSTY.RRF"):
        (tmp_path / name).write_bytes((UMLS / name).read_bytes())
    (tmp_path / "MRREL.RRF").write_text("")
    return tmp_path


def test_real_rows_are_read_and_have_no_symptom(real):
    with pytest.raises(TaskError, match=r"no concept of the types \['T184', 'T047', 'T091'\]"):
        read_umls(real)


def test_real_rows_of_another_type_become_nodes(real):
    types = (real / "MRSTY.RRF").read_text()
    (real / "MRSTY.RRF").write_text(types.replace("T116", "T184").replace("T109", "T047"))
    (real / "MRREL.RRF").write_text(relation("C0000039", "RO", "C0000005", "x") + "\n")
    graph = read_umls(real)
    assert graph.node("C0000005").name == "(131)I-Macroaggregated Albumin"
    assert graph.node("C0000005").synonyms == ("(131)I-MAA",)
    assert list(graph.triples()) == [Relation("C0000005", "x", "C0000039")]


def test_truncated_real_rows_are_named(real):
    atoms = (real / "MRCONSO.RRF").read_bytes()
    (real / "MRCONSO.RRF").write_bytes(atoms[:-12])
    with pytest.raises(TaskError, match=r"MRCONSO\.RRF line 3: 1\d fields; expected 18"):
        read_umls(real)
