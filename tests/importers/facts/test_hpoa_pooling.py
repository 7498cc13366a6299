"""Rows of one disease and one term are pooled, whatever their order."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.facts.records.models import BANDS
from gym_clinic.importers.facts.hpoa import read_hpoa

HEADER = (
    "database_id\tdisease_name\tqualifier\thpo_id\treference\tevidence\tonset\tfrequency\tsex\t"
    "modifier\taspect\tbiocuration"
)
NOT = "NOT"


def row(reference, frequency="", qualifier="", sex="", hpo="HP:0000001", disease="OMIM:1"):
    return "\t".join(
        [disease, "Amber fever", qualifier, hpo, reference, "PCS", "", frequency, sex, "", "P", "m"]
    )


def profiles(folder, rows):
    path = folder / "phenotype.hpoa"
    path.write_text("\n".join([HEADER, *rows, ""]), encoding="utf-8")
    return list(read_hpoa(path))


def feature(folder, *rows):
    ((found,),) = (one.features for one in profiles(folder, rows))
    return found


CASES = {
    "two cohorts": (
        [row("PMID:1", "1/20"), row("PMID:2", "19/20")],
        (0.5, 40, ("PMID:1", "PMID:2")),
    ),
    "a cohort without the feature": (
        [row("PMID:1", "0/10"), row("PMID:2", "3/10")],
        (0.15, 20, ("PMID:1", "PMID:2")),
    ),
    "no cohort has it": (
        [row("PMID:1", "0/10"), row("PMID:2", "0/5")],
        (0.0, 15, ("PMID:1", "PMID:2")),
    ),
    "one cohort told twice": (
        [row("PMID:1", "3/12"), row("PMID:1", "2/12"), row("PMID:2", "1/4")],
        (0.25, 16, ("PMID:1", "PMID:2")),
    ),
    "two sexes of one report": (
        [row("PMID:1", "3/10", sex="MALE"), row("PMID:1", "1/10", sex="FEMALE")],
        (0.2, 20, ("PMID:1",)),
    ),
    "rows without a reference": ([row("", "1/4"), row("", "3/4")], (0.5, 8, ())),
    "counts before percentages and bands": (
        [row("PMID:3", "HP:0040281"), row("PMID:2", "90%"), row("PMID:10", "1/10"), row("PMID:4")],
        (0.1, 10, ("PMID:10", "PMID:2", "PMID:3", "PMID:4")),
    ),
    "three percentages": (
        [row("PMID:1", "10%"), row("PMID:2", "80%"), row("PMID:3", "20%")],
        (0.2, None, ("PMID:3", "PMID:1", "PMID:2")),
    ),
    "two percentages": (
        [row("PMID:1", "10%"), row("PMID:2", "80%")],
        (0.1, None, ("PMID:1", "PMID:2")),
    ),
    "a percentage before a band": (
        [row("PMID:1", "HP:0040281"), row("PMID:2", "12.5%")],
        (0.125, None, ("PMID:2", "PMID:1")),
    ),
    "NOT beside a count": (
        [row("PMID:1", qualifier=NOT), row("PMID:2", "3/10")],
        (0.3, 10, ("PMID:2", "PMID:1")),
    ),
    "NOT with a count is no cohort": (
        [row("PMID:1", "9/10", qualifier=NOT), row("PMID:2", "3/10")],
        (0.3, 10, ("PMID:2", "PMID:1")),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_statements_are_pooled_in_every_order(name, tmp_path):
    rows, (value, patients, references) = CASES[name]
    for order in itertools.permutations(rows):
        found = feature(tmp_path, *order)
        assert (found.frequency.value, found.frequency.patients) == (value, patients)
        assert found.references == references


@pytest.mark.parametrize(
    ("rows", "band"),
    [
        ([row("PMID:1", "HP:0040281"), row("PMID:2", "HP:0040283")], "occasional"),
        (
            [row("PMID:1", band) for band in ("HP:0040281", "HP:0040282", "HP:0040283")],
            "frequent",
        ),
        ([row("PMID:1", "HP:0040285"), row("PMID:2", "HP:0040284")], "very_rare"),
        ([row("PMID:1", "0/20"), row("PMID:2", "HP:0040283")], "occasional"),
        ([row("PMID:1"), row("PMID:2", "HP:0040283")], "occasional"),
        ([row("PMID:1", qualifier=NOT), row("PMID:2", "HP:0040285")], "excluded"),
        ([row("PMID:1", qualifier=NOT), row("PMID:2")], None),
    ],
)
def test_bands_are_pooled_in_every_order(rows, band, tmp_path):
    for order in itertools.permutations(rows):
        found = feature(tmp_path, *order)
        assert (found.frequency.band, found.frequency.value) == (band, None)


def test_rows_of_one_disease_may_be_apart_and_comments_between(tmp_path):
    first, second = profiles(
        tmp_path,
        [
            row("PMID:1", "1/20"), "# a remark", row("PMID:9", disease="OMIM:2"), "",
            row("PMID:2", "19/20"),
        ],
    )  # fmt: skip
    assert (first.id, second.id) == ("OMIM:1", "OMIM:2")
    assert first.features[0].frequency.value == 0.5


FREQUENCIES = st.one_of(
    st.integers(1, 30).flatmap(lambda n: st.integers(0, n).map(lambda having: f"{having}/{n}")),
    st.integers(0, 100).map(lambda share: f"{share}%"),
    st.sampled_from([code for code, _, _ in BANDS.values()]),
    st.just(""),
)


@given(
    st.lists(
        st.tuples(
            st.integers(1, 3),
            FREQUENCIES,
            st.sampled_from(["", NOT]),
            st.sampled_from(["", "MALE"]),
        ),
        min_size=1,
        max_size=6,
    ),
    st.randoms(),
)
def test_the_order_of_rows_never_matters(tmp_path_factory, stated, random):
    folder = tmp_path_factory.getbasetemp()
    rows = [row(f"PMID:{number}", *rest) for number, *rest in stated]
    found = feature(folder, *rows)
    random.shuffle(rows)
    assert feature(folder, *rows) == found
    assert set(found.references) == {f"PMID:{number}" for number, *_ in stated}


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(9, 20)), min_size=1, max_size=8))
def test_cohorts_add_up(tmp_path_factory, cohorts):
    rows = [row(f"PMID:{at}", f"{having}/{n}") for at, (having, n) in enumerate(cohorts, 1)]
    found = feature(tmp_path_factory.getbasetemp(), *rows)
    having, counted = map(sum, zip(*cohorts, strict=True))
    assert found.frequency.patients == counted
    assert found.frequency.value == float(Fraction(having, counted))
