"""The figures that a run will log, by name: what a stage may aim at, and a group be sorted by."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping

from gym_clinic import ClinicEnv, ConfigError
from gym_clinic.names import suggest
from gym_clinic.policies import oracle, play
from gym_clinic.taskset import first
from verl_recipes.agent_loop.environment import OWN_KEYS
from verl_recipes.trainer.diagnostics import step_metrics

OF_A_STEP = (
    "clinic/constant_groups_trained", "clinic/drawn_groups", "clinic/dropped_groups",
    "clinic/failed_fraction", "clinic/failed_prompts", "clinic/faults", "clinic/kl_alone",
    "clinic/mixed_groups", "clinic/policy_scale", "clinic/refilled_prompts", "clinic/refills",
    "clinic/skipped_update",
)  # fmt: skip
"""Figures of ours that are of the step and not of its trajectories."""

OF_AN_EVALUATION = ("val/success", "val/turns")

OF_VERL = (
    "actor", "critic", "global_seqlen", "num_turns", "perf", "prompt_length", "response",
    "response_length", "response_length_non_aborted", "rollout_corr", "timing_per_token_ms",
    "timing_s", "tool_call_counts", "training", "ttopd", "variance_proxy",
)  # fmt: skip
"""First parts of names that verl gives, or a method of ours; the rest of such a name depends on
settings of verl and is not checked."""

STATISTICS = ("mean@", "std@", "best@", "worst@", "maj@")
"""What verl adds to a figure of an evaluation, before the number of samples."""


def records(envs: Mapping[str, ClinicEnv]) -> dict[str, dict[str, float]]:
    """Return, by environment, a record with every key that its trajectories will have."""
    return {name: dict.fromkeys([*OWN_KEYS, *_judged(env)], 0.0) for name, env in envs.items()}


def _judged(env: ClinicEnv) -> Iterable[str]:
    """Return the keys that the judge of an environment adds, by a run cut short and a right one."""
    task = first(env.tasks, 1)[0]
    cut = copy.copy(env)
    cut.reset(options={"task_id": task.id})
    infos = [cut.truncate("token_budget")[-1]]
    if not env.domain.blocking:  # else a right run may ask a server
        infos.append(play(env, task, oracle(env)(0)).info)
    found: dict[str, None] = {}
    for info in infos:
        found |= dict.fromkeys(f"reward/{part}" for part in info["rewards"])
        found |= dict.fromkeys(f"metric/{name}" for name in info["metrics"])
    return found


def of_steps(envs: Mapping[str, ClinicEnv]) -> list[str]:
    """Return the names of our figures of a training step."""
    made = records(envs)
    found = step_metrics(
        list(made.values()), list(made), {name: env.rubric.weights for name, env in envs.items()},
        list(made),
    )  # fmt: skip
    trained = [f"clinic/trained/{name.removeprefix('clinic/')}" for name in found]
    return [*found, *trained, *OF_A_STEP]


def check_target(figure: str, envs: Mapping[str, ClinicEnv]) -> None:
    """Check that a run will log a figure.

    Raises:
        ConfigError: If it will not; the error names the nearest that it will.
    """
    family, *rest = figure.split("/")
    known = [*of_steps(envs), *OF_AN_EVALUATION]
    if figure in known or (family in OF_VERL and rest):
        return
    if family in ("val-core", "val-aux"):
        _check_evaluated(figure, envs)
        return
    raise ConfigError(f"no figure {figure!r}; {_advice(figure, known)}")


def _check_evaluated(figure: str, envs: Mapping[str, ClinicEnv]) -> None:
    """Check a figure of verl's evaluations: ``val-core/ID/FIGURE/mean@1``."""
    family, _, rest = figure.partition("/")
    for name, record in records(envs).items():
        if not rest.startswith(f"{name}/"):
            continue
        value, _, statistic = rest.removeprefix(f"{name}/").rpartition("/")
        if value in (*record, "reward") and statistic.startswith(STATISTICS):
            return
        right = [f"{family}/{name}/{value}/mean@1" for value in record]
        raise ConfigError(f"no figure {figure!r}; {_advice(figure, right)}")
    raise ConfigError(
        f"no figure {figure!r}: {family}/ is followed by one of {list(envs)}, a figure and its "
        "statistic; val/success is the mean over all"
    )


def check_metric(metric: str, envs: Mapping[str, ClinicEnv]) -> None:
    """Check that trajectories have the figure by which dynamic sampling sorts groups.

    Raises:
        ConfigError: If those of an environment have not; the error names the nearest they have.
    """
    for name, record in records(envs).items():
        if metric not in (*record, "reward"):
            raise ConfigError(
                f"algorithm.filter_groups.metric: trajectories of {name} have no {metric!r}; "
                f"{suggest(metric, record)}"
            )


def _advice(figure: str, known: list[str]) -> str:
    """Return the nearest name, or the few that are aimed at most."""
    said = suggest(figure, known)
    if said.startswith("did you mean"):
        return said
    return "clinic/success, clinic/reward/PART/mean and val/success are some that there are"
