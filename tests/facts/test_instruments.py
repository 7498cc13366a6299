"""The embedded scores, compared with the published definitions beside the checkout."""

from __future__ import annotations

import re
from typing import Any

from gym_clinic.facts.models import Instrument
from gym_clinic.facts.tables import Facts

OF = {
    "abcd2": "abcd2",
    "albumin-corrected-calcium": "corrected_ca",
    "alvarado-score": "alvarado",
    "alveolar-arterial-oxygen-gradient": "aa_gradient",
    "anion-gap": "anion_gap",
    "apache-ii": "apache2",
    "apgar-score": "apgar",
    "audit": "audit",
    "audit-c": "audit_c",
    "biophysical-profile-bpp": "bpp",
    "bisap": "bisap",
    "bishop-score": "bishop",
    "body-mass-index-bmi": "bmi",
    "body-surface-area-mosteller": "bsa",
    "braden-scale": "braden",
    "brighton-paediatric-early-warning-score-pews": "pews_brighton",
    "cage": "cage",
    "calculated-serum-osmolality": "osmolality",
    "canadian-ct-head-rule": "cchr",
    "caprini-score": "caprini",
    "cha2ds2-vasc": "cha2ds2vasc",
    "charlson-comorbidity-index": "cci",
    "child-pugh-score": "child_pugh",
    "ciwa-ar": "ciwa_ar",
    "ckd-epi-2021-equation": "ckdepi2021",
    "cockcroft-gault-equation": "cockcroft_gault",
    "columbia-suicide-severity-screener-c-ssrs": "cssrs_screen",
    "confusion-assessment-method-cam": "cam",
    "corrected-qt-interval-qtc": "qtc",
    "curb-65": "curb65",
    "edinburgh-postnatal-depression-scale-epds": "epds",
    "emergency-severity-index-esi": "esi",
    "estimated-due-date-edd": "edd",
    "fib-4-index": "fib4",
    "fractional-excretion-of-sodium-fena": "fena",
    "free-water-deficit": "free_water_deficit",
    "friedewald-equation": "ldl_friedewald",
    "gad-7": "gad7",
    "gestational-age": "gest_age",
    "glasgow-blatchford-score": "gbs",
    "glasgow-coma-scale-gcs": "gcs",
    "glucose-corrected-sodium": "corrected_na",
    "grace-score-for-in-hospital-death": "grace_inhosp",
    "hamilton-depression-rating-scale-17-items-ham-d": "hamd17",
    "has-bled": "hasbled",
    "heart-score": "heart",
    "hellp-criteria-tennessee": "hellp",
    "ideal-body-weight-devine": "ibw",
    "kdigo-stages-of-acute-kidney-injury": "kdigo_aki",
    "lace-index": "lace",
    "maddrey-discriminant-function": "maddrey",
    "mcisaac-score-modified-centor-score": "mcisaac",
    "mean-arterial-pressure-map": "map",
    "meld-3-0": "meld3",
    "meld-na": "meld_na",
    "mood-disorder-questionnaire-mdq": "mdq",
    "morphine-milligram-equivalents-mme": "mme",
    "morse-fall-scale": "morse",
    "national-early-warning-score-2-news2": "news2",
    "nih-stroke-scale-nihss": "nihss",
    "ottawa-ankle-rule": "ottawa_ankle",
    "padua-prediction-score": "padua",
    "pcl-5": "pcl5",
    "pecarn-head-injury-rule-2-years-and-older": "pecarn_ge2",
    "pecarn-head-injury-rule-under-2-years": "pecarn_lt2",
    "perc-rule": "perc",
    "phoenix-sepsis-score": "phoenix",
    "phq-9": "phq9",
    "pneumonia-severity-index-psi-port": "psi",
    "preeclampsia-criteria": "preeclampsia",
    "quick-sofa-qsofa": "qsofa",
    "ranson-criteria": "ranson",
    "revised-cardiac-risk-index-rcri": "rcri",
    "revised-trauma-score-rts": "rts",
    "rockall-score-complete": "rockall",
    "saps-ii": "saps2",
    "sequential-organ-failure-assessment-sofa": "sofa",
    "shock-index": "shock_index",
    "sirs-criteria": "sirs",
    "timi-risk-score-for-stemi": "timi_stemi",
    "timi-risk-score-for-unstable-angina": "timi_ua",
    "wells-criteria-for-deep-vein-thrombosis": "wells_dvt",
    "wells-criteria-for-pulmonary-embolism": "wells_pe",
    "winters-formula": "winters",
    "yale-observation-scale": "yale_obs",
    "young-mania-rating-scale-ymrs": "ymrs",
}
"""Score of ours -> the published definition."""

