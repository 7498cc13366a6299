"""The divergences of the distillation, written another way, and inputs for them."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

ESTIMATORS = ("full", "topk_tail", "k2")


def normal(*shape, seed=0, grad=False, dtype=torch.float32):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=dtype).requires_grad_(grad)


def per_token(student, teacher, tokens, estimator, k):
    """Divergence of each row from whole logits, differentiable by torch, written another way."""
    p, q = student.log_softmax(-1), teacher.log_softmax(-1)
    if estimator == "full":
        return torch.nn.functional.kl_div(q, p, reduction="none", log_target=True).sum(-1)
    if estimator in ("topk_tail", "topk_notail"):
        support = p.topk(k, dim=-1).indices
        p_in, q_in = p.gather(-1, support).exp(), q.gather(-1, support).exp()
        if estimator == "topk_tail":
            p_in = torch.cat([p_in, 1 - p_in.sum(-1, keepdim=True)], -1)
            q_in = torch.cat([q_in, 1 - q_in.sum(-1, keepdim=True)], -1)
        return (p_in * (p_in / q_in).log()).sum(-1)
    ratio = (p - q).gather(-1, tokens[:, None]).squeeze(-1)
    return {"k1": ratio, "k2": ratio.square() / 2, "k3": (-ratio).exp() - 1 + ratio}[estimator]
