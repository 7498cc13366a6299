"""Orders as clinicians write them, resolved through the fact tables: synonyms, brands, routes.

Nothing is guessed: a name that the tables do not know, or that means two things, is None. Free
text is not searched for names, so that a list of keywords or a negated order names nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from gym_clinic.chart.catalogue import actions, find_among, find_procedure, find_study, find_test
from gym_clinic.errors import ToolError
from gym_clinic.facts import Facts, load, words
from gym_clinic.facts.named_drugs import classes_of, resolve
from gym_clinic.facts.records.drugs import CLASS

LONGEST = 120
"""Characters of a name at most."""

_SWAP = re.compile(
    r"^(?P<first>[^,;]+?) \(?(?:instead of|rather than|in place of|in lieu of) "
    r"(?P<other>[^,;]+?)\)?$",
    re.IGNORECASE,
)
"""An order that swaps one thing for another: the first is ordered."""

_SUPPLIED = {"oxygen": "oxygen", "saline": "fluids", "lactated-ringer": "fluids",
             "packed-red-cells": "blood"}  # fmt: skip
"""What is resolved as a drug and is a support -> the support."""

_PREFIXES = ("drug:", "class:", "procedure:", "study:", "lab:", "consult:", "pathway:")


def find_action(facts: Facts, name: str, route: str | None = None) -> str | None:
    """Return what an order means, in the words of treatments; None if nothing or unknown.

    "drug:aspirin", "procedure:chest-drain", "oxygen", "fluids", "blood", "lab:troponin",
    "study:ct-head", "consult:cardiology" or "pathway:stroke". What is applied to the skin may be
    another treatment than the drug by mouth: "diclofenac gel" is "procedure:topical-nsaid".
    """
    text = name.strip()
    if not text or len(text) > LONGEST:
        return None
    found = _action(facts.folder, text) or _action(facts.folder, undirected(text))
    phrases = order_phrases()
    bare = phrases.on_skin.sub(" ", text)
    if bare == text and route != "topical":
        return found
    drug = found or _action(facts.folder, undirected(bare)) or ""
    return next((one for key, one in phrases.applied.items() if fulfils(drug, key)), found)


def undirected(text: str) -> str:
    """Return an order without how much, how often and by whom: "start apixaban 10 mg BID".

    What is left must be a name, so that a negation stays one.

    >>> undirected("Mirtazapine 15 mg at night")
    'mirtazapine'
    """
    phrases = order_phrases()
    bare = text.casefold().partition(" then ")[0]
    for amount in phrases.amounts:
        bare = amount.sub(" ", bare)
    bare = " ".join(bare.split()).strip(" ,;:-()")
    while (less := phrases.direction.sub("", bare).strip(" ,;:-()")) not in (bare, ""):
        bare = less
    return bare


class OrderPhrases(NamedTuple):
    """How clinicians write orders, from ``orders.json``.

    Attributes:
        direction: What an order may begin or end with.
        amounts: How much and how often.
        others: Plain name -> the support or drug that is meant.
        on_skin: What says that a drug is applied to the skin.
        applied: Class of drugs -> what they are there.
    """

    direction: re.Pattern[str]
    amounts: tuple[re.Pattern[str], ...]
    others: Mapping[str, str]
    on_skin: re.Pattern[str]
    applied: Mapping[str, str]


@lru_cache(maxsize=1)
def order_phrases() -> OrderPhrases:
    """Return how orders are written."""
    file = Path(__file__).with_name("orders.json")
    table: dict[str, Any] = json.loads(file.read_text("utf-8"))
    before, after = (
        "|".join(re.escape(one) for one in sorted(table[part], key=len, reverse=True))
        for part in ("before", "after")
    )
    named = {**table["support"], **table["meant"]}
    return OrderPhrases(
        re.compile(rf"^(?:{before})\s+|\s+(?:{after})$"),
        tuple(re.compile(one, re.I) for one in table["amounts"]),
        {plain(name): key for key, names in named.items() for name in names},
        re.compile(table["on skin"], re.I),
        table["applied"],
    )


@lru_cache(maxsize=1 << 13)
def _action(folder: Any, text: str) -> str | None:
    facts = load(folder)
    if (swap := _SWAP.match(text)) is not None:
        return _action(folder, swap["first"]) if _action(folder, swap["other"]) else None
    kind, _, rest = text.partition(":")
    if f"{kind}:" in _PREFIXES:
        text = rest.strip()
    if (other := order_phrases().others.get(plain(text))) and kind not in _KINDS:
        return other
    if kind == "class":
        return f"{CLASS}{text}" if text in facts.drug_classes else None
    if (kind == "drug" or kind not in _KINDS) and (drug := resolve(text)) is not None:
        made = "+".join(drug.ingredients)
        return _SUPPLIED.get(made, f"drug:{made}")
    for name_of, finder in _KINDS.items():
        if kind in (name_of, text) or kind not in _KINDS:
            found = finder(facts, text)
            if found is not None:
                return f"{name_of}:{found}"
    return None


def tried(finder: Any, *arguments: Any) -> str | None:
    """Return what a finder of names finds; None if it knows none."""
    try:
        return str(finder(*arguments))
    except ToolError:
        return None


_KINDS: Mapping[str, Any] = {
    "drug": lambda facts, text: None,
    "procedure": lambda facts, text: tried(find_procedure, facts, text),
    "study": lambda facts, text: tried(find_study, facts, text),
    "lab": lambda facts, text: tried(find_test, facts, text),
    "consult": lambda facts, text: tried(find_among, text, actions().consult.services, "service"),
    "pathway": lambda facts, text: tried(find_among, text, actions().pathways, "pathway"),
}


@lru_cache(maxsize=1 << 14)
def fulfils(action: str, wanted: str) -> bool:
    """Return whether an action is what is wanted: itself, or a drug of a class.

    >>> fulfils("drug:ramipril", "class:ace-inhibitor")
    True
    """
    if action == wanted:
        return True
    if wanted.startswith(CLASS) and action.startswith("drug:"):
        group = wanted.removeprefix(CLASS)
        return any(group in classes_of(one) for one in action.removeprefix("drug:").split("+"))
    return wanted.startswith("drug:") and wanted.removeprefix("drug:") in action.removeprefix(
        "drug:"
    ).split("+")


@lru_cache(maxsize=1 << 14)
def plain(name: str) -> str:
    """Return the words of a name in a uniform spelling."""
    return " ".join(words(name[: 2 * LONGEST]))
