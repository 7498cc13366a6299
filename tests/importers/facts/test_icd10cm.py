from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.facts.icd10cm import IcdCode, read_icd10cm

TITLE = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=60)


def line(order=1, code="A99", valid="0", short="Made-up fever", long=None):
    return f"{order:05} {code:<7} {valid} {short:<60} {long or short}"


LINES = (
    line(1, "A99", "0", "Made-up fever"),
    line(2, "A990", "1", "Made-up fever w amber glow", "Made-up fever with amber glow"),
    line(5, "A99X11D", "1", "Made-up fever, subs encntr", "Made-up fever, subsequent encounter"),
)


@pytest.fixture
def read(tmp_path):
    def parse(*lines, end="\n", encoding="utf-8"):
        path = tmp_path / "icd10cm_order.txt"
        path.write_bytes((end.join(lines) + end).encode(encoding))
        return list(read_icd10cm(path))

    return parse


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n"])
def test_codes_are_read_with_their_point(read, end):
    assert read(*LINES, end=end) == [
        IcdCode("A99", False, "Made-up fever", "Made-up fever"),
        IcdCode("A99.0", True, "Made-up fever with amber glow", "Made-up fever w amber glow"),
        IcdCode(
            "A99.X11D", True, "Made-up fever, subsequent encounter", "Made-up fever, subs encntr"
        ),
    ]


@given(TITLE, TITLE)
def test_any_title_comes_back(tmp_path_factory, short, long):
    path = tmp_path_factory.mktemp("icd") / "order.txt"
    path.write_text(line(short=short, long=long) + "\n", encoding="utf-8")
    assert list(read_icd10cm(path)) == [IcdCode("A99", False, long, short)]


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (LINES[1][:40], r"line 2, long title .from column 78.: ''; expected the long title"),
        (LINES[1][:10], r"line 2, valid .column 15.: ''; expected 0 or 1"),
        (LINES[1][1:], r"line 2, order number .columns 1-5.: '0002 '; expected five digits"),
        (line(2, "990"), r"line 2, code .columns 7-13.: '990    '; expected a code like E119"),
        (line(2, "A9 0"), r"line 2, code"),
        (line(2, valid="2"), r"line 2, valid .column 15.: '2'; expected 0 or 1"),
        (line(2, short=" "), r"line 2, short title"),
        (line(2, "A990").replace(" 0 ", " 0x", 1), "line 2, column 16: 'x'; expected a blank"),
        (line(2, "A99"), "line 2, code: 'A99' is a duplicate of .* line 1"),
        (line(1, "A990"), "line 2: order number 00001 after 00001; expected a higher one"),
        ("A99 Made-up fever", "line 2, order number"),
    ],
)
def test_a_broken_line_is_named(read, broken, message):
    with pytest.raises(TaskError, match=message):
        read(LINES[0], broken, LINES[2])


def test_another_kind_of_file_is_named(read, tmp_path):
    with pytest.raises(TaskError, match="no codes; expected the order file of ICD-10-CM"):
        read("")
    accented = line(2, "A990", short="Fi\u00e8vre")
    with pytest.raises(TaskError, match="line 2: byte 18 of it is not UTF-8"):
        read(LINES[0], accented, encoding="latin-1")
    with pytest.raises(ConfigError, match="cannot read"):
        list(read_icd10cm(tmp_path / "missing.txt"))
