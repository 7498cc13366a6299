"""Simulated patients keep every rule, and every rule notices what would break it."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import pytest
from patient_gates import GATES, Gate

from gym_clinic.errors import ConfigError
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient, presenting

FACTS = load()
CONDITIONS = [one.id for one in presenting(FACTS)]
WHOLE = 6_000
PARTS = 4
"""Workers may share them."""

Some = Callable[[Sequence[int]], Sequence[int]]


def patients(seeds: Iterable[int]) -> Iterator[ClinicPatient]:
    """Patients of every condition in turn."""
    return (draw_patient(seed, CONDITIONS[seed % len(CONDITIONS)]) for seed in seeds)


@pytest.fixture(scope="module")
def few() -> list[ClinicPatient]:
    return list(patients(range(2 * len(CONDITIONS))))


@pytest.mark.population
@pytest.mark.parametrize("part", range(PARTS))
def test_no_gate_fires_on_real_patients(request: pytest.FixtureRequest, part: int) -> None:
    count = WHOLE if request.config.getoption("--whole") else len(CONDITIONS)
    wrong: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for patient in patients(range(part, count, PARTS)):
        for gate in GATES:
            if found := gate.check(patient):
                wrong[gate.name] += 1
                where = f"seed {patient.seed}, {patient.problems[0].condition}"
                examples.setdefault(gate.name, f"{where}: {found}")
    assert examples == {}, wrong


@pytest.mark.parametrize("gate", GATES, ids=lambda gate: gate.name)
def test_each_gate_notices_its_mutation(gate: Gate, few: list[ClinicPatient]) -> None:
    mutants = [made for one in few if (made := gate.mutate(one)) is not None]
    assert len(mutants) >= 3
    silent = [one.seed for one in mutants if gate.check(one) is None]
    assert len(silent) <= len(mutants) // 10, silent


def test_there_are_thirty_gates() -> None:
    assert len(GATES) >= 30
    assert len({gate.name for gate in GATES}) == len(GATES)


def test_a_seed_gives_the_same_patient_in_every_process() -> None:
    code = (
        "from gym_clinic.simulate.clinic import draw_patient\n"
        "import json\n"
        "print(json.dumps([draw_patient(n).to_json() for n in range(5)]))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={"PYTHONHASHSEED": "7"},
    ).stdout  # fmt: skip
    assert json.loads(out) == json.loads(json.dumps([draw_patient(n).to_json() for n in range(5)]))


def test_patients_differ() -> None:
    shown = [json.dumps(draw_patient(n, CONDITIONS[0]).to_json()) for n in range(50)]
    assert len(set(shown)) == 50


def test_a_patient_is_copied_by_pickle(few: list[ClinicPatient]) -> None:
    again = pickle.loads(pickle.dumps(few[0]))
    assert again == few[0]
    assert again.state(90) == few[0].state(90)


def test_an_unknown_condition_is_named() -> None:
    with pytest.raises(ConfigError, match="did you mean 'acute-myocardial-infarction'"):
        draw_patient(0, "acute-myocardial-infraction")
    background = next(one.id for one in FACTS.conditions.values() if one.role == "background")
    with pytest.raises(ConfigError, match="background condition"):
        draw_patient(0, background)
