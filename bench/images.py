"""Simulated images: what a small network reads from the pixels, by kind of question.

Run: ``python bench/images.py [--train 2000] [--test 500] [--epochs 20]``. A small convolutional
network is trained on the records of the images of train alone, and answers the questions of test
by choosing the option that is nearest to what it read. Prints for each kind of question, for the
modality and for thirds of difficulty its accuracy beside chance, and the time to draw an image.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from gym_clinic.domains.mmedagent.questions import ImageQuestion, draw_question
from gym_clinic.domains.mmedagent.questions.drawing import NONE, wording
from gym_clinic.simulate.images import modalities, modality, read_record, render_array

SIDE = 120
"""Pixels of a side of what the network sees."""

PLACES = 6
"""Most places of a finding."""

NAMES = sorted(modalities())
FINDINGS = [(name, finding) for name in NAMES for finding in modalities()[name].findings]
COLUMN = {pair: number for number, pair in enumerate(FINDINGS)}
HEADS = ("present", "left", "right", "size", "count")
SIZES = [len(FINDINGS)] * len(HEADS) + [len(FINDINGS) * PLACES, len(NAMES), 1]
"""Outputs: one of each head for each finding, places, the modality, and whether a right eye."""


class Network(nn.Module):
    """A small convolutional network with one output for each thing that a record can say."""

    def __init__(self) -> None:
        super().__init__()
        sizes = (16, 24, 48, 64)
        layers: list[nn.Module] = [
            nn.Conv2d(5, sizes[0], 5, stride=2, padding=2), nn.BatchNorm2d(sizes[0]), nn.ReLU()
        ]  # fmt: skip
        for before, after in pairwise(sizes):
            layers += [nn.Conv2d(before, after, 3, padding=1), nn.BatchNorm2d(after), nn.ReLU(),
                       nn.MaxPool2d(2)]  # fmt: skip
        self.body = nn.Sequential(*layers)
        self.head = nn.Sequential(
            nn.Flatten(), nn.Dropout(0.3), nn.Linear(sizes[-1] * (SIDE // 16) ** 2, sum(SIZES))
        )
        row = torch.linspace(-1, 1, SIDE)
        down, across = torch.meshgrid(row, row, indexing="ij")
        self.register_buffer("place", torch.stack([across, down])[None], persistent=False)

    def forward(self, images: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return the outputs of each head for images, N x 3 x SIDE x SIDE bytes."""
        pixels = images.float() / 127.5 - 1
        place = self.place.expand(len(images), -1, -1, -1)
        return self.head(self.body(torch.cat([pixels, place], 1))).split(SIZES, 1)


def picture(question: ImageQuestion) -> np.ndarray[Any, Any]:
    """Return the image of a question at the size that the network sees, 3 x SIDE x SIDE."""
    pixels = render_array(question.image)
    half = pixels.reshape(SIDE, 2, SIDE, 2, 3).mean(axis=(1, 3))
    return half.transpose(2, 0, 1).astype(np.uint8)


def scaled(value: float, limits: tuple[float, float]) -> float:
    """Return a value between limits as a logarithm from 0 to 1."""
    return float(np.log(value / limits[0]) / max(np.log(limits[1] / limits[0]), 1e-6))


def labels(questions: Sequence[ImageQuestion]) -> dict[str, torch.Tensor]:
    """Return what the records say, in the order of the heads."""
    rows = {head: torch.zeros(len(questions), len(FINDINGS)) for head in HEADS}
    rows |= {"places": torch.full((len(questions), len(FINDINGS)), -1, dtype=torch.long),
             "modality": torch.zeros(len(questions), dtype=torch.long),
             "eye": torch.full((len(questions),), -1.0)}  # fmt: skip
    for number, question in enumerate(questions):
        record = read_record(question.image)
        rows["modality"][number] = NAMES.index(record.modality)
        if record.side:
            rows["eye"][number] = float(record.side == "right")
        for finding in record.findings:
            table = record.table.finding(finding.finding)
            place = (number, COLUMN[record.modality, finding.finding])
            rows["present"][place] = 1
            if finding.side:
                rows[finding.side][place] = 1
            if finding.size is not None:
                rows["size"][place] = scaled(finding.size, table.size)
            rows["count"][place] = finding.count / table.count[1]
            if finding.place:
                rows["places"][place] = table.places.index(finding.place)
    return rows


def loss_of(outputs: tuple[torch.Tensor, ...], wanted: dict[str, torch.Tensor]) -> torch.Tensor:
    """Return the loss, each head where the record says something."""
    present, left, right, size, count, places, kind, eye = outputs
    own = functional.one_hot(wanted["modality"], len(NAMES)).bool()
    shown = own[:, [NAMES.index(name) for name, _ in FINDINGS]]  # findings of this modality
    there = wanted["present"].bool()
    total = functional.cross_entropy(kind, wanted["modality"])
    total = total + functional.binary_cross_entropy_with_logits(
        present[shown], wanted["present"][shown]
    )
    for output, head in ((left, "left"), (right, "right")):
        total = total + functional.binary_cross_entropy_with_logits(
            output[there], wanted[head][there]
        )
    for output, head in ((size, "size"), (count, "count")):
        total = total + 4 * functional.mse_loss(output[there], wanted[head][there])
    placed = wanted["places"] >= 0
    rows = places.view(-1, len(FINDINGS), PLACES)
    total = total + functional.cross_entropy(rows[placed], wanted["places"][placed])
    seen = wanted["eye"] >= 0
    return total + functional.binary_cross_entropy_with_logits(eye[seen, 0], wanted["eye"][seen])


