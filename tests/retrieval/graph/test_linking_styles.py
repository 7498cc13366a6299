from __future__ import annotations

import pytest
from linking_sentences import STYLES, Score, score, sentences

from gym_clinic import embedded

# Style -> the least precision and recall on the held sentences.
FLOORS = {
    "discharge": (0.8, 0.8),
    "lay": (0.9, 0.85),
    "notes": (0.9, 0.9),
    "questions": (0.9, 0.8),
    "scope": (0.85, 0.85),
    "triage": (0.9, 0.9),
    "vignettes": (0.9, 0.85),
}


def told(text: str) -> tuple[set[str], set[str]]:
    present, absent = embedded.linker().symptoms(text)
    return {one.name for one in present}, {one.name for one in absent}


@pytest.mark.parametrize("style", STYLES)
def test_held_sentences_of_each_style_have_their_floor(style):
    found = score(embedded.linker(), sentences(style, held=True))
    assert found.precision >= FLOORS[style][0], found.precision
    assert found.recall >= FLOORS[style][1], found.recall


def test_all_held_sentences_have_the_floor():
    total = Score(0, 0, 0, 0, ())
    for style in STYLES:
        one = score(embedded.linker(), sentences(style, held=True))
        print(f"{style:10} precision {one.precision:.2f} recall {one.recall:.2f}")
        total += one
    print(f"{'all':10} precision {total.precision:.3f} recall {total.recall:.3f}")
    assert total.expected >= 200
    assert total.precision >= 0.93
    assert total.recall >= 0.93


def test_a_linker_without_terms_is_below_the_floor():
    # So that the floors show the use of the terms.
    plain = type(embedded.linker())(embedded.graph())
    total = Score(0, 0, 0, 0, ())
    for style in ("triage", "lay"):
        total += score(plain, sentences(style, held=True))
    assert total.recall < 0.7


def test_sentences_are_many_and_distinct():
    texts = [one.text for s in STYLES for h in (False, True) for one in sentences(s, held=h)]
    assert len(texts) == len(set(texts)) >= 250


@pytest.mark.parametrize(
    ("text", "present", "absent"),
    [
        ("No fever, jaundice present.", {"Jaundice"}, {"Fever"}),
        ("She never coughs, never wheezes.", set(), {"Cough", "Wheezing"}),
        ("This tablet may cause nausea.", set(), set()),
        ("Should a rash appear, call us.", set(), set()),
        ("The vomiting has stopped.", set(), {"Vomiting"}),
        ("Rash (none).", set(), {"Skin rash"}),
        ("c/o SOB and HA, no CP", {"Dyspnea", "Headache"}, {"Chest pain"}),
        ("N/V/D since Monday", {"Nausea", "Vomiting", "Diarrhea"}, set()),
        ("I can't catch my breath.", {"Dyspnea"}, set()),
        ("My tummy hurts and I keep throwing up.", {"Abdominal pain", "Vomiting"}, set()),
        ("Denies chest pain, SOB, or N/V.", set(), {"Chest pain", "Dyspnea", "Nausea", "Vomiting"}),
        ("Not only fever but also chills.", {"Fever", "Chills"}, set()),
        ("Fever: no. Cough: yes.", {"Cough"}, {"Fever"}),
        ("ROS: +cough, -fever", {"Cough"}, {"Fever"}),
        ("(-) chest pain", set(), {"Chest pain"}),
        ("Her mother has seizures.", set(), set()),
        ("Afebrile, neck supple.", set(), {"Fever", "Nuchal rigidity"}),
        ("Fever, cough and rash, all absent.", set(), {"Fever", "Cough", "Skin rash"}),
        ("The rash, which was red, has resolved.", set(), {"Skin rash"}),
        ("Suspected pneumonia with fever.", {"Fever"}, set()),
        ("?DVT, no CP", set(), {"Chest pain"}),
        ("No fever and your cough has improved.", {"Cough"}, {"Fever"}),
        ("Negative ROS: fever, rash.", set(), {"Fever", "Skin rash"}),
        ("[x] cough [ ] fever", {"Cough"}, {"Fever"}),
        ("Side effects: nausea, headache.", set(), set()),
        ("Any rash? I don't think so. Any cough? Sometimes.", {"Cough"}, {"Skin rash"}),
        ("My dad is diabetic.", set(), set()),
        ("She fell asleep; pain score 0.", set(), set()),
    ],
)
def test_named_sentences(text, present, absent):
    assert told(text) == (present, absent)


@pytest.mark.parametrize(
    ("text", "present"),
    [
        ("PE: lungs clear.", set()),
        ("Prior DVT and PE.", {"Deep venous thrombosis", "Pulmonary embolism"}),
        ("Boy with spastic CP in a wheelchair.", {"Spasticity"}),
        ("She began to sob.", set()),
        ("Pt c/o sob.", {"Dyspnea"}),
    ],
)
def test_an_abbreviation_with_several_meanings_follows_the_context(text, present):
    assert told(text)[0] == present


def test_each_letter_of_a_list_is_a_link():
    text = "c/o N/V/D, denies f/c"
    links = embedded.linker().link(text)
    assert [(one.text, one.record.name, one.status) for one in links] == [
        ("N", "Nausea", "present"),
        ("V", "Vomiting", "present"),
        ("D", "Diarrhea", "present"),
        ("f", "Fever", "absent"),
        ("c", "Chills", "absent"),
    ]
