"""What a citation names, resolved through the fact tables: findings, measurements, studies, drugs.

Nothing is guessed: a name that the tables do not know, or that means two things, is None.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from gym_clinic.chart.catalogue import find_study, find_test, sites
from gym_clinic.chart.talk.hearing import hearing_of
from gym_clinic.clinical.naming.diseases import disease_called, finding_named
from gym_clinic.clinical.naming.orders import LONGEST, plain, tried
from gym_clinic.embedded import linker
from gym_clinic.facts import Facts, load
from gym_clinic.facts.named_drugs import resolve, resolve_allergen

_ALLERGY = re.compile(
    r"^(?:allerg(?:y|ic) to (?P<to>.+)|(?P<of>.+?) allerg(?:y|ies)|allergy: (?P<as>.+))$", re.I
)
_SITE = re.compile(r"^(?:examination of (?:the )?|examination: )|\s+exam(?:ination)?$", re.I)
_PREGNANCY = ("pregnancy", "pregnant")
_HABITS = {"alcohol": "alcohol", "alcohol use": "alcohol", "alcohol consumption": "alcohol",
           "alcohol history": "alcohol", "drinking": "alcohol", "heavy drinking": "alcohol",
           "smoking": "smoking", "smoker": "smoking", "tobacco": "smoking",
           "tobacco use": "smoking"}  # fmt: skip


def find_evidence(facts: Facts, text: str) -> str | None:
    """Return the key of what a citation names (see :mod:`.seen`); None if it is unknown.

    A key itself, a measurement, a study, a part of the examination, "penicillin allergy", a
    finding by name, synonym or term, a medicine, a habit, a condition of the history, or
    "pregnancy".
    """
    found = named_evidence(facts, text)
    if found is None and 0 < len(text) <= LONGEST and (finding := _linked(facts, text)) is not None:
        return f"told:{finding}"
    return found


def named_evidence(facts: Facts, text: str) -> str | None:
    """Return the key of what a text names as a whole; None if it is unknown.

    `find_evidence` also knows texts in which the linker finds one finding that is there.
    """
    text = text.strip()
    return _evidence(facts.folder, text) if 0 < len(text) <= LONGEST else None


def evidence_name(facts: Facts, key: str) -> str:
    """Return what a key is called in words that an answer can cite; the key if there are none.

    >>> from gym_clinic.facts import load
    >>> evidence_name(load(), "vital:hr"), evidence_name(load(), "site:abdomen")
    ('heart rate', 'examination of the abdomen')
    """
    kind, _, of = key.partition(":")
    if kind == "told" and of in facts.phenotypes:
        name = facts.phenotypes[of].name
    elif kind in ("vital", "lab") and of in facts.measurements:
        name = facts.measurements[of].name
    elif kind == "site":
        name = cited_words().table["examination names"].get(of, f"examination of the {of}")
    else:
        name = of or key
    return name if find_evidence(facts, name) == key else key


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
            return None if (key := disease_called(of)) is None else f"condition:{key}"
    drug = resolve(text) if kind == "medicine" else None
    if drug is not None and len(drug.ingredients) == 1:
        return f"medicine:{drug.ingredients[0]}"
    if plain(text) in _PREGNANCY:
        return "pregnancy"
    if kind != "medicine" and (habit := _HABITS.get(plain(text))) is not None:
        return f"habit:{habit}"
    if (other := cited_words().others.get(plain(text))) is not None:
        return other
    if (named := _ALLERGY.match(text)) is not None:
        reference = resolve_allergen(next(one for one in named.groups() if one))
        return f"allergy:{reference[0]}" if len(reference) == 1 else None
    if (usual := cited_words().measurements.get(plain(text))) is not None:
        return _measurement(facts, usual)
    if finding := finding_named(text):
        return f"told:{finding}"
    if (measured := _measurements(folder).get(plain(text))) is not None:
        return _measurement(facts, measured)
    if (test := tried(find_test, facts, text)) is not None:
        return _measurement(facts, test) if test in facts.measurements else f"panel:{test}"
    if (study := tried(find_study, facts, text)) is not None:
        return f"study:{study}"
    if (drug := resolve(text)) is not None and len(drug.ingredients) == 1:
        return f"medicine:{drug.ingredients[0]}"
    site = _SITE.sub("", text).strip().casefold()
    if (site := cited_words().examinations.get(plain(site), site)) in sites():
        return f"site:{site}"
    if (named_score := _scores(folder).get(plain(text).removesuffix(" score"))) is not None:
        return f"score:{named_score}"
    disease = disease_called(text)
    return None if disease is None else f"condition:{disease}"


_HISTORY = re.compile(
    r"^(?:(?:past |medical )*history of|known|past|long-standing|condition|diagnosis of)\b:?\s*"
    r"|\s*\([^)]*\)$|\s+(?:in|on) (?:the )?(?:history|record)$",
    re.I,
)


def find_condition(text: str) -> str | None:
    """Return the key of the condition that a citation may mean, beside a finding of that name.

    >>> find_condition("Asthma"), find_condition("history of asthma"), find_condition("potassium")
    ('condition:asthma', 'condition:asthma', None)
    """
    if len(text) > LONGEST:
        return None
    disease = disease_called(_HISTORY.sub("", text.strip()).strip())
    return None if disease is None else f"condition:{disease}"


def _measurement(facts: Facts, key: str) -> str:
    return f"{'vital' if facts.measurements[key].kind == 'vital' else 'lab'}:{key}"


def _linked(facts: Facts, text: str) -> str | None:
    """The one finding that a text states as present, in terms or in a patient's words."""
    for known in (linker(), hearing_of(facts).linker):
        links = known.link(text)
        if links:
            return links[0].record.id if len(links) == 1 and links[0].status == "present" else None
    return None


class CitedWords(NamedTuple):
    """How clinicians name what they cite, from ``citing.json``; every name is in plain words.

    Attributes:
        measurements: Name -> measurement.
        examinations: Name -> part of the examination.
        others: Name -> key of what is no finding: who the patient is, what the record lists.
        table: The file, for words that are no names.
    """

    measurements: Mapping[str, str]
    examinations: Mapping[str, str]
    others: Mapping[str, str]
    table: Mapping[str, Any]


@lru_cache(maxsize=1)
def cited_words() -> CitedWords:
    """Return the names of what is cited."""
    table: dict[str, Any] = json.loads(Path(__file__).with_name("citing.json").read_text("utf-8"))
    named = (
        {plain(name): key for key, names in table[part].items() for name in names}
        for part in ("measurements", "examinations", "others")
    )
    measurements, examinations, others = named
    return CitedWords(measurements, examinations, others, table)


@lru_cache(maxsize=2)
def _scores(folder: Any) -> Mapping[str, str]:
    """Name or short name of each score -> its id."""
    found: dict[str, str] = {}
    for key, one in load(folder).instruments.items():
        long, _, short = one.name.partition("(")
        for name in (key.replace("_", " "), long, short.rstrip(")")):
            found.setdefault(plain(name), key)
    return {name: key for name, key in found.items() if name}


@lru_cache(maxsize=2)
def _measurements(folder: Any) -> Mapping[str, str]:
    named = load(folder).measurements.items()
    return {plain(name): key for key, one in named for name in (one.short, one.name, key)}
