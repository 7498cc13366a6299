"""Stages of one run: staged rewards, curricula, a reference that moves with the stage."""
