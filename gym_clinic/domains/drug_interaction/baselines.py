"""Policies of this domain: the menu, and the rules baseline.

The rules read the record and the tables and decide by them. They do not ask the patient, read no
letter and never see the hidden patient.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gym_clinic.domain import CallSpec, Menu, Move
from gym_clinic.domains.drug_interaction.checks.formulary import indications
from gym_clinic.domains.drug_interaction.checks.people import OLD
from gym_clinic.domains.drug_interaction.checks.risks import KINDS, SEVERITIES
from gym_clinic.domains.drug_interaction.lists.baseline import list_answer, list_checks, of_list
from gym_clinic.domains.drug_interaction.lists.review import LIST, asked_drug
from gym_clinic.domains.drug_interaction.solution import PREGNANT, QUESTIONS, READ
from gym_clinic.episode import Task
from gym_clinic.facts.named_drugs import resolve
from gym_clinic.instruments import score

ANSWERS: Mapping[str, tuple[str, str, str]] = {
    "start as proposed": ("start as proposed", "", ""),
    **{
        f"{verdict}, {kind}" if kind else f"{verdict}, without a reason": (verdict, kind, "major")
        for verdict in ("do not start", "start with change")
        for kind in ("", *KINDS)
    },
}
"""Label of a constant answer -> verdict, kind of the one problem, its severity."""


def menu(task: Task) -> Menu:
    """Return what could be done on a ticket: its drug is known, the patient is not."""
    question = task.record["question"]
    listed = asked_drug(question) == LIST
    drug = "ibuprofen" if listed else question["drug"]
    purpose = question.get("indication", "osteoarthritis")
    calls: list[CallSpec] = [*READ]
    calls += [("ask_patient", {"question": one}) for one in (*QUESTIONS, PREGNANT)]
    calls += [
        ("check_interactions", {"drugs": [drug, "warfarin", "ibuprofen"]}),
        ("check_cyp450_metabolism", {"drug": drug}),
        ("check_allergy", {"drug": drug, "allergen": "penicillin"}),
        ("check_renal_dose", {"drug": drug, "egfr": 40, "creatinine_clearance": 40}),
        ("check_hepatic_dose", {"drug": drug, "child_pugh": "A"}),
        ("check_pregnancy", {"drug": drug, "weeks": 12}),
        ("check_older_adult", {"drug": drug, "age": 75}),
        ("check_conditions", {"drug": drug, "conditions": ["asthma"]}),
        ("check_duplicates", {"drugs": [drug, "ibuprofen"]}),
        ("get_drug_information", {"drug": drug}),
        ("find_alternatives", {"indication": purpose}),
    ]
    options = [one.drug for one in indications()[purpose].options]
    other = next((one for one in options if one != drug), drug)
    answers: dict[str, Move] = {}
    for label, parts in ANSWERS.items():
        answer = _constant(*parts, drug, other)
        answers[label] = (("submit_answer", of_list(answer) if listed else answer),)
    return Menu(tuple(calls), answers, "list" if listed else "request")


def _constant(verdict: str, kind: str, severity: str, drug: str, other: str) -> dict[str, Any]:
    problems = [{"kind": kind, "drugs": [drug], "severity": severity}] if kind else []
    plan: dict[str, Any] = {}
    if verdict == "do not start":
        plan = {"alternative": other}
    elif verdict == "start with change":
        plan = {"monitoring": [{"test": "creatinine", "first_day": 7}], "stop": ["ibuprofen"]}
    cited = [{"finding": one, "present": False} for one in ("creatinine", "potassium", "ALT")]
    return {"verdict": verdict, "problems": problems, "plan": plan, "cited_findings": cited}


_RESPONSE = re.compile(r"<tool_response>\s*(.*?)\s*</tool_response>", re.DOTALL)
_DOSE = re.compile(
    r"(?P<name>[a-z][a-z '()/-]+?) (?P<dose>[0-9.]+) (?P<unit>mg|mcg|units)"
    r" (?P<often>[a-z0-9 ]+?) (?:by mouth|under|into|as an)"
)
_AVOID = ("avoid", "do not", "never", "contraindicated", "use ", "other ", "choose", "the same",
          "two drugs")  # fmt: skip
_TIMES = {"once a day": 1.0, "twice a day": 2.0, "once a week": 1 / 7, "once a year": 1 / 365}


@dataclass(frozen=True)
class ReviewRequest:
    """What a ticket asks for, as it is read from its text.

    Attributes:
        drug: Id of the proposed drug.
        daily: Amount a day.
        unit: Its unit.
        indication: Name of the indication; empty if it is not recognised.
    """

    drug: str
    daily: float
    unit: str
    indication: str


def read_ticket(text: str) -> ReviewRequest | None:
    """Return the request of a ticket; None if no drug is recognised in it."""
    folded = text.casefold()
    for found in _DOSE.finditer(folded):
        words = found["name"].split()
        for start in range(len(words)):
            named = resolve(" ".join(words[start:]))
            if named is not None and len(named.ingredients) == 1:
                often = found["often"].strip()
                number = re.match(r"([0-9]+) times", often)
                rate = float(number[1]) if number else _TIMES.get(often, 1.0)
                why = [name for name, one in indications().items() if one.why.casefold() in folded]
                indication = max(why, key=lambda name: len(indications()[name].why), default="")
                daily = float(found["dose"]) * rate
                return ReviewRequest(named.ingredients[0], daily, found["unit"], indication)
    return None


class ReviewRules:
    """The rules for one episode: read the record, check by the tables, decide.

    Args:
        write: Writes a batch of calls as an action.
        settled: A constant answer to give in the place of the decision; None to decide. All
            letters are read and the patient is asked before it is given.
    """

    def __init__(
        self, write: Callable[[Move], list[str]], settled: Mapping[str, Any] | None = None
    ) -> None:
        self._write, self._settled = write, settled
        self._request: ReviewRequest | None = None
        self._step = 0
        self._record: list[Any] = []
        self._checks: list[CallSpec] = []

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the next action: read, then check, then answer."""
        if "task_id" in info:
            self._request, self._step = read_ticket(observation), 0
        self._step += 1
        heard = [_parsed(one) for one in _RESPONSE.findall(observation)]
        if self._step == 1:
            return self._write(READ)[0]
        if self._step == 2:
            self._record = heard
            self._checks = _checks(self._request, heard) if self._request else list_checks(heard)
            if self._settled is not None:
                self._checks += _everything(heard)
            if self._checks:
                return self._write(tuple(self._checks))[0]
        found = list(zip(self._checks, heard, strict=False))
        answer = dict(self._settled or _decide(self._request, self._record, found))
        if self._settled is not None and self._request is not None:
            answer = _borrowed(answer, self._request, self._record)
        elif self._settled is not None:
            answer = of_list({**answer, "cited_findings": _cited(self._record)})
        return self._write((("submit_answer", answer),))[0]


