"""Where negations, suspicions and contexts end, in sentences as notes and people write them."""

from __future__ import annotations

import pytest

from gym_clinic import embedded


def told(text: str) -> tuple[set[str], set[str]]:
    present, absent = embedded.linker().symptoms(text)
    return {node.name for node in present}, {node.name for node in absent}


@pytest.mark.parametrize(
    ("text", "present", "absent"),
    [
        (
            "fever x 5 days w/o cough, w/ conjunctivitis & cracked lips",
            {"Fever", "Conjunctivitis", "Red cracked lips"},
            {"Cough"},
        ),
        ("Absence of cough, presence of fever.", {"Fever"}, {"Cough"}),
        ("No fever until yesterday when he spiked 39.", {"Fever"}, set()),
        ("No fever until yesterday.", {"Fever"}, set()),
        ("She never had a headache like this before.", {"Headache"}, set()),
        ("neg fever, pos rash", {"Skin rash"}, {"Fever"}),
        ("No headache, dizzy, speech slurred.", {"Dizziness", "Slurred speech"}, {"Headache"}),
        ("No pain at rest, pain on walking.", {"Pain"}, set()),
        ("No fever, 2+ ankle oedema.", {"Pedal edema"}, {"Fever"}),
        ("ROS: + fever - cough + rash - headache", {"Fever", "Skin rash"}, {"Cough", "Headache"}),
        ("non-bloody diarrhea", {"Diarrhea"}, set()),
        ("Her lips are not swollen, neck not stiff.", set(), {"Lip swelling", "Nuchal rigidity"}),
    ],
)
def test_a_negation_ends(text, present, absent):
    assert told(text) == (present, absent)


@pytest.mark.parametrize(
    ("text", "present", "absent"),
    [
        (
            "r/o PE: no hemoptysis, HR 118, sat 89% RA",
            {"Tachycardia", "Hypoxemia"},
            {"Hemoptysis"},
        ),
        ("r/o sepsis, HR 130, BP 80/40", {"Tachycardia", "Hypotension"}, set()),
        (
            "Evaluate for meningitis: neck stiffness, photophobia",
            {"Nuchal rigidity", "Photophobia"},
            set(),
        ),
        (
            "Screening for depression: denies low mood, reports insomnia.",
            {"Insomnia"},
            {"Depression"},
        ),
        ("Worried about meningitis as he has a fever.", {"Fever"}, set()),
        ("Concerned for stroke as she has a facial droop.", {"Facial palsy"}, set()),
        ("Concern for PE given tachycardia.", {"Tachycardia"}, set()),
        ("r/o sepsis, pneumonia or stroke", set(), set()),
        ("r/o sepsis, pneumonia, fever for two days", {"Fever"}, set()),
        ("Sepsis vs pneumonia; cough.", {"Cough"}, set()),
        ("He was evaluated for a cough.", {"Cough"}, set()),
        ("He was evaluated for pneumonia.", set(), set()),
        ("Obs: T39.2 HR134 RR28", {"Fever", "Tachycardia", "Tachypnea"}, set()),
    ],
)
def test_a_suspicion_ends_where_its_evidence_begins(text, present, absent):
    assert told(text) == (present, absent)


@pytest.mark.parametrize(
    "text",
    [
        "Allergies: penicillin (rash).",
        "Allergies: penicillin (rash); codeine (vomiting).",
        "All: codeine -> itching.",
        "Ibuprofen prn headache",
        "Meds: ondansetron prn nausea.",
        "Ondansetron 4 mg for nausea prn.",
        "Take one tablet for pain or fever.",
        "On seizure precautions.",
        "Referred to the headache clinic.",
        "She worries that she may have a tumour.",
        "She would like to be checked for anemia.",
        "It feels like a migraine.",
        "Her mother is worried about a stroke.",
        "Returns if fever; return if vomiting.",
        "I don't want to go to hospital.",
        "He does not speak English.",
        "Her abdomen is not hard.",
    ],
)
def test_a_context_is_no_finding_of_the_patient(text):
    assert told(text)[0] == set()


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Allergies: penicillin (rash)", "context"),
        ("Naproxen prn headache", "context"),
        ("Return if headache", "hypothetical"),
        ("Like a migraine", "hypothetical"),
        ("Flatmate has a headache", "other"),
    ],
)
def test_the_kind_of_a_context_is_its_status(text, status):
    (link,) = embedded.linker().link(text)
    assert link.status == status


@pytest.mark.parametrize(
    ("text", "coma"),
    [
        ("The baby won't wake up for feeds.", False),
        ("He did not wake at night.", False),
        ("She could not be woken.", True),
        ("I can't wake him.", True),
    ],
)
def test_sleep_is_no_coma(text, coma):
    assert ("Coma" in told(text)[0]) == coma


@pytest.mark.parametrize("word", ["if", "allergy", "may", "as a child", "worried about", "vs"])
def test_repeated_cues_take_linear_time(word):
    # A scope is marked once, so that 5,000 cues are read; quadratic work would not end.
    assert embedded.linker().link(f"{word} " * 5_000) == []
