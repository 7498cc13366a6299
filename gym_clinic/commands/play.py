"""``gym-clinic play``: one episode, turn by turn."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from gym_clinic import policies
from gym_clinic.catalog import make, unwrap
from gym_clinic.commands.terminal import (
    add_env_options,
    add_policy_options,
    console,
    options,
    policy_options,
    visible,
)
from gym_clinic.evaluate.report import Grid
from gym_clinic.rewards import scale

if TYPE_CHECKING:
    from rich.console import Console

_STYLES = {"assistant": "green", "system": "magenta", "user": "cyan", "tool": "yellow"}
_NAMES = {"assistant": "agent", "user": "clinic"}


def add(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "play",
        help="play or watch one episode",
        description="Play one episode yourself, or watch a policy play it.",
    )
    parser.add_argument("id", help="such as clinic/ClinGen-v0, or module:id")
    parser.add_argument(
        "--policy",
        default="human",
        help=f"who plays: {', '.join(policies.POLICIES)}, or package.module:NAME "
        "(default: %(default)s)",
    )
    parser.add_argument("--split", default="test", help="which tasks (default: %(default)s)")
    parser.add_argument("--task-id", metavar="ID", help="the task; else the seed picks one")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    add_env_options(parser)
    add_policy_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Play an episode and print it."""
    env = make(args.id, split=args.split, **options(args.set))
    clinic = unwrap(env)
    maker = policies.load(args.policy, clinic, policy_options(args, [args.policy])[args.policy])
    screen = console()
    # A person is shown every text by their own policy already.
    watched = args.policy != "human"
    chosen = {} if args.task_id is None else {"task_id": args.task_id}
    observation, info = env.reset(seed=args.seed, options=chosen)
    screen.rule(f"{clinic.spec.id if clinic.spec else args.id} · task {info['task_id']}")
    if watched:
        _show(screen, info["messages"], 0)
    policy = maker(args.seed)
    total, over, turn = 0.0, False, 0
    while not over:
        action = policies.next_action(policy, observation, info)
        turn += 1
        if watched:
            _show(screen, [{"role": "assistant", "content": action}], turn)
        observation, reward, terminated, truncated, info = env.step(action)
        total += float(reward)
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
    return 0


def _show(screen: Console, messages: list[dict[str, Any]], turn: int) -> None:
    for message in messages:
        role = str(message["role"])
        name = message.get("name") or _NAMES.get(role, role)
        head = f"[{name}]" if not turn else f"[turn {turn}: {name}]"
        screen.print(f"\n{head}", style=f"bold {_STYLES.get(role, 'white')}", markup=False)
        screen.print(visible(str(message["content"])), markup=False, soft_wrap=True)
