"""What is normal denies a finding, and what is denied together."""

from __future__ import annotations

import pytest

from gym_clinic import embedded


def told(text: str) -> tuple[set[str], set[str]]:
    present, absent = embedded.linker().symptoms(text)
    return {one.name for one in present}, {one.name for one in absent}


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("Hearing is normal.", {"Hearing impairment"}),
        ("Normal hearing.", {"Hearing impairment"}),
        (
            "Hearing, vision and speech are grossly intact.",
            {"Hearing impairment", "Visual impairment", "Dysarthria"},
        ),
        ("Normal gait and speech.", {"Gait disturbance", "Dysarthria"}),
        ("Creatinine: within normal limits", {"Elevated circulating creatinine concentration"}),
        ("LFTs wnl", {"Elevated hepatic transaminase"}),
        ("Power 5/5, plantars downgoing.", {"Muscle weakness", "Babinski sign"}),
        ("Abdomen soft, non-tender.", {"Abdominal tenderness"}),
        ("Abd NT/ND.", {"Abdominal tenderness", "Abdominal distention"}),
        ("No organomegaly.", {"Hepatomegaly", "Splenomegaly"}),
        ("No HSM.", {"Hepatosplenomegaly", "Hepatomegaly", "Splenomegaly"}),
        ("Fever or cough? He has neither.", {"Fever", "Cough"}),
        # A "not" of the clause before does not turn what follows around.
        (
            "JVP not raised, trachea central.",
            {"Elevated jugular venous pressure", "Tracheal deviation"},
        ),
        ("Chest not clear; abdomen soft.", {"Abdominal tenderness"}),
    ],
)
def test_what_is_normal_denies_its_finding(text, absent):
    assert told(text) == (set(), absent)


@pytest.mark.parametrize(
    ("text", "present"),
    [
        ("His hearing is not normal.", set()),
        ("He is not really afebrile.", {"Fever"}),
        ("Normal speech development.", set()),
        ("Vision was normal until yesterday.", set()),
        ("If your hearing is normal, go home.", set()),
        ("His mother has normal vision.", set()),
        ("Neck lump, non-tender.", {"Neck lump"}),
        ("HSM on examination.", {"Hepatosplenomegaly"}),
        ("Organomegaly is present.", set()),
        ("Difficulty hearing normal conversation.", {"Hearing impairment"}),
    ],
)
def test_what_is_not_said_to_be_normal_denies_nothing(text, present):
    assert told(text) == (present, set())


@pytest.mark.parametrize(
    ("text", "present"),
    [
        ("Urine dip: 3+ protein, 2+ blood.", {"Proteinuria", "Hematuria"}),
        ("She ate 3 protein bars.", set()),
        ("AST and ALT 10x ULN.", {"Elevated hepatic transaminase"}),
        ("A systolic murmur at the apex.", {"Systolic heart murmur"}),
        ("Calf pain.", {"Calf pain"}),
        ("Homicidal ideation.", {"Homicidal ideation"}),
        ("Bilateral ptosis.", {"Bilateral ptosis"}),
        ("Absent ankle jerks.", {"Areflexia of lower limbs"}),
        ("Brisk reflexes.", {"Hyperreflexia"}),
        ("Conductive hearing loss.", {"Conductive hearing impairment"}),
    ],
)
def test_findings_of_everyday_practice(text, present):
    assert told(text) == (present, set())
