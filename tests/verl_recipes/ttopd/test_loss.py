"""The distillation loss against torch's own KL, and its own promises."""

from __future__ import annotations

import importlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ttopd_math import ESTIMATORS, normal, per_token

from gym_clinic import ConfigError

torch = pytest.importorskip("torch")
turn_kl = importlib.import_module("verl_recipes.ttopd.loss").turn_kl
turns = importlib.import_module("verl_recipes.ttopd.turns")
dispatch = importlib.import_module("torch.utils._python_dispatch")

ATOL = 1e-9


def reduced(values, turn_ids, sequence_ids, reduce):
    """Mean over tokens, then mean or sum over turns, then mean over sequences, one by one."""
    if reduce == "mean_tokens":
        turn_ids = (turn_ids > 0).long()  # as if all of a sequence were one turn
    found = {}
    for value, turn, sequence in zip(values, turn_ids.tolist(), sequence_ids.tolist(), strict=True):
        if turn:
            found.setdefault(sequence, {}).setdefault(turn, []).append(value)
    of_sequences = []
    for by_turn in found.values():
        means = [torch.stack(one).mean() for one in by_turn.values()]
        total = torch.stack(means).sum()
        of_sequences.append(total / len(means) if reduce == "mean_turns" else total)
    return torch.stack(of_sequences).mean() if of_sequences else values.sum() * 0


# --- torch's own KL ------------------------------------------------------------------------------


@st.composite
def batches(draw):
    seed = draw(st.integers(0, 2**31))
    generator = torch.Generator().manual_seed(seed)
    rows = draw(st.integers(0, 9))
    width, vocabulary = draw(st.integers(1, 5)), draw(st.integers(2, 11))
    own_head = draw(st.booleans())
    teacher_width = draw(st.integers(1, 5)) if own_head else width

    def normal(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    return {
        "student": normal(rows, width),
        "teacher": normal(rows, teacher_width),
        "head": normal(vocabulary, width),
        "teacher_head": normal(vocabulary, teacher_width) if own_head else None,
        "turn_ids": torch.randint(0, draw(st.integers(1, 5)), (rows,), generator=generator),
        "sequence_ids": torch.randint(-1, draw(st.integers(0, 3)), (rows,), generator=generator),
        "tokens": torch.randint(0, vocabulary, (rows,), generator=generator),
        "estimator": draw(st.sampled_from(ESTIMATORS)),
        "k": draw(st.integers(1, vocabulary - 1)),
        "temperature": draw(st.sampled_from([0.5, 0.8, 1.0, 3.0])),
        "reduce": draw(st.sampled_from(["mean_turns", "sum_turns", "mean_tokens"])),
        "chunk": draw(st.integers(1, 10)),
    }


def ours(case, student, head, **changed):
    options = {name: case[name] for name in ("estimator", "k", "temperature", "reduce", "chunk")}
    return turn_kl(
        student,
        case["teacher"].to(student.dtype),
        head,
        case["turn_ids"],
        sequence_ids=case["sequence_ids"],
        tokens=case["tokens"],
        teacher_lm_head=None
        if case["teacher_head"] is None
        else case["teacher_head"].to(student.dtype),
        **{**options, **changed},
    )


def dense(case, student, head):
    other = head.detach() if case["teacher_head"] is None else case["teacher_head"]
    values = per_token(
        student @ head.t() / case["temperature"],
        case["teacher"] @ other.t() / case["temperature"],
        case["tokens"],
        case["estimator"],
        case["k"],
    )
    return reduced(values, case["turn_ids"], case["sequence_ids"], case["reduce"])


@given(batches())
def test_agrees_with_torch(case):
    student, head = case["student"].requires_grad_(), case["head"].requires_grad_()
    found, want = ours(case, student, head), dense(case, student, head)
    gradients = torch.autograd.grad(found.loss * 3, (student, head))
    wanted = torch.autograd.grad(want * 3, (student, head))
    torch.testing.assert_close(found.loss, want, atol=1e-9, rtol=1e-8)
    for one, other in zip(gradients, wanted, strict=True):
        torch.testing.assert_close(one, other, atol=1e-9, rtol=1e-7)
    pairs = sorted(
        {
            (sequence, turn)
            for sequence, turn in zip(
                case["sequence_ids"].tolist(), case["turn_ids"].tolist(), strict=True
            )
            if turn
        }
    )
    assert list(zip(found.sequences.tolist(), found.turns.tolist(), strict=True)) == pairs
    assert found.per_turn.shape == (len(pairs),)
    assert not found.per_turn.requires_grad


@given(batches(), st.integers(1, 10))
def test_chunks_change_nothing(case, chunk):
    student, head = case["student"].requires_grad_(), case["head"].requires_grad_()
    results = []
    for size in (case["chunk"], chunk):
        found = ours(case, student, head, chunk=size)
        gradients = torch.autograd.grad(found.loss, (student, head))
        results.append((found.loss.detach(), found.per_turn, *gradients))
    torch.testing.assert_close(*results, atol=1e-10, rtol=0)


@given(batches(), st.sampled_from(["float32", "bfloat16", "float16"]), st.booleans())
def test_half_precision_inputs_keep_their_types(case, name, autocast):
    dtype = getattr(torch, name)
    student, head = (case[key].to(dtype).requires_grad_() for key in ("student", "head"))
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=autocast):
        found = ours(case, student, head)
    assert found.loss.dtype == found.per_turn.dtype == torch.float32
    found.loss.backward()
    assert student.grad.dtype == head.grad.dtype == dtype
    # The same rounded inputs in double precision: logits were not rounded any further.
    exact = [tensor.detach().double().requires_grad_() for tensor in (student, head)]
    rounded = {
        **case,
        "teacher": case["teacher"].to(dtype).double(),
        "teacher_head": None
        if case["teacher_head"] is None
        else case["teacher_head"].to(dtype).double(),
    }
    want = ours(rounded, *exact)
    want.loss.backward()
    torch.testing.assert_close(found.loss.double(), want.loss, atol=1e-5, rtol=1e-4)
    unit = {"float32": 1e-5, "float16": 2e-3, "bfloat16": 1.6e-2}[name]
    for one, other in zip((student, head), exact, strict=True):
        torch.testing.assert_close(one.grad.double(), other.grad, atol=unit, rtol=unit)


