"""``gym-clinic play``: one episode, turn by turn."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
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

    from gym_clinic.env import ClinicEnv

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

    Play one episode yourself, or watch a policy play it. A debrief follows the end: the parts of
    the reward, the calls that were needed, extra or missed, and the gold.
    """
    from gym_clinic.catalog import make, unwrap
    from gym_clinic.commands.debrief import print_debrief
    from gym_clinic.commands.terminal import console, show
    from gym_clinic.policies import load, next_action, take
    from gym_clinic.policies.human import Human

    env = make(env_id, split=split, **read_options(settings))
    clinic = unwrap(env)
    chat = {"url": url, "model": model, "api_key_env": api_key_env}
    player = load(
        policy, clinic, options_by_policy({policy: policy}, policy_options, chat)[policy]
    )(seed)
    screen = console()
    person = player if isinstance(player, Human) else None  # shows every text by itself
    if isinstance(player, Human):
        player.write = partial(show, screen)
        player.width = lambda: screen.width if screen.is_terminal else None
    chosen = {} if task_id is None else {"task_id": task_id}
    observation, info = env.reset(seed=seed, options=chosen)
    title = f"{clinic.spec.id if clinic.spec else env_id} · task {info['task_id']}"
    screen.rule(title if len(title) + 4 <= screen.width else "")
    if len(title) + 4 > screen.width:  # a rule would cut the id
        show(screen, title)
    if person is None:
        _show(screen, info, "")
    total, over = 0.0, False
    while not over:
        action = next_action(player, observation, info)
        turn = _turn(clinic)
        if person is None:
            text = action if isinstance(action, str) else "\n".join(map(json.dumps, action))
            _show(screen, {"messages": [{"role": "assistant", "content": text}]}, turn)
        observation, reward, terminated, truncated, info = take(env, action)
        total += reward
        over = terminated or truncated
        if person is None:
            _show(screen, info, turn)
        elif over:
            person.show(observation, info)
    print_debrief(screen, clinic, total, info)


def _turn(clinic: ClinicEnv) -> str:
    """Return the number of the next turn, such as ``"turn 2 of 8: "``."""
    if clinic.max_calls is not None:
        return f"call {clinic.episode.calls_used + 1} of {clinic.max_calls}: "
    return f"turn {clinic.episode.messages_used + 1} of {clinic.max_turns}: "


def _show(screen: Console, info: Mapping[str, Any], turn: str) -> None:
    """Print the messages of an info, each below its author; images as their paths."""
    from gym_clinic.commands.terminal import show

    contents = [message["content"] for message in info["messages"]]
    number = sum(
        part["type"] != "text" for one in contents if isinstance(one, list) for part in one
    )
    # With observation="transcript" the images of earlier messages stand before these.
    images = iter(list(info.get("images", ()))[-number:])
    for message in info["messages"]:
        role = str(message["role"])
        name = message.get("name") or _NAMES.get(role, role)
        screen.print(f"\n[{turn}{name}]", style=f"bold {_STYLES.get(role, 'white')}", markup=False)
        show(screen, _text(message["content"], images))


def _text(content: Any, images: Iterator[Any]) -> str:
    """Return the content of a message as text."""
    from gym_clinic.policies.human import describe_image

    if isinstance(content, str):
        return content
    return "".join(
        part["text"] if part["type"] == "text" else f"<image: {describe_image(next(images))}>"
        for part in content
    )
