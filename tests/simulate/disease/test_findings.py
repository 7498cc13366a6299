"""The findings of a disease in one patient."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from gym_clinic.facts import Facts, Person, load, restates_diagnosis, with_ancestors
from gym_clinic.facts.records.models import Frequency
from gym_clinic.simulate.clinic.finding_lists import possible_when
from gym_clinic.simulate.disease.findings import (
    UNKNOWN,
    draw_findings,
    draw_variant,
    foreign,
    probability,
    shares,
    unrelated,
)

ADULT = Person(40, "female")


@pytest.fixture(scope="module")
def facts() -> Facts:
    return load()


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
def test_probabilities(frequency: Frequency, expected: float) -> None:
    assert probability(frequency) == pytest.approx(expected)


def test_a_disease_with_a_condition_has_the_rates_of_the_condition(facts: Facts) -> None:
    bands = replace(facts, conditions={})
    differ = 0
    for key, condition in facts.conditions.items():
        found, without = shares(facts, key), shares(bands, key)
        for name, rate in condition.rates.items():
            finding = facts.finding_ids[name]
            own = any(name in form.rates for form in condition.variants.values())
            if finding in found and not own:
                assert found[finding] == pytest.approx(rate), (key, name)
                differ += without[finding] != rate
    assert differ > 500


def test_a_form_of_a_condition_has_its_own_rates(facts: Facts) -> None:
    key, condition = next(
        (key, one)
        for key, one in facts.conditions.items()
        if len(one.variants) == 2 and not any(form.rates for form in one.variants.values())
    )
    name = next(name for name in condition.rates if facts.finding_ids[name] in shares(facts, key))
    finding, rate = facts.finding_ids[name], condition.rates[name]
    first, other = condition.variants
    forms = dict(condition.variants)
    forms[first] = forms[first].model_copy(update={"rates": {name: 0.123}})
    changed = condition.model_copy(update={"variants": forms})
    tables = replace(facts, conditions={**facts.conditions, key: changed})
    assert shares(tables, key, first)[finding] == 0.123
    assert shares(tables, key, other)[finding] == rate
    mean = forms[first].share * 0.123 + forms[other].share * rate
    assert shares(tables, key)[finding] == pytest.approx(mean)
    drawn = Counter(draw_variant(condition, Random(n)) for n in range(2000))
    for form, one in condition.variants.items():
        assert drawn[form] / 2000 == pytest.approx(one.share, abs=0.05)
    plain = next(one for one in facts.conditions.values() if not one.variants)
    assert draw_variant(plain, Random(0)) is None


def test_shares_leave_out_what_names_the_disease_and_keep_what_it_excludes(facts: Facts) -> None:
    left_out = 0
    for key, disease in facts.diseases.items():
        found = shares(facts, key)
        for one in disease.phenotypes:
            if one.frequency.absent:
                assert found[one.phenotype] == 0
            elif restates_diagnosis(disease, facts.phenotypes[one.phenotype]):
                assert one.phenotype not in found
                left_out += 1
            else:
                name = facts.phenotypes[one.phenotype].name
                condition = facts.conditions.get(key)
                never = condition is not None and condition.rates.get(name) == 0  # who come alive
                assert (found[one.phenotype] == 0) is never
    assert left_out


def test_findings_come_as_often_as_their_shares_and_go_with_what_is_there(facts: Facts) -> None:
    fever = facts.finding_ids["Fever"]
    chances = shares(facts, "influenza")
    drawn = [draw_findings(facts, chances, ADULT, Random(n)) for n in range(1000)]
    rates = Counter(one for several in drawn for one in several)
    for one, chance in chances.items():
        free = not facts.opposites[one] & chances.keys() and not any(
            one in facts.above[other] for other in chances
        )
        if free:
            assert rates[one] / 1000 == pytest.approx(chance, abs=0.06)
    beside = [draw_findings(facts, chances, ADULT, Random(n), beside=[fever]) for n in range(200)]
    assert not any(fever in several for several in beside)
    for several in beside:
        closed = with_ancestors([*several, fever], facts.above)
        assert all(facts.opposites[one].isdisjoint(closed) for one in several)
        assert list(chances).index(several[0]) == min(map(list(chances).index, several))


def test_the_fewest_are_reached_where_the_person_can_have_them(facts: Facts) -> None:
    chances = dict.fromkeys(shares(facts, "influenza"), 0.001)
    sizes = {len(draw_findings(facts, chances, ADULT, Random(n), fewest=4)) for n in range(50)}
    assert sizes == {4}
    assert draw_findings(facts, {}, ADULT, Random(0), fewest=4) == []


def test_unrelated_findings_have_no_relatives_and_no_opposites(facts: Facts) -> None:
    child, parents = next((key, above) for key, above in facts.above.items() if above)
    parent = next(iter(parents))
    assert unrelated(facts, [child, parent], ()) == [child]
    assert unrelated(facts, [parent, child], ()) == [parent]
    assert unrelated(facts, [child], [parent]) == []
    this, others = next((key, several) for key, several in facts.opposites.items() if several)
    assert unrelated(facts, [this, *others], ()) == [this]
    assert unrelated(facts, ["HP:0001945", "HP:0012735"], (), 1) == ["HP:0001945"]


def test_foreign_findings_neither_belong_to_the_disease_nor_name_it(facts: Facts) -> None:
    for disease in list(facts.diseases.values())[::20]:
        found = set(foreign(facts, disease, facts.phenotypes))
        assert found
        for one in disease.phenotypes:
            assert one.phenotype not in found
            if one.frequency.absent:
                assert not any(one.phenotype in facts.above[key] for key in found)
        assert not any(restates_diagnosis(disease, facts.phenotypes[key]) for key in found)


def test_an_age_that_the_facts_state_is_not_stated_again(facts: Facts) -> None:
    for name, rule in possible_when().items():
        if found := re.fullmatch(r"age >= ([0-9.]+)", rule):
            only = facts.phenotypes[facts.finding_ids[name]].only
            assert only is None or only.low < float(found[1]), name
