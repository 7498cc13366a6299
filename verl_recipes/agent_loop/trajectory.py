"""One episode as tokens: what verl trains on, built turn by turn and never rendered anew."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gym_clinic import ClinicEnv, ConfigError
from verl_recipes.agent_loop.environment import (
    OWN_KEYS,
    EnvironmentFaultError,
    Messages,
    PromptLengthError,
    Step,
    blaming_the_environment,
    images_in,
    in_parts,
    opening,
    with_images,
)
from verl_recipes.agent_loop.tokens import Tokens

THINK = "<think>"
"""Some chat templates open a thought where the model speaks; the reply closes it."""

STOP_TOKENS = 64
"""Tokens at the end of a reply among which a stop string is looked for."""


@dataclass(frozen=True)
class Budgets:
    """Token budgets of a trajectory.

    Attributes:
        prompt: Longest prompt.
        response: All replies and observations together.
        turn: One reply; None for no limit of its own.
        least: An observation that leaves less room than this ends the trajectory.
    """

    prompt: int
    response: int
    turn: int | None = None
    least: int = 16


@dataclass
class Trajectory:
    """An episode and its tokens.

    ``begin``, then while not ``over``: sample at most ``room`` tokens after ``ids``, ``reply``,
    step the environment with the text, ``observe``.

    Attributes:
        env: Plays this episode alone.
        watch: How a critic reads the environment's info; None without a critic.
        ids: All tokens so far.
        mask: Of the response, as the next two: 1 where the policy wrote.
        log_probs: 0 where the environment wrote.
        turn_ids: The turn's number from 1; 0 where the environment wrote.
        truncated: Whether its context ran out, in tokens or in characters.
        info: Of the last step.
        opened: What the prompt has begun of the last reply: a thought, or nothing.
        stops: Strings at which a reply ends, of the environment's dialect.
        inline: Whether answers continue the model's own message.
        images: PIL images that the model has seen, in order.
        states: What ``watch`` read before each turn.
        turn_rewards: The environment's reward of each turn.
        versions: Of the weights that wrote, as the rollout servers number them.
        unfinished: Whether a budget cut the last reply.
    """

    env: ClinicEnv
    task_id: str
    tokens: Tokens
    budgets: Budgets
    ids: list[int] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)
    log_probs: list[float] = field(default_factory=list)
    turn_ids: list[int] = field(default_factory=list)
    turns: int = 0
    truncated: bool = False
    over: bool = False
    info: dict[str, Any] = field(default_factory=dict)
    opened: str = ""
    stops: tuple[str, ...] = ()
    inline: bool = False
    images: list[Any] = field(default_factory=list)
    watch: Callable[[Mapping[str, Any]], Any] | None = None
    states: list[Any] = field(default_factory=list)
    turn_rewards: list[float] = field(default_factory=list)
    versions: dict[str, Any] = field(default_factory=dict)
    unfinished: bool = False
    _messages: Messages = field(default_factory=list)
    _tools: list[dict[str, Any]] | None = None
    _prompt_length: int = 0

    def begin(self) -> None:
        """Open the case and write its prompt.

        Raises:
            PromptLengthError: If the prompt exceeds its budget.
        """
        with blaming_the_environment(self.task_id):
            _, info = self.env.reset(options={"task_id": self.task_id})
        self._messages, self._tools = opening(info, native=self.tokens.native)
        self.stops = tuple(info.get("stop_strings", ()))
        self.inline = bool(info.get("inline", False))
        self.images = images_in(self._messages)
        self.ids = self.tokens.prompt(self._messages, self._tools)
        self._prompt_length = len(self.ids)
        if self._prompt_length > self.budgets.prompt:
            raise PromptLengthError(
                f"the prompt of task {self.task_id!r} is {self._prompt_length:,} tokens long; "
                f"data.max_prompt_length is {self.budgets.prompt:,}"
            )
        self._watch(info)

    @property
    def room(self) -> int:
        """Tokens that the next reply may take."""
        left = self.budgets.response - len(self.mask)
        return left if self.budgets.turn is None else min(left, self.budgets.turn)

    def reply(self, token_ids: Sequence[int], log_probs: Sequence[float], *, finished: bool) -> str:
        """Append what the policy wrote, and return its text to step the environment with.

        A thought that the prompt opened is opened in the text too: cut short, it would pass for an
        answer otherwise.

        Args:
            token_ids: Its tokens, at most ``room``.
            log_probs: Of each.
            finished: Whether it ended by itself. A reply that a budget cut ends the trajectory:
                call :meth:`cut` instead of stepping the environment.
        """
        before = self.tokens.text(self.ids[-8:]).rstrip()
        self.opened = THINK if before.endswith(THINK) else ""
        merged = self.tokens.builder.merge_assistant_tokens(self.ids, list(token_ids))
        self.turns += 1
        self._take_over(merged, self.turns, assistant_logprobs=list(log_probs))
        self.unfinished = not finished
        text = self.opened + self.tokens.text(token_ids)
        self._speak(text)
        return text

    def stopped(self, token_ids: Sequence[int]) -> bool:
        """Return whether a reply ended at one of the dialect's stop strings."""
        said = self.tokens.text(token_ids[-STOP_TOKENS:]) if self.stops else ""
        return any(stop in said for stop in self.stops)

    def observe(self, step: Step) -> None:
        """Append what the environment answered, or end."""
        _, reward, terminated, truncated, info = step
        self.turn_rewards.append(float(reward))
        self.info = info
        if terminated or truncated:
            self.over = True
            # Out of turns is a wrong answer; out of context is a truncation.
            self.truncated = truncated and info["stop"] != "max_turns"
        elif self._hear(info):
            self._watch(info)
        else:
            self._truncate()

    def cut(self) -> None:
        """End after a reply that a budget cut; the environment does not read it.

        Half a message is neither an answer nor a call: what stands in it may have been only
        considered. So such a trajectory is never a success, whatever it says before the cut.
        """
        self.turn_rewards.append(0.0)
        self._truncate()

    def _truncate(self) -> None:
        with blaming_the_environment(self.task_id):
            _, reward, _, _, self.info = self.env.truncate("token_budget")
        self.turn_rewards[-1] += float(reward)
        self.over = self.truncated = True

    def _watch(self, info: Mapping[str, Any]) -> None:
        if self.watch is not None:
            self.states.append(self.watch(info))

    def take(self, token_ids: Sequence[int], log_probs: Sequence[float], *, finished: bool) -> None:
        """Reply, step and observe, for callers without an event loop."""
        text = self.reply(token_ids, log_probs, finished=finished)
        if self.unfinished:
            return self.cut()
        with blaming_the_environment(self.task_id):
            step = self.env.step(text)
        return self.observe(step)

    @property
    def reward(self) -> float:
        """The environment's, summed."""
        return float(sum(self.turn_rewards))

    @property
    def prompt_ids(self) -> list[int]:
        """The tokens before the first reply."""
        return self.ids[: self._prompt_length]

    @property
    def response_ids(self) -> list[int]:
        """The tokens from the first reply on."""
        return self.ids[self._prompt_length :]

    def record(self) -> dict[str, float]:
        """Return the figures of a trajectory that is over; what others add to it is 0.

        A truncated trajectory is no success, also where the environment judges the state that it
        left: figures, hints and the length reward agree (TT-OPD paper, eq. 3).

        Raises:
            EnvironmentFaultError: If the reward is no number.
        """
        calls = [call for turn in self.env.episode.turns for call in turn.calls]
        success = float(self.info["success"] and not self.truncated)
        own = {
            "total": self.reward,
            "success": success,
            "acc": success,
            "truncated": float(self.truncated),
            "turns": float(self.turns),
            "policy_tokens": float(sum(self.mask)),
            "response_tokens": float(len(self.mask)),
            "prompt_tokens": float(self._prompt_length),
            "calls": float(len(calls)),
            "distinct_tools": float(len({call.name for call in calls})),
            "malformed": float(sum(turn.malformed for turn in self.env.episode.turns)),
        }
        own |= {f"reward/{name}": float(v) for name, v in self.info["rewards"].items()}
        own |= {f"metric/{name}": float(v) for name, v in self.info["metrics"].items()}
        if not math.isfinite(self.reward):
            raise EnvironmentFaultError(f"task {self.task_id!r}: the reward is {self.reward}")
        return dict.fromkeys(OWN_KEYS, 0.0) | own

    def drop(self) -> None:
        """Leave none of its tokens to be trained on."""
        self.mask, self.turn_ids = [0] * len(self.mask), [0] * len(self.mask)
        self.log_probs = [0.0] * len(self.mask)

    def _hear(self, info: Mapping[str, Any]) -> bool:
        """Append the environment's answer; False, and nothing is changed, if it does not fit."""
        closed = bool(self.ids) and self.ids[-1] == self.tokens.end
        if self.inline and not closed:
            return self._insert(self.env.episode.turns[-1].observation, info)
        # A reply that a stop string ended is within its message, which ends here.
        end = [self.tokens.end] if self.stops and not closed else []
        images = info.get("images", ())
        messages = with_images(list(info["messages"]), images)
        if self._tools is None:  # in the dialect's own form, as the prompt explains it
            content = self.env.episode.turns[-1].observation
            messages = [{"role": "user", "content": in_parts(content, images_in(messages))}]
        if images and not self.tokens.builder.supports_multimodal():
            raise ConfigError(f"task {self.task_id!r} shows images; the model reads only text")
        updated = [*self._messages, *messages]
        merged = self.tokens.builder.merge_context_tokens(
            self._messages, updated, [*self.ids, *end], tools=self._tools
        )
        if not self._fits(len(merged.token_ids) - len(self.ids)):
            return False
        self._extend(end)
        self._messages = updated
        self._take_over(merged, 0)
        self.images += images_in(messages)
        return True

    def _insert(self, text: str, info: Mapping[str, Any]) -> bool:
        """Continue the model's own message with an answer; no token of it is trained on."""
        if "images" in info:
            raise ConfigError(
                f"task {self.task_id!r}: an image cannot stand inside the model's own message; "
                "choose a dialect that answers in messages"
            )
        ids = self.tokens.plain(text)
        if not self._fits(len(ids)):
            return False
        self._extend(ids)
        self._speak(text)
        return True

    def _fits(self, count: int) -> bool:
        return len(self.mask) + count + self.budgets.least <= self.budgets.response

    def _extend(self, ids: Sequence[int]) -> None:
        """Append tokens that the policy did not write."""
        self.ids = [*self.ids, *ids]
        self.log_probs += [0.0] * len(ids)
        for column in (self.mask, self.turn_ids):
            column += [0] * len(ids)

    def _speak(self, text: str) -> None:
        """Add to the model's message, which is a new one after those of the environment."""
        *before, last = self._messages
        if last["role"] != "assistant":  # else it continues after an inserted answer
            before, last = self._messages, {"role": "assistant", "content": ""}
        self._messages = [*before, {**last, "content": last["content"] + text}]

    def _take_over(self, merged: Any, turn: int, **log_probs: list[float]) -> None:
        """Take over merged tokens; a builder may also have taken some off the end before."""
        self.mask, aligned = self.tokens.builder.align_response_metadata(
            merged, self.mask, self.log_probs, **log_probs
        )
        self.log_probs = list(aligned)
        self.ids = list(merged.token_ids)
        del self.turn_ids[len(self.turn_ids) - merged.removed_prefix_token_count :]
        self.turn_ids += [turn if own else 0 for own in self.mask[len(self.turn_ids) :]]
