"""Every importer reads its files packed, and in every Unicode encoding, like the plain file."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from dataclasses import replace

import pytest
from damage import check_law, read, write
from importer_samples import SAMPLES, Sample

pytest.importorskip("lxml")

Change = Callable[[bytes], bytes]

PLAIN = {name: sample for name, sample in SAMPLES.items() if not name.endswith((".gz", ".bz2"))}
XML = ("orphanet", "pubmed", "jats", "wikipedia")


def as_zip(data: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("__MACOSX/._file", b"\x00\x05\x16\x07")
        archive.writestr("folder/file", data)
        archive.writestr("folder/.DS_Store", b"\x00")
    return packed.getvalue()


PACKED: dict[str, Change] = {
    "gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zip": as_zip,
}  # fmt: skip


def text_of(name: str, data: bytes) -> str:
    return data.decode("iso-8859-1" if name.startswith("orphanet") else "utf-8")


def recoded(encoding: str, mark: bytes = b"", line_end: str = "\n") -> Callable[[str], bytes]:
    return lambda text: mark + text.replace("\n", line_end).encode(encoding)


TEXTS: dict[str, Callable[[str], bytes]] = {
    "UTF-8 with a mark": recoded("utf-8", b"\xef\xbb\xbf"),
    "UTF-16 LE with a mark": recoded("utf-16-le", b"\xff\xfe"),
    "UTF-16 BE with a mark": recoded("utf-16-be", b"\xfe\xff"),
    "UTF-16 LE": recoded("utf-16-le"),
    "UTF-16 BE": recoded("utf-16-be"),
    "UTF-32 LE with a mark": recoded("utf-32-le", b"\xff\xfe\x00\x00"),
    "CRLF": recoded("utf-8", line_end="\r\n"),
    "CR": recoded("utf-8", line_end="\r"),
    "UTF-16 LE with a mark and CRLF": recoded("utf-16-le", b"\xff\xfe", "\r\n"),
    "UTF-8 with a mark and CR": recoded("utf-8", b"\xef\xbb\xbf", "\r"),
}


def changed(sample: Sample, change: Change) -> Sample:
    """The sample with every file changed; those that are packed already stay."""
    files = {
        name: data if name.endswith((".gz", ".bz2")) else change(data)
        for name, data in sample.files.items()
    }
    return replace(sample, files=files)


def check_same(sample: Sample, other: Sample, folder: object) -> None:
    plain, wrong = read_in(sample, folder)
    assert plain
    assert not wrong
    assert read_in(other, folder) == (plain, [])


def read_in(sample, folder):
    write(sample, folder)
    return read(sample, folder)


@pytest.mark.parametrize("packing", PACKED)
@pytest.mark.parametrize("name", PLAIN)
def test_a_packed_file_is_read_like_the_plain_one(name, packing, tmp_path):
    check_same(PLAIN[name], changed(PLAIN[name], PACKED[packing]), tmp_path)


@pytest.mark.parametrize("form", TEXTS)
@pytest.mark.parametrize("name", PLAIN)
def test_a_file_in_another_encoding_is_read_like_the_plain_one(name, form, tmp_path):
    def change(data: bytes) -> bytes:
        text = text_of(name, data)
        if name.startswith(XML) or text.startswith("<?xml"):
            # XML declares its encoding, which is a part of the text.
            encoding = "utf-16" if "16" in form else "utf-32" if "32" in form else "utf-8"
            text = text.replace("iso-8859-1", encoding).replace("utf-8", encoding)
        return TEXTS[form](text)

    check_same(PLAIN[name], changed(PLAIN[name], change), tmp_path)


@pytest.mark.parametrize("form", [form for form in TEXTS if "16 LE" in form])
@pytest.mark.parametrize("name", PLAIN)
def test_an_encoding_and_a_packing_go_together(name, form, tmp_path):
    def change(data: bytes) -> bytes:
        text = text_of(name, data).replace("iso-8859-1", "utf-16").replace("'utf-8'", "'utf-16'")
        return gzip.compress(TEXTS[form](text))

    check_same(PLAIN[name], changed(PLAIN[name], change), tmp_path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
@pytest.mark.parametrize("name", [name for name in PLAIN if name.startswith(XML)])
def test_xml_that_was_saved_in_another_encoding_than_it_declares(name, encoding, tmp_path):
    write(PLAIN[name], tmp_path)
    right, _ = read(PLAIN[name], tmp_path)
    hurt = next(iter(PLAIN[name].files))
    (tmp_path / hurt).write_bytes(text_of(name, PLAIN[name].files[hurt]).encode(encoding))
    found, wrong = read(PLAIN[name], tmp_path)
    assert found == right or wrong


@pytest.mark.parametrize("name", PLAIN)
def test_a_file_in_a_national_encoding_is_named_or_read_the_same(name, tmp_path):
    sample = PLAIN[name]
    write(sample, tmp_path)
    right, _ = read(sample, tmp_path)
    hurt = next(iter(sample.files))
    (tmp_path / hurt).write_bytes(text_of(name, sample.files[hurt]).encode("cp1252"))
    found, wrong = read(sample, tmp_path)
    if wrong:
        assert len(found) < len(right)
        check_law(sample, tmp_path, b"x")
    else:
        assert found == right


@pytest.mark.parametrize("name", PLAIN)
def test_a_packed_file_that_is_cut_off_is_named(name, tmp_path):
    sample = PLAIN[name]
    hurt = next(iter(sample.files))
    write(sample, tmp_path)
    (tmp_path / hurt).write_bytes(gzip.compress(sample.files[hurt])[:-9])
    _, wrong = read(sample, tmp_path)
    assert any("cut off or damaged" in text for text in wrong), wrong
