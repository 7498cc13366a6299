"""What is right in a review, computed from the hidden patient before the ticket is written."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gym_clinic.domains.drug_interaction.checks.conditions import condition_risks, ruled_out
from gym_clinic.domains.drug_interaction.checks.formulary import Indication, Regimen, indications
from gym_clinic.domains.drug_interaction.checks.given_beside import (
    MISSING,
    may_be_beside,
    may_be_in_pregnancy,
)
from gym_clinic.domains.drug_interaction.checks.instead import also_right, alternatives
from gym_clinic.domains.drug_interaction.checks.people import older_risks
from gym_clinic.domains.drug_interaction.checks.problems import (
    DrugProblem,
    ReviewProfile,
    acceptable_verdicts,
    daily_doses,
    find_problems,
    verdict_of,
)
from gym_clinic.domains.drug_interaction.checks.risks import (
    SEVERITIES,
    allergy_risk,
    pair_risk,
    ungraded,
    washout_risk,
)
from gym_clinic.domains.drug_interaction.lists.review import (
    CHANGE,
    KEEP,
    LIST,
    asked_drug,
    list_problems,
)
from gym_clinic.domains.drug_interaction.lists.stopping import (
    lowered_first,
    may_be_stopped,
    sound_instead,
    stoppable,
    stopped_medicines,
)
from gym_clinic.domains.drug_interaction.planned import list_plan, request_plan
from gym_clinic.domains.drug_interaction.world import LABS, hidden, profile_of, reported
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.physiology.body import reference

CHECKED_BY = {
    "allergy": "check_allergy",
    "renal": "check_renal_dose",
    "hepatic": "check_hepatic_dose",
    "pregnancy": "check_pregnancy",
    "older adult": "check_older_adult",
    "condition": "check_conditions",
    "duplicate": "check_duplicates",
    "maximum dose": "check_maximum_dose",
    "missing medicine": "check_given_beside",
}
"""Kind of problem -> the tool that finds it, beside the interactions."""

ALWAYS = ("read_patient_record", "read_medicines", "read_allergies", "read_laboratory_results",
          "ask_patient", "check_interactions")  # fmt: skip
"""Tools that every review calls for."""

READ = ("record:allergies", "told:medicines", "lab:creatinine")
"""What every review reads, beside the letters, what decides, and the table on each medicine."""

LEAST_CITED = 3
"""Facts that an answer cites at least."""

MOST_READ = 14
"""Keys that a gold asks to have been read."""

MINOR = "minor"
"""How severe what asks for nothing is."""


def proposal(question: Mapping[str, Any]) -> tuple[Regimen, Indication]:
    """Return the proposed drug with its indication."""
    fields = ("drug", "dose", "unit", "per_day", "route")
    return Regimen(*(question[key] for key in fields)), indications()[question["indication"]]


def gold_of(
    record: Mapping[str, Any], patient: ClinicPatient, documents: Collection[str] = ()
) -> dict[str, Any]:
    """Return the gold of a review.

    Args:
        record: The record of the task.
        patient: Its patient.
        documents: Kinds of the documents on the chart, which must be read.
    """
    who = profile_of(patient, record.get("edit", ()))
    asked, right = asked_drug(record["question"]), list[str]()
    others = [] if asked == LIST else list_problems(who)
    beside = [one for one in others if one.matters]
    doses = taken = {one.regimen.drug: one.regimen.daily for one in who.medicines}
    if asked == LIST:
        problems = list_problems(who)
        matter = [one for one in problems if one.matters]
        verdict = CHANGE if matter else KEEP
        verdicts, plan = [verdict], list_plan(who, matter, doses)
    else:
        drug, indication = proposal(record["question"])
        problems = find_problems(drug, indication, who)
        matter = [one for one in problems if one.matters]
        instead = alternatives(indication, asked, who) if matter else []
        right = [*instead, *(also_right(indication, asked, who) if matter else [])]
        verdict, verdicts = verdict_of(problems), acceptable_verdicts(problems)
        first = [one for one in instead if one in indication.first]
        if first and "do not start" not in verdicts:
            verdicts, right = [*verdicts, "do not start"], first
        doses = daily_doses(drug, who)
        usual = (one.daily for one in indication.options if one.drug == asked)
        begun = {**doses, asked: min([drug.daily, *usual])}  # nobody begins with the greatest dose
        plan = request_plan(asked, verdict, matter, instead, begun)
    kind = next((one.kind for one in matter), "none")
    keys = _decisive(matter, asked, who)
    cited, serves = _to_cite(keys, patient)
    read = [*READ, *(f"kind:{kind}" for kind in sorted(documents)), *keys]
    read += [f"lookup:interaction:{one.regimen.drug}" for one in who.medicines]
    read += [f"lookup:washout:{one}" for one, _ in who.ended if asked != LIST
             and one != asked and washout_risk(asked, one, 0) is not None]  # fmt: skip
    read = list(dict.fromkeys(read))[:MOST_READ]
    expected = [{"name": name, "arguments": {}} for name in ALWAYS]
    expected += [
        {"name": CHECKED_BY[one], "arguments": {"drug": of} if one != "duplicate" else {}}
        for one, of in {each.kind: min(each.drugs) for each in reversed(matter)}.items()
        if one in CHECKED_BY
    ]
    return {
        "answer": {
            "verdict": verdict,
            "problems": [_stated(one) for one in matter],
            "plan": plan,
            "cited_findings": [{**one, "finding": in_words(one["finding"])} for one in cited],
        },
        "problems": [
            {**_written(one, doses), **(_stops(one, doses) if asked == LIST else {})}
            for one in matter
        ],
        "extras": [
            {**_stated(one), "severity": one.severity if one.answered else MINOR}
            for one in (*problems, *others)
            if not one.matters
        ]
        + _bought_when_old(who)
        + _true_pairs([*([asked] if asked else []), *taken])
        + _allowed([*([asked] if asked else []), *taken])
        + _no_choices([*([asked] if asked else []), *taken], who),
        "beside": [{**_written(one, taken), "stoppable": stoppable(one)} for one in beside],
        "acceptable": {"verdicts": verdicts, "alternatives": right},
        "replaced": _replaced(who, matter) if asked == LIST else {},
        "taken": list(dict.fromkeys([*([asked] if asked else []), *taken])),
        "may_be_stopped": may_be_stopped(who, matter),
        "may_be_added": sorted(may_be_in_pregnancy(who.weeks) - {*taken}),
        "expected": expected,
        "read": read,
        "cite": cited,
        "instead": serves,
        "forbidden": [],
        "assertions": _assertions(asked, matter, who),
        "reward_basis": ["ACTION", "ASSERTION"],
        "difficulty": _difficulty(record, patient, matter),
        "child_pugh": who.child_pugh,
        "decided": f"{verdict}/{kind}",
        "reference": {"cost": 0.0, "orders": 0.0},
    }


def _replaced(who: ReviewProfile, problems: Sequence[DrugProblem]) -> dict[str, Any]:
    """Medicine that may be stopped -> whether and by what it is replaced, and what is watched."""
    return {
        one.taken.regimen.drug: {
            "needed": one.replaced,
            "by": [*one.by, *one.also],
            "neutral": sound_instead(one, who, problems),
            "watch": [*one.watch],
        }
        for one in stopped_medicines(who, problems)
    }


def _true_pairs(drugs: Sequence[str]) -> list[dict[str, Any]]:
    """Pairs of which the tables tell: who names one is right, whether or not it asks for anything.

    What nobody graded is minor.
    """
    pairs = itertools.combinations(dict.fromkeys(drugs), 2)
    return [
        {"kind": "interaction", "drugs": sorted(pair), "severity": risk.severity if risk else MINOR}
        for pair in pairs
        if (risk := pair_risk(*pair)) is not None or ungraded(*pair)
    ]


def _allowed(drugs: Sequence[str]) -> list[dict[str, Any]]:
    """What may be missed beside a drug, though no rule asks for it: it is named for nothing."""
    return [{"kind": MISSING, "drugs": [drug], "severity": "moderate"}
            for drug in dict.fromkeys(drugs) if may_be_beside(drug) - {*drugs}]  # fmt: skip


def _no_choices(drugs: Sequence[str], who: ReviewProfile) -> list[dict[str, Any]]:
    """What the fact tables rule out in a condition, though no rule grades it: it may be named."""
    lived = who.conditions | who.history
    return [{"kind": "condition", "drugs": [drug], "severity": SEVERITIES[-1]}
            for drug in dict.fromkeys(drugs) if ruled_out(drug, lived)]  # fmt: skip


def _bought_when_old(who: ReviewProfile) -> list[dict[str, Any]]:
    """Bought medicines of which a rule for older adults holds in some use or above some dose.

    Nobody knows for how long they are taken: who names one is right, and it is asked of nobody.
    """
    uses = sorted({each for one in indications().values() for each in one.older})
    return [
        {"kind": "older adult", "drugs": [one.regimen.drug], "severity": "moderate"}
        for one in who.medicines
        if one.bought and any(older_risks(one.regimen.drug, who.age, uses))
    ]


def _decisive(problems: Sequence[DrugProblem], asked: str, who: ReviewProfile) -> list[str]:
    """Keys of what shows the problems that matter."""
    found: dict[str, None] = {}
    for one in problems:
        others, own = sorted(one.drugs - {asked}), asked or min(one.drugs)
        if one.kind in ("interaction", "duplicate"):
            found |= {f"medicine:{other}": None for other in others or [own]}
        elif one.kind == "allergy":
            explains = [ref for ref, _ in who.allergies if _explains(own, ref)]
            found |= {f"allergy:{ref}": None for ref in explains}
        elif one.kind == "renal":
            found["lab:creatinine"] = None
        elif one.kind == "hepatic":
            found["condition:cirrhosis"] = None
        elif one.kind == "pregnancy":
            found["pregnancy"] = None
        elif one.kind == "condition":
            gravest = next(iter(condition_risks(own, who.conditions)))
            found[f"condition:{gravest}"] = None
    return list(found)


def in_words(key: str) -> str:
    """Return what a key is called in an answer."""
    kind, _, of = key.partition(":")
    facts = load()
    if kind == "lab":
        return facts.measurements[of].name
    if kind == "medicine":
        return facts.drugs[of].name
    if kind == "condition":
        return key
    if kind == "allergy":
        group = of.removeprefix("class:")
        return f"{facts.drug_classes[group].name if group != of else facts.drugs[of].name} allergy"
    return key


def _explains(drug: str, allergen: str) -> bool:
    risk = allergy_risk(drug, allergen)
    return risk is not None and risk.actions == ("avoid",)


def _to_cite(
    decisive: Sequence[str], patient: ClinicPatient
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What an answer cites, and what serves as well.

    What decides must be cited. Where that is less than three facts, others are cited beside it:
    any of what is taken, lived with, reacted to and measured serves.
    """
    others = [f"medicine:{one.drug}" for one in patient.medicines]
    others += [f"condition:{one.condition}" for one in patient.background if not one.mistaken]
    others += [f"allergy:{one.allergen}" for one in patient.allergies]
    facts = dict.fromkeys(others, True)
    facts |= {f"lab:{name}": _is_abnormal(name, patient) for name in LABS if name != "egfr"}
    rest = [one for one in (*others[:2], "lab:k", "lab:alt", "lab:hb") if one not in decisive]
    rest = rest[: max(LEAST_CITED - len(decisive), 0)]
    stated = [{"finding": key, "present": facts.get(key, True)} for key in (*decisive, *rest)]
    pool = [{"finding": key, "present": has} for key, has in facts.items() if key not in decisive]
    return stated, [{"keys": rest, "of": pool}] if rest else []


