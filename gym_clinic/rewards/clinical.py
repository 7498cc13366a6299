"""The five-dimensional reward of Healthcare AI GYM: its formulas, apart from any domain.

Source:
    "Healthcare AI GYM for Medical Agents", section 3 and appendix A.5. Where the paper is silent:
    a violation of severity 4 takes its penalty once and before the cap, coverage matches expected
    actions and calls one to one, and thoroughness compares with the names that are expected.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypedDict

from gym_clinic import strict_json
from gym_clinic.errors import ConfigError
from gym_clinic.rewards.process import signature

WEIGHTS: Mapping[str, float] = {"acc": 0.25, "proc": 0.20, "safe": 0.20, "fmt": 0.10, "coh": 0.10}
"""Dimension -> weight: accuracy, process, safety, format, coherence."""

ASSERTION = 0.15
"""Weight of assertions, where a task has some."""

CRITICAL, SEVERE = 5, 4
"""Severities that cap the total, and that lower it."""

CAP, PENALTY = 0.1, 0.3
"""Most that an episode with a critical violation earns, and what a severe one takes."""

CallArguments = tuple[str, Mapping[str, Any]]
"""Name and arguments of a call that was made or is expected."""

_FENCE = re.compile(r"```(?:\w+)?\s*\n(.*?)\n?\s*```", re.DOTALL)
_WORD = re.compile(r"\w+(?:['’]\w+)?")


class TextRubric(TypedDict, total=False):
    """What the text of an answer must hold; a part that is missing is not judged.

    Attributes:
        text: The text.
        called: Names of the tools that were called.
        required_elements: Words or phrases that the text must have.
        required_tools: Tools that must have been called.
        forbidden: Words or phrases that the text must not have.
    """

    text: str
    called: Collection[str]
    required_elements: Sequence[str]
    required_tools: Sequence[str]
    forbidden: Sequence[str]


def five_d(
    R: Mapping[str, float],
    assertion: float | None = None,
    severities: Collection[int] = (),
    renormalize: bool = False,
    per_violation: bool = False,
) -> float:
    """Return the total reward, at most 1.

    ``sum of w_j R_j``, less .3 for severe violations, then at most .1 with a critical one.

    Args:
        R: Dimension -> its score, 0 to 1: "acc", "proc", "safe", "fmt" and "coh".
        assertion: Score of the assertions, 0 to 1; None where a task has none.
        severities: Severity of each violation, 1 (minor) to 5 (critical).
        renormalize: Whether, without assertions, the other weights are scaled to add up to 1;
            as printed they add up to .85.
        per_violation: Whether each severe violation takes .3, instead of all together.

    Raises:
        ConfigError: For a dimension that is missing or unknown, a score that is no number from 0
            to 1, or a severity outside 1 to 5.
    """
    if R.keys() != WEIGHTS.keys():
        raise ConfigError(f"R has the dimensions {sorted(WEIGHTS)}, not {sorted(R)}")
    scores = {**R, **({} if assertion is None else {"assertion": assertion})}
    for name, score in scores.items():
        if not 0 <= score <= 1:
            raise ConfigError(f"{name} is a number from 0 to 1, not {score!r}")
    if wrong := sorted({one for one in severities if one not in range(1, CRITICAL + 1)}):
        raise ConfigError(f"a severity is a whole number from 1 to {CRITICAL}, not {wrong[0]!r}")
    total = sum(weight * R[name] for name, weight in WEIGHTS.items())
    if assertion is not None:
        total += ASSERTION * assertion
    elif renormalize:
        total /= math.fsum(WEIGHTS.values())
    severe = sum(one == SEVERE for one in severities)
    total -= PENALTY * (severe if per_violation else min(severe, 1))
    return min(total, CAP) if CRITICAL in severities else total


def process_score(
    calls: Sequence[CallArguments],
    expected: Sequence[CallArguments],
    rubric: TextRubric | None = None,
) -> float:
    """Return the quality of the process, 0 to 1.

    60% coverage, 20% diversity (different calls in all calls) and 20% thoroughness (different
    tools called, against those expected); with a rubric this counts 30% and the rubric 70%.

    Args:
        calls: The calls that were made.
        expected: The calls that are expected, each with the arguments that are compared.
        rubric: What the text must hold.
    """
    named = {name for name, _ in expected}
    coverage = matched(calls, expected) / len(expected) if expected else 1.0
    diversity = len({signature(*call) for call in calls}) / len(calls) if calls else 0.0
    thoroughness = min(1.0, len({name for name, _ in calls}) / len(named)) if named else 1.0
    base = 0.6 * coverage + 0.2 * diversity + 0.2 * thoroughness
    judged = None if rubric is None else rubric_score(rubric)
    return base if judged is None else 0.7 * judged + 0.3 * base


def matched(calls: Sequence[CallArguments], expected: Sequence[CallArguments]) -> int:
    """Return how many expected calls were made, each matched to a call of its own.

    A call matches if it has the name and all compared arguments; further arguments are free. The
    matching is the largest, so that the order of the calls does not matter.
    """
    made: dict[str, list[int]] = {}
    for number, (name, _) in enumerate(calls):
        made.setdefault(name, []).append(number)
    fits = [
        [number for number in made.get(name, ()) if _fulfils(calls[number][1], wanted)]
        for name, wanted in expected
    ]
    taken: dict[int, int] = {}  # call -> the expected one that has it

    def place(wanted: int, tried: set[int]) -> bool:
        for number in fits[wanted]:
            if number not in tried:
                tried.add(number)
                if number not in taken or place(taken[number], tried):
                    taken[number] = wanted
                    return True
        return False

    return sum(place(wanted, set()) for wanted in range(len(expected)))


def _fulfils(arguments: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(
        key in arguments and signature("", arguments[key]) == signature("", value)
        for key, value in wanted.items()
    )


def rubric_score(rubric: TextRubric) -> float | None:
    """Return the mean of the parts that a rubric has, 0 to 1; None if it has none.

    The parts are the share of required elements in the text, the share of required tools among
    those called, and the share of forbidden elements that are not in the text. Elements are
    found as whole words, whatever their case.
    """
    words = _words(rubric.get("text", ""))
    parts = []
    if elements := rubric.get("required_elements"):
        parts.append(sum(_has(words, one) for one in elements) / len(elements))
    if tools := rubric.get("required_tools"):
        called = set(rubric.get("called", ()))
        parts.append(sum(one in called for one in tools) / len(tools))
    if forbidden := rubric.get("forbidden"):
        parts.append(1 - sum(_has(words, one) for one in forbidden) / len(forbidden))
    return sum(parts) / len(parts) if parts else None


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _has(words: Sequence[str], element: str) -> bool:
    wanted = _words(element)
    places = range(len(words) - len(wanted) + 1)
    return bool(wanted) and any(words[at : at + len(wanted)] == wanted for at in places)


def format_score(text: str, final: bool) -> float:
    """Return how well a message keeps the format.

    1 for a JSON object with a name and arguments, .8 for one in a code block, .5 for an object
    that has part of it, else 0. A final answer scores 1 if it has more than 10 characters, else 0.

    Args:
        text: The message.
        final: Whether it is the final answer.
    """
    if final:
        return float(len(text.strip()) > 10)
    whole = _call_in(text)
    fenced = max((_call_in(block) for block in _FENCE.findall(text)), default=0.0)
    return max(whole, 0.8 if fenced == 1 else fenced)


def _call_in(text: str) -> float:
    """1 for a text that is a call, .5 for an object with a part of one, else 0."""
    try:
        found = strict_json.loads(text.strip())
    except ValueError:
        return 0.0
    if not isinstance(found, dict) or not found.keys() & {"name", "arguments"}:
        return 0.0
    complete = isinstance(found.get("name"), str) and isinstance(found.get("arguments"), dict)
    return 1.0 if complete else 0.5
