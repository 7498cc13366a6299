"""The gates of clinical tasks: good tasks pass, and each gate finds what it is for."""

from __future__ import annotations

import clinical_domain
import pytest
from clinical_mutations import MUTATIONS, with_gold

from gym_clinic.clinical.gates import GATES, GateContext, problems

DOMAIN = clinical_domain.domain()
TASKS = {task.id: task for task in DOMAIN.split("test")[:]}
CONTEXT = GateContext(DOMAIN, clinical_domain.JUDGE, "test", TASKS)


def test_generated_tasks_pass_every_gate() -> None:
    assert [one for task in TASKS.values() for one in problems(task, CONTEXT)] == []


def test_every_gate_has_a_mutation() -> None:
    assert MUTATIONS.keys() == GATES.keys()


@pytest.mark.parametrize("name", GATES)
def test_a_gate_finds_its_mutations(name: str) -> None:
    task = next(iter(TASKS.values()))
    for mutation in MUTATIONS[name]:
        assert list(GATES[name](mutation(task), CONTEXT))


def test_a_part_of_the_record_or_a_look_up_may_serve_instead() -> None:
    task = next(iter(TASKS.values()))
    keys = ("record:history:procedures", "lookup:what came before")
    group = {"keys": [keys[0]], "of": [{"finding": key, "present": True} for key in keys]}
    read = with_gold(task, read=[*task.gold["read"], keys[0]], instead=[group])
    assert list(GATES["instead"](read, CONTEXT)) == []
