"""``gym-clinic info``: the data sheet of an environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gym_clinic.commands.options import EnvId, EnvOptions, read_options

if TYPE_CHECKING:
    from gym_clinic.toolbox import Tool

app = typer.Typer()


@app.command("info")
def print_data_sheet(
    env_id: EnvId,
    prompt: Annotated[
        bool, typer.Option("--prompt", help="Show the prompt of the first task too.")
    ] = False,
    split: Annotated[
        str | None, typer.Option(metavar="NAME", help="Split of the first task.")
    ] = None,
    settings: EnvOptions = None,
) -> None:
    """Show the data sheet of an environment.

    Show the task, the tools, the splits, the rewards and the arguments of an environment.
    """
    from gym_clinic.catalog import data_sheet, domain_name, env_arguments, find, open_env, sizes
    from gym_clinic.commands.terminal import console, visible

    screen = console()

    def section(title: str, text: str) -> None:
        screen.print(f"\n{title}", style="bold cyan", markup=False)
        screen.print(visible(text), markup=False, soft_wrap=True)

    clinic = open_env(env_id, split=split, **read_options(settings))
    domain = domain_name(find(env_id))
    rubric = clinic.rubric
    low, high = clinic.reward_range
    parts = (
        f"{name}: weight {rubric.weights.get(name, 0):g}, from {least:g} to {most:g}"
        for name, (least, most) in ((name, rubric.ranges[name]) for name in rubric.rewards)
    )
    arguments = (
        name if one.default is one.empty else f"{name} = {one.default!r}"
        for name, one in env_arguments(domain).items()
        if name != "domain"
    )
    screen.print(find(env_id), style="bold", markup=False)
    screen.print(f"\n{data_sheet(domain)}", markup=False, soft_wrap=True)
    section("Splits", sizes(clinic.domain))
    section("Tools", "\n\n".join(map(_tool, clinic.toolbox)) or "none: the answer is text")
    section("Reward", "\n".join([f"total: {low:g} to {high:g}", *parts]))
    section(
        "Episode",
        f"at most {clinic.max_turns} turns; a tool response is cut at "
        f"{clinic.response_limit:,} characters",
    )
    section("Arguments", "\n".join(arguments))
    if prompt:
        task = clinic.tasks[0]
        text, _ = clinic.reset(seed=0, options={"task_id": task.id})
        section(f"Prompt of task {task.id}", text)


def _tool(one: Tool) -> str:
    """Return a tool with its arguments, as text."""
    function = one.schema["function"]
    needed = function["parameters"].get("required", [])
    lines = [f"{one.name} ({one.kind.value}): {function['description']}"]
    for name, field in function["parameters"]["properties"].items():
        optional = "" if name in needed else f", default {field.get('default')!r}"
        lines.append(f"    {name}{optional}: {field.get('description', '')}")
    return "\n".join(lines)
