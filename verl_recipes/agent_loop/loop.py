"""verl's face of a trajectory: one environment per trajectory inside its async rollout."""

from __future__ import annotations

import asyncio
import copy
import hashlib
import logging
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any
from uuid import uuid4

import orjson
import torch
from verl.experimental.agent_loop.agent_loop import (
    AgentLoopBase,
    AgentLoopMetrics,
    AgentLoopOutput,
)
from verl.experimental.agent_loop.tool_parser import ToolParser
from verl.tools.schemas import OpenAIFunctionToolSchema

from gym_clinic import ConfigError
from gym_clinic.action import without_thoughts
from gym_clinic.errors import ClinicError
from verl_recipes import settings
from verl_recipes.agent_loop.environment import (
    OWN_KEYS,
    EnvironmentFaultError,
    blaming_the_environment,
    open_env,
)
from verl_recipes.agent_loop.tokens import Tokens
from verl_recipes.agent_loop.trajectory import Budgets, Trajectory
from verl_recipes.critic.value import reader
from verl_recipes.registry import REWARDS
from verl_recipes.ttopd import hints
from verl_recipes.ttopd.placement import HintPlacement
from verl_recipes.ttopd.turns import outside_thoughts, within

logger = logging.getLogger(__name__)

CUT = frozenset({"length", "aborted", "abort"})
"""Stop reasons of a reply that did not end by itself, of the servers that say so."""

FIRST = "min_global_steps"
VERSIONS = (FIRST, "max_global_steps", "global_steps")
"""Of the weights that wrote: the first reply's, then the last one's."""

PAUSE_S = 1.0
"""Seconds to wait after the first error of a server; one more after each further one."""


class RolloutServerError(ClinicError):
    """The rollout servers gave no reply."""


class ClinicOutput(AgentLoopOutput):
    """What verl stores of a trajectory, with what the distillation needs.

    Attributes:
        turn_ids: Of the response tokens: the turn's number, 0 where nothing is distilled.
        hint_ids: What the teacher reads besides, before the prompt's token ``hint_at``.
    """

    turn_ids: list[int] = []
    hint_ids: list[int] = []
    hint_at: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as tensors, under verl's names."""
        columns = {"turn_ids": self.turn_ids, "hint_ids": self.hint_ids, "hint_at": [self.hint_at]}
        found: dict[str, Any] = super().as_dict()
        return found | {name: torch.tensor(ids).long() for name, ids in columns.items()}


