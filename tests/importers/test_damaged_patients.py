"""Any damage to a file of patients or of a graph is named, or leaves a file that can be read."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st
from real_data import real
from small_graph import NODES, RELATIONS

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.graphs.csv import read_graph
from gym_clinic.importers.graphs.umls import read_umls
from gym_clinic.importers.patients.cases import read_cases
from gym_clinic.importers.patients.rarebench import read_rarebench

CASE = (
    b'{"id": "a%d", "diagnosis": "d", "phenotypes": ["Cough"], "provenance": "p", "age": "P3Y"}\n'
)
ROW = b'{"Phenotype": ["HP:1", "HP:2"], "RareDisease": ["OMIM:1"], "Department": null}\n'
ATOM = b"C1|ENG|P|L1|PF|S1|Y|A1||M1|D1|MSH|PT|D1|Cough|0|N|256|\n"

FILES = {
    "cases": {"cases.jsonl": b"".join(CASE % number for number in range(3))},
    "rarebench": {
        "MME.jsonl": ROW * 3,
        "phenotype_mapping.json": b'{"HP:1": "Cough", "HP:2": "Fever"}',
        "disease_mapping.json": b'{"OMIM:1": "Amber fever"}',
    },
    "csv": {
        "nodes.csv": b"id,kind,name,synonyms\n"
        + b"".join(f'{one.id},{one.kind},"{one.name}",x|y\n'.encode() for one in NODES),
        "relations.csv": b"head,relation,tail\n"
        + b"".join(",".join(one).encode() + b"\n" for one in RELATIONS),
    },
    "umls": {
        "MRSTY.RRF": b"C1|T184|A|x|AT1||\nC2|T047|A|x|AT2||\n",
        "MRCONSO.RRF": ATOM + ATOM.replace(b"C1", b"C2").replace(b"Cough", b"Pneumonia"),
        "MRREL.RRF.gz": gzip.compress(b"C2|A|AUI|RO|C1|A|AUI|x|R1||MSH|MSH||Y|N||\n" * 3, mtime=0),
    },
}
READERS = {
    "cases": lambda folder: list(read_cases(folder / "cases.jsonl")),
    "rarebench": lambda folder: list(read_rarebench(folder / "MME.jsonl", folder)),
    "csv": lambda folder: read_graph(folder / "nodes.csv", folder / "relations.csv").nodes,
    "umls": lambda folder: read_umls(folder).nodes,
}


@pytest.mark.parametrize("kind", FILES)
def test_the_whole_files_are_read(kind, tmp_path):
    for name, content in FILES[kind].items():
        (tmp_path / name).write_bytes(content)
    assert len(READERS[kind](tmp_path)) in (2, 3, 10)


@pytest.mark.parametrize("kind", FILES)
@given(data=st.data())
def test_damage_is_named(kind, data, tmp_path_factory):
    folder = tmp_path_factory.mktemp(kind)
    for name, content in FILES[kind].items():
        (folder / name).write_bytes(content)
    hurt = data.draw(st.sampled_from(sorted(FILES[kind])))
    whole = bytearray(FILES[kind][hurt])
    for _ in range(data.draw(st.integers(0, 4))):
        place = data.draw(st.integers(0, len(whole)))
        whole[place : place + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=2))
    (folder / hurt).write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
    wrong = ""
    try:
        READERS[kind](folder)
    except (TaskError, ConfigError) as error:
        wrong = str(error)
    assert str(folder) in wrong or not wrong


def test_a_broken_line_in_the_middle_of_the_real_umls_rows_is_named(tmp_path):
    for name in ("MRCONSO.RRF", "MRSTY.RRF"):
        (tmp_path / name).write_bytes(real(f"umls_format/{name}").read_bytes())
    (tmp_path / "MRREL.RRF").write_bytes(b"")
    rows = (tmp_path / "MRCONSO.RRF").read_bytes().splitlines(keepends=True)
    for broken, told in (
        (b"\xff\xfe" + rows[1], "line 2: not UTF-8"),
        (rows[1].replace(b"|", b"", 1), "line 2: 17 fields; expected 18"),
        (b"\n", "line 2: 0 fields; expected 18"),
    ):
        (tmp_path / "MRCONSO.RRF").write_bytes(b"".join([rows[0], broken, *rows[2:]]))
        with pytest.raises(TaskError, match=rf"MRCONSO\.RRF {told}"):
            read_umls(tmp_path)
