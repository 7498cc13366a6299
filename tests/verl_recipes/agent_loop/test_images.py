"""Images from a task to a micro-batch: tokens, verl's columns, positions, the teacher's batch."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from scripted_rollout import configured, ids, output, record
from trajectories import check

from gym_clinic import ClinicEnv, ConfigError
from verl_recipes.agent_loop.environment import PromptLengthError
from verl_recipes.agent_loop.tokens import Tokens
from verl_recipes.agent_loop.trajectory import Budgets, Trajectory

torch = pytest.importorskip("torch")
pytest.importorskip("verl")
vision = importlib.import_module("tiny_vision")
rollouts = importlib.import_module("image_rollouts")
rows = importlib.import_module("verl_recipes.agent_loop.rows")
batches = importlib.import_module("verl_recipes.ttopd.batch")


@pytest.fixture(scope="module", params=vision.FAMILIES)
def family(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def processor(tokenizer: Any, family: str) -> Any:
    """The processor of a family of models, verl's functions for positions bound to it."""
    return vision.make_processor(tokenizer, family)


@pytest.fixture(scope="module")
def seeing(processor: Any, family: str) -> Tokens:
    """Tokens of a model that reads images."""
    return Tokens(processor.tokenizer, family, processor=processor)


# --- tokens ---


def test_images_of_ticket_and_tools_are_tokens_of_prompt_and_response(seeing: Tokens) -> None:
    env = ClinicEnv(rollouts.IMAGES)
    one = Trajectory(env, "picture", seeing, Budgets(2_000, 1_000))
    one.begin()
    assert [image.size for image in one.images] == rollouts.SIZES[:2]
    assert vision.count(seeing.tokenizer, one.prompt_ids) == sum(rollouts.EACH[:2])
    said = ids(seeing.tokenizer, rollouts.CALLS[0])
    one.take(said, [-0.5] * len(said), finished=True)
    check(one)
    assert [image.size for image in one.images] == rollouts.SIZES
    assert vision.count(seeing.tokenizer, one.response_ids) == rollouts.EACH[2]
    own = [token for token, ours in zip(one.response_ids, one.mask, strict=True) if ours]
    assert own == said


def test_a_model_that_reads_only_text_is_refused(tokens: Tokens) -> None:
    one = Trajectory(ClinicEnv(rollouts.IMAGES), "picture", tokens, Budgets(2_000, 1_000))
    with pytest.raises(ConfigError, match="the task has images, and the model reads only text"):
        one.begin()


def test_rows_count_the_tokens_of_images(processor: Any, seeing: Tokens, family: str) -> None:
    config = configured(**{"clinic.env": rollouts.IMAGES, "data.model_type": family})

    def longest(limit: int) -> int:
        config.data.max_prompt_length = limit
        (pool,) = rows.ClinicRows("train", seeing.tokenizer, config.data, processor).pools
        return int(pool.longest[1])

    one = Trajectory(ClinicEnv(rollouts.IMAGES), "picture", seeing, Budgets(2_000, 1_000))
    one.begin()
    assert longest(2_000) >= len(one.prompt_ids)
    with pytest.raises(PromptLengthError, match="prompts exceed"):
        longest(longest(2_000) - 1)


# --- the agent loop ---


def test_servers_see_the_images_so_far(processor: Any, family: str) -> None:
    out, server = rollouts.played(processor, family)
    assert record(out)["success"] == 1.0
    seen = [[image.size for image in asked["image_data"]] for asked in server.asked]
    assert seen == [rollouts.SIZES[:2], rollouts.SIZES]
    assert [image.size for image in out.multi_modal_data["images"]] == rollouts.SIZES


def test_an_image_token_that_the_policy_writes_cuts_its_reply(processor: Any, family: str) -> None:
    tokenizer = processor.tokenizer
    said = ids(tokenizer, "Look: ", end=False)

    def script(turn: int) -> Any:
        return output([*said, processor.image_token_id, *ids(tokenizer, rollouts.CALLS[1])])

    out, _ = rollouts.played(processor, family, script)
    assert (record(out)["truncated"], record(out)["fault"]) == (1.0, 0.0)
    assert out.response_ids == said
    assert rollouts.as_stored(out, processor)["position_ids"].shape == (
        4,
        len(out.prompt_ids) + len(said),
    )


# --- what verl stores and the teacher reads ---


def test_verl_finds_a_patch_for_every_image_token(processor: Any, family: str) -> None:
    stored = rollouts.as_stored(rollouts.played(processor, family)[0], processor)
    inputs = stored["multi_modal_inputs"]
    marks = stored["input_ids"] == processor.image_token_id
    assert inputs["image_grid_thw"].prod(-1).tolist() == [4 * tokens for tokens in rollouts.EACH]
    assert inputs["pixel_values"].shape[0] == 4 * int(marks.sum())
    positions = stored["position_ids"]
    assert positions[0].tolist() == list(range(len(marks)))  # of the text, for the attention
    assert torch.equal(positions[1:], rollouts.positions_of(stored["input_ids"], inputs, processor))
    assert not torch.equal(positions[1], positions[2])  # of an image: rows and columns


def test_positions_of_the_teacher_are_those_of_its_own_sequence(
    processor: Any, family: str
) -> None:
    stored = [
        rollouts.as_stored(rollouts.played(processor, family, method="ttopd", **more)[0], processor)
        for more in ({}, {"script": lambda turn: rollouts.CALLS[1]})
    ]
    assert all(len(one["hint_ids"]) for one in stored)
    batch = rollouts.micro_batch(stored)
    shown = batches.teacher_batch(batch)
    hinted = zip(shown["input_ids"].unbind(), shown["position_ids"].unbind(), stored, strict=True)
    for read, positions, one in hinted:
        assert len(read) == len(one["input_ids"]) + len(one["hint_ids"])
        assert positions.shape == (4, len(read))
        assert positions[0].tolist() == list(range(len(read)))
        wanted = rollouts.positions_of(read, one["multi_modal_inputs"], processor)
        assert torch.equal(positions[1:], wanted)
    plain = batches.teacher_batch(batch, hinted=False)
    for name in ("input_ids", "position_ids"):
        for one, other in zip(plain[name].unbind(), batch[name].unbind(), strict=True):
            assert torch.equal(one, other)


def test_the_model_reads_what_is_stored(processor: Any, family: str) -> None:
    model = vision.make_model(processor, family)
    out, _ = rollouts.played(processor, family)
    stored = rollouts.as_stored(out, processor)

    def logits(**changed: Any) -> Any:
        inputs = stored["multi_modal_inputs"] | changed
        with torch.no_grad():
            return model(
                input_ids=stored["input_ids"][None],
                attention_mask=torch.ones_like(stored["input_ids"])[None],
                position_ids=stored["position_ids"][:, None],
                **inputs,
            ).logits[0]

    first = len(out.prompt_ids)
    pixels = stored["multi_modal_inputs"]["pixel_values"]
    last = pixels.clone()
    last[-4:] = -last[-4:]  # of the image that the tool gave
    seen, other = logits(), logits(pixel_values=last)
    at = out.response_ids.index(processor.image_token_id) + first
    assert torch.equal(seen[:at], other[:at])
    assert not torch.allclose(seen[at:], other[at:])
