"""What a consultation earns, and its figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gym_clinic.consult import Discussion, Opinion
from gym_clinic.domain import Table
from gym_clinic.domains.kacr.consulting.tools import ConsultationCase
from gym_clinic.episode import Episode, Task
from gym_clinic.rewards import Rubric

BINS = 5
"""Bins of the reliability curve."""

OWN = 0.5
"""Weight of the own answer where the policy plays one agent; the rest is on the vote."""


def own_answer(episode: Episode) -> str | None:
    """Return the answer with which the policy ended; None if it never gave one.

    That of the one agent it plays; as the debater, or as all, that of the panel.
    """
    case = episode.case
    assert isinstance(case, ConsultationCase)
    if episode.answer is not None:
        return str(episode.answer["choice"])
    if case.setup.role != "agent":
        return panel_answer(episode)
    return next((opinion.choice for opinion in reversed(list(_own(case)))), None)


def panel_answer(episode: Episode) -> str | None:
    """Return the panel's vote; None where the consultation was neither closed nor ended."""
    if episode.answer is not None:
        winner: str | None = episode.answer["winner"]
        return winner
    result = _result(episode)
    return None if result is None else result.choice


def own(episode: Episode) -> float:
    """1 if the policy's own final answer is right (ours; the paper trains nothing here)."""
    return float(own_answer(episode) == episode.task.gold["answer"])


def panel(episode: Episode) -> float:
    """1 if the panel's vote is right (ours; the paper trains nothing here)."""
    return float(panel_answer(episode) == episode.task.gold["answer"])


def rubric(role: str) -> Rubric:
    """Return the rubric of a role: half and half for one agent, the vote for the others."""
    if role == "agent":
        weights = {"own": OWN, "panel": 1 - OWN}
        return Rubric({"own": own, "panel": panel}, weights=weights, range=(0.0, 1.0))
    return Rubric({"panel": panel}, weights={"panel": 1.0}, range=(0.0, 1.0))


def solved(episode: Episode) -> bool:
    """Whether own answer and vote are both right."""
    return own(episode) == 1.0 and panel(episode) == 1.0


def metrics(episode: Episode) -> dict[str, float]:
    """Accuracy, rounds, consensus, ties, tokens, and the counts behind the reliability curve."""
    result, answer, right = _result(episode), episode.answer, episode.task.gold["answer"]
    stated = [(opinion.confidence, opinion.choice == right) for opinion in _opinions(episode)]
    figures = {
        "own_right": own(episode),
        "panel_right": panel(episode),
        "rounds": float(len(_rounds(episode))),
        "unanimous": float(bool(answer["unanimous"] if answer else result and result.unanimous)),
        "tie": float(bool(answer["tie"] if answer else result and result.tied)),
        "tokens": float(episode.case.usage.get("total_tokens", 0)),
    }
    for place in range(BINS):
        inside = [pair for pair in stated if _bin(pair[0]) == place]
        figures[f"bin_{place}_stated"] = float(len(inside))
        figures[f"bin_{place}_confidence"] = sum(confidence for confidence, _ in inside)
        figures[f"bin_{place}_right"] = float(sum(hit for _, hit in inside))
    return figures


def aggregate(rows: Sequence[tuple[Task, Mapping[str, float]]]) -> dict[str, float]:
    """Return means, and over all stated confidences their reliability curve and error.

    The expected calibration error is the mean over the bins of |share right - mean confidence|,
    weighted by the opinions in each.
    """
    if not rows:
        return {}
    plain = [name for name in rows[0][1] if not name.startswith("bin_")]
    figures = {name: sum(row[name] for _, row in rows) / len(rows) for name in plain}
    total = sum(row[f"bin_{place}_stated"] for _, row in rows for place in range(BINS))
    error = 0.0
    for place in range(BINS):
        stated, confidence, right = (sum(row[f"bin_{place}_{name}"] for _, row in rows)
                                     for name in ("stated", "confidence", "right"))  # fmt: skip
        figures[f"right_at_{place / BINS:.1f}"] = right / stated if stated else 0.0
        figures[f"stated_at_{place / BINS:.1f}"] = stated / total if total else 0.0
        error += abs(right - confidence) / total if total else 0.0
    figures["calibration_error"] = error
    return figures


def explain(episode: Episode) -> Sequence[Table]:
    """Return the discussion round by round, and who had seen what."""
    gold, case = episode.task.gold, episode.case
    rows = [row for number, played in enumerate(_rounds(episode)) for row in _lines(number, played)]
    seen = [
        (member, ", ".join(case["examinations"][member]), gold["reasons"][member])
        for member in case["panel"]
    ]
    answer = f"{gold['answer']}. {case['options'][gold['answer']]}"
    return (
        Table("Discussion", ("round", "member", "answer", "confidence", "after debate"),
              tuple(rows)),
        Table("Who had seen what", ("member", "own findings", "first reason"), tuple(seen)),
        Table("Gold", ("answer", "best informed", "panel"),
              ((answer, gold["informed"], panel_answer(episode) or "none"),)),
    )  # fmt: skip


def _lines(number: int, played: Any) -> Iterator[tuple[str, ...]]:
    for before, after in zip(played.opinions, played.final, strict=True):
        revised = (after.choice or "none") if played.debated else ""
        confidence = f"{before.confidence:.2f}"
        yield str(number), before.member, before.choice or "none", confidence, revised
    yield str(number), "vote", played.consensus or "none", "", ""


def _bin(confidence: float) -> int:
    return min(int(confidence * BINS), BINS - 1)


def _rounds(episode: Episode) -> Sequence[Any]:
    talk = episode.case["talk"]
    return () if talk is None else talk.rounds


def _opinions(episode: Episode) -> Iterator[Opinion[Any]]:
    for played in _rounds(episode):
        yield from played.opinions


def _own(case: ConsultationCase) -> Iterator[Opinion[Any]]:
    talk = case["talk"]
    (seat,) = case.setup.played(case)
    for played in talk.rounds if talk is not None else ():
        yield from (opinion for opinion in played.opinions if opinion.member == seat)


def _result(episode: Episode) -> Discussion[Any] | None:
    case = episode.case
    assert isinstance(case, ConsultationCase)
    return case.result()
