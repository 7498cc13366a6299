"""One simulated patient: the person, the findings and what was not found."""

from __future__ import annotations

import re
from collections import Counter
from statistics import mean

import numpy as np
import pytest
from fact_tables import authored, disease, phenotype, sourced, tables, write

from gym_clinic.facts import Facts, Person, load, restates_diagnosis, with_ancestors
from gym_clinic.simulate.disease.findings import shares
from gym_clinic.simulate.disease.persons import ANYONE, epidemiology_of
from gym_clinic.simulate.patients import embedded_patients, simulate_patients
from gym_clinic.simulate.presentation import FEWEST, SimulatedPatient, duration

PATIENTS = 3_000
"""Patients of the properties below, of all diseases of the embedded tables."""


@pytest.fixture(scope="module")
def facts() -> Facts:
    return load()


@pytest.fixture(scope="module")
def patients() -> list[SimulatedPatient]:
    """The embedded patients, which are 5,000 and as every other database of them."""
    return embedded_patients()[:PATIENTS]


def years(age: str) -> float:
    """The age of a chart, and the middle of the span that it leaves open."""
    number, unit = re.fullmatch(r"P(\d+)([YMD])", age).groups()
    return (int(number) + 0.5) / {"Y": 1, "M": 12, "D": 365.25}[unit]


def person(one: SimulatedPatient, facts: Facts) -> Person:
    known = epidemiology_of(facts.diseases[one.disease])
    return Person(years(one.age), one.sex, known.pregnancy)


def small(folder, *diseases, names=12, only=()):
    """Fact tables of made-up diseases, whose findings are HP:0000000 and so on."""
    rows = tables()
    rows["phenotypes"] = [phenotype(f"HP:{n:07d}", f"Finding {n}") for n in range(names)]
    for place, who in only:
        rows["phenotypes"][place]["only"] = who
    rows["diseases"] = list(diseases)
    rows |= {name: [] for name in ("drugs", "interactions", "allergies", "guidelines")}
    return load(write(folder, rows))


def features(*frequencies, first=0):
    return [
        {"phenotype": f"HP:{place:07d}", "frequency": frequency}
        for place, frequency in enumerate(frequencies, first)
    ]


def test_ages_are_written_as_charts_give_them():
    ages = (0, 0.02, 0.17, 0.5, 1.99, 2, 34.8)
    assert [duration(age) for age in ages] == ["P0D", "P7D", "P2M", "P6M", "P23M", "P2Y", "P34Y"]


def test_findings_are_drawn_each_with_its_share(tmp_path):
    shares = [0.03, 0.2, 0.5, 0.8, 0.97]
    frequencies = [*map(sourced, shares), *[authored("obligate")] * FEWEST]
    # With as many that all have, none is filled up.
    found = small(tmp_path, disease("amber", "Amber", phenotypes=features(*frequencies)))
    patients = simulate_patients(found, 4000)
    drawn = Counter(key for one in patients for key in one.features)
    for place, share in enumerate(shares):
        spread = 4 * (len(patients) * share * (1 - share)) ** 0.5
        assert abs(drawn[f"HP:{place:07d}"] - len(patients) * share) < spread
    # Each by itself: the second comes as often with the third as without it.
    with_third = [one for one in patients if "HP:0000002" in one.features]
    both = sum("HP:0000001" in one.features for one in with_third) / len(with_third)
    assert both == pytest.approx(shares[1], abs=4 * (0.16 / len(with_third)) ** 0.5)


def test_a_patient_with_too_few_findings_gets_the_most_frequent_of_the_others(tmp_path):
    frequencies = [sourced(0.3), sourced(0.02), *[sourced(0.01)] * 8]
    found = small(tmp_path, disease("amber", "Amber", phenotypes=features(*frequencies)))
    patients = simulate_patients(found, 500)
    assert {len(one.features) for one in patients} == {FEWEST}
    assert mean("HP:0000000" in one.features for one in patients) > 0.99
    assert mean("HP:0000001" in one.features for one in patients) > 0.99
    others = Counter(key for one in patients for key in one.features[2:])
    assert len(others) == 8  # not the same ones in every patient


