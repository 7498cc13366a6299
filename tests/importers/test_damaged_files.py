"""Every importer reads a damaged file, or raises an error with its place.

A new importer takes part as soon as it is in a table or exported by its room; without a sample in
tests/support/importer_samples.py the first test fails.
"""

from __future__ import annotations

import pytest
from damage import check_law, damages, read, write
from hypothesis import given
from hypothesis import strategies as st
from importer_samples import CASE_FILES, FACT_FILES, OTHERS, PASSAGES, SAMPLES, TASK_FILES
from real_data import real

pytest.importorskip("lxml")

from gym_clinic.importers import CASES, FACTS, TASKS, graphs, patients
from gym_clinic.importers.passages import READERS

PUBLISHED = {
    "hpo-obo": "hpo/hp_head.obo",
    "mondo": "mondo/mondo_small.json",
    "hpoa": "hpo/phenotype.excerpt.hpoa",
    "orphanet-phenotypes": "orphanet/en_product4_small.xml",
    "orphanet-history": "orphanet/en_product9_ages-small.xml",
    "ddxplus": "ddxplus/release_conditions.json",
    "ddxplus-evidences": "ddxplus/release_evidences.json",
    "clingen": "clingen/clingen_gene_validity_small.csv",
}


def test_every_importer_has_a_sample():
    assert FACT_FILES.keys() == FACTS.keys()
    assert TASK_FILES.keys() == TASKS.keys()
    assert CASE_FILES.keys() == CASES.keys()
    assert PASSAGES.keys() == READERS.keys()
    exported = {
        f"{room.__name__.rpartition('.')[2]}.{name}"
        for room in (patients, graphs)
        for name in room.__all__
        if name.startswith("read_")
    }
    assert OTHERS.keys() == exported


@pytest.mark.parametrize("name", SAMPLES)
def test_whole_files_are_read(name, tmp_path):
    write(SAMPLES[name], tmp_path)
    found, wrong = read(SAMPLES[name], tmp_path)
    assert found
    assert not wrong


@pytest.mark.parametrize("name", SAMPLES)
@given(data=st.data())
def test_damaged_files_are_read_or_named(name, data, tmp_path_factory):
    sample, folder = SAMPLES[name], tmp_path_factory.getbasetemp() / "damaged" / name
    write(sample, folder)
    hurt = data.draw(st.sampled_from(sorted(sample.files)))
    damaged = data.draw(damages())(sample.files[hurt])
    (folder / hurt).write_bytes(damaged)
    check_law(sample, folder, damaged)


@pytest.mark.parametrize("name", PUBLISHED)
@given(damage=damages())
def test_damaged_published_files_are_read_or_named(name, damage, tmp_path_factory):
    folder = tmp_path_factory.getbasetemp() / "published"
    folder.mkdir(exist_ok=True)
    damaged = damage(real(PUBLISHED[name]).read_bytes())
    (folder / "file").write_bytes(damaged)
    check_law(SAMPLES[name], folder, damaged)
