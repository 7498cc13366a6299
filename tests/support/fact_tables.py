"""A small fact base, written from scratch, that tests may damage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

STAMP = {"sources": ["own"], "provenance": "authored", "reviewed": "2026-01-31"}
FOLDERS = ("diseases", "instruments", "interactions")
UNKNOWN = {"value": None, "band": None, "basis": "unknown", "source": None}


def authored(band: str) -> dict[str, Any]:
    return {"value": None, "band": band, "basis": "authored", "source": None}


def sourced(value: float | None = None, band: str | None = None) -> dict[str, Any]:
    return {"value": value, "band": band, "basis": "sourced", "source": "registry"}


def disease(key: str, name: str, **changes: Any) -> dict[str, Any]:
    return {
        "id": key,
        "name": name,
        "synonyms": [],
        "codes": {},
        "discipline": "neurology",
        "rare": False,
        "phenotypes": [{"phenotype": "HP:0000002", "frequency": authored("frequent")}],
        "look_alikes": [],
        "red_flags": [],
        "treatment": [],
        "tests": [],
        "summary": f"{name} is made up.",
        **STAMP,
        **changes,
    }


def phenotype(key: str, name: str, **changes: Any) -> dict[str, Any]:
    return {"id": key, "name": name, "synonyms": [], "group": "body", **STAMP, **changes}


def drug(key: str, name: str, **changes: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {"classes": [], "uses": [], "cautions": []}
    return {"id": key, "name": name, **empty, "summary": "Made up.", **STAMP, **changes}


def tables() -> dict[str, Any]:
    """The rows of every table, and the sources; each call gives a copy of its own."""
    return {
        "diseases": [
            disease(
                "amber-fever",
                "Amber fever",
                synonyms=["Fever, amber", "AF"],
                codes={"omim": ["OMIM:100100"], "orpha": ["ORPHA:17"], "icd10cm": ["A01.0"]},
                rare=True,
                phenotypes=[
                    {"phenotype": "HP:0000002", "frequency": sourced(0.5)},
                    {"phenotype": "HP:0000003", "frequency": authored("obligate")},
                    {"phenotype": "HP:0000008", "frequency": authored("excluded")},
                    {"phenotype": "sym-amber-glow", "frequency": UNKNOWN},
                ],
                look_alikes=["blue-palsy"],
            ),
            disease("blue-palsy", "Blue palsy", look_alikes=["amber-fever"]),
        ],
        "phenotypes": [
            phenotype("HP:0000002", "Abnormality of body height"),
            phenotype("HP:0000003", "Multicystic kidney dysplasia", synonyms=["Cystic kidney"]),
            phenotype("HP:0000008", "Abnormal morphology of female internal genitalia"),
            phenotype("sym-amber-glow", "Amber glow"),
        ],
        "disciplines": [
            {"id": "neurology", "name": "Neurology", "about": "Nerves.", **STAMP},
        ],
        "drugs": [
            drug("ambrol", "Ambrol", classes=["amber-blocker"], uses=["amber-fever"]),
            drug("blurol", "Blurol"),
        ],
        "drug-classes": [{"id": "amber-blocker", "name": "amber blocker", **STAMP}],
        "interactions": [
            {"between": ["blurol", "class:amber-blocker"], "effect": "too blue", **STAMP},
        ],
        "allergies": [
            {
                "allergen": "other:amber",
                "risk": ["ambrol"],
                "level": "low",
                "note": "as pollen",
                **STAMP,
            },
        ],
        "instruments": [
            {
                "id": "glow_score",
                "name": "Glow score",
                "subject": "neurology",
                "purpose": "tells how much it glows",
                "inputs": [
                    {"name": "glow", "label": "glow", "type": "integer", "low": 0, "high": 4},
                ],
                "formula": "glow",
                "decimals": 0,
                "total": [0, 4],
                "bands": [
                    {"band": "dark", "meaning": "does not glow", "low": 0, "high": 0},
                    {"band": "bright", "meaning": "glows", "low": 1, "high": 4},
                ],
                "citation": "Us 1999",
                "status": "ok",
                **STAMP,
            }
        ],
        "measurements": [
            {
                "id": "glow",
                "name": "Glow",
                "short": "G",
                "kind": "vital",
                "unit": "cd",
                "decimals": 0,
                "possible": [0, 9],
                "usual": [1, 1],
                **STAMP,
            }
        ],
        "guidelines": [
            {
                "id": "glow",
                "topic": "Glowing",
                "diseases": ["amber-fever"],
                "steps": ["Look.", "Wait."],
                "red_flags": [],
                "summary": "Look and wait.",
                **STAMP,
            }
        ],
        "sources": {
            "own": {"title": "Written here", "licence": "Apache-2.0", "taken": "all"},
            "registry": {"title": "A registry", "licence": "CC0", "taken": "frequencies"},
        },
    }


def finding(feature: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """Return a feature as it is written, with the name of its phenotype."""
    frequency = {key: value for key, value in feature["frequency"].items() if value is not None}
    written: dict[str, Any] = {"finding": names.get(feature["phenotype"], feature["phenotype"])}
    if frequency.pop("basis") == "sourced":
        written["stated"] = {**frequency, "references": feature.get("references", [])}
    else:
        written |= frequency
    return written


def write(folder: Path, found: dict[str, Any]) -> Path:
    """Write the tables into a folder; features of diseases may be given as they are read."""
    names = {one["id"]: one["name"] for one in found["phenotypes"]}
    for name, rows in found.items():
        file = folder / (f"{name}/all.json" if name in FOLDERS else f"{name}.json")
        file.parent.mkdir(parents=True, exist_ok=True)
        if name == "diseases":
            rows = [
                {
                    **{key: value for key, value in row.items() if key != "phenotypes"},
                    "findings": [finding(one, names) for one in row["phenotypes"]],
                }
                for row in rows
            ]
        table = rows if name == "sources" else {"records": rows}
        file.write_text(json.dumps(table), encoding="utf-8")
    return folder
