"""The shared tools over charts: random calls, errors, reports, scores."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest
from chart_domain import world

from gym_clinic import Kind, ToolError
from gym_clinic.chart import Chart, catalogue, open_chart, safety_state
from gym_clinic.chart.order_names import abbreviations
from gym_clinic.chart.tools import ASKING, ORDERING, READING, TREATING, score_tools
from gym_clinic.facts import load
from gym_clinic.safety import check_state
from gym_clinic.simulate.clinic import draw_patient, presenting
from gym_clinic.toolbox import Tool, Toolbox, to_text

TOOLS = {one.name: one for one in (*ASKING, *READING, *ORDERING, *TREATING, *score_tools())}
WORDS = ("", "o1", "o2", "all", "amoxicillin", "Tylenol", "morphine 10 mg", "warfarin", "ecg",
         "blood-count", "potassium", "chest-x-ray", "lumbar puncture", "intubation", "cardiology",
         "sepsis", "iv", "nasal cannula", "triage line", "β-blocker ✓", "x" * 300)  # fmt: skip
NUMBERS = (-1, 0, 1, 2, 15, 37.5, 90, 120, 480, 1e9)


def opened(seed: int = 5, condition: str = "pneumonia") -> Chart:
    patient, record = world(seed, condition)
    return Chart(record, patient)


def call(chart: Chart, name: str, **arguments: Any) -> Any:
    """Call a tool as the environment does."""
    chosen = TOOLS[name]
    chart.writable = chosen.writes
    return chosen.call(arguments, chart)


def value(schema: dict[str, Any], random: Random) -> Any:
    """A random value for a parameter, mostly of its type."""
    if "anyOf" in schema:
        schema = random.choice(schema["anyOf"])
    if "enum" in schema and random.random() < 0.9:
        return random.choice(schema["enum"])
    kinds: dict[str, Any] = {
        "string": lambda: random.choice(WORDS),
        "number": lambda: random.choice(NUMBERS),
        "integer": lambda: int(random.choice(NUMBERS)),
        "boolean": lambda: random.random() < 0.5,
        "array": lambda: [
            value(schema.get("items", {}), random) for _ in range(random.randrange(5))
        ],
        "null": lambda: None,
    }
    kind = schema.get("type", "string") if random.random() < 0.95 else random.choice(list(kinds))
    return kinds[kind]()


def arguments(one: Tool, random: Random) -> dict[str, Any]:
    parameters = one.schema["function"]["parameters"]
    required = parameters.get("required", [])
    return {
        name: value(schema, random)
        for name, schema in parameters["properties"].items()
        if name in required or random.random() < 0.4
    }


def plays(seed: int, condition: str | None, steps: int) -> tuple[Chart, list[str]]:
    """Call tools at random; return the chart and what was answered."""
    random = Random(f"{seed}:play")
    chart, answers = open_chart(draw_patient(seed, condition), {"triage line": "Walked in."}), []
    for _ in range(steps):
        one = random.choice(list(TOOLS.values()) if random.random() < 0.3 else _OFTEN)
        chart.writable = one.writes
        try:
            answers.append(to_text(one.call(arguments(one, random), chart)))
        except ToolError as error:
            answers.append(f"error: {error}")
    return chart, answers


_OFTEN = [*ASKING, *READING, *ORDERING, *TREATING]


@pytest.fixture(scope="module")
def played() -> list[tuple[Chart, list[str]]]:
    conditions = [one.id for one in presenting(load())]
    return [plays(seed, Random(seed).choice(conditions), 20) for seed in range(50)]


def test_random_calls_answer_or_raise_tool_errors_only(
    played: list[tuple[Chart, list[str]]],
) -> None:
    answers = [answer for _, told in played for answer in told]
    errors = [answer for answer in answers if answer.startswith("error: ")]
    assert len(answers) == 50 * 20
    assert len(errors) < len(answers), "some calls succeed"
    assert max(map(len, errors)) < 2_500


def test_the_same_calls_give_the_same_answers(played: list[tuple[Chart, list[str]]]) -> None:
    chart = played[3][0]
    again, answers = plays(3, chart.patient.problems[0].condition, 20)
    assert answers == played[3][1]
    assert again.events == chart.events


def test_every_play_can_be_judged(played: list[tuple[Chart, list[str]]]) -> None:
    for chart, _ in played:
        judged = check_state(safety_state(chart, {"disposition": "home"}))
        wrong = [one for one in judged.unresolved if not one.startswith("order: unknown drug")]
        assert not wrong


def test_nothing_an_agent_reads_names_what_brings_the_patient() -> None:
    facts = load()
    for seed in range(25):
        chart = open_chart(draw_patient(seed))
        problem = chart.patient.problems[0].condition
        lived_with = {one.condition for one in chart.patient.background}
        if problem in lived_with:
            continue
        told = [to_text(call(chart, "read_patient_record"))]
        for section in ("past illnesses", "procedures", "habits", "pregnancy"):
            told.append(to_text(call(chart, "read_history", section=section)))
        for name in ("read_medicines", "read_allergies", "list_documents", "measure_vital_signs"):
            told.append(to_text(call(chart, name)))
        tests = sorted(catalogue.tests_of(facts))
        call(chart, "order_lab", tests=tests[:12])
        call(chart, "wait", minutes=3)
        told.append(to_text(call(chart, "list_orders")))
        disease = facts.diseases[problem]
        names = [disease.name, *disease.synonyms, problem]
        text = " ".join(told).casefold()
        assert not [one for one in names if len(one) > 3 and _names(one, text)]


def _names(name: str, text: str) -> bool:
    return re.search(rf"\b{re.escape(name.casefold())}\b", text) is not None


@pytest.mark.parametrize(
    ("name", "given", "hint"),
    [
        ("order_lab", {"tests": ["troponine"]}, "did you mean 'troponin'"),
        ("order_lab", {"tests": ["ct-head"]}, "use order_study"),
        ("order_lab", {"tests": []}, "1 to 12 tests"),
        ("order_study", {"study": "chest xray 2"}, "chest-x-ray"),
        ("order_study", {"study": "cbc"}, "use order_lab"),
        ("order_study", {"study": "cardiotocography"}, "cannot be done in this patient"),
        ("perform_procedure", {"procedure": "intubate"}, "did you mean 'intubation'"),
        ("consult_service", {"service": "cardiologist", "question": "?"}, "cardiology"),
        ("give_oxygen", {"device": "nasal canula", "litres_per_minute": 2}, "nasal cannula"),
        (
            "give_medication",
            {"drug": "amoxicilin", "dose": 1, "unit": "g", "route": "iv"},
            "did you mean 'amoxicillin'",
        ),
        (
            "give_medication",
            {"drug": "morphine", "dose": 0, "unit": "mg", "route": "iv"},
            "above 0",
        ),
        ("discontinue_medication", {"drug": "warfarin"}, "not among the medicines"),
        ("cancel_order", {"order": "o9"}, "No order 'o9'"),
        ("read_results", {"order": "ecg"}, "No order 'ecg'"),
        ("ask_patient", {"question": " "}, "1 to 500 characters"),
        ("read_document", {"title": "triage lin"}, "did you mean 'triage line'"),
        ("wait", {"minutes": 0}, "expected 1 to 480"),
        ("calculate_qsofa", {"rr": 20, "sbp": 100}, "qsofa needs gcs"),
        ("calculate_qsofa", {"rr": "fast", "sbp": 100, "gcs": 15}, "expected a number"),
        ("calculate_qsofa", {"rr": 20, "sbp": 100, "gcs": 15, "hr": 80}, "unknown argument 'hr'"),
    ],
)
def test_errors_name_what_would_be_right(name: str, given: dict[str, Any], hint: str) -> None:
    chart = opened(7, "pneumonia")
    with pytest.raises(ToolError, match=re.escape(hint)):
        call(chart, name, **given)
    assert chart.minute == 0, "a call that fails takes no time"


def test_looking_and_acting_have_their_kinds() -> None:
    assert {one.kind for one in READING} == {Kind.READ}
    assert {one.kind for one in (*ORDERING, *TREATING)} == {Kind.WRITE}
    assert {one.kind for one in score_tools()} == {Kind.READ}
    Toolbox(TOOLS.values())


def test_a_haemolysed_sample_is_shown_by_its_repeat() -> None:
    chart = opened(5, "pneumonia")
    for _ in range(150):
        call(chart, "order_lab", tests=["potassium"], serial=True)
    call(chart, "wait", minutes=120)
    lines = [one["values"][0] for one in call(chart, "read_results")["results"]]
    marked = [
        number for number, line in enumerate(lines) if "haemolysed" in line.get("comment", "")
    ]
    assert marked
    for number in marked:
        beside = [lines[other]["value"] for other in (number - 2, number - 1, (number + 1) % 150)]
        assert sorted(beside)[1] < lines[number]["value"]


def test_a_blood_gas_has_its_own_methods() -> None:
    chart = opened(5, "pneumonia")
    call(chart, "order_lab", tests=["abg", "vbg"])
    call(chart, "wait", minutes=30)
    arterial, venous = (
        {line["test"]: line["value"] for line in one["values"]}
        for one in call(chart, "read_results")["results"]
    )
    assert arterial["pco2"] < venous["pco2"]
    assert {"ph", "hco3", "lactate"} <= arterial.keys() & venous.keys()
    assert "po2" not in venous


def test_watching_vital_signs_is_no_wasted_reading() -> None:
    chart = opened(5, "pneumonia")
    for _ in range(4):
        call(chart, "measure_vital_signs")
        call(chart, "wait", minutes=10)
    call(chart, "give_fluids", fluid="saline", millilitres=500)
    found = {one.rule for one in check_state(safety_state(chart)).violations}
    assert not found & {"S1-01", "S1-03"}


def test_every_study_of_the_library_has_a_normal_report_of_its_own() -> None:
    used = {one.study for each in load().conditions.values() for one in each.studies}
    assert len(used - catalogue.studies().studies.keys()) <= 0.1 * len(used)
    for entry in (*catalogue.studies().studies.values(), catalogue.studies().default):
        assert entry.kind in catalogue.studies().kinds


def test_abbreviations_stand_for_what_can_be_ordered() -> None:
    facts = load()
    known = {*catalogue.tests_of(facts), *catalogue.studies_of(facts)}
    assert {*abbreviations().values()} <= known | {*catalogue.procedures_of(facts)}
    assert not {*abbreviations()} & {*known, *catalogue.procedures_of(facts)}
    for written, meant in (("PT/INR", "coagulation"), ("Us and Es", "basic-metabolic-panel")):
        assert catalogue.find_test(facts, written) == meant
    for written, meant in (
        ("CT brain", "ct-head"),
        ("TTE", "echocardiogram"),
        ("OGD", "upper-endoscopy"),
    ):
        assert catalogue.find_study(facts, written) == meant


def test_every_site_of_the_library_can_be_examined() -> None:
    used = {one.site for each in load().conditions.values() for one in each.signs}
    assert used <= set(catalogue.sites())
    examine = TOOLS["examine_patient"].schema["function"]["parameters"]["properties"]["system"]
    assert set(examine["enum"]) == set(catalogue.sites())


def test_every_test_and_study_of_a_work_up_can_be_ordered() -> None:
    facts = load()
    wanted = {name for one in facts.conditions.values() for name in one.work_up}
    assert wanted <= {*catalogue.tests_of(facts), *catalogue.studies_of(facts), *facts.measurements}
    assert set(catalogue.procedures_of(facts)) >= {"intubation", "chest-drain"}


def test_a_repeated_reading_shows_the_same_result() -> None:
    chart = opened()
    call(chart, "order_ecg")
    call(chart, "wait", minutes=30)
    assert call(chart, "read_results", order="ecg") == call(chart, "read_results", order="o1")
    assert re.search(r"\d+/min", call(chart, "read_results", order="o1")["report"])


def test_a_result_is_shown_once_and_again_only_if_asked() -> None:
    chart = opened()
    call(chart, "order_ecg")
    call(chart, "wait", minutes=30)
    first = call(chart, "read_results")
    assert [one["name"] for one in first["results"]] == ["ecg"]
    assert "read_before" not in first
    call(chart, "order_lab", tests=["crp"])
    assert call(chart, "read_results")["results"] == "none new"
    call(chart, "wait", minutes=120)
    later = call(chart, "read_results")
    assert [one["order_id"] for one in later["results"]] == ["o2"]
    assert later["read_before"] == ["o1 ecg"]
    assert [one["order_id"] for one in call(chart, "read_results", order="all")["results"]] == [
        "o1", "o2",
    ]  # fmt: skip
    assert call(chart, "read_results", order="o1") == {**first["results"][0]}


def test_home_medicines_can_be_stopped() -> None:
    for seed in range(40):
        chart = opened(seed, "pneumonia")
        if chart["medicines"]:
            drug = chart["medicines"][0]["drug"]
            call(chart, "discontinue_medication", drug=drug)
            listed = call(chart, "read_medicines")["medicines"]
            assert [one.get("stopped") for one in listed if one["drug"] == drug] == [True]
            assert {"tool": "discontinue", "args": {"drug": drug}}.items() <= {
                **chart.events[0]
            }.items()
            return
    raise AssertionError("forty patients without a medicine")


def test_a_pregnancy_test_is_for_women() -> None:
    man = opened(3, "testicular-torsion")
    with pytest.raises(ToolError, match="hcg cannot be done in this patient"):
        call(man, "order_lab", tests=["blood-count", "hcg"])
    assert not man.orders
    woman = opened(3, "ectopic-pregnancy")
    call(woman, "order_lab", tests=["hcg"])
    assert woman.orders


def test_consent_is_asked_for_procedures_invasive_studies_and_medicines() -> None:
    chart = opened()
    for treatment in ("lumbar puncture", "colonoscopy", "morphine"):
        told = call(chart, "obtain_consent", treatment=treatment, explained=["risks"])
        assert told["consent"] == "given"
    with pytest.raises(ToolError, match="procedure"):
        call(chart, "obtain_consent", treatment="qwxyz")
    call(chart, "order_study", study="colonoscopy")
    assert "S4-09" not in {one.rule for one in check_state(safety_state(chart)).violations}
    other = opened()
    call(other, "order_study", study="colonoscopy")
    assert "S4-09" in {one.rule for one in check_state(safety_state(other)).violations}


def test_waiting_lists_what_is_back_and_was_not_read() -> None:
    chart = opened()
    call(chart, "order_ecg")
    call(chart, "examine_patient", system="neurology")
    call(chart, "examine_patient", system="mental state")  # the ECG comes back meanwhile
    assert [one["order"] for one in call(chart, "wait", minutes=5)["results_back"]] == ["ecg"]
    call(chart, "read_results")
    assert call(chart, "wait", minutes=5)["results_back"] == "none"


def test_a_study_among_laboratory_tests_is_named_and_the_tests_are_ordered() -> None:
    chart = opened()
    told = call(chart, "order_lab", tests=["CBC", "chest x-ray", "ECG", "troponine"])
    assert [one["order"] for one in told["orders"]] == ["blood-count"]
    image, trace, misspelt = told["not ordered"]
    assert image == "'chest-x-ray' is no laboratory test; use order_study."
    assert trace == "'ecg' is no laboratory test; use order_study."
    assert "did you mean 'troponin'" in misspelt
    assert [one.what for one in chart.orders.values()] == ["blood-count"]
    assert "not ordered" not in call(chart, "order_lab", tests=["crp"])
    with pytest.raises(ToolError, match=r"order_study\..* No laboratory test"):
        call(chart, "order_lab", tests=["chest x-ray", "qwxyz"])
    with pytest.raises(ToolError, match="1 to 12 tests"):
        call(chart, "order_lab", tests=["chest x-ray"] * 13)
