"""Spaces of clinical text."""

from __future__ import annotations

from typing import Any, NoReturn

from gymnasium import spaces
from gymnasium.error import CustomSpaceError
from gymnasium.vector.utils import shared_memory


class ClinicalText(spaces.Text):
    """Any Unicode text of bounded length.

    ``spaces.Text`` accepts a listed set of characters only, and no list covers clinical
    writing ("β", "µ", names of patients and cities). Samples are drawn from ASCII letters and
    digits, as in ``spaces.Text``.

    Args:
        max_length: Longest text, in characters.
        seed: Seed of the sampler.
    """

    def __init__(self, max_length: int, *, seed: int | None = None) -> None:
        super().__init__(max_length, min_length=0, seed=seed)

    def contains(self, x: Any) -> bool:
        """Return whether ``x`` is a text of at most ``max_length`` characters."""
        return isinstance(x, str) and len(x) <= self.max_length

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Draw a short random text; a full-length one would only be slow."""
        if mask is None and probability is None:
            length = int(self.np_random.integers(0, min(self.max_length, 64) + 1))
            mask = (length, None)
        return super().sample(mask=mask, probability=probability)

    def __repr__(self) -> str:
        return f"ClinicalText({self.max_length})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClinicalText) and self.max_length == other.max_length


@shared_memory.create_shared_memory.register(ClinicalText)
def _refuse_shared_memory(space: ClinicalText, *args: Any, **kwargs: Any) -> NoReturn:
    # Shared memory hands back stale text without a word. AsyncVectorEnv turns this error into
    # one that names shared_memory=False as the way out.
    raise CustomSpaceError(
        "ClinicalText does not travel through shared memory; "
        "use AsyncVectorEnv(..., shared_memory=False)"
    )
