"""How policies act: sequences of actions, transitions between them, and seconds of each.

Source:
    Deep-DxSearch paper, extended data figure 2 (sequences and transitions of actions) and extended
    data table 2 (latency of each action).
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from gym_clinic.evaluate.recorded import checked_calls, read_episodes, trace_files
from gym_clinic.evaluate.report import Grid
from gym_clinic.evaluate.trace import TIMING

START, ANSWER, END = "(start)", "(answer)", "(end)"
"""Before the first action, an answer that is no call, and after the last action."""

LISTED = 5
"""Sequences that a table lists."""


@dataclass(frozen=True)
class ActionFigures:
    """The actions of the episodes of one policy.

    Attributes:
        sequences: The actions of an episode in order -> number of episodes.
        seconds: Action -> the seconds that the environment took for each turn of this action alone.
    """

    sequences: Mapping[tuple[str, ...], int]
    seconds: Mapping[str, Sequence[float]]

    @property
    def episodes(self) -> int:
        """Number of episodes."""
        return sum(self.sequences.values())

    def entropy(self) -> float:
        """Return the entropy of the sequences in bits: 0 where all episodes act alike."""
        shares = [count / self.episodes for count in self.sequences.values()]
        return -math.fsum(share * math.log2(share) for share in shares)

    def transitions(self) -> dict[str, dict[str, float]]:
        """Return action -> next action -> probability, with ``(start)`` and ``(end)``."""
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for sequence, count in self.sequences.items():
            for before, after in pairwise((START, *sequence, END)):
                counts[before][after] += count
        return {
            before: {name: count / after.total() for name, count in sorted(after.items())}
            for before, after in counts.items()
        }


def read_actions(places: Sequence[str | Path]) -> dict[str, ActionFigures]:
    """Return policy -> the actions of its recorded episodes; failed episodes are left out.

    Args:
        places: ``trace.jsonl`` files, folders of a run, or folders that hold folders of runs.

    Raises:
        ConfigError: If there is no trace.
        TaskError: If a line is not an episode; it names file and line.
    """
    sequences: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    seconds: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for path in trace_files(places):
        timings = _timings(path.with_name(TIMING))
        for where, row in read_episodes(path):
            if row["error"] is not None:
                continue
            policy = str(row["policy"])
            names = [str(call["name"]) for call in checked_calls(where, row)]
            by_text = row["answer"] is not None and row["turns"] > len(names)
            sequence = (*names, ANSWER) if by_text else tuple(names)
            sequences[policy][sequence] += 1
            turns = timings.get((row["task_id"], row["trial"]), [])
            if len(turns) == len(names):  # one call a turn: a batch has no time of its own
                for name, turn in zip(names, turns, strict=True):
                    seconds[policy][name].append(turn)
    return {policy: ActionFigures(sequences[policy], seconds[policy]) for policy in sequences}


def _timings(path: Path) -> dict[tuple[str, int], list[float]]:
    """Return task and trial -> seconds of the environment in each turn, where they are kept."""
    if not path.is_file():
        return {}
    rows = [json.loads(line) for line in path.read_bytes().splitlines() if line.endswith(b"}")]
    return {
        (row["task_id"], row["trial"]): [float(turn["env_seconds"]) for turn in row["turns"]]
        for row in rows
    }


def action_tables(figures: Mapping[str, ActionFigures]) -> Iterator[Grid]:
    """Yield the tables of all policies: diversity, transitions, and seconds of each action."""
    columns = ("policy", "episodes", "mean actions", "distinct", "entropy (bits)", "commonest")
    yield Grid("Sequences", columns, tuple(_diversity(*item) for item in figures.items()))
    for policy, actions in figures.items():
        rows = [
            (f"{count / actions.episodes:.1%}", " > ".join(sequence) or "none")
            for sequence, count in Counter(actions.sequences).most_common(LISTED)
        ]
        yield Grid(f"Commonest sequences of {policy}", ("share", "actions"), tuple(rows))
        yield _matrix(policy, actions.transitions())
        if actions.seconds:
            yield Grid(
                f"Seconds of the environment, {policy}",
                ("action", "turns", "mean", "longest"),
                tuple(
                    (name, str(len(spent)), f"{math.fsum(spent) / len(spent):.4f}",
                     f"{max(spent):.4f}")
                    for name, spent in sorted(actions.seconds.items())
                ),
            )  # fmt: skip


def _diversity(policy: str, actions: ActionFigures) -> tuple[str, ...]:
    made = sum(len(sequence) * count for sequence, count in actions.sequences.items())
    return (
        policy,
        str(actions.episodes),
        f"{made / actions.episodes:.2f}",
        str(len(actions.sequences)),
        f"{actions.entropy():.2f}",
        f"{max(actions.sequences.values()) / actions.episodes:.1%}",
    )


def _matrix(policy: str, transitions: Mapping[str, Mapping[str, float]]) -> Grid:
    """Return the transition matrix: rows are what was done, columns what came next."""
    after = sorted({name for row in transitions.values() for name in row} - {END})
    names = [START, *(name for name in after if name in transitions)]
    rows = [
        (name, *(f"{transitions[name].get(column, 0.0):.2f}" for column in (*after, END)))
        for name in names
    ]
    return Grid(f"Transitions of {policy}", ("after", *after, END), tuple(rows))


def as_dict(figures: Mapping[str, ActionFigures]) -> dict[str, Any]:
    """Return all figures as plain JSON."""
    return {
        policy: {
            "episodes": actions.episodes,
            "distinct": len(actions.sequences),
            "entropy_bits": actions.entropy(),
            "sequences": [
                {"actions": list(sequence), "episodes": count}
                for sequence, count in Counter(actions.sequences).most_common()
            ],
            "transitions": actions.transitions(),
            "seconds": {name: list(spent) for name, spent in sorted(actions.seconds.items())},
        }
        for policy, actions in figures.items()
    }
