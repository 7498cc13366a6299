"""Images of one patient agree with each other."""

from __future__ import annotations

import pytest

from gym_clinic.chart.catalogue import studies_of
from gym_clinic.chart.reports import study_report
from gym_clinic.clinical import ClinicCase, open_world
from gym_clinic.clinical.judging.citations import is_true
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import draw_patient, image_report, sees
from gym_clinic.simulate.clinic.examination.imaging import (
    NOT_SEEN,
    agreeing,
    contradictions,
    imaging_table,
    without_reason,
)
from gym_clinic.simulate.clinic.examination.shown import StudyReport

SHOWN = StudyReport("Right lower lobe consolidation.", True)
CLEAR = StudyReport("Clear.", False)


def test_every_image_and_procedure_of_the_table_is_known() -> None:
    table, known = imaging_table(), set(studies_of(load()))
    assert {one for ranks in table.regions.values() for one in ranks} <= known
    assert {one for images in table.operated_if_seen.values() for one in images} <= known
    treated = {
        action
        for one in load().conditions.values()
        if one.course is not None
        for together in one.course.treated_by
        for action in together
    }
    assert table.operated_if_seen.keys() <= treated


def test_an_image_that_sees_as_much_shows_what_another_shows() -> None:
    found = image_report({"chest-x-ray": SHOWN}, "ct-chest")
    assert found == SHOWN
    assert image_report({"chest-x-ray": CLEAR}, "ct-chest") is None
    assert image_report({"chest-x-ray": SHOWN}, "ct-head") is None
    assert image_report({"chest-x-ray": SHOWN}, "lung-ultrasound") == NOT_SEEN
    assert image_report({"mri-brain": SHOWN}, "ct-head") is None


def test_the_words_of_another_technique_are_left_out() -> None:
    probe = StudyReport("Stones in the gallbladder, tender under the probe. Duct 4 mm.", True)
    found = image_report({"ultrasound-abdomen": probe}, "ct-abdomen-pelvis")
    assert found is not None
    assert found.text == "Stones in the gallbladder. Duct 4 mm."


def test_listed_images_that_contradict_each_other_are_drawn_again() -> None:
    drawn = {"ultrasound-abdomen": SHOWN, "ct-abdomen-pelvis": CLEAR}
    assert list(contradictions(drawn)) == [("ultrasound-abdomen", "ct-abdomen-pelvis")]
    found = agreeing(dict(drawn), lambda study, shows: SHOWN if shows else CLEAR)
    assert found["ct-abdomen-pelvis"] == SHOWN
    found = agreeing(dict(drawn), lambda study, shows: None if shows else CLEAR)
    assert not any(one.shows for one in found.values())
    assert not list(contradictions({"ct-head": CLEAR, "mri-brain": SHOWN}))


def test_nobody_is_operated_on_for_what_no_image_shows() -> None:
    images = {"ct-abdomen-pelvis": CLEAR, "ultrasound-abdomen": CLEAR}
    assert without_reason(images, "procedure:appendicectomy")
    assert not without_reason({**images, "ultrasound-abdomen": SHOWN}, "procedure:appendicectomy")
    assert not without_reason({}, "procedure:appendicectomy")
    assert not without_reason(images, "drug:aspirin")


@pytest.mark.parametrize("condition", ["pneumonia", "pneumothorax", "renal-colic"])
def test_an_image_that_nobody_lists_tells_the_truth_and_may_be_cited(condition: str) -> None:
    for seed in range(40, 60):
        patient = draw_patient(seed, condition)
        problem = patient.problems[0]
        listed = [one for one, report in problem.studies.items() if report.shows]
        others = [one for key in listed for one in imaging_table_images() if sees(one).get(key)]
        unlisted = [one for one in others if one not in problem.studies]
        if unlisted:
            case = ClinicCase(open_world({"seed": seed, "condition": condition}))
            text = study_report(case.patient, unlisted[0], 10, {})
            assert text == case.patient.report(unlisted[0], 10)
            assert is_true(case, f"study:{unlisted[0]}", True)
            assert not is_true(case, f"study:{unlisted[0]}", False)
            return
    pytest.fail("no patient whose listed images show the condition")


def imaging_table_images() -> list[str]:
    return sorted({one for ranks in imaging_table().regions.values() for one in ranks})


def test_an_image_that_no_condition_lists_is_told_as_the_best_of_those_that_see_no_more() -> None:
    shown = {"lung-ultrasound": StudyReport("moving air bronchograms", True),
             "chest-x-ray": StudyReport("right lower lobe consolidation", True)}  # fmt: skip
    found = image_report(shown, "ct-chest")
    assert found is not None
    assert "consolidation" in found.text
