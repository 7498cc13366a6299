"""The conformance test of a domain, for those of third parties too."""

from __future__ import annotations

import copy
import inspect
import json
import re
import subprocess as processes
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env

from gym_clinic import policies
from gym_clinic.domain import Domain, load
from gym_clinic.env import ClinicEnv
from gym_clinic.errors import ConfigError
from gym_clinic.images import image_reference
from gym_clinic.names import at_least_one
from gym_clinic.policies.playing import play
from gym_clinic.taskset import as_tasks
from gym_clinic.testing import checks
from gym_clinic.testing.names import NameFuzzer, believed, play_strange
from gym_clinic.testing.reporting import Reporting
from gym_clinic.testing.workers import in_processes

STRANGE_CALLS = 100
"""Calls with strange names that a check makes."""

ENDLESS_SAMPLE = 60
"""Tasks of an endless split that a check looks at, unless a sample is named."""

__all__ = ["check_domain", "check_tasks"]

_LISTED = 50  # problems named in full


def check_domain(
    domain: Domain | str,
    *,
    subprocess: bool = False,
    recorded: Sequence[str] = (),
    adversaries: Sequence[str] | None = None,
    sample: int | None = None,
    **env_kwargs: Any,
) -> None:
    """Check that a domain keeps the promises on which training and evaluation rely.

    Gymnasium's own checker without a warning; spaces; the spec as JSON; the same bytes for the
    same seed and actions; every task of every split (form, ids, gold, the oracle's full marks);
    the case changed by tools of kind WRITE alone; the same keys of info however an episode ends;
    nothing shared with those it is handed to; the gold out of reach; hostile actions; strange
    names in the texts of tools; adversaries that are not worth playing.

    Args:
        domain: A registered id, a name for :func:`gym_clinic.domain.load`, or a Domain that
            is an attribute of an imported module.
        subprocess: Also compare with the bytes of another process.
        recorded: Keys of the gold that tools answer from by design, such as the annotation that
            a recorded consultant gives back; whatever else is shown must not depend on the gold.
        adversaries: Names of the adversaries that must earn at most half of the reward's range;
            by default all of :func:`gym_clinic.policies.adversaries_of`. The trained ones take
            seconds to minutes, and need the extra ``adversaries``.
        sample: Tasks of each split that the oracle plays, evenly spaced; all by default. The form
            of every task is checked.
        env_kwargs: Arguments of the environment, such as ``dialect`` or the domain's options.

    Raises:
        AssertionError: Listing every problem found.
        ConfigError: If no environment can be made of this at all.
    """
    spec = _spec(domain, env_kwargs)
    env = _make(spec)
    found: list[str] = []
    report = partial(Reporting, found)
    every: Sequence[tuple[str, Callable[[], Iterator[str]]]] = (
        ("Gymnasium's checker", lambda: _gymnasium(env)),
        ("spec", lambda: _round_trip(spec)),
        ("tools", lambda: checks.schemas(env)),
        ("kinds of tools", lambda: checks.kinds(env)),
        ("tasks", lambda: iter(check_tasks(env, sample))),
        ("determinism", lambda: _determinism(spec, env, subprocess)),
        ("info", lambda: checks.info(env)),
        ("gold", lambda: checks.gold(env, recorded)),
        ("hostile actions", lambda: checks.hostile(env)),
        ("strange names", lambda: play_strange(NameFuzzer(env), STRANGE_CALLS, report)),
        ("names of nothing", lambda: believed(env, report)),
        ("adversaries", lambda: checks.scores(env, adversaries)),
    )
    for what, check in every:
        with Reporting(found, what):
            found.extend(f"{what}: {problem}" for problem in check())
    if found:
        more = f"\n  … and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
        lines = "".join(f"\n  {problem}" for problem in found[:_LISTED])
        raise AssertionError(
            f"{env.domain.name} does not conform, {len(found)} problems:{lines}{more}"
        )