def test_vocabulary_in_slices(monkeypatch):
    student, teacher, head = (
        normal(rows, 4, seed=seed, dtype=torch.float64) for seed, rows in enumerate((6, 6, 13))
    )
    ids = torch.tensor([1, 1, 2, 0, 2, 2])
    results = []
    for size in (32768, 5, 1):
        monkeypatch.setattr("verl_recipes.ttopd.loss.VOCABULARY_SLICE", size)
        inputs = student.clone().requires_grad_(), head.clone().requires_grad_()
        loss = turn_kl(inputs[0], teacher, inputs[1], ids, chunk=4).loss
        results.append((loss.detach(), *torch.autograd.grad(loss, inputs)))
    for other in results[1:]:
        torch.testing.assert_close(results[0], other, atol=1e-12, rtol=0)


# --- gradients -----------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("own_head", [False, True])
def test_gradcheck(estimator, own_head):
    student, teacher, head, other = (
        normal(rows, 3, seed=seed, dtype=torch.float64) for seed, rows in enumerate((7, 7, 6, 6))
    )

    def loss(hidden, weight):
        return turn_kl(
            hidden,
            teacher,
            weight,
            torch.tensor([1, 1, 2, 0, 2, 1, 3]),
            sequence_ids=torch.tensor([0, 0, 0, 0, 1, 1, 1]),
            tokens=torch.tensor([0, 5, 2, 1, 1, 3, 4]),
            # Without a head of its own the teacher's is detached, which differences cannot see.
            teacher_lm_head=other if own_head else head,
            temperature=0.7,
            estimator=estimator,
            k=3,
            chunk=3,
        ).loss

    assert torch.autograd.gradcheck(loss, (student.requires_grad_(), head.clone().requires_grad_()))


def simple(estimator="full", **changed):
    """Arguments of a small valid call."""
    arguments = {
        "student_hidden": normal(5, 3, seed=1),
        "teacher_hidden": normal(5, 3, seed=2),
        "lm_head": normal(8, 3, seed=3),
        "turn_ids": torch.tensor([1, 1, 0, 2, 2]),
        "tokens": torch.tensor([0, 1, -100, 3, 7]),
        "estimator": estimator,
        "k": 4,
    }
    return {**arguments, **changed}


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_gradients_are_right_if_one_input_is_frozen(estimator):
    arguments = simple(estimator)
    gradients = []
    for hidden_free, head_free in ((True, True), (True, False), (False, True)):
        hidden = arguments["student_hidden"].clone().requires_grad_(hidden_free)
        head = arguments["lm_head"].clone().requires_grad_(head_free)
        loss = turn_kl(**{**arguments, "student_hidden": hidden, "lm_head": head}).loss
        loss.backward()
        gradients.append((hidden.grad, head.grad))
    (both_hidden, both_head), (hidden, no_head), (no_hidden, head) = gradients
    assert no_head is None
    assert no_hidden is None
    assert torch.equal(hidden, both_hidden)
    assert torch.equal(head, both_head)
    assert not turn_kl(**arguments).loss.requires_grad
    with torch.no_grad():
        assert not turn_kl(**{**arguments, "lm_head": both_head.requires_grad_()}).loss.grad_fn


def test_the_teacher_gets_no_gradient():
    teacher, other = normal(5, 3, seed=1, grad=True), normal(8, 3, seed=2, grad=True)
    hidden = normal(5, 3, seed=3, grad=True)
    turn_kl(
        **simple(student_hidden=hidden, teacher_hidden=teacher, teacher_lm_head=other)
    ).loss.backward()
    assert teacher.grad is None
    assert other.grad is None
    assert hidden.grad.abs().sum() > 0
    assert torch.equal(hidden.grad[2], torch.zeros(3))  # the row of turn 0


