"""verl in a process of its own: ``python -m verl_recipes.run.training CONFIG.yaml``."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from pathlib import Path

from omegaconf import OmegaConf

from gym_clinic import ConfigError
from verl_recipes.preflight import machine

FAILURE = "the run failed: "
"""Before the reason, in the log of a run that ended early."""


def main(path: Path) -> int:
    """Run verl's trainer on a composed config; what makes it fail is printed in one line."""
    import ray
    from verl.trainer import main_ppo

    kills = machine.killed_for_memory()
    try:
        main_ppo.main(OmegaConf.load(path))  # hydra is passed over where a config is given
    except (ConfigError, ray.exceptions.RayError) as error:
        return _failed(error, failure_text(error, machine.killed_for_memory() - kills))
    except (AssertionError, ValueError) as error:  # of its checks, before Ray starts
        return _failed(error, f"verl refuses the config: {error}")
    finally:
        ray.shutdown()
    return 0


def _failed(error: Exception, why: str) -> int:
    print(error, file=sys.stderr, flush=True)
    print(f"{FAILURE}{' '.join(why.split())}", flush=True)
    return 1


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
