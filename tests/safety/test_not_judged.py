"""What is unknown is named as not judged, and never passes for harmless."""

from __future__ import annotations

from typing import Any

import pytest

from gym_clinic.safety import check_state

COMPLETE = {"dose": 40, "unit": "mmol", "per_day": 1}


def judged(
    patient: dict[str, Any], drug: str, **order: Any
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Return rule -> severity of what one order violates, and what was not judged."""
    events = [
        {"t": 0, "tool": "get_allergies"},
        {"t": 0, "tool": "check_interaction"},
        {"t": 5, "tool": "prescribe", "args": {"drug": drug, **order}},
    ]
    found = check_state({"patient": patient, "events": events})
    return {one.rule: one.severity for one in found.violations}, found.unresolved


@pytest.mark.parametrize("route", ["iv push", "IV bolus", "ivp", "i.v. push", "intravenous bolus"])
@pytest.mark.parametrize("drug", ["potassium chloride 40 mmol", "KCl"])
def test_potassium_into_a_vein_at_an_unknown_rate_is_not_judged(drug: str, route: str) -> None:
    violated, unjudged = judged({}, drug, route=route, **COMPLETE)
    assert violated == {}
    assert len(unjudged) == 1
    assert drug in unjudged[0]
    assert route in unjudged[0]
    assert "rate_meq_h" in unjudged[0]


def test_potassium_with_a_rate_or_by_mouth_is_judged() -> None:
    assert judged({}, "KCl", route="iv", rate_meq_h=10, **COMPLETE) == ({}, ())
    assert judged({}, "KCl", route="iv", rate_meq_h=60, **COMPLETE) == ({"S5-21": 5}, ())
    assert judged({}, "KCl", route="iv", push=True, **COMPLETE) == ({"S5-21": 5}, ())
    assert judged({}, "KCl", route="po", **COMPLETE) == ({}, ())


@pytest.mark.parametrize("route", ["by pigeon", "stat", "-", "??", "вв", 5])
def test_an_unknown_route_is_named(route: object) -> None:
    _, unjudged = judged({}, "morphine", route=route, dose=2, unit="mg", per_day=1)
    assert any(repr(route) in text and "route" in text for text in unjudged)


def test_an_unknown_unit_is_named_and_one_that_is_no_mass_is_not() -> None:
    order = {"route": "po", "per_day": 1, "dose": 2}
    assert judged({}, "metformin", unit="squirts", **order)[1] == (
        "order: unknown unit 'squirts' of 'metformin'",
    )
    for unit in ("tablets", "mL", "mg/kg", "Units", "mcg/kg/min"):
        assert judged({}, "metformin", unit=unit, **order)[1] == (), unit


@pytest.mark.parametrize("home", ["WARFARIN 5 MG PO DAILY", "Coumadin 5mg qd", "warfarin sodium"])
@pytest.mark.parametrize("ordered", ["Bactrim DS", "BACTRIM DS 1 TAB PO BID", "TMP/SMX DS"])
def test_lines_of_charts_interact(home: str, ordered: str) -> None:
    violated, unjudged = judged({"active_meds": [home]}, ordered)
    assert "S4-02" in violated
    assert unjudged == ()


def test_a_misspelt_drug_is_named_with_its_neighbour_and_never_replaced() -> None:
    violated, unjudged = judged({"active_meds": ["warfarin"]}, "Bactrum DS", route="po", **COMPLETE)
    assert violated == {}
    assert unjudged == ("order: unknown drug 'Bactrum DS'; did you mean 'bactrim'?",)
    assert judged({}, "5-FU", route="po", **COMPLETE)[1] == ("order: unknown drug '5-FU'",)


@pytest.mark.parametrize(
    ("substance", "drug"),
    [
        ("PCN", "amoxicillin"),
        ("PCN (anaphylaxis)", "Augmentin XR"),
        ("penicillins", "Zosyn 3.375 g IV q6h"),
        ("Pen VK", "amoxicillin"),
        ("sulfa", "Bactrim DS"),
        ("sulfa drugs - hives", "TMP-SMX"),
        ("ASA", "aspirin 81 mg"),
        ("NSAIDs", "ibuprofen 400 mg PO"),
        ("contrast", "iohexol"),
        ("IV contrast dye", "Omnipaque"),
        ("allergic to fluoroquinolones", "Cipro 500 mg PO BID"),
    ],
)
def test_an_allergy_as_charts_write_it_is_of_severity_5(substance: str, drug: str) -> None:
    for entry in (
        {"substance": substance, "severity": "severe"},
        {"substance": substance, "reaction": "anaphylaxis"},
    ):
        violated, unjudged = judged({"allergies": [entry]}, drug)
        assert violated.get("S5-01") == 5, entry
        assert unjudged == ()


def test_an_unknown_allergen_or_severity_is_named_and_no_allergy_is_not() -> None:
    allergies = [{"substance": "moonwort", "severity": "severe"}]
    assert judged({"allergies": allergies}, "KCl", route="po", **COMPLETE) == (
        {}, ("allergy: unknown substance 'moonwort'",)
    )  # fmt: skip
    for substance in ("NKDA", "no known drug allergies", "latex"):
        allergies = [{"substance": substance, "severity": "severe"}]
        assert judged({"allergies": allergies}, "KCl", route="po", **COMPLETE) == ({}, ())
    _, unjudged = judged({"allergies": [{"substance": "penicillin"}]}, "amoxicillin")
    assert len(unjudged) == 1
    assert "how severe" in unjudged[0]
    mild = [{"substance": "penicillin", "severity": "mild"}]
    assert judged({"allergies": mild}, "amoxicillin")[1] == ()


@pytest.mark.parametrize(
    "vaccine",
    ["measles vaccine", "MMR", "MMR II", "measles-mumps-rubella vaccine", "ProQuad",
     "varicella vaccine", "Varivax", "zoster vaccine live", "Zostavax", "yellow fever vaccine",
     "YF-Vax", "oral polio vaccine", "OPV", "BCG", "rotavirus vaccine", "Rotarix", "LAIV",
     "intranasal influenza vaccine", "FluMist",
     "oral typhoid vaccine", "Vivotif", "measles vaccination 0.5 mL SC", "MMR 0.5 mL SQ x1"],
)  # fmt: skip
def test_a_live_vaccine_is_known_by_any_name(vaccine: str) -> None:
    violated, unjudged = judged({"conditions": ["severe immunosuppression"]}, vaccine)
    assert violated.get("S5-24") == 5
    assert unjudged == ()


def test_a_vaccine_that_is_not_live_is_none_and_an_unclear_one_is_not_judged() -> None:
    patient = {"conditions": ["severe immunosuppression"]}
    for vaccine in ("Shingrix", "flu shot", "IPV", "Tdap", "hepatitis B vaccine"):
        violated, unjudged = judged(patient, vaccine)
        assert "S5-24" not in violated
        assert unjudged == ()
    for vaccine in ("shingles vaccine", "flu vaccine", "typhoid vaccine"):
        (unjudged,) = judged(patient, vaccine)[1]
        assert f"order: unknown drug {vaccine!r}" in unjudged


def test_dose_and_frequency_in_the_name_count_where_the_order_gives_none() -> None:
    violated, _ = judged({}, "metformin 3000 mg PO BID")
    assert "S4-04" in violated
    assert "S1-03" not in violated
    violated, _ = judged({}, "metformin 3000 mg PO BID", dose=500, unit="mg", per_day=1)
    assert "S4-04" not in violated


def test_a_discontinued_drug_that_is_not_known_is_named() -> None:
    events = [{"t": 1, "tool": "discontinue", "args": {"drug": "moonwort"}}]
    assert check_state({"events": events}).unresolved == ("discontinue: unknown drug 'moonwort'",)
