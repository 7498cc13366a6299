"""A case without a text of its own, in words: age, sex, findings and what is absent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from gym_clinic import strict_json
from gym_clinic.facts.passages.sentences import inside
from gym_clinic.retrieval import PatientCase

MOST_ABSENT = 12
"""Absent findings that are told at most."""


def present(case: PatientCase, findings: Sequence[str], absent: Sequence[str]) -> str:
    """Return the presentation of a coded case; the same case gives the same text.

    Args:
        case: The patient, whose id is the seed.
        findings: Names of the findings that are told.
        absent: Names of findings that are absent; some of them, if there are many.
    """
    forms, random = _forms(), Random(f"present:{case.id}")
    who = _who(case, random)
    parts = [random.choice(forms["present"]).format(who=who, findings=_listed(findings, "and"))]
    told = list(absent)
    if len(told) > MOST_ABSENT:
        told = random.sample(told, MOST_ABSENT)
    if told:
        parts.append(random.choice(forms["absent"]).format(findings=_listed(told, "or")))
    return " ".join((*parts, random.choice(forms["question"])))


@lru_cache(maxsize=1)
def _forms() -> dict[str, Any]:
    file = Path(__file__).with_name("presentation.json")
    forms: dict[str, Any] = strict_json.loads(file.read_text(encoding="utf-8"))
    return forms


def _who(case: PatientCase, random: Random) -> str:
    forms = _forms()
    age = re.match(r"P(\d+)([YMWD])", case.age) if case.age else None
    told = f"{int(age[1])}-{forms['units'][age[2]]}" if age else ""
    sex = forms["sexes"].get(case.sex, "")
    kind = "age_and_sex" if told and sex else "age" if told else "sex" if sex else "nothing"
    form: str = random.choice(forms["who"][kind])
    if not form.startswith("A {age}"):
        number, _, unit = told.partition("-")
        told = f"{number} {unit}{'s' * (number != '1')}" if told else ""
    text = form.format(age=told, sex=sex, sex_first=sex.capitalize())
    return re.sub(r"\bA (?=(8|11|18)\b|8\d\b)", "An ", text)


def _listed(names: Sequence[str], last: str) -> str:
    told = [inside(name) for name in names]
    if any("," in name for name in told):
        return "; ".join(told)
    return told[0] if len(told) == 1 else f"{', '.join(told[:-1])} {last} {told[-1]}"
