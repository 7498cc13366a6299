"""How episodes are judged: the paper's reward, and its figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from gym_clinic.domain import Table
from gym_clinic.domains.mmedagent.departments import department_of
from gym_clinic.domains.mmedagent.rewards import (
    ACCURACY,
    FORMAT,
    accuracy,
    chosen_option,
    format_kept,
    stated_answer,
)
from gym_clinic.domains.mmedagent.specialists import plurality
from gym_clinic.episode import Episode, Task
from gym_clinic.rewards import Rubric

OPINIONS = "heard"
"""Key of the case: the labels that specialists answered, as they were shown."""

REFERRED = "referred"
"""Key of the case: the department that was consulted."""


@dataclass(frozen=True)
class AnswerJudge:
    """Judges the final message of an episode.

    Attributes:
        options: Task -> label -> text.
        gold: Task -> label of the right option.
    """

    options: Any
    gold: Any

    @property
    def rubric(self) -> Rubric:
        """Format .5 and accuracy 1."""
        return Rubric(
            {"format": self.format, "accuracy": self.accuracy},
            weights={"format": FORMAT, "accuracy": ACCURACY},
        )

    def format(self, episode: Episode) -> float:
        """Return 1 if the final message is one thought and one answer, and nothing else."""
        return float(format_kept(_said(episode)))

    def accuracy(self, episode: Episode) -> float:
        """Return 1 for the right answer; without the right format, too."""
        return accuracy(_said(episode), self.options(episode.task), self.gold(episode.task))

    def solved(self, episode: Episode) -> bool:
        """Return whether the answer is right."""
        return self.accuracy(episode) == 1.0

    def choice(self, episode: Episode) -> str | None:
        """Return the label that was answered."""
        answer = stated_answer(_said(episode))
        return None if answer is None else chosen_option(answer, self.options(episode.task))

    def metrics(self, episode: Episode) -> dict[str, float]:
        """Return the figures of an episode.

        ``copied``: the answer is that of most specialists. ``majority``: they are right.
        ``override_correct`` and ``override_wrong``: their wrong answer was not followed and the
        agent is right; their right answer was not followed. ``triage``: the right department was
        consulted. Without specialists or a referral these are 0.
        """
        heard = episode.case.get(OPINIONS, ())
        most, gold = plurality(heard), self.gold(episode.task)
        choice, majority = self.choice(episode), most == gold
        right = choice == gold
        referred = episode.case.get(REFERRED)
        department = department_of(episode.task.record)
        return {
            "accuracy": float(right),
            "copied": float(most is not None and choice == most),
            "majority": float(majority),
            "override_correct": float(most is not None and right and not majority),
            "override_wrong": float(majority and not right),
            "triage": float(referred is not None and referred == department),
        }

    def explain(self, episode: Episode) -> list[Table]:
        """Return options, votes and gold as a table."""
        heard = list(episode.case.get(OPINIONS, ()))
        choice, gold = self.choice(episode), self.gold(episode.task)
        rows = tuple(
            (label, text, str(heard.count(label) or ""), "x" * (label == choice),
             "x" * (label == gold))
            for label, text in self.options(episode.task).items()
        )  # fmt: skip
        columns = ("label", "option", "specialists", "answered", "right")
        return [Table("Options", columns, rows)]


def aggregate(rows: Sequence[tuple[Task, Mapping[str, float]]]) -> dict[str, float]:
    """Return the figures of many episodes.

    Means of the figures; accuracy by modality and by level; copy rate; of the tasks whose majority
    is wrong, how many are answered right (``override_correct``), and of the others how many are
    answered wrong (``override_wrong``); the gain over the majority.
    """
    figures: dict[str, float] = {}
    if not rows:
        return figures
    for name in ("accuracy", "majority", "triage", "copied"):
        figures[name if name != "copied" else "copy_rate"] = fmean(row[name] for _, row in rows)
    figures["gain_over_majority"] = figures["accuracy"] - figures["majority"]
    led = [row for _, row in rows if row["majority"]]
    misled = [row for _, row in rows if not row["majority"]]
    figures["override_correct"] = _mean(row["override_correct"] for row in misled)
    figures["override_wrong"] = _mean(row["override_wrong"] for row in led)
    groups: dict[str, list[float]] = defaultdict(list)
    for task, row in rows:
        for field, value in (("level", task.gold.get("level")),
                             ("modality", task.record.get("modality")),
                             ("kind", task.record.get("kind"))):  # fmt: skip
            if value:
                groups[f"accuracy/{field}/{value}"].append(row["accuracy"])
    return figures | {name: fmean(values) for name, values in sorted(groups.items())}


def triage_figures(labels: Sequence[str], prefix: str = "chose") -> Any:
    """Return the figures of many triage episodes: accuracy and the matrix of confusions.

    The figure ``right/<department>/<department>`` is the share of the first's images that were
    sent to the second.
    """

    def figures(rows: Sequence[tuple[Task, Mapping[str, float]]]) -> dict[str, float]:
        found = {"accuracy": _mean(row["accuracy"] for _, row in rows)}
        for right in labels:
            own = [row for task, row in rows if department_of(task.record) == right]
            for number, chosen in enumerate(labels):
                if own:
                    share = fmean(row["chosen"] == number for row in own)
                    found[f"{prefix}/{right}/{chosen}"] = share
        return found

    return figures


def _mean(values: Any) -> float:
    listed = list(values)
    return fmean(listed) if listed else 0.0


def _said(episode: Episode) -> str:
    return episode.turns[-1].action if episode.turns else ""
