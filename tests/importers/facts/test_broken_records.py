"""A broken record of published facts is skipped and reported, or stops the import."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from damage import damages
from hypothesis import given
from hypothesis import strategies as st
from importer_samples import DDXPLUS, EVIDENCES, FACT_FILES

from gym_clinic.errors import TaskError
from gym_clinic.importers import FACTS
from gym_clinic.names import import_named

pytest.importorskip("lxml")

BROKEN = {
    "hpo-obo": (b"is_a: HP:0000118", b"is_a: HP:118"),
    "hpo": (b'"lbl": "Fever HP_0000001"', b'"lbl": 7'),
    "mondo": (b'"lbl": "Fever MONDO_9000002"', b'"lbl": ""'),
    "hpoa": (b"12.5%", b"-12.5%"),
    "clingen": (b'"Limited"', b'"Limit"'),
    "icd10cm": (b"00012 A12", b"00012 ?12"),
    "ddxplus": (json.dumps(DDXPLUS).encode(), json.dumps(DDXPLUS | {"Blue": {}}).encode()),
    "ddxplus-evidences": (
        json.dumps(EVIDENCES).encode(), json.dumps(EVIDENCES | {"E_2": {}}).encode()
    ),
    **{
        name: (b"<OrphaCode>2<", b"<OrphaCode>two<")
        for name in FACTS if name.startswith("orphanet")
    },
}  # fmt: skip
"""Format -> a part of its sample, and what is written in its place."""


def reader(name: str) -> Callable[..., Iterator[Any]]:
    return import_named(FACTS[name].reader, "importer")


def test_every_format_has_a_broken_sample() -> None:
    assert BROKEN.keys() == FACTS.keys()


@pytest.mark.parametrize("name", FACTS)
def test_a_broken_record_is_skipped_and_named(name: str, tmp_path: Path) -> None:
    whole, hurt = tmp_path / "whole", tmp_path / "hurt"
    whole.write_bytes(FACT_FILES[name])
    before, after = BROKEN[name]
    assert before in FACT_FILES[name]
    hurt.write_bytes(FACT_FILES[name].replace(before, after, 1))
    errors: list[TaskError] = []
    found = list(reader(name)(hurt, broken=errors.append))
    records = list(reader(name)(whole))
    (error,) = errors
    assert str(hurt) in str(error)
    if name.startswith("ddxplus"):  # the broken one was added
        assert found == records
    else:
        assert len(found) == len(records) - 1
        assert all(one in records for one in found)
    with pytest.raises(TaskError) as stopped:
        list(reader(name)(hurt))
    assert str(stopped.value) == str(error)


@pytest.mark.parametrize("name", FACTS)
@given(data=st.data())
def test_who_skips_reads_at_least_what_is_read_before_the_stop(
    name: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.getbasetemp() / f"skipped-{name}"
    file.write_bytes(data.draw(damages())(FACT_FILES[name]))
    skipped: list[TaskError] = []
    stopped: list[TaskError] = []
    some, most = [], []
    try:
        some.extend(reader(name)(file))
    except TaskError as error:
        stopped.append(error)
    try:
        for one in reader(name)(file, broken=skipped.append):
            most.append(one)
    except TaskError as error:
        skipped.append(error)
    assert len(most) >= len(some)
    if not stopped:
        assert most == some
    assert bool(skipped) == bool(stopped)
    assert not stopped or str(skipped[0]) == str(stopped[0])
