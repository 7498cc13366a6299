"""The page of a clinical domain: data sheet, tools, rewards, tasks, and a scored episode."""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import gymnasium as gym

from gym_clinic import ClinicEnv, Task, policies
from gym_clinic.catalog import find, unwrap
from gym_clinic.names import import_named
from gym_clinic.paths import tasks_dir
from gym_clinic.policies import play
from gym_clinic.registration import IDS
from gym_clinic.taskset import first
from gym_clinic.toolbox import Tool

SHOWN = 700
"""Characters of a response that the episode shows."""

NOTICE = "**A simulation, not for patient care.**"


def clinical_ids() -> dict[str, str]:
    """Return the clinical domains whose tasks are generated, with their ids."""
    named = {str(kwargs["domain"]): env_id for env_id, kwargs in IDS.items()}
    return {name: env_id for name, env_id in named.items() if _generates(name.partition(":")[0])}


def _generates(name: str) -> bool:
    """Whether a domain makes its tasks by the kit of the clinical domains."""
    module = f"gym_clinic.domains.{name}.tasks"
    return find_spec(module) is not None and hasattr(import_module(module), "SPEC")


def domain_page(env_id: str) -> str:
    """Return the page of an id, as Markdown.

    Args:
        env_id: An id such as "clinic/ClinicalDiagnosis-v0".
    """
    env = unwrap(gym.make(find(env_id), split="dev"))
    lines = [f"# {env_id.partition('/')[2].partition('-')[0]}", "", NOTICE + " "
             f"`{env_id}`. This page is made by `python -m kb.build.pages`.", ""]  # fmt: skip
    parts = (_sheet(env_id), _tools(env), _rewards(env), _tasks(env), _ceilings(env), _episode(env))
    lines += [line for part in parts for line in (*part, "")]
    return "\n".join(lines).rstrip() + "\n"


def _sheet(env_id: str) -> Iterator[str]:
    """The data sheet: the docstring of the function that makes the domain, as sections."""
    module, _, name = str(IDS[env_id]["domain"]).partition(":")
    maker = import_named(f"gym_clinic.domains.{module}:{name or 'domain'}", "domain")
    text = inspect.cleandoc(maker.__doc__ or "")
    for line in text.splitlines():
        plain = line.strip()
        if line and not line.startswith(" ") and plain.endswith(":"):
            yield f"**{plain.removesuffix(':')}**"
            yield ""
        else:
            yield plain.replace("``", "`")


def _tools(env: ClinicEnv) -> Iterator[str]:
    yield "## Tools"
    yield ""
    count = Counter(one.kind.name for one in env.domain.tools)
    yield ", ".join(f"{number} {kind}" for kind, number in count.items()) + "."
    yield ""
    yield "| tool | kind | what it does | arguments |"
    yield "| --- | --- | --- | --- |"
    for one in sorted(env.domain.tools, key=lambda one: (one.kind.name, one.name)):
        yield f"| `{one.name}` | {one.kind.name} | {_about(one)} | {_arguments(one)} |"


def _about(tool: Tool) -> str:
    text = str(tool.schema["function"]["description"]).split("\n\n")[0].replace("\n", " ")
    return text.replace("|", "\\|")


def _arguments(tool: Tool) -> str:
    parameters: Mapping[str, Any] = tool.schema["function"]["parameters"]
    needed = parameters.get("required", ())
    names = [f"`{name}`" if name in needed else f"`{name}`?"
             for name in parameters.get("properties", {})]  # fmt: skip
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _rewards(env: ClinicEnv) -> Iterator[str]:
    low, high = env.reward_range
    yield "## Rewards"
    yield ""
    yield f"The total is from {low:g} to {high:g}."
    yield ""
    yield "| part | weight |"
    yield "| --- | ---: |"
    for name in env.rubric.rewards:
        yield f"| {name} | {env.rubric.weights.get(name, 0):g} |"


def _tasks(env: ClinicEnv) -> Iterator[str]:
    yield "## Tasks"
    yield ""
    yield "| split | tasks | classes | twins |"
    yield "| --- | ---: | ---: | ---: |"
    marks: Counter[str] = Counter()
    for split in ("train", "dev", "test"):
        tasks = first(env.domain.split(split))
        label = env.domain.classes or (lambda task: "")
        twins = sum("twin" in task.gold for task in tasks)
        marks.update(one for task in tasks for one in task.gold.get("difficulty", ()))
        yield f"| {split} | {len(tasks)} | {len({label(one) for one in tasks})} | {twins} pairs |"
    if marks:
        yield ""
        yield "Difficulty: " + ", ".join(f"{name} {n}" for name, n in marks.most_common()) + "."


def _ceilings(env: ClinicEnv) -> Iterator[str]:
    """What was measured on the test tasks by ``bench/ceilings.py --write``."""
    file = tasks_dir(env.domain.name) / "ceilings.json"
    found: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    yield "## What can be earned without clinical reasoning"
    yield ""
    yield (
        f"The mean of the scaled reward with its 95% interval, the mean accuracy of the answer, "
        f"and the share of the findings to be read that were read; one of every {found['every']} "
        f"test tasks, scoring {found['scoring']} (`python bench/ceilings.py --write`). "
        "[Clinical domains](clinical.md) says what the players do."
    )
    yield ""
    yield "| player | reward | accuracy | findings read |"
    yield "| --- | ---: | ---: | ---: |"
    for one in found["lines"]:
        reward = f"{one['reward']:.3f} [{one['low']:.3f}, {one['high']:.3f}]"
        yield f"| {one['player']} | {reward} | {one['accuracy']:.3f} | {one['read']:.3f} |"


def _episode(env: ClinicEnv) -> Iterator[str]:
    """The oracle's episode on the first task of dev."""
    task: Task = first(env.tasks, 1)[0]
    done = play(env, task, policies.load("oracle", env)(0))
    yield "## An episode"
    yield ""
    yield f"The oracle on task `{task.id}`. The ticket:"
    yield ""
    yield from (f"> {line}".rstrip() for line in task.ticket.splitlines())
    for number, turn in enumerate(done.episode.turns, 1):
        for call in turn.calls:
            yield ""
            arguments = json.dumps(call.arguments, ensure_ascii=False, indent=None)
            yield f"{number}. `{call.name}` `{_cut(arguments)}`"
            yield ""
            yield "```"
            yield _cut(call.response)
            yield "```"
    yield ""
    yield f"Total {done.reward:.3f}; " + ", ".join(
        f"{name} {value:.3f}" for name, value in done.info["rewards"].items()
    ) + "."  # fmt: skip
    yield ""
    yield "What the gold asks for:"
    yield ""
    yield f"- read: {', '.join(f'`{one}`' for one in task.gold.get('read', ()))}"
    for one in task.gold.get("assertions", ()):
        yield f"- {one['text']}"


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]} …"
