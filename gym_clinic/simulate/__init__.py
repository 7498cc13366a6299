"""Seeded generators of cases and articles."""
