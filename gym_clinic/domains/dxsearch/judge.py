"""What an episode of DxSearch earns: the rewards of the paper over calls and transcript."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from gym_clinic.action import without_thoughts
from gym_clinic.domains.dxsearch import rewards
from gym_clinic.domains.dxsearch.failures import causes_of_failure
from gym_clinic.domains.dxsearch.matching import mentions
from gym_clinic.domains.dxsearch.reading import references
from gym_clinic.domains.dxsearch.sources import NO_REFERENCE
from gym_clinic.domains.dxsearch.tools import (
    lookup_guidelines,
    match_patients,
    search_literature,
    without_tags,
)
from gym_clinic.domains.dxsearch.transcript import ACTIVE, REPLIES, Limits, broken_rules
from gym_clinic.episode import Call, Episode, Task
from gym_clinic.rewards import Rubric

KINDS = {lookup_guidelines.name: "lookup", match_patients.name: "match",
         search_literature.name: "search"}  # fmt: skip
"""Tool -> its action, as the tags name it."""

_LISTS = {"lookup": ("diseases", "diseases"), "search": ("queries", "queries")}
"""Action -> the argument whose items are limited, and the limit."""


@dataclass(frozen=True)
class ClippedRubric(Rubric):
    """A rubric whose total is clipped to 0..1 (eq. 3); its highest total is what weights allow.

    A schedule of training may set other weights; the range follows from them.
    """

    @property
    def reward_range(self) -> tuple[float, float]:
        """0, and the most that the weights allow, at most 1."""
        _, high = super().reward_range
        return 0.0, min(max(high, 0.0), 1.0)


@dataclass(frozen=True)
class Judge:
    """Scores episodes.

    Attributes:
        limits: What a trajectory may hold.
        couple_sigma_m: Whether the reward of matching is part of that of the diagnosis (eq. 2).
        zero_mode: As for :func:`rewards.matching`.
        change: As for :func:`rewards.matching`.
        too_little: As for :func:`rewards.matching`.
    """

    limits: Limits
    couple_sigma_m: bool = True
    zero_mode: rewards.ZeroMode = "literal"
    change: rewards.Change = "paper"
    too_little: float = 0.0

    def rubric(self, weights: Mapping[str, float]) -> Rubric:
        """Return the rubric: three weighted rewards, gated and clipped."""
        most = rewards.HIT - rewards.CHARGE
        least = min(-rewards.MOST_CHARGED, self.too_little)
        coupled = float(self.couple_sigma_m)
        return ClippedRubric(
            {"search": self.search, "matching": self.matching, "diagnosis": self.diagnosis},
            weights=weights,
            range={
                "search": (0.0, 1.0),
                "matching": (least, max(most, self.too_little)),
                "diagnosis": (0.2 + least * coupled, 0.8 + max(most, self.too_little) * coupled),
            },
            adjust=(self.gate,),
        )

    def gate(self, episode: Episode, total: float) -> float:
        """Return 0 for a trajectory that breaks a rule of the format, else the total."""
        return 0.0 if self.broken(episode) else total

    def broken(self, episode: Episode) -> list[str]:
        """Return the rules that the episode breaks: of the tags, or of calls without tags."""
        if _writes_tags(episode):
            forged = [
                f"forged reply: <{tag}> is written by the agent"
                for tag in REPLIES
                if any(f"<{tag}>" in turn.action for turn in episode.turns)
            ]
            return [*forged, *broken_rules(transcript(episode), self.limits)]
        return self._broken_by_calls(episode)

    def _broken_by_calls(self, episode: Episode) -> list[str]:
        found = []
        for kind in ("lookup", "match", "search"):
            calls, most = _calls(episode, kind), getattr(self.limits, kind)
            if len(calls) > most:
                found.append(f"too many {kind}: {len(calls)}, at most {most}")
            argument, limit = _LISTS.get(kind, ("", ""))
            for call in calls:
                given = call.arguments.get(argument)
                if isinstance(given, list) and len(given) > getattr(self.limits, limit):
                    found.append(f"{kind} {argument}: {len(given)}")
        if episode.answer is None:
            found.append("diagnose must be last and unique")
        elif not 1 <= len(episode.answer) <= self.limits.diagnoses:
            found.append(f"diagnosis count: {len(episode.answer)}")
        return found

    def info(self, episode: Episode) -> dict[str, list[str]]:
        """Return the broken rules, by name; none before the episode is over."""
        return {"broken_rules": [] if episode.stop is None else self.broken(episode)}

    def search(self, episode: Episode) -> float:
        """The best of the answered queries by token recall, its cube root."""
        terms = [query for call in _calls(episode, "search") for query in answered(call)]
        return rewards.relevance(terms, names_of(episode))

    def matching(self, episode: Episode) -> float:
        """A retrieved patient with the disease, less the number of matches."""
        calls = _calls(episode, "match")
        queries = [[str(name) for name in _listed(call, "phenotypes")] for call in calls]
        hits = [hit(call, episode) for call in calls]
        return rewards.matching(queries, hits, self.zero_mode, self.change, self.too_little)

    def diagnosis(self, episode: Episode) -> float:
        """The best F1 of the diagnoses, scaled to 0.2..0.8, and the reward of matching."""
        candidates = (episode.answer or ())[: self.limits.diagnoses]
        sigma_m = self.matching(episode) if self.couple_sigma_m else 0.0
        return rewards.diagnosis(candidates, names_of(episode), sigma_m)

    def solved(self, episode: Episode) -> bool:
        """Whether the first diagnosis is the disease and no rule is broken."""
        right = rewards.among_first(episode.answer or (), names_of(episode), 1)
        return bool(right) and not self.broken(episode)

    def metrics(self, episode: Episode) -> dict[str, float]:
        """Acc@N, Hit@20, hint score, steps, broken rules (section 2.4), and causes of failure."""
        names, answer = names_of(episode), (episode.answer or ())[: self.limits.diagnoses]
        steps = {kind: float(len(_calls(episode, kind))) for kind in KINDS.values()}
        said = [turn.action for turn in episode.turns]
        accuracy = {f"acc_at_{n}": rewards.among_first(answer, names, n) for n in (1, 3, 5)}
        return {
            **accuracy,
            "hit_at_20": float(any(hit(call, episode) for call in _calls(episode, "match"))),
            "hint": float(any(mentions(text, name) for text in said for name in names)),
            "steps": sum(steps.values()),
            **{f"{kind}_steps": count for kind, count in steps.items()},
            "broken_rules": float(len(self.broken(episode))),
            **causes_of_failure(episode, names, failed=not accuracy["acc_at_5"]),
        }


def aggregate(rows: Sequence[tuple[Task, Mapping[str, float]]]) -> dict[str, float]:
    """Return the means, and the indicators of the policy (section 2.4).

    Symptom association is Hit@20, and reasoning complexity the number of steps. The differential
    diagnosis is Acc@5 of the episodes that retrieved the disease beside others; it is left out
    where none did. The exclusion of irrelevant references compares Acc@5 with that under the
    option ``irrelevant``, and so two runs.
    """
    metrics = [row for _, row in rows]
    means = {name: fmean(row[name] for row in metrics) for name in (metrics[0] if metrics else ())}
    told = [row["acc_at_5"] for row in metrics if row["hit_at_20"]]
    return {**means, **({"differential": fmean(told)} if told else {})}


def transcript(episode: Episode) -> str:
    """Return the trajectory as one text: what the agent wrote, and the replies between."""
    parts = []
    for turn in episode.turns:
        parts.append(_closed(without_thoughts(turn.action)))
        if turn.answer is None:
            parts.append(turn.observation)
    return "\n".join(parts)


def names_of(episode: Episode) -> Sequence[str]:
    """Return the names of the right disease."""
    names: Sequence[str] = episode.task.gold["names"]
    return names


def hit(call: Call, episode: Episode) -> bool:
    """Whether a match retrieved a patient with the right disease."""
    if not call.ok or not isinstance(call.result, str):
        return False
    known = {without_tags(name).casefold() for name in names_of(episode)}
    return any(disease.casefold() in known for _, disease in references(call.result))


def answered(call: Call) -> list[str]:
    """Return the queries of a search for which there was a reference."""
    if not call.ok or not isinstance(call.result, str):
        return []
    lines = set(call.result.splitlines())
    asked = [without_tags(" ".join(str(query).split())) for query in _listed(call, "queries")]
    return [query for query in asked if query and f"{query}: {NO_REFERENCE}" not in lines]


def _calls(episode: Episode, kind: str) -> list[Call]:
    return [call for call in episode.calls if KINDS.get(call.name) == kind]


def _listed(call: Call, argument: str) -> Sequence[Any]:
    given = call.arguments.get(argument)
    return given if isinstance(given, list) else ()


def _writes_tags(episode: Episode) -> bool:
    return any(f"<{tag}>" in turn.action for turn in episode.turns for tag in ACTIVE)


def _closed(action: str) -> str:
    """Return an action with the tag closed at which generation stopped."""
    for tag in ACTIVE:
        if action.rfind(f"<{tag}>") > action.rfind(f"</{tag}>"):
            return f"{action}</{tag}>"
    return action
