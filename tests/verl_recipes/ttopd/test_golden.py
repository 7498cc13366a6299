"""The distillation loss against the reference values."""

from __future__ import annotations

import importlib

import pytest
from ttopd_math import ESTIMATORS, per_token

torch = pytest.importorskip("torch")
turn_kl = importlib.import_module("verl_recipes.ttopd.loss").turn_kl
turns = importlib.import_module("verl_recipes.ttopd.turns")

ATOL = 1e-9


def double(values, grad=False):
    return torch.tensor(values, dtype=torch.float64, requires_grad=grad)


def numbered(spans, length):
    ids = [0] * length
    for turn, (start, end) in enumerate(spans, 1):
        ids[start:end] = [turn] * (end - start)
    return ids


def test_golden_chunked_kl(golden):
    case = golden["002_chunked_kl"]
    hidden, head = double(case["Hs"], grad=True), double(case["W"], grad=True)
    ids = torch.tensor(numbered(golden["002_ttopd"]["spans"], len(case["mask"])))
    assert (ids > 0).long().tolist() == case["mask"]
    for chunk in (1, 4, 512):
        loss, *_ = turn_kl(hidden, double(case["Ht"]), head, ids, reduce="sum_turns", chunk=chunk)
        of_hidden, of_head = torch.autograd.grad(loss, (hidden, head))
        assert loss.item() == pytest.approx(case["loss"], abs=ATOL)
        torch.testing.assert_close(of_hidden, double(case["grad_Hs"]), atol=ATOL, rtol=0)
        torch.testing.assert_close(of_head, double(case["grad_W"]), atol=ATOL, rtol=0)


def test_golden_estimators_and_truncation(golden):
    case = golden["002_ttopd"]
    student, teacher = double(case["student_logits"]), double(case["teacher_logits"])
    tokens, identity = torch.tensor(case["tokens"]), torch.eye(12, dtype=torch.float64)
    ids = numbered(case["spans"], len(tokens))
    checked = 0
    for want in case["out"]:
        kept = torch.tensor(turns.within(ids, case["prompt_len"], want["lmax"]))
        spared = [span for turn, span in enumerate(case["spans"], 1) if turn in kept]
        assert spared == want["kept"]
        if want["kind"] in ESTIMATORS:
            found = turn_kl(
                student,
                teacher,
                identity,
                kept,
                tokens=tokens,
                estimator=want["kind"],
                k=want["k"],
                reduce=want["reduce"],
            )
            loss, per_turn = found.loss.item(), found.per_turn.tolist()
            checked += 1
        else:  # refused as a loss; the averages over turns are the same
            values = per_token(student, teacher, tokens, want["kind"], want["k"])
            groups = turns.group(kept)
            per_turn = groups.means(values[groups.rows]).tolist()
            weights = groups.weights(want["reduce"], torch.float64)
            loss = float((weights * values[groups.rows]).sum())
        assert loss == pytest.approx(want["loss"], abs=ATOL), want
        assert per_turn == pytest.approx(want["per_turn"], abs=ATOL), want
    assert checked == len(case["out"]) / 2


@pytest.mark.parametrize(("estimator", "key"), [("full", "rkl"), ("k2", "sup_k2")])
def test_golden_gradients(golden, estimator, key):
    case = golden["002_estimator_gradients"]
    size = len(case["student_logits"])
    student = double([case["student_logits"]], grad=True)
    teacher = double([case["teacher_logits"]])
    # The expectation over sampled tokens, exactly: every token, weighted by its probability.
    chances = student.detach().softmax(-1)[0]
    total = torch.zeros(size, dtype=torch.float64)
    for token in range(size):
        loss, *_ = turn_kl(
            student,
            teacher,
            torch.eye(size, dtype=torch.float64),
            torch.ones(1, dtype=torch.long),
            tokens=torch.tensor([token]),
            estimator=estimator,
        )
        total += chances[token] * torch.autograd.grad(loss, student)[0][0]
    torch.testing.assert_close(total, double(case["grads"][key]), atol=ATOL, rtol=0)
    torch.testing.assert_close(total, double(case["grads"]["rkl"]), atol=ATOL, rtol=0)
