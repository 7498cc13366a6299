"""The settings of the critic: ``clinic.critic``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gym_clinic import ConfigError
from gym_clinic.names import at_least_one, checked_number


@dataclass(frozen=True)
class CriticSettings:
    """The value model of PPO.

    Attributes:
        model: ``module:NAME`` of a torch module that ``critic/value.py`` describes; null for none.
        options: Its arguments.
        lr: Of Adam; the KACR paper's 5e-5.
        batch: States a step of the optimiser; the paper's 8.
        epochs: Passes over the states of a training step; the paper does not name its own.
        normalise: Whether advantages are whitened; the paper does not say so.
    """

    model: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    lr: float = 5e-5
    batch: int = 8
    epochs: int = 1
    normalise: bool = False

    def __post_init__(self) -> None:
        if self.model is not None and not isinstance(self.model, str):
            raise ConfigError(
                f"clinic.critic.model is module:NAME of a torch module, or null, not {self.model!r}"
            )
        if not isinstance(self.options, Mapping):
            raise ConfigError(f"clinic.critic.options is {{name: value}}, not {self.options!r}")
        checked_number("clinic.critic.lr", self.lr, least=0.0)
        for name in ("batch", "epochs"):
            at_least_one(f"clinic.critic.{name}", getattr(self, name))
        if not isinstance(self.normalise, bool):
            raise ConfigError(f"clinic.critic.normalise is true or false, not {self.normalise!r}")
