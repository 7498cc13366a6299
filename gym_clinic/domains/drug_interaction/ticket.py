"""The request that opens a review."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from gym_clinic.chart.record import patient_id
from gym_clinic.domains.drug_interaction.checks.formulary import indications
from gym_clinic.domains.drug_interaction.lists.review import LIST, asked_drug
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.grammar import read_pools
from gym_clinic.simulate.split import Split, of_split

ROUTES = {"po": "by mouth", "sl": "under the tongue", "sc": "under the skin", "iv": "into a vein",
          "topical": "as an oral gel"}  # fmt: skip


@lru_cache(maxsize=1)
def _pools() -> dict[str, list[str]]:
    found = read_pools(Path(__file__).with_name("requests.txt"))
    return {name: [one.text for one in entries] for name, entries in found.pools.items()}


def times(per_day: float) -> str:
    """Return how often a drug is given, in words.

    >>> times(0.143), times(2)
    ('once a week', 'twice a day')
    """
    if per_day < 0.01:
        return "once a year"
    if per_day < 1:
        return "once a week"
    return {1.0: "once a day", 2.0: "twice a day"}.get(per_day, f"{per_day:g} times a day")


def dose_in_words(question: Mapping[str, Any]) -> str:
    """Return the proposed drug with dose, times and route."""
    name = load().drugs[question["drug"]].name.lower()
    most = "up to " if indications()[question["indication"]].as_needed else ""
    dose = f"{question['dose']:g} {question['unit']} {most}{times(question['per_day'])}"
    return f"{name} {dose} {ROUTES[question['route']]}"


def ticket_of(record: Mapping[str, Any], patient: ClinicPatient) -> str:
    """Return the ticket of a review: who, what is asked; nothing of the problems."""
    question = record["question"]
    drug, split = asked_drug(question), record["split"]
    random = Random(f"{patient.seed}:{drug}:request")
    pools = ("list", "who", "list_task") if drug == LIST else ("request", "who", "task")
    drawn = [_drawn(name, split, random) for name in pools]
    text = drawn[0].format(
        name=patient.person.name,
        age=f"{patient.person.age:g}",
        id=patient_id(record["seed"]),
        drug="" if drug == LIST else dose_in_words(question),
        why="" if drug == LIST else indications()[question["indication"]].why,
        who=drawn[1],
    )
    return f"{_capitals(text)}\n\n{drawn[2]}"


def _drawn(pool: str, split: Split, random: Random) -> str:
    return random.choice(of_split(f"request.{pool}", _pools()[pool], split))


def _capitals(text: str) -> str:
    """A capital at the start of each sentence.

    >>> _capitals("the registrar asks. the drug is new.")
    'The registrar asks. The drug is new.'
    """
    return re.sub(r"(?:^|[.?!] )[a-z]", lambda start: start[0].upper(), text)
