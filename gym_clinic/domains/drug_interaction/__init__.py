"""Medication review, ``clinic/DrugInteraction-v0``: may this drug be given to this patient?

The patients are simulated; a simulation, not for patient care. `domain` is the data sheet.

Source:
    "Healthcare AI GYM for Medical Agents", section 3 and appendices A and C; the fact tables of
    drugs in kb/facts; see tasks/drug_interaction/SOURCE.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson

from gym_clinic.domain import Domain

__all__ = ["domain"]


def domain(knowledge_base: str | Mapping[str, Any] = "embedded") -> Domain:
    """Medication review: a drug is proposed, and the agent says whether this patient may have it.

    Task:
        A patient and a request: drug, dose, route and why. The agent finds what matters in this
        patient (interactions, allergies, kidneys, liver, pregnancy, age, conditions, duplicates,
        dose), judges how severe it is, and says what is done. Three of ten classes propose nothing:
        the whole list is reviewed, and kept or changed; what is stopped is replaced where a
        condition would go untreated.

    Tools:
        The record, the letters, the blood results and the patient; and tools that answer from the
        tables about what they are asked, not about the patient.

    Observation:
        JSON from record and tables, text from letters and the patient.

    Reward:
        The six parts of the paper, 0 to 1 in all: accuracy .25 (verdict .4, problems .4, plan .2;
        a verdict that something is wrong counts with a true reason alone, and the plan with it),
        process .20, safety .20, format .10, coherence .10, assertions .15. A critical violation of
        safety caps the total at .1, a severe one takes .3.

    Episode end:
        ``submit_answer``. Truncated after 20 messages.

    Source:
        Simulated patients of `gym_clinic.simulate.clinic` and the fact tables of drugs; see
        tasks/drug_interaction/SOURCE.md.

    Version history:
        v0: first version.

    Args:
        knowledge_base: What the library tools search, as for
            `gym_clinic.embedded.open_knowledge`.
    """
    return _cached(orjson.dumps(knowledge_base, option=orjson.OPT_SORT_KEYS))


@lru_cache(maxsize=8)
def _cached(knowledge_base: bytes) -> Domain:
    # Tools, chart and simulator are needed only by those who play.
    from gym_clinic.domains.drug_interaction.settings import make_domain

    return make_domain(orjson.loads(knowledge_base))
