"""What the teacher reads, and which rows of hidden states are compared."""

from __future__ import annotations

import importlib

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("verl")
tu = importlib.import_module("verl.utils.tensordict_utils")
batches = importlib.import_module("verl_recipes.ttopd.batch")


def jagged(rows):
    return tu.nested_tensor_from_tensor_list([torch.tensor(row, dtype=torch.int64) for row in rows])


def make_batch(**changed):
    columns = {
        "prompts": [[11, 12], [21, 22, 23]],
        "responses": [[13, 14, 15], [24, 25]],
        "input_ids": [[11, 12, 13, 14, 15], [21, 22, 23, 24, 25]],
        "position_ids": [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4]],
        "hint_ids": [[91, 92], []],
        "turn_ids": [[1, 0, 2], [0, 1]],
    }
    return tu.get_tensordict({n: jagged(r) for n, r in (columns | changed).items()}, {})


def test_the_teacher_reads_the_hint_between_prompt_and_response():
    student = make_batch()
    shown = batches.teacher_batch(student)
    found = [row.tolist() for row in shown["input_ids"].unbind()]
    assert found == [[11, 12, 91, 92, 13, 14, 15], [21, 22, 23, 24, 25]]
    found = [row.tolist() for row in shown["position_ids"].unbind()]
    assert found == [[0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4]]
    assert [len(row) for row in student["input_ids"].unbind()] == [5, 5]


def test_a_hint_stands_where_its_row_says():
    student = make_batch(hint_at=[[1], [2]], hint_ids=[[91, 92], [93]])
    shown = batches.teacher_batch(student)
    found = [row.tolist() for row in shown["input_ids"].unbind()]
    assert found == [[11, 91, 92, 12, 13, 14, 15], [21, 22, 93, 23, 24, 25]]
    assert [row.tolist() for row in shown["position_ids"].unbind()] == [[*range(7)], [*range(6)]]
    rows = batches.distilled_rows(student)
    tokens = shown["input_ids"].unbind()
    after = [tokens[row][at + 1] for row, at in zip(rows.sequence, rows.teacher, strict=True)]
    assert after == rows.token.tolist()


def test_a_synthetic_row_has_no_place_further_than_its_prompt():
    columns = {"prompts": [[11]], "responses": [[0]], "input_ids": [[11, 0]]}
    columns |= {"position_ids": [[0, 1]], "hint_ids": [[91]], "hint_at": [[40]], "turn_ids": [[0]]}
    assert batches.teacher_batch(make_batch(**columns))["input_ids"].values().tolist() == [
        11,
        91,
        0,
    ]


def test_positions_of_several_axes_move_alike():
    """As of a picture: four tokens that count for two positions on each axis."""
    axes = torch.tensor([[0, 1, 1, 1, 1, 3, 4], [0, 1, 1, 2, 2, 3, 4], [0, 1, 2, 1, 2, 3, 4]])
    moved = batches._with_gap(axes, 5, 2)
    assert moved[:, :5].tolist() == axes[:, :5].tolist()
    assert moved[:, 5:].tolist() == [[3, 4, 5, 6]] * 3


def test_without_hints_the_teacher_reads_what_the_student_reads():
    student = make_batch()
    shown = batches.teacher_batch(student, hinted=False)
    for name in ("input_ids", "position_ids"):
        assert torch.equal(shown[name].values(), student[name].values())
        assert torch.equal(shown[name].offsets(), student[name].offsets())


def test_another_sequence_than_prompt_and_response_is_refused():
    wrong = make_batch(input_ids=[[11, 12, 13, 14, 15], [21, 22, 23, 24, 99]])
    with pytest.raises(ValueError, match="not its prompt and response"):
        batches.teacher_batch(wrong)


def test_rows_are_the_positions_before_distilled_tokens():
    rows = batches.distilled_rows(make_batch())
    assert rows.sequence.tolist() == [0, 0, 1]
    assert rows.student.tolist() == [1, 3, 3]
    assert rows.teacher.tolist() == [3, 5, 3]
    assert rows.turn.tolist() == [1, 2, 1]
    assert rows.token.tolist() == [13, 15, 25]


def test_turn_ids_of_a_synthetic_row_are_cut_and_masked():
    found = batches.within_mask(jagged([[1, 0, 2], [1, 1, 2]]), jagged([[1, 0, 0], [0]]))
    assert [row.tolist() for row in found.unbind()] == [[1, 0, 0], [0]]


def test_packed_and_padded_rows_give_the_same_hidden_states():
    student = make_batch()
    packed = torch.arange(10.0)[:, None].expand(10, 3)
    sequence, position = torch.tensor([0, 1, 1]), torch.tensor([4, 0, 2])
    tu.assign_non_tensor(student, use_remove_padding=True)
    found = batches.pick(packed[None], student, sequence, position)
    assert found[:, 0].tolist() == [4.0, 5.0, 7.0]
    tu.assign_non_tensor(student, use_remove_padding=False)
    assert torch.equal(batches.pick(packed.view(2, 5, 3), student, sequence, position), found)


def test_golden_splice(golden):
    case = golden["002_splice"]
    prompt, hint, response = case["prompt"], case["hint"], case["response"]
    student = make_batch(
        prompts=[prompt],
        responses=[response],
        input_ids=[prompt + response],
        position_ids=[list(range(len(prompt + response)))],
        hint_ids=[hint],
        turn_ids=[[1] * len(response)],
    )
    assert batches.teacher_batch(student)["input_ids"].values().tolist() == case["teacher_ids"]
    rows = batches.distilled_rows(student)
    assert rows.student.tolist() == case["student_logit_pos"]
    assert rows.teacher.tolist() == case["teacher_logit_pos"]
    assert rows.token.tolist() == response
