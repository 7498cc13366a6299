"""Qwen's processors of images and tiny models that read them, with random weights."""

from __future__ import annotations

import copy
from types import MethodType
from typing import Any

import torch
import transformers
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

BEGIN, END, PAD, VIDEO = "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"
FAMILIES = ("qwen2_5_vl", "qwen3_vl")

_PREFIX = {"qwen2_5_vl": "Qwen2_5_VL", "qwen3_vl": "Qwen3VL"}
_PART = "{{- part.text -}}"
_SHOWN = f"{{{{- part.text if part.type == 'text' else '{BEGIN}{PAD}{END}' -}}}}"


class _NoVideos(transformers.BaseVideoProcessor):  # type: ignore[misc]
    """Stands in for the processor of videos, which needs torchvision and is never called."""

    merge_size, temporal_patch_size = 2, 2

    def __init__(self) -> None:
        pass


def make_processor(tokenizer: Any, family: str) -> Any:
    """Return the processor of a family as verl's ``hf_processor`` gives it.

    One image token is 8 x 8 pixels.

    Args:
        tokenizer: Copied; the tokens of images are added to the copy.
        family: One of `FAMILIES`.
    """
    tokenizer = copy.deepcopy(tokenizer)
    tokenizer.add_tokens([BEGIN, END, PAD, VIDEO], special_tokens=True)
    assert _PART in tokenizer.chat_template
    tokenizer.chat_template = tokenizer.chat_template.replace(_PART, _SHOWN)
    images = Qwen2VLImageProcessorPil(
        patch_size=4, merge_size=2, temporal_patch_size=2, min_pixels=64, max_pixels=4096
    )
    processor = getattr(transformers, f"{_PREFIX[family]}Processor")(
        image_processor=images,
        tokenizer=tokenizer,
        video_processor=_NoVideos(),
        chat_template=tokenizer.chat_template,
    )
    model = getattr(transformers, f"{_PREFIX[family]}Model")
    processor.config = make_config(tokenizer, family)
    for name in ("get_rope_index", "get_vision_position_ids"):
        if hasattr(model, name):
            setattr(processor, name, MethodType(getattr(model, name), processor))
    return processor


def make_config(tokenizer: Any, family: str) -> Any:
    """Return the config of a tiny model."""
    text = {
        "vocab_size": len(tokenizer),
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "max_position_embeddings": 4_096,
        "rope_parameters": {
            "rope_type": "default",
            "rope_theta": 10_000.0,
            "mrope_section": [2, 3, 3],
            "mrope_interleaved": family == "qwen3_vl",
        },
        "initializer_range": 0.1,
        "tie_word_embeddings": True,
    }
    seen = {"depth": 2, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2}
    seen |= {"patch_size": 4, "spatial_merge_size": 2, "temporal_patch_size": 2}
    seen["out_hidden_size"] = 64
    if family == "qwen3_vl":
        seen |= {"num_position_embeddings": 64, "deepstack_visual_indexes": [0, 1]}
    else:
        seen |= {"window_size": 16, "fullatt_block_indexes": [1]}
    tokens = {
        "image_token_id": PAD,
        "video_token_id": VIDEO,
        "vision_start_token_id": BEGIN,
        "vision_end_token_id": END,
    }
    return getattr(transformers, f"{_PREFIX[family]}Config")(
        text_config=text,
        vision_config=seen,
        tie_word_embeddings=True,
        **{name: tokenizer.convert_tokens_to_ids(token) for name, token in tokens.items()},
    )


def make_model(processor: Any, family: str, seed: int = 0) -> Any:
    """Return a tiny model with random weights that reads what a processor writes."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        kind = getattr(transformers, f"{_PREFIX[family]}ForConditionalGeneration")
        return kind(processor.config).eval()


def count(tokenizer: Any, token_ids: list[int]) -> int:
    """Return the image tokens among others."""
    return token_ids.count(tokenizer.convert_tokens_to_ids(PAD))