COUNTED = [
    "abcd2",
    "alvarado-score",
    "bisap",
    "bishop-score",
    "cage",
    "child-pugh-score",
    "curb-65",
    "has-bled",
    "hellp-criteria-tennessee",
    "lace-index",
    "morse-fall-scale",
    "national-early-warning-score-2-news2",
    "padua-prediction-score",
    "perc-rule",
    "quick-sofa-qsofa",
    "ranson-criteria",
    "revised-cardiac-risk-index-rcri",
    "rockall-score-complete",
    "sirs-criteria",
    "timi-risk-score-for-stemi",
    "timi-risk-score-for-unstable-angina",
    "wells-criteria-for-deep-vein-thrombosis",
    "wells-criteria-for-pulmonary-embolism",
    "heart-score",
    "cha2ds2-vasc",
    "glasgow-blatchford-score",
    "braden-scale",
    "apgar-score",
    "biophysical-profile-bpp",
    "mcisaac-score-modified-centor-score",
    "glasgow-coma-scale-gcs",
    "sequential-organ-failure-assessment-sofa",
    "saps-ii",
    "audit-c",
    "brighton-paediatric-early-warning-score-pews",
]
"""Scores whose total is the sum of the points in brackets behind each item."""

_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"
_RANGES = (
    rf"({_NUMBER})(?:-| to )({_NUMBER})",
    rf"({_NUMBER}) or more",
    rf"({_NUMBER}) or less",
    rf"above ({_NUMBER})",
    rf"below ({_NUMBER})",
    rf"({_NUMBER})",
)
_UNITS = re.compile(r" (?:ms|weeks|mmHg)\b")
STEPS = {"biophysical-profile-bpp": 2}
"""Scores whose totals have steps larger than one."""


def matches(text: str, score: float) -> bool | None:
    """Return whether a score is in a written range; None where the text is not a range."""
    for pattern in _RANGES:
        found = re.fullmatch(pattern, _UNITS.sub("", text))
        if not found:
            continue
        numbers = [float(number) for number in found.groups()]
        if len(numbers) == 2:
            return numbers[0] <= score <= numbers[1]
        if "or more" in text:
            return score >= numbers[0]
        if "or less" in text:
            return score <= numbers[0]
        if text.startswith("above"):
            return score > numbers[0]
        if text.startswith("below"):
            return score < numbers[0]
        return score == numbers[0]
    return None


def test_every_published_score_is_there(facts: Facts, published: dict[str, dict[str, Any]]) -> None:
    assert set(OF) == set(facts.instruments)
    assert sorted(OF.values()) == sorted(published)


def test_the_citation_is_the_published_one(
    facts: Facts, published: dict[str, dict[str, Any]]
) -> None:
    for key, one in facts.instruments.items():
        theirs = published[OF[key]]["citation"].replace(">=32", "of at least 32")
        assert one.citation == theirs, key


def test_bands_end_where_the_published_ones_do(
    facts: Facts, published: dict[str, dict[str, Any]]
) -> None:
    compared = 0
    for key, one in facts.instruments.items():
        bands = published[OF[key]].get("bands", [])
        inputs = {name for band in bands for name in re.findall("[A-Za-z_]+", band["if"])}
        if not bands or inputs - {"score", "True"}:
            continue  # read by more than the total
        names: dict[str, set[str]] = {}
        for score in _scores(key, one, published[OF[key]]):
            ours = [band.meaning for band in one.bands if matches(band.range, score)]
            theirs = next(band["value"] for band in bands if eval(band["if"], {}, {"score": score}))
            assert len(ours) == 1, (key, score, ours)
            names.setdefault(ours[0], set()).add(theirs)
        assert all(len(found) == 1 for found in names.values()), (key, names)
        assert set().union(*names.values()) == {band["value"] for band in bands}, (key, names)
        compared += 1
    assert compared >= 30


def _scores(key: str, one: Instrument, published: dict[str, Any]) -> list[float]:
    """Return all totals; for a measure its limits and the values one step beside them."""
    if total := published.get("total_range"):
        low, high = map(int, total)
        return [float(score) for score in range(low, high + 1, STEPS.get(key, 1))]
    written = [
        text for band in one.bands for text in re.findall(r"[0-9]+(?:\.[0-9]+)?", band.range)
    ]
    places = max(len(text.partition(".")[2]) for text in written)
    step = 10.0**-places
    limits = {float(text) for text in written}
    return sorted(
        {
            round(limit + by, places)
            for limit in limits
            for by in (-step, 0.0, step)
            if limit + by >= 0
        }
    )


def test_points_add_up_to_the_published_range(
    facts: Facts, published: dict[str, dict[str, Any]]
) -> None:
    for key in COUNTED:
        most = least = 0.0
        for item in facts.instruments[key].items:
            numbers = [
                float(number)
                for inner in re.findall(r"\(([^)]*)\)", item)
                for number in re.findall(r"(?<![0-9])" + _NUMBER, inner)
                if re.match(r"-?[0-9]", inner)
            ]
            assert numbers, (key, item)
            most += max(0.0, *numbers)
            least += min(0.0, *numbers) if key != "glasgow-coma-scale-gcs" else min(numbers)
        low, high = published[OF[key]]["total_range"]
        assert most == high, (key, most, high)
        if least < 0:
            assert least == low, (key, least, low)
