"""What must hold of the values of a simulated patient at any time."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.physiology.body import (
    reference,
)

State = dict[str, float]


Check = Callable[[ClinicPatient], str | None]


TIMES = (0, 60, 360)


STATES = "states of the checks"


def states_of(patient: ClinicPatient) -> tuple[State, ...]:
    """The states before, on and after arrival; they are computed once for all checks."""
    known: dict[str, tuple[State, ...]] = patient.__dict__
    if STATES not in known:
        known[STATES] = (patient.usual, *(patient.state(minute) for minute in TIMES))
    return known[STATES]


def of_states(
    check: Callable[[State, ClinicPatient], str | None],
) -> Callable[[ClinicPatient], str | None]:
    """Return a check of the states before, on and after arrival."""

    def whole(patient: ClinicPatient) -> str | None:
        for state in states_of(patient):
            if wrong := check(state, patient):
                return wrong
        return None

    return whole


def near(name: str, expected: Callable[[State, ClinicPatient], float], within: float) -> Any:
    """Return a check that a measurement is what others make of it."""

    def check(state: State, patient: ClinicPatient) -> str | None:
        low, high = patient.facts.measurements[name].possible
        right = min(max(expected(state, patient), low), high)
        return None if abs(state[name] - right) <= within else f"{name} {state[name]}, not {right}"

    return of_states(check)


def egfr(state: State, patient: ClinicPatient) -> float:
    """CKD-EPI 2021, and the bedside formula of Schwartz in children."""
    age, female, creatinine = (
        patient.person.age,
        patient.person.sex == "female",
        state["creatinine"],
    )
    if age < 18:
        height = 50 + 27 * min(age, 1) + 6.5 * max(age - 1, 0)
        return 0.413 * height / creatinine
    kappa, alpha = (0.7, -0.241) if female else (0.9, -0.302)
    ratio = creatinine / kappa
    result = 142 * min(ratio, 1) ** alpha * max(ratio, 1) ** -1.2 * 0.9938**age
    return result * (1.012 if female else 1)


def gap(state: State, patient: ClinicPatient) -> float:
    acids = sum(state[acid] for acid in ("lactate", "ketones", "unmeasured_acids"))
    return 4 + (state["albumin"] * 10 - 20) * 0.2 + acids


def oxygen(state: State, patient: ClinicPatient) -> float:
    """The dissociation curve, about."""
    return min(max(26.8 * (state["spo2"] / (100.5 - state["spo2"])) ** 0.37, 18), 118)


def osmolality(state: State, patient: ClinicPatient) -> float:
    solutes = 2 * state["na"] + state["glucose"] / 18 + state["bun"] / 2.8
    return solutes + state["osmolal_gap"]


def urea_follows(state: State, patient: ClinicPatient) -> str | None:
    """Where creatinine is twice that of the healthy person or more, urea is clearly raised too."""
    rise = state["creatinine"] / patient.healthy["creatinine"]
    least = patient.healthy["bun"] * (1.4 if patient.person.pregnant_weeks is None else 1.0)
    lags = rise >= 2 and state["bun"] < least
    return f"urea nitrogen {state['bun']:.0f} at {rise:.1f} times the creatinine" if lags else None


def renal_anaemia(patient: ClinicPatient) -> str | None:
    """Who has lived with ill kidneys that hardly filter lacks haemoglobin."""
    known = {one.condition for one in patient.background if not one.mistaken}
    rate, lost = patient.usual["egfr"], patient.healthy["hb"] - patient.usual["hb"]
    least = 2 if rate < 20 else 1.1 if rate < 30 else 0
    wrong = "chronic-kidney-disease" in known and lost < least
    return f"Hb {lost:.1f} lower at {rate:.0f}" if wrong else None


def pulse_pressure(state: State, patient: ClinicPatient) -> str | None:
    """A quarter of the systolic pressure at least, but for shock and a heart that is held up."""
    has = {one.condition for one in (*patient.problems, *patient.background)}
    low = reference(patient.facts.measurements["sbp"], *patient.person.measured_by)
    assert low is not None
    shocked = state["sbp"] < (low.low or 0)
    shocked = shocked or (patient.person.age >= 16 and state["hr"] > state["sbp"])
    held_up = shocked or not has.isdisjoint(("aortic-stenosis", "cardiac-tamponade"))
    wide = state["sbp"] - state["dbp"] >= (0.16 if held_up else 0.25) * state["sbp"] - 0.01
    return None if wide else f"{state['sbp']:.0f}/{state['dbp']:.0f}"


def differential(state: State, patient: ClinicPatient) -> str | None:
    """The shares of white cells add up to a hundred at most, and the film sees the same blasts."""
    shares = ("neutrophil_pct", "lymphocyte_pct", "eosinophil_pct", "blast_pct")
    whole = sum(state[one] for one in shares)
    return None if whole <= 100.5 else f"white cells add up to {whole:.0f}%"


def blasts(patient: ClinicPatient) -> str | None:
    """A film counts the blasts that there are on arrival, within some cells of a hundred."""
    found = re.search(r"(\d+)%", patient.report("blood-film") or "")
    leukaemia = any("leukaemia" in one.condition for one in patient.problems)
    away = abs(int(found[1]) - patient.state(0)["blast_pct"]) if leukaemia and found else 0
    return None if away <= 6 else f"{patient.report('blood-film')}, by {away:.0f} wrong"


def direct_bilirubin(state: State, patient: ClinicPatient) -> str | None:
    part = state["bilirubin_direct"] <= state["bilirubin"] + 1e-9
    return None if part else f"{state['bilirubin_direct']} of {state['bilirubin']}"


def winter(state: State, patient: ClinicPatient) -> str | None:
    """In metabolic acidosis without a disorder of breathing carbon dioxide is low."""
    breathing = any("pco2" in one.effects for one in (*patient.problems, *patient.background))
    if breathing or state["hco3"] > 16:
        return None
    expected = 1.5 * state["hco3"] + (8 if patient.person.pregnant_weeks is None else 3)
    right = abs(state["pco2"] - expected) <= 8
    return None if right else f"pco2 {state['pco2']:.0f}, by Winter {expected:.0f}"


def possible(state: State, patient: ClinicPatient) -> str | None:
    for key, value in state.items():
        low, high = patient.facts.measurements[key].possible
        if not low <= value <= high:
            return f"{key} {value}"
    return None


def complete(state: State, patient: ClinicPatient) -> str | None:
    missing = patient.facts.measurements.keys() - state.keys()
    return f"no {sorted(missing)}" if missing else None
