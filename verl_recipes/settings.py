"""The ``clinic`` section of a training config: every knob that is ours and not verl's."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from gym_clinic import ConfigError
from gym_clinic.names import suggest

REWARDS = ("env", "cosine", "env_plus_length")
WRONG_MODES = ("paper", "yeo", "flat")
ESTIMATORS = ("full", "topk_tail", "k2")
REDUCTIONS = ("mean_turns", "sum_turns")
HINTS = ("outcome", "shuffled", "none")
OVERLONG = ("error", "skip")
TOOLS = ("native", "text")

_Section = TypeVar("_Section")


@dataclass(frozen=True)
class Reward:
    """What a trajectory is paid.

    Attributes:
        mode: ``env``: the environment's own reward. ``cosine``: R_cos of its success and length
            (TT-OPD paper, eq. 3). ``env_plus_length``: their sum.
        l_max: Policy tokens at which the length reward bottoms out; the paper's 12,288.
        r_max: Of a correct answer of no length. The paper's table is lost; its examples score 1.18.
        r_min: Of the longest correct answer; below 0 a long correct answer pays less than silence.
        r_penalty: Of a truncated trajectory.
        wrong_mode: ``paper`` punishes long wrong answers, ``yeo`` (the source it cites) short
            ones, ``flat`` neither.
    """

    mode: str = "env"
    l_max: int = 12_288
    r_max: float = 1.2
    r_min: float = 0.2
    r_penalty: float = -0.5
    wrong_mode: str = "paper"

    def __post_init__(self) -> None:
        _one_of("clinic.reward.mode", self.mode, REWARDS)
        _one_of("clinic.reward.wrong_mode", self.wrong_mode, WRONG_MODES)
        _count("clinic.reward.l_max", self.l_max)
        if self.r_max < self.r_min:
            raise ConfigError(
                f"clinic.reward.r_max is at least r_min, not {self.r_max} < {self.r_min}"
            )


@dataclass(frozen=True)
class Teacher:
    """The EMA teacher and the distillation loss (TT-OPD paper, eq. 2 and 4).

    Attributes:
        enabled: Whether there is one; without it the run is plain GRPO.
        lam: Weight of the KL, lambda_distill; the paper's 4.0, applied once.
        decay: Of the average; the paper's .995.
        every: Steps between two updates; the paper's 5.
        hard_copy: Steps between two copies of the student, null for never. The paper names 30
            and also shows that copies undo the method, so the default is never.
        l_max_turn: Turns that end past this token of the student's sequence are dropped.
        estimator: ``full``, ``topk_tail`` or ``k2``.
        k: Support of ``topk_tail``.
        reduce: Over the turns of a trajectory: ``mean_turns``, or ``sum_turns`` as printed.
        chunk: Tokens whose logits exist at one time.
        diagnose_every: Steps between two measurements that cost an extra pass (gradient norms of
            both terms, effect of the hint), 0 for never.
    """

    enabled: bool = False
    lam: float = 4.0
    decay: float = 0.995
    every: int = 5
    hard_copy: int | None = None
    l_max_turn: int = 12_288
    estimator: str = "full"
    k: int = 128
    reduce: str = "mean_turns"
    chunk: int = 512
    diagnose_every: int = 10

    def __post_init__(self) -> None:
        _one_of("clinic.teacher.estimator", self.estimator, ESTIMATORS)
        _one_of("clinic.teacher.reduce", self.reduce, REDUCTIONS)
        for name in ("every", "l_max_turn", "k", "chunk"):
            _count(f"clinic.teacher.{name}", getattr(self, name))
        if self.hard_copy is not None:
            _count("clinic.teacher.hard_copy", self.hard_copy)
        if not 0.0 <= self.decay <= 1.0:
            raise ConfigError(f"clinic.teacher.decay is from 0 to 1, not {self.decay}")
        if not (math.isfinite(self.lam) and self.lam >= 0.0):
            raise ConfigError(f"clinic.teacher.lam is finite and from 0, not {self.lam}")
        if self.diagnose_every < 0:
            raise ConfigError(
                f"clinic.teacher.diagnose_every is from 0 (never), not {self.diagnose_every}"
            )


@dataclass(frozen=True)
class HintChoice:
    """What the teacher is told about the outcome.

    Attributes:
        mode: ``outcome``; ``shuffled`` (the control arm: unrelated to it); ``none``.
        path: A file of templates instead of ours.
    """

    mode: str = "none"
    path: str | None = None

    def __post_init__(self) -> None:
        _one_of("clinic.hints.mode", self.mode, HINTS)


@dataclass(frozen=True)
class Clinic:
    """All of it.

    Attributes:
        env: A registered id, or ``module:NAME`` of a domain.
        env_kwargs: Further arguments of the environment, as plain JSON.
        modules: Modules to import first; they register ids of their own.
        seed: Of the data order and, on the CPU, of the sampling.
        tools: ``native``: tool schemas go through the chat template. ``text``: the prompt
            explains them and answers come back as user messages.
        tool_parser: Name of verl's parser for models that do not write the environment's
            dialect; null where they do.
        overlong: What becomes of a task whose prompt is too long: ``error`` stops the run and
            names it, ``skip`` leaves it out.
        shortest: Train on this many tasks, those with the shortest prompts; null for all.
        turn_tokens: Tokens of one reply; null for no limit but the response's.
        min_reply_tokens: An observation that leaves less room than this ends the trajectory.
        max_refills: Rounds of dynamic sampling after the first.
        stall_s: Seconds without any rollout finishing after which the run stops.
        advantage_scale: Factor of the advantages: 1 to learn, -1 and 0 for controls.
        reward: What a trajectory is paid.
        teacher: The teacher.
        hints: What it is told.
    """

    env: str = "clinic/ClinGen-v0"
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)
    modules: tuple[str, ...] = ()
    seed: int = 0
    tools: str = "native"
    tool_parser: str | None = None
    overlong: str = "error"
    shortest: int | None = None
    turn_tokens: int | None = None
    min_reply_tokens: int = 16
    max_refills: int = 3
    stall_s: float = 1_800.0
    advantage_scale: float = 1.0
    reward: Reward = field(default_factory=Reward)
    teacher: Teacher = field(default_factory=Teacher)
    hints: HintChoice = field(default_factory=HintChoice)

    def __post_init__(self) -> None:
        _one_of("clinic.tools", self.tools, TOOLS)
        _count("clinic.min_reply_tokens", self.min_reply_tokens)
        _one_of("clinic.overlong", self.overlong, OVERLONG)
        for name in ("turn_tokens", "shortest"):
            if getattr(self, name) is not None:
                _count(f"clinic.{name}", getattr(self, name))
        if self.max_refills < 0:
            raise ConfigError(f"clinic.max_refills is from 0, not {self.max_refills}")
        if not self.stall_s > 0:
            raise ConfigError(f"clinic.stall_s is above 0, not {self.stall_s}")
        if self.hints.mode != "none" and not self.teacher.enabled:
            raise ConfigError("clinic.hints speak to a teacher: set clinic.teacher.enabled=true")


def read(section: Mapping[str, Any]) -> Clinic:
    """Read the section.

    Args:
        section: Plain data, as ``OmegaConf.to_container`` gives it.

    Raises:
        ConfigError: If a key is unknown or a value cannot be; the error says what can.
    """
    nested: dict[str, Callable[..., Any]] = {
        "reward": Reward,
        "teacher": Teacher,
        "hints": HintChoice,
    }
    values = dict(section)
    for name, kind in nested.items():
        if name in values:
            values[name] = _fill(kind, values[name] or {}, f"clinic.{name}")
    if "modules" in values:
        values["modules"] = tuple(values["modules"] or ())
    return _fill(Clinic, values, "clinic")


def from_config(config: Any) -> Clinic:
    """Read the section out of a whole config (an OmegaConf ``DictConfig``)."""
    from omegaconf import OmegaConf

    return read(OmegaConf.to_container(config.clinic, resolve=True))


def _fill(kind: Callable[..., _Section], values: Mapping[str, Any], where: str) -> _Section:
    known = list(inspect.signature(kind).parameters)
    for name in values:
        if name not in known:
            raise ConfigError(f"{where} has no {name!r}; {suggest(str(name), known)}")
    return kind(**values)


def _one_of(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ConfigError(f"{name} is one of {list(choices)}, not {value!r}")


def _count(name: str, value: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigError(f"{name} is a whole number from 1, not {value!r}")
