"""The one tool of a walk."""

from __future__ import annotations

from gym_clinic.domains.kacr.describe import step
from gym_clinic.domains.kacr.walk import WalkCase
from gym_clinic.errors import ToolError
from gym_clinic.toolbox import Kind, tool


@tool(kind=Kind.WRITE)
def select_nodes(case: WalkCase, names: list[str]) -> str:
    """Select the relevant nodes among the candidates of this step; the next step is the answer.

    Args:
        names: Names of candidates as shown, the most relevant first.
    """
    notes = case.select(names)
    return "\n".join([*notes, step(case)])


def read_answer(text: str) -> None:
    """Refuse an answer in text: a walk is answered by its selections.

    Raises:
        ToolError: Always.
    """
    raise ToolError(
        f"Select candidates of this step with {select_nodes.name}, the most relevant first; "
        "a walk has no other answer"
    )
