"""Importers of patients and graphs on files damaged at random: read, or refused with a reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from linking_gold import SYMPTOMS

from gym_clinic.errors import ClinicError
from gym_clinic.importers.graphs.csv import read_graph
from gym_clinic.importers.graphs.umls import read_umls
from gym_clinic.importers.patients.cases import read_cases
from gym_clinic.importers.patients.phenopackets import read_phenopackets
from gym_clinic.importers.patients.pmc_patients import read_pmc_patients
from gym_clinic.importers.patients.rarebench import read_rarebench
from gym_clinic.retrieval.graph.linking import SymptomLinker

LINKER = SymptomLinker(SYMPTOMS)
MAPPINGS = {"phenotype_mapping.json": {"HP:1": "Cough"}, "disease_mapping.json": {"OMIM:1": "D"}}
TYPES = "C1|T184|A|Sign or Symptom|AT1||\nC2|T047|A|Disease or Syndrome|AT2||\n"
ATOMS = "".join(f"{cui}|ENG|P|L|PF|S|Y|A||M|D|MSH|MH|D|N{cui}|0|N||\n" for cui in ("C1", "C2"))
PMC = {
    "patient_uid": "1-1",
    "title": "T",
    "patient": "He has a fever.",
    "age": [[3.0, "year"]],
    "gender": "F",
    "similar_patients": {"2-1": 1},
}
PACKET = {
    "id": "p",
    "subject": {"sex": "MALE", "timeAtLastEncounter": {"age": {"iso8601duration": "P1Y"}}},
    "phenotypicFeatures": [{"type": {"id": "HP:1", "label": "Cough"}, "excluded": True}],
    "diseases": [{"term": {"id": "OMIM:1", "label": "D"}}],
}
CASE = {"id": "a", "diagnosis": "d", "phenotypes": ["Cough", "Fever"], "provenance": "p"}
RARE = {"Phenotype": ["HP:1"], "RareDisease": ["OMIM:1"], "Department": None}
NODES = "id,kind,name,synonyms\na,symptom,A,x|y\nb,disease,B,\n"

Reader = Callable[[Path, Path], object]
READERS: dict[str, tuple[str, str, Reader]] = {
    "cases": ("c.jsonl", json.dumps(CASE) + "\n", lambda file, _: list(read_cases(file))),
    "phenopackets": ("p.json", json.dumps(PACKET), lambda file, _: list(read_phenopackets(file))),
    "rarebench": (
        "r.jsonl",
        json.dumps(RARE) + "\n",
        lambda file, folder: list(read_rarebench(file, folder)),
    ),
    "pmc json": (
        "x.json",
        json.dumps([PMC]),
        lambda file, _: list(read_pmc_patients(file, LINKER)),
    ),
    "pmc csv": (
        "x.csv",
        "patient_uid,title,patient,age,gender,similar_patients\n"
        "1-1,T,\"He, a man,\nhas 'fever'\",\"[[3.0, 'year']]\",F,{'2-1': 1}\n",
        lambda file, _: list(read_pmc_patients(file, LINKER)),
    ),
    "graph nodes": ("nodes.csv", NODES, lambda file, at: read_graph(file, at / "relations.csv")),
    "graph relations": (
        "relations.csv",
        "head,relation,tail\na,related_to,b\n",
        lambda file, at: read_graph(at / "nodes.csv", file),
    ),
    "umls types": ("MRSTY.RRF", TYPES, lambda _, folder: read_umls(folder)),
    "umls names": ("MRCONSO.RRF", ATOMS, lambda _, folder: read_umls(folder)),
    "umls relations": (
        "MRREL.RRF",
        "C1|A|AUI|RO|C2|A|AUI|x|R||MSH|MSH||Y|N||\n",
        lambda _, folder: read_umls(folder),
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("files")


def restore(folder: Path) -> None:
    for name, content, _ in READERS.values():
        (folder / name).write_text(content)
    for name, mapping in MAPPINGS.items():
        (folder / name).write_text(json.dumps(mapping))


@pytest.mark.parametrize("reader", READERS)
def test_whole_files_are_read(folder, reader):
    restore(folder)
    name, _, read = READERS[reader]
    assert read(folder / name, folder)


@pytest.mark.parametrize("reader", READERS)
@given(st.data())
def test_damaged_files_are_read_or_refused(folder, reader, data):
    restore(folder)
    name, content, read = READERS[reader]
    whole = content.encode()
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(whole))] * 2)))
    damage = data.draw(st.one_of(st.binary(max_size=8), st.sampled_from([b'"', b"|", b"\n", b","])))
    (folder / name).write_bytes(whole[:first] + damage + whole[last:])
    refused = None
    try:
        read(folder / name, folder)
    except ClinicError as error:
        refused = str(error)
    # The other file of a graph may lack what was damaged here.
    named = (name, "no concept of the types", "there is no node")
    assert refused is None or any(one in refused for one in named)
