"""Seeded sampling of one causal language model on the CPU, exact to the bit."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers.cache_utils import DynamicCache, DynamicLayer

from gym_clinic import ConfigError
from gym_clinic.names import at_least_one

BLOCK = 256
"""Tokens of one forward pass over a prompt; passes begin at its multiples."""

Prefix = list[tuple[Tensor, Tensor]]
"""Keys and values of every layer, each (1, heads, tokens, head size)."""


@dataclass(frozen=True)
class SampledReply:
    """One reply.

    Attributes:
        token_ids: Its tokens, the one that stopped it included.
        log_probs: Log-probability of each, at the temperature it was drawn with and before any
            cut by ``top_p`` or ``top_k``, as verl's engines report them.
        stop_reason: ``"completed"`` by a stop token, ``"length"`` otherwise.
    """

    token_ids: list[int]
    log_probs: list[float]
    stop_reason: str


@dataclass(frozen=True)
class _Read:
    """A prompt that was read: its keys and values, and the logits (V,) of the next token."""

    prefix: Prefix
    logits: Tensor


class Sampler:
    """Samples replies, each alone, so that one depends on nothing but model, prompt and seed.

    A prompt is always read in blocks that begin at the same positions, whether a part of it is
    remembered or not: the same arithmetic, hence the same bits. Remembered are the last prompts,
    for the n samples of one prompt, the turn that extends the one before, and the instructions
    that all prompts of an environment share.

    Requests from several threads are computed one after another: the model is so small that
    two at a time would only wait for one another.

    Args:
        model: A causal language model of transformers whose layers all attend to everything.
        stop: Tokens that end a reply.
        max_length: Most tokens of a prompt and its reply.
        cache: Prompts that are remembered.

    Raises:
        ConfigError: If the model has layers of another kind.
    """

    def __init__(
        self, model: Any, *, stop: Collection[int], max_length: int, cache: int = 16
    ) -> None:
        kinds = {type(layer) for layer in DynamicCache(config=model.config).layers}
        if kinds != {DynamicLayer}:
            names = sorted(kind.__name__ for kind in kinds)
            raise ConfigError(
                f"model type {model.config.model_type!r} keeps {names}; the CPU sampler needs "
                "full attention in every layer, as in Qwen3"
            )
        self.model = model.eval()
        self.stop = frozenset(int(token) for token in stop)
        self.max_length = at_least_one("max_length", max_length)
        self._size = at_least_one("cache", cache)
        self._read: OrderedDict[tuple[int, ...], _Read] = OrderedDict()
        self._lock = threading.Lock()

    def generate(
        self,
        prompt_ids: Sequence[int],
        *,
        max_tokens: int,
        temperature: float,
        top_p: float = 1.0,
        top_k: int = -1,
        seed: int | None,
        ends: Callable[[Sequence[int]], bool] | None = None,
    ) -> SampledReply:
        """Sample one reply.

        Args:
            prompt_ids: All tokens so far, at least one.
            max_tokens: Most tokens of the reply; fewer where ``max_length`` is near.
            temperature: Of the softmax; 0 takes the likeliest token, and reports its
                log-probability at temperature 1.
            top_p: Draw from the likeliest tokens that together reach this probability.
            top_k: Draw from this many likeliest tokens; -1 for all.
            seed: Of this reply alone; None for one from the operating system.
            ends: Returns whether the tokens so far end the reply, as at a stop string.
        """
        prompt = tuple(int(token) for token in prompt_ids)
        room = min(max_tokens, self.max_length - len(prompt))
        if room < 1:
            return SampledReply([], [], "length")
        draw = torch.Generator()
        draw.seed() if seed is None else draw.manual_seed(seed)
        with self._lock, torch.inference_mode():
            start = self._open(prompt)
            past = DynamicCache(start.prefix, config=self.model.config)
            logits = start.logits
            tokens: list[int] = []
            log_probs: list[float] = []
            while True:
                token, log_prob = pick(logits, draw, temperature, top_p, top_k)
                tokens.append(token)
                log_probs.append(log_prob)
                if token in self.stop or (ends is not None and ends(tokens)):
                    return SampledReply(tokens, log_probs, "completed")
                if len(tokens) == room:
                    return SampledReply(tokens, log_probs, "length")
                logits = self._forward((token,), past)

    def load(self, weights: Mapping[str, Tensor]) -> None:
        """Take new weights between two replies, and forget what was read with the old ones.

        Raises:
            ValueError: If a name is unknown, or one that is not tied is missing.
        """
        with self._lock:
            found = self.model.load_state_dict(dict(weights), strict=False)
            tied = set(getattr(self.model, "all_tied_weights_keys", None) or ())
            missing = sorted(set(found.missing_keys) - tied)
            if missing or found.unexpected_keys:
                raise ValueError(
                    f"weights do not fit the model: missing {missing[:3]}, "
                    f"unknown {sorted(found.unexpected_keys)[:3]}"
                )
            self._read.clear()

    def clear(self) -> None:
        """Forget all prompts; for callers that change the weights themselves."""
        with self._lock:
            self._read.clear()

    def _open(self, prompt: tuple[int, ...]) -> _Read:
        """Read a prompt, from memory as far as it is there."""
        known = self._read.get(prompt)
        if known is None:
            known = self._extend(prompt)
            self._read[prompt] = known
            if len(self._read) > self._size:
                self._read.popitem(last=False)
        self._read.move_to_end(prompt)
        return known

    def _extend(self, prompt: tuple[int, ...]) -> _Read:
        shared, prefix = self._remembered(prompt)
        past = DynamicCache(prefix, config=self.model.config)
        for start in range(shared, len(prompt), BLOCK):
            logits = self._forward(prompt[start : start + BLOCK], past)
        return _Read([(layer.keys, layer.values) for layer in past.layers], logits)

    def _remembered(self, prompt: tuple[int, ...]) -> tuple[int, Prefix | None]:
        """Return the longest beginning in whole blocks that was read; the last block never is."""
        shared, best = 0, None
        for other, read in self._read.items():
            length = 0
            limit = min(len(prompt) - 1, len(other))
            while (
                length + BLOCK <= limit
                and prompt[length : length + BLOCK] == other[length : length + BLOCK]
            ):
                length += BLOCK
            if length > shared:
                shared, best = length, read.prefix
        if best is None:
            return 0, None
        return shared, [(keys[:, :, :shared], values[:, :, :shared]) for keys, values in best]

    def _forward(self, tokens: Sequence[int], past: DynamicCache) -> Tensor:
        """Read tokens after what is past; return the logits (V,) of the next one."""
        ids = torch.tensor([tokens], device=self.model.device)
        out = self.model(input_ids=ids, past_key_values=past, use_cache=True, logits_to_keep=1)
        logits: Tensor = out.logits[0, -1].float()
        return logits


def pick(
    logits: Tensor, draw: torch.Generator, temperature: float, top_p: float, top_k: int
) -> tuple[int, float]:
    """Draw the next token by the inverse of the cumulative distribution; and its log-probability.

    ``logits`` is (V,), fp32. Temperature 0 takes the likeliest and draws nothing.
    """
    log_probs = torch.log_softmax(logits / (temperature or 1.0), -1)
    if temperature == 0:
        token = int(log_probs.argmax())
        return token, float(log_probs[token])
    chances = log_probs.double().exp()
    order = None
    if top_k > 0 or top_p < 1:
        chances, order = chances.sort(descending=True, stable=True)
        if top_k > 0:
            chances = chances[:top_k]
        if top_p < 1:
            before = chances.cumsum(0) - chances
            chances = chances[before < top_p * float(chances.sum())]
    total = chances.cumsum(0)
    point = torch.rand((), generator=draw, dtype=torch.float64) * total[-1]
    # The first token whose share ends past the point: one without any chance is never it.
    token = int(torch.searchsorted(total, point, right=True).clamp(max=len(total) - 1))
    if order is not None:
        token = int(order[token])
    return token, float(log_probs[token])
