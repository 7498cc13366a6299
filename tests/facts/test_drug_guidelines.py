"""What the guidelines say of drugs, compared with the drug tables beside the checkout."""

from __future__ import annotations

import re
from typing import Any

from gym_clinic.facts.tables import Facts

AMERICAN = {
    "ciclosporin": "cyclosporine",
    "grapefruit juice": "grapefruit_juice",
    "pethidine": "meperidine",
    "rifampicin": "rifampin",
    "st john's wort": "st_johns_wort",
    "zoledronic acid": "zoledronic_acid",
}
"""Name of ours -> name in the tables, where they differ."""


def drugs(text: str) -> list[str]:
    """Return the drugs of a list in a sentence by their names in the tables."""
    names = [name.strip(" .") for name in re.split(r", and |, | and ", text.casefold())]
    return [AMERICAN.get(name, name) for name in names if name]


def steps(facts: Facts, guideline: str) -> str:
    return " ".join(facts.guidelines[guideline].steps)


def test_inhibitors_and_inducers(facts: Facts, drug_tables: dict[str, Any]) -> None:
    text = steps(facts, "cyp450-metabolism-inhibitors-and-inducers")
    seen = 0
    for enzyme, rest in re.findall(r"CYP(\w+): (.*?)(?=\.(?: |$))", text):
        for role, pattern in (
            ("inhibitor", r"inhibited by ([^;]*?)(?:;|, induced|$)"),
            ("inducer", r"induced by ([^;]*?)(?:;|$)"),
        ):
            found = re.search(pattern, rest)
            for drug in drugs(found[1]) if found else []:
                if drug == "smoking":
                    continue  # no drug, and in no table
                known = {one["enzyme"] for one in drug_tables["cyp"][drug][role]}
                assert enzyme in known, (drug, role, enzyme)
                seen += 1
    assert seen >= 20


def test_contraindicated_in_pregnancy(facts: Facts, drug_tables: dict[str, Any]) -> None:
    text = steps(facts, "drugs-contraindicated-in-pregnancy-and-those-preferred")
    levels = {one["drug"]: one["level"] for one in drug_tables["pregnancy"]}
    found = re.search(r"Contraindicated are (.*?)\.", text)
    assert found
    named = [name for name in drugs(found[1]) if name in levels]
    assert len(named) >= 8
    assert {levels[name] for name in named} == {"contraindicated"}
    for drug in ("labetalol", "nifedipine", "methyldopa", "insulin"):
        assert levels[drug] == "acceptable"
        assert drug in text


def includes(threshold: str, limit: int) -> bool:
    """Whether a threshold of the tables holds below a limit."""
    found = re.search(r"<([0-9]+)$", threshold)
    return "any" in threshold or (found is not None and int(found[1]) >= limit)


def test_avoided_below_a_kidney_limit(facts: Facts, drug_tables: dict[str, Any]) -> None:
    text = steps(facts, "drug-doses-in-kidney-failure")
    found = re.search(r"Below 30 mL per minute avoid (.*?), and below 35 (.*?)\.", text)
    assert found
    actions = {(one["drug"], one["threshold"]): one["action"] for one in drug_tables["renal"]}
    for limit, names in (("30", found[1]), ("35", found[2])):
        for drug in drugs(names):
            if drug == "nsaids":
                drug = "ibuprofen"
            fitting = [
                action
                for (name, threshold), action in actions.items()
                if name == drug and includes(threshold, int(limit))
            ]
            assert fitting, (drug, limit)
            assert any(re.match("avoid|contraindicated", action) for action in fitting), drug


def test_daily_maxima(facts: Facts, drug_tables: dict[str, Any]) -> None:
    text = steps(facts, "maximum-daily-doses-and-paracetamol")
    limits = {one["drug"]: one["max"] for one in drug_tables["max_daily_dose_adult"]}
    paracetamol = re.search(r"Paracetamol: at most ([0-9.]+) g a day", text)
    ibuprofen = re.search(r"Ibuprofen: at most ([0-9.]+) g a day", text)
    assert paracetamol
    assert ibuprofen
    assert float(paracetamol[1]) * 1000 == limits["acetaminophen"]
    assert float(ibuprofen[1]) * 1000 == limits["ibuprofen"]