def _everything(record: Sequence[Any]) -> list[CallSpec]:
    """Every letter, and what the patient can be asked."""
    listed = record[6] if len(record) > 6 else []
    rows = listed if isinstance(listed, list) else _rows_of(listed)
    titles = [one["title"] if isinstance(one, dict) else str(one) for one in rows]
    calls: list[CallSpec] = [("read_document", {"title": one}) for one in titles]
    return [*calls, *(("ask_patient", {"question": one}) for one in (*QUESTIONS, PREGNANT))]


def _rows_of(listed: Any) -> list[Any]:
    return list(listed.get("documents", ())) if isinstance(listed, dict) else []


def _borrowed(
    answer: Mapping[str, Any], request: ReviewRequest, record: Sequence[Any]
) -> dict[str, Any]:
    """A constant answer with what was read cited, and its problem laid on the first medicine."""
    cited = _cited(record)
    first = next((one["finding"] for one in cited if "present" in one and one["present"]
                  and resolve(one["finding"])), request.drug)  # fmt: skip
    problems = [{**one, "drugs": [request.drug, first]} for one in answer["problems"]]
    plan = dict(answer["plan"])
    if plan.get("alternative") and request.indication:
        options = [one.drug for one in indications()[request.indication].options]
        plan["alternative"] = next((one for one in options if one != request.drug), "")
    return {**answer, "problems": problems, "plan": plan, "cited_findings": cited}


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _rows(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _checks(request: ReviewRequest, record: Sequence[Any]) -> list[CallSpec]:
    """The checks that the structured record calls for."""
    person, medicines, allergies, labs, past, pregnancy = (*record, *[{}] * 6)[:6]
    names = [str(one["drug"]) for one in _rows(medicines.get("medicines"))][:18]
    drug = request.drug
    age = float(person.get("age", 40))
    values = {one["test"]: one["value"] for one in _rows(labs.get("results"))}
    creatinine = float(values.get("creatinine", 0.9))
    inputs = {"age": max(age, 18), "sex": person.get("sex", "female"), "creatinine": creatinine}
    egfr = float(score("ckdepi2021", inputs).score)
    weighed = {**inputs, "weight_kg": person.get("weight_kg", 70)}
    clearance = float(score("cockcroft_gault", weighed).score)
    calls: list[CallSpec] = [("calculate_cockcroft_gault", weighed)]
    if names:
        calls.append(("check_interactions", {"drugs": [drug, *names]}))
        calls.append(("check_duplicates", {"drugs": [drug, *names]}))
    calls.append(
        ("check_renal_dose", {"drug": drug, "egfr": egfr, "creatinine_clearance": clearance})
    )
    calls.append(("check_given_beside", {"drug": drug}))
    for one in _rows(allergies.get("allergies")):
        calls.append(("check_allergy", {"drug": drug, "allergen": one["substance"],
                                        "reaction": one["reaction"]}))  # fmt: skip
    if age >= OLD:
        calls.append(
            ("check_older_adult", {"drug": drug, "age": age, "indication": request.indication})
        )
    weeks = re.match(r"([0-9]+) weeks", str(pregnancy.get("entries")))
    if weeks:
        calls.append(("check_pregnancy", {"drug": drug, "weeks": int(weeks[1])}))
    if any(one["condition"] == "Cirrhosis" for one in _rows(past.get("entries"))):
        calls.append(("check_hepatic_dose", {"drug": drug, "child_pugh": "A"}))
    lived = [str(one["condition"]) for one in _rows(past.get("entries"))]
    if lived:
        calls.append(("check_conditions", {"drug": drug, "conditions": lived[:20]}))
    if request.unit in ("mg", "mcg"):
        calls.append(
            (
                "check_maximum_dose",
                {"drug": drug, "daily_dose": request.daily, "unit": request.unit},
            )
        )
    if request.indication:
        calls.append(("find_alternatives", {"indication": request.indication}))
    return calls


_KIND = {
    "check_interactions": ("interaction", "interactions"),
    "check_duplicates": ("duplicate", "duplicates"),
    "check_renal_dose": ("renal", "drugs"), "check_allergy": ("allergy", "drugs"),
    "check_older_adult": ("older adult", "drugs"), "check_pregnancy": ("pregnancy", "drugs"),
    "check_hepatic_dose": ("hepatic", "drugs"), "check_conditions": ("condition", "drugs"),
    "check_maximum_dose": ("maximum dose", "doses"),
    "check_given_beside": ("missing medicine", "drugs"),
}  # fmt: skip
"""Tool -> kind of the problem that it finds, and where its answer has it."""


def _found(
    request: ReviewRequest | None, checks: Sequence[tuple[CallSpec, Any]]
) -> list[dict[str, Any]]:
    """The risks that the tools told: kind, drugs, severity, what to do; of a list all of them."""
    risks: list[dict[str, Any]] = []
    for (name, _), answer in checks:
        if name not in _KIND or not isinstance(answer, dict):
            continue
        kind, key = _KIND[name]
        for one in _rows(answer.get(key)):
            for line in [*_rows(one.get("rules")), one]:
                own = [one["drug"]] if "drug" in one else []
                drugs = [str(each) for each in one.get("drugs", one.get("products", own))]
                named = {
                    key for each in drugs if (known := resolve(each)) for key in known.ingredients
                }
                if "severity" in line and (request is None or request.drug in named):
                    told = {name: line[name] for name in ("severity", "do")}
                    risks.append({"kind": kind, "drugs": drugs, **told})
    return [one for one in risks if one["severity"] != "minor"]


def _decide(
    request: ReviewRequest | None, record: Sequence[Any], checks: Sequence[tuple[CallSpec, Any]]
) -> dict[str, Any]:
    """The answer by what the tools told."""
    risks = _found(request, checks)
    risks.sort(key=lambda one: -SEVERITIES.index(one["severity"]))
    avoid = any(one["severity"] == "contraindicated" or str(one["do"]).casefold().startswith(_AVOID)
                for one in risks)  # fmt: skip
    if request is None:
        return list_answer(risks, _cited(record), _AVOID)
    verdict = "do not start" if avoid else "start with change" if risks else "start as proposed"
    plan: dict[str, Any] = {}
    if avoid:
        options = indications()[request.indication].options if request.indication else ()
        plan = {"alternative": next((one.drug for one in options if one.drug != request.drug), "")}
    elif risks:
        plan = {"monitoring": [{"test": str(risks[0]["do"])[:40], "first_day": 7}]}
        if "ppi" in str(risks[0]["do"]).casefold():
            plan = {"add": ["omeprazole"]}
        if risks[0]["kind"] in ("renal", "hepatic", "maximum dose"):
            plan = {"doses": [{"drug": request.drug, "daily_dose": request.daily / 2}]}
    problems = [{key: one[key] for key in ("kind", "drugs", "severity")} for one in risks[:4]]
    return {
        "verdict": verdict,
        "problems": problems,
        "plan": plan,
        "cited_findings": _cited(record),
    }


def _cited(record: Sequence[Any]) -> list[dict[str, Any]]:
    """What was read of the record: creatinine and potassium, medicines, allergies, cirrhosis."""
    _, medicines, allergies, labs, past, pregnancy = (*record, *[{}] * 6)[:6]
    values = {one["test"]: one["value"] for one in _rows(labs.get("results"))}
    cited: list[dict[str, Any]] = [
        {"finding": "creatinine", "present": float(values.get("creatinine", 0.9)) > 1.1},
        {"finding": "potassium", "present": not 3.5 <= float(values.get("potassium", 4)) <= 5.1},
    ]
    for one in _rows(medicines.get("medicines"))[:6]:
        named = resolve(str(one["drug"]))
        cited += [{"finding": key, "present": True} for key in (named.ingredients if named else ())]
    cited += [
        {"finding": f"{one['substance']} allergy"} for one in _rows(allergies.get("allergies"))
    ]
    if any(one["condition"] == "Cirrhosis" for one in _rows(past.get("entries"))):
        cited.append({"finding": "condition:cirrhosis"})
    if "weeks" in str(pregnancy.get("entries")):
        cited.append({"finding": "pregnancy"})
    return cited[:12]


def rules(env: Any, answer: str | None = None) -> Callable[[int], ReviewRules]:
    """Return the maker of the rules baseline.

    Args:
        env: The environment.
        answer: Label of a constant answer that is given after the same calls; None to decide.
    """

    def make(seed: int) -> ReviewRules:
        settled = None
        if answer is not None:
            settled = _constant(*ANSWERS[answer], "paracetamol", "paracetamol")
        return ReviewRules(lambda move: [env.dialect.write(move)], settled)

    return make


def read_then_withhold(env: Any) -> Callable[[int], ReviewRules]:
    """Return the maker of a policy that reads and checks all, then starts nothing."""
    return rules(env, "do not start, interaction")


def read_then_start(env: Any) -> Callable[[int], ReviewRules]:
    """Return the maker of a policy that reads and checks all, then starts everything."""
    return rules(env, "start as proposed")


def read_then_change(env: Any) -> Callable[[int], ReviewRules]:
    """Return the maker of a policy that reads and checks all, then has everything watched."""
    return rules(env, "start with change, interaction")


def read_then_wait(env: Any) -> Callable[[int], ReviewRules]:
    """Return the maker of a policy that reads and checks all, then has everybody wait."""
    waiting = {**_constant("do not start", "interaction", "major", "", ""),
               "plan": {"wait_days": 60}}  # fmt: skip
    return lambda seed: ReviewRules(lambda move: [env.dialect.write(move)], waiting)


READ_THEN: Mapping[str, Callable[..., Any]] = {
    "read-then-withhold": read_then_withhold,
    "read-then-start": read_then_start,
    "read-then-change": read_then_change,
    "read-then-wait": read_then_wait,
}
"""Adversaries: all the reading of a good reviewer, and one answer whatever it shows."""
