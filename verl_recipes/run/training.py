"""verl in a process of its own: ``python -m verl_recipes.run.training CONFIG.yaml``."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from pathlib import Path

from omegaconf import DictConfig, OmegaConf

from gym_clinic import ConfigError
from verl_recipes.preflight import machine

FAILURE = "the run failed: "
"""Before the reason, in the log of a run that ended early."""


def main(path: Path) -> int:
    """Run verl's trainer on a composed config; what makes it fail is printed in one line."""
    import ray
    from verl.trainer.main_ppo import TaskRunnerV1, run_ppo

    kills = machine.killed_for_memory()
    config = OmegaConf.load(path)
    try:
        prepare(config)
        run_ppo(config, task_runner_class=TaskRunnerV1)
    except (ConfigError, ray.exceptions.RayError) as error:
        print(error, file=sys.stderr, flush=True)
        text = failure_text(error, machine.killed_for_memory() - kills)
        print(f"{FAILURE}{' '.join(text.split())}", flush=True)
        return 1
    finally:
        ray.shutdown()
    return 0


def prepare(config: DictConfig) -> None:
    """Set the device and check the config, as verl's own entry point does before it starts.

    Raises:
        ConfigError: If verl refuses the config.
    """
    from verl.trainer.ppo.utils import need_critic, need_reference_policy
    from verl.utils.config import validate_config
    from verl.utils.device import auto_set_device

    auto_set_device(config)
    needs = {"use_reference_policy": need_reference_policy(config)}
    try:
        validate_config(config, use_critic=need_critic(config), **needs)
    except (AssertionError, ValueError) as error:
        raise ConfigError(f"verl refuses the config: {error}") from error


def failure_text(error: Exception, kills: int) -> str:
    """Return why a run ended early; where a worker has died, also what is known of the memory.

    Args:
        error: A mistake in the config, or Ray's.
        kills: Processes that the system has killed for lack of memory during the run.
    """
    import ray

    if isinstance(error, ConfigError):
        return f"{error}\n"
    cause = error.cause if isinstance(error, ray.exceptions.RayTaskError) else error
    text = f"{type(cause).__name__}: {str(cause).strip()}\n"
    if isinstance(cause, ray.exceptions.ActorDiedError | ray.exceptions.WorkerCrashedError):
        if kills:
            text += f"the system killed {kills} process(es) for lack of memory during the run\n"
        text += f"{machine.memory()}\n"
    return text


def end_with_parent() -> None:
    """Let the system end this process when the one that started it ends, however it ends (Linux).

    A launcher that is killed cannot end its run, which would go on beside the next one.
    """
    if not sys.platform.startswith("linux"):
        return
    parent_death_signal = 1  # PR_SET_PDEATHSIG of prctl(2)
    ctypes.CDLL(None, use_errno=True).prctl(parent_death_signal, signal.SIGTERM)
    if os.getppid() == 1:  # it had ended before
        sys.exit(128 + signal.SIGTERM)


if __name__ == "__main__":
    end_with_parent()
    sys.exit(main(Path(sys.argv[1])))
