from __future__ import annotations

import datetime
import pathlib
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import DATA

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.facts.clingen import Validity
from gym_clinic.importers.facts.clingen import read_validity as read

DOWNLOADS = DATA / "clingen"
HEADER = [
    "GENE SYMBOL",
    "GENE ID (HGNC)",
    "DISEASE LABEL",
    "DISEASE ID (MONDO)",
    "MOI",
    "SOP",
    "CLASSIFICATION",
    "ONLINE REPORT",
    "CLASSIFICATION DATE",
    "GCEP",
]
ROW = [
    "GENEX",
    "HGNC:999999901",
    'disease "x", late',
    "MONDO:9999901",
    "AD",
    "SOP10",
    "Definitive",
    "https://example.org/kb/gene-validity/CGGV:assertion_x",
    "2024-03-14T16:00:00.000Z",
    "Example Gene Curation Expert Panel",
]
OLD = ["GENEY", *ROW[1:5], "SOP4", "Refuted", *ROW[7:8], "2017-02-22T00:00:00", ROW[9]]


def line(cells) -> str:
    return ",".join('"' + cell.replace('"', '""') + '"' for cell in cells) + "\n"


def download(*rows, header=HEADER) -> str:
    preamble = [["CLINGEN GENE DISEASE VALIDITY CURATIONS", *[""] * 9], ["FILE CREATED: …"] * 10]
    ruler = ["+++++++"] * len(header)
    return "".join(map(line, [*preamble, ruler, header, ruler, *rows]))


FIRST = 6  # number of the first record's line in `download`


@pytest.fixture
def file(tmp_path):
    def write(text, encoding="utf-8") -> pathlib.Path:
        path = tmp_path / "download.csv"
        path.write_bytes(text.encode(encoding))
        return path

    return write


def test_a_record_is_read_whole(file):
    first, second = read(file(download(ROW, OLD)))
    assert first == Validity(
        gene="GENEX",
        hgnc_id="HGNC:999999901",
        disease='disease "x", late',
        mondo_id="MONDO:9999901",
        inheritance="AD",
        classification="Definitive",
        panel="Example Gene Curation Expert Panel",
        sop="SOP10",
        date=datetime.date(2024, 3, 14),
        report="https://example.org/kb/gene-validity/CGGV:assertion_x",
    )
    assert (second.gene, second.sop, second.classification) == ("GENEY", "SOP4", "Refuted")
    assert second.date == datetime.date(2017, 2, 22)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\n\n"),
        lambda text: text.rstrip("\n"),
        lambda text: text[text.index('"GENE SYMBOL"') :],
        lambda text: text.replace('"GENEX"', "GENEX"),
        lambda text: text.replace('"AD"', '" AD\u00a0"'),
    ],
)
def test_harmless_differences_are_read_the_same(file, change):
    plain = list(read(file(download(ROW, OLD))))
    assert list(read(file(change(download(ROW, OLD))))) == plain


def test_columns_are_found_by_name(file):
    header, row = [*HEADER[::-1], "NOTES"], [*ROW[::-1], "anything"]
    assert list(read(file(download(row, header=header)))) == list(read(file(download(ROW))))


