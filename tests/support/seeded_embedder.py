"""An embedder for tests: each text, case apart, has a random unit row of its own."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
from numpy.typing import NDArray


class SeededEmbedder:
    def __init__(self, dimension: int = 16, name: str = "seeded") -> None:
        self.name = name
        self.dimension = dimension
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        rows = np.array([self.row(text.casefold()) for text in texts], dtype=np.float32)
        return rows.reshape(len(texts), self.dimension)

    def row(self, text: str) -> list[float]:
        if not any(map(str.isalnum, text)):
            return [0.0] * self.dimension
        random = Random(text)
        row = [random.gauss(0, 1) for _ in range(self.dimension)]
        length = sum(one * one for one in row) ** 0.5
        return [one / length for one in row]
