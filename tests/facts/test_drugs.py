"""The drugs, compared with a table of interacting pairs and classes where it is at hand."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from gym_clinic.facts.tables import Facts

HERE = {
    "acetaminophen": "paracetamol",
    "rifampin": "rifampicin",
    "albuterol": "salbutamol",
    "glyburide": "glibenclamide",
    "cyclosporine": "ciclosporin",
    "meperidine": "pethidine",
}
"""Name in the table -> id here, where only the country differs."""

CLASSES = {
    "ssri": "SSRI",
    "snri": "SNRI",
    "nitrate": "nitrate",
    "pde5_inhibitor": "PDE5 inhibitor",
    "opioid": "opioid",
    "benzodiazepine": "benzodiazepine",
    "ace_inhibitor": "ACE inhibitor",
    "arb": "angiotensin receptor blocker",
    "anticoagulant": "anticoagulant",
    "antiplatelet": "antiplatelet",
    "nsaid": "NSAID",
    "corticosteroid": "corticosteroid",
    "beta_blocker": "beta-blocker",
    "fluoroquinolone": "fluoroquinolone",
    "aminoglycoside": "aminoglycoside",
    "loop_diuretic": "loop diuretic",
    "statin": "statin",
    "penicillin": "penicillin",
    "cephalosporin": "cephalosporin",
    "qt_prolonging_known_risk": "QT-prolonging drug",
}
"""Class in the table -> class here."""


def here(name: str, facts: Facts) -> str | None:
    key = HERE.get(name, name).replace("_", "-")
    return key if key in facts.drugs else None


def known(names: list[str], facts: Facts) -> list[str]:
    return [key for name in names if (key := here(name, facts))]


def effects(one: str, other: str, facts: Facts) -> list[str]:
    """Return the effects that either drug states with the other, or with a class of it."""
    return [
        pair.effect
        for this, that in ((one, other), (other, one))
        for pair in facts.drugs[this].interactions
        if pair.other in (that, *facts.drugs[that].classes)
    ]


def test_drugs_belong_to_the_classes_of_the_table(
    facts: Facts, drug_tables: dict[str, Any]
) -> None:
    pairs = [
        (key, ours)
        for theirs, ours in CLASSES.items()
        for key in known(drug_tables["classes"][theirs], facts)
    ]
    assert len(pairs) >= 60
    assert [(key, ours) for key, ours in pairs if ours not in facts.drugs[key].classes] == []


def test_interacting_pairs_are_described(facts: Facts, drug_tables: dict[str, Any]) -> None:
    pairs = [
        (one, other)
        for row in drug_tables["interactions"]
        if (one := here(row["a"], facts)) and (other := here(row["b"], facts))
    ]
    assert len(pairs) >= 200
    assert [pair for pair in pairs if not effects(*pair, facts)] == []


def class_pairs(facts: Facts, drug_tables: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for row in drug_tables["class_interactions"]:
        sides = [
            known(drug_tables["classes"].get(row[side], []), facts)
            for side in ("class_a", "class_b")
        ]
        for one, other in itertools.product(*sides):
            if one != other:
                yield one, other


def test_interacting_classes_are_described(facts: Facts, drug_tables: dict[str, Any]) -> None:
    pairs = set(class_pairs(facts, drug_tables))
    assert len(pairs) >= 300
    assert sorted(pair for pair in pairs if not effects(*pair, facts)) == []


def test_cautions_name_pregnancy_and_kidneys(facts: Facts, drug_tables: dict[str, Any]) -> None:
    for rows, words, levels in (
        (drug_tables["pregnancy"], ("pregnan", "trimester"), ("contraindicated", "avoid")),
        (drug_tables["renal"], ("kidney",), None),
    ):
        asked = [
            key
            for row in rows
            if (key := here(row["drug"], facts)) and (levels is None or row["level"] in levels)
        ]
        assert len(asked) >= 15
        silent = [
            key
            for key in asked
            if not any(word in text for text in facts.drugs[key].cautions for word in words)
        ]
        assert silent == []
