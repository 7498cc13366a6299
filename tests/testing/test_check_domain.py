"""The conformance test finds what is wrong: each domain here breaks one promise."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import image_domain
import pytest
import tiny_domain

from gym_clinic import Case, ConfigError, Domain, Episode, Illustrated, Kind, Rubric, Task, tool
from gym_clinic.env import ClinicEnv
from gym_clinic.policies import oracle
from gym_clinic.testing import check_domain, check_tasks, checks
from gym_clinic.testing.checks import HOSTILE, _schema
from gym_clinic.toolbox import Tool

QUICK = ("silent",)
"""Adversaries that are tried where a test is about something else."""

SOUND = tiny_domain.INTERACTIONS
TEXT = tiny_domain.TRIAGE
_COUNT = itertools.count()
_SHARED: dict[str, float] = {"calls": 1.0}


def with_tasks(change: Callable[[Task], Task], domain: Domain = SOUND) -> Domain:
    return replace(
        domain,
        tasks={split: [change(task) for task in tasks] for split, tasks in domain.tasks.items()},
    )


def with_tools(name: str, instead: Tool) -> Domain:
    tools = [one for one in SOUND.tools if one.name != name]
    return replace(SOUND, tools=(*tools, Tool(instead.function, kind=instead.kind, name=name)))


@tool
def check_interaction_badly(case: Case, drug_a: str, drug_b: str) -> Any:
    """Look up the interaction of two drugs.

    Args:
        drug_a: The first.
        drug_b: The second.
    """
    return case["leaked"]


@tool
def read_and_chart(case: Case) -> str:
    """Read the allergies on the chart."""
    case["read"] = case.get("read", 0) + 1
    return "none known"


@tool(kind=Kind.WRITE)
def keep_notes(case: Case) -> str:
    """Begin the notes."""
    case["notes"] = []
    return "begun"


@tool
def slip_a_note_in(case: Case) -> str:
    """Read the notes."""
    case["notes"].append("read")
    return "read"


@tool(kind=Kind.SUBMIT)
def grade_and_chart(case: Case, grade: str) -> None:
    """Grade.

    Args:
        grade: The grade.
    """
    case["grade"] = grade


def _leaky_case(task: Task) -> Case:
    return Case({**task.record, "leaked": task.gold["answer"]["grade"]})


def _ticket_in_memory(task: Task) -> Illustrated:
    ticket = image_domain.LESIONS.ticket(task)
    assert isinstance(ticket, Illustrated)
    opened = pytest.importorskip("PIL.Image").open(ticket.images[0])
    return Illustrated(ticket.text, (opened.convert("L"),))


def _crashing_answer(text: str) -> str:
    return {"URGENCY: red": "URGENCY: red", "URGENCY: yellow": "URGENCY: yellow",
            "URGENCY: green": "URGENCY: green"}[text]  # fmt: skip


def _nan_metric(episode: Episode) -> dict[str, float]:
    return {"calls": float("nan")}


def _growing_metrics(episode: Episode) -> dict[str, float]:
    return {"calls": 1.0, **({"late": 1.0} if episode.answer is not None else {})}


def _metrics_of_a_turn(episode: Episode) -> dict[str, float]:
    return {"calls": 1.0, **({"calls_a_turn": 1.0} if episode.turns else {})}


def _gold_metrics(episode: Episode) -> dict[str, Any]:
    return {"calls": 1.0, "truth": dict(episode.task.gold["answer"])}


def _leaky_tools() -> tuple[Any, ...]:
    renamed = tool(name="check_interaction")(check_interaction_badly.function)
    return (renamed, tiny_domain.read_allergies, tiny_domain.submit_grade)


def _generous(episode: Episode) -> float:
    return 1.0


def _wrong_gold_call(task: Task) -> Task:
    calls = [{"name": "chek_interaction", "arguments": {}}, *task.gold["calls"][1:]]
    return replace(task, gold={**task.gold, "calls": calls})


TELLING_TICKET = replace(SOUND, ticket=lambda task: f"{task.ticket} {task.gold['answer']}")
TELLING_MENU = replace(
    SOUND, menu=lambda task: replace(tiny_domain._interaction_menu(task), calls=((
        "submit_grade", dict(task.gold["answer"])),)),
)  # fmt: skip
TELLING_TOOL = replace(SOUND, open_case=_leaky_case, tools=_leaky_tools())
TELLING_METRICS = replace(SOUND, metrics=_gold_metrics)
TELLING_IDS = with_tasks(lambda task: replace(task, id=f"{task.id}-{task.gold['answer']['grade']}"))
SAME_IDS = replace(SOUND, tasks={"train": SOUND.tasks["train"], "test": SOUND.tasks["train"]})
NO_TICKET = with_tasks(lambda task: replace(task, ticket=" "))
NO_GOLD = replace(
    with_tasks(lambda task: replace(task, gold={}), TEXT),
    solution=lambda task: ["URGENCY: red"],
)
NO_JSON = with_tasks(lambda task: replace(task, record={**task.record, "x": {1, 2}}))
NO_TOOL = with_tasks(_wrong_gold_call)
NO_SUCCESS = replace(SOUND, success=lambda episode: False)
TOO_FEW_TURNS = replace(SOUND, max_turns=1)
GENEROUS = replace(SOUND, rubric=Rubric({"one": _generous}, {"one": 1.0}))
BEYOND = replace(SOUND, rubric=Rubric({"one": lambda _: 3.0}, {"one": 1.0}))
NAN = replace(SOUND, rubric=Rubric({"one": lambda _: float("nan")}, {"one": 1.0}))
NAN_METRIC = replace(SOUND, metrics=_nan_metric)
GROWING_METRICS = replace(SOUND, metrics=_growing_metrics)
METRICS_OF_A_TURN = replace(SOUND, metrics=_metrics_of_a_turn)
SHARED_METRICS = replace(SOUND, metrics=lambda _: _SHARED)
FICKLE = replace(SOUND, ticket=lambda task: f"{task.ticket} No. {next(_COUNT)}")
CRASHING = replace(TEXT, read_answer=_crashing_answer)
CHEATED = replace(SOUND, adversaries={"knows-all": oracle})
TELLING_TITLE = replace(
    SOUND,
    ticket=lambda task: f"{task.record['effect'].title()}\n\n{task.ticket}",
)
READ_WRITES = with_tools("read_allergies", read_and_chart)
SUBMIT_WRITES = with_tools("submit_grade", grade_and_chart)
SLIPS_IN = replace(
    SOUND,
    tools=(keep_notes, slip_a_note_in, *SOUND.tools),
    menu=lambda task: replace(
        tiny_domain._interaction_menu(task), calls=(("keep_notes", {}), ("slip_a_note_in", {}))
    ),
)
IN_MEMORY = replace(image_domain.LESIONS, ticket=_ticket_in_memory)
BAD_NAME = replace(
    SOUND,
    tools=(*SOUND.tools, tool(name="look it up")(tiny_domain.read_allergies.function)),
)


@pytest.fixture
def short_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the hostile actions out that are long; sound domains meet all of them."""
    short = {name: action for name, action in HOSTILE.items() if len(action) < 10_000}
    monkeypatch.setattr(checks, "HOSTILE", {**short, "megabyte": HOSTILE["megabyte"]})


