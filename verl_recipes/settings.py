"""The ``clinic`` section of a training config: every setting that is ours and not verl's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    TypeAdapter,
    ValidationError,
)
from pydantic.dataclasses import dataclass

from gym_clinic import ConfigError
from gym_clinic.names import check_options, suggest
from verl_recipes.registry import (
    ESTIMATORS,
    HINTS,
    POPULATIONS,
    REDUCTIONS,
    REWARDS,
    SCHEDULES,
    WRONG_MODES,
)
from verl_recipes.stage_settings import STRICT, EnvironmentSettings, Name, StageSettings


@dataclass(frozen=True, config=STRICT)
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

    mode: Annotated[str, AfterValidator(REWARDS.check)] = "env"
    l_max: PositiveInt = 12_288
    r_max: float = 1.2
    r_min: float = 0.2
    r_penalty: float = -0.5
    wrong_mode: Annotated[str, AfterValidator(WRONG_MODES.check)] = "paper"

    def __post_init__(self) -> None:
        if self.r_max < self.r_min:
            raise ConfigError(
                f"clinic.reward.r_max is at least r_min, not {self.r_max} < {self.r_min}"
            )


@dataclass(frozen=True, config=STRICT)
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
    lam: NonNegativeFloat = 4.0
    schedule: Annotated[str, AfterValidator(SCHEDULES.check)] = "ema"
    decay: Annotated[float, Field(ge=0, le=1)] = 0.995
    every: PositiveInt = 5
    hard_copy: PositiveInt | None = None
    l_max_turn: PositiveInt = 12_288
    estimator: Annotated[str, AfterValidator(ESTIMATORS.check)] = "full"
    k: PositiveInt = 128
    reduce: Annotated[str, AfterValidator(REDUCTIONS.check)] = "mean_turns"
    thoughts: bool = True
    chunk: PositiveInt = 512
    diagnose_every: NonNegativeInt = 10

    def __post_init__(self) -> None:
        if self.schedule == "copy" and self.hard_copy is None:
            raise ConfigError("clinic.teacher.schedule=copy needs clinic.teacher.hard_copy: steps")


@dataclass(frozen=True, config=STRICT)
class HintChoice:
    """The hints about the outcome that the teacher reads.

    Attributes:
        mode: ``outcome``; ``shuffled`` (the control arm: unrelated to it); ``none``.
        size: ``sentence``: the outcome and one sentence. ``outcome``: the outcome alone.
        path: A file of templates instead of ours.
    """

    mode: Annotated[str, AfterValidator(HINTS.check)] = "none"
    size: Literal["outcome", "sentence"] = "sentence"
    path: Name | None = None


@dataclass(frozen=True, config=STRICT)
class CriticSettings:
    """The value model of PPO.

    Attributes:
        model: ``module:NAME`` of a torch module that ``critic/value.py`` describes; null for none.
        options: Its arguments.
        lr: Of Adam; the KACR paper's 5e-5.
        batch: States a step of the optimiser; the paper's 8.
        epochs: Passes over the states of a training step; the paper does not name its own.
    """

    model: Name | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    lr: NonNegativeFloat = 5e-5
    batch: PositiveInt = 8
    epochs: PositiveInt = 1


@dataclass(frozen=True, config=STRICT)
class PopulationSettings:
    """A reward that depends on what other trajectories of the run did.

    Attributes:
        reward: ``exploration`` (Deep-DxSearch), or ``module:NAME`` of what
            ``trainer/population.py`` describes; null for none.
        options: Its arguments.
    """

    reward: Name | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.reward is not None:
            check_options(POPULATIONS[self.reward], self.options, "clinic.population")


@dataclass(frozen=True, config=STRICT)
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
        draws: ``classes``: training rows are drawn as the environment draws its tasks, evenly over
            classes where it has any. ``natural``: an epoch has every task once.
        endless_rows: Rows of a split that makes its tasks (``split="endless"``); an epoch.
        turn_tokens: Tokens of one reply; null for no limit but the response's.
        min_reply_tokens: An observation that leaves less room than this ends the trajectory.
        rollout_retries: Times that a rollout is played again after its environment or a rollout
            server failed it.
        max_refills: Rounds of dynamic sampling after the first.
        stall_s: Seconds without any rollout finishing after which the run stops.
        advantage_scale: Factor of the advantages: 1 to learn, -1 and 0 for controls.
        stages: The stages of the run, one after another; none for a run that does not change.
    """

    env: Name = "clinic/ClinGen-v0"
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)
    envs: tuple[EnvironmentSettings, ...] = ()
    modules: tuple[Name, ...] = ()
    seed: NonNegativeInt = 0
    tools: Literal["native", "text"] = "native"
    tool_parser: Name | None = None
    overlong: Literal["error", "skip"] = "error"
    shortest: PositiveInt | None = None
    draws: Literal["classes", "natural"] = "classes"
    endless_rows: PositiveInt = 4_096
    turn_tokens: PositiveInt | None = None
    min_reply_tokens: PositiveInt = 16
    rollout_retries: NonNegativeInt = 2
    max_refills: NonNegativeInt = 3
    stall_s: PositiveFloat = 1_800.0
    advantage_scale: float = 1.0
    reward: RewardSettings = field(default_factory=RewardSettings)
    teacher: TeacherSettings = field(default_factory=TeacherSettings)
    hints: HintChoice = field(default_factory=HintChoice)
    critic: CriticSettings = field(default_factory=CriticSettings)
    population: PopulationSettings = field(default_factory=PopulationSettings)
    stages: tuple[StageSettings, ...] = ()

    def __post_init__(self) -> None:
        if self.envs and self.env_kwargs:
            raise ConfigError(
                "clinic.env_kwargs are of clinic.env; with clinic.envs each environment has its own"
            )
        names = [one.id for one in self.environments]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ConfigError(f"clinic.envs names {twice[0]!r} twice: figures are kept by id")
        for stage in self.stages:
            if unknown := [name for name in stage.env_weights if name not in names]:
                raise ConfigError(
                    f"clinic.stages: {stage.name}: env_weights: no environment {unknown[0]!r}; "
                    f"{suggest(unknown[0], names)}"
                )
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
        envs = tuple(map(self.stages[number - 1].of, self.environments))
        return replace(self, env_kwargs={}, envs=envs, stages=())

    def environment(self, name: str) -> EnvironmentSettings:
        """Return one of the environments by its id."""
        return {one.id: one for one in self.environments}[name]


_SECTION: TypeAdapter[ClinicSettings] = TypeAdapter(ClinicSettings)


def read(section: Mapping[str, Any]) -> ClinicSettings:
    """Read the section from plain data, as ``OmegaConf.to_container`` gives it.

    Raises:
        ConfigError: If a key is unknown or a value cannot be; the error says what can.
    """
    try:
        return _SECTION.validate_json(json.dumps(section))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
    where = "clinic" + "".join(
        f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"]
    )
    if first["type"] == "unexpected_keyword_argument":
        raise ConfigError(f"there is no setting {where}")
    if first["type"] == "value_error":  # an error of ours
        raise ConfigError(str(first["ctx"]["error"]))
    raise ConfigError(f"{where}: {first['msg']}, not {first['input']!r}")


def from_config(config: Any) -> ClinicSettings:
    """Read the section out of a whole config (an OmegaConf ``DictConfig``)."""
    from omegaconf import OmegaConf

    return read(OmegaConf.to_container(config.clinic, resolve=True))