def test_the_loss_can_be_differentiated_twice():
    hidden = normal(5, 3, grad=True)
    loss = turn_kl(**simple(student_hidden=hidden)).loss
    (first,) = torch.autograd.grad(loss * 2, hidden, retain_graph=True)
    (second,) = torch.autograd.grad(loss, hidden)
    torch.testing.assert_close(first, second * 2)


# --- promises ------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("name", ["float64", "float32", "bfloat16"])
@pytest.mark.parametrize("own_head", [False, True])
def test_the_kl_of_equal_models_is_exactly_zero(estimator, name, own_head):
    dtype = getattr(torch, name)
    hidden, head = normal(40, 16, grad=True, dtype=dtype), normal(300, 16, grad=True, dtype=dtype)
    found = turn_kl(
        hidden,
        hidden.detach().clone(),
        head,
        torch.arange(40) // 7,
        tokens=torch.arange(40),
        teacher_lm_head=head.detach().clone() if own_head else None,
        estimator=estimator,
        temperature=0.8,
        chunk=16,
    )
    found.loss.backward()
    assert found.loss.item() == 0.0
    assert not found.per_turn.any()
    assert not hidden.grad.any()
    assert not head.grad.any()


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("rows", [0, 3])
def test_a_batch_without_turns_has_zero_loss_and_a_gradient(estimator, rows):
    hidden, head = normal(rows, 4, grad=True), normal(6, 4, grad=True)
    found = turn_kl(
        hidden,
        normal(rows, 4, seed=1),
        head,
        torch.zeros(rows, dtype=torch.long),
        tokens=torch.zeros(rows, dtype=torch.long),
        estimator=estimator,
        k=2,
    )
    found.loss.backward()
    assert found.loss.item() == 0.0
    assert found.per_turn.shape == found.turns.shape == found.sequences.shape == (0,)
    assert torch.equal(hidden.grad, torch.zeros(rows, 4))
    assert torch.equal(head.grad, torch.zeros(6, 4))


def test_the_loss_is_the_mean_over_sequences():
    arguments = simple(sequence_ids=torch.tensor([4, 4, 4, 9, 9]))
    whole = turn_kl(**arguments)
    parts = []
    for sequence in (4, 9):
        chosen = arguments["sequence_ids"] == sequence
        part = {
            name: value[chosen] if torch.is_tensor(value) and len(value) == 5 else value
            for name, value in arguments.items()
        }
        parts.append(turn_kl(**part))
    assert whole.sequences.tolist() == [4, 9]
    assert whole.loss.item() == pytest.approx(sum(part.loss.item() for part in parts) / 2)
    assert whole.per_turn.tolist() == pytest.approx([part.per_turn.item() for part in parts])


def test_a_tail_that_underflows_stays_finite():
    student = torch.tensor([[300.0, 0.0, 0.0, -300.0]], requires_grad=True)
    teacher = torch.tensor([[0.0, 300.0, 0.0, -300.0]])
    for estimator in ("full", "topk_tail"):
        loss, *_ = turn_kl(student, teacher, torch.eye(4), torch.ones(1, dtype=torch.long),
                           estimator=estimator, k=1)  # fmt: skip
        assert loss.item() == pytest.approx(300.0)
        assert torch.autograd.grad(loss, student)[0].isfinite().all()


def test_the_head_is_only_read_forward():
    """A sharded head may be released before the backward pass."""
    arguments = simple()
    hidden, head = arguments["student_hidden"].requires_grad_(), arguments["lm_head"]
    head.requires_grad_()
    loss = turn_kl(**arguments).loss
    want = torch.autograd.grad(loss, (hidden, head), retain_graph=True)
    with torch.no_grad():
        head.fill_(math.nan)
    torch.testing.assert_close(torch.autograd.grad(loss, (hidden, head)), want)


# --- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"estimator": "k1"}, "expected gradient of zero.*'k2'"),
        ({"estimator": "k3"}, "forward KL.*'k2'"),
        ({"estimator": "topk_notail"}, "off the support.*'topk_tail'"),
        ({"estimator": "ful"}, "did you mean 'full'"),
        ({"estimator": "jensen"}, "choose from .*'full'.*'topk_tail'.*'k2'"),
        ({"reduce": "median"}, "'mean_turns', 'sum_turns'"),
        ({"estimator": "topk_tail", "k": 0}, "give 1 to 7"),
        ({"estimator": "topk_tail", "k": 8}, "k is 8 of 8 tokens.*'full'"),
        ({"estimator": "k2", "tokens": None}, "needs the sampled tokens"),
    ],
)
def test_refuses(changed, message):
    turn_kl(**simple())
    with pytest.raises(ConfigError, match=message) as caught:
        turn_kl(**simple(**changed))
    assert isinstance(caught.value, ValueError)
