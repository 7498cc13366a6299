"""The limits of an answer, as the submission tools of the clinical domains keep them."""

from __future__ import annotations

import time
from typing import Any

import clinical_domain
import gymnasium as gym
import pytest

from gym_clinic.catalog import unwrap
from gym_clinic.clinical.answer import MOST_CITED, MOST_DISEASES, MOST_ORDERS, MOST_TEXT
from gym_clinic.clinical.naming import LONGEST
from gym_clinic.registration import IDS

CITED = {"finding": "vital:sbp", "present": False}
LIMITS: tuple[tuple[str, Any, int], ...] = (
    ("cited_findings", CITED, 2 * MOST_CITED),
    ("orders", {"order": "oxygen"}, MOST_ORDERS),
    ("differential", "asthma", MOST_DISEASES),
)
ANSWER = {"diagnosis": "MI", "disposition": "home"}


def submit(**fields: Any) -> tuple[str, bool]:
    """The observation of an answer, and whether it was accepted."""
    env = unwrap(gym.make(clinical_domain.ID))
    env.reset(seed=0)
    call = {"name": "submit_answer", "arguments": {**ANSWER, **fields}}
    observation, _, accepted, *_ = env.step_calls([call])
    return observation, accepted


@pytest.mark.parametrize(("field", "item", "most"), LIMITS)
def test_a_list_beyond_its_limit_is_refused_with_the_limit(
    field: str, item: Any, most: int
) -> None:
    assert submit(**{field: [item] * most})[1]
    said, accepted = submit(**{field: [item] * (most + 1)})
    assert not accepted
    assert field in said
    assert f"at most {most}" in said


def test_a_text_beyond_its_limit_is_refused_with_the_limit() -> None:
    assert submit(cited_findings=[{"finding": "x" * LONGEST}])[1]
    said, accepted = submit(cited_findings=[{"finding": "x" * (LONGEST + 1)}])
    assert not accepted
    assert f"at most {LONGEST}" in said
    assert submit(follow_up="x" * MOST_TEXT)[1]
    assert not submit(follow_up="x" * (MOST_TEXT + 1))[1]


@pytest.mark.parametrize("value", ["yes", "true", 1, "no"])
def test_presence_is_a_boolean_and_nothing_like_one(value: Any) -> None:
    said, accepted = submit(cited_findings=[{"finding": "vital:sbp", "present": value}])
    assert not accepted
    assert "present" in said


def test_a_flood_of_entries_is_refused_at_once() -> None:
    begun = time.perf_counter()
    flood = ["a" * 100] * 200_000
    assert not submit(differential=flood)[1]
    assert time.perf_counter() - begun < 2


@pytest.mark.parametrize("name", ["ClinicalDiagnosis", "TriageEmergency", "DrugInteraction"])
def test_every_list_of_citations_that_ships_has_its_limit(name: str) -> None:
    assert f"clinic/{name}-v0" in IDS
    env = unwrap(gym.make(f"clinic/{name}-v0"))
    schema = next(one.schema for one in env.domain.tools if one.submits)
    fields = schema["function"]["parameters"]["properties"]
    assert fields["cited_findings"]["maxItems"] == 2 * MOST_CITED
    for field, most in (("differential", MOST_DISEASES), ("orders", MOST_ORDERS)):
        assert fields.get(field, {"maxItems": most})["maxItems"] == most
    assert fields.get("follow_up", {"maxLength": MOST_TEXT})["maxLength"] == MOST_TEXT