def pictures(questions: Sequence[ImageQuestion]) -> torch.Tensor:
    """Return the images of questions, N x 3 x SIDE x SIDE bytes."""
    return torch.from_numpy(np.stack([picture(question) for question in questions]))


def train(
    questions: Sequence[ImageQuestion], images: torch.Tensor, epochs: int, seed: int = 0
) -> Network:
    """Return a network trained on the images of questions and their records."""
    torch.manual_seed(seed)
    wanted = labels(questions)
    network = Network()
    steps = epochs * -(-len(questions) // 32)
    optimiser = torch.optim.AdamW(network.parameters(), 2e-3, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, total_steps=steps)
    for _ in range(epochs):
        for batch in torch.randperm(len(questions)).split(32):
            network.train()
            loss = loss_of(network(images[batch]), {key: row[batch] for key, row in wanted.items()})
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    return network.eval()


def choose(question: ImageQuestion, outputs: Sequence[torch.Tensor]) -> str:
    """Return the label of the option that is nearest to what the network read."""
    scores = {label: score(question, option, outputs) for label, option in question.options.items()}
    return max(scores, key=lambda label: scores[label])


def score(question: ImageQuestion, option: str, outputs: Sequence[torch.Tensor]) -> float:
    """Return how well an option of a question fits what the network read."""
    present, left, right, size, count, places, _, eye = outputs
    name, kind = question.modality, question.kind
    if kind in ("diagnosis", "next_step"):
        return of_condition(name, kind, option, outputs)
    if question.finding == "eye":
        return float(eye[0]) * (1 if option == "right" else -1)
    column, table = COLUMN[name, question.finding], modality(name).finding(question.finding)
    if kind == "presence":
        return float(present[column]) * (1 if option == "yes" else -1)
    if kind == "side":
        sides = ("left", "right") if option == "both sides" else (option,)
        return sum(
            float(functional.logsigmoid(head[column] * (1 if side in sides else -1)))
            for side, head in (("left", left), ("right", right))
        )
    if kind == "location":
        return float(places[column * PLACES + table.places.index(option)])
    if kind == "count":
        return -abs(float(count[column]) - int(option) / table.count[1])
    if kind == "grade":
        middle = float(np.sqrt(table.grades[option][0] * table.grades[option][1]))
        return -abs(float(size[column]) - scaled(middle, table.size))
    (value,) = re.findall(r"^[\d.]+", option)
    return -abs(float(size[column]) - scaled(float(value), table.size))


def of_condition(name: str, kind: str, option: str, outputs: Sequence[torch.Tensor]) -> float:
    """Return how likely the condition is of which an option is the diagnosis or the step."""
    words = wording()[name]
    present = outputs[0]
    if kind == "diagnosis":
        row = {"finding": next(key for key, text in words["diagnoses"].items() if text == option)}
    else:
        row = next(step for step in words["next_steps"] if step["step"] == option)
    if row["finding"] == NONE:
        own = [float(present[COLUMN[name, key]]) for key in modality(name).findings
               if key != "measurements"]  # fmt: skip
        return -max(own)
    column, table = COLUMN[name, row["finding"]], modality(name).finding(row["finding"])
    total = float(present[column])
    if "grade" in row:
        middle = float(np.sqrt(table.grades[row["grade"]][0] * table.grades[row["grade"]][1]))
        total -= abs(float(outputs[3][column]) - scaled(middle, table.size))
    if "count" in row:
        total -= abs(float(outputs[4][column]) - row["count"] / table.count[1])
    return total


def measure(
    network: Network, questions: Sequence[ImageQuestion], images: torch.Tensor
) -> dict[str, list[tuple[float, ...]]]:
    """Return kind of question -> (right, chance, difficulty) of each, "modality" among them."""
    rows: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    with torch.no_grad():
        read = [torch.cat(parts) for parts in zip(*map(network, images.split(64)), strict=True)]
    for number, question in enumerate(questions):
        outputs = [part[number] for part in read]
        hard = float(question.image["difficulty"])
        right = float(choose(question, outputs) == question.gold)
        rows[question.kind].append((right, 1 / len(question.options), hard))
        named = float(NAMES[int(outputs[6].argmax())] == question.modality)
        rows["modality"].append((named, 1 / len(NAMES), hard))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--train", type=int, default=2000)
    parser.add_argument("--test", type=int, default=500)
    parser.add_argument("--epochs", type=int, default=20)
    args = parser.parse_args()
    for name in NAMES:
        questions = [draw_question(str(seed), "train", name) for seed in range(20)]
        render_array(questions[0].image)
        start = time.process_time()
        for question in questions:
            render_array(question.image)
        spent = (time.process_time() - start) / len(questions)
        print(f"{name:14} {1000 * spent:5.1f} ms an image")
    train_set = [draw_question(str(seed), "train") for seed in range(args.train)]
    test_set = [draw_question(str(seed), "test") for seed in range(args.test)]
    images, test_images = pictures(train_set), pictures(test_set)
    start = time.perf_counter()
    network = train(train_set, images, args.epochs)
    print(f"trained on {args.train} images in {time.perf_counter() - start:.0f} s")
    rows = measure(network, test_set, test_images)
    print(f"{'':10} {'n':>4} {'chance':>6} {'right':>6}   easy  middle   hard")
    for kind, found in sorted(rows.items()):
        thirds = [
            fmean([right for right, _, hard in found if low <= hard * 3 < low + 1] or [np.nan])
            for low in range(3)
        ]
        right, chance = fmean(row[0] for row in found), fmean(row[1] for row in found)
        print(f"{kind:10} {len(found):4} {chance:6.3f} {right:6.3f} ",
              "  ".join(f"{third:.3f}" for third in thirds))  # fmt: skip


if __name__ == "__main__":
    main()
