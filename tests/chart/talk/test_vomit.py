"""What vomit looks like is told by the condition: green, bloody or plain."""

from __future__ import annotations

import pytest

from gym_clinic.chart import open_chart
from gym_clinic.simulate.clinic import draw_patient

QUESTIONS = ("What colour is the vomit?", "Is the vomit green?", "Any green or bilious vomiting?")


@pytest.mark.parametrize(
    ("condition", "colour"),
    [("intussusception", "green"), ("bowel-obstruction", "green"), ("pyloric-stenosis", "plain")],
)
def test_the_colour_of_vomit_follows_the_condition(condition: str, colour: str) -> None:
    told = set()
    for seed in range(12):
        chart = open_chart(draw_patient(seed, condition))
        for question in QUESTIONS:
            said = chart.ask(question).facts
            told |= {one.value for one in said if one.fact == "vomit:colour"}
    assert told == {colour}


def test_blood_in_the_vomit_is_told_by_its_colour() -> None:
    asked = [
        chart.ask(QUESTIONS[0]).facts
        for seed in range(12)
        if (chart := open_chart(draw_patient(seed, "oesophageal-varices"))).patient.speaker
        != "crew"
    ]
    blood = chart.patient.facts.finding_ids["Hematemesis"]
    assert any(
        one.fact == f"finding:{blood}" and one.value == "yes" for some in asked for one in some
    )
    assert not any(
        one.fact == "vomit:colour" and one.value == "green" for some in asked for one in some
    )
