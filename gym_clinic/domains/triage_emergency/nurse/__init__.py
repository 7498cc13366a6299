"""The rules baseline: a triage nurse who works by the published criteria, and guesses resources.

It measures, asks the same questions of everybody, reads answers by the linker of findings, gives
the first orders of what it found, and never sees the hidden patient. What a nurse cannot know is
guessed: how many resources will be needed follows from the diseases of the library that fit best.
"""

from gym_clinic.domains.triage_emergency.nurse.encounter import RulesNurse, rules

__all__ = ["RulesNurse", "rules"]
