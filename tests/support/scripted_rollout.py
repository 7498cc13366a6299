"""verl's agent loop over scripted replies, without Ray and without a model."""

from __future__ import annotations

import asyncio
import importlib
from collections import Counter
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from gym_clinic import ClinicEnv
from gym_clinic.action import DIALECTS
from gym_clinic.policies import Playbook
from verl_recipes.request import RunRequest

INTERACTIONS, TRIAGE, FAULTY = (
    "tiny_domain:INTERACTIONS", "tiny_domain:TRIAGE", "faulty_domain:FAULTY",
)  # fmt: skip
HERMES = DIALECTS["hermes"]
Script = Callable[[int], Any]
"""The number of the turn, from 0 -> what the policy says: a text, tokens, or a whole output."""


class Server:
    """Stands in for the rollout servers: says what a script says, and keeps what it was asked."""

    def __init__(self, tokenizer: Any, script: Script) -> None:
        self.tokenizer, self.script = tokenizer, script
        self.asked: list[dict[str, Any]] = []
        self.turns: Counter[str] = Counter()
        self.processor: Any = None
        self.family = "qwen3"

    async def generate(
        self,
        request_id: str,
        *,
        prompt_ids: list[int],
        sampling_params: dict[str, Any],
        **media: Any,
    ) -> Any:
        asked = {"id": request_id, "prompt": list(prompt_ids), **sampling_params, **media}
        self.asked.append(asked)
        said = self.script(self.turns[request_id])
        self.turns[request_id] += 1
        await asyncio.sleep(0)
        if isinstance(said, str):
            said = ids(self.tokenizer, said)[: sampling_params["max_tokens"]]
        return said if isinstance(said, SimpleNamespace) else output(said)


def ids(tokenizer: Any, text: str, *, end: bool = True) -> list[int]:
    found = list(tokenizer.encode(text, add_special_tokens=False))
    return [*found, tokenizer.eos_token_id] if end else found


def output(tokens: Sequence[int], stop: str = "completed", **fields: Any) -> SimpleNamespace:
    log_probs = [-0.25] * len(tokens)
    return SimpleNamespace(
        token_ids=list(tokens), log_probs=log_probs, stop_reason=stop, extra_fields=fields
    )


ENTRY = "verl_recipes.agent_loop.loop.ClinicAgentLoop"
_CONFIGS: dict[str, Any] = {}


def configured(method: str = "grpo", **settings: Any) -> Any:
    composing = importlib.import_module("verl_recipes.config.compose")
    if method not in _CONFIGS:
        _CONFIGS[method] = composing.compose(RunRequest(method=method, model="tiny"))
    omegaconf = importlib.import_module("omegaconf").OmegaConf
    config = _CONFIGS[method].copy()
    omegaconf.set_struct(config, False)
    for name, value in {"clinic.env": INTERACTIONS, **settings}.items():
        omegaconf.update(config, name, value)
    return config


def loop(tokenizer: Any, server: Any, config: Any) -> Any:
    """Make the loop as verl's worker does, one a trajectory."""
    hydra = importlib.import_module("hydra.utils")
    verl_loops = importlib.import_module("verl.experimental.agent_loop.agent_loop")
    return hydra.instantiate(
        config={"_target_": ENTRY},
        trainer_config=verl_loops.DictConfigWrap(config),
        server_manager=server,
        tokenizer=tokenizer,
        processor=server.processor,
        hf_model_type=server.family,
        dataset_cls=None,
        data_config=verl_loops.DictConfigWrap(config.data),
        tools=verl_loops.ToolListWrap([]),
    )


def row(domain: str = INTERACTIONS, task: str | None = None, **other: Any) -> dict[str, Any]:
    name = task or ClinicEnv(domain).tasks[0].id
    found = {"task_id": name, "split": "train", "draw": 0, "uid": "s000001n00000", "session_id": 0}
    return {
        **found,
        "environment": domain,
        "global_steps": 1,
        "index": 0,
        "raw_prompt": [],
        "agent_name": "clinic",
    } | other


def play(
    tokenizer: Any,
    script: Script | Server,
    method: str = "grpo",
    task: dict[str, Any] | None = None,
    **settings: Any,
) -> Any:
    server = script if isinstance(script, Server) else Server(tokenizer, script)
    settings = {"clinic.env": (task or row())["environment"], **settings}

    async def run() -> Any:
        one = loop(tokenizer, server, configured(method, **settings))
        return await one.run({"temperature": 1.0, "top_p": 1.0}, **(task or row()))

    return asyncio.run(run())


def write(*calls: tuple[str, dict[str, Any]]) -> str:
    return HERMES.write(calls)


def solution(domain: str = INTERACTIONS, task: str | None = None) -> list[str]:
    env = ClinicEnv(domain)
    wanted = next(one for one in env.tasks if task in (None, one.id))
    playbook = Playbook(env)
    return [write(call) for move in playbook.domain.solve(wanted) for call in move]


def right(turn: int) -> str:
    return solution()[turn]


def wrong(turn: int) -> str:
    gold = ClinicEnv(INTERACTIONS).tasks[0].gold["answer"]["grade"]
    return write(("submit_grade", {"grade": "none" if gold != "none" else "major"}))


def rambling(turn: int) -> str:
    return "word " * 100


def record(out: Any) -> dict[str, float]:
    found: dict[str, float] = out.extra_fields["reward_extra_info"]
    return found
