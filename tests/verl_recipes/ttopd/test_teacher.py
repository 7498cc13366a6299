"""The teacher's moving average, and which tokens belong to which turn."""

from __future__ import annotations

import importlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic import ConfigError
from verl_recipes.registry import SCHEDULES
from verl_recipes.settings import TeacherSettings

torch = pytest.importorskip("torch")
teaching = importlib.import_module("verl_recipes.ttopd.teacher")
turns = importlib.import_module("verl_recipes.ttopd.turns")

ATOL = 1e-9


def model(seed=0, dtype=torch.float32, width=3):
    made = torch.nn.Sequential(torch.nn.Linear(4, width), torch.nn.Linear(width, 2))
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator))
    return list(made.to(dtype).parameters())


# --- the moving average --------------------------------------------------------------------------


def test_golden_average(golden):
    assert len(golden["002_ema"]) == 2
    for case in golden["002_ema"]:
        teacher = [torch.tensor([case["theta0"]], dtype=torch.float64)]
        for step, (theta, want) in enumerate(
            zip(case["student"], case["teacher"], strict=True), start=1
        ):
            how = TeacherSettings(
                decay=case["alpha"], every=case["every"], hard_copy=case["hard_copy"]
            )
            due = teaching.averaged(step, how)
            if due is not None:
                teaching.ema_(teacher, [torch.tensor([theta], dtype=torch.float64)], due)
            assert teacher[0].item() == pytest.approx(want, abs=ATOL), step


def test_golden_init_weight(golden):
    updates = sum(teaching.averaged(n, TeacherSettings()) is not None for n in range(1, 61))
    want = golden["002_ema_init_weight_after_60_steps"]
    assert updates == 12
    assert teaching.init_weight(0.995, updates) == pytest.approx(want, abs=ATOL)


def test_init_weight_is_the_remaining_share_of_the_first_teacher():
    teacher, student = [torch.ones(1, dtype=torch.float64)], [torch.zeros(1, dtype=torch.float64)]
    for _ in range(7):
        teaching.ema_(teacher, student, 0.9)
    assert teacher[0].item() == pytest.approx(teaching.init_weight(0.9, 7), abs=1e-12)
    assert teaching.init_weight(0.995, 0) == 1.0


@pytest.mark.parametrize("name", ["float32", "bfloat16", "float64"])
@pytest.mark.parametrize("decay", [0.0, 0.5, 0.995, 1.0])
def test_average_of_a_module(name, decay):
    teacher, student = model(1), model(2, getattr(torch, name))
    want = [
        decay * one.detach().double() + (1 - decay) * other.detach().double()
        for one, other in zip(teacher, student, strict=True)
    ]
    before = [parameter.clone() for parameter in student]
    teaching.ema_(teacher, student, decay)
    for parameter, wanted in zip(teacher, want, strict=True):
        assert parameter.dtype == torch.float32
        assert parameter.grad_fn is None
        torch.testing.assert_close(parameter.double(), wanted, atol=1e-6, rtol=1e-6)
    assert all(torch.equal(a, b) for a, b in zip(before, student, strict=True))
    if decay == 0.0:
        assert teaching.distance(teacher, student) == 0.0


def test_small_updates_add_up():
    teacher, student = [torch.zeros(1)], [torch.ones(1, dtype=torch.bfloat16)]
    for _ in range(138):
        teaching.ema_(teacher, student, 0.995)
    # Half way after ln 2 / -ln .995 updates; in bf16 an average near 1 would not move at all.
    assert teacher[0].item() == pytest.approx(0.5, abs=0.005)


def test_distance():
    teacher, student = [torch.zeros(3), torch.ones(2, 2)], [torch.ones(3), torch.zeros(2, 2)]
    assert teaching.distance(teacher, student) == 7.0
    assert teaching.distance(teacher, [one.bfloat16() for one in student]) == 7.0
    assert teaching.distance([], []) == 0.0
    same = model(1)
    assert teaching.distance(same, model(1)) == 0.0
    assert teaching.distance(same, model(2)) > 0.0


