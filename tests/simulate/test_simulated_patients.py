from __future__ import annotations

import hashlib
import itertools
import json
import subprocess
import sys
from collections import Counter
from dataclasses import asdict, replace

import pytest
from fact_tables import UNKNOWN as UNKNOWN_FREQUENCY
from fact_tables import authored, disease, phenotype, sourced, tables, write
from seeded_embedder import SeededEmbedder

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts import INCIDENCE, Facts, ancestors, load, most_specific, with_ancestors
from gym_clinic.facts import tables as fact_reading
from gym_clinic.paths import data_dir
from gym_clinic.retrieval import PatientCase, PatientMatcher
from gym_clinic.simulate.patients import (
    NEAR,
    TaskPatient,
    embedded_patients,
    evaluation_patients,
    simulate_patients,
)
from gym_clinic.simulate.presentation import (
    SimulatedPatient,
)

BANDS = ("obligate", "very_frequent", "frequent", "occasional", "very_rare", "excluded")


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Facts:
    """Thirty diseases of ten features each, one of every band, and look-alikes beside them."""
    rows = tables()
    rows["phenotypes"] = [phenotype(f"HP:{n:07d}", f"Finding {n}") for n in range(100)]
    rows["diseases"] = [
        disease(
            f"disease-{number:02d}",
            f"Malady {number}",
            codes={"omim": [f"OMIM:1000{number:02d}"]},
            look_alikes=[f"disease-{(number + 1) % 30:02d}"],
            phenotypes=[
                {"phenotype": f"HP:{(number * 7 + place) % 100:07d}", "frequency": frequency}
                for place, frequency in enumerate(
                    [*map(authored, BANDS), UNKNOWN_FREQUENCY, sourced(0.4), sourced(0.0)]
                )
            ],
        )
        for number in range(30)
    ]
    rows |= {name: [] for name in ("drugs", "interactions", "allergies", "guidelines")}
    return load(write(tmp_path_factory.mktemp("facts"), rows))


@pytest.fixture(scope="module")
def embedded() -> list[SimulatedPatient]:
    """The patients of the embedded database."""
    return embedded_patients()


def test_the_same_seed_gives_the_same_patients_in_any_process(facts, tmp_path):
    patients = simulate_patients(facts, 60, seed=3)
    assert simulate_patients(facts, 60, seed=3) == patients
    assert simulate_patients(facts, 60, seed=4) != patients
    write(tmp_path, tables())
    code = (
        "from gym_clinic.facts import load; from gym_clinic.simulate.patients import *; import sys;"
        "print(simulate_patients(load(sys.argv[1]), 9))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    }
    assert len(printed) == 1


def test_the_same_patients_come_out_on_any_platform(facts):
    lines = [json.dumps(asdict(one)) for one in simulate_patients(facts, 300, seed=1)]
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16] == "e41650dc06f49d62"


def test_ids_are_hashes_and_unique_and_sorted(facts):
    patients = simulate_patients(facts, 200)
    keys = [one.id for one in patients]
    assert keys == sorted(set(keys))
    assert all(key.startswith("sim-") and len(key) == 16 for key in keys)
    assert {one.provenance for one in patients} == {"synthetic"}


def test_each_disease_has_its_share(facts):
    sizes = Counter(one.disease for one in simulate_patients(facts, 100))
    assert sorted(sizes.values()) == [3] * 20 + [4] * 10
    assert sizes["disease-00"] == 4


def test_a_larger_database_holds_the_smaller(facts):
    assert set(simulate_patients(facts, 60)) < set(simulate_patients(facts, 300))


def test_every_disease_has_an_embedded_patient(embedded):
    assert len(embedded) >= 5_000
    assert {one.disease for one in embedded} == set(load().diseases)


def test_common_diseases_have_more_patients(embedded):
    facts = load()
    sizes = Counter(one.disease for one in embedded)
    classes: dict[str, list[int]] = {}
    for name, one in facts.diseases.items():
        classes.setdefault(one.epidemiology.incidence, []).append(sizes[name])
    means = [sum(classes[name]) / len(classes[name]) for name in INCIDENCE]
    for more, fewer in itertools.pairwise(means):
        assert 1.5 < more / fewer < 2.5, means
    for several in classes.values():
        assert max(several) - min(several) <= 1


