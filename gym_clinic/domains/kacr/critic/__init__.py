"""The critic of KACR: a relational graph network over a subgraph, beside a text.

It values the states of the walk while a policy is trained, and afterwards gives the confidence of
an answer in a consultation. It is plain torch, which is an extra: a name of this package that
needs it raises a ConfigError with the install line where it is missing.

Source: KACR paper, sections 3.1.2 and 3.2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gym_clinic.errors import ConfigError
from gym_clinic.exports import lazy_names

if TYPE_CHECKING:
    from gym_clinic.domains.kacr.critic.calibration import Calibration as Calibration
    from gym_clinic.domains.kacr.critic.calibration import (
        measure_calibration as measure_calibration,
    )
    from gym_clinic.domains.kacr.critic.confidence import GraphCritic as GraphCritic
    from gym_clinic.domains.kacr.critic.confidence import load_critic as load_critic
    from gym_clinic.domains.kacr.critic.confidence import save_critic as save_critic
    from gym_clinic.domains.kacr.critic.network import GraphValue as GraphValue
    from gym_clinic.domains.kacr.critic.network import convolve as convolve
    from gym_clinic.domains.kacr.critic.state import GraphState as GraphState
    from gym_clinic.domains.kacr.critic.state import horizon as horizon

_HOMES = {
    "Calibration": "calibration",
    "GraphCritic": "confidence",
    "GraphState": "state",
    "GraphValue": "network",
    "convolve": "network",
    "horizon": "state",
    "load_critic": "confidence",
    "measure_calibration": "calibration",
    "save_critic": "confidence",
}

__all__ = sorted(_HOMES)

INSTALL = 'pip install "gym_clinic[critic]"'

if not TYPE_CHECKING:
    _find = lazy_names(__name__, _HOMES)

    def __getattr__(name: str) -> Any:
        try:
            return _find(name)
        except ImportError as error:
            if (error.name or "").partition(".")[0] in ("torch", "safetensors"):
                raise ConfigError(f"the graph critic needs {error.name}: {INSTALL}") from None
            raise