@pytest.mark.parametrize("domain", [SOUND, TEXT], ids=lambda one: one.name)
@pytest.mark.parametrize("dialect", ["hermes", "json"])
def test_sound_domains_pass(domain: Domain, dialect: str) -> None:
    check_domain(domain, dialect=dialect, adversaries=None if dialect == "hermes" else QUICK)


@pytest.mark.usefixtures("short_actions")
def test_a_domains_own_adversaries_are_tried() -> None:
    with pytest.raises(AssertionError, match=r"policy 'knows-all' earns 1\.000"):
        check_domain(f"{__name__}:CHEATED", adversaries=("knows-all",))


@pytest.mark.usefixtures("short_actions")
def test_a_title_that_reveals_the_answer_is_found_by_a_linear_model() -> None:
    pytest.importorskip("sklearn")
    with pytest.raises(AssertionError, match=r"policy 'linear' earns 1\.000"):
        check_domain(f"{__name__}:TELLING_TITLE", adversaries=("linear",))


@pytest.mark.usefixtures("short_actions")
def test_images_in_memory_are_compared_by_what_they_show() -> None:
    pytest.importorskip("PIL.Image")
    check_domain(f"{__name__}:IN_MEMORY", adversaries=QUICK)


@pytest.mark.usefixtures("short_actions")
def test_names_and_ids_are_taken() -> None:
    check_domain("tiny_domain:TRIAGE", observation="transcript", adversaries=QUICK)
    check_domain("tiny/Triage-v0", split="test", subprocess=True, adversaries=QUICK)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("TELLING_TICKET", "the ticket depends on the gold"),
        ("TELLING_MENU", "the menu depends on the gold"),
        ("TELLING_TOOL", "what the tools answer depends on the gold"),
        ("TELLING_METRICS", "truth is {'grade': "),
        ("TELLING_IDS", "the id contains the answer 'major'"),
        ("SAME_IDS", "duplicate id, also in train"),
        ("NO_TICKET", "the ticket is empty"),
        ("NO_GOLD", "gold is empty"),
        ("NO_JSON", "record is not JSON"),
        ("NO_TOOL", "gold names a tool that is not there: No tool 'chek_interaction'. Did you"),
        ("NO_TOOL", "a call of the solution failed"),
        ("NO_SUCCESS", "the oracle's episode is no success"),
        ("TOO_FEW_TURNS", "not the declared maximum 1 (stop: max_turns after 1 turns)"),
        ("GENEROUS", "policy 'silent' earns 1.000 of the declared range on average"),
        ("BEYOND", "the reward 'one', 3, is above its declared maximum 1"),
        ("NAN", "the reward is nan"),
        ("NAN_METRIC", "calls is nan, expected a finite number"),
        ("GROWING_METRICS", "are other keys than when answered"),
        ("METRICS_OF_A_TURN", "truncated before a turn: {'rewards': "),
        ("SHARED_METRICS", "writing into info changes"),
        ("FICKLE", "opens another case for the same seed"),
        ("FICKLE", "answered differently a second time"),
        ("CRASHING", "hostile actions: KeyError"),
        ("READ_WRITES", "'read_allergies' is of kind READ but changes the case; make it WRITE"),
        ("SUBMIT_WRITES", "'submit_grade' is of kind SUBMIT but changes the case; make it WRITE"),
        ("SUBMIT_WRITES", "TypeError: only a tool of kind WRITE changes the case"),
        ("SLIPS_IN", "'slip_a_note_in' is of kind READ but changes the case; make it WRITE"),
        ("BAD_NAME", "'look it up' is no name that model servers take"),
    ],
)
@pytest.mark.usefixtures("short_actions")
def test_each_broken_promise_is_found(name: str, says: str) -> None:
    _SHARED.clear()
    _SHARED["calls"] = 1.0
    with pytest.raises(AssertionError) as caught:
        check_domain(f"{__name__}:{name}", adversaries=QUICK)
    assert says in str(caught.value)
    assert "does not conform" in str(caught.value)


