"""Format .5 and accuracy 1, by which both doctors are trained.

Source: MMedAgent-RL, section 3.3 and table 4.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from gym_clinic.domains.mmedagent.curriculum import Level, difficulty
from gym_clinic.errors import ConfigError

__all__ = [
    "ACCURACY",
    "FORMAT",
    "Level",
    "accuracy",
    "chosen_option",
    "difficulty",
    "format_kept",
    "reward",
    "stated_answer",
]

FORMAT, ACCURACY = 0.5, 1.0
"""What the right format and the right answer are worth."""

ANSWER_LIMIT = 2_000
"""Characters of an answer that are read."""

_TAGS = ("<think>", "</think>", "<answer>", "</answer>")
_THOUGHT = re.compile(r"<think>(?:(?!<think>).)*?</think>", re.DOTALL)
_ANSWER = re.compile(r"<answer>((?:(?!<answer>).)*?)</answer>", re.DOTALL)
_LABELLED = re.compile(
    r"(?:(?:the )?(?:answer|option|choice)(?: is)?\s*:?\s*)?"
    r"(?:\(([a-z])\)|([a-z])(?=$|\s*[.):,\-]))\s*[.):,\-]?\s*(.*)",
    re.DOTALL,
)
_EDGES = " \t\r\n.,;:!\"'`*"


def format_kept(text: str) -> bool:
    """Return whether a text is one ``<think>`` block, then one ``<answer>`` block, and no more."""
    if any(text.count(tag) != 1 for tag in _TAGS):
        return False
    places = [text.index(tag) for tag in _TAGS]
    if places != sorted(places):
        return False
    between = text[places[1] + len("</think>") : places[2]]
    after = text[places[3] + len("</answer>") :]
    return not (text[: places[0]] + between + after).strip()


def stated_answer(text: str) -> str | None:
    """Return what stands in the answer block, outside thoughts; None without exactly one answer.

    Several blocks that say the same count as one: naming many answers is naming none.
    """
    said = {_plain(found) for found in _ANSWER.findall(_without_thoughts(text))}
    return said.pop() if len(said) == 1 else None


def chosen_option(answer: str, options: Mapping[str, str]) -> str | None:
    """Return the label of the option that an answer names; None if it names none, or several.

    An answer is a label (``B``, ``(b)``, ``B.``), the text of an option, or both, which must then
    agree: "B. yes" is no answer where B is "no". Case, blanks and the full stop do not matter.

    Args:
        answer: What stands in the answer block.
        options: Label -> text.
    """
    said = _plain(answer[:ANSWER_LIMIT])
    texts = {label: _plain(text) for label, text in options.items()}
    labels = {_plain(label): label for label in options}
    if said in labels:
        return labels[said]
    if both := [name for folded, name in labels.items() if said == f"{folded} {texts[name]}"]:
        return both[0]
    if same := [label for label, text in texts.items() if text == said]:
        return same[0] if len(same) == 1 else None
    read = _LABELLED.fullmatch(said)
    if read is None:
        return None
    label = labels.get(read[1] or read[2])
    rest = _plain(read[3])
    return label if label is not None and rest in ("", texts[label]) else None


def accuracy(text: str, options: Mapping[str, str], gold: str) -> float:
    """Return 1 for the right answer, else 0; the format does not matter."""
    answer = stated_answer(text)
    return float(answer is not None and chosen_option(answer, options) == gold)


def reward(text: str, options: Mapping[str, str], gold: str) -> float:
    """Return the reward of a reply: .5 for the format, 1 for the right answer.

    Args:
        text: The whole reply.
        options: Label -> text.
        gold: Label of the right option.

    Raises:
        ConfigError: If the gold is no label of the options.

    >>> reward("<think> x </think><answer> B. no </answer>", {"A": "yes", "B": "no"}, "B")
    1.5
    """
    if gold not in options:
        raise ConfigError(f"the gold is a label of the options, {sorted(options)}, not {gold!r}")
    return FORMAT * format_kept(text) + ACCURACY * accuracy(text, options, gold)


def _without_thoughts(text: str) -> str:
    return _THOUGHT.sub(" ", text)


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(folded.split()).strip(_EDGES)
