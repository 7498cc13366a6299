"""Text to tokens and back, by verl's continuous-token builders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from verl_recipes.agent_loop.environment import Messages


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
        if builder is None:
            from verl.utils.tokenizer.continuous_token_wiring import create_continuous_token_builder

            builder = create_continuous_token_builder(
                tokenizer,
                hf_model_type=model_type,
                chat_template_kwargs=dict(template_options or {}),
                processor=processor,
            )
        self.tokenizer = tokenizer
        self.native = native
        self.builder = builder

    def prompt(self, messages: Messages, tools: Sequence[Mapping[str, Any]]) -> list[int]:
        """Return the tokens of an opening, up to where the model speaks."""
        shown = [dict(tool) for tool in tools] if self.native and tools else None
        return list(self.builder.build_initial_tokens(messages, tools=shown))

    def text(self, token_ids: Sequence[int]) -> str:
        """Return what a reply says."""
        return str(self.tokenizer.decode(list(token_ids), skip_special_tokens=True))