def check_tasks(env: ClinicEnv, sample: int | None = None, workers: int = 1) -> list[str]:
    """Check every task of every split of an environment's domain.

    Args:
        env: The environment; its weights and limits are what the oracle is judged by.
        sample: Tasks of each split that the oracle plays, evenly spaced, and of an endless one
            those that are looked at; all by default.
        workers: Processes that share the tasks; the result is the same.

    Returns:
        Problems as text, each with split and task id; empty when all is well.
    """
    if sample is not None:
        at_least_one("sample", sample)
    at_least_one("workers", workers)
    found: list[str] = []
    places: list[tuple[str, int, bool]] = []  # split, position, whether the oracle plays it
    for split, tasks in env.domain.tasks.items():
        listed = as_tasks(tasks)
        if not len(listed):
            found.append(f"{split}: no task")
        count = min(len(listed), sample or ENDLESS_SAMPLE) if listed.endless else len(listed)
        step = max(1, -(-count // sample)) if sample else 1
        places += [(split, position, position % step == 0) for position in range(count)]
    seen: dict[str, str] = {}
    oracle = policies.load("oracle", env)
    looks = in_processes(partial(_look, env, oracle), places, workers)
    for (split, _, _), (key, problems) in zip(places, looks, strict=True):
        if key in seen:
            found.append(f"{split}, task {key!r}: duplicate id, also in {seen[key]}")
        seen[key] = split
        found += problems
    return found


def _look(
    env: ClinicEnv, oracle: policies.Maker, place: tuple[str, int, bool]
) -> tuple[str, list[str]]:
    """Return the id of the task at a place, and what is wrong with it."""
    split, position, played = place
    task = as_tasks(env.domain.tasks[split])[position]
    where = f"{split}, task {task.id!r}"
    found: list[str] = []
    with Reporting(found, where):
        found.extend(f"{where}: {one}" for one in checks.form(env, task))
        if played:
            found.extend(f"{where}: {one}" for one in checks.solved(env, task, oracle))
    return task.id, found


def _spec(domain: Domain | str, env_kwargs: Mapping[str, Any]) -> EnvSpec:
    if isinstance(domain, str) and domain in gym.registry:
        spec = copy.deepcopy(gym.spec(domain))
        spec.kwargs.update(env_kwargs)
        return spec
    if isinstance(domain, Domain):
        name = _name_of(domain)
    else:
        name = domain
        own = inspect.signature(ClinicEnv).parameters
        domain = load(name, {key: value for key, value in env_kwargs.items() if key not in own})
    label = re.sub(r"\W+", "-", domain.name).strip("-") or "domain"
    return EnvSpec(
        id=f"check/{label}-v0",
        entry_point="gym_clinic.env:ClinicEnv",
        kwargs={"domain": name, **env_kwargs},
    )


def _name_of(domain: Domain) -> str:
    """Find the module attribute that holds a domain."""
    # "__main__" and the like come last: in another process they are other modules.
    for module_name, module in sorted(sys.modules.items(), key=lambda one: one[0][:2] == "__"):
        for attribute, value in list(getattr(module, "__dict__", {}).items()):
            if value is domain and attribute.isidentifier():
                return f"{module_name}:{attribute}"
    raise ConfigError(
        f"domain {domain.name!r} is in no imported module, so no environment can name it; assign "
        "it to a module's attribute and pass 'package.module:NAME'"
    )


def _make(spec: EnvSpec) -> ClinicEnv:
    env = gym.make(spec, disable_env_checker=True).unwrapped
    if not isinstance(env, ClinicEnv):
        raise ConfigError(f"{spec.id} is a {type(env).__name__}; expected a ClinicEnv")
    return env


def _json(spec: EnvSpec) -> str:
    made = _make(spec).spec
    return (spec if made is None else made).to_json()


def _gymnasium(env: ClinicEnv) -> Iterator[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(env)
    yield from dict.fromkeys(f"warning: {one.message}" for one in caught)


def _round_trip(spec: EnvSpec) -> Iterator[str]:
    again = EnvSpec.from_json(_json(spec))
    if _make(spec).reset(seed=1) != _make(again).reset(seed=1):
        yield "an environment made from spec.to_json() opens another case for the same seed"


def trajectory(spec_json: str, seeds: Sequence[int], actions: Sequence[Sequence[str]]) -> str:
    """Return all that an environment answers, as JSON: one episode a seed.

    Args:
        spec_json: The environment, as ``env.spec.to_json()`` wrote it.
        seeds: Seeds of ``reset``.
        actions: The actions of each episode.
    """
    env = _make(EnvSpec.from_json(spec_json))
    answered: list[Any] = []
    for seed, episode in zip(seeds, actions, strict=True):
        answered.append(env.reset(seed=seed))
        answered.extend(env.step(action) for action in episode)
    return json.dumps(answered, sort_keys=True, default=image_reference)  # images in memory


def _determinism(spec: EnvSpec, env: ClinicEnv, subprocess: bool) -> Iterator[str]:
    maker = policies.load("random", env)
    seeds = list(range(5))
    actions = []
    for seed in seeds:
        env.reset(seed=seed)
        outcome = play(env, env.episode.task, maker(seed))
        actions.append([turn.action for turn in outcome.episode.turns])
    text = _json(spec)
    first, second = trajectory(text, seeds, actions), trajectory(text, seeds, actions)
    if first != second:
        yield "the same seed and actions are answered differently a second time"
    if subprocess:
        code = (
            "import json, sys; path, given = json.load(sys.stdin); sys.path[:] = path\n"
            "from gym_clinic.testing import trajectory; sys.stdout.write(trajectory(*given))"
        )
        other = processes.run(
            [sys.executable, "-c", code], input=json.dumps([sys.path, [text, seeds, actions]]),
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        if other.returncode:
            yield f"another process fails: {other.stderr.strip()[-500:]}"
        elif other.stdout != first:
            yield "another process answers the same seed and actions differently"
