"""What every simulator needs: a seeded text grammar, and simulated patients.

What serves one domain lives in that domain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gym_clinic.exports import lazy_names

if TYPE_CHECKING:
    from gym_clinic.facts.phrases import ParsedPhrase as ParsedPhrase
    from gym_clinic.facts.phrases import parse as parse
    from gym_clinic.simulate.grammar import Grammar as Grammar
    from gym_clinic.simulate.grammar import read_grammar as read_grammar
    from gym_clinic.simulate.grammar import read_pools as read_pools
    from gym_clinic.simulate.patients import Known as Known
    from gym_clinic.simulate.patients import embedded_patients as embedded_patients
    from gym_clinic.simulate.patients import evaluation_patients as evaluation_patients
    from gym_clinic.simulate.patients import simulate_patients as simulate_patients
    from gym_clinic.simulate.presentation import SimulatedPatient as SimulatedPatient
    from gym_clinic.simulate.writer import Writer as Writer
    from gym_clinic.simulate.writer import capitalise as capitalise
    from gym_clinic.simulate.writer import counted as counted
    from gym_clinic.simulate.writer import punctuate as punctuate

_HOMES = {
    "Grammar": "grammar",
    "Known": "patients",
    "ParsedPhrase": "grammar",
    "SimulatedPatient": "presentation",
    "Writer": "writer",
    "capitalise": "writer",
    "counted": "writer",
    "embedded_patients": "patients",
    "evaluation_patients": "patients",
    "parse": "grammar",
    "punctuate": "writer",
    "read_grammar": "grammar",
    "read_pools": "grammar",
    "simulate_patients": "patients",
}

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES)
