"""A name that reduces to nothing names nothing, in every look-up of names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from gym_clinic.chart.catalogue import (
    actions,
    find_among,
    find_drug,
    find_procedure,
    find_study,
    find_test,
    find_tests,
)
from gym_clinic.clinical.naming.diseases import (
    disease_called,
    disease_named,
    find_disease,
    finding_named,
    findings_named,
)
from gym_clinic.clinical.naming.evidence import find_condition, find_evidence, named_evidence
from gym_clinic.clinical.naming.orders import find_action
from gym_clinic.domains.clingen.naming import known_subtype
from gym_clinic.domains.triage_emergency.activations import pathway_named
from gym_clinic.embedded import aliases, knowledge
from gym_clinic.errors import ClinicError
from gym_clinic.facts import load
from gym_clinic.facts.named_drugs import resolve, resolve_allergen, resolve_class
from gym_clinic.facts.naming import same_name, words
from gym_clinic.instruments.scoring import declaration
from gym_clinic.instruments.units import analyte_of
from gym_clinic.names import nearest
from gym_clinic.safety.terms import as_written
from gym_clinic.testing.names import pools

NOTHING = [
    *pools()["vanishing"],
    "в/в",
    "静脈内",
    "عن طريق الفم",
    "\ud800",
    "- " * 3_000,
    "\u0301" * 4_000,
]
FACTS = load()

LOOK_UPS: dict[str, Callable[[str], Any]] = {
    "laboratory test": lambda name: find_test(FACTS, name),
    "laboratory tests": lambda name: find_tests(FACTS, name),
    "study": lambda name: find_study(FACTS, name),
    "procedure": lambda name: find_procedure(FACTS, name),
    "route": lambda name: find_among(name, actions().routes, "route"),
    "service": lambda name: find_among(name, actions().consult.services, "service"),
    "oxygen device": lambda name: find_among(name, actions().oxygen_devices, "device"),
    "protocol of the chart": lambda name: find_among(name, actions().pathways, "protocol"),
    "drug of the chart": find_drug,
    "drug": resolve,
    "class of drugs": resolve_class,
    "allergen": resolve_allergen,
    "disease": find_disease,
    "disease by name": disease_named,
    "disease by any name": disease_called,
    "finding": finding_named,
    "findings": findings_named,
    "evidence": lambda name: find_evidence(FACTS, name),
    "evidence by name": lambda name: named_evidence(FACTS, name),
    "condition": find_condition,
    "order": lambda name: find_action(FACTS, name),
    "subtype of evidence": known_subtype,
    # An answer without a protocol says that none is due.
    "protocol": lambda name: pathway_named(name) if name.strip() else None,
    "instrument": declaration,
    "analyte": analyte_of,
    "passage": lambda name: knowledge().search(name),
    "alias": lambda name: aliases().find(name.split()),
    "nearest name": lambda name: nearest(name, ("fever", "cough", "a")),
}


@pytest.mark.parametrize("what", sorted(LOOK_UPS))
def test_a_name_of_nothing_is_not_found(what: str) -> None:
    for name in NOTHING:
        try:
            found = LOOK_UPS[what](name)
        except ClinicError as error:
            assert str(error).strip()  # noqa: PT017
        else:
            empty = found is None or (isinstance(found, Iterable) and not list(found))
            assert empty, f"{name[:20]!r} names {found!r}"


@pytest.mark.parametrize("name", NOTHING)
def test_a_drug_of_nothing_stays_unknown(name: str) -> None:
    assert not set(as_written(name).ingredients) & set(FACTS.drugs)


def test_names_of_nothing_are_not_the_same_name() -> None:
    assert not same_name("-", "…")
    assert not same_name("", "")
    assert words("- …") == ()
