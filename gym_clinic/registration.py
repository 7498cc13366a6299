"""The table of ids: each is a domain and its fixed plain-JSON arguments."""

from __future__ import annotations

from typing import Any

import gymnasium as gym

IDS: dict[str, dict[str, Any]] = {
    "clinic/ClinGen-v0": {"domain": "clingen"},
    "clinic/ClinGenSingle-v0": {"domain": "clingen:single"},
    "clinic/ClinicalDiagnosis-v0": {"domain": "clinical_diagnosis"},
    "clinic/TriageEmergency-v0": {"domain": "triage_emergency"},
    "clinic/DrugInteraction-v0": {"domain": "drug_interaction"},
    "clinic/DxSearch-v0": {"domain": "dxsearch"},
    "clinic/DisciplineGraph-v0": {"domain": "kacr"},
    "clinic/Consultation-v0": {"domain": "kacr:consultation"},
    "clinic/TriageDoctor-v0": {"domain": "mmedagent:triage"},
    "clinic/AttendingPhysician-v0": {"domain": "mmedagent:attending"},
    "clinic/MultimodalConsult-v0": {"domain": "mmedagent:consult"},
}


def register_all() -> None:
    """Register every id of the table with Gymnasium.

    The environment itself refuses a step before reset, so Gymnasium's wrapper for that, which costs
    a twentieth of a step, is left out.
    """
    for name, kwargs in IDS.items():
        gym.register(
            id=name,
            entry_point="gym_clinic.env:ClinicEnv",
            order_enforce=False,
            kwargs=kwargs,
        )
