from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import asdict, replace

import pytest
from fact_tables import UNKNOWN as UNKNOWN_FREQUENCY
from fact_tables import authored, disease, phenotype, sourced, tables, write
from seeded_embedder import SeededEmbedder

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts import Facts, ancestors, load, most_specific, with_ancestors
from gym_clinic.facts import tables as fact_reading
from gym_clinic.facts.models import Frequency
from gym_clinic.facts.restating import restates_diagnosis
from gym_clinic.paths import data_dir
from gym_clinic.retrieval import PatientCase, PatientMatcher
from gym_clinic.simulate.patients import (
    FEWEST,
    NEAR,
    UNKNOWN,
    SimulatedPatient,
    TaskPatient,
    embedded_patients,
    evaluation_patients,
    probability,
    simulate_patients,
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
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16] == "d9a06a2dd0c91d89"


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


def test_excluded_features_are_absent_and_never_drawn(facts):
    for one in simulate_patients(facts, 600):
        profile = facts.diseases[one.disease].phenotypes
        excluded = [item.phenotype for item in profile if item.frequency.absent]
        assert not set(excluded) & set(one.features)
        assert one.absent == tuple(facts.phenotypes[key].name for key in excluded)
        assert profile[0].phenotype in one.features  # the obligate one
        assert one.phenotypes == tuple(facts.phenotypes[key].name for key in one.features)
        assert len(one.features) - len(one.noise) >= 3
        assert one.codes == facts.diseases[one.disease].codes.omim
        assert one.diagnosis == facts.diseases[one.disease].name


def test_noise_comes_from_look_alikes(facts):
    patients = simulate_patients(facts, 600)
    assert {len(one.noise) for one in patients} == {0, 1, 2}
    for one in patients:
        own = {item.phenotype for item in facts.diseases[one.disease].phenotypes}
        alike = {
            item.phenotype
            for other in facts.diseases[one.disease].look_alikes
            for item in facts.diseases[other].phenotypes
            if not item.frequency.absent
        }
        assert set(one.noise) <= alike - own
        assert one.features[len(one.features) - len(one.noise) :] == one.noise


def test_features_are_as_frequent_as_stated(facts):
    patients = simulate_patients(facts, 6000)
    drawn: Counter[int] = Counter()
    for one in patients:
        profile = [item.phenotype for item in facts.diseases[one.disease].phenotypes]
        drawn.update(profile.index(key) for key in one.features if key not in one.noise)
    found = [drawn[place] / len(patients) for place in range(9)]
    # Above what is said where the fewest features are filled up, never below but by chance.
    expected = [1.0, 0.895, 0.545, 0.17, 0.025, 0.0, UNKNOWN, 0.4, 0.0]
    for share, said in zip(found, expected, strict=True):
        assert said - 0.02 <= share <= said + 0.12


def test_features_are_drawn_each_with_its_share(tmp_path):
    shares = [0.03, 0.2, 0.5, 0.8, 0.97]
    rows = tables()
    rows["phenotypes"] = [phenotype(f"HP:{n:07d}", f"Finding {n}") for n in range(8)]
    rows["diseases"] = [
        disease(
            "amber-fever",
            "Amber fever",
            phenotypes=[
                {"phenotype": f"HP:{place:07d}", "frequency": frequency}
                # With three that all have, none is filled up.
                for place, frequency in enumerate(
                    [*map(sourced, shares), *[authored("obligate")] * FEWEST]
                )
            ],
        )
    ]
    rows |= {name: [] for name in ("drugs", "interactions", "allergies", "guidelines")}
    patients = simulate_patients(load(write(tmp_path, rows)), 4000)
    drawn = Counter(key for one in patients for key in one.features)
    for place, share in enumerate(shares):
        spread = 4 * (len(patients) * share * (1 - share)) ** 0.5
        assert abs(drawn[f"HP:{place:07d}"] - len(patients) * share) < spread
    # Each by itself: the second comes as often with the third as without it.
    with_third = [one for one in patients if "HP:0000002" in one.features]
    both = sum("HP:0000001" in one.features for one in with_third) / len(with_third)
    assert both == pytest.approx(shares[1], abs=4 * (0.16 / len(with_third)) ** 0.5)


