"""A small network that reads an image for a question, and weighs it against the votes.

It sees the image at 80 x 80 pixels and the words of question and options. What it says is joined
with the votes by a logistic model that is fitted to tasks which the network has not seen.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from torch import nn
from torch.nn import functional

from gym_clinic import Task

SIDE, WORDS, WIDTH = 80, 2_048, 128
"""Pixels of a side, size of the hashed vocabulary, size of an embedding."""

HELD = 0.15
"""Share of the tasks that the votes are weighed on."""

Picture = Callable[[Mapping[str, Any]], Any]


def hashed(text: str) -> list[int]:
    """Return the words of a text, and its pairs of words, as numbers."""
    words = re.findall(r"[a-z0-9.]+", text.casefold()) or ["-"]
    pairs = [f"{one} {other}" for one, other in pairwise(words)]
    return [zlib.crc32(word.encode()) % WORDS for word in (*words, *pairs)]


def pixels(picture: Picture, task: Task) -> np.ndarray[Any, Any]:
    """Return the image of a task at the size that the network reads."""
    small = picture(task.record).convert("RGB").resize((SIDE, SIDE))
    return np.asarray(small, dtype=np.uint8)


class Network(nn.Module):
    """Scores options from an image and a question."""

    def __init__(self) -> None:
        super().__init__()
        sizes = (3, 16, 32, 64, 64)
        self.layers = nn.ModuleList(
            nn.Sequential(nn.Conv2d(before, after, 3, padding=1), nn.BatchNorm2d(after), nn.ReLU(),
                          nn.MaxPool2d(2))
            for before, after in pairwise(sizes)
        )  # fmt: skip
        self.flat = nn.Linear(64 * (SIDE // 16) ** 2, 2 * WIDTH)
        self.words = nn.EmbeddingBag(WORDS, WIDTH, mode="mean")
        self.choices = nn.EmbeddingBag(WORDS, WIDTH, mode="mean")
        self.gate = nn.Linear(WIDTH, 64)
        self.joint = nn.Sequential(nn.Linear(3 * WIDTH, 2 * WIDTH), nn.ReLU(), nn.Dropout(0.2),
                                   nn.Linear(2 * WIDTH, WIDTH))  # fmt: skip

    def forward(self, images: Any, questions: Any, options: Any, owners: Any) -> Any:
        """Return a score for each option.

        Args:
            images: ``[tasks, 3, SIDE, SIDE]``.
            questions: Words and offsets.
            options: The same, of all options of all tasks.
            owners: The task of each option.
        """
        asked = self.words(*questions)
        seen = images
        for layer in self.layers:
            seen = layer(seen)
        seen = seen * torch.sigmoid(self.gate(asked))[:, :, None, None]
        joint = self.joint(torch.cat([functional.relu(self.flat(seen.flatten(1))), asked], 1))
        return (joint[owners] * self.choices(*options)).sum(1)


def bags(lists: Sequence[Sequence[int]]) -> tuple[Any, Any]:
    """Return lists of numbers as an embedding bag takes them."""
    offsets = np.cumsum([0, *(len(row) for row in lists)])[:-1]
    return torch.tensor(list(chain.from_iterable(lists))), torch.tensor(offsets)


class Reader:
    """The network with its fit.

    Args:
        tasks: What it is fitted to.
        epochs: Passes over them.
        picture: Record -> the image that it sees.
    """

    def __init__(self, tasks: Sequence[Task], epochs: int, picture: Picture) -> None:
        torch.manual_seed(0)
        torch.set_num_threads(1)  # two busy cores: more threads only wait
        self._picture = picture
        self.network = Network()
        held = int(HELD * len(tasks))
        images = np.stack([pixels(picture, task) for task in tasks])
        self._fit(tasks[held:], images[held:], epochs)
        self._weigh(tasks[:held], images[:held])

    def _batch(self, tasks: Sequence[Task], images: Any) -> tuple[Any, Any, list[int]]:
        options = [list(task.record["options"]) for task in tasks]
        owners = [number for number, labels in enumerate(options) for _ in labels]
        scores = self.network(
            torch.from_numpy(images).permute(0, 3, 1, 2).float() / 127.5 - 1,
            bags([hashed(task.record["question"]) for task in tasks]),
            bags([hashed(text) for task in tasks for text in task.record["options"].values()]),
            torch.tensor(owners),
        )
        rows = torch.full((len(tasks), max(map(len, options))), -1e9)
        places = [place for labels in options for place in range(len(labels))]
        rows = rows.index_put((torch.tensor(owners), torch.tensor(places)), scores)
        right = [labels.index(task.gold["answer"])
                 for labels, task in zip(options, tasks, strict=True)]  # fmt: skip
        return rows, torch.tensor(right), owners

    def _fit(self, tasks: Sequence[Task], images: Any, epochs: int) -> None:
        optimiser = torch.optim.AdamW(self.network.parameters(), lr=2e-3, weight_decay=1e-3)
        steps = max(1, epochs * (len(tasks) // 64))
        rate = torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, total_steps=steps + 1)
        order = np.random.default_rng(0)
        for _ in range(epochs):
            self.network.train()
            shuffled = order.permutation(len(tasks))
            for begin in range(0, len(tasks) - 63, 64):
                chosen = shuffled[begin : begin + 64]
                rows, right, _ = self._batch([tasks[place] for place in chosen], images[chosen])
                loss = functional.cross_entropy(rows, right)
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
                rate.step()
        self.network.eval()

    def _weigh(self, tasks: Sequence[Task], images: Any) -> None:
        features, right = [], []
        for begin in range(0, len(tasks), 64):
            part = tasks[begin : begin + 64]
            for task, row in zip(part, self._logs(part, images[begin : begin + 64]), strict=True):
                features += self._features(task, row)
                right += [label == task.gold["answer"] for label in task.record["options"]]
        self._weights = LogisticRegression(max_iter=2_000).fit(features, right)

    def _logs(self, tasks: Sequence[Task], images: Any) -> Any:
        with torch.no_grad():
            rows, *_ = self._batch(tasks, images)
        return torch.log_softmax(rows, 1).numpy()

    @staticmethod
    def _features(task: Task, logs: Any) -> list[list[float]]:
        count = Counter(task.record["votes"])
        pattern = tuple(sorted(count.values(), reverse=True))
        rows = []
        for label, log in zip(task.record["options"], logs, strict=False):
            own = [float(count[label] == number and pattern == shape)
                   for shape in ((3,), (2, 1), (1, 1, 1)) for number in range(4)]  # fmt: skip
            rows.append([max(float(log), -8.0), *own, len(task.record["options"]) == 2])
        return rows

    def guess(self, votes: bool) -> Callable[[Task], str]:
        """Return task -> the label it answers, with the votes or from the image alone."""

        def answer(task: Task) -> str:
            (logs,) = self._logs([task], pixels(self._picture, task)[None])
            labels = list(task.record["options"])
            scores = logs[: len(labels)]
            if votes:
                scores = self._weights.predict_proba(self._features(task, logs))[:, 1]
            return labels[int(np.argmax(scores))]

        return answer


def fit_reader(train: Sequence[Task], extra: int, epochs: int, picture: Picture) -> Reader:
    """Fit a reader to the tasks of train and to endless ones, whose phrases are those of train."""
    endless = gym.make("clinic/AttendingPhysician-v0", split="endless").unwrapped.tasks
    return Reader([*train, *(endless[seed] for seed in range(extra))], epochs, picture)
