"""A processor of images as verl's builders call one: a pad token for every 16 pixels."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

PAD = "<|image_pad|>"
BEGIN, END = "<|vision_start|>", "<|vision_end|>"


class TinyProcessor:
    """Stands in for Qwen2-VL's processor, which needs torchvision.

    Args:
        tokenizer: The model's; the three image tokens are added to it.
    """

    def __init__(self, tokenizer: Any) -> None:
        tokenizer.add_tokens([BEGIN, PAD, END], special_tokens=True)
        self.tokenizer = tokenizer
        self.image_processor = SimpleNamespace(patch_size=4)
        self.image_token = PAD

    def apply_chat_template(self, messages: Any, **options: Any) -> str:
        """Write messages with one pad token in place of each image."""
        flat = [{**one, "content": self._flat(one["content"])} for one in messages]
        return str(self.tokenizer.apply_chat_template(flat, **options))

    def _flat(self, content: Any) -> str:
        if isinstance(content, str):
            return content
        return "".join(
            f"{BEGIN}{PAD}{END}" if part["type"] == "image" else part["text"] for part in content
        )

    def __call__(
        self, *, text: Sequence[str], images: Sequence[Any] | None = None, **_: Any
    ) -> dict[str, Any]:
        """Return token ids in which each image has as many pad tokens as it has patches."""
        (whole,) = text
        pieces = whole.split(PAD)
        assert len(pieces) == len(images or ()) + 1
        written = pieces[0]
        for image, piece in zip(images or (), pieces[1:], strict=True):
            written += PAD * patches(image) + piece
        return {"input_ids": [self.tokenizer.encode(written, add_special_tokens=False)]}


def patches(image: Any) -> int:
    """Return the pad tokens of an image."""
    width, height = image.size
    return int(width * height // 16)