def named(one):
    """Words of a name, no more than small letters and no plural."""
    return {word.rstrip("s") for word in re.findall(r"[a-z0-9]+", one.casefold())} - {"of", "the"}


def test_every_disease_has_an_embedded_patient(embedded):
    assert len(embedded) >= 5_000
    assert {one.disease for one in embedded} == set(load().diseases)


@pytest.mark.population
def test_no_embedded_patient_has_a_finding_that_names_the_disease(embedded, some):
    facts = load()
    for one in some(embedded):
        disease = facts.diseases[one.disease]
        names = {disease.name, *disease.synonyms}
        for name in one.phenotypes:
            assert not any(named(other) <= named(name) for other in names), (names, name)
        for key in one.features:
            finding = facts.phenotypes[key]
            assert not names & {finding.name, *finding.synonyms}, (names, finding)
        # What names the disease is left out of the noise as well as of its own features.
        assert not any(restates_diagnosis(disease, facts.phenotypes[key]) for key in one.features)


def test_no_embedded_patient_has_findings_of_both_sexes(embedded):
    found: Counter[str] = Counter()
    for one in embedded:
        text = " ".join(one.phenotypes).casefold()
        female = re.search(r"\bvagin|\buter|\bovar|menorrh|preeclampsia", text)
        male = re.search(r"testic|scrot|prostat|erectile|orchitis", text)
        assert not (female and male), one
        found.update(["female"] * bool(female) + ["male"] * bool(male))
    assert min(found["female"], found["male"]) >= 50


def test_features_of_one_sex_are_as_frequent_as_stated(tmp_path):
    rows = tables()
    names = ["Vaginal discharge", "Erectile dysfunction", "Fever", "Rash", "Cough"]
    rows["phenotypes"] = [phenotype(f"HP:{n:07d}", name) for n, name in enumerate(names)]
    rows["phenotypes"].append(phenotype("HP:0000009", "Scrotal pain"))
    frequencies = [sourced(0.4), sourced(0.2), *[authored("obligate")] * 3]
    features = [
        {"phenotype": f"HP:{n:07d}", "frequency": frequency}
        for n, frequency in enumerate(frequencies)
    ]
    noise = [{"phenotype": "HP:0000009", "frequency": authored("frequent")}]
    rows["diseases"] = [
        disease("amber", "Amber plague", phenotypes=features),
        disease("blue", "Blue plague", phenotypes=[features[0]], look_alikes=["cyan"]),
        disease("cyan", "Cyan plague", phenotypes=noise),
    ]
    rows |= {name: [] for name in ("drugs", "interactions", "allergies", "guidelines")}
    patients = simulate_patients(load(write(tmp_path, rows)), 9000)
    amber = [set(one.features) for one in patients if one.disease == "amber"]
    assert not any({"HP:0000000", "HP:0000001"} <= one for one in amber)
    for place, share in ((0, 0.4), (1, 0.2)):
        found = sum(f"HP:{place:07d}" in one for one in amber) / len(amber)
        assert found == pytest.approx(share, abs=0.035)
    assert {one.noise for one in patients if one.disease == "blue"} == {()}


def test_every_disease_keeps_enough_features():
    facts = load()
    for one in facts.diseases.values():
        kept = [
            has
            for has in one.phenotypes
            if not has.frequency.absent
            and not restates_diagnosis(one, facts.phenotypes[has.phenotype])
        ]
        assert len(kept) >= FEWEST, one.id


def test_no_embedded_patient_has_what_the_disease_excludes(embedded):
    facts = load()
    excluded = {
        one.id: {has.phenotype for has in one.phenotypes if has.frequency.absent}
        for one in facts.diseases.values()
    }
    for one in embedded:
        assert not excluded[one.disease] & set(one.features), one.id
        assert not set(one.absent) & set(one.phenotypes)


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


@pytest.mark.parametrize(
    ("frequency", "expected"),
    [
        (Frequency(basis="unknown"), UNKNOWN),
        (Frequency(basis="authored", band="frequent"), 0.545),
        (Frequency(basis="sourced", value=0.7, band="frequent", source="s"), 0.7),
        (Frequency(basis="sourced", value=0.0, source="s"), 0.0),
        (Frequency(basis="authored", band="excluded"), 0.0),
    ],
)
def test_probabilities(frequency, expected):
    assert probability(frequency) == pytest.approx(expected)


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
