"""Policies without a model: the oracle, valid calls at random, rules, and the best constant."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from gym_clinic.domain import CallSpec, Menu
from gym_clinic.env import ClinicEnv
from gym_clinic.errors import ConfigError
from gym_clinic.images import text_of
from gym_clinic.names import at_least_one
from gym_clinic.policies.arguments import sample
from gym_clinic.policies.fitted.constants import SAMPLE, best_constant
from gym_clinic.policies.moves import Playbook, ScriptedPolicy, words
from gym_clinic.policies.playing import Maker, Policy
from gym_clinic.toolbox import Kind


def oracle(env: ClinicEnv) -> Maker:
    """Play ``domain.solve`` of the task; the oracle knows the gold.

    Args:
        env: The environment it acts in.
    """
    playbook = Playbook(env)

    def begin(observation: str, info: dict[str, Any]) -> Iterator[str]:
        for move in playbook.domain.solve(playbook.task(info)):
            yield from playbook.write(move)

    return lambda seed: ScriptedPolicy(begin)


def random_calls(env: ClinicEnv, *, batch: int = 4) -> Maker:
    """Make random valid calls, then give a random answer; never a malformed block.

    Calls and answers come from the domain's menu. Without one, arguments are drawn from the
    tools' JSON schemas, strings from the words of the ticket, and the answer from those of the
    train split or, by a SUBMIT tool, from its schema. An answer that is not accepted is
    followed by another. Drawn by ``Random(f"{seed}")``.

    Args:
        env: The environment it acts in.
        batch: Maximum number of calls in one action.
    """
    batch = at_least_one("batch", batch)
    playbook = Playbook(env)

    def make(seed: int) -> Policy:
        draw = random.Random(f"{seed}")

        def begin(observation: str, info: dict[str, Any]) -> Iterator[str]:
            task = playbook.task(info)
            menu = playbook.menu(task)
            vocabulary = words(text_of(info["messages"][-1]["content"]))
            for _ in range(draw.randrange(env.max_turns)):
                calls = [
                    _call(playbook, menu, draw, vocabulary) for _ in range(draw.randint(1, batch))
                ]
                made = tuple(call for call in calls if call is not None)
                yield from playbook.write(made)[:1]
            while True:
                yield _answer(playbook, menu, draw, vocabulary)

        return ScriptedPolicy(begin)

    return make


def _call(
    playbook: Playbook, menu: Menu, draw: random.Random, vocabulary: list[str]
) -> CallSpec | None:
    """Draw a call that is not a submission; None in a domain without such calls."""
    if playbook.domain.menu is not None:
        return draw.choice(menu.calls) if menu.calls else None
    tools = [one for one in playbook.domain.tools if one.kind is not Kind.SUBMIT]
    if not tools:
        return None
    chosen = draw.choice(tools)
    return chosen.name, sample(chosen.schema["function"]["parameters"], draw, vocabulary)


def _answer(playbook: Playbook, menu: Menu, draw: random.Random, vocabulary: list[str]) -> str:
    submits = [one for one in playbook.domain.tools if one.kind is Kind.SUBMIT]
    if submits and playbook.domain.menu is None:
        chosen = draw.choice(submits)
        arguments = sample(chosen.schema["function"]["parameters"], draw, vocabulary)
        return playbook.write(((chosen.name, arguments),))[0]
    if not menu.answers:
        return " ".join(draw.sample(vocabulary, min(8, len(vocabulary))))
    return playbook.write(menu.answers[draw.choice(list(menu.answers))])[-1]


def rules(env: ClinicEnv) -> Maker:
    """Raise an error: ``load`` finds a domain's own rules, ``baselines["rules"]``, first.

    Raises:
        ConfigError: Always.
    """
    raise ConfigError(
        f"domain {env.domain.name!r} has no policy 'rules'; a domain supplies one as "
        "baselines={'rules': …}; the policies 'prior' and 'random' work with every domain"
    )


def prior(env: ClinicEnv, tasks: int = SAMPLE) -> Maker:
    """Play the best constant: the same tools and the same answer on every ticket.

    It chooses the label of the answer and a set of tools, all of whose menu calls are made, that
    earn most on the train split. Candidates are played with this environment's rubric, weights,
    dialect and limits on a sample of tasks; the selection is greedy, forward from no tool and
    backward from all tools. Without a menu the answers are the last moves of the
    train split's solutions, and the calls those whose arguments the schemas list. It reads
    neither ticket nor responses, so it measures what frequencies alone earn. Makers of one
    process share the fit.

    Args:
        env: The environment it acts in.
        tasks: Most tasks of the train split to fit on, from 1.

    Raises:
        ConfigError: If there is no train split to fit on, or no answer to choose from.
    """
    constant = best_constant(env, at_least_one("tasks", tasks))
    if constant is None:
        raise ConfigError(
            f"policy 'prior' has nothing to fit on: domain {env.domain.name!r} has no train "
            "split, or no answer that its tickets share"
        )
    names, label = constant
    playbook = Playbook(env)

    def begin(observation: str, info: dict[str, Any]) -> list[str]:
        menu = playbook.menu(playbook.task(info))
        calls = [call for call in menu.calls if call[0] in names]
        return playbook.plan(calls, menu.answers.get(label))

    return lambda seed: ScriptedPolicy(begin)