@pytest.mark.parametrize(
    ("column", "cell", "text"),
    [
        (1, "", "[A-Za-z0-9]"),
        (1, "GENE X", "[A-Za-z0-9]"),
        (2, "999999901", "HGNC:[1-9]"),
        (2, "HGNC:0", "HGNC"),
        (2, "HGNC:99x", "HGNC"),
        (3, " ", "match pattern"),
        (3, "a\nb", "match pattern"),
        (3, "a\u2028b", "match pattern"),
        (4, "MONDO:123", "MONDO:[0-9]{7}"),
        (4, "OMIM:1234567", "MONDO"),
        (5, "Autosomal", "Input should be 'AD', 'AR', 'XL', 'SD', 'MT' or 'UD'"),
        (6, "SOP99", "SOP([4-9]"),
        (6, "10", "SOP([4-9]"),
        (7, "definitive", "'No Known Disease Relationship', 'Limited', 'Moderate', 'Strong'"),
        (7, "", "'Disputed' or 'Refuted'"),
        (8, "CGGV:assertion", "https?://"),
        (9, "2024-02-30T16:00:00.000Z", "valid date"),
        (9, "2024-03-14", "expected a time like 2024-03-14T16:00:00.000Z"),
        (9, "14/03/2024", "expected a time like"),
        (9, "٢٠٢٤-03-14T16:00:00", "expected a time like"),
        (10, "", "match pattern"),
    ],
)
def test_a_broken_cell_is_named_by_line_and_column(file, column, cell, text):
    row = [*ROW[: column - 1], cell, *ROW[column:]]
    path = file(download(ROW, row))
    records = read(path)
    assert next(records).gene == "GENEX"
    with pytest.raises(TaskError) as caught:
        next(records)
    place = f"{path} line {FIRST + 1}, column {column} ({HEADER[column - 1]}): "
    assert str(caught.value).startswith(place)
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "no header row"),
        ("GENE,DISEASE\nx,y\n", "no header row; expected one with the columns"),
        (download(ROW[:9]), "line 6: 9 columns; expected 10"),
        (download([*ROW, "x"]), "line 6: 11 columns; expected 10"),
        (download(ROW[:8], header=HEADER[:8]), "line 4: the header lacks 'GCEP'"),
        (
            download(ROW, header=[*HEADER[:9], "GENE SYMBOL"]),
            "line 4: the header repeats 'GENE SYMBOL'",
        ),
        (download(ROW + ROW, header=HEADER * 2), "line 4: the header repeats 'GENE SYMBOL'"),
        (download(), "no records after the header"),
        (download(ROW)[:-3], "line 6, column 10: unexpected end of data"),
        (download(ROW, ROW)[:-60], "line 7, column 9: unexpected end of data"),
        (download(ROW, ROW).replace('"HGNC:', "HGNC:", 1), "line 6, column 2"),
        (download(ROW, OLD).replace('"AD"', '"AD', 1), "line 6, column 5"),
        (download(ROW, OLD).replace('Panel"\n', "Panel\n", 1), "line 6, column 10"),
        (download(["GENEX", *ROW[1:2], "a\nb", *ROW[3:]]), "line 6, column 3 (DISEASE LABEL): "),
        (download(["GENEX", *ROW[1:2], "a\x00b", *ROW[3:]]), "line 6"),
        (download(ROW, HEADER), "line 7, column 1 (GENE SYMBOL): 'GENE SYMBOL'"),
    ],
)
def test_a_broken_file_is_named(file, text, expected):
    path = file(text)
    with pytest.raises(TaskError) as caught:
        list(read(path))
    assert str(path) in str(caught.value)
    assert expected in str(caught.value)


def test_other_encodings_are_refused_by_line(file):
    path = file(
        download(ROW, ["GENEX", *ROW[1:2], "Behçet", *ROW[3:]]).replace("…", "-"), "latin-1"
    )
    with pytest.raises(TaskError, match=r"line 7: byte [0-9]+ of it is not UTF-8"):
        list(read(path))


def test_a_missing_file_is_a_config_error(tmp_path):
    with pytest.raises(ConfigError, match="cannot read"):
        next(read(tmp_path / "none.csv"))
    with pytest.raises(ConfigError, match="cannot read"):
        next(read(tmp_path))


@given(st.integers(0, len(download(ROW, OLD)) - 2))
def test_a_truncated_file_is_never_read_as_whole(tmp_path_factory, length):
    whole = download(ROW, OLD)
    path = tmp_path_factory.getbasetemp() / "cut.csv"
    path.write_bytes(whole[:length].encode())
    # A cut between two records looks like a shorter file.
    if whole[:length].rstrip("\n") == download(ROW).rstrip("\n"):
        assert len(list(read(path))) == 1
    else:
        with pytest.raises(TaskError, match=re.escape(str(path))):
            list(read(path))


@pytest.mark.skipif(not DOWNLOADS.exists(), reason="the real downloads are not here")
def test_the_real_download():
    records = list(read(DOWNLOADS / "clingen-gene-validity.csv"))
    assert len(records) == 3445
    assert len({record.gene for record in records}) == 2836
    assert len({record.panel for record in records}) == 58
    classes = Counter(record.classification for record in records)
    assert classes["Definitive"] == 2152
    assert len(classes) == 7
    assert sum("CGGCIEX" in record.report for record in records) == 74
    assert len(list(read(DOWNLOADS / "clingen_gene_validity_small.csv"))) == 4
