"""A study of a condition shows that condition, and no other illness that needs its own treatment.

An agent that reads the report would be right to treat what it says, and the gold knows nothing of
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from gym_clinic.facts import Facts
from gym_clinic.facts.records.conditions import Condition

STATES = {
    "blood over the brain": r"subdural|crescent of blood",
    "pneumonia": r"consolidation|airspace|patchy opacit|perihilar (int|gr)|shadowing of both lungs",
    "blocked kidneys": r"hydronephrosis|pelves dilated|pelvicalyceal",
    "infected urine": r"\b(coli|proteus|klebsiella)[^.|]*(>|above|more than|100,000)",
    "bacteria in the blood": r"(coli|aureus|pneumoniae|pyogenes|aeruginosa)[^.|]*\bsets?\b",
    "peritonitis": r"PMN <[3-9]\d\d|Neutrophils 0\.<[3-9]",
    "an infected disc": r"disc (and endplate )?destr",
    "human immunodeficiency virus": r"Reactive for antibody and p24",
    "lymphoma": r"para-aortic nodes|nodes of up to",
}
"""What a report may state -> its words."""

OF = {
    "pneumonia": {
        "bacterial-meningitis", "covid-19", "delirium", "febrile-neutropenia", "pneumonia",
        "pulmonary-embolism", "pulmonary-tuberculosis", "sepsis", "sickle-cell-disease",
        "syndrome-of-inappropriate-antidiuresis",
    },
    "blocked kidneys": {"acute-kidney-injury", "renal-colic"},
    "infected urine": {
        "acute-pyelonephritis", "cystitis", "delirium", "febrile-neutropenia", "sepsis",
    },
    "bacteria in the blood": {
        "acute-pyelonephritis", "ascending-cholangitis", "bacterial-meningitis", "cellulitis",
        "febrile-neutropenia", "infective-endocarditis", "osteomyelitis", "pneumonia", "sepsis",
        "septic-arthritis", "sickle-cell-disease", "spontaneous-bacterial-peritonitis",
    },
    "peritonitis": {"spontaneous-bacterial-peritonitis"},
    "human immunodeficiency virus": {"hiv-infection"},
}  # fmt: skip
"""What is stated -> the conditions that it belongs to; what they have is treated with them."""


def stated(condition: Condition, words: str) -> Iterator[str]:
    """Yield the wordings of results that state something, without what they deny."""
    pattern = re.compile(words, re.IGNORECASE)
    for study in condition.studies:
        for result in study.results:
            for wording in re.sub(r"^\[|\]$", "", result.text).split("|"):
                if pattern.search(re.sub(r"\b[Nn]o\b[^.]*", "", wording)):
                    yield wording


@pytest.mark.parametrize("what", STATES)
def test_no_study_shows_another_illness_that_needs_its_own_treatment(
    facts: Facts, what: str
) -> None:
    found = {one.id for one in facts.conditions.values() if any(stated(one, STATES[what]))}
    assert found == OF.get(what, set())


def test_a_study_that_shows_another_illness_is_found(facts: Facts) -> None:
    one = facts.conditions["accidental-hypothermia"]
    (study, *_) = (it for it in one.studies if it.study == "ct-head")
    blood = study.results[0].model_copy(update={"text": "[Small left subdural haematoma.|Normal.]"})
    changed = one.model_copy(update={"studies": (study.model_copy(update={"results": (blood,)}),)})
    assert [*stated(changed, STATES["blood over the brain"])] == ["Small left subdural haematoma."]