def _is_abnormal(name: str, patient: ClinicPatient) -> bool:
    """Whether today's value is outside its range."""
    limits = reference(load().measurements[name], *patient.person.measured_by)
    value = reported(patient, name)
    low = limits is not None and limits.low is not None and value < limits.low
    high = limits is not None and limits.high is not None and value > limits.high
    return low or high


def _stated(one: DrugProblem) -> dict[str, Any]:
    """A problem as an answer states it."""
    return {"kind": one.kind, "drugs": sorted(one.drugs), "severity": one.severity}


def _written(one: DrugProblem, doses: Mapping[str, float]) -> dict[str, Any]:
    """A problem as the gold keeps it."""
    return {
        **_stated(one),
        "actions": list(one.actions),
        "remedies": [
            {
                "kind": each.kind,
                "drugs": sorted(each.drugs),
                "most": each.most,
                "watch": each.watch,
                "amount": each.amount,
                "taken": {key: doses[key] for key in sorted(each.drugs) if key in doses},
            }
            for each in one.remedies
        ],
    }


def _stops(one: DrugProblem, doses: Mapping[str, float]) -> dict[str, Any]:
    """What of a problem of a list may be stopped, and at which dose what is stopped in steps is."""
    return {
        "stoppable": stoppable(one),
        "steps": {drug: doses[drug] for drug in lowered_first(one)},
    }


