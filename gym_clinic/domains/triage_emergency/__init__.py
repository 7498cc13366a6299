"""Triage and emergency: ``clinic/TriageEmergency-v0``. `domain` is its data sheet.

Every patient is simulated. Not for patient care.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson

from gym_clinic.domain import Domain

__all__ = ["domain"]


def domain(knowledge_base: str | Mapping[str, Any] = "embedded") -> Domain:
    """A patient at the door of the emergency department: how urgent, which protocol, where to?

    Task:
        Who comes, when and how, and the opening words. The agent decides the level of the Emergency
        Severity Index, activates the right protocol in its time, gives the orders that cannot wait,
        and sends the patient to a place of the department as it is now.

    Tools:
        Vital signs, questions, examination, record and papers; observation of consciousness, pain,
        bedside glucose; screens of stroke, sepsis, chest pain and trauma; NEWS2, qSOFA, shock
        index, Glasgow Coma Scale and ESI; the department, the red flags of a complaint
        (`read_red_flags`), protocols and the guide to the levels; orders, medicines, oxygen,
        fluids, blood, procedures, activation of protocols; the library.

    Observation:
        JSON or text of the tools. Everything takes minutes, and illness goes on.

    Reward:
        The five dimensions of Healthcare AI GYM with assertions, 0 to 1 (`gym_clinic.clinical`).
        Accuracy is half the level, a quarter the protocol and a quarter the place; of protocol and
        place each one of a set is right. With a wrong level only a protocol that is due counts.

    Episode end:
        ``submit_answer``, or the patient dies or leaves. Truncated after 25 actions.

    Source:
        Gold levels follow the Emergency Severity Index, version 4 (AHRQ Publication No. 12-0014),
        from the true state on arrival; see :mod:`.acuity`. The domain is named in
        "Healthcare AI GYM for Medical Agents", table 3.

    Version history:
        v0: first version.

    Args:
        knowledge_base: What the library tools search, as for
            `gym_clinic.embedded.open_knowledge`.
    """
    return _cached(orjson.dumps(knowledge_base, option=orjson.OPT_SORT_KEYS))


@lru_cache(maxsize=8)
def _cached(knowledge_base: bytes) -> Domain:
    # Rooms with tools and simulators are needed only by those who play.
    from gym_clinic.domains.triage_emergency.settings import make_domain

    return make_domain(orjson.loads(knowledge_base))
