"""Findings that the words of an examination name: no clause of it denies what the record has.

The words lie in ``sign_words.json``; authored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter

from gym_clinic.facts.records.models import Text
from gym_clinic.facts.typed_json import Strict

_BEFORE = re.compile(r"\b(no|not|nor|without|neither)\b[^;.]*$|\bnon-$", re.IGNORECASE)
_AFTER = re.compile(r"^\w*( \w+){0,2} (not|absent|impalpable)\b", re.IGNORECASE)
_NEVER = r"(?!)"


class SignWords(Strict):
    """How an examination names a finding.

    Attributes:
        words: Words of clauses that say it is there or, with a negation, that it is not.
        denied: Words that say that it is not there.
        only_denied: Whether only these do: a negation denies some form of it, such as an oedema of
            one part.
    """

    words: Text
    denied: Text = _NEVER
    only_denied: bool = False


class _Compiled(NamedTuple):
    words: re.Pattern[str]
    denied: re.Pattern[str]
    only_denied: bool


@lru_cache(maxsize=1)
def sign_words() -> Mapping[str, _Compiled]:
    """Return finding, by its name, -> its words."""
    text = Path(__file__).with_name("sign_words.json").read_bytes()
    table = TypeAdapter(dict[str, SignWords]).validate_json(text)
    return {
        name: _Compiled(
            re.compile(one.words, re.IGNORECASE),
            re.compile(one.denied, re.IGNORECASE),
            one.only_denied,
        )
        for name, one in table.items()
    }


def named(text: str) -> Iterator[tuple[str, str, bool]]:
    """Yield what a text names: the clause, the finding, and whether it is there.

    >>> list(named("soft, no splenomegaly"))
    [('no splenomegaly', 'Splenomegaly', False)]
    """
    for clause in text.split(", "):
        for name, one in sign_words().items():
            if one.denied.search(clause):
                yield clause, name, False
            elif word := one.words.search(clause):
                before, after = clause[: word.start()], clause[word.end() :]
                denied = _BEFORE.search(before) or _AFTER.search(after)
                if denied is None or not one.only_denied:
                    yield clause, name, denied is None


def as_found(text: str, has: Callable[[str], bool]) -> str:
    """Return the text without clauses that deny what the patient has.

    >>> as_found("soft, no splenomegaly", lambda finding: finding == "Splenomegaly")
    'soft'

    Args:
        text: What is noted of a part of the examination.
        has: Whether the patient has a finding, by its name.
    """
    wrong = {clause for clause, name, there in named(text) if not there and has(name)}
    return ", ".join(one for one in text.split(", ") if one not in wrong) if wrong else text
