"""Changes to documents of a patient, each of which a check must notice."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.texts import Document, phrasebook
from gym_clinic.simulate.clinic.texts.document import Fact

Mutation = Callable[[ClinicPatient, Sequence[Document]], list[Document] | None]


def _first(
    documents: Sequence[Document], change: Callable[[Document], Document | None]
) -> list[Document] | None:
    """The documents with the first one changed that can be; None if none can."""
    for place, one in enumerate(documents):
        changed = change(one)
        if changed is not None:
            return [*documents[:place], changed, *documents[place + 1 :]]
    return None


def of_text(pattern: str, write: Callable[[re.Match[str]], str]) -> Mutation:
    """Change the first match of a pattern in notes, and leave the facts as they are."""

    def mutate(_: ClinicPatient, documents: Sequence[Document]) -> list[Document] | None:
        def change(one: Document) -> Document | None:
            text = re.sub(pattern, write, one.text, count=1)
            narrative = one.kind not in ("laboratory", "ecg", "imaging")
            return replace(one, text=text) if narrative and text != one.text else None

        return _first(documents, change)

    return mutate


def of_table(pattern: str, write: Callable[[re.Match[str]], str]) -> Mutation:
    """Change the first line that matches in a laboratory table."""

    def mutate(_: ClinicPatient, documents: Sequence[Document]) -> list[Document] | None:
        def change(one: Document) -> Document | None:
            text = re.sub(pattern, write, one.text, count=1, flags=re.MULTILINE)
            return replace(one, text=text) if text != one.text else None

        return _first([each for each in documents if each.kind == "laboratory"], change)

    return mutate


def of_fact(fits: Callable[[Fact], bool], change_fact: Callable[[Fact], Fact]) -> Mutation:
    """Change the first fact that fits."""

    def mutate(_: ClinicPatient, documents: Sequence[Document]) -> list[Document] | None:
        def change(one: Document) -> Document | None:
            for place, fact in enumerate(one.facts):
                if fits(fact):
                    facts = (*one.facts[:place], change_fact(fact), *one.facts[place + 1 :])
                    return replace(one, facts=facts)
            return None

        return _first(documents, change)

    return mutate


def denying_what_is_there(
    patient: ClinicPatient, documents: Sequence[Document]
) -> list[Document] | None:
    """Add a sentence that negates a finding of the note."""

    def change(one: Document) -> Document | None:
        for fact in one.facts:
            if fact.kind == "finding" and fact.has and fact.says and one.kind == "note":
                return replace(one, text=f"{one.text} No {fact.says}.")
        return None

    return _first(documents, change)


def naming_the_diagnosis(
    patient: ClinicPatient, documents: Sequence[Document]
) -> list[Document] | None:
    """Write the diagnosis into the impression."""
    name = patient.facts.diseases[patient.problems[0].condition].name
    return _first(documents, lambda one: replace(one, text=f"{one.text} Imp: {name}."))


def with_held_out_words(
    patient: ClinicPatient, documents: Sequence[Document]
) -> list[Document] | None:
    """Write four words of a phrase that train does not have."""
    words = next(
        gram
        for pool in phrasebook.splits().values()
        for phrase, split in pool.items()
        if split != "train"
        for gram in sorted(phrasebook.grams(phrase))
    )
    return _first(documents, lambda one: replace(one, text=f"{one.text} {' '.join(words)}"))


def later(fact: Fact) -> Fact:
    """The fact, a day after it."""
    return replace(fact, minute=(fact.minute or 0) + 1500)
