"""What is told beside the problems is to be seen, and is said once."""

from __future__ import annotations

from gym_clinic.chart.examination import examination_report
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import disclosures, draw_patient
from gym_clinic.simulate.clinic.examination.shown import ShownSign
from gym_clinic.simulate.clinic.examination.signs_beside import (
    SignBeside,
    signs_of_findings,
    with_signs_beside,
)

FACTS = load()
ULCER = SignBeside(ShownSign("mouth", "small ulcer of the cheek", True), "mouth|ulcer")


def test_who_tells_of_a_mouth_ulcer_or_eczema_has_one_to_be_seen() -> None:
    assert signs_of_findings().keys() <= FACTS.finding_ids.keys()
    seen = 0
    for seed in range(150):
        patient = draw_patient(seed, "biliary-colic")
        told = {FACTS.phenotypes[one.finding].name for one in disclosures(patient) if one.has}
        for name, word in (("Oral ulcer", "ulcer"), ("Dry skin", "dry skin")):
            if name in told:
                site = signs_of_findings()[name].site
                signs = (sign for each in patient.problems for sign in each.signs)
                own = any(sign.site == site and sign.abnormal for sign in signs)
                seen += 1
                assert own or word in examination_report(patient, site)
    assert seen > 8


def test_a_sign_beside_takes_the_place_of_what_denies_it() -> None:
    normal = ShownSign("mouth", "no ulcers, throat clear", False)
    assert with_signs_beside((normal,), [ULCER]) == (
        ULCER.sign,
        ShownSign("mouth", "throat clear", False),
    )


def test_nobody_notes_it_where_the_problem_is_seen() -> None:
    red = ShownSign("mouth", "throat red", True)
    assert with_signs_beside((red,), [ULCER]) == (red,)
