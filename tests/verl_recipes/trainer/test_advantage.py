"""Which rows carry an advantage, and the weight of the policy loss beside a KL, in numbers."""

from __future__ import annotations

import importlib
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("verl")
torch = pytest.importorskip("torch")
from verl_recipes.trainer.advantage import carrying, policy_scale  # noqa: E402

algorithms = importlib.import_module("verl.trainer.ppo.core_algos")

MODES = ("token-mean", "seq-mean-token-sum", "seq-mean-token-sum-norm", "seq-mean-token-mean")


def test_rows_of_constant_groups_padding_and_lone_rows_carry_none() -> None:
    uids = ["a", "a", "b", "b", "c", "p", "p"]
    tags: list[dict[str, Any]] = [{"constant": False}] * 5 + [{"is_padding": True}] * 2
    tags[2] = tags[3] = {"constant": True}
    assert carrying(tags, uids) == [True, True, False, False, False, False, False]


def test_the_scale_by_hand() -> None:
    carries = [True, True, False, False]
    assert policy_scale([10, 30, 40, 20], carries, "token-mean") == 2.5
    assert policy_scale([10, 30, 40, 20], carries, "seq-mean-token-mean") == 2.0
    assert policy_scale([10, 30, 40, 20], carries, "token-sum") == 1.0
    for mode in (*MODES, "token-sum"):
        assert policy_scale([10, 30], [True, True], mode) == 1.0
        assert policy_scale([10, 30], [False, False], mode) == 1.0


def policy_loss(advantages: Any, mask: Any, change: Any, mode: str) -> Any:
    """Return verl's own policy loss of a whole step, as its actor computes it."""
    batch = {
        "dp_size": 1,
        "batch_num_tokens": int(mask.sum()),
        "global_batch_size": len(mask),
        "loss_scale_factor": 8,
    }
    settings = SimpleNamespace(
        clip_ratio=0.2, clip_ratio_low=0.2, clip_ratio_high=0.3, global_batch_info=batch,
        get=lambda name, default=None: {"clip_ratio_c": 3.0}.get(name, default),
    )  # fmt: skip
    loss, _ = algorithms.compute_policy_loss_vanilla(
        torch.zeros_like(change), change, advantages, mask, mode, settings
    )
    return loss


@pytest.mark.parametrize("mode", MODES)
def test_constant_groups_leave_the_policy_loss_of_the_mixed_ones_as_it_is(mode: str) -> None:
    """Two of four groups are mixed: the loss is that of a step of these two alone.

    Without the scale it is a fraction of that; the lengths differ, and clipping is at work.
    """
    random = torch.Generator().manual_seed(0)
    lengths = torch.tensor([3, 8, 5, 2, 7, 4, 6, 1])
    mask = (torch.arange(8) < lengths[:, None]).float()
    advantages = torch.randn(8, 1, generator=random) * mask
    change = torch.randn(8, 8, generator=random) * 0.4
    tags = [{"constant": row >= 4} for row in range(8)]
    carries = carrying(tags, ["a", "a", "b", "b", "c", "c", "d", "d"])
    scale = policy_scale([int(n) for n in lengths], carries, mode)
    kept = torch.tensor(carries).float()[:, None]
    whole = policy_loss(advantages * kept * scale, mask, change, mode)
    alone = policy_loss(advantages[:4], mask[:4], change[:4], mode)
    unscaled = policy_loss(advantages * kept, mask, change, mode)
    assert whole.item() == pytest.approx(alone.item(), rel=1e-5)
    assert abs(alone.item()) > 1e-3
    assert unscaled.item() == pytest.approx(alone.item() / scale, rel=1e-5)
    assert scale == pytest.approx(2.0 if mode != "token-mean" else 36 / 18)
