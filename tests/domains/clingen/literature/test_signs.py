"""Findings of a person: what defines the disease is there, and the rest fits it."""

from __future__ import annotations

from random import Random

import pytest

from gym_clinic.domains.clingen.dossiers import read_dossiers
from gym_clinic.domains.clingen.literature.people import course_of
from gym_clinic.domains.clingen.literature.signs import (
    age_limits,
    defining_signs,
    draw_signs,
    excludes,
)

PAIRS = [one for one in read_dossiers().pairs.values() if one.phenotypes]


@pytest.mark.parametrize("sex", ["female", "male"])
def test_every_disease_has_findings_that_define_it_and_fit_its_persons(sex):
    rng = Random(7)
    for pair in PAIRS:
        signs, course = [one.name for one in pair.phenotypes], course_of(pair)
        shown, absent, (low, high) = draw_signs(
            rng, pair.disease, signs, sex, course.low, course.high
        )
        sure = defining_signs(pair.disease, signs, sex)
        assert {*sure} <= {*shown}, pair.key
        assert course.low <= low <= high <= course.high, pair.key
        assert not any(excludes(one, shown) for one in shown), pair.key
        assert not {*absent} & {*shown}, pair.key
        for one in {*shown} - {*sure}:
            first, last = age_limits(one)
            assert first <= low <= high <= last, (pair.key, one)


@pytest.mark.parametrize(
    ("disease", "signs", "sex", "expected"),
    [
        ("dilated cardiomyopathy", ["Dilated cardiomyopathy", "Dyspnea"], None, 1),
        ("genetic hearing loss", ["Stapes ankylosis", "Mixed hearing impairment"], None, 2),
        ("glaucoma with or without cataract", ["Glaucoma", "Cataract"], None, 1),
        ("ciliary dyskinesia", ["Male infertility", "Bronchiectasis"], "female", 1),
        ("ciliary dyskinesia", ["Female infertility", "Bronchiectasis"], "female", 1),
    ],
)
def test_the_first_finding_and_one_in_the_name_define_a_disease(disease, signs, sex, expected):
    able = signs[1:] if (signs[0], sex) == ("Male infertility", "female") else signs
    assert defining_signs(disease, signs, sex) == able[:expected]


def test_nobody_who_is_examined_has_died():
    signs = ["Prolonged QT interval", "Sudden cardiac death", "Syncope"]
    told = [draw_signs(Random(seed), "long QT", signs, "male", 24, 420) for seed in range(30)]
    assert {one for shown, absent, _ in told for one in (*shown, *absent)} == {*signs} - {signs[1]}


def test_an_infant_has_no_finding_of_adults_and_none_of_its_opposite():
    signs = ["Bronchiectasis", "Male infertility", "Macrocephaly", "Microcephaly"]
    for seed in range(40):
        shown, absent, _ = draw_signs(Random(seed), "ciliary dyskinesia", signs, "male", 0, 30)
        assert "Male infertility" not in (*shown, *absent)
        assert len({"Macrocephaly", "Microcephaly"} & {*shown}) <= 1
