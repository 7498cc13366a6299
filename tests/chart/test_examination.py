"""An examination answers part by part, and no part contradicts what the patient has."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest

from gym_clinic.chart import open_chart
from gym_clinic.chart import ordering as orders
from gym_clinic.chart.examination import examination_report, parts
from gym_clinic.chart.tools import READING
from gym_clinic.embedded import linker
from gym_clinic.facts import load, with_ancestors
from gym_clinic.retrieval.graph.linking import Link
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient, presenting

FACTS = load()
TOOLS = {one.name: one for one in READING}
CONDITIONS = [one.id for one in presenting(FACTS)]


def patient_of(seed: int) -> ClinicPatient:
    return draw_patient(seed, CONDITIONS[seed % len(CONDITIONS)])


def own_words(patient: ClinicPatient, site: str) -> list[str]:
    return list(dict.fromkeys(one.text for one in patient.examination if one.site == site))


@pytest.mark.population
def test_added_findings_are_normal_and_true(some: Callable[[Sequence[int]], Sequence[int]]) -> None:
    read, wrong = 0, []
    for seed in some(range(len(CONDITIONS))):
        patient = patient_of(seed)
        here = [key for key, there in patient.findings().items() if there]
        has = with_ancestors(here, FACTS.above)
        for site in parts():
            own = "; ".join(own_words(patient, site))
            told = {one.record.id: one.status for one in _links(own)}
            for one in _links(examination_report(patient, site)):
                read += 1
                added = told.get(one.record.id) != one.status
                if added and (one.status == "present" or one.record.id in has):
                    name = FACTS.phenotypes[one.record.id].name
                    wrong.append(f"{seed} {patient.problems[0].condition}, {site}: {name}")
    assert read > 20
    assert len(wrong) <= read / 300, wrong


def _links(text: str) -> list[Link]:
    """Read each finding of a report alone."""
    links = (one for finding in text.split("; ") for one in linker().link(finding))
    return [one for one in links if one.status in ("present", "absent")]


def test_what_the_record_says_is_told_word_for_word_and_the_same_each_time() -> None:
    for seed in range(0, 60, 3):
        patient = patient_of(seed)
        for site in {one.site for one in patient.examination}:
            report = examination_report(patient, site)
            assert all(text in report for text in own_words(patient, site))
            assert report == examination_report(patient, site)


def test_normal_findings_stand_beside_abnormal_ones() -> None:
    patients = [patient_of(seed) for seed in range(0, len(CONDITIONS), 4)]
    counts = [
        examination_report(one, site).count(";")
        for one in patients
        for site in {sign.site for sign in one.examination if sign.abnormal} & parts().keys()
    ]
    assert sum(count > 0 for count in counts) > 0.6 * len(counts)


def test_a_part_knows_its_own_normal_words() -> None:
    for site, known in parts().items():
        for one in known:
            assert one.unless == one.unless.lower(), "held against words in lower case"
            for words in one.normal:
                assert re.search(one.names, words, re.IGNORECASE), (site, words)


def test_no_infant_talks_in_full_sentences() -> None:
    drawn = [draw_patient(seed, "acute-otitis-media") for seed in range(120)]
    infants = [one for one in drawn if one.person.age < 2]
    assert infants
    assert not [one for one in infants if "sentences" in examination_report(one, "general")]


def test_what_touches_a_part_keeps_its_normal_words_away() -> None:
    patients = [draw_patient(seed, "nephrotic-syndrome") for seed in range(80)]
    swollen = [one for one in patients if "oedema" in str(own_words(one, "limbs"))]
    assert len(swollen) >= 6
    reports = [examination_report(one, "limbs") for one in swollen]
    assert not any(re.search(r"no (\w+ )?(oedema|swelling)", one) for one in reports)


def test_an_examination_says_when_the_patient_has_woken_up() -> None:
    patient = next(
        one
        for one in (draw_patient(seed, "opioid-overdose") for seed in range(50))
        if one.state(0)["gcs"] < 11 and one.person.age >= 18
    )
    chart = open_chart(patient)
    examine = {"system": "general"}
    assert "since arrival" not in TOOLS["examine_patient"].call(examine, chart)
    orders.give_medicine(chart, "naloxone", 0.4, "mg", "iv")
    chart.spend(30)
    assert TOOLS["examine_patient"].call(examine, chart)["since arrival"] == "more awake"


def test_skin_is_not_warm_where_the_refill_is_slow_or_a_part_is_cool() -> None:
    drawn = [
        draw_patient(seed, one) for one in ("cardiac-tamponade", "sepsis") for seed in range(25)
    ]
    cold = [
        one
        for one in drawn
        if one.state(0)["crt_s"] >= 3 or re.search("cool hand|mottl", one.touching)
    ]
    assert len(cold) > 10
    said = [examination_report(one, "skin") for one in cold]
    assert not [one for one in said if re.search(r"warm and dry|skin warm|normal temperature", one)]
