"""Text to tokens and back, by verl's continuous-token builders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gym_clinic import ConfigError
from verl_recipes.agent_loop.environment import Messages, images_in


class Tokens:
    """Text to tokens and back, by verl's continuous-token builder of the model's family.

    Args:
        tokenizer: The model's.
        model_type: ``model_type`` of its config, which chooses the builder.
        native: Whether tool schemas go through the chat template.
        template_options: Further arguments of the chat template.
        processor: The model's, where it reads images.
        builder: A builder that is there already.
    """

    def __init__(
        self,
        tokenizer: Any,
        model_type: str | None,
        *,
        native: bool = True,
        template_options: Mapping[str, Any] | None = None,
        processor: Any = None,
        builder: Any = None,
    ) -> None:
        from verl.utils.tokenizer import get_processor_token_id
        from verl.utils.tokenizer.continuous_token_wiring import create_continuous_token_builder

        if builder is None:
            builder = create_continuous_token_builder(
                tokenizer,
                hf_model_type=model_type,
                chat_template_kwargs=dict(template_options or {}),
                processor=processor,
            )
        self.tokenizer = tokenizer
        self.native = native
        self.builder = builder
        reads = getattr(builder, "processor", None)
        self._media = {get_processor_token_id(reads, kind) for kind in ("image", "video")}

    def prompt(
        self, messages: Messages, tools: Sequence[Mapping[str, Any]] | None = None
    ) -> list[int]:
        """Return the tokens of an opening, up to where the model speaks.

        Raises:
            ConfigError: If there are images and the model reads only text.
        """
        shown = [dict(tool) for tool in tools] if tools else None
        images = images_in(messages)
        if not images:
            return list(self.builder.build_initial_tokens(messages, tools=shown))
        if not self.builder.supports_multimodal():
            raise ConfigError(
                "the task has images, and the model reads only text; name a model with a processor "
                "(those of Qwen need torchvision)"
            )
        return list(self.builder.build_initial_tokens(messages, tools=shown, images=images))

    def plain(self, text: str) -> list[int]:
        """Return the tokens of a text as it stands, without any role around it."""
        return list(self.tokenizer.encode(text, add_special_tokens=False))

    def readable(self, token_ids: Sequence[int]) -> int:
        """Return how many tokens of a reply come before one that stands for a part of an image.

        The policy cannot show images: verl would look for one behind such a token.
        """
        return next((at for at, one in enumerate(token_ids) if one in self._media), len(token_ids))

    @property
    def end(self) -> int:
        """The token that ends a message."""
        return int(self.tokenizer.eos_token_id)

    def text(self, token_ids: Sequence[int]) -> str:
        """Return what a reply says."""
        return str(self.tokenizer.decode(list(token_ids), skip_special_tokens=True))
