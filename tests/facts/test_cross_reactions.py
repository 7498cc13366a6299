"""What an allergy to one drug means for another."""

from __future__ import annotations

import pytest

from gym_clinic.facts.cross_reactions import reaction_level


@pytest.mark.parametrize(
    ("allergen", "drug", "level"),
    [
        ("class:penicillin", "amoxicillin", "contraindicated"),
        ("class:penicillin", "ceftriaxone", "low"),
        ("class:penicillin", "cefazolin", "very_low"),
        ("class:penicillin", "aztreonam", "none"),
        ("ampicillin", "cefalexin", "moderate"),
        ("amoxicillin", "cefalexin", "moderate"),
        ("amoxicillin-clavulanate", "cefaclor", "moderate"),
        ("amoxicillin-clavulanate", "pivmecillinam", "contraindicated"),
        ("cefalexin", "amoxicillin", "moderate"),
        ("cefalexin", "phenoxymethylpenicillin", None),
        ("class:penicillin", "cefalexin", "low"),
        ("class:penicillin", "pivmecillinam", "contraindicated"),
        ("class:nsaid", "celecoxib", "low"),
        ("class:nsaid", "meloxicam", "low"),
        ("class:nsaid", "naproxen", "contraindicated"),
        ("amoxicillin", "piperacillin-tazobactam", "contraindicated"),
        ("vancomycin", "vancomycin", "contraindicated"),
        ("class:statin", "atorvastatin", "contraindicated"),
        ("sulfadiazine", "trimethoprim-sulfamethoxazole", "contraindicated"),
        ("carbamazepine", "phenytoin", "high"),
        ("ciprofloxacin", "amoxicillin", None),
    ],
)
def test_levels_of_allergies(allergen: str, drug: str, level: str | None) -> None:
    assert reaction_level(allergen, drug) == level
