"""Which problems an answer names, and which of those that matter they are."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from gym_clinic.clinical import JudgedEpisode
from gym_clinic.domains.drug_interaction.checks.given_beside import MISSING
from gym_clinic.domains.drug_interaction.checks.risks import SEVERITIES, duplicate_risk, pair_risk
from gym_clinic.domains.drug_interaction.lists.review import LIST, asked_drug
from gym_clinic.domains.drug_interaction.plans import drugs_named

OTHER_SEVERITY = 0.5
"""What a problem counts that is stated with another severity, or as another kind that is near."""

OF_PAIRS = ("interaction", "duplicate")
"""Kinds of problems of two medicines, which may both be said of one pair."""

OF_ORGANS = ("renal", "hepatic")
"""Kinds of problems that are of a condition too."""

OF_PATIENT = (*OF_ORGANS, "condition", "older adult")
"""Kinds of problems of one medicine in who takes it."""

Problem = tuple[str, frozenset[str], str]
"""Kind, drugs but the proposed one, severity."""


def problems_score(judged: JudgedEpisode) -> float:
    """Return the F1 of the stated problems; 1 where there are none and none is stated."""
    proposed = asked_drug(judged.case["question"])
    stated = asked_about(judged)
    graded: dict[tuple[str, frozenset[str]], str] = {}
    for one in judged.gold["problems"]:  # two rules may say the same; the graver comes first
        graded.setdefault((one["kind"], others_of(one["drugs"], proposed)), one["severity"])
    wanted = [(kind, drugs, severity) for (kind, drugs), severity in graded.items()]
    extras = [(one["kind"], others_of(one["drugs"], proposed), one.get("severity", "minor"))
              for one in judged.gold["extras"]]  # fmt: skip
    made = hits = 0.0
    for kind, drugs, severity in sorted(stated, key=lambda one: one[:2] not in graded):
        alike = [one for one in wanted if same_problem(one[0], one[1], kind, drugs, proposed)]
        match = min(alike, key=lambda one: (one[0] != kind, len(one[1] ^ drugs)), default=None)
        if match is not None:
            wanted.remove(match)
            hits += _worth(match, (kind, drugs, severity), proposed)
        elif any(same_problem(*of, kind, drugs, proposed) for of in graded):
            continue  # it is told twice, in two forms
        elif any(same_problem(of, named, kind, drugs, proposed) and _grade(severity) <= _grade(most)
                 for of, named, most in extras):  # fmt: skip
            continue
        made += 1
    total = made + len(graded)
    return 2 * hits / total if total else 1.0


def _worth(wanted: Problem, stated: Problem, proposed: str) -> float:
    """What a problem counts that is stated in a form of its own.

    Of two duplicates that interact, the interaction is as true, as grave as the tables have it.
    """
    if wanted[0] == stated[0]:
        return 1.0 if wanted[2] == stated[2] else OTHER_SEVERITY
    kind, drugs, severity = stated
    first, *rest = sorted(drugs | ({proposed} - {LIST}))
    risk = pair_risk(first, rest[0]) if kind == "interaction" and len(rest) == 1 else None
    return 1.0 if risk is not None and risk.severity == severity else OTHER_SEVERITY


def _grade(severity: str) -> int:
    return next(rank for rank, one in enumerate(SEVERITIES) if one == severity)


def others_of(drugs: Iterable[str], proposed: str) -> frozenset[str]:
    """Return drugs without the proposed one."""
    return frozenset(drugs) - {proposed}


def same_problem(
    kind: str, drugs: frozenset[str], other: str, named: frozenset[str], proposed: str
) -> bool:
    """Return whether a problem is the one that is named; of three drugs in one, two will do.

    The proposed drug is one of them, and is left out of both. Two drugs that are alike may be said
    to interact or to be duplicates, and failing kidneys or a failing liver to be a condition.
    """
    least = 2 if proposed == LIST else 1
    near = len(drugs) > least and len(named) >= least and named <= drugs
    if kind == other:
        return drugs == named or near
    if "condition" in (kind, other):
        return drugs == named and not {kind, other}.isdisjoint(OF_ORGANS)
    pair = drugs == named and {kind, other} == {*OF_PAIRS}
    return pair and _alike(drugs | ({proposed} - {LIST}))


def _alike(drugs: Collection[str]) -> bool:
    """Whether the tables call two drugs duplicates, by class or by purpose."""
    return len(drugs) == 2 and duplicate_risk(*drugs) is not None


def stated_problems(judged: JudgedEpisode) -> list[Problem]:
    """Return the problems of the answer: kind, drugs but the proposed one, severity; each once."""
    proposed = asked_drug(judged.case["question"])
    found: dict[tuple[str, frozenset[str]], str] = {}
    for one in (judged.raw or {}).get("problems", ()):
        named = drugs_named(one["drugs"])
        drugs = others_of(named, proposed)
        # A problem of the proposed drug itself names no other.
        if one["kind"] in ("interaction", "duplicate") and not drugs and proposed in named:
            drugs = frozenset() if one["kind"] == "duplicate" else frozenset({f"?{one['kind']}"})
        found.setdefault((one["kind"], drugs), one["severity"])
    return [(kind, drugs, severity) for (kind, drugs), severity in found.items()]


def asked_about(judged: JudgedEpisode) -> list[Problem]:
    """Return the problems of the answer without those that other medicines truly have.

    A request asks about the proposed drug: who names them too is right, and is not paid for it. Nor
    is who misses what may be given in a pregnancy.
    """
    more = {*judged.gold.get("may_be_added", ())}
    return [one for one in stated_problems(judged)
            if not is_beside(one[0], one[1], judged)
            and not (one[0] == MISSING and one[1] and one[1] <= more)]  # fmt: skip


def is_beside(kind: str, drugs: frozenset[str], judged: JudgedEpisode) -> bool:
    """Return whether a problem is one of other medicines, told as the tables do or of the patient.

    A painkiller beside an ACE inhibitor that failing kidneys forbid is no less true as a problem of
    the painkiller in these kidneys.
    """
    return any(
        (kind == one["kind"] and drugs == {*one["drugs"]})
        or (kind in OF_PATIENT and bool(drugs) and drugs <= {*one["drugs"]})
        for one in judged.gold.get("beside", ())
    )
