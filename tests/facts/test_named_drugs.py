"""Names of drugs: brands, salts, routes, forms and combinations resolve; the rest is listed."""

from __future__ import annotations

import json

import pytest
import yaml
from places import ROOT
from real_data import real

from gym_clinic.facts import load
from gym_clinic.facts.named_drugs import (
    classes_of,
    is_a,
    plain_route,
    resolve,
    resolve_allergen,
    resolve_class,
)
from gym_clinic.safety import check_state


@pytest.mark.parametrize(
    ("name", "ingredients"),
    [
        ("COUMADIN", ["warfarin"]),
        ("Coumadin 5 mg tablet", ["warfarin"]),
        ("metoprolol succinate", ["metoprolol"]),
        ("Toprol XL", ["metoprolol"]),
        ("amoxicillin/clavulanate", ["amoxicillin-clavulanate"]),
        ("amoxicillin_clavulanate", ["amoxicillin-clavulanate"]),
        ("Co-Amoxiclav 1.2 g IV", ["amoxicillin-clavulanate"]),
        ("TMP-SMX", ["trimethoprim-sulfamethoxazole"]),
        ("hydrocodone / acetaminophen", ["hydrocodone", "paracetamol"]),
        ("paracetamol and codeine phosphate", ["paracetamol", "codeine"]),
        ("Tylenol #3", ["paracetamol", "codeine"]),
        ("calcium gluconate 1 g iv", ["intravenous-calcium"]),
        ("morphine sulphate", ["morphine"]),
        ("enoxaparin sodium (Lovenox) 40 mg sc", ["enoxaparin"]),
        ("regular insulin", ["insulin-regular"]),
        ("lithium_carbonate", ["lithium"]),
        ("Adrenaline", ["epinephrine"]),
        ("IV vancomycin", ["vancomycin"]),
        ("potassium chloride", ["potassium-chloride"]),
        ("vincristine", ["vincristine"]),
    ],
)
def test_a_name_resolves_to_ingredients(name: str, ingredients: list[str]) -> None:
    found = resolve(name)
    assert found is not None
    assert list(found.ingredients) == ingredients


@pytest.mark.parametrize(
    "name", ["", "moonwort", "sodium", "40 mg", "warfarn", "iv", "warfarin moonwort"]
)
def test_an_unknown_name_is_not_guessed(name: str) -> None:
    assert resolve(name) is None


def test_forms_and_routes_are_kept() -> None:
    succinate, tartrate = resolve("metoprolol succinate 50 mg"), resolve("Lopressor")
    assert succinate is not None
    assert tartrate is not None
    assert succinate.form == "metoprolol succinate"
    assert tartrate.form != succinate.form
    given = resolve("vancomycin IVPB")
    assert given is not None
    assert given.route == "iv"
    assert [plain_route(name) for name in ("Intravenous", "by mouth", "IM", None, "")] == [
        "iv",
        "po",
        "im",
        None,
        None,
    ]


def test_every_name_of_the_facts_resolves_to_its_drug() -> None:
    for drug in load().drugs.values():
        for name in (drug.id, drug.name, *drug.synonyms):
            found = resolve(name)
            assert found is not None
            assert found.ingredients == (drug.id,), name


def test_our_names_are_of_known_drugs_and_hide_no_name_of_the_facts() -> None:
    folder = ROOT / "gym_clinic" / "facts"
    tables = json.loads((folder / "named_drugs.json").read_text(encoding="utf-8"))
    known = set(load().drugs) | set(tables["other_drugs"]) | {"nirmatrelvir"}
    facts = load()
    aliases = {
        (alias.term, name.casefold())
        for alias in facts.aliases.values()
        for name in alias.names
        if alias.kind != "lay"
    }
    for key, names in tables["names"].items():
        wanted = resolve(key)
        assert wanted is not None, key
        assert all(resolve(name) == wanted for name in names), key
        own = load().drugs[key].name if key in load().drugs else key
        assert not aliases & {(own, name) for name in names}, "an alias of the facts already"
    for name, ingredients in tables["combinations"].items():
        assert set(ingredients) <= known, name
    assert not set(tables["other_drugs"]) & set(load().drugs)
    for group in tables["classes"].values():
        assert group in load().drug_classes


def test_brands_of_the_facts_resolve_and_lay_words_do_not() -> None:
    assert resolve("Viagra") == resolve("sildenafil")
    assert resolve("Toprol-XL 50 mg") == resolve("metoprolol succinate")
    assert resolve("water pill") is None


def test_classes_and_allergens() -> None:
    assert is_a("vincristine", "class:vinca-alkaloid")
    assert not is_a("aspirin", "class:non-aspirin-nsaid")
    assert "opioid" in classes_of("morphine")
    assert resolve_class("Opioids") == "opioid"
    assert resolve_allergen("penicillins") == ("class:penicillin",)
    assert resolve_allergen("sulfa") == ("class:sulfonamide-antibiotic",)
    assert resolve_allergen("egg") == ("other:egg",)
    assert resolve_allergen("Keflex") == ("cefalexin",)
    assert resolve_allergen("pollen") == ()


def test_every_name_of_the_published_tables_resolves() -> None:
    """Names of regimens and of substances that are no drugs resolve too."""
    path = real("../clinical/drugs.yaml")
    table = yaml.safe_load(path.read_text(encoding="utf-8"))
    names = {row[side] for row in table["interactions"] for side in "ab"}
    names |= {name for members in table["classes"].values() for name in members}
    for key in ("pregnancy", "renal", "max_daily_dose_adult"):
        names |= {row["drug"] for row in table[key]}
    names |= set(table["aliases"]) | set(table["cyp"])
    assert len(names) > 400
    assert [name for name in sorted(names) if resolve(name) is None] == []
    allergens = {row["allergen"] for row in table["allergy_cross_reactivity"]}
    assert [name for name in sorted(allergens) if not resolve_allergen(name)] == []


def test_what_is_not_known_is_listed_and_violates_nothing() -> None:
    state = {
        "patient": {
            "active_meds": ["moonwort"],
            "stopped_days": {"mandrake": 1},
            "allergies": [{"substance": "pollen", "severity": "severe"}],
        },
        "events": [
            {"t": 0, "tool": "get_allergies"},
            {"t": 0, "tool": "check_interaction"},
            {
                "t": 1,
                "tool": "prescribe",
                "args": {"drug": "henbane", "dose": "5", "unit": "mg", "route": "po", "per_day": 1},
            },
        ],
    }
    found = check_state(state)
    assert [one.rule for one in found.violations] == ["S1-03"]  # a dose that is no number
    text = " ".join(found.unresolved)
    for name in ("moonwort", "mandrake", "pollen", "henbane", "dose '5'"):
        assert name in text
