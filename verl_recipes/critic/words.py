"""A value model of words: the default critic, which reads any environment."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

_WORD = re.compile(r"\w+")


class WordsValue(nn.Module):
    """The value of a state from the words that the environment said last.

    The ticket before the first turn, the answer before every later one; their order does not count.

    Args:
        slots: Words share so many vectors, by a hash.
        hidden: Width inside.
    """

    def __init__(self, slots: int = 4_096, hidden: int = 32) -> None:
        super().__init__()
        self.slots = slots
        self.words = nn.EmbeddingBag(slots, hidden, mode="mean")
        self.judge = nn.Sequential(nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    @staticmethod
    def read(info: Mapping[str, Any]) -> list[int]:
        """Return a hash of each word of the messages, without those of the system."""
        texts = []
        for message in info["messages"]:
            if message["role"] != "system":
                content = message["content"]
                parts = content if isinstance(content, list) else [{"text": content}]
                texts += [part["text"] for part in parts if "text" in part]
        return [zlib.crc32(word.encode()) for text in texts for word in _WORD.findall(text.lower())]

    def forward(self, states: Sequence[Sequence[int]]) -> Tensor:
        """Return the values of states (N,)."""
        ids = torch.tensor([word % self.slots for state in states for word in state or (0,)])
        lengths = torch.tensor([max(len(state), 1) for state in states])
        bags = self.words(ids, lengths.cumsum(0) - lengths)
        found: Tensor = self.judge(bags).squeeze(-1)
        return found
