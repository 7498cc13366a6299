"""What the tests of commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import eval_domain

ID = f"eval_domain:{eval_domain.ID}"


class Done(NamedTuple):
    """The end of a command: its exit status, and what it wrote."""

    status: int
    out: str
    err: str


Run = Callable[..., Done]
