"""The one place where the teacher reads a hint: the end of the message that the model answers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import takewhile

from jinja2 import TemplateError

from gym_clinic import ConfigError
from verl_recipes.agent_loop.tokens import Tokens

SEPARATOR = "\n\n"
"""Between the message and the hint."""

ROLES = ("user", "system")
"""Who may write the last message of a prompt."""


class HintPlacement:
    """Finds the place of a hint in a prompt, for the chat template of one model.

    A hint closes the last message of the prompt, after a blank line. What the template writes
    after that message follows the hint: the end of the message, the header of the model's own and,
    in some families, the opening of a thought. So a hint is never a part of what the model says or
    thinks, and no template has to accept a further message.

    Args:
        tokens: The model's.

    Source: TT-OPD paper, section 4.2: "inserted at the prompt-response boundary". Taken to the
    letter that is inside the thought where a template opens one.
    """

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def ids(self, text: str) -> list[int]:
        """Return the tokens of a hint with its separator; none of an empty text."""
        return self._tokens.plain(f"{SEPARATOR}{text}") if text else []

    def index(self, prompt: Sequence[int]) -> int:
        """Return the index in a prompt before which the hint stands.

        Raises:
            ConfigError: If the prompt does not end as the chat template ends one.
        """
        for closing in self._closings:
            if tuple(prompt[-len(closing) :]) == closing:
                return len(prompt) - len(closing)
        end = self._tokens.tokenizer.decode(list(prompt[-20:]))
        raise ConfigError(
            "no place for a hint: the chat template does not close every last message alike; this "
            f"prompt ends with {end!r}. Set clinic.hints.mode=none, or mend the template"
        )

    @cached_property
    def _closings(self) -> list[tuple[int, ...]]:
        found = {self._closing(role) for role in ROLES} - {()}
        return sorted(found, key=len, reverse=True)

    def _closing(self, role: str) -> tuple[int, ...]:
        """Return what follows the last message of a role; nothing where a template has no such."""
        try:
            one, other = (
                self._tokens.prompt([{"role": role, "content": word}]) for word in ("one", "two")
            )
        except (TemplateError, ValueError):
            return ()
        pairs = zip(reversed(one), reversed(other), strict=False)
        shared = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
        return tuple(one[len(one) - shared :])
