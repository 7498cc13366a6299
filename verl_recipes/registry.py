"""The names that settings may have: a further one is its code in a file, and a line here.

Entries are strings, so that a setting is checked without importing torch or verl.
"""

from __future__ import annotations

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
        refused: Names that are not offered, and why.
    """

    def __init__(
        self, setting: str, entries: Mapping[str, str], refused: Mapping[str, str] | None = None
    ) -> None:
        self.setting = setting
        self.entries = dict(entries)
        self.refused = dict(refused or {})

    def check(self, name: str) -> str:
        """Return a name that is offered.

        Raises:
            ConfigError: If it is not; the error says why, or which name is nearest.
        """
        if name in self.refused:
            raise ConfigError(f"{self.setting} {name!r} is refused: {self.refused[name]}")
        if name not in self.entries:
            raise ConfigError(f"{self.setting}: no {name!r}; {suggest(name, self.entries)}")
        return name

    def __getitem__(self, name: str) -> _Entry:
        """Return what a name stands for; errors as for :meth:`check`."""
        found: _Entry = import_named(self.entries[self.check(name)], self.setting)
        return found

    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return iter(self.entries)


TRAINERS: Registry[type[Any]] = Registry(
    "trainer.v1.trainer_mode",
    {
        "clinic": "verl_recipes.trainer.trainer:ClinicTrainer",
        "ttopd": "verl_recipes.ttopd.trainer:TTOPDTrainer",
        "ppo": "verl_recipes.critic.trainer:CriticTrainer",
    },
)
"""The algorithms; each trainer registers itself with verl under this name."""

REWARDS: Registry[Callable[..., float]] = Registry(
    "clinic.reward.mode",
    {
        "env": "verl_recipes.ttopd.reward:env",
        "cosine": "verl_recipes.ttopd.reward:cosine",
        "env_plus_length": "verl_recipes.ttopd.reward:env_plus_length",
    },
)
"""What a trajectory is paid: ``(record, RewardSettings) -> float``."""

WRONG_MODES: Registry[Callable[..., float]] = Registry(
    "clinic.reward.wrong_mode",
    {
        "paper": "verl_recipes.ttopd.reward:paper",
        "yeo": "verl_recipes.ttopd.reward:yeo",
        "flat": "verl_recipes.ttopd.reward:flat",
    },
)
"""What a wrong answer is paid: ``(left, r_min, r_penalty) -> float``."""

ESTIMATORS: Registry[Callable[..., Any]] = Registry(
    "clinic.teacher.estimator",
    {
        "full": "verl_recipes.ttopd.divergence:full",
        "topk_tail": "verl_recipes.ttopd.divergence:topk_tail",
        "k2": "verl_recipes.ttopd.divergence:k2",
    },
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
)
"""What a token counts for in its trajectory: ``(sizes, turns, tokens) -> weights``."""

SCHEDULES: Registry[Callable[..., float | None]] = Registry(
    "clinic.teacher.schedule",
    {
        "ema": "verl_recipes.ttopd.teacher:averaged",
        "copy": "verl_recipes.ttopd.teacher:copied",
        "frozen": "verl_recipes.ttopd.teacher:frozen",
    },
)
"""The decay of the teacher's update after a step: ``(step, TeacherSettings) -> float or None``."""

HINTS: Registry[Callable[..., str]] = Registry(
    "clinic.hints.mode",
    {
        "outcome": "verl_recipes.ttopd.hints:outcome",
        "shuffled": "verl_recipes.ttopd.hints:shuffled",
        "none": "verl_recipes.ttopd.hints:none",
    },
)
"""What the teacher reads about an outcome: ``(Hints, success, digest) -> text``."""