def _assertions(
    asked: str, problems: Sequence[DrugProblem], who: ReviewProfile
) -> list[dict[str, Any]]:
    """What is asserted of a review; each hangs on what this patient has, or on the decision."""
    name = load().drugs[asked].name if asked else "Each medicine"
    judged = name if asked else "the list"
    taken = [*([asked] if asked else []), *(one.regimen.drug for one in who.medicines)]
    checked: dict[str, Any] = {
        "check": "looked_up",
        "tool": "check_interaction",
        "drugs": taken[:8],
        "text": f"{name} was checked against all that is taken.",
    }
    named: dict[str, Any] = {"check": "no_false_alarm", "text": "Nothing is named that is none."}
    if problems:
        one = problems[0]
        named = {"check": "named", "kind": one.kind, "drugs": sorted(one.drugs),
                 "text": f"The problem that decides ({one.kind}) is named."}  # fmt: skip
        if one.kind in CHECKED_BY and one.kind != "duplicate":
            own = asked or min(one.drugs)
            drug = load().drugs[own].name.lower()
            text = f"The {one.kind} check of {drug} was made and followed."
            checked = {"check": "looked_up", "tool": CHECKED_BY[one.kind],
                       "drugs": [own], "decided": True, "text": text}  # fmt: skip
    return [
        {"check": "verdict_holds", "text": f"The verdict on {judged} can be defended."},
        named,
        checked,
        {"check": "plan_holds", "text": "The plan answers what was found."},
        {"check": "decided_after_reading", "keys": ["told:medicines", "lab:creatinine"],
         "text": "The verdict holds, and the patient was asked and kidney function read first."},
    ]  # fmt: skip