@pytest.mark.usefixtures("short_actions")
def test_all_problems_are_listed_at_once() -> None:
    with pytest.raises(AssertionError) as caught:
        check_domain(f"{__name__}:BEYOND", adversaries=QUICK)
    assert str(caught.value).count("\n") > 10


@pytest.mark.usefixtures("short_actions")
def test_what_tools_answer_by_design() -> None:
    with pytest.raises(AssertionError, match="what the tools answer depends on the gold"):
        check_domain(TELLING_TOOL, adversaries=())
    check_domain(TELLING_TOOL, recorded=("answer",), adversaries=())


def test_a_domain_without_a_name_is_refused() -> None:
    nameless = replace(SOUND, name="nameless")
    with pytest.raises(ConfigError, match=r"'nameless' is in no imported module.*'package"):
        check_domain(nameless)


def test_check_tasks_names_split_and_task() -> None:
    assert check_tasks(ClinicEnv("tiny_domain:INTERACTIONS")) == []
    env = ClinicEnv(f"{__name__}:NO_SUCCESS")
    problems = check_tasks(env)
    assert len(problems) == 30
    assert check_tasks(env, workers=2) == problems
    first = SOUND.tasks["train"][0].id
    assert problems[0] == f"train, task {first!r}: the oracle's episode is no success"


def test_a_sample_of_the_tasks_is_played() -> None:
    env = ClinicEnv(f"{__name__}:NO_SUCCESS")
    assert [line.split(",")[0] for line in check_tasks(env, sample=2)] == ["train"] * 2 + [
        "test"
    ] * 2
    with pytest.raises(ConfigError, match="sample is a whole number from 1, not 0"):
        check_tasks(env, sample=0)


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"type": "text"}, "no type 'text'"),
        ({"type": ["string", "nil"]}, "no type 'nil'"),
        ({"type": "object", "required": ["x"]}, "required ['x'] are not among its properties"),
        ({"properties": {"x": 7}}, "s.x is no schema"),
        ({"items": {"enum": []}}, "s.items: enum must list something"),
        ({"anyOf": [{"$ref": "#/$defs/Gone"}]}, "#/$defs/Gone leads nowhere"),
    ],
)
def test_broken_schemas_are_found(schema: dict[str, Any], says: str) -> None:
    assert says in "; ".join(_schema(schema, schema, "s"))
