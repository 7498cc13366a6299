"""Figures in prose: whether two groups that a sentence compares differ."""

from __future__ import annotations

import re

APART = 0.3
"""Two shares differ if they are this far apart."""

FOLD = 1.25
"""Two measurements differ if one is this many times the other."""

_ASIDES = re.compile(
    r"\((?!\d+ units)[^)]*\)|\b(?:by|at|within|after|up to) \d+ (?:days|weeks|months|hours|years)\b"
    r"|\b(?:refs?\.|figures?|figs?\.|tables?) \d+(?:, \d+)*|\b\d+ (?:days|weeks|months|hours|"
    r"years|molecules? of|other|healthy|normal|donors|controls|replicates|readers|batches|organs)\b"
)
_SHARE = re.compile(r"(\d+) of (?:the |a )?(\d+)(?![.\d])")
_EACH = re.compile(r"\b(\d+) (?:of )?each\b.*?\b(\d+) and (\d+)\b")
_PRODUCT = re.compile(
    r"\bboth,? (\d+)%.*?(?:product|expected|expectation|sum|should)\D*?(\d+)%", re.DOTALL
)
_NUMBER = re.compile(r"(?<![\w.-])(\d+(?:\.\d+)?)(?![\w]|\.\d|-)")
_AS_MANY = re.compile(r"\bas many with\b|\b(\d+) with [\w ]+ and \1 with\b")
_BRACKETS = re.compile(r" ?\([^)]*\)")
_LEVEL = re.compile(
    r"(?:came to|stood at|was|were|was at|were at|reached|stayed at) (\d+(?:\.\d+)?)"
    r"(?:% (?:of|in)| for | with | times (?:the|those))"
)


def differ(plain: str) -> bool | None:
    """Whether two groups differ by the figures of a sentence; None if it compares none.

    >>> differ("2 of 17 with the copy and 16 of 17 without it had cysts")
    True
    >>> differ("the two came to 101 and 99")
    False
    """
    bare = _ASIDES.sub(" ", plain)
    if _AS_MANY.search(bare):
        return False
    shares = [int(part) / int(whole) for part, whole in _SHARE.findall(bare) if int(whole)]
    if len(shares) > 1:
        return abs(shares[0] - shares[1]) >= APART
    if (each := _EACH.search(bare)) and int(each[1]):
        return abs(int(each[2]) - int(each[3])) / int(each[1]) >= APART
    figures = [float(figure) for figure in _NUMBER.findall(_SHARE.sub(" ", bare))]
    if len(figures) != 2 or min(figures) <= 0:
        return None
    return max(figures) / min(figures) >= FOLD


def against_product(plain: str) -> int | None:
    """Sign of what two genes lost together do beyond the product of single effects.

    Returns:
        -1 if fewer live than expected, 1 if more, 0 if as many; None without such figures.
    """
    found = _PRODUCT.search(_ASIDES.sub(" ", plain))
    if found is None:
        return None
    both, expected = int(found[1]), int(found[2])
    if abs(both - expected) < 15:
        return 0
    return -1 if both < expected else 1


def near_normal(plain: str) -> bool:
    """Whether a sentence puts what it measured within 15% of normal, or within 0.1 of onefold."""
    figures = [float(figure) for figure in _LEVEL.findall(_BRACKETS.sub("", plain))]
    return bool(figures) and all(85 <= one <= 115 or 0.9 <= one <= 1.1 for one in figures)
