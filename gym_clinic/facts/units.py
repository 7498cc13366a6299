"""The units of doses, and the routes by which medicines are given."""

from __future__ import annotations

from typing import Literal

DoseUnit = Literal["mcg", "mg", "g", "units", "mL", "mmol", "puffs", "drops", "MBq"]
DoseRoute = Literal[
    "po", "iv", "im", "sc", "inhaled", "nasal", "sublingual", "buccal", "rectal", "vaginal",
    "topical", "transdermal", "ophthalmic",
]  # fmt: skip
