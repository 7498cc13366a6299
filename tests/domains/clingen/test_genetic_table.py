"""The table of human genetic evidence, against hand-made persons and the text of the policy."""

from __future__ import annotations

import re

import pytest

from gym_clinic.domains.clingen.genetic_table import (
    CASE_CONTROL_POINTS,
    FAMILIES_AGAINST,
    LEAST_LOD,
    LOD_POINTS,
    ROWS,
    PersonGenetics,
    genetic_points,
    row_of_person,
)
from gym_clinic.paths import tasks_dir

MISSENSE = PersonGenetics(1, null=False, de_novo=False, in_trans=False)
NULL = MISSENSE._replace(null=True)
TWO = MISSENSE._replace(hits=2, in_trans=True)


@pytest.mark.parametrize(
    ("person", "inheritance", "mechanism", "row"),
    [
        (MISSENSE, "AD", None, "other"),
        (NULL, "AD", None, "null"),
        (NULL, "XL", "loss of function", "null"),
        (NULL, "AD", "gain of function", None),
        (NULL._replace(de_novo=True), "AD", None, "de novo"),
        (MISSENSE._replace(common=0.002), "AD", None, None),
        (TWO._replace(common=0.002), "AR", None, "two in trans"),
        (TWO._replace(common=0.02), "AR", None, None),
        (NULL._replace(other_cause=True), "AD", None, None),
        (NULL, "AR", None, None),
        (TWO, "AR", None, "two in trans"),
        (TWO._replace(null=True), "AR", None, "two in trans, one null or de novo"),
        (TWO._replace(in_trans=False), "AR", None, None),
        (MISSENSE, "MT", None, "other"),
    ],
)
def test_the_row_of_a_person(
    person: PersonGenetics, inheritance: str, mechanism: str | None, row: str | None
) -> None:
    assert row_of_person(person, inheritance, mechanism) == row


def test_maxima_hold_by_row_and_in_all() -> None:
    assert genetic_points({"null": 8}, [], []) == 10
    assert genetic_points({"other": 20}, [], []) == 7
    assert genetic_points({"null": 8, "other": 20}, [], []) == 12
    assert genetic_points({"other": 1}, [1.5, 0.9], [(3.0, 0.01)]) == 0.5 + 3 + 2
    assert genetic_points({}, [0.9], [(0.5, 0.0001)]) == 0


@pytest.mark.parametrize("setting", ["supervisor", "single"])
def test_the_policy_prints_the_table(setting: str) -> None:
    text = (tasks_dir("clingen") / f"policy_{setting}.md").read_text(encoding="utf-8")
    dominant, recessive = re.findall(r"^- Autosomal .*$", text, re.MULTILINE)
    numbers = [float(one) for one in re.findall(r"(?<= )\d+(?:\.\d+)?(?=[ ,;.])", dominant)]
    assert numbers == [n for row in ("de novo", "null", "other") for n in ROWS[row]]
    assert [float(one) for one in re.findall(r"(?<= )\d+(?=[ ,;.])", recessive)] == [
        ROWS["two in trans, one null or de novo"][0],
        *ROWS["two in trans"],
    ]
    (lods,) = re.findall(r"^- Segregation: .*?\. A family", text, re.MULTILINE)
    assert re.findall(r"from ([\d.]+) ([\d.]*\d)", lods) == [
        (f"{bound:g}", f"{points:g}") for bound, points in reversed(LOD_POINTS)
    ]
    assert f"families that reach {LEAST_LOD:g} " in lods
    assert FAMILIES_AGAINST == 2
    assert "two or more families in which an affected person lacks the variant" in text
    (controls,) = re.findall(r"^- Case-control .*$", text, re.MULTILINE)
    for bound, points in CASE_CONTROL_POINTS:
        assert f"below {bound:g}".replace("0.", ".") in controls
        assert f" {points:g}" in controls