def test_patients_of_the_tasks_are_kept_out_of_the_embedded_ones(embedded, tmp_path, monkeypatch):
    first = embedded[0]
    (tmp_path / "kb").symlink_to(data_dir("kb"))
    tasks = tmp_path / "tasks" / "made-up"
    tasks.mkdir(parents=True)
    monkeypatch.setenv("GYM_CLINIC_DATA", str(tmp_path))
    task = {"id": "t", "record": {"patients": [{"phenotypes": list(first.phenotypes)}]}}
    (tasks / "train.jsonl").write_text(json.dumps(task) + "\n")
    assert evaluation_patients() == []
    (tasks / "test.jsonl").write_text('{"id": "s"}\n' + json.dumps(task) + "\n")
    assert evaluation_patients() == [TaskPatient(first.phenotypes)]
    patients = embedded_patients()
    assert len(patients) >= 5_000
    for one in patients:
        assert jaccard(set(one.phenotypes), set(first.phenotypes)) < NEAR
    for broken, told in (
        ('{"phenotypes": ', "not valid JSON"),
        ('{"phenotypes": [{"name": "Fever"}]}', "expected a list of names or ids"),
    ):
        (tasks / "dev.jsonl").write_text(broken)
        with pytest.raises(TaskError, match=rf"dev\.jsonl line 1: .*{told}"):
            evaluation_patients()


def jaccard(first, second):
    return len(first & second) / len(first | second)


def test_patients_of_evaluation_tasks_are_kept_out(facts):
    held = simulate_patients(facts, 60, seed=0)[:20]
    patients = simulate_patients(facts, 300, seed=0, keep_out=held)
    assert len(patients) == 300
    assert not {one.id for one in held} & {one.id for one in patients}
    nearest = max(
        jaccard(set(one.features), set(other.features)) for one in patients for other in held
    )
    assert nearest < NEAR
    # Without them a near-duplicate would have been among the others.
    everyone = simulate_patients(facts, 300, seed=0)
    assert any(
        jaccard(set(one.features), set(other.features)) >= NEAR
        for one in everyone
        for other in held
        if one.id != other.id
    )


def test_patients_are_kept_out_by_id_alone_or_by_names(facts):
    first = simulate_patients(facts, 60)[0]
    assert first.id not in {one.id for one in simulate_patients(facts, 300, keep_out=[first.id])}
    named = PatientCase("task-1", "", tuple(name.upper() for name in first.phenotypes), "task")
    for one in simulate_patients(facts, 300, keep_out=[named]):
        assert jaccard(set(one.phenotypes), set(first.phenotypes)) < NEAR


def test_an_exhausted_disease_leaves_its_share_to_others(tmp_path):
    rows = tables()
    rows["diseases"][0]["look_alikes"] = rows["diseases"][1]["look_alikes"] = []
    facts = load(write(tmp_path, rows))
    held = next(one for one in simulate_patients(facts, 4) if one.disease == "blue-palsy")
    patients = simulate_patients(facts, 40, keep_out=[held])
    assert {one.disease for one in patients} == {"amber-fever"}
    both = [held, *simulate_patients(facts, 40)]
    with pytest.raises(ConfigError, match="patients of 40 are unlike those kept out"):
        simulate_patients(facts, 40, keep_out=both, near=0.1)


def test_wrong_options_are_told(facts):
    with pytest.raises(ConfigError, match="count is a whole number from 1"):
        simulate_patients(facts, 0)
    with pytest.raises(ConfigError, match="near is above 0 and at most 1, not 0"):
        simulate_patients(facts, 1, near=0)
    with pytest.raises(ConfigError, match="no disease of the fact tables has a feature"):
        simulate_patients(replace(facts, diseases={}), 1)


def test_simulated_patients_can_be_matched(facts):
    patients = simulate_patients(facts, 200)
    matcher = PatientMatcher(patients, SeededEmbedder())
    best = matcher.match(patients[0].phenotypes)[0]
    assert best.score == pytest.approx(1)
    assert best.record.provenance == "synthetic"


def _with_their_parents(patients: list[SimulatedPatient]) -> list[str]:
    """Return the ids of the patients who have a finding together with its ancestor."""
    above = ancestors(load().phenotypes)
    return [one.id for one in patients if most_specific(one.features, above) != set(one.features)]


def test_no_patient_has_a_finding_together_with_its_ancestor(
    embedded: list[SimulatedPatient],
) -> None:
    assert _with_their_parents(embedded) == []


def test_without_the_hierarchy_patients_have_findings_with_their_ancestors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def flat(phenotypes: dict[str, object]) -> dict[str, frozenset[str]]:
        return dict.fromkeys(phenotypes, frozenset())

    monkeypatch.setattr(fact_reading, "ancestors", flat)
    assert len(_with_their_parents(simulate_patients(replace(load()), 600))) > 50


def test_no_patient_lacks_what_a_finding_implies(embedded: list[SimulatedPatient]) -> None:
    facts = load()
    above = ancestors(facts.phenotypes)
    for one in embedded:
        implied = {facts.phenotypes[key].name for key in with_ancestors(one.features, above)}
        assert not implied & set(one.absent), one
