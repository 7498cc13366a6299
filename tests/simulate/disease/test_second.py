"""A second problem that a patient has by chance."""

from __future__ import annotations

from collections import Counter
from random import Random

from gym_clinic.facts import Person, load
from gym_clinic.simulate.disease.persons import epidemiology_of
from gym_clinic.simulate.disease.second import COMMON, common_problems, draw_second, likely_besides

FACTS = load()


def test_second_problems_are_common_and_of_the_person() -> None:
    among = common_problems(FACTS)
    assert len(among) > 50
    for person in (Person(0.5, "male"), Person(30, "female", "pregnant"), Person(80, "male")):
        likely = likely_besides(FACTS, person, among)
        assert len(likely) > 5
        for key in likely:
            known = epidemiology_of(FACTS.diseases[key])
            assert known.incidence in COMMON
            assert known.pregnancy is None
            assert known.admits(person)


def test_more_frequent_ones_are_drawn_more_often() -> None:
    first = FACTS.diseases["bell-palsy"]
    likely = likely_besides(FACTS, Person(30, "female"), ["viral-gastroenteritis", "urticaria"])
    drawn = Counter(draw_second(likely, first, Random(n)) for n in range(400))
    assert drawn["viral-gastroenteritis"] > 1.5 * drawn["urticaria"] > 0


def test_a_second_problem_cannot_be_mistaken_for_the_first() -> None:
    first = FACTS.diseases["influenza"]
    likely = dict.fromkeys([*FACTS.diseases], 1.0)
    drawn = {draw_second(likely, first, Random(n), ["urticaria"]) for n in range(3000)}
    assert len(drawn) > 300
    assert drawn.isdisjoint({first.id, *first.look_alikes, "urticaria"})
    assert draw_second({first.id: 1.0}, first, Random(0)) is None
