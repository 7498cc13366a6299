"""How an episode was judged, for people: rules of the format, retrieval, diagnosis."""

from __future__ import annotations

from collections.abc import Iterator

from gym_clinic.domain import Table
from gym_clinic.domains.dxsearch import rewards
from gym_clinic.domains.dxsearch.judge import KINDS, Judge, answered, hit, names_of
from gym_clinic.domains.dxsearch.reading import references
from gym_clinic.episode import Call, Episode, Task


def explain(judge: Judge, episode: Episode) -> list[Table]:
    """Return how an episode was judged, as tables for people; they show the gold.

    Args:
        judge: What scored the episode.
        episode: A finished episode.
    """
    broken = judge.broken(episode)
    rules = tuple((rule,) for rule in broken) or (("none",),)
    gate = "closed: nothing is paid" if broken else "open"
    return [
        Table(f"Rules of the format that were broken (gate {gate})", ("rule",), rules),
        Table("Retrieval", ("action", "asked for", "found"), tuple(_retrieved(episode))),
        Table("Diagnosis", ("place", "answered", "right"), tuple(_diagnosed(judge, episode))),
        Table("What was right", ("what", "right"), tuple(_right(episode.task))),
    ]


def _retrieved(episode: Episode) -> Iterator[tuple[str, str, str]]:
    for call in episode.calls:
        if (kind := KINDS.get(call.name)) is not None:
            asked = next(
                (value for value in call.arguments.values() if isinstance(value, list)), []
            )
            yield kind, ", ".join(map(str, asked)) or "–", _found(kind, call, episode)


def _found(kind: str, call: Call, episode: Episode) -> str:
    if not call.ok:
        return "refused"
    if kind == "match":
        shown = len(references(str(call.result)))
        return f"{shown} patients, {'one' if hit(call, episode) else 'none'} with the disease"
    if kind == "search":
        recall = rewards.relevance(answered(call), names_of(episode))
        return f"best query names {recall**3:.0%} of the disease's words"
    return "guidelines"


def _diagnosed(judge: Judge, episode: Episode) -> Iterator[tuple[str, str, str]]:
    names = names_of(episode)
    for place, name in enumerate((episode.answer or ())[: judge.limits.diagnoses], 1):
        yield str(place), name, "yes" if rewards.among_first([name], names, 1) else "no"


def _right(task: Task) -> Iterator[tuple[str, str]]:
    gold = task.gold
    yield "disease", "; ".join(gold["names"])
    yield "rare", "yes" if gold["rare"] else "no"
    yield "a match that hits", ", ".join(gold["query"])
    if gold.get("confounder"):
        yield "nearest patient, with another disease", gold["confounder"]
