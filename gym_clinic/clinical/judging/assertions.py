"""What an encounter must have shown, decided from the chart and the structured answer.

An assertion of a gold is ``{"check": NAME, "text": SENTENCE, ...}`` with the fields of the check.
No check holds for an encounter in which nothing was done. Those marked (*) hold only if the
conclusion is right, so that what fits every patient earns nothing by itself.

* ``treated_before_harm``: the first problem was treated before lasting harm.
* ``read_all`` {"keys": [...]}, ``read_any`` {"keys": [...]}: what was read before the answer.
* ``ordered_any`` {"actions": [...]}: one of them was carried out, prescribed or advised.
* (*) ``read_before_treating`` {"keys": [...], "actions": [...]}: these were read, and one of the
  actions was ordered or advised.
* ``in_differential`` {"diseases": [...]}: the differential names one of them.
* ``cited`` {"finding": key, "present": bool}: it is cited rightly.
* (*) ``excluded`` {"disease": id, "keys": [...]}: another disease is the diagnosis, and one of the
  keys, which tell the two apart, was read.
* (*) ``followed_up``: a follow-up is given and at least one finding is cited rightly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from gym_clinic.clinical.naming import disease_named, fulfils

if TYPE_CHECKING:
    from gym_clinic.clinical.judging.judge import JudgedEpisode

AssertionCheck = Callable[["JudgedEpisode", Mapping[str, Any]], bool]


def _treated(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    found = judged.case.outcome().treatments
    return bool(found) and found[0].treated is not None and found[0].timing != "too late"


def _read_all(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    return all(judged.knows(key) for key in fields["keys"])


def _read_any(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    return any(judged.knows(key) for key in fields["keys"])


def _ordered(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    made = set(judged.answer.actions)
    for one in judged.case.orders.values():
        if one.cancelled is None:
            kinds = {"laboratory": "lab", "study": "study", "consult": "consult"}
            made |= {*one.actions, f"{kinds.get(one.kind, 'drug')}:{one.what}"}
    return any(fulfils(has, wanted) for has in made for wanted in fields["actions"])


def _read_before_treating(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    return judged.concluded and _read_all(judged, fields) and _ordered(judged, fields)


def _in_differential(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    return any(one in judged.answer.differential for one in fields["diseases"])


def _cited(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    return judged.cited.cites(fields["finding"], fields["present"], judged.facts)


def _excluded(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    stated = disease_named(str((judged.raw or {}).get("diagnosis") or ""))
    return judged.concluded and stated != fields["disease"] and _read_any(judged, fields)


def _followed_up(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    return judged.concluded and bool(judged.answer.follow_up) and bool(judged.cited.right)


CHECKS: Mapping[str, AssertionCheck] = {
    "treated_before_harm": _treated,
    "read_all": _read_all,
    "read_any": _read_any,
    "ordered_any": _ordered,
    "read_before_treating": _read_before_treating,
    "in_differential": _in_differential,
    "cited": _cited,
    "excluded": _excluded,
    "followed_up": _followed_up,
}
"""Name of a check -> the check."""
