"""Rollouts of an illustrated task, and what verl stores and an engine is given of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from scripted_rollout import Server, play, row
from verl.experimental.agent_loop.agent_loop import AgentLoopWorker
from verl.utils import tensordict_utils as tu

IMAGES = "rollout_domains:IMAGES"
SIZES = [(4, 4), (12, 12), (8, 8)]
"""Of the images: two on the ticket, one of the tool."""

EACH = [1, 4, 1]
"""Their tokens: 8 x 8 pixels each, once resized."""

CALLS = [
    '<tool_call>{"name": "take_picture", "arguments": {}}</tool_call>',
    '<tool_call>{"name": "submit_dose", "arguments": {"dose": "500 micrograms"}}</tool_call>',
]


def played(
    processor: Any, family: str, script: Callable[[int], Any] = CALLS.__getitem__, **more: Any
) -> Any:
    """Play the first illustrated task by verl's agent loop."""
    server = Server(processor.tokenizer, script)
    server.processor, server.family = processor, family
    method = more.pop("method", "grpo")
    return play(processor.tokenizer, server, method, row(IMAGES, "picture"), **more), server


def as_stored(out: Any, processor: Any) -> dict[str, Any]:
    """Return the columns that verl's worker stores of a trajectory."""
    worker = AgentLoopWorker.__new__(AgentLoopWorker)
    worker.processor, worker.tokenizer = processor, processor.tokenizer
    worker.mm_processor_kwargs = {}
    ids = torch.tensor(out.prompt_ids + out.response_ids)
    inputs = worker._compute_multi_modal_inputs(out, ids)
    ones = torch.ones_like(ids)
    positions = worker._compute_position_ids(ids[None], ones[None], inputs).squeeze(0)
    found = dict(out.as_dict())
    kept = ("prompts", "responses", "response_mask", "turn_ids", "hint_ids", "hint_at")
    return {name: found[name] for name in kept} | {
        "input_ids": ids,
        "position_ids": positions,
        "multi_modal_inputs": inputs,
    }


def micro_batch(stored: Sequence[dict[str, Any]], **settings: Any) -> Any:
    """Return rows as an engine is given them, with settings beside them."""
    columns: dict[str, Any] = {
        name: [one[name] for one in stored]
        if name == "multi_modal_inputs"
        else tu.nested_tensor_from_tensor_list([one[name] for one in stored])
        for name in stored[0]
    }
    return tu.get_tensordict(columns, settings)


def positions_of(ids: Any, inputs: dict[str, Any], processor: Any) -> Any:
    """Return the positions that the model itself would give a sequence, (3, tokens)."""
    marks = (ids == processor.image_token_id).long()[None]
    found, _ = processor.get_rope_index(
        input_ids=ids[None],
        attention_mask=torch.ones_like(ids)[None],
        image_grid_thw=inputs["image_grid_thw"],
        video_grid_thw=None,
        mm_token_type_ids=marks,
    )
    return found[:, 0]
