"""Policies that diagnose from the case alone, without evidence: what retrieval is held against.

None looks anything up, so stage 4 pays .32 of .90 at most; Acc@1 and Acc@5 are what they are for.
RAG without training is the chat policy: the instruction of the environment is that of the paper
(A.1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from gym_clinic import strict_json
from gym_clinic.action import without_thoughts
from gym_clinic.case import Case
from gym_clinic.consult import (
    Ballot,
    Chat,
    ChatClient,
    Member,
    Panel,
    Prompt,
    Question,
    read_prompt,
    weighted_by_confidence,
)
from gym_clinic.domain import CallSpec
from gym_clinic.domains.dxsearch.reading import DialectHolder, Investigator
from gym_clinic.domains.dxsearch.tools import submit_diagnoses
from gym_clinic.domains.dxsearch.transcript import bold
from gym_clinic.errors import ConfigError
from gym_clinic.names import call_with_options
from gym_clinic.paths import tasks_dir
from gym_clinic.retrieval import HashedNgrams
from gym_clinic.taskset import TaskFolder

ANSWERED = 5

DIMENSION = 4096
"""Buckets of the embedder: texts of cases are longer than names of phenotypes."""

Maker = Callable[[int], Investigator]

_PROMPTS = Path(__file__).with_name("prompts")


def vanilla(env: DialectHolder, *, url: str, model: str, **options: Any) -> Maker:
    r"""Make a chat model that answers at once (A.7).

    A reply without ``\textbf{}`` is an answer without a diagnosis, which the gate refuses.

    Args:
        env: The environment.
        url: Root of the server.
        model: The model's name on that server.
        options: Further options of :class:`gym_clinic.consult.ChatClient`.

    Raises:
        ConfigError: If an option is unknown or unusable.
    """
    client = call_with_options(ChatClient, {"url": url, "model": model, **options}, "vanilla")
    prompt = read_prompt(_PROMPTS / "vanilla.md")

    def diagnose(ticket: str, account: Case) -> Sequence[str]:
        reply = client.complete(_messages(prompt, ticket))
        account.charge(reply.usage.as_dict())
        return bold(without_thoughts(reply.text))

    return _direct(env, diagnose)


def panel(
    env: DialectHolder, *, url: str, models: Sequence[str], rounds: int = 2, **options: Any
) -> Maker:
    """Make a panel of chat models that discuss the case and vote by confidence.

    The diagnoses are those that got votes, most first.

    Args:
        env: The environment.
        url: Root of the server.
        models: The models; one is asked as three physicians, several as one each.
        rounds: Rounds of discussion at most.
        options: Further options of :class:`gym_clinic.consult.ChatClient`.

    Raises:
        ConfigError: If there is no model, or an option is unknown or unusable.
    """
    if isinstance(models, str) or not models:
        raise ConfigError(f'models is a list of names, such as ["a", "b"], not {models!r}')
    specialties: list[str] = strict_json.loads(
        (_PROMPTS / "specialties.json").read_text(encoding="utf-8")
    )
    seats = max(len(models), len(specialties))
    members = [
        Member(
            f"physician {seat + 1}",
            Chat(call_with_options(
                ChatClient, {"url": url, "model": models[seat % len(models)], **options}, "panel"
            )),
            values={"specialty": specialties[seat % len(specialties)]},
        )
        for seat in range(seats)
    ]  # fmt: skip
    board: Panel[Ballot] = Panel(
        members, rounds=rounds, vote=weighted_by_confidence, workers=len(members)
    )
    prompt = read_prompt(_PROMPTS / "panel.md")

    def diagnose(ticket: str, account: Case) -> Sequence[str]:
        question = Question("panel", prompt, {"ticket": ticket}, Ballot)
        scores = board.discuss(question, account).scores
        return sorted(scores, key=lambda name: -scores[name])

    return _direct(env, diagnose)


def encoder(env: DialectHolder) -> Maker:
    """Make the ranking of diseases by the nearest texts of train, as an embedder sees them.

    Texts are embedded by character n-grams (hashed, no download): near is a similar wording, not a
    similar meaning. A disease is as near as its nearest case of train, and one without a case in
    train is never named.
    """

    def diagnose(ticket: str, account: Case) -> Sequence[str]:
        diseases, rows, embedder = _train()
        nearness = rows @ embedder.embed([ticket])[0]
        return list(dict.fromkeys(diseases[place] for place in np.argsort(-nearness)))

    return _direct(env, diagnose)


@lru_cache(maxsize=1)
def _train() -> tuple[list[str], np.ndarray[Any, Any], HashedNgrams]:
    embedder = HashedNgrams(DIMENSION)
    tasks = list(TaskFolder(tasks_dir("dxsearch"), ("train",))["train"])
    rows = embedder.embed([task.ticket for task in tasks])
    return [task.gold["names"][0] for task in tasks], rows, embedder


class _Direct(Investigator):
    """An investigator whose model servers keep an account of tokens."""

    account: Case

    @property
    def usage(self) -> Mapping[str, int]:
        """Tokens of the episode."""
        return self.account.usage


def _direct(env: DialectHolder, diagnose: Callable[[str, Case], Sequence[str]]) -> Maker:
    def make(seed: int) -> Investigator:
        account = Case({})

        def plan(ticket: str) -> Iterator[CallSpec]:
            yield submit_diagnoses.name, {"diagnoses": list(diagnose(ticket, account))[:ANSWERED]}

        policy = _Direct(plan, env.dialect)
        policy.account = account
        return policy

    return make


def _messages(prompt: Prompt, ticket: str) -> list[dict[str, str]]:
    return [
        {"role": "system", "content": prompt.system.format()},
        {"role": "user", "content": prompt.user.format(ticket=ticket)},
    ]
