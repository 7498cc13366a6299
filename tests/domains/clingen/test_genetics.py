"""Human genetics as articles and reports tell it, in texts written for these tests."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.domains.clingen.genetic_table import PersonGenetics
from gym_clinic.domains.clingen.genetics import (
    GeneticsTally,
    HumanGenetics,
    StatedPoints,
    read_genetics,
    results_of,
    tally,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("II-1 carried c.12del (frameshift), absent from both parents.", (1, True, True, False)),
        ("Patient 3 had p.Arg12Cys, a missense change; parents not tested.",
         (1, False, False, False)),
        ("F2-III-1: SIMVAR-0000001 (nonsense, exon 3) and SIMVAR-0000002 (missense, exon 9), one "
         "inherited from each parent.", (2, True, False, True)),
        ("F2-III-1: SIMVAR-0000001 (splice, exon 3) and SIMVAR-0000002 (missense, exon 9), with no "
         "parental samples.", (2, True, False, False)),
        ("Proband 4 was homozygous for p.Gly3Ser, a missense variant.", (2, False, False, True)),
    ],
)  # fmt: skip
def test_reads_a_person(text: str, expected: tuple[int, bool, bool, bool]) -> None:
    ((_, person),) = read_genetics(text).persons.items()
    assert person[:4] == expected


def test_what_follows_a_number_is_about_this_person() -> None:
    text = (
        "II-1 is a girl with seizures. Sequencing showed SIMVAR-0000001 (missense, exon 2), "
        "inherited from the mother. II-2 is a boy. Testing gave SIMVAR-0000002 (frameshift, exon "
        "4), de novo. SIMVAR-0000002 was seen on 900 of 150,000 reference alleles.\n\n"
        "II-3 had SIMVAR-0000003 (nonsense, exon 5). A pathogenic variant of another gene explains "
        "the disease."
    )
    persons = read_genetics(text).persons
    assert persons == {
        "II-1": PersonGenetics(1, False, False, False),
        "II-2": PersonGenetics(1, True, True, False, 900 / 150_000),
        "II-3": PersonGenetics(1, True, False, False, 0.0, other_cause=True),
    }
    assert tally([("1", 2001, read_genetics(text))], "AD", None).points == 0.5


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Three unrelated probands had nonsense variants and two patients had missense ones.", 5),
        ("Of 120 referrals, five families with truncating variants were found.", 5),
        ("No pathogenic variants were found in 50 probands.", 0),
        ("Null variants have been reported in six probands.", 0),
        ("Mice with nonsense variants had seizures.", 0),
    ],
)
def test_counts_persons_who_have_no_number(text: str, number: int) -> None:
    assert len(read_genetics(text).persons) == number


def test_reads_families_and_case_control_studies() -> None:
    found = read_genetics(
        "In family F3, three affected members carried it (LOD 0.6). The LOD score in family F4 was "
        "1.2. Carriers were 12 of 800 cases and 9 of 2,400 controls (odds ratio 4.03, 95% CI 1.7 "
        "to 9.6; p = 0.0011)."
    )
    assert found.lods == {"F3": 0.6, "F4": 1.2}
    assert found.studies == ((4.03, 0.0011),)
    assert tally([("1", 2001, found)], "AD", None) == GeneticsTally(1.5 + 2.0, 1, 2001)


def test_reads_persons_and_counts_as_articles_write_them() -> None:
    found = read_genetics(
        "Individual F5-III-4 was a boy with ataxia. The finding was a missense variant "
        "(SIMVAR-0000001). Public databases report 900/151,000 (SIMVAR-0000001).\n\n"
        "Qualifying variants occurred in 6 of 1468 cases and 2 of 1563 controls (odds ratio 3.2, "
        "95% CI 0.65–15.9; P = 0.17)."
    )
    assert found.persons["F5-III-4"].common > 0.005
    assert found.studies == ((3.2, 0.17),)


def test_two_families_that_do_not_segregate_contradict_the_relationship() -> None:
    first = read_genetics("Family F3: three affected carriers, one non-carrier (LOD score 0).")
    later = read_genetics("Family F4: two affected carriers, one non-carrier (LOD score 0).")
    assert not tally([("1", 2001, first)], "AD", None).contradicted
    both = tally([("1", 2001, first), ("2", 2003, later)], "AD", None)
    assert both == GeneticsTally(0.0, 0, None, contradicted=True)


def test_a_person_counts_once_and_where_told_first() -> None:
    first = read_genetics("F1-II-1 had SIMVAR-0000001 (nonsense, exon 2), de novo.")
    again = read_genetics(
        "F1-II-1 had SIMVAR-0000001 (nonsense, exon 2), de novo. F2-II-1 had SIMVAR-0000004 "
        "(nonsense, exon 8), of unknown origin because the parents were not tested."
    )
    assert tally([("1", 2001, first), ("2", 2005, first)], "AD", None) == GeneticsTally(
        2.0, 1, 2001
    )
    assert tally([("1", 2001, first), ("2", 2005, again)], "AD", None) == GeneticsTally(
        3.5, 2, 2001
    )


def test_stated_points_stand_for_themselves() -> None:
    text = (
        "Human genetic evidence in this article: 4.5 points, from 3 publications, first reported "
        "in 2010."
    )
    found = read_genetics(f"Rescue was shown. {text}")
    assert found.stated == StatedPoints(4.5, 3, 2010)
    assert tally([("1", 2014, found)], "AD", None) == GeneticsTally(4.5, 3, 2010)
    none = read_genetics("No human genetic evidence scored in this article.")
    assert not none
    assert tally([("1", 2014, none)], "AD", None) == GeneticsTally(0.0, 0, None)


def test_persons_are_read_from_results_alone() -> None:
    sections = [("Introduction", "one"), ("Results", "two"), ("Discussion", "three")]
    assert results_of(sections) == "two"


@given(st.text(alphabet="FI-12 .,;()\nnullmissenseLODp=odds ratio0", max_size=120))
def test_any_text_can_be_read(text: str) -> None:
    found = read_genetics(text)
    assert isinstance(found, HumanGenetics)
    assert 0 <= tally([("1", 2000, found)], "AR", None).points <= 12
