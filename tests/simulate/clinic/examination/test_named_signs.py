"""Nobody denies what the examination shows of them."""

from __future__ import annotations

from collections.abc import Iterator

import patient_named_signs
import pytest

from gym_clinic.facts import load
from gym_clinic.simulate.clinic import draw_patient, presenting
from gym_clinic.simulate.clinic.examination.named_signs import named, sign_words
from gym_clinic.simulate.clinic.telling import disclosure as plan

FACTS = load()


def contradictions(seeds: range) -> Iterator[str]:
    for condition in presenting(FACTS):
        for seed in seeds:
            patient = draw_patient(seed, condition.id)
            if found := patient_named_signs.denied_and_shown(patient):
                yield f"{condition.id} {seed}: {found}"


def test_nobody_denies_what_is_shown() -> None:
    assert [*contradictions(range(3))] == []


def test_a_plan_that_does_not_look_at_the_examination_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(plan, "named", lambda _: iter(()))
    assert len([*contradictions(range(1))]) >= 3


def test_the_table_names_findings() -> None:
    assert sign_words().keys() <= FACTS.finding_ids.keys()
    assert [*named("soft, spleen not felt")] == [("spleen not felt", "Splenomegaly", False)]
