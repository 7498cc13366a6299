"""What a walk earns: 1 for each step on disciplines that selects a right one.

Source:
    KACR paper, section 3.1.3 (r_t).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from gym_clinic.domain import Table
from gym_clinic.domains.kacr.walk import WalkCase
from gym_clinic.episode import Episode, Task
from gym_clinic.facts import load
from gym_clinic.rewards import Rubric

Labels = Callable[[Task], frozenset[str]]
"""Returns the ids of the right disciplines of a task."""


def discipline_steps(case: WalkCase) -> list[list[str]]:
    """Return what was selected in each step on disciplines, in order."""
    steps = zip(case.rules.layers, case.selected, strict=False)
    return [chosen for layer, chosen in steps if layer.kind == "discipline"]


def turn_selection(episode: Episode) -> Sequence[str]:
    """Return the disciplines that the last turn selected; none if it selected no disciplines."""
    case = episode.case
    assert isinstance(case, WalkCase)
    made = episode.turns and any(call.ok for call in episode.turns[-1].calls)
    if not made or case.rules.layers[case.turn - 1].kind != "discipline":
        return ()
    return case.selected[-1]


def explain(labels: Labels, episode: Episode) -> list[Table]:
    """Return what was right, and what each step on disciplines selected, as tables for people."""
    case, gold, facts = episode.case, episode.task.gold, load()
    assert isinstance(case, WalkCase)
    right = labels(episode.task)
    steps = [
        (str(number), "; ".join(case.node(key).name for key in chosen) or "none",
         "yes" if not right.isdisjoint(chosen) else "no")
        for number, chosen in enumerate(discipline_steps(case), 1)
    ]  # fmt: skip
    diseases = [gold.get("condition"), gold.get("second")]
    told = [
        ("the patient has", [facts.diseases[key].name for key in diseases if key]),
        ("told", _names(gold.get("present", ()))),
        ("told in words that are not extracted", _names(gold.get("hidden", ()))),
        ("told as absent", _names(gold.get("absent", ()))),
    ]
    rows = [("right disciplines", ", ".join(sorted(case.node(key).name for key in right)))]
    rows += [(what, ", ".join(names)) for what, names in told if names]
    return [
        Table("Steps on disciplines", ("step", "selected", "right"), tuple(steps)),
        Table("What was right", ("what", "which"), tuple(rows)),
    ]


def _names(findings: Collection[str]) -> list[str]:
    known = load().phenotypes
    return [known[key].name for key in findings]


@dataclass(frozen=True)
class WalkJudge:
    """Judges walks.

    Attributes:
        labels: Returns the right disciplines of a task.
    """

    labels: Labels

    def turn_reward(self, episode: Episode) -> float:
        """Return r_t: 1 if the turn selected disciplines and one of them is right, else 0."""
        return float(not set(self.labels(episode.task)).isdisjoint(turn_selection(episode)))

    def rubric(self, iterations: int) -> Rubric:
        """Return the parts that are reported at the end; they weigh nothing by default."""

        def hits(episode: Episode) -> float:
            """Share of the steps on disciplines that selected a right one."""
            right = set(self.labels(episode.task))
            found = [not right.isdisjoint(chosen) for chosen in _steps(episode)]
            return sum(found) / iterations

        def last_hit(episode: Episode) -> float:
            """Whether the last step on disciplines selected a right one."""
            return float(self.solved(episode))

        return Rubric({"hits": hits, "last_hit": last_hit}, {"hits": 0.0, "last_hit": 0.0})

    def solved(self, episode: Episode) -> bool:
        """Whether the whole walk was done and its last step selected a right discipline."""
        case = episode.case
        assert isinstance(case, WalkCase)
        if case.layer is not None:
            return False
        return not set(self.labels(episode.task)).isdisjoint(case.selected[-1])

    def metrics(self, episode: Episode) -> dict[str, float]:
        """Discipline hit, recall at K and hit at 1 of the last step, and how the walk went."""
        right, steps = set(self.labels(episode.task)), _steps(episode)
        last = steps[-1] if steps else []
        case = episode.case
        assert isinstance(case, WalkCase)
        return {
            "discipline_hit": float(any(not right.isdisjoint(chosen) for chosen in steps)),
            "recall_at_k": len(right.intersection(last)) / max(len(right), 1),
            "hit_at_1": float(bool(last) and last[0] in right),
            "first_hit": float(bool(steps) and not right.isdisjoint(steps[0])),
            "steps": float(case.turn),
            "refused": float(sum(not call.ok for call in episode.calls)),
        }


def ended(episode: Episode) -> str | None:
    """Return why the walk is over; None while it goes on."""
    case = episode.case
    assert isinstance(case, WalkCase)
    if case.layer is None:
        return "last layer"
    return None if case.candidates else "no way on"


def _steps(episode: Episode) -> list[list[str]]:
    assert isinstance(episode.case, WalkCase)
    return discipline_steps(episode.case)