def _difficulty(
    record: Mapping[str, Any], patient: ClinicPatient, problems: Sequence[DrugProblem]
) -> list[str]:
    """What makes a review hard, of what is still so after all edits."""
    edits = record.get("edit", ())
    taken = {one.drug for one in patient.medicines}
    ended = {one.what for one in patient.past}
    found = []
    bought = {one["drug"] for one in edits if one.get("bought")}
    lacking = hidden(edits, "take", "drug") & taken
    if lacking & bought:
        found.append("a bought medicine that the list lacks")
    if lacking - bought:
        found.append("a prescribed medicine that the list lacks")
    if hidden(edits, "allergy", "allergen") & {one.allergen for one in patient.allergies}:
        found.append("an allergy that the list lacks")
    if hidden(edits, "ended", "drug") & ended - taken:
        found.append("a medicine that ended lately")
    if any(one["kind"] == "shown" and not one.get("egfr", True) for one in edits):
        found.append("eGFR is not reported")
    branded = {one["drug"] for one in edits if one.get("product") or one["kind"] == "product"}
    if branded & taken:
        found.append("brand or combination names")
    pregnant = [one for one in edits if one["kind"] == "pregnancy"]
    if pregnant and pregnant[-1]["weeks"] and pregnant[0].get("told") == "hidden":
        found.append("a pregnancy that is not on record")
    if len(problems) > 1:
        found.append("several problems")
    return found or ["plain"]
