"""The rules baseline: a triage nurse who works by the published criteria.

It measures, asks the same questions of everybody, reads answers by the linker of findings, gives
the first orders of what it found, and never sees the hidden patient. How many resources will be
needed follows from the guide to the levels, by what was read.
"""

from gym_clinic.domains.triage_emergency.nurse.encounter import RulesNurse, rules

__all__ = ["RulesNurse", "rules"]
