"""The stages of a run: what each changes, how long it lasts, and what it is to reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gym_clinic import ConfigError
from gym_clinic.names import suggest
from verl_recipes.stage_settings import StageSettings

EVALUATED = "val"
"""Figures whose names begin so are there at evaluations alone."""


def check_stages(config: Any, stages: Sequence[StageSettings]) -> None:
    """Check that a run can do what its stages ask for.

    Raises:
        ConfigError: If a stage needs a reference model that the run does not have.
    """
    actor = config.actor_rollout_ref.actor
    adapted, taught = config.actor_rollout_ref.model.lora_rank, config.clinic.teacher.enabled
    for stage in stages:
        where = f"clinic.stages: {stage.name}"
        if not stage.kl and stage.reference == "base":
            continue
        if not actor.use_kl_loss:
            raise ConfigError(
                f"{where}: the KL needs a reference model; set "
                "actor_rollout_ref.actor.use_kl_loss=true"
            )
        if taught and not adapted:
            raise ConfigError(f"{where}: the teacher takes the reference model's place; use LORA")
        if adapted and stage.reference != "base":
            raise ConfigError(
                f"{where}: reference={stage.reference} needs full fine-tuning; with LORA the "
                "reference is the model without its adapter"
            )


class Schedule:
    """Which stage a step is of. Without stages it is always number 0, which changes nothing.

    Attributes:
        number: Of the stage, from 1; 0 before the first one.
        began: Its first step; ``ended``: the step after which it ended early.
        first: The target's value when it was first seen in this stage; ``best``: the largest.
        since: Looks at it since then.
    """

    def __init__(self, stages: Sequence[StageSettings]) -> None:
        self.stages = tuple(stages)
        self.number = self.began = 0
        self._open(0)

    def _open(self, step: int) -> None:
        self.began = step
        self.first: float | None = None
        self.best: float | None = None
        self.since = 0
        self.ended: int | None = None

    @property
    def stage(self) -> StageSettings | None:
        """The present stage; None before the first one."""
        return self.stages[self.number - 1] if self.number else None

    def begin(self, step: int) -> bool:
        """Come to a step, and return whether it is the first of a stage."""
        if self.number == len(self.stages):
            return False
        due = self.stage is None or self.ended is not None or step > self._planned_end
        if due:
            self.number += 1
            self._open(step)
        return due

    @property
    def _planned_end(self) -> int:
        return self.began + self.stage.steps - 1 if self.stage else self.began

    @property
    def last_step(self) -> int:
        """The last step of the run as far as is known.

        A last stage that ends early takes one more step, which is evaluated and saved.
        """
        later = sum(stage.steps for stage in self.stages[self.number :])
        if self.ended is None:
            return self._planned_end + later
        return self.ended + later if later else min(self.ended + 1, self._planned_end)

    def observe(self, step: int, metrics: Mapping[str, float]) -> dict[str, float]:
        """Look at the figures of a step, and return those of the stage; none without stages.

        Returns:
            Under ``stage/``: ``number`` and ``step`` from 1; where the target is there (one of
            evaluations may be missing), ``target``, its ``target_best`` and its ``target_gain``
            since the stage began; each ``weight/<part>``.

        Raises:
            ConfigError: If there is no such figure.
        """
        stage = self.stage
        if stage is None:
            return {}
        found = {"number": float(self.number), "step": float(step - self.began + 1)}
        found |= {f"weight/{part}": float(weight) for part, weight in stage.weights.items()}
        if stage.figure in metrics:
            value = float(metrics[stage.figure])
            first, best = self._look(stage, step, value)
            found |= {"target": value, "target_best": best, "target_gain": value - first}
        elif not stage.figure.startswith(EVALUATED):
            advice = suggest(stage.figure, metrics)
            raise ConfigError(f"clinic.stages: {stage.name}: no figure {stage.figure!r}; {advice}")
        return {f"stage/{name}": value for name, value in found.items()}

    def _look(self, stage: StageSettings, step: int, value: float) -> tuple[float, float]:
        """Look at a value of the target; return the first and the best one so far."""
        self.first = first = value if self.first is None else self.first
        risen = self.best is None or value > self.best
        self.best = best = value if self.best is None else max(value, self.best)
        self.since = 0 if risen else self.since + 1
        reached = stage.stop_at is not None and value >= stage.stop_at
        stuck = stage.patience is not None and self.since >= stage.patience
        if (reached or stuck) and self.ended is None:
            self.ended = step
        return first, best

    def ending(self, step: int) -> str | None:
        """Return why the present stage ends with a step; None while it goes on."""
        stage = self.stage
        if stage is None:
            return None
        if self.ended == step:
            reached = stage.stop_at is not None and (self.best or 0.0) >= stage.stop_at
            return "target reached" if reached else f"no better value in {stage.patience} looks"
        return f"its {stage.steps} steps are done" if step == self._planned_end else None

    def state_dict(self) -> dict[str, Any]:
        """Return what a checkpoint keeps, as plain JSON."""
        return {name: getattr(self, name) for name in KEPT}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up where :meth:`state_dict` left off.

        Raises:
            ConfigError: If the run has fewer stages now.
        """
        if state["number"] > len(self.stages):
            raise ConfigError(
                f"the run to resume is in stage {state['number']}; clinic.stages has "
                f"{len(self.stages)}"
            )
        for name in KEPT:
            setattr(self, name, state[name])


KEPT = ("number", "began", "first", "best", "since", "ended")
"""Attributes of a schedule that a checkpoint keeps."""
