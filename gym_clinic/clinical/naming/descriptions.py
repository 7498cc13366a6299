"""Diagnoses as clinicians write them: "acute inferior STEMI", "left MCA stroke", "severe DKA".

A description is a name with words that do not change which disease is meant (severity, side,
place, course; they lie in ``descriptions.json``), a cause ("due to ..."), a part in brackets or
after a comma. Where something that is in doubt or denied is named, or two diseases, nothing is
meant.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from gym_clinic.facts import stem, words

Lookup = Callable[[str], frozenset[str]]
"""Finds the diseases that a name means."""

_BRACKETS = re.compile(r"[(\[]([^)\]]*)[)\]]")
_PARTS = re.compile(r"[,;]")
_BETWEEN = re.compile(r"[,;()\[\]]|\band\b", re.I)
_SPECIFIED = re.compile(r"\s[-\u2013\u2014]\s|:\s")


class DiseaseWords(NamedTuple):
    """The table of words.

    Attributes:
        qualifiers: Stems of words that do not change which disease is meant.
        doubt: Pattern of what makes a name doubtful, denied or one of several.
        made_by: Pattern of a cause before the name ("alcohol-induced").
        cause: Pattern of what comes before a cause or a companion.
        names: Disease -> names that answers give it.
    """

    qualifiers: frozenset[str]
    doubt: re.Pattern[str]
    made_by: re.Pattern[str]
    cause: re.Pattern[str]
    names: Mapping[str, tuple[str, ...]]


@lru_cache(maxsize=1)
def disease_words() -> DiseaseWords:
    """Return the table of words."""
    file = Path(__file__).with_name("descriptions.json")
    table: dict[str, Any] = json.loads(file.read_text("utf-8"))
    stems = {stem(word) for one in table["qualifiers"] for word in words(one.replace("-", " "))}
    doubt, made_by, cause = (
        re.compile(table[part], re.I) for part in ("doubt", "made by", "cause")
    )
    names = {key: tuple(names) for key, names in table["names"].items()}
    return DiseaseWords(frozenset(stems), doubt, made_by, cause, names)


def described(text: str, named: Lookup) -> frozenset[str]:
    """Return the diseases that a description means; none if it is in doubt, or names several.

    Args:
        text: The description.
        named: Finds the diseases of a name, with or without qualifiers.
    """
    table = disease_words()
    if table.doubt.search(text):
        return frozenset()
    inner = _BRACKETS.findall(text)
    general, *special = _SPECIFIED.split(_BRACKETS.sub(" ", text))
    whole = " ".join(special) if special and _one(special, named) else general
    pieces = _PARTS.split(whole)  # "hand, foot and mouth disease" is a name
    of_name = (end for end in range(len(pieces), 1, -1) if named(",".join(pieces[:end])))
    end = next(of_name, 1)
    head, beside = ",".join(pieces[:end]), [*pieces[end:], *inner]
    # "Bleeding from an ulcer" may be a name, and no cause.
    main, *causes = [head] if named(head) else table.cause.split(table.made_by.sub(" ", head))
    if found := named(main):
        breaks = [*_BETWEEN.finditer(text)]
        parts = [*pieces, *inner, *(text[one.end() :] for one in breaks)]
        parts += [text[: one.start()] for one in breaks]
        return found if all(named(one) <= found for one in parts) else frozenset()
    others = _one(beside, named)
    return frozenset() if others is None else others or _one(causes, named) or frozenset()


def _one(texts: list[str], named: Lookup) -> frozenset[str] | None:
    """The disease that some texts name; empty if they name none, None if they name several."""
    found = frozenset(one for text in texts for one in named(text))
    return found if len(found) <= 1 else None
