"""Damaged input: a strategy that damages files, and the law that every importer keeps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from importer_samples import Sample

from gym_clinic.errors import TaskError
from gym_clinic.retrieval.passages import BrokenRecord

Damage = Callable[[bytes], bytes]

BYTES = st.one_of(
    st.binary(max_size=20),
    st.text(max_size=8).map(str.encode),
    st.sampled_from([b'"', b"|", b"\n", b",", b"\t", b"<", b"{", b"0", b"9" * 25]),
)


@st.composite
def damages(draw: st.DrawFn) -> Damage:
    """A change to a file: cut off, cut out, put in, replaced, or another file altogether."""
    kind = draw(st.sampled_from(["cut off", "cut out", "put in", "replace", "another file"]))
    place, length = draw(st.floats(0, 1)), draw(st.integers(1, 300))
    added = draw(BYTES)

    def damage(data: bytes) -> bytes:
        at = int(place * len(data))
        if kind == "another file":
            return added
        if kind == "cut off":
            return data[:at]
        if kind == "cut out":
            return data[:at] + data[at + length :]
        return data[:at] + added + data[at + (len(added) if kind == "replace" else 0) :]

    return damage


def write(sample: Sample, folder: Path) -> None:
    """Write the files of a sample."""
    for name, data in sample.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def read(sample: Sample, folder: Path) -> tuple[list[Any], list[str]]:
    """Read a sample as far as possible.

    Returns:
        The records, and the places and texts of what is wrong. Any exception but TaskError
        reaches the test.
    """
    found: list[Any] = []
    wrong: list[str] = []
    try:
        for record in sample.read(folder):
            if isinstance(record, BrokenRecord):
                wrong.append(f"{record.file} {record.place}: {record.what}")
            else:
                found.append(record)
    except TaskError as error:
        wrong.append(str(error))
    return found, wrong


def check_law(sample: Sample, folder: Path, data: bytes) -> None:
    """Check that an importer read a damaged file, or said what is wrong and where.

    Args:
        sample: Its files and reader.
        folder: Where the damaged files are.
        data: The damaged file.
    """
    found, wrong = read(sample, folder)
    assert all(str(folder) in text and text.rpartition(": ")[2] for text in wrong), wrong
    blank = not data.decode("utf-8", "replace").strip("\ufeff \t\r\n\x0b\x0c\x1c\x1d\x1e\x1f\x85")
    assert found or wrong or blank, "an importer read nothing and reported nothing"
