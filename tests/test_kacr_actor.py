"""The small actor of the KACR bench: the probability of a list, and walks through the text."""

from __future__ import annotations

import importlib
import itertools
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from places import BENCH

torch = pytest.importorskip("torch")
actor = importlib.import_module("kacr_actor")
learning = importlib.import_module("kacr_learning")


def turn(candidates: int, order: list[int]) -> Any:
    rows = np.zeros((candidates, actor.WIDTH), np.float32)
    return actor.Turn(rows, order, {"pays": [0]}, 0.0)


def chance(scores: list[float], order: tuple[int, ...]) -> float:
    """Return the chance of a list, place by place."""
    left, product = dict(enumerate(np.exp(scores))), 1.0
    for place in order:
        product *= left[place] / sum(left.values())
        del left[place]
    return product


def test_the_probability_of_a_list_is_that_of_drawing_it_place_by_place() -> None:
    scores = [0.3, -1.2, 0.8, 0.1]
    orders = list(itertools.permutations(range(4), 2))
    batch = actor.Batch.of([turn(4, list(order)) for order in orders])
    found = actor.log_probs(torch.tensor([scores] * len(orders)), batch).exp()
    assert found.tolist() == pytest.approx([chance(scores, order) for order in orders], abs=1e-5)
    assert float(found.sum()) == pytest.approx(1.0, abs=1e-5)


def test_padding_changes_no_probability() -> None:
    scores = torch.tensor([[0.5, -0.5, 9.0], [0.1, 0.2, 0.3]])
    batch = actor.Batch.of([turn(2, [1]), turn(3, [2, 0, 1])])
    first, second = actor.log_probs(scores, batch).exp().tolist()
    assert first == pytest.approx(chance([0.5, -0.5], (1,)), abs=1e-5)
    assert second == pytest.approx(chance([0.1, 0.2, 0.3], (2, 0, 1)), abs=1e-5)


def test_a_drawn_list_is_as_likely_as_its_probability() -> None:
    scores, draw = torch.tensor([1.0, 0.0, -1.0]), torch.Generator().manual_seed(0)
    noise = -(-torch.rand((4_000, 3), generator=draw).log()).log()
    firsts = (scores + noise).argmax(1)
    shares = torch.bincount(firsts, minlength=3) / 4_000
    assert shares.tolist() == pytest.approx(scores.softmax(0).tolist(), abs=0.03)


def test_the_actor_walks_through_the_text_and_repeats_itself() -> None:
    env = learning.make("test")
    task = env.tasks[0]
    torch.manual_seed(0)
    scorer = actor.Scorer()
    walks = [actor.play(env, task, scorer, torch.Generator().manual_seed(1)) for _ in range(2)]
    assert [step.order for step in walks[0]] == [step.order for step in walks[1]]
    assert len(walks[0]) == 9
    assert [len(step.order) for step in walks[0]][2::3] == [1, 1, 1]  # K = 1
    best = actor.play(env, task, actor.degree)
    assert 0.0 <= learning.share(best) <= 1.0


def test_the_advantages_of_reinforce_have_no_mean_at_any_turn() -> None:
    episodes = [[turn(1, [0])._replace(reward=float(n == k)) for k in range(3)] for n in range(3)]
    gains, returns = learning.advantages_of(episodes, None)
    assert returns[:3] == pytest.approx([1.0, 0.0, 0.0])
    assert np.array(gains).reshape(3, 3).sum(0).tolist() == pytest.approx([0.0] * 3)


def test_area_counts_pairs() -> None:
    assert learning.area([0.9, 0.1, 0.5], [1, 0, 0]) == 1.0
    assert learning.area([0.5, 0.5], [1, 0]) == 0.5
    assert learning.area([0.1, 0.9], [1, 0]) == 0.0
    assert learning.area([0.1, 0.9], [1, 1]) == 0.5


@pytest.mark.slow
def test_the_bench_trains_and_reports(tmp_path: Any) -> None:
    out = tmp_path / "results.jsonl"
    command = [sys.executable, BENCH / "kacr_learning.py", "--seeds", "2", "--episodes", "128",
               "--tasks", "12", "--workers", "1", "--out", out,
               "--arms", "untrained,degree,ppo,ppo-text"]  # fmt: skip
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stderr
    for line in (
        r"^2 seeds, 128 episodes on \d+ tasks, tested on 12$",
        r"^ppo  .*\+\d\.\d{3} \[[+-]\d\.\d{3}, [+-]\d\.\d{3}\]",
        r"^ppo less untrained, paired by seed: [+-]\d\.\d{3}",
        r"^critic of ppo-text, calibration: \+\d\.\d{3}",
    ):
        assert re.search(line, done.stdout, re.MULTILINE), done.stdout
    assert len(out.read_text().splitlines()) == 8
