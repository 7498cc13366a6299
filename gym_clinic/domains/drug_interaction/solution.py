"""The plan of a perfect reviewer, from the gold; whether it can be read, and earns everything."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from gym_clinic.chart.tools import score_tools
from gym_clinic.clinical import MadeTask
from gym_clinic.clinical.judging.seen import seen
from gym_clinic.clinical.naming import find_evidence
from gym_clinic.clinical.rehearsal import rehearse
from gym_clinic.clinical.world import ClinicWorld
from gym_clinic.domain import CallSpec, Move
from gym_clinic.domains.drug_interaction.answer import submit_answer
from gym_clinic.domains.drug_interaction.checks.conditions import listed_conditions
from gym_clinic.domains.drug_interaction.gold import CHECKED_BY, in_words
from gym_clinic.domains.drug_interaction.lists.review import LIST, asked_drug
from gym_clinic.domains.drug_interaction.lists.stopping import taken_for
from gym_clinic.domains.drug_interaction.rewards import JUDGE
from gym_clinic.domains.drug_interaction.tools import CHECKS, RECORD, SCORES
from gym_clinic.domains.drug_interaction.world import (
    ReviewCase,
    open_case,
    open_world,
    profile_of,
    reported,
)
from gym_clinic.episode import Task
from gym_clinic.errors import ToolError
from gym_clinic.facts import load
from gym_clinic.frozen import thaw
from gym_clinic.instruments import score
from gym_clinic.toolbox import Toolbox

QUESTIONS = (
    "Which medicines do you take, prescribed or bought?",
    "Do you have any allergies?",
)
PREGNANT = "Could you be pregnant?"
READ: tuple[CallSpec, ...] = (
    ("read_patient_record", {}),
    ("read_medicines", {}),
    ("read_allergies", {}),
    ("read_laboratory_results", {}),
    ("read_history", {"section": "past illnesses"}),
    ("read_history", {"section": "pregnancy"}),
    ("list_documents", {}),
)
"""What every review reads first."""

LOOK_UPS = ("search_pubmed", "retrieve_evidence", "search_medical_wiki")


def solution(task: Task) -> list[Move]:
    """Return the moves of a perfect reviewer."""
    world, gold = open_world(task.record), task.gold
    answer = thaw(gold["answer"])
    submit: CallSpec = ("submit_answer", answer)
    return [READ, _asking(world), tuple(_checking(task, world)), (submit,)]


def _asking(world: ClinicWorld) -> tuple[CallSpec, ...]:
    asked = [("read_document", {"title": title}) for title in world.record["documents"]]
    asked += [("ask_patient", {"question": question}) for question in QUESTIONS]
    if world.patient.person.sex == "female" and world.patient.person.age < 50:
        asked.append(("ask_patient", {"question": PREGNANT}))
    return tuple(asked)


def _checking(task: Task, world: ClinicWorld) -> Iterator[CallSpec]:
    """The look-ups: the interactions of all that is taken, the problems, and what is unusual."""
    question, gold, patient = task.record["question"], task.gold, world.patient
    if asked_drug(question) == LIST:
        yield from _list_checking(task, world)
        return
    drug, person = question["drug"], patient.person
    products = [one["product"] for one in world.record["medicines"] if one.get("product")]
    for product in dict.fromkeys(products):
        yield "resolve_drug_name", {"name": product}
    taken = list(dict.fromkeys([drug, *(one.drug for one in patient.medicines)]))
    ended = [one for one in patient.past if one.kind == "medicine"]
    every = taken if len(taken) > 1 else [drug, "paracetamol"]
    yield "check_interactions", {"drugs": every[:20]}
    creatinine = patient.facts.measurements["creatinine"]
    value = round(patient.state(0)["creatinine"], creatinine.decimals)
    inputs = {"age": person.age, "sex": person.sex, "creatinine": value}
    weighed = {**inputs, "weight_kg": person.weight_kg}
    if not world.record["reports_egfr"]:
        yield "calculate_ckdepi2021", inputs
    yield "calculate_cockcroft_gault", weighed
    clearance = float(score("cockcroft_gault", weighed).score)
    egfr = float(score("ckdepi2021", inputs).score)
    yield "check_renal_dose", {"drug": drug, "egfr": egfr, "creatinine_clearance": clearance}
    for one in ended:
        days = round(-one.minute / 1440, 1)
        yield "check_washout", {"drug": drug, "stopped": one.what, "days": days}
    kinds = {one["kind"] for one in gold["problems"]}
    for allergy in patient.allergies:
        name = allergy.allergen.removeprefix("class:").replace("-", " ")
        yield "check_allergy", {"drug": drug, "allergen": name, "reaction": allergy.reaction}
    if "hepatic" in kinds:
        yield "check_hepatic_dose", {"drug": drug, "child_pugh": gold["child_pugh"]}
    if person.pregnant_weeks is not None:
        yield "check_pregnancy", {"drug": drug, "weeks": person.pregnant_weeks}
    if person.age >= 65:
        yield "check_older_adult", {"drug": drug, "age": person.age,
                                    "indication": question["indication"]}  # fmt: skip
    lived = [one.condition for one in patient.background if one.condition in listed_conditions()]
    if lived:
        names = [load().diseases[one].name for one in lived]
        yield "check_conditions", {"drug": drug, "conditions": names}
    if "duplicate" in kinds:
        yield "check_duplicates", {"drugs": every[:20]}
    yield from _rest(task, kinds, every)


def _list_checking(task: Task, world: ClinicWorld) -> Iterator[CallSpec]:
    """The look-ups for a whole list: what all drugs ask of each other, and what each problem is."""
    patient, person = world.patient, world.patient.person
    products = [one["product"] for one in world.record["medicines"] if one.get("product")]
    for product in dict.fromkeys(products):
        yield "resolve_drug_name", {"name": product}
    taken = [one.drug for one in patient.medicines]
    yield "check_interactions", {"drugs": taken}
    yield "check_duplicates", {"drugs": taken}
    creatinine = reported(patient, "creatinine")
    weighed = {"age": person.age, "sex": person.sex, "creatinine": creatinine,
               "weight_kg": person.weight_kg}  # fmt: skip
    yield "calculate_cockcroft_gault", weighed
    clearance = float(score("cockcroft_gault", weighed).score)
    lived = [load().diseases[one.condition].name for one in patient.background]
    arguments: dict[str, dict[str, Any]] = {
        "renal": {"egfr": reported(patient, "egfr"), "creatinine_clearance": clearance},
        "hepatic": {"child_pugh": task.gold["child_pugh"]},
        "pregnancy": {"weeks": person.pregnant_weeks},
        "older adult": {"age": person.age},
        "condition": {"conditions": lived},
        "missing medicine": {},
    }
    for problem in task.gold["problems"]:
        for drug in problem["drugs"]:
            if problem["kind"] in arguments:
                yield CHECKED_BY[problem["kind"]], {"drug": drug, **arguments[problem["kind"]]}
            elif problem["kind"] == "allergy":
                for one in patient.allergies:
                    name = one.allergen.removeprefix("class:").replace("-", " ")
                    yield "check_allergy", {"drug": drug, "allergen": name,
                                            "reaction": one.reaction}  # fmt: skip
    for drug in task.gold["answer"]["plan"].get("stop", ()):
        own = next(one for one in profile_of(patient).medicines if one.regimen.drug == drug)
        instead = task.gold.get("replaced", {}).get(drug, {}).get("by")
        indication = taken_for(own) if instead else None
        if indication is not None:
            yield "find_alternatives", {"indication": indication.name}
    yield "think", {"thought": "Each medicine of the list was compared with all that was found."}


def _rest(task: Task, kinds: set[str], every: list[str]) -> Iterator[CallSpec]:
    question, gold = task.record["question"], task.gold
    drug = question["drug"]
    if question["unit"] in ("mg", "mcg"):
        daily = round(question["dose"] * question["per_day"], 4)
        yield "check_maximum_dose", {"drug": drug, "daily_dose": daily, "unit": question["unit"]}
    if "missing medicine" in kinds:
        yield "check_given_beside", {"drug": drug}
    if "interaction" in kinds:
        pair = next(one for one in gold["problems"] if one["kind"] == "interaction")["drugs"]
        if len(every) > 2:  # a list of two is the pair, and was looked up
            yield "check_interaction", {"first": pair[0], "second": pair[1]}
        yield "check_cyp450_metabolism", {"drug": drug}
    if gold["answer"]["verdict"] == "do not start":
        yield "find_alternatives", {"indication": question["indication"]}
    if not kinds:
        yield "get_drug_information", {"drug": drug}
    topic = load().drugs[drug].name
    yield (
        LOOK_UPS[task.record["seed"] % 3],
        ({"topic": topic} if task.record["seed"] % 3 == 2 else {"query": topic}),
    )
    yield "think", {"thought": f"What was found is compared with the request for {topic}."}


def is_perfect(made: MadeTask) -> bool:
    """Return whether the reference review of a task earns everything.

    Look-ups of the library and thoughts, which no part asks for, are not played.
    """
    task, box = Task("rehearsal", made.record, made.gold, made.ticket), _review_tools()
    plan = [
        [one for one in move if not isinstance(one, str) and box.get(one[0]) is not None]
        for move in solution(task)[:-1]
    ]
    done = rehearse(box, open_case(task), plan)
    if done.failure is not None:
        return False
    try:
        submit_answer.call(thaw(made.gold["answer"]), done.case)  # it orders what safety judges
    except ToolError:
        return False
    return done.judged(JUDGE, made.gold, made.gold["answer"]).perfect


@lru_cache(maxsize=1)
def _review_tools() -> Toolbox:
    return Toolbox((*RECORD, *CHECKS, *score_tools(SCORES)))


def can_be_read(world: ClinicWorld, gold: Mapping[str, Any]) -> bool:
    """Return whether a careful reviewer can read all that the gold asks for, names included."""
    case, box = ReviewCase(world), Toolbox(RECORD)
    texts: list[str] = []
    for name, arguments in (*READ, *_asking(world)):
        tool = box.get(name)
        assert tool is not None
        try:
            texts.append(str(tool.call(dict(arguments), case)))
        except ToolError:
            return False
    facts, keys = load(), seen(case)
    if any(
        find_evidence(facts, in_words(one["finding"])) != one["finding"] for one in gold["cite"]
    ):
        return False
    cited = [one["finding"] for one in gold["cite"]]
    wanted = [key for key in (*gold["read"], *cited) if not key.startswith("lookup:")]
    if not all(key in keys for key in wanted):
        return False
    said = re.sub(r"[^a-z]+", " ", " ".join(texts).casefold())
    named = [key for key in gold["read"] if key.startswith(_OF_DRUGS)]
    asked = task_drug(world)
    return all(_names(key.rpartition(":")[2], said, world) for key in named
               if key.rpartition(":")[2] != asked)  # fmt: skip


_OF_DRUGS = ("medicine:", "lookup:interaction:", "lookup:washout:")
"""Keys of what must be read that name a medicine, which the patient, a letter or a list tells."""


def task_drug(world: ClinicWorld) -> str:
    """Return the id of the proposed drug; `LIST` where a whole list is reviewed."""
    return asked_drug(world.record["question"])


def _names(drug: str, said: str, world: ClinicWorld) -> bool:
    """Whether a medicine is named in what was read, by its own name or as a product."""
    listed = [one.get("product") for one in world.record["medicines"]
              if one["drug"] == load().drugs[drug].name]  # fmt: skip
    if any(listed):
        return True
    name = re.sub(r"[^a-z]+", " ", load().drugs[drug].name.casefold()).strip()
    return name in said or drug.replace("-", " ") in said
