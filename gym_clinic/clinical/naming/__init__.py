"""What the names in answers and calls mean: diseases, findings, orders, citations.

Names are taken as clinicians write them; one that is unknown, in doubt, denied, or means two things
means nothing.
"""

from gym_clinic.clinical.naming.citing import read_cited
from gym_clinic.clinical.naming.diseases import (
    disease_named,
    find_disease,
    finding_named,
    findings_named,
)
from gym_clinic.clinical.naming.evidence import evidence_name, find_condition, find_evidence
from gym_clinic.clinical.naming.orders import LONGEST, find_action, fulfils, undirected

__all__ = [
    "LONGEST",
    "disease_named",
    "evidence_name",
    "find_action",
    "find_condition",
    "find_disease",
    "find_evidence",
    "finding_named",
    "findings_named",
    "fulfils",
    "read_cited",
    "undirected",
]
