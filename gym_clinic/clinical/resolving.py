"""Orders and evidence in an answer, resolved through the fact tables: synonyms, brands, routes.

Diseases and findings are resolved by :mod:`.naming`.

Nothing is guessed: a name that the tables do not know, or that means two things, is None. Free
text is not searched for names, so that a list of keywords or a negated order names nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from gym_clinic.chart.catalogue import (
    actions,
    find_among,
    find_procedure,
    find_study,
    find_test,
    sites,
)
from gym_clinic.clinical.naming import disease_named, finding_named
from gym_clinic.embedded import linker
from gym_clinic.errors import ToolError
from gym_clinic.facts import Facts, load, words
from gym_clinic.facts.named_drugs import classes_of, resolve, resolve_allergen
from gym_clinic.facts.records.drugs import CLASS

LONGEST = 120
"""Characters of a name at most."""

_ALLERGY = re.compile(
    r"^(?:allerg(?:y|ic) to (?P<to>.+)|(?P<of>.+?) allerg(?:y|ies)|allergy: (?P<as>.+))$", re.I
)
_SITE = re.compile(r"^(?:examination of (?:the )?|examination: )|\s+exam(?:ination)?$", re.I)
_PREGNANCY = ("pregnancy", "pregnant")
_HABITS = {"alcohol": "alcohol", "alcohol use": "alcohol", "alcohol consumption": "alcohol",
           "alcohol history": "alcohol", "drinking": "alcohol", "heavy drinking": "alcohol",
           "smoking": "smoking", "smoker": "smoking", "tobacco": "smoking",
           "tobacco use": "smoking"}  # fmt: skip
_SUPPORT = {"oxygen": "oxygen", "fluids": "fluids", "fluid": "fluids", "iv fluids": "fluids",
            "intravenous fluids": "fluids", "crystalloid": "fluids", "blood": "blood",
            "blood transfusion": "blood", "packed red cells": "blood"}  # fmt: skip
_SUPPLIED = {"oxygen": "oxygen", "saline": "fluids", "lactated-ringer": "fluids",
             "packed-red-cells": "blood"}  # fmt: skip
"""What is resolved as a drug and is a support -> the support."""

_PREFIXES = ("drug:", "class:", "procedure:", "study:", "lab:", "consult:", "pathway:")


def find_action(facts: Facts, name: str) -> str | None:
    """Return what an order means, in the words of treatments; None if nothing or unknown.

    "drug:aspirin", "procedure:chest-drain", "oxygen", "fluids", "blood", "lab:troponin",
    "study:ct-head", "consult:cardiology" or "pathway:stroke".
    """
    text = name.strip()
    return _action(facts.folder, text) if text and len(text) <= LONGEST else None


@lru_cache(maxsize=1 << 13)
def _action(folder: Any, text: str) -> str | None:
    facts = load(folder)
    kind, _, rest = text.partition(":")
    if f"{kind}:" in _PREFIXES:
        text = rest.strip()
    if (support := _SUPPORT.get(" ".join(words(text)))) and kind not in _KINDS:
        return support
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


def _tried(finder: Any, *arguments: Any) -> str | None:
    try:
        return str(finder(*arguments))
    except ToolError:
        return None


_KINDS: Mapping[str, Any] = {
    "drug": lambda facts, text: None,
    "procedure": lambda facts, text: _tried(find_procedure, facts, text),
    "study": lambda facts, text: _tried(find_study, facts, text),
    "lab": lambda facts, text: _tried(find_test, facts, text),
    "consult": lambda facts, text: _tried(find_among, text, actions().consult.services, "service"),
    "pathway": lambda facts, text: _tried(find_among, text, actions().pathways, "pathway"),
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


def find_evidence(facts: Facts, text: str) -> str | None:
    """Return the key of what a citation names (see :mod:`.seen`); None if it is unknown.

    A key itself, a measurement, a study, a part of the examination, "penicillin allergy", a
    finding by name, synonym or term, a medicine, a habit, a condition of the history, or
    "pregnancy".
    """
    text = text.strip()
    if not text or len(text) > LONGEST:
        return None
    return _evidence(facts.folder, text)


@lru_cache(maxsize=1 << 14)
def _evidence(folder: Any, text: str) -> str | None:
    facts = load(folder)
    kind, _, of = text.partition(":")
    of = of.strip()
    if kind in ("vital", "lab") and of in facts.measurements:
        return _measurement(facts, of)
    if kind in ("told", "finding") and of in facts.phenotypes:
        return f"told:{of}"
    if kind in ("study", "site", "medicine", "allergy", "condition", "habit") and of:
        text = f"{of} allergy" if kind == "allergy" else of
        if kind in ("site", "habit"):
            return f"{kind}:{of}"
        if kind == "condition":
            return None if (key := disease_named(of)) is None else f"condition:{key}"
    drug = resolve(text) if kind == "medicine" else None
    if drug is not None and len(drug.ingredients) == 1:
        return f"medicine:{drug.ingredients[0]}"
    if _plain(text) in _PREGNANCY:
        return "pregnancy"
    if kind != "medicine" and (habit := _HABITS.get(_plain(text))) is not None:
        return f"habit:{habit}"
    if (named := _ALLERGY.match(text)) is not None:
        reference = resolve_allergen(next(one for one in named.groups() if one))
        return f"allergy:{reference[0]}" if len(reference) == 1 else None
    if finding := finding_named(text):
        return f"told:{finding}"
    if (measured := _measurements(folder).get(_plain(text))) is not None:
        return _measurement(facts, measured)
    if (test := _tried(find_test, facts, text)) is not None and test in facts.measurements:
        return _measurement(facts, test)
    if (study := _tried(find_study, facts, text)) is not None:
        return f"study:{study}"
    if (drug := resolve(text)) is not None and len(drug.ingredients) == 1:
        return f"medicine:{drug.ingredients[0]}"
    if (finding := _linked(facts, text)) is not None:
        return f"told:{finding}"
    if (site := _SITE.sub("", text).strip().casefold()) in sites():
        return f"site:{site}"
    disease = disease_named(text)
    return None if disease is None else f"condition:{disease}"


def _measurement(facts: Facts, key: str) -> str:
    return f"{'vital' if facts.measurements[key].kind == 'vital' else 'lab'}:{key}"


def _linked(facts: Facts, text: str) -> str | None:
    """The one finding that a text states as present; None if it names several."""
    links = linker().link(text)
    return links[0].record.id if len(links) == 1 and links[0].status == "present" else None


@lru_cache(maxsize=2)
def _measurements(folder: Any) -> Mapping[str, str]:
    named = load(folder).measurements.items()
    return {_plain(name): key for key, one in named for name in (one.short, one.name, key)}


@lru_cache(maxsize=1 << 14)
def _plain(name: str) -> str:
    return " ".join(words(name[: 2 * LONGEST]))
