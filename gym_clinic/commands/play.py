"""``gym-clinic play``: one episode, turn by turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gym_clinic.commands.options import (
    POLICY_NAMES,
    EnvId,
    EnvOptions,
    KeyVariable,
    Model,
    PolicyOptions,
    Seed,
    Split,
    Url,
    options_by_policy,
    read_options,
)

if TYPE_CHECKING:
    from rich.console import Console

_STYLES = {"assistant": "green", "system": "magenta", "user": "cyan", "tool": "yellow"}
_NAMES = {"assistant": "agent", "user": "clinic"}

app = typer.Typer()


@app.command("play")
def play_episode(
    env_id: EnvId,
    policy: Annotated[
        str, typer.Option(metavar="NAME", help=f"The policy that acts: {POLICY_NAMES}.")
    ] = "human",
    split: Split = "test",
    task_id: Annotated[
        str | None, typer.Option(metavar="ID", help="The task; by default the seed picks one.")
    ] = None,
    seed: Seed = 0,
    settings: EnvOptions = None,
    policy_options: PolicyOptions = None,
    url: Url = None,
    model: Model = None,
    api_key_env: KeyVariable = None,
) -> None:
    """Play or watch one episode.

    Play one episode yourself, or watch a policy play it.
    """
    from gym_clinic.catalog import make, unwrap
    from gym_clinic.commands.terminal import console, visible
    from gym_clinic.evaluate.report import Grid
    from gym_clinic.policies import load, next_action, take
    from gym_clinic.rewards import scale

    env = make(env_id, split=split, **read_options(settings))
    clinic = unwrap(env)
    chat = {"url": url, "model": model, "api_key_env": api_key_env}
    maker = load(policy, clinic, options_by_policy([policy], policy_options, chat)[policy])
    screen = console()
    # The human policy itself shows every text to the person.
    watched = policy != "human"
    chosen = {} if task_id is None else {"task_id": task_id}
    observation, info = env.reset(seed=seed, options=chosen)
    screen.rule(f"{clinic.spec.id if clinic.spec else env_id} · task {info['task_id']}")
    if watched:
        _show(screen, info["messages"], 0)
    player = maker(seed)
    total, over, turn = 0.0, False, 0
    while not over:
        action = next_action(player, observation, info)
        turn += 1
        if watched and isinstance(action, str):
            _show(screen, [{"role": "assistant", "content": action}], turn)
        observation, reward, terminated, truncated, info = take(env, action)
        if watched and not isinstance(action, str):  # calls, as the episode has written them
            said = clinic.episode.turns[-1].action
            _show(screen, [{"role": "assistant", "content": said}], turn)
        total += reward
        over = terminated or truncated
        if watched:
            _show(screen, info["messages"], turn)
        elif over:
            screen.print(visible(observation), markup=False, soft_wrap=True)
    low, high = clinic.reward_range
    screen.rule("end")
    solved = "solved" if info.get("success") else "not solved"
    screen.print(
        f"{info.get('stop', 'cut off from outside')}, {solved}; reward {total:.3f} of {low:g} to "
        f"{high:g}, scaled {scale(total, (low, high)):.3f}",
        style="bold",
        markup=False,
    )
    rows = [
        (f"reward part: {name}", f"{value:.3f}", f"{info['weights'][name]:g}")
        for name, value in info.get("rewards", {}).items()
    ]
    rows += [(name, f"{value:.3f}", "") for name, value in info.get("metrics", {}).items()]
    if rows:
        screen.print(Grid("Figures", ("figure", "value", "weight"), tuple(rows)).rich())


def _show(screen: Console, messages: list[dict[str, Any]], turn: int) -> None:
    from gym_clinic.commands.terminal import visible

    for message in messages:
        role = str(message["role"])
        name = message.get("name") or _NAMES.get(role, role)
        head = f"[{name}]" if not turn else f"[turn {turn}: {name}]"
        screen.print(f"\n{head}", style=f"bold {_STYLES.get(role, 'white')}", markup=False)
        screen.print(visible(str(message["content"])), markup=False, soft_wrap=True)
