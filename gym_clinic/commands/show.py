"""``gym-clinic list`` and ``gym-clinic info``: what there is, and what it is like."""

from __future__ import annotations

import argparse
import importlib
import inspect
import sys
from typing import Any

import gymnasium as gym

from gym_clinic.catalog import find, ids, make, unwrap
from gym_clinic.commands.terminal import add_env_options, console, options, visible
from gym_clinic.env import ClinicEnv
from gym_clinic.errors import ClinicError, ConfigError
from gym_clinic.evaluate.report import Grid
from gym_clinic.names import import_module


def add(commands: Any) -> None:
    """Declare both commands."""
    listing = commands.add_parser(
        "list",
        help="list the environments",
        description="List every clinic environment: its splits, the range of its reward, and "
        "what it is about.",
    )
    listing.add_argument(
        "modules", nargs="*", metavar="MODULE", help="a module to import that registers more"
    )
    listing.set_defaults(run=run_list)
    info = commands.add_parser(
        "info",
        help="show the data sheet of an environment",
        description="Show the data sheet of an environment: what the task is, tools, splits, "
        "rewards and arguments.",
    )
    info.add_argument("id", help="such as clinic/ClinGen-v0, or module:id")
    info.add_argument("--prompt", action="store_true", help="show the prompt of the first task too")
    info.add_argument("--split", help="split of the first task")
    add_env_options(info)
    info.set_defaults(run=run_info)


def run_list(args: argparse.Namespace) -> int:
    """Print a table of the ids."""
    for module in args.modules:
        import_module(module, "clinic environment")
    rows = []
    for name in ids():
        domain = _domain_name(name)
        try:
            clinic = open_any(name)
            about = (*_facts(clinic), data_sheet(domain).partition("\n")[0])
        except ClinicError as error:
            about = ("–", "–", f"cannot be made: {error}")
        rows.append((name, domain, *about))
    grid = Grid(
        "Clinic environments", ("id", "domain", "tasks", "reward", "about"), tuple(rows)
    )  # fmt: skip
    console().print(grid.rich(figures=False))
    return 0


def run_info(args: argparse.Namespace) -> int:
    """Print the data sheet of one id."""
    chosen = options(args.set)
    clinic = open_any(args.id, split=args.split, **chosen)
    domain = _domain_name(find(args.id))
    screen = console()

    def section(title: str, text: str) -> None:
        screen.print(f"\n{title}", style="bold cyan", markup=False)
        screen.print(visible(text), markup=False, soft_wrap=True)

    tasks, limits = _facts(clinic)
    screen.print(find(args.id), style="bold", markup=False)
    screen.print(f"\n{data_sheet(domain)}", markup=False, soft_wrap=True)
    section("Splits", tasks)
    section("Tools", "\n\n".join(map(_tool, clinic.toolbox)) or "none: the answer is text")
    weights = clinic.rubric.weights
    parts = [
        f"{name}: weight {weights.get(name, 0):g}, from {low:g} to {high:g}"
        for name, (low, high) in ((n, clinic.rubric.ranges[n]) for n in clinic.rubric.rewards)
    ]
    section("Reward", "\n".join([f"total: {limits}", *parts]))
    section(
        "Episode",
        f"at most {clinic.max_turns} turns; a tool response is cut at "
        f"{clinic.response_limit:,} characters",
    )
    section("Arguments", "\n".join(_arguments(domain)))
    if args.prompt:
        task = clinic.tasks[0]
        prompt, _ = clinic.reset(seed=0, options={"task_id": task.id})
        section(f"Prompt of task {task.id}", prompt)
    return 0


def open_any(env_id: str, split: str | None = None, **chosen: Any) -> ClinicEnv:
    """Make an environment on a split, or on the first of train, test, and any other that it has.

    Raises:
        ConfigError: If the id, the split or an option is unknown, or there is no task at all.
    """
    if split is None:
        split = _first_split(**{**gym.spec(find(env_id)).kwargs, **chosen})
    return unwrap(make(env_id, split=split, **chosen))


def open_domain(name: str, split: str | None = None, **chosen: Any) -> ClinicEnv:
    """Make an environment of a domain without an id, otherwise as :func:`open_any`."""
    return ClinicEnv(name, split=split or _first_split(name, **chosen), **chosen)


def _first_split(domain: str, **given: Any) -> str:
    from gym_clinic.domain import load

    own = _env_arguments()
    tasks = load(domain, {key: value for key, value in given.items() if key not in own}).tasks
    for split in dict.fromkeys(("train", "test", *tasks)):
        if tasks.get(split):
            return split
    raise ConfigError(f"domain {domain!r} has no tasks")


def data_sheet(domain: str) -> str:
    """Return the docstring of a loaded domain: of its maker if that tells more than one line."""
    module, maker = _home(domain)
    own = inspect.getdoc(maker) if callable(maker) else None
    first = inspect.getdoc(module) or "no data sheet"
    if own and "Task:" in own:
        return own
    # Settings of one module share its data sheet; each says in a line what sets it apart.
    return f"{first}\n\nThis setting: {own.splitlines()[0]}" if own else first


def _home(domain: str) -> tuple[Any, Any]:
    name, _, attribute = domain.partition(":")
    module = sys.modules.get(f"gym_clinic.domains.{name}") or importlib.import_module(name)
    maker = getattr(module, attribute or "domain", None)
    return module, maker if inspect.isfunction(maker) else None


def _domain_name(env_id: str) -> str:
    return str(gym.spec(env_id).kwargs.get("domain", "?"))


def _facts(clinic: ClinicEnv) -> tuple[str, str]:
    tasks = clinic.domain.tasks
    low, high = clinic.reward_range
    return ", ".join(f"{name} {len(tasks[name]):,}" for name in tasks), f"{low:g} to {high:g}"


def _tool(one: Any) -> str:
    function = one.schema["function"]
    fields = function["parameters"]["properties"]
    needed = function["parameters"].get("required", [])
    lines = [f"{one.name} ({one.kind.value}): {function['description']}"]
    for name, field in fields.items():
        optional = "" if name in needed else f", default {field.get('default')!r}"
        lines.append(f"    {name}{optional}: {field.get('description', '')}")
    return "\n".join(lines)


def _env_arguments() -> dict[str, inspect.Parameter]:
    found = dict(inspect.signature(ClinicEnv.__init__).parameters)
    return {name: one for name, one in found.items() if name not in ("self", "options")}


def _arguments(domain: str) -> list[str]:
    own = _env_arguments()
    own.pop("domain")
    _, maker = _home(domain)
    extra = dict(inspect.signature(maker).parameters) if maker else {}
    return [
        name if one.default is one.empty else f"{name} = {one.default!r}"
        for name, one in {**own, **extra}.items()
    ]