class ClinicAgentLoop(AgentLoopBase):
    """Plays one task in its own environment, by the policy that the rollout servers hold."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.clinic = settings.from_config(self.config)
        native = self.clinic.tools == "native"
        builder = self.continuous_token_builder
        self.tokens = Tokens(self.tokenizer, None, native=native, builder=builder)
        self.placement = HintPlacement(self.tokens)
        self.watch = reader(self.clinic.critic)
        self.parser: Any = self.clinic.tool_parser and ToolParser.get_tool_parser(
            self.clinic.tool_parser, self.tokenizer
        )
        self.stops = list(self.parser.stop_token_ids) if self.parser else []

    async def run(self, sampling_params: dict[str, Any], **row: Any) -> ClinicOutput:
        """Play the task of a row: its ``environment``, ``task_id``, ``split`` and ``draw``.

        A rollout that its environment or a rollout server failed is played again, at most
        ``clinic.rollout_retries`` times. After that a fault of the environment is recorded as
        such, and a server's error is raised, so that verl reports the prompt as failed. The trainer
        drops the whole group of either.

        Raises:
            PromptLengthError: If the prompt exceeds its budget.
            RolloutServerError: If the rollout servers failed every time.
        """
        clinic = self.clinic.in_stage(int(row.get("stage", 0)))
        played = clinic.environment(str(row["environment"]))
        shared = await asyncio.to_thread(open_env, clinic, played, str(row["split"]))
        lengths = (self.rollout_config.prompt_length, self.rollout_config.response_length)
        turn = played.turn_tokens or self.clinic.turn_tokens
        budgets = Budgets(*lengths, turn, self.clinic.min_reply_tokens)
        for attempt in count():
            env, task = copy.copy(shared), str(row["task_id"])
            one = Trajectory(env, task, self.tokens, budgets, watch=self.watch)
            try:
                await self._play(one, sampling_params, row)
                out = self._finished(one, f"{row['uid']}:{row['session_id']}", attempt)
                break
            except (EnvironmentFaultError, RolloutServerError) as error:
                logger.exception("attempt %d fails", attempt + 1)
                by_server = isinstance(error, RolloutServerError)
                if attempt < self.clinic.rollout_retries:
                    await asyncio.sleep(PAUSE_S * (attempt + 1) if by_server else 0.0)
                    continue
                if by_server:
                    raise
                # What no reply was made for has the version of its step; verl wants one of all.
                step = int(row["global_steps"]) - 1
                one.versions = dict.fromkeys(VERSIONS, step) | one.versions
                out = self._failed(one, attempt)
                break
        out.extra_fields["environment"] = played.id
        return out

    async def _play(
        self, one: Trajectory, sampling_params: dict[str, Any], row: Mapping[str, Any]
    ) -> None:
        await asyncio.to_thread(one.begin)
        params = dict(sampling_params)
        if one.stops:  # which the reply keeps
            sglang = self.rollout_config.name == "sglang"
            params["no_stop_trim" if sglang else "include_stop_str_in_output"] = True
            params["stop"] = list(one.stops)
        if self.stops:
            params["stop_token_ids"] = self.stops
        request_id = uuid4().hex  # one for all turns, so that they meet the server's prefix cache
        while not one.over:
            params["max_tokens"] = one.room
            if self.rollout_config.name == "hf":
                params["seed"] = sampling_seed(self.clinic.seed, row, one.turns)
            seen = {"image_data": list(one.images)} if one.images else {}
            try:
                out = await self.server_manager.generate(
                    request_id=request_id, prompt_ids=one.ids, sampling_params=dict(params), **seen
                )
            except Exception as error:
                raise RolloutServerError(
                    f"task {one.task_id!r}: {type(error).__name__}: {error}"
                ) from error
            for name in VERSIONS:
                if name in out.extra_fields and not (name == FIRST and name in one.versions):
                    one.versions[name] = out.extra_fields[name]
            said = out.token_ids[: self.tokens.readable(out.token_ids)]
            log_probs = (out.log_probs or [0.0] * len(said))[: len(said)]
            finished = self._ended(out, one.room) or one.stopped(said)
            text = one.reply(said, log_probs, finished=finished and len(said) == len(out.token_ids))
            if one.unfinished:
                await asyncio.to_thread(one.cut)
                break
            if self.parser:
                text = await self._in_dialect(one, text, said)
            with blaming_the_environment(one.task_id):
                step = await one.env.astep(text)  # inline, unless the domain may wait
            await asyncio.to_thread(one.observe, step)

    def _ended(self, out: Any, room: int) -> bool:
        """Whether a reply ended by itself; vLLM's server calls one "completed" that did not."""
        if out.stop_reason in CUT or not out.token_ids:
            return False
        ends = (self.tokenizer.eos_token_id, *self.stops)
        return len(out.token_ids) < room or out.token_ids[-1] in ends

    async def _in_dialect(self, one: Trajectory, text: str, token_ids: Sequence[int]) -> str:
        """Rewrite calls in the model's own notation into the environment's.

        What cannot be written there is handed over as it stands, and answered as such.
        """
        whole = one.opened + self.tokenizer.decode(list(token_ids), skip_special_tokens=False)
        spoken = without_thoughts(whole)
        if spoken != whole:  # a call that is only thought of is none
            token_ids = self.tokenizer.encode(spoken, add_special_tokens=False)
        schemas = [parsed(tool) for tool in one.env.toolbox.schemas()]
        _, calls = await self.parser.extract_tool_calls(list(token_ids), schemas)
        if not calls:
            return text
        try:
            written = [(call.name, orjson.loads(call.arguments)) for call in calls]
            if not all(isinstance(arguments, dict) for _, arguments in written):
                return text
            return one.env.dialect.write(written)
        except (orjson.JSONDecodeError, ConfigError):
            return text

    def _finished(self, one: Trajectory, key: str, retries: int) -> ClinicOutput:
        record = one.record() | {"retries": float(retries)}
        kept = within(one.turn_ids, len(one.prompt_ids), self.clinic.teacher.l_max_turn)
        record["dropped_turns"] = float(len(set(one.turn_ids) - {0}) - len(set(kept) - {0}))
        if not self.clinic.teacher.thoughts:
            pieces = [self.tokenizer.decode([token]) for token in one.response_ids]
            kept = outside_thoughts(kept, pieces, one.opened)
        reward, choice = self.clinic.reward, self.clinic.hints
        record["score"] = REWARDS[reward.mode](record, reward)
        told = hints.load(choice.path).of_size(choice.size)
        text = told.text(bool(record["success"]), key, choice.mode)
        fields: dict[str, Any] = {"turn_ids": kept}
        if text:
            own = [token for token, ours in zip(one.response_ids, one.mask, strict=True) if ours]
            record["hint_echo"] = hints.echo(self.tokens.text(own), text)
            fields["hint_ids"] = self.placement.ids(text)
            fields["hint_at"] = self.placement.index(one.prompt_ids)
        out = self._output(one, record, **fields)
        if self.watch is not None:
            shaped = record["score"] - record["total"]  # what is not the environment's own
            rewards = [*one.turn_rewards[:-1], one.turn_rewards[-1] + shaped]
            seen = {"states": one.states, "rewards": rewards, "turn_ids": one.turn_ids}
            out.extra_fields["critic"] = seen
        return out

    def _failed(self, one: Trajectory, retries: int) -> ClinicOutput:
        """Return what is left of a trajectory, none of whose tokens is trained on."""
        one.drop()
        record = dict.fromkeys(OWN_KEYS, 0.0) | {"fault": 1.0, "retries": float(retries)}
        return self._output(one, record, turn_ids=one.turn_ids)

    def _output(self, one: Trajectory, record: dict[str, float], **more: Any) -> ClinicOutput:
        fields = {
            "prompt_ids": one.prompt_ids,
            "response_ids": one.response_ids,
            "response_mask": one.mask,
            "response_logprobs": one.log_probs,
            **more,
        }
        if not one.response_ids:  # verl has no rows without a prompt or a response
            stand_in = [self.tokenizer.eos_token_id]
            fields |= {"prompt_ids": one.prompt_ids or stand_in, "response_ids": stand_in}
            fields |= {"response_mask": [0], "response_logprobs": [0.0], "turn_ids": [0]}
        if one.images:
            fields["multi_modal_data"] = {"images": one.images}
        return ClinicOutput(
            num_turns=one.turns,
            metrics=AgentLoopMetrics(),
            reward_score=record["score"],
            extra_fields={**one.versions, "reward_extra_info": record},
            **fields,
        )


def parsed(tool: Mapping[str, Any]) -> OpenAIFunctionToolSchema:
    """Return a tool as verl's parsers read it: an argument without a type may be any JSON."""
    function = tool["function"]
    known = function["parameters"]["properties"]
    properties = {name: {"type": str(one.get("type", "object"))} for name, one in known.items()}
    parameters = {"type": "object", "properties": properties}
    shown = {**function, "parameters": parameters}
    return OpenAIFunctionToolSchema.model_validate({"type": "function", "function": shown})


def sampling_seed(seed: int, row: Mapping[str, Any], turn: int) -> int:
    """Return the seed of one reply: of (seed, step, prompt, sample, turn) and nothing else."""
    what = [seed, row["global_steps"], row["split"], row["task_id"], row["draw"]]
    text = ":".join(str(part) for part in [*what, row["session_id"], turn])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=7).digest(), "big")
