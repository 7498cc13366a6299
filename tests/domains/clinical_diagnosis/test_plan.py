"""The reference plan looks before it treats, and knows what must be known."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import cache
from typing import Any
from unittest.mock import MagicMock

import pytest

from gym_clinic.clinical.judging.judge import JudgedEpisode
from gym_clinic.clinical.tasks import MadeTask, TaskDraft, seed_of
from gym_clinic.clinical.world import open_world
from gym_clinic.domain import CallSpec
from gym_clinic.domains.clinical_diagnosis import supplements
from gym_clinic.domains.clinical_diagnosis.judge import JUDGE, UNREAD, WITHOUT_OXYGEN, harms
from gym_clinic.domains.clinical_diagnosis.plan import (
    TREATS,
    asks_for_oxygen,
    oxygen_first,
    urgent_calls,
)
from gym_clinic.domains.clinical_diagnosis.tasks import make_task, try_plan
from gym_clinic.simulate.clinic import draw_patient
from gym_clinic.simulate.clinic.patient import RETAIN_CARBON_DIOXIDE


@pytest.fixture(autouse=True, scope="module")
def _without_large_indexes() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(supplements, "RARE", 0.0)
        yield


@cache
def made(condition: str, treats: tuple[str, ...] = TREATS) -> MadeTask:
    """A task of a condition whose plan treats by one of some tools."""
    for number in range(30):
        one = make_task(TaskDraft(condition, seed_of("dev", number), "dev"))
        if one is not None and any(name in treats for name, _ in calls(one)):
            return one
    raise AssertionError(f"no task of {condition} is treated")


def calls(one: MadeTask) -> list[tuple[str, dict[str, Any]]]:
    return [(call["name"], call["arguments"]) for batch in one.gold["plan"] for call in batch]


@pytest.mark.parametrize(
    ("condition", "look"),
    [
        ("tension-pneumothorax", ("examine_patient", {"system": "chest"})),
        ("cardiac-tamponade", ("examine_patient", {"system": "limbs"})),
        ("opioid-overdose", ("examine_patient", {"system": "eyes"})),
        ("hypoglycaemia", ("read_results", {"order": "glucometer"})),
    ],
)
def test_the_least_look_comes_before_treatment(
    condition: str, look: tuple[str, dict[str, Any]]
) -> None:
    made_calls = calls(made(condition))
    treats = {*TREATS} - {"give_oxygen"}  # who lacks oxygen is not looked at first
    treated = next(place for place, one in enumerate(made_calls) if one[0] in treats)
    assert look in made_calls[:treated]


@pytest.mark.parametrize("condition", ["pneumonia", "infectious-mononucleosis"])
def test_the_history_is_taken_before_tests_where_nothing_is_done_at_once(condition: str) -> None:
    tasks = (make_task(TaskDraft(condition, seed_of("dev", number), "dev")) for number in range(30))
    names = next(
        found for one in tasks
        if one is not None and not {*TREATS} & {*(found := [name for name, _ in calls(one)])}
    )  # fmt: skip
    asked = [
        place for place, name in enumerate(names) if name in ("ask_patient", "examine_patient")
    ]
    assert max(asked) < min(place for place, name in enumerate(names) if name.startswith("order_"))


@pytest.mark.parametrize(
    ("condition", "study", "treatment"),
    [
        ("aortic-dissection", "ct-angiogram-aorta", ("perform_procedure",)),
        ("cardiac-tamponade", "echocardiogram", ("perform_procedure",)),
        ("ectopic-pregnancy", "transvaginal-ultrasound", ("perform_procedure",)),
    ],
)
def test_what_shows_it_is_read_before_an_operation(
    condition: str, study: str, treatment: tuple[str, ...]
) -> None:
    made_calls = calls(made(condition, treatment))
    operated = next(place for place, one in enumerate(made_calls) if one[0] in treatment)
    assert ("read_results", {"order": study}) in made_calls[:operated]


def test_a_stroke_is_not_lysed_before_a_ct_was_read() -> None:
    one = made("stroke", ("give_medication",))
    plan = [[(call["name"], call["arguments"]) for call in batch] for batch in one.gold["plan"]]
    read = ("read_results", {"order": "ct-head"})
    assert any(read in batch for batch in plan)
    blind = [[call for call in batch if call != read] for batch in copy.deepcopy(plan)]
    careful, careless = (
        [harm for harm in harms(try_plan(one.record, each).judged(JUDGE, one.gold,
                                                                  one.gold["answer"]))
         if "before the study was read" in harm.text]
        for each in (plan, blind)
    )  # fmt: skip
    assert not careful
    assert [harm.severity for harm in careless] == [UNREAD]


@cache
def without_enough_oxygen(condition: str) -> MadeTask:
    """A task of a condition whose patient comes with too low a saturation."""
    for number in range(30):
        one = make_task(TaskDraft(condition, seed_of("dev", number), "dev"))
        if one is not None and asks_for_oxygen(open_world(one.record)):
            return one
    raise AssertionError(f"no task of {condition} lacks oxygen")


def judged(one: MadeTask, plan: list[list[CallSpec]]) -> JudgedEpisode:
    return try_plan(one.record, plan).judged(JUDGE, one.gold, one.gold["answer"])


def test_who_lacks_oxygen_gets_it_before_tests_are_awaited() -> None:
    one = without_enough_oxygen("pneumonia")
    plan = [[(call["name"], call["arguments"]) for call in batch] for batch in one.gold["plan"]]
    names = [name for batch in plan for name, _ in batch]
    assert names.index("give_oxygen") < names.index("order_study") < names.index("wait")
    whole = judged(one, plan)
    assert whole.perfect
    bare = [[call for call in batch if call[0] != "give_oxygen"] for batch in plan]
    assert not judged(one, bare).solved
    assert judged(one, bare).assertion() < 1
    assert WITHOUT_OXYGEN in judged(one, bare).severities
    late = judged(one, [*bare, [("wait", {"minutes": 30})], *given(plan)])
    assert late.assertion() < 1
    assert WITHOUT_OXYGEN not in late.severities


def given(plan: list[list[CallSpec]]) -> list[list[CallSpec]]:
    return [batch for batch in plan if batch[0][0] == "give_oxygen"]


def test_ventilation_gives_oxygen_too() -> None:
    one = without_enough_oxygen("pneumonia")
    mask = ("perform_procedure", {"procedure": "high-flow-oxygen", "emergency": True})
    plan = [
        [mask if call["name"] == "give_oxygen" else (call["name"], call["arguments"])
         for call in batch]
        for batch in one.gold["plan"]
    ]  # fmt: skip
    assert not judged(one, plan).missing
    assert judged(one, plan).assertion() == 1


@pytest.mark.parametrize(
    ("lung", "saturation", "device"),
    [
        ((), 93.0, None),
        ((), 90.5, "nasal cannula"),
        ((), 84.0, "non-rebreather mask"),
        (RETAIN_CARBON_DIOXIDE, 89.0, None),
        (RETAIN_CARBON_DIOXIDE, 84.0, "venturi mask"),
    ],
)
def test_oxygen_has_the_target_of_the_patient(
    lung: tuple[str, ...], saturation: float, device: str | None
) -> None:
    world = MagicMock()
    world.patient.problems = [MagicMock(condition="pneumonia")]
    world.patient.background = [MagicMock(condition=one) for one in lung]
    world.patient.person.age = 70
    world.patient.state.return_value = {"spo2": saturation, "sbp": 130.0}
    found, _ = oxygen_first(world, [])
    assert [one["device"] for _, one in found] == ([] if device is None else [device])
    assert asks_for_oxygen(world) is (device is not None)


def test_the_service_that_is_asked_is_one_for_the_illness() -> None:
    asked = {
        (condition, arguments["service"])
        for condition in ("postpartum-haemorrhage", "pneumonia")
        for number in range(20)
        if (one := make_task(TaskDraft(condition, seed_of("dev", number), "dev"))) is not None
        for name, arguments in calls(one)
        if name == "consult_service"
    }
    assert asked == {
        ("postpartum-haemorrhage", "obstetrics"), ("pneumonia", "respiratory medicine"),
    }  # fmt: skip


def test_a_plan_is_perfect_call_by_call_as_well() -> None:
    """One call a message takes longer than a team."""
    one = made("hyperkalaemia", ("give_medication",))
    alone = [[(call["name"], call["arguments"])] for batch in one.gold["plan"] for call in batch]
    assert judged(one, alone).perfect


def test_nobody_asks_for_consent_to_what_was_done_in_an_emergency() -> None:
    world = open_world({"seed": 3, "condition": "pneumonia"})
    orders = ["procedure:pericardiocentesis"]
    done = [("perform_procedure", {"procedure": "pericardiocentesis", "emergency": True})]

    def consents(urgent: list[CallSpec]) -> bool:
        steps = supplements._care(world, orders, (), urgent)
        return any(name == "obtain_consent" for _, calls in steps for name, _ in calls)

    assert consents([])
    assert not consents(done)


@pytest.mark.parametrize(
    ("condition", "doses"),
    [
        ("bacterial-meningitis", {"Ceftriaxone": (2000, "mg"), "Dexamethasone": (10, "mg")}),
        ("anaphylaxis", {"Epinephrine": (0.5, "mg")}),
    ],
)
def test_a_first_dose_is_the_one_that_is_given(
    condition: str, doses: dict[str, tuple[float, str]]
) -> None:
    seed = next(n for n in range(0, 400, 4) if draw_patient(n, condition).person.age >= 18)
    world = open_world({"seed": seed, "condition": condition, "split": "train"})
    orders = [f"drug:{name.lower()}" for name in doses]
    given = {
        one["drug"]: (one["dose"], one["unit"])
        for name, one in urgent_calls(world, orders) or ()
        if name == "give_medication"
    }
    assert given == doses


def test_the_dose_that_dissolves_a_clot_goes_by_weight() -> None:
    for seed in range(0, 40, 4):
        world = open_world({"seed": seed, "condition": "stroke", "split": "train"})
        calls = urgent_calls(world, ["drug:alteplase"]) or []
        (dose,) = (one["dose"] for name, one in calls if name == "give_medication")
        assert dose == min(90, round(0.9 * world.patient.person.weight_kg))
