"""Rules of patient safety over structured state; a simulation, not for patient care."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gym_clinic.exports import lazy_names

if TYPE_CHECKING:
    from gym_clinic.safety.evidence import Evidence as Evidence
    from gym_clinic.safety.judge import SafetyJudgement as SafetyJudgement
    from gym_clinic.safety.judge import SafetyRule as SafetyRule
    from gym_clinic.safety.judge import Violation as Violation
    from gym_clinic.safety.judge import check_state as check_state
    from gym_clinic.safety.judge import safety_rules as safety_rules
    from gym_clinic.safety.judge import violations as violations
    from gym_clinic.safety.state import State as State

_HOMES = {
    "Evidence": "evidence",
    "SafetyJudgement": "judge",
    "SafetyRule": "judge",
    "State": "state",
    "Violation": "judge",
    "check_state": "judge",
    "safety_rules": "judge",
    "violations": "judge",
}

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES)
