"""What the distillation loss costs: the largest tensor, what is kept, and the bench."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys

import pytest
from places import ROOT
from ttopd_math import ESTIMATORS, normal

torch = pytest.importorskip("torch")
turn_kl = importlib.import_module("verl_recipes.ttopd.loss").turn_kl
dispatch = importlib.import_module("torch.utils._python_dispatch")


class Largest(dispatch.TorchDispatchMode):
    """Remembers the size of the largest tensor that any operation returned."""

    def __init__(self):
        super().__init__()
        self.elements = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for one in result if isinstance(result, (tuple, list)) else (result,):
            if torch.is_tensor(one):
                self.elements = max(self.elements, one.numel())
        return result


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_logits_are_never_all_in_memory(estimator):
    rows, width, vocabulary, chunk = 96, 8, 500, 16
    hidden, head = normal(rows, width, grad=True), normal(vocabulary, width, grad=True)
    saved = []

    def keep(tensor):
        saved.append(tensor.numel())
        return tensor

    def give(tensor):
        return tensor

    with Largest() as largest, torch.autograd.graph.saved_tensors_hooks(keep, give):
        turn_kl(
            hidden,
            normal(rows, width, seed=1),
            head,
            torch.arange(rows) // 10 + 1,
            tokens=torch.arange(rows),
            estimator=estimator,
            chunk=chunk,
        ).loss.backward()
    assert largest.elements == chunk * vocabulary
    assert sorted(saved) == [rows * width, vocabulary * width]
    # The spy does see a tensor of all logits where there is one.
    with Largest() as largest:
        hidden @ head.t()
    assert largest.elements == rows * vocabulary


def test_products_on_a_gpu_add_up_in_fp32():
    """Types and shapes alone, so no GPU is needed."""
    fake = importlib.import_module("torch._subclasses.fake_tensor")
    product = importlib.import_module("verl_recipes.ttopd.loss")._product
    with fake.FakeTensorMode():
        for left, right in (("bfloat16", "bfloat16"), ("float32", "bfloat16"), ("float32",) * 2):
            found = product(
                torch.empty(4, 3, device="cuda", dtype=getattr(torch, left)),
                torch.empty(3, 5, device="cuda", dtype=getattr(torch, right)),
            )
            assert (found.dtype, found.shape) == (torch.float32, (4, 5))


@pytest.mark.slow
def test_bench_prints_ratios(tmp_path):
    figures = tmp_path / "figures.json"
    root = ROOT
    done = subprocess.run(
        [sys.executable, root / "bench" / "ttopd_kl.py", "--quick", "--json", figures],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    assert done.returncode == 0, done.stderr
    for arm in ("policy gradient", *ESTIMATORS):
        assert re.search(rf"  {arm} +\d+\.\d +\d\.\d\d +\d+ +\d+\.\d\d\n", done.stdout), done.stdout
        assert len(re.findall(rf" {arm} .* ms, ratio \d", done.stdout)) == 2, done.stdout
    rows = json.loads(figures.read_text(encoding="utf-8"))["rows"]
    assert {row["loss"] for row in rows} == {"policy gradient", *ESTIMATORS}
    assert all(row["seconds"] > 0 and row["peak_bytes"] > 0 for row in rows)
