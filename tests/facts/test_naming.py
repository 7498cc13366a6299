from __future__ import annotations

import doctest
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.facts import naming
from gym_clinic.facts.naming import fold_spelling, known_stems, same_name, stem, words

STEMS = Path(naming.__file__).with_name("stems.json")


def indexed_words() -> set[str]:
    """The words of names and terms that the linker of patients' questions has the roots of."""
    from gym_clinic.chart.talk.hearing import hearing_of
    from gym_clinic.facts import load

    found = hearing_of(load()).linker._index
    words = {one for key in found.exact for one in key} | found.vocabulary | set(found.partners)
    return {fold_spelling(one) for one in words if not one.endswith("itis")}


def computed(word: str) -> str:
    return naming._stemmed(naming._stemmed(word))


def test_known_stems_are_those_of_the_stemmer_and_nearly_all_that_are_needed() -> None:
    """``python tests/facts/test_naming.py`` writes them anew."""
    known = known_stems()
    assert {one: computed(one) for one in list(known)[::7]} == dict(list(known.items())[::7])
    needed = indexed_words()
    assert len(needed & known.keys()) >= 0.9 * len(needed)
    assert stem("headaches") == stem("headache")


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        ("Ménière disease", "MENIERE DISEASE", True),
        ("Ehlers-Danlos syndrome", "Ehlers Danlos syndrome", True),
        ("Sjögren’s syndrome", "Sjogren's syndrome", True),
        ("Autosomal recessive ichthyosis", "Ichthyosis, autosomal recessive", True),
        ("Down's syndrome", "Down syndrome", True),
        ("Subarachnoid haemorrhage", "Subarachnoid hemorrhage", True),
        ("Œsophageal tumours", "Esophageal tumors", True),
        ("Generalised anxiety disorder", "Generalized anxiety disorder", True),
        ("Muscle fibre titre", "Muscle fiber titer", True),
        ("Necrotising fasciitis", "Necrotizing fasciitis", True),
        ("Sulphite oxidase deficiency", "Sulfite oxidase deficiency", True),
        ("Hyperglycaemia", "Hypoglycaemia", False),
        ("Fever blister", "Blister fever", False),
        ("Ataxia 1", "Ataxia 2", False),
        ("", "", False),
        ("?", "!", False),
    ],
)
def test_names_agree_but_for_case_punctuation_and_inversion(ours, theirs, same):
    assert same_name(ours, theirs) is same


@given(st.text())
def test_words_are_plain(name):
    found = words(name)
    assert words(" ".join(found)) == found


@given(st.text(alphabet="aeoiæœ'’su lphtbmnrdzgcv"))
def test_american_spelling_is_kept(name):
    found = words(name)
    assert words(" ".join(found)) == found


@given(st.text())
def test_punctuation_does_not_matter(name):
    found = words(name)
    assert same_name(name, f"({name})") is bool(found)


def test_the_examples_of_the_documentation_hold():
    assert doctest.testmod(naming) == (0, 5)


if __name__ == "__main__":
    STEMS.write_text("{}\n", encoding="utf-8")
    known_stems.cache_clear()
    table = {one: computed(one) for one in sorted(indexed_words())}
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(one)}" for key, one in table.items())
    STEMS.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
