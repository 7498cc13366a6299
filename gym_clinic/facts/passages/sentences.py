"""Sentences of the handbook: names inside a sentence, lists, phrases and American spellings.

No phrase needs agreement of number: a list comes after a colon, or after a verb whose subject is in
the phrase.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

_SPELLING = json.loads(Path(__file__).with_name("spelling.json").read_text(encoding="utf-8"))
_PHRASES = json.loads(Path(__file__).with_name("phrases.json").read_text(encoding="utf-8"))
_PROPER = frozenset(_SPELLING["proper_first_words"])
_DRUGS: dict[str, str] = _SPELLING["american_drug_names"]
_PATTERNS = [(re.compile(british), us) for british, us in _SPELLING["american_patterns"]]


@lru_cache(maxsize=1 << 14)
def inside(name: str) -> str:
    """Return a name as it stands inside a sentence; proper names and initials keep their capital.

    >>> inside("Chest pain"), inside("Crohn disease"), inside("X-linked rickets")
    ('chest pain', 'Crohn disease', 'X-linked rickets')
    >>> inside("Alpha-1 antitrypsin deficiency"), inside("Down-sloping shoulders"), inside("HbA1c")
    ('alpha-1 antitrypsin deficiency', 'down-sloping shoulders', 'HbA1c')
    """
    first = name.split(" ", 1)[0]
    head, *rest = re.split("[-/]", first)
    stem = head.removesuffix("'s").rstrip(",")
    # "Down syndrome" and "Budd-Chiari", but not "Down-sloping".
    proper = stem in _PROPER and (not rest or rest[0][:1].isupper())
    # "Alpha-1" and "Anti-CCP" begin with a word, "HbA1c" and "X-linked" do not; "A" is the article.
    word = head == "A" or (len(head) > 1 and head[1:].islower())
    return name[0].lower() + name[1:] if word and not proper else name


def american_spellings(text: str) -> list[str]:
    """Return the American spellings of a text's British words that the text does not contain.

    >>> american_spellings("Haemolytic anaemia, and angioedema after adrenaline; hemolytic shock")
    ['anemia', 'epinephrine']
    """
    words = re.findall(r"[a-z]+", text.casefold())
    known = set(words)
    return list(dict.fromkeys(form for word in words if (form := _american(word)) not in known))


@lru_cache(maxsize=1)
def british_drugs() -> Mapping[str, str]:
    """Return American name of a drug -> the one that the tables have.

    >>> british_drugs()["acetaminophen"]
    'paracetamol'
    """
    return {american: british for british, american in _DRUGS.items()}


@lru_cache(maxsize=1 << 15)
def _american(word: str) -> str:
    word = _DRUGS.get(word, word)
    for british, american in _PATTERNS:
        word = british.sub(american, word)
    return word


def listed(items: Sequence[str]) -> str:
    """Join the items of a list; those with commas of their own are parted by semicolons.

    >>> listed(["fever", "cough", "chest pain"]), listed(["a, b", "c"])
    ('fever, cough and chest pain', 'a, b; and c')
    """
    if len(items) < 2:
        return "".join(items)
    if any("," in item or " and " in item for item in items):
        return "; ".join(items[:-1]) + "; and " + items[-1]
    return ", ".join(items[:-1]) + " and " + items[-1]


def about(wording: str, items: Sequence[str], **names: str) -> str:
    """Return a sentence about a list; nothing if the list is empty.

    >>> about("Consider also {}.", ["asthma", "croup"]), about("Consider also {}.", [])
    ('Consider also asthma and croup.', '')
    """
    return wording.format(listed(items), **names) if items else ""


def phrase(*kind: str, key: str, items: Sequence[str], **names: str) -> str:
    """Return a sentence about a list, in one of the wordings of ``phrases.json``.

    Args:
        kind: The keys that lead to the wordings.
        key: Chooses among them; the same key chooses the same one on every machine.
        items: The list.
        names: Further words of the sentence.
    """
    wordings = _PHRASES
    for part in kind:
        wordings = wordings[part]
    return about(pick(wordings, key), items, **names)


def pick(options: Sequence[str], key: str) -> str:
    """Choose an option; the same key chooses the same one on every machine."""
    digest = hashlib.sha256(key.encode()).digest()
    return options[int.from_bytes(digest[:4], "big") % len(options)]
