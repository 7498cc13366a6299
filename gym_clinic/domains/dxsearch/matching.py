"""Strict matching of diagnoses: the gold name, refined by permissible clinical variations only.

Names are compared as runs of tokens, without regard to case and punctuation. There is no fuzzy
match: another spelling or a synonym counts only where the taxonomy links it, as a further gold
name.

Source:
    Deep-DxSearch paper, A.6.2.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from gym_clinic import strict_json

_TOKEN = re.compile(r"[^\W_]+")
_TYPED, _NUMBERS = "type", "number"


@lru_cache(maxsize=1)
def _modifiers() -> dict[str, frozenset[str]]:
    """Axis -> the words of it; numbers count only beside a word of the axis "type"."""
    file = Path(__file__).with_name("modifiers.json")
    table: dict[str, list[str]] = strict_json.loads(file.read_text(encoding="utf-8"))
    return {axis: frozenset(words) for axis, words in table.items()}


def tokens(name: str) -> list[str]:
    """Return the words and numbers of a name, case-folded.

    >>> tokens("Diabetes mellitus, Type II")
    ['diabetes', 'mellitus', 'type', 'ii']
    """
    return _TOKEN.findall(name.casefold())


def strict_match(candidate: str, gold: str) -> bool:
    """Whether a candidate is the gold disease, or a permissible variation of it.

    Args:
        candidate: A diagnosis as it was written.
        gold: A name of the disease.

    >>> strict_match("gout-acute", "gout"), strict_match("gouty arthritis", "gout")
    (True, False)
    """
    words, wanted = tokens(candidate), tokens(gold)
    if not wanted:
        return False
    length = len(wanted)
    return any(
        words[start : start + length] == wanted
        and _permissible(words[:start])
        and _permissible(words[start + length :])
        for start in range(len(words) - length + 1)
    )


def _permissible(words: list[str]) -> bool:
    axes = _modifiers()
    numbered = False
    for word in words:
        if word in axes[_TYPED]:
            numbered = True
        elif numbered and (word in axes[_NUMBERS] or word.isdecimal()):
            continue
        elif not any(word in axes[axis] for axis in axes if axis != _NUMBERS):
            return False
    return True


def mentions(text: str, name: str) -> bool:
    """Whether a text has the words of a name in a row."""
    words, wanted = tokens(text), tokens(name)
    return any(words[n : n + len(wanted)] == wanted for n in range(len(words) - len(wanted) + 1))


def token_recall(term: str, gold: str) -> float:
    """Return the share of the tokens of a name that a term has, from 0 to 1."""
    wanted = set(tokens(gold))
    return len(wanted & set(tokens(term))) / len(wanted) if wanted else 0.0


def token_f1(candidate: str, gold: str) -> float:
    """Return the F1 of two names as sets of tokens, from 0 to 1."""
    words, wanted = set(tokens(candidate)), set(tokens(gold))
    return 2 * len(words & wanted) / (len(words) + len(wanted)) if words or wanted else 0.0
