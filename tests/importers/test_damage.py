"""Whatever happens to a file, an importer reads it or says what is wrong with it."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from real_data import real

from gym_clinic.errors import TaskError
from gym_clinic.importers import FACTS
from gym_clinic.names import import_named

ICD = "".join(f"{n:05} A{n:<6} 1 {'Made-up fever':<60} Made-up fever {n}\n" for n in range(10, 30))
FILES = {
    "hpo-obo": "hpo/hp_head.obo",
    "mondo": "mondo/mondo_small.json",
    "hpoa": "hpo/phenotype.excerpt.hpoa",
    "orphanet-phenotypes": "orphanet/en_product4_small.xml",
    "orphanet-history": "orphanet/en_product9_ages-small.xml",
    "ddxplus": "ddxplus/release_conditions.json",
    "ddxplus-evidences": "ddxplus/release_evidences.json",
    "icd10cm": "",
}
Damage = Callable[[bytes], bytes]


@st.composite
def damages(draw: st.DrawFn) -> Damage:
    """Cut a file off, cut something out, put something in, or put a byte in another's place."""
    place, length = draw(st.floats(0, 1)), draw(st.integers(1, 400))
    added = draw(st.one_of(st.binary(max_size=30), st.text(max_size=10).map(str.encode)))
    kind = draw(st.sampled_from(["cut off", "cut out", "put in", "replace"]))

    def damage(data: bytes) -> bytes:
        at = int(place * len(data))
        if kind == "cut off":
            return data[:at]
        if kind == "cut out":
            return data[:at] + data[at + length :]
        if kind == "put in":
            return data[:at] + added + data[at:]
        return data[:at] + added + data[at + len(added) :]

    return damage


def records(name: str, path: Any) -> Iterator[Any]:
    found: Iterator[Any] = import_named(FACTS[name][0], "importer")(path)
    return found


@pytest.mark.parametrize("name", FILES)
@given(damage=damages())
def test_a_damaged_file_is_read_or_named(tmp_path, name, damage):
    if name.startswith("orphanet") and importlib.util.find_spec("lxml") is None:
        pytest.skip("needs lxml")
    data = real(FILES[name]).read_bytes() if FILES[name] else ICD.encode()
    path = tmp_path / f"{name}.file"
    path.write_bytes(damage(data))
    told = ""
    found = []
    try:
        found = list(records(name, path))
    except TaskError as error:
        told = str(error)
    assert bool(found) is not told.startswith(str(path))


@pytest.mark.parametrize("name", FILES)
@given(data=st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)))
def test_any_other_file_is_named(tmp_path, name, data):
    if name.startswith("orphanet") and importlib.util.find_spec("lxml") is None:
        pytest.skip("needs lxml")
    path = tmp_path / f"{name}.file"
    path.write_bytes(data)
    if data.strip() == b"{}" and name.startswith("ddxplus"):
        return  # nothing to name: an object without records
    with pytest.raises(TaskError, match=re.escape(str(path))):
        list(records(name, path))
