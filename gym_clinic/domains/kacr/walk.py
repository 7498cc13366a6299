"""The state of a walk: a case whose subgraph grows with every selection."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from gym_clinic.case import Case
from gym_clinic.domains.kacr.rules import PLURAL, Layer, WalkRules
from gym_clinic.episode import Task
from gym_clinic.errors import ToolError
from gym_clinic.names import nearest
from gym_clinic.retrieval.graph.symptom_graph import Node, NodeKind

WALK = "walk"
"""Key of the record that holds what was selected."""

LONGEST_NAME = 80
MOST_NAMED = 3
"""Unknown names that one answer explains."""


class WalkCase(Case):
    """One walk.

    Args:
        task: The task; its ticket, or else the question of its record, is the question.
        rules: The rules of the walk.

    Attributes:
        rules: The rules of the walk.
        mentions: Ids of the symptoms that the question mentions.
    """

    def __init__(self, task: Task, rules: WalkRules) -> None:
        super().__init__({**task.record, WALK: {"selected": []}})
        self.rules, self.question = rules, task.ticket or str(task.record.get("question", ""))
        self.mentions = rules.mentions(self.question)
        self._seed = f"{rules.order}:{task.id}"
        self._fresh = True
        self._candidates: tuple[int, tuple[str, ...]] | None = None

    def begin_message(self) -> None:
        """Allow a selection in the assistant message that begins."""
        self._fresh = True

    @property
    def selected(self) -> list[list[str]]:
        """Ids selected in each step so far, in the agent's order."""
        return [list(keys) for keys in self[WALK]["selected"]]

    @property
    def turn(self) -> int:
        """Steps done."""
        return len(self[WALK]["selected"])

    @property
    def layer(self) -> Layer | None:
        """The step to be done; None at the end of the walk."""
        return self.rules.layers[self.turn] if self.turn < len(self.rules.layers) else None

    def of_kind(self, kind: NodeKind) -> list[str]:
        """Return the ids of the nodes of a kind that the subgraph holds, in order of selection."""
        steps = zip(self.rules.layers, self.selected, strict=False)
        keys = [key for layer, chosen in steps if layer.kind == kind for key in chosen]
        if kind == "symptom" and not self.turn:
            keys = list(self.mentions)
        return list(dict.fromkeys(keys))

    def subgraph(self) -> list[str]:
        """Return the ids of all nodes of the subgraph; before the first step the mentions."""
        return [*self.of_kind("symptom"), *self.of_kind("disease"), *self.of_kind("discipline")]

    @property
    def candidates(self) -> tuple[str, ...]:
        """Ids of the candidates of the step to be done, in the order shown."""
        if self._candidates is None or self._candidates[0] != self.turn:
            self._candidates = self.turn, tuple(self._explore())
        return self._candidates[1]

    def _explore(self) -> list[str]:
        layer, random = self.layer, Random(f"{self._seed}:{self.turn}")
        if layer is None:
            return []
        if layer.via is None:
            keys = list(self.mentions)
            random.shuffle(keys)
            return keys
        sources, known = self.of_kind(layer.via), self.of_kind(layer.kind)
        if layer == Layer("symptom", "disease"):
            sources = self.selected[-1]  # the diseases just chosen
        found = self.rules.explore(layer, sources, self.of_kind("symptom"), known, random)
        if not found:  # only nodes without neighbours were selected
            found = self.rules.explore(layer, self.mentions, self.mentions, known, random)
        return found

    def node(self, key: str) -> Node:
        """Return a node of the graph."""
        return self.rules.open_graph().node(key)

    def select(self, names: Sequence[str]) -> list[str]:
        """Select candidates by their names or ids; names that are none are left out.

        Returns:
            What to say of the names that are no candidates.

        Raises:
            ToolError: If a message selects twice, the walk is over, there are too many names, or
                none of them is a candidate.
        """
        layer = self.layer
        if layer is None:
            raise ToolError("the walk is over")
        if not self._fresh:
            raise ToolError("one selection a message; the next step is shown in the answer")
        most = self.rules.most(layer.kind)
        given = list(dict.fromkeys(" ".join(name.split()) for name in names if name.strip()))
        if not 1 <= len(given) <= most:
            raise ToolError(f"select 1 to {most} {PLURAL[layer.kind]}, not {len(given)}")
        known = self._by_name()
        chosen = [known[name.casefold()] for name in given if name.casefold() in known]
        unknown = [name for name in given if name.casefold() not in known]
        notes = [self._explain(name, known) for name in unknown[:MOST_NAMED]]
        if len(unknown) > MOST_NAMED:
            notes.append(f"{len(unknown) - MOST_NAMED} more are no candidates.")
        if not chosen:
            raise ToolError(" ".join(notes))
        self.edit(WALK)["selected"].append(list(dict.fromkeys(chosen)))
        self._fresh = False
        return notes

    def _by_name(self) -> dict[str, str]:
        graph = self.rules.open_graph()
        nodes = [graph.node(key) for key in self.candidates]
        return {text.casefold(): node.id for node in nodes for text in (node.id, node.name)}

    def _explain(self, name: str, known: dict[str, str]) -> str:
        names = tuple(self.node(key).name for key in known.values())
        near = nearest(name, names)
        hint = f"did you mean {near!r}?" if near else "select among the names shown."
        return f"{name[:LONGEST_NAME]!r} is no candidate; {hint}"

    def __deepcopy__(self, memo: dict[int, Any]) -> WalkCase:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._overlay = self.changes
        twin.usage = dict(self.usage)
        return twin