def test_a_finding_of_one_sex_or_age_is_as_frequent_among_those_who_can_have_it(tmp_path):
    known = {"ages": [[0, 10, 1], [20, 60, 1]], "female": 0.3, "incidence": "common"}
    frequencies = [sourced(0.4), sourced(0.5), *[authored("obligate")] * FEWEST]
    found = small(
        tmp_path,
        disease("amber", "Amber", epidemiology=known, phenotypes=features(*frequencies)),
        only=((0, {"sex": "female"}), (1, {"low": 18, "high": 50})),
    )
    patients = simulate_patients(found, 4000)
    groups = {
        "HP:0000000": [one for one in patients if one.sex == "female"],
        "HP:0000001": [one for one in patients if 18 <= years(one.age) < 50],
    }
    for (key, able), share in zip(groups.items(), (0.4, 0.5), strict=True):
        assert mean(key in one.features for one in able) == pytest.approx(share, abs=0.05)
        assert not any(key in one.features for one in patients if one not in able)
    assert mean(one.sex == "female" for one in patients) == pytest.approx(0.3, abs=0.03)


def test_noise_is_of_look_alikes_and_common_problems_that_the_person_may_have(tmp_path):
    obligate = [authored("obligate")] * FEWEST

    def of(key, ages, incidence, first, **more):
        known = {"ages": [ages], "female": 0.5, "incidence": incidence}
        has = features(*obligate, first=first)
        return disease(key, key, epidemiology=known, phenotypes=has, **more)

    found = small(
        tmp_path,
        of("adult", [30, 60, 1], "rare", 0, look_alikes=["twin", "young"]),
        of("twin", [20, 70, 1], "rare", 10),
        of("young", [0, 10, 1], "rare", 20),
        of("usual", [18, 90, 1], "common", 30),
        of("childish", [0, 10, 1], "common", 40),
        of("seldom", [18, 90, 1], "uncommon", 50),
        names=60,
    )
    adults = [one for one in simulate_patients(found, 2000) if one.disease == "adult"]
    noise = Counter(int(key[3:]) // 10 for one in adults for key in set(one.noise))
    assert set(noise) == {1, 3}  # the twin, and the usual problem
    assert {len(one.noise) for one in adults} == {0, 1, 2, 3, 4, 5, 6}
    for one in adults:
        assert one.features[len(one.features) - len(one.noise) :] == one.noise


def test_what_was_not_found_is_what_the_disease_lacks_and_what_was_looked_for(tmp_path):
    frequencies = [*[authored("obligate")] * FEWEST, authored("excluded"), sourced(0.1)]
    found = small(
        tmp_path,
        disease("amber", "Amber", phenotypes=features(*frequencies), look_alikes=["blue"]),
        disease("blue", "Blue", phenotypes=features(*[sourced(0.5)] * 4, first=20)),
        names=24,
    )
    amber = [one for one in simulate_patients(found, 600) if one.disease == "amber"]
    assert {one.absent[0] for one in amber} == {f"Finding {FEWEST}"}
    sought = Counter(name for one in amber for name in one.absent[1:])
    assert set(sought) == {f"Finding {n}" for n in (FEWEST + 1, 20, 21, 22, 23)}
    assert not any(set(one.absent) & set(one.phenotypes) for one in amber)
    assert 0.05 < mean(len(one.absent) == 1 for one in amber) < 0.25


# Properties of the patients of the embedded tables.


def test_counts_are_near_those_of_published_patients(patients):
    """Of 8,602 published phenopackets a patient has 9.0 findings and lacks 12.8 on average."""
    assert mean(len(one.features) for one in patients) == pytest.approx(9.0, abs=1.2)
    assert mean(len(one.absent) for one in patients) == pytest.approx(12.8, abs=1.5)
    assert mean(len(one.absent) >= 5 for one in patients) > 0.75
    assert min(len(one.features) for one in patients) >= 3
    assert mean(len(one.noise) / len(one.features) for one in patients) < 0.33


def test_age_and_sex_follow_the_epidemiology_of_the_disease(patients, facts):
    for one in patients:
        assert epidemiology_of(facts.diseases[one.disease]).admits(person(one, facts)), one
    assert {one.sex for one in patients} == {"female", "male"}


def test_no_finding_is_implausible_for_age_and_sex(patients, facts):
    names = {one.name: one for one in facts.phenotypes.values()}
    for one in patients:
        who = person(one, facts)
        excluded = {
            has.phenotype for has in facts.diseases[one.disease].phenotypes if has.frequency.absent
        }
        findings = [facts.phenotypes[key] for key in one.features]
        # What a disease never has is listed for everyone.
        findings += [names[name] for name in one.absent if names[name].id not in excluded]
        for finding in findings:
            assert finding.only is None or finding.only.admits(who), (one, finding.name)


@pytest.mark.parametrize(
    ("pattern", "holds"),
    [
        (r"menorrh|menstrua|vagin|\buter|ovar(y|ies|ian)", lambda one: one.sex == "female"),
        (r"testic|scrot|prostat|erectile|orchitis", lambda one: one.sex == "male"),
        (r"dementia|libido|angina", lambda one: years(one.age) >= 4),
        (r"^Failure to thrive|^Growth delay", lambda one: years(one.age) < 18),
        (r"neonatal|in infancy", lambda one: years(one.age) <= 2),
    ],
)
def test_findings_by_name_are_plausible(patients, pattern, holds):
    having = [one for one in patients if any(re.search(pattern, x) for x in one.phenotypes)]
    assert having
    for one in having:
        assert holds(one), one


def test_findings_are_unrelated_and_none_is_absent_and_implied(patients, facts):
    above = facts.above
    for one in patients:
        for key in one.features:
            assert above[key].isdisjoint(one.features), one
        implied = {facts.phenotypes[key].name for key in with_ancestors(one.features, above)}
        assert not implied & set(one.absent), one
        closed = with_ancestors(one.features, above)
        assert all(facts.opposites[key].isdisjoint(closed) for key in one.features), one
        assert len(set(one.features)) == len(one.features)
        assert len(set(one.absent)) == len(one.absent)


def test_no_finding_names_the_disease(patients, facts):
    for one in patients:
        ill = facts.diseases[one.disease]
        names = {ill.name, *ill.synonyms}
        for key in one.features:
            finding = facts.phenotypes[key]
            assert not restates_diagnosis(ill, finding), (one, finding)
            assert not names & {finding.name, *finding.synonyms}, (names, finding)


def test_no_patient_has_what_the_disease_excludes(patients, facts):
    for one in patients:
        lacking = {
            has.phenotype for has in facts.diseases[one.disease].phenotypes if has.frequency.absent
        }
        assert not lacking & set(one.features), one
        assert not lacking & with_ancestors(one.features, facts.above), one


def test_every_disease_keeps_enough_findings(facts):
    for one in facts.diseases.values():
        kept = [
            has
            for has in one.phenotypes
            if not has.frequency.absent
            and not restates_diagnosis(one, facts.phenotypes[has.phenotype])
        ]
        assert len(kept) >= FEWEST, one.id


def test_diseases_hard_to_tell_apart_stay_so(facts):
    """A reader who knows all frequencies errs between the nearest look-alikes, and seldom else."""
    patients = embedded_patients()
    by_disease: dict[str, list[SimulatedPatient]] = {}
    for one in patients:
        by_disease.setdefault(one.disease, []).append(one)
    keys = {name: place for place, name in enumerate(facts.phenotypes)}
    ids = {one.name: one.id for one in facts.phenotypes.values()}
    known = {key: shares(facts, key) for key in facts.diseases}

    def row(name):
        chances = np.full(len(keys), 0.01)
        for key, share in known[name].items():
            chances[keys[key]] = min(max(share, 0.002), 0.97)
        return np.log(chances), np.log(1 - chances)

    rows = {name: row(name) for name in by_disease}

    def overlap(first, second):
        both = {*known[first], *known[second]}
        has = [(known[first].get(key, 0), known[second].get(key, 0)) for key in both]
        return sum(map(min, has)) / sum(map(max, has))

    def error(pairs):
        wrong = count = 0
        for pair in pairs:
            for name in pair:
                (other,) = set(pair) - {name}
                for one in by_disease[name]:
                    present = [keys[key] for key in one.features]
                    absent = [keys[ids[name]] for name in one.absent]
                    score = {
                        ill: rows[ill][0][present].sum() + rows[ill][1][absent].sum()
                        for ill in (name, other)
                    }
                    wrong += score[name] <= score[other]
                    count += 1
        return wrong / count

    pairs = sorted(
        {
            tuple(sorted((one.id, other)))
            for one in facts.diseases.values()
            for other in one.look_alikes
        },
        key=lambda pair: (-overlap(*pair), pair),
    )
    nearest, others = error(pairs[:20]), error(pairs[100::10])
    assert 0.06 < nearest < 0.4
    assert others < nearest / 4


def test_a_disease_without_epidemiology_is_of_adults_of_both_sexes(tmp_path):
    found = small(
        tmp_path, disease("amber", "Amber", phenotypes=features(*[authored("obligate")] * 6))
    )
    ages = [years(one.age) for one in simulate_patients(found, 300)]
    assert ANYONE.ages[0].low <= min(ages)
    assert max(ages) < ANYONE.ages[0].high
