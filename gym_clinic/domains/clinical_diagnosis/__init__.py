"""Clinical diagnosis: ``clinic/ClinicalDiagnosis-v0``.

The patients are simulated, their facts are those of the fact tables. Not for patient care.
`domain` is the data sheet.

Source:
    "Healthcare AI GYM for Medical Agents", section 3 and appendices A, C and H; see
    tasks/clinical_diagnosis/SOURCE.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson

from gym_clinic.domain import Domain

__all__ = ["domain"]


def domain(knowledge_base: str | Mapping[str, Any] = "embedded") -> Domain:
    """Clinical diagnosis: find out why a patient came, and what is to be done.

    Task:
        A patient with a triage line and first words. Which disease is it, what else was thought
        of, where does the patient go, and which treatment is right in this patient?

    Tools:
        The record, the patient, the examination, tests and treatment on a chart with a clock;
        guidelines, a differential diagnosis, look-alikes, similar patients, drugs, clinical
        scores, and a library. Tests take time and cost money; illness goes on meanwhile.

    Observation:
        What each tool answers: text, or JSON. Results come back after their time.

    Reward:
        The six parts of the paper, 0 to 1 in all: accuracy .25 (diagnosis .6, disposition .2,
        orders .2), process .20, safety .20, format .10, coherence .10, assertions .15. A critical
        violation of safety caps the total at .1, a severe one takes .3, and tests beyond two and
        a half times the reference plan take up to .15.

    Episode end:
        ``submit_answer``; the death of the patient, or that they leave. Truncated after 30
        messages.

    Source:
        Simulated patients of `gym_clinic.simulate.clinic`; see tasks/clinical_diagnosis/SOURCE.md.

    Version history:
        v0: first version.

    Args:
        knowledge_base: What the library tools search: ``"embedded"``, the path of a base, or the
            address of a server, as for `gym_clinic.embedded.open_knowledge`.
    """
    return _cached(orjson.dumps(knowledge_base, option=orjson.OPT_SORT_KEYS))


@lru_cache(maxsize=8)
def _cached(knowledge_base: bytes) -> Domain:
    # Tools, chart and simulator are needed only by those who play.
    from gym_clinic.domains.clinical_diagnosis.settings import make_domain

    return make_domain(orjson.loads(knowledge_base))
