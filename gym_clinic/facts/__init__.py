"""The fact tables: what is known of diseases, phenotypes, drugs and more, written down once."""

from __future__ import annotations

from gym_clinic.facts.load import Facts, load

__all__ = ["Facts", "load"]
