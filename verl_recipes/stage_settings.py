"""Settings of the environments of a run, and of its stages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    ConfigDict,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    StringConstraints,
)
from pydantic.dataclasses import dataclass

from gym_clinic import ConfigError

STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
"""Of every section: no unknown key, no text for a number, no number that is not finite."""

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


def _equal_shares(value: Any) -> Any:
    """Return a list of names as a mapping to equal shares."""
    if not isinstance(value, list | tuple):
        return value
    if twice := [name for name in value if value.count(name) > 1]:
        raise ConfigError(f"splits names {twice[0]!r} twice; give shares: {{{twice[0]}: 2, …}}")
    return dict.fromkeys(value, 1.0)


Shares = Annotated[Mapping[Name, PositiveFloat], BeforeValidator(_equal_shares)]
"""Splits of which training rows are mixed: ``[train, endless]``, or ``{train: 3, endless: 1}``."""


@dataclass(frozen=True, config=STRICT)
class EnvironmentSettings:
    """One environment of a run.

    Attributes:
        id: A registered id, or ``module:NAME`` of a domain.
        weight: Its share of the training rows is this over the sum of all weights.
        split: Of its training rows; null for ``data.train_files``.
        splits: Several in place of it, mixed by their shares.
        weights: Of its reward parts, in place of its own; a part left out weighs 0.
        val_split: Of its validation rows; null for ``data.val_files``.
        env_kwargs: Further arguments of the environment, as plain JSON: ``dialect`` and
            ``max_turns``, say.
        turn_tokens: Tokens of one reply; null for ``clinic.turn_tokens``.
    """

    id: Name
    weight: PositiveFloat = 1.0
    split: Name | None = None
    splits: Shares = field(default_factory=dict)
    val_split: Name | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)
    turn_tokens: PositiveInt | None = None

    def __post_init__(self) -> None:
        if "split" in self.env_kwargs:
            raise ConfigError(
                f"{self.id}: env_kwargs cannot name a split: data.train_files and data.val_files "
                "do, or split and val_split of clinic.envs"
            )
        if self.split and self.splits:
            raise ConfigError(f"{self.id}: split and splits exclude one another")
        if self.weights and "weights" in self.env_kwargs:
            raise ConfigError(f"{self.id}: weights are named twice, in env_kwargs as well")

    @property
    def options(self) -> dict[str, Any]:
        """The arguments that it is made with."""
        weights = {"weights": dict(self.weights)} if self.weights else {}
        return {**self.env_kwargs, **weights}

    def shares(self, default: str) -> Mapping[str, float]:
        """Return the share of each split in its training rows.

        Args:
            default: The split of a run that names none for it.
        """
        return self.splits or {self.split or default: 1.0}


@dataclass(frozen=True, config=STRICT)
class StageSettings:
    """One stage of ``clinic.stages``; what it leaves out is the run's own.

    Attributes:
        name: Shown in the log.
        steps: Most training steps that it takes; a config may leave it out, for as many as the run
            was asked for (``--steps``).
        target: The figure that it is to raise, by its name in the log. Null: of the reward part
            with the largest of ``weights``, its mean; without weights, ``clinic/success``.
        stop_at: Value of the target at which the stage ends early; null for never.
        patience: Looks at the target without a new best value after which the stage ends early;
            null for never.
        weights: Of reward parts, instead of the environment's; a part that neither they nor the
            run's weights name weighs 0.
        env_weights: The same by environment, over ``weights``: for parts that not all have.
        env_kwargs: Further arguments of every environment.
        split: Of the training rows; null for the run's.
        splits: Several in place of it, mixed by their shares: what went before can be replayed.
        kl: Coefficient of the KL to the reference model; null for the run's.
        reference: ``base``: the model that the run began with. ``stage_start``: the policy with
            which the stage begins.

    Source: staged rewards are section 4 of Deep-DxSearch, the curriculum with a KL coefficient a
    stage is MMedAgent-RL's; that paper does not name its reference, hence both.
    """

    name: Name
    steps: PositiveInt
    target: Name | None = None
    stop_at: float | None = None
    patience: PositiveInt | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    env_weights: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)
    split: Name | None = None
    splits: Shares = field(default_factory=dict)
    kl: NonNegativeFloat | None = None
    reference: Literal["base", "stage_start"] = "base"

    def __post_init__(self) -> None:
        if wrong := sorted({"split", "weights"} & set(self.env_kwargs)):
            raise ConfigError(
                f"clinic.stages: {self.name}: env_kwargs cannot name {wrong}: the stage's own "
                f"{wrong} do"
            )
        if self.split and self.splits:
            raise ConfigError(f"clinic.stages: {self.name}: split and splits exclude one another")

    @property
    def figure(self) -> str:
        """The figure that the stage is to raise."""
        if self.target is not None:
            return self.target
        if not self.weights:
            return "clinic/success"
        return f"clinic/reward/{max(self.weights, key=lambda part: self.weights[part])}/mean"

    def of(self, env: EnvironmentSettings) -> EnvironmentSettings:
        """Return an environment of the run as it is in this stage."""
        options = {**env.options, **self.env_kwargs}
        weights = {**options.pop("weights", {}), **self.weights, **self.env_weights.get(env.id, {})}
        found = replace(env, env_kwargs=options, weights=weights)
        if not self.split and not self.splits:
            return found
        return replace(found, split=self.split, splits=self.splits)
