"""How a review is judged: verdict, problems and plan, what supports them, and whether they fit.

Accuracy is exact: .4 verdict, .4 the problems that matter (F1 of sets; the right problem with
another severity counts half), .2 plan. A verdict that something is wrong needs a reason that is
true of the patient: "change the list" is right of most lists, and says nothing by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from gym_clinic.clinical import DomainJudge, Harm, JudgedEpisode
from gym_clinic.domains.drug_interaction.checks.instead import harm_of
from gym_clinic.domains.drug_interaction.checks.problems import DrugProblem, find_problems
from gym_clinic.domains.drug_interaction.gold import in_words, proposal
from gym_clinic.domains.drug_interaction.lists.review import (
    CHANGE,
    KEEP,
    LIST,
    asked_drug,
    list_problems,
)
from gym_clinic.domains.drug_interaction.naming import (
    asked_about,
    others_of,
    problems_score,
    same_problem,
    stated_problems,
)
from gym_clinic.domains.drug_interaction.plans import (
    CHANGES,
    adds_too_much,
    as_meant,
    drugs_named,
    for_the_request,
    plan_score,
)
from gym_clinic.domains.drug_interaction.world import profile_of
from gym_clinic.rewards.clinical import CallArguments

WEIGHTS = {"verdict": 0.4, "problems": 0.4, "plan": 0.2}


def accuracy(judged: JudgedEpisode) -> Mapping[str, float]:
    """Return how right verdict, problems and plan are, each 0 to 1."""
    raw, gold = judged.raw or {}, judged.gold
    problems, verdict = problems_score(judged), verdict_of(judged)
    reasoned = problems > 0 or not gold["problems"]
    right = reasoned and verdict in gold["acceptable"]["verdicts"]
    return {
        "verdict": float(right),
        "problems": problems,
        "plan": plan_score(verdict, raw["plan"], gold) if right else 0.0,
    }


def verdict_of(judged: JudgedEpisode) -> str:
    """Return the verdict of an answer as it is meant; empty without an answer.

    Who changes a list in which something is wrong changes it, however little.
    """
    raw, gold, proposed = judged.raw, judged.gold, asked_drug(judged.case["question"])
    if not raw or (proposed == LIST and gold["problems"]):
        return str(raw["verdict"]) if raw else ""
    drugs = gold.get("taken", ()) if proposed == LIST else [proposed]
    return as_meant(raw, drugs, gold.get("may_be_stopped", ()), gold.get("may_be_added", ()))


def really(judged: JudgedEpisode) -> tuple[DrugProblem, ...]:
    """Return the problems that the tables find for the request in this patient."""
    case, edits = judged.case, judged.episode.task.record.get("edit", ())

    def find() -> tuple[DrugProblem, ...]:
        who, asked = profile_of(case.patient, edits), case["question"]
        whole = asked_drug(asked) == LIST
        return tuple(list_problems(who) if whole else find_problems(*proposal(asked), who))

    return case.computed("problems", find)


def supported(judged: JudgedEpisode) -> float:
    """Return the share of the stated problems that exist and that a right citation bears out.

    Whether one exists, the tables are asked for the stated drugs in this patient; one that is true
    and asks for nothing needs no citation. Without problems:
    0 if one exists that matters; else whether a laboratory value and a medicine, condition or
    allergy, or else two laboratory values, are rightly cited.
    """
    right = {key for key, _ in judged.cited.right | judged.cited.also}
    kinds = {key.partition(":")[0] for key in right}
    proposed, real = asked_drug(judged.case["question"]), really(judged)

    def is_one(of: Iterable[tuple[str, frozenset[str]]], kind: str, drugs: frozenset[str]) -> bool:
        return any(same_problem(*one, kind, drugs, proposed) for one in of)

    matter = [(one.kind, others_of(one.drugs, proposed)) for one in real if one.matters]
    more = [(one.kind, others_of(one.drugs, proposed)) for one in real if not one.matters]
    more += [
        (one["kind"], others_of(one["drugs"], proposed)) for one in judged.gold.get("extras", ())
    ]
    borne = []
    for kind, drugs, _ in asked_about(judged):
        wanted, is_borne = is_one(matter, kind, drugs), _borne_out(kind, drugs, right, kinds)
        besides = is_one(more, kind, drugs)
        if is_borne or wanted or not besides:
            borne.append(is_borne and (wanted or besides))
    if borne:
        return sum(borne) / len(borne)
    if any(one.matters for one in real):
        return 0.0
    labs = sum(key.startswith("lab:") for key in right)
    return 1.0 if labs and (labs > 1 or kinds - {"lab"}) else 0.5 if right else 0.0


def _borne_out(
    kind: str, drugs: frozenset[str], right: Collection[str], kinds: Collection[str]
) -> bool:
    """Whether a right citation bears a problem out."""
    if kind in ("interaction", "duplicate"):
        return any(f"medicine:{one}" in right for one in drugs) or (not drugs and bool(right))
    asked = {"renal": {"lab:creatinine", "lab:egfr"}, "hepatic": {"condition:cirrhosis"},
             "pregnancy": {"pregnancy"}}  # fmt: skip
    if kind in ("allergy", "condition"):
        return kind in kinds
    return not asked[kind].isdisjoint(right) if kind in asked else bool(right)


def fits(judged: JudgedEpisode) -> float:
    """Return how well verdict and plan fit the stated problems, whether they are right or not."""
    raw = judged.raw or {}
    verdict, plan = verdict_of(judged), for_the_request(raw["plan"], judged.gold)
    worst = {severity for _, _, severity in asked_about(judged)} - {"minor"}
    if verdict in (KEEP, CHANGE):
        first = float((verdict == CHANGE) == bool(worst))
    elif not worst:
        first = float(verdict == "start as proposed")
    elif "contraindicated" in worst:
        first = float(verdict == "do not start" or bool(plan.get("stop")))
    else:
        first = float(verdict != "start as proposed")
    instead = bool(plan.get("alternative") or plan.get("wait_days"))
    changes = any(plan.get(key) for key in CHANGES)
    watched = bool(plan.get("monitoring"))
    second = {
        "start as proposed": not instead and not changes,
        "start with change": (changes or watched) and not instead,
        "do not start": instead and not changes,
        KEEP: not instead and not changes,
        CHANGE: (changes or watched) and not instead,
    }[verdict]
    return (first + second) / 2


def canonical(name: str, arguments: Mapping[str, Any]) -> list[CallArguments] | None:
    """Return the compared form of a call of this domain: drugs by id."""
    if name in ("check_interaction", "check_interactions"):
        return [("check_interactions", {"drugs": sorted(_all_named(arguments))})]
    if name == "check_duplicates":
        return [(name, {"drugs": sorted(drugs_named(arguments.get("drugs", ())))})]
    if name.startswith("check_") and "drug" in arguments:
        rest = {key: value for key, value in arguments.items() if key != "drug"}
        return [(name, {**rest, "drug": "+".join(sorted(drugs_named([str(arguments["drug"])])))})]
    return None


def _all_named(arguments: Mapping[str, Any]) -> frozenset[str]:
    listed = list(arguments.get("drugs", ()))
    listed += [arguments[key] for key in ("first", "second") if key in arguments]
    return drugs_named(str(one) for one in listed)


def _verdict_holds(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    return judged.concluded


def _plan_holds(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    return judged.parts["plan"] == 1.0


def _decided_after_reading(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    return _verdict_holds(judged, fields) and all(key in judged.read for key in fields["keys"])


def _looked_up(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    kind = _NOTED[fields["tool"]]
    if fields.get("decided") and not _verdict_holds(judged, fields):
        return False
    return all(f"lookup:{kind}:{one}" in judged.read for one in fields["drugs"])


_NOTED = {
    "check_interaction": "interaction", "check_allergy": "allergy", "check_renal_dose": "renal",
    "check_hepatic_dose": "hepatic", "check_pregnancy": "pregnancy",
    "check_older_adult": "older adult", "check_duplicates": "duplicate",
    "check_maximum_dose": "dose", "check_washout": "washout",
    "check_conditions": "condition", "check_given_beside": "beside",
}  # fmt: skip


def _named(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    proposed = asked_drug(judged.case["question"])
    wanted = others_of(fields["drugs"], proposed)
    return any(
        same_problem(fields["kind"], wanted, kind, drugs, proposed)
        for kind, drugs, _ in stated_problems(judged)
    )


def _no_false_alarm(judged: JudgedEpisode, fields: Mapping[str, Any]) -> bool:
    return bool(judged.cited.right) and problems_score(judged) == 1.0


def harms(judged: JudgedEpisode) -> Iterator[Harm]:
    """Yield the harms of wrong decisions: given what harms, or withheld what is right.

    A drug that must not be given is started (5 if it is contraindicated, else 4); one that needs a
    change is started without it or withheld (3); one that is right is withheld (4) or changed (2);
    what is given instead is not right here (2, or 3 and 4 by the problem that it brings; nothing
    where only its dose is to be lowered). Of a list, what is right is stopped (3), or what nothing
    asks for is added (2).
    """
    raw, gold = judged.raw or {}, judged.gold
    if asked_drug(judged.case["question"]) == LIST:
        plan = for_the_request(raw["plan"], gold)
        yield from _harms_of_list({**raw, "verdict": verdict_of(judged), "plan": plan}, gold)
        return
    verdict, right = verdict_of(judged), gold["acceptable"]["verdicts"]
    name = in_words(f"medicine:{asked_drug(judged.case['question'])}")
    if verdict in right:
        instead = raw["plan"].get("alternative")
        given = drugs_named([instead]) if instead else frozenset()
        if not given <= {*gold["acceptable"]["alternatives"]}:
            grade = _harm_instead(judged, given)
            text = f"{instead} is not right for this patient instead of {name}."
            yield from [Harm(grade, text)] * bool(grade)
    elif right[0] == "do not start":
        worst = {one["severity"] for one in gold["problems"]}
        forbids = f"{name} is started, and this patient must not have it"
        yield Harm(5 if "contraindicated" in worst else 4, f"{forbids}: {_kinds(gold)}.")
    elif verdict == "do not start":
        needless = right[0] == "start as proposed"
        why = "nothing speaks against it" if needless else "a change makes it safe"
        yield Harm(4 if needless else 3, f"{name} is withheld, and {why}.")
    elif right[0] == "start as proposed":
        yield Harm(2, f"{name} is changed, and nothing asks for a change.")
    else:
        yield Harm(3, f"{name} is started without the change that is needed: {_kinds(gold)}.")


def _kinds(gold: Mapping[str, Any]) -> str:
    """The kinds of what is wrong, in words."""
    return ", ".join(dict.fromkeys(one["kind"] for one in gold["problems"]))


def _harm_instead(judged: JudgedEpisode, given: Iterable[str]) -> int:
    """How severe it is to give these drugs instead of the proposed one; 0 for no harm."""
    case = judged.case
    who = profile_of(case.patient, judged.episode.task.record.get("edit", ()))
    _, indication = proposal(case["question"])
    return max(harm_of(indication, drug, who) for drug in given)


def _harms_of_list(raw: Mapping[str, Any], gold: Mapping[str, Any]) -> Iterator[Harm]:
    may_stop = {drug for one in gold["problems"] for drug in one["stoppable"]}
    needed = sorted(drugs_named(raw["plan"].get("stop") or ()) - may_stop)
    if needed:
        yield Harm(3, f"Stopped, and nothing asks for it: {', '.join(needed)}.")
    if adds_too_much(raw["plan"], gold):
        added = ", ".join(raw["plan"]["add"])
        yield Harm(2, f"Added ({added}) is what nothing asks for, or more than is enough.")
    if raw["verdict"] not in gold["acceptable"]["verdicts"]:
        worst = {one["severity"] for one in gold["problems"]}
        grade = 5 if "contraindicated" in worst else 4 if "major" in worst else 3 if worst else 2
        kept = f"The list is kept, and something must change: {_kinds(gold)}."
        yield Harm(grade, kept if worst else "The list is changed, and nothing is wrong with it.")


JUDGE = DomainJudge(
    accuracy=accuracy,
    weights=WEIGHTS,
    supported=supported,
    fits=fits,
    harms=harms,
    canonical=canonical,
    needs=lambda key: not key.startswith("lookup:"),  # the patient; who knows the tables asks none
    checks={
        "verdict_holds": _verdict_holds,
        "looked_up": _looked_up,
        "named": _named,
        "no_false_alarm": _no_false_alarm,
        "plan_holds": _plan_holds,
        "decided_after_reading": _decided_after_reading,
    },
)
"""How the domain is judged."""