def test_works_on_local_shards(tmp_path):
    distributed = importlib.import_module("torch.distributed")
    if not distributed.is_available():
        pytest.skip("this build of torch has no torch.distributed")
    tensors = importlib.import_module("torch.distributed.tensor")
    distributed.init_process_group(
        "gloo", init_method=f"file://{tmp_path / 'rendezvous'}", rank=0, world_size=1
    )
    try:
        mesh = tensors.init_device_mesh("cpu", (1,))

        def shard(values):
            return torch.nn.Parameter(tensors.distribute_tensor(values, mesh, [tensors.Shard(0)]))

        teacher, student = shard(torch.zeros(4, 2)), shard(torch.ones(4, 2).bfloat16())
        teaching.ema_([teacher], [student], 0.75)
        assert torch.equal(teacher.to_local(), torch.full((4, 2), 0.25))
        assert teaching.distance([teacher], [student]) == 8 * 0.75**2
    finally:
        distributed.destroy_process_group()


def test_a_teacher_of_16_bits_is_refused():
    for dtype in (torch.bfloat16, torch.float16):
        with pytest.raises(ConfigError, match=r"keep it in torch\.float32"):
            teaching.ema_(model(1, dtype), model(2), 0.5)


def test_each_schedule_says_when_the_teacher_moves():
    plain = TeacherSettings(decay=0.9)
    assert [SCHEDULES["ema"](step, plain) for step in range(1, 11)] == ([None] * 4 + [0.9]) * 2
    how = TeacherSettings(decay=0.9, every=2, hard_copy=3)
    due = {name: [SCHEDULES[name](step, how) for step in range(1, 7)] for name in SCHEDULES}
    assert due == {
        "ema": [None, 0.9, 0.0, 0.9, None, 0.0],
        "copy": [None, None, 0.0, None, None, 0.0],
        "frozen": [None] * 6,
    }


# --- turns ---------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 4), max_size=30), st.integers(0, 20), st.integers(1, 60))
def test_turns_are_kept_whole_or_not_at_all(ids, offset, l_max):
    kept = turns.within(ids, offset, l_max)
    assert len(kept) == len(ids)
    for turn in set(ids) - {0}:
        where = [index for index, one in enumerate(ids) if one == turn]
        fits = offset + where[-1] + 1 <= l_max
        assert all((kept[index] == turn) == fits for index in where)
    assert all(one in (0, before) for one, before in zip(kept, ids, strict=True))
    assert turns.within(kept, offset, l_max) == kept
    assert turns.within(ids, offset, offset + len(ids) + 1) == ids


def test_the_last_position_counts():
    ids = [1, 1, 0, 2, 2]
    assert turns.within(ids, 10, 15) == ids
    assert turns.within(ids, 10, 14) == [1, 1, 0, 0, 0]


@given(st.lists(st.integers(0, 3), max_size=30))
def test_last_tokens(ids):
    last = turns.last_tokens(ids)
    assert set(last) == set(ids) - {0}
    assert list(last.values()) == sorted(last.values())
    assert all(ids[index] == turn and turn not in ids[index + 1 :] for turn, index in last.items())


@pytest.mark.parametrize(
    ("said", "opened", "kept"),
    [
        (["call", "answer"], "", "11"),
        (["<think>", "so", "</think>", "call"], "", "0001"),
        (["a <th", "ink>b", "c</thi", "nk>d", "e"], "", "00001"),
        (["so", "then", "</think>", "call"], "<think>", "0001"),
        (["so", "then", "</think>", "call"], "", "0001"),  # no opening tag: from the turn's start
        (["so", "then"], "<think>", "00"),  # cut by a budget
        (["call", "<think>", "so"], "", "100"),
        (["<think>", "a", "</think>", "call", "<think>", "b", "</think>", "!"], "", "00010001"),
    ],
)
def test_thoughts_are_left_out_token_by_token(said, opened, kept):
    ids = [3] * len(said)
    found = turns.outside_thoughts([0, *ids], ["<think>", *said], opened)
    assert found == [0, *(3 * int(one) for one in kept)]


def test_a_thought_ends_with_its_turn():
    found = turns.outside_thoughts([1, 1, 0, 2, 2], ["<think>", "so", "</think>", "I", "say"])
    assert found == [0, 0, 0, 2, 2]
