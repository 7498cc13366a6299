"""The ``clinic`` section of a training config: every setting that is ours and not verl's."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar, get_args

from gym_clinic import ConfigError
from gym_clinic.names import suggest
from verl_recipes.critic.settings import CriticSettings
from verl_recipes.registry import (
    ESTIMATORS,
    HINTS,
    REDUCTIONS,
    REWARDS,
    SCHEDULES,
    WRONG_MODES,
)
from verl_recipes.schedule.stages import StageSettings

HintSize = Literal["outcome", "sentence"]
Overlong = Literal["error", "skip"]
Tools = Literal["native", "text"]

_Section = TypeVar("_Section")


@dataclass(frozen=True)
class RewardSettings:
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
        REWARDS.check(self.mode)
        WRONG_MODES.check(self.wrong_mode)
        _count("clinic.reward.l_max", self.l_max)
        for name in ("r_max", "r_min", "r_penalty"):
            _number(f"clinic.reward.{name}", getattr(self, name))
        if self.r_max < self.r_min:
            raise ConfigError(
                f"clinic.reward.r_max is at least r_min, not {self.r_max} < {self.r_min}"
            )


@dataclass(frozen=True)
class TeacherSettings:
    """The EMA teacher and the distillation loss (TT-OPD paper, eq. 2 and 4).

    Attributes:
        enabled: Whether there is one; without it the run is plain GRPO.
        lam: Weight of the KL, lambda_distill; the paper's 4.0, applied once.
        schedule: When the teacher moves: ``ema``: averaged every ``every`` steps, and copied every
            ``hard_copy``. ``copy``: copied alone. ``frozen``: never.
        decay: Of the average; the paper's .995.
        every: Steps between two updates; the paper's 5.
        hard_copy: Steps between two copies of the student, null for never. The paper names 30
            and also shows that copies undo the method, so the default is never.
        l_max_turn: Turns that end past this token of the student's sequence are dropped.
        estimator: ``full``, ``topk_tail`` or ``k2``.
        k: Support of ``topk_tail``.
        reduce: ``mean_turns`` of a trajectory, ``sum_turns`` as printed, or ``mean_tokens``: every
            token of a trajectory counts alike, however long its turn.
        thoughts: Whether the KL includes what the model thinks between ``<think>`` and
            ``</think>``. Teachers that read privileged text are reported to make the thoughts of
            thinking models worse (arXiv 2607.05184).
        chunk: Tokens whose logits exist at one time.
        diagnose_every: Steps between two measurements that cost an extra pass (gradient norms of
            both terms, effect of the hint), 0 for never.
    """

    enabled: bool = False
    lam: float = 4.0
    schedule: str = "ema"
    decay: float = 0.995
    every: int = 5
    hard_copy: int | None = None
    l_max_turn: int = 12_288
    estimator: str = "full"
    k: int = 128
    reduce: str = "mean_turns"
    thoughts: bool = True
    chunk: int = 512
    diagnose_every: int = 10

    def __post_init__(self) -> None:
        for name in ("enabled", "thoughts"):
            if not isinstance(getattr(self, name), bool):
                raise ConfigError(
                    f"clinic.teacher.{name} is true or false, not {getattr(self, name)!r}"
                )
        SCHEDULES.check(self.schedule)
        ESTIMATORS.check(self.estimator)
        REDUCTIONS.check(self.reduce)
        for name in ("every", "l_max_turn", "k", "chunk"):
            _count(f"clinic.teacher.{name}", getattr(self, name))
        if self.hard_copy is not None:
            _count("clinic.teacher.hard_copy", self.hard_copy, "null")
        elif self.schedule == "copy":
            raise ConfigError("clinic.teacher.schedule=copy needs clinic.teacher.hard_copy: steps")
        _count("clinic.teacher.diagnose_every", self.diagnose_every, least=0)
        _number("clinic.teacher.decay", self.decay, 0.0, 1.0)
        _number("clinic.teacher.lam", self.lam, 0.0)


@dataclass(frozen=True)
class HintChoice:
    """The hints about the outcome that the teacher reads.

    Attributes:
        mode: ``outcome``; ``shuffled`` (the control arm: unrelated to it); ``none``.
        size: ``sentence``: the outcome and one sentence. ``outcome``: the outcome alone.
        path: A file of templates instead of ours.
    """

    mode: str = "none"
    size: HintSize = "sentence"
    path: str | None = None

    def __post_init__(self) -> None:
        HINTS.check(self.mode)
        _one_of("clinic.hints.size", self.size, HintSize)
        if self.path is not None:
            _text("clinic.hints.path", self.path, "the path of a file, or null")


@dataclass(frozen=True)
class EnvironmentSettings:
    """One environment of a run.

    Attributes:
        id: A registered id, or ``module:NAME`` of a domain.
        weight: Its share of the training rows is this over the sum of all weights.
        split: Of its training rows; null for ``data.train_files``.
        val_split: Of its validation rows; null for ``data.val_files``.
        env_kwargs: Further arguments of the environment, as plain JSON: ``dialect`` and
            ``max_turns``, say.
        turn_tokens: Tokens of one reply; null for ``clinic.turn_tokens``.
    """

    id: str
    weight: float = 1.0
    split: str | None = None
    val_split: str | None = None
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)
    turn_tokens: int | None = None

    def __post_init__(self) -> None:
        _text("clinic.envs: id", self.id, "a registered id, or module:NAME of a domain")
        where = f"clinic.envs: {self.id}: "
        _number(f"{where}weight", self.weight, 0.0)
        if not self.weight:
            raise ConfigError(f"{where}weight is above 0; leave the environment out instead")
        for name in ("split", "val_split"):
            if getattr(self, name) is not None:
                _text(f"{where}{name}", getattr(self, name), "the name of a split, or null")
        _options(f"{where}env_kwargs", self.env_kwargs, "split and val_split do")
        if self.turn_tokens is not None:
            _count(f"{where}turn_tokens", self.turn_tokens, "null")


@dataclass(frozen=True)
class ClinicSettings:
    """The whole section.

    Attributes:
        env: A registered id, or ``module:NAME`` of a domain.
        env_kwargs: Further arguments of the environment, as plain JSON.
        envs: Several environments of one run, instead of ``env`` and ``env_kwargs``.
        modules: Modules to import first; they register ids of their own.
        seed: Of the data order and, on the CPU, of the sampling.
        tools: ``native``: tool schemas go through the chat template. ``text``: the prompt
            explains them and answers come back as user messages.
        tool_parser: Name of verl's parser for models that do not write the environment's
            dialect; null where they do.
        overlong: What becomes of a task whose prompt is too long: ``error`` stops the run and
            names it, ``skip`` leaves it out.
        shortest: Train on this many tasks, those with the shortest prompts; null for all.
        endless_rows: Rows of a split that makes its tasks (``split="endless"``); an epoch.
        turn_tokens: Tokens of one reply; null for no limit but the response's.
        min_reply_tokens: An observation that leaves less room than this ends the trajectory.
        rollout_retries: Times that a rollout is played again after its environment or a rollout
            server failed it.
        max_refills: Rounds of dynamic sampling after the first.
        stall_s: Seconds without any rollout finishing after which the run stops.
        advantage_scale: Factor of the advantages: 1 to learn, -1 and 0 for controls.
        reward: What a trajectory is paid.
        teacher: The teacher.
        hints: What the teacher reads about outcomes.
        critic: The value model of PPO.
        stages: The stages of the run, one after another; none for a run that does not change.
    """

    env: str = "clinic/ClinGen-v0"
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)
    envs: tuple[EnvironmentSettings, ...] = ()
    modules: tuple[str, ...] = ()
    seed: int = 0
    tools: Tools = "native"
    tool_parser: str | None = None
    overlong: Overlong = "error"
    shortest: int | None = None
    endless_rows: int = 4_096
    turn_tokens: int | None = None
    min_reply_tokens: int = 16
    rollout_retries: int = 2
    max_refills: int = 3
    stall_s: float = 1_800.0
    advantage_scale: float = 1.0
    reward: RewardSettings = field(default_factory=RewardSettings)
    teacher: TeacherSettings = field(default_factory=TeacherSettings)
    hints: HintChoice = field(default_factory=HintChoice)
    critic: CriticSettings = field(default_factory=CriticSettings)
    stages: tuple[StageSettings, ...] = ()

    def __post_init__(self) -> None:
        _text("clinic.env", self.env, "a registered id, or module:NAME of a domain")
        _options("clinic.env_kwargs", self.env_kwargs, "data.train_files and data.val_files do")
        if self.envs and self.env_kwargs:
            raise ConfigError(
                "clinic.env_kwargs are of clinic.env; with clinic.envs each environment has its own"
            )
        names = [one.id for one in self.envs]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ConfigError(f"clinic.envs names {twice[0]!r} twice: figures are kept by id")
        for module in self.modules:
            _text("clinic.modules", module, "a list of modules' names")
        _one_of("clinic.tools", self.tools, Tools)
        if self.tool_parser is not None:
            _text("clinic.tool_parser", self.tool_parser, "the name of a parser, or null")
        _one_of("clinic.overlong", self.overlong, Overlong)
        for name in ("turn_tokens", "shortest"):
            if getattr(self, name) is not None:
                _count(f"clinic.{name}", getattr(self, name), "null")
        for name in ("min_reply_tokens", "endless_rows"):
            _count(f"clinic.{name}", getattr(self, name))
        for name in ("rollout_retries", "max_refills"):
            _count(f"clinic.{name}", getattr(self, name), least=0)
        _count("clinic.seed", self.seed, least=0)
        _number("clinic.advantage_scale", self.advantage_scale)
        _number("clinic.stall_s", self.stall_s, 0.0)
        if not self.stall_s:
            raise ConfigError("clinic.stall_s is above 0: seconds to wait for a rollout")
        if self.hints.mode != "none" and not self.teacher.enabled:
            raise ConfigError("clinic.hints are for a teacher: set clinic.teacher.enabled=true")

    @property
    def environments(self) -> tuple[EnvironmentSettings, ...]:
        """The environments of the run: ``envs``, or the one of ``env``."""
        return self.envs or (EnvironmentSettings(self.env, env_kwargs=self.env_kwargs),)

    def in_stage(self, number: int) -> ClinicSettings:
        """Return the settings of a stage.

        Args:
            number: Of the stage, from 1; 0 for none, as in evaluations.
        """
        if not number:
            return self
        stage = self.stages[number - 1]
        envs = tuple(
            replace(one, env_kwargs=stage.options(one.env_kwargs), split=stage.split or one.split)
            for one in self.environments
        )
        return replace(self, env_kwargs={}, envs=envs, stages=())

    def environment(self, name: str) -> EnvironmentSettings:
        """Return one of the environments by its id.

        Raises:
            ConfigError: If the run has none of that id.
        """
        for one in self.environments:
            if one.id == name:
                return one
        known = [one.id for one in self.environments]
        raise ConfigError(f"the run has no environment {name!r}; {suggest(name, known)}")


def read(section: Mapping[str, Any]) -> ClinicSettings:
    """Read the section.

    Args:
        section: Plain data, as ``OmegaConf.to_container`` gives it.

    Raises:
        ConfigError: If a key is unknown or a value cannot be; the error says what can.
    """
    nested: dict[str, Callable[..., Any]] = {
        "reward": RewardSettings,
        "teacher": TeacherSettings,
        "hints": HintChoice,
        "critic": CriticSettings,
    }
    values = dict(section)
    for name, kind in nested.items():
        if name in values:
            values[name] = _fill(kind, values[name], f"clinic.{name}")
    lists: dict[str, tuple[str, Callable[..., Any]]] = {
        "envs": ("environments", EnvironmentSettings),
        "stages": ("stages", StageSettings),
    }
    for name, (what, kind) in lists.items():
        if name in values:
            listed = values[name] or ()
            if not isinstance(listed, list | tuple):
                raise ConfigError(f"clinic.{name} is a list of {what}, not {listed!r}")
            values[name] = tuple(
                _fill(kind, one, f"clinic.{name}[{number}]") for number, one in enumerate(listed)
            )
    if "modules" in values:
        found = values["modules"] or ()
        if not isinstance(found, list | tuple):
            raise ConfigError(f"clinic.modules is a list of modules' names, not {found!r}")
        values["modules"] = tuple(found)
    return _fill(ClinicSettings, values, "clinic")


def from_config(config: Any) -> ClinicSettings:
    """Read the section out of a whole config (an OmegaConf ``DictConfig``)."""
    from omegaconf import OmegaConf

    return read(OmegaConf.to_container(config.clinic, resolve=True))


def _fill(kind: Callable[..., _Section], values: Any, where: str) -> _Section:
    if not isinstance(values, Mapping | None):
        raise ConfigError(f"{where} is a section of settings, not {values!r}")
    known = list(inspect.signature(kind).parameters)
    for name in values or {}:
        if name not in known:
            raise ConfigError(f"{where} has no {name!r}; {suggest(str(name), known)}")
    for name, parameter in inspect.signature(kind).parameters.items():
        if parameter.default is parameter.empty and name not in (values or {}):
            raise ConfigError(f"{where} lacks {name!r}")
    return kind(**(values or {}))


def _one_of(name: str, value: Any, kind: Any) -> None:
    if value not in get_args(kind):
        raise ConfigError(f"{name} is one of {list(get_args(kind))}, not {value!r}")


def _text(name: str, value: Any, what: str) -> None:
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"{name} is {what}, not {value!r}")


def _options(name: str, value: Any, instead: str) -> None:
    if not isinstance(value, Mapping):
        raise ConfigError(f"{name} is {{name: value}}, not {value!r}")
    if "split" in value:
        raise ConfigError(f"{name} cannot name a split: {instead}")


def _count(name: str, value: Any, instead: str = "", *, least: int = 1) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        also = f", or {instead}" if instead else ""
        raise ConfigError(f"{name} is a whole number from {least}{also}, not {value!r}")


def _number(name: str, value: Any, least: float = -math.inf, most: float = math.inf) -> None:
    fits = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if fits and least <= value <= most:
        return
    within = f" from {least:g}" if math.isfinite(least) else ""
    within += f" to {most:g}" if math.isfinite(most) else ""
    raise ConfigError(f"{name} is a finite number{within}, not {value!r}")
