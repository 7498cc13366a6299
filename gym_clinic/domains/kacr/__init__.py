"""Disciplines for a question by a walk over the clinical graph (KACR)."""
