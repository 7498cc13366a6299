"""The names that settings may have: a line here, or ``module:NAME`` of anybody's own code.

Entries are strings, so that a setting is checked without importing torch or verl. A module of
one's own is found as Python finds it, the working directory included.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from gym_clinic import ConfigError
from gym_clinic.names import import_named, suggest

_Entry = TypeVar("_Entry")


class Registry(Generic[_Entry]):
    """The names that one setting may have, and the object behind each.

    Args:
        setting: Which setting, for errors.
        entries: Name -> ``"module:NAME"``, imported when it is asked for.
        takes: The arguments that such an object is called with, in order; one of anybody's own is
            refused if it cannot take as many. None for a maker that takes options.
        refused: Names that are not offered, and why.
    """

    def __init__(
        self,
        setting: str,
        entries: Mapping[str, str],
        takes: tuple[str, ...] | None,
        refused: Mapping[str, str] | None = None,
    ) -> None:
        self.setting = setting
        self.entries = dict(entries)
        self.takes = takes
        self.refused = dict(refused or {})

    def check(self, name: str) -> str:
        """Return a name that is offered, or ``module:NAME`` of something that can be called so.

        Raises:
            ConfigError: If it is neither; the error says why, or which name is nearest.
        """
        if name in self.refused:
            raise ConfigError(f"{self.setting} {name!r} is refused: {self.refused[name]}")
        if is_own(name):
            self._own(name)
        elif name not in self.entries:
            advice = suggest(name, self.entries)
            raise ConfigError(f"{self.setting}: no {name!r}; {advice} (or module:NAME of your own)")
        return name

    def __getitem__(self, name: str) -> _Entry:
        """Return what a name stands for; errors as for :meth:`check`."""
        self.check(name)
        found: _Entry = import_named(self.entries.get(name, name), self.setting)
        return found

    def _own(self, name: str) -> None:
        """Check that ``module:NAME`` is there and takes what it will be called with."""
        try:
            found = import_named(name, "choice")
        except (ConfigError, ImportError) as error:
            raise ConfigError(f"{self.setting}: {error}") from error
        takes = self.takes
        wanted = "expected a function of options" if takes is None else ""
        wanted = wanted or f"expected a function of ({', '.join(takes or ())})"
        if not callable(found):
            raise ConfigError(f"{self.setting}: {name!r} is a {type(found).__name__}; {wanted}")
        if takes is None:
            return
        try:
            inspect.signature(found).bind(*takes)
        except TypeError as error:
            raise ConfigError(
                f"{self.setting}: {name!r} cannot be called: {error}; {wanted}"
            ) from None

    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return iter(self.entries)


def is_own(name: str) -> bool:
    """Return whether a name is ``module:NAME`` of anybody's own code."""
    return ":" in name


TRAINERS: Registry[type[Any]] = Registry(
    "trainer.v1.trainer_mode",
    {
        "clinic": "verl_recipes.trainer.trainer:ClinicTrainer",
        "ttopd": "verl_recipes.ttopd.trainer:TTOPDTrainer",
        "ppo": "verl_recipes.critic.trainer:CriticTrainer",
    },
    ("config",),
)
"""The algorithms; each trainer registers itself with verl under this name. One of anybody's own
extends one of these, and is registered by ``verl_recipes.plugin``."""

OWN_TRAINER = "GYM_CLINIC_TRAINER"
"""Variable that names a trainer of anybody's own, the value of ``trainer.v1.trainer_mode``: the
plugin then registers it with verl. ``python -m verl_recipes train`` sets it."""


def extended(trainer: str) -> str:
    """Return which trainer of ours a trainer is, or extends: the name of the nearest.

    Raises:
        ConfigError: If it extends none.
    """
    if not is_own(trainer):
        return TRAINERS.check(trainer)
    found = TRAINERS[trainer]
    for name in reversed(list(TRAINERS)):  # the first one is what the others extend
        if isinstance(found, type) and issubclass(found, TRAINERS[name]):
            return name
    homes = [home.replace(":", ".") for home in TRAINERS.entries.values()]
    raise ConfigError(
        f"{TRAINERS.setting}: {trainer!r} is no trainer of ours; extend one of {homes}"
    )


REWARDS: Registry[Callable[..., float]] = Registry(
    "clinic.reward.mode",
    {
        "env": "verl_recipes.ttopd.reward:env",
        "cosine": "verl_recipes.ttopd.reward:cosine",
        "env_plus_length": "verl_recipes.ttopd.reward:env_plus_length",
    },
    ("record", "settings"),
)
"""What a trajectory is paid: ``(record, RewardSettings) -> float``."""

WRONG_MODES: Registry[Callable[..., float]] = Registry(
    "clinic.reward.wrong_mode",
    {
        "paper": "verl_recipes.ttopd.reward:paper",
        "yeo": "verl_recipes.ttopd.reward:yeo",
        "flat": "verl_recipes.ttopd.reward:flat",
    },
    ("left", "r_min", "r_penalty"),
)
"""What a wrong answer is paid: ``(left, r_min, r_penalty) -> float``."""

ESTIMATORS: Registry[Callable[..., Any]] = Registry(
    "clinic.teacher.estimator",
    {
        "full": "verl_recipes.ttopd.divergence:full",
        "topk_tail": "verl_recipes.ttopd.divergence:topk_tail",
        "k2": "verl_recipes.ttopd.divergence:k2",
    },
    ("student", "teacher", "tokens", "k"),
    refused={
        "k1": "as a loss, log p_s - log p_t of the sampled token has an expected gradient of zero; "
        "use 'k2', whose gradient is the reverse KL's",
        "k3": "as a loss, its gradient is the forward KL's, not the reverse one's; use 'k2'",
        "topk_notail": "without a tail the student lowers it by moving mass off the support; "
        "use 'topk_tail'",
    },
)
"""The divergences: ``(student, teacher, tokens, k) -> (values, gradients)``."""

REDUCTIONS: Registry[Callable[..., Any]] = Registry(
    "clinic.teacher.reduce",
    {
        "mean_turns": "verl_recipes.ttopd.turns:mean_turns",
        "sum_turns": "verl_recipes.ttopd.turns:sum_turns",
        "mean_tokens": "verl_recipes.ttopd.turns:mean_tokens",
    },
    ("sizes", "turns", "tokens"),
)
"""What a token counts for in its trajectory: ``(sizes, turns, tokens) -> weights``."""

SCHEDULES: Registry[Callable[..., float | None]] = Registry(
    "clinic.teacher.schedule",
    {
        "ema": "verl_recipes.ttopd.teacher:averaged",
        "copy": "verl_recipes.ttopd.teacher:copied",
        "frozen": "verl_recipes.ttopd.teacher:frozen",
    },
    ("step", "settings"),
)
"""The decay of the teacher's update after a step: ``(step, TeacherSettings) -> float or None``."""

HINTS: Registry[Callable[..., str]] = Registry(
    "clinic.hints.mode",
    {
        "outcome": "verl_recipes.ttopd.hints:outcome",
        "shuffled": "verl_recipes.ttopd.hints:shuffled",
        "none": "verl_recipes.ttopd.hints:none",
    },
    ("hints", "success", "digest"),
)
"""What the teacher reads about an outcome: ``(Hints, success, digest) -> text``."""

POPULATIONS: Registry[Callable[..., Any]] = Registry(
    "clinic.population.reward",
    {
        "exploration": "verl_recipes.trainer.population:Exploration",
        "exploration_dxsearch": "verl_recipes.trainer.population:DxSearchExploration",
    },
    None,
)
"""Rewards of a population: ``(**options) -> trainer.population.PopulationReward``."""
