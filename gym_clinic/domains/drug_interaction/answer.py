"""The answer of a review as the agent gives it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import NotRequired, TypedDict

from gym_clinic.chart import Chart
from gym_clinic.clinical.answer import Amount, Citations, Name
from gym_clinic.domains.drug_interaction.checks.formulary import indications
from gym_clinic.domains.drug_interaction.checks.risks import ProblemKind
from gym_clinic.domains.drug_interaction.lists.review import LIST, asked_drug
from gym_clinic.facts import load
from gym_clinic.toolbox import Kind, tool

Verdict = Literal[
    "start as proposed", "start with change", "do not start", "keep the list", "change the list"
]  # fmt: skip
Grade = Literal["minor", "moderate", "major", "contraindicated"]

MOST_PROBLEMS, MOST_DRUGS = 12, 5
"""Problems of one answer at most, and so its doses, tests and products to stop; drugs of one
problem."""

Names = Annotated[list[Name], Field(max_length=MOST_PROBLEMS)]
"""What is to be stopped or added."""


class StatedProblem(TypedDict):
    """A problem that the agent found.

    Attributes:
        kind: What kind of problem.
        drugs: The drugs in it; the proposed one may be left out.
        severity: How severe it is.
    """

    kind: ProblemKind
    drugs: Annotated[list[Name], Field(max_length=MOST_DRUGS)]
    severity: Grade


class DoseChange(TypedDict):
    """A drug that is given at another dose.

    Attributes:
        drug: The proposed drug, or one that is taken.
        daily_dose: The amount a day, in the unit in which it is proposed or taken.
    """

    drug: Name
    daily_dose: Amount


class PlannedTest(TypedDict):
    """What is watched after the drug was started.

    Attributes:
        test: One quantity, such as "INR" or "potassium".
        first_day: Day after the start on which it is first checked.
    """

    test: Name
    first_day: Annotated[float, Field(ge=0, le=120)]


class ReviewPlan(TypedDict):
    """What is to be done; only what is needed is given.

    Attributes:
        alternative: The drug to give instead, where the proposed one is not started.
        wait_days: Days to wait before the proposed drug may be started.
        doses: Doses that are changed.
        monitoring: What is to be watched, and when first; what is routine under a drug for years
            may be left out. Of a whole list, not what today's results
            have checked since it was begun and found right, nor what shows itself (bleeding,
            sedation, pulse, blood pressure, glucose) where both are taken for 90 days or more.
        separate_hours: Hours between the proposed drug and another.
        add: Medicines that are given beside the drug, to protect from it; of a whole list also what
            is given instead of a medicine that is stopped, where its condition would go untreated.
        stop: Bought products that are to be stopped; of a whole list also what is prescribed.
    """

    alternative: NotRequired[Name | None]
    wait_days: NotRequired[float | None]
    doses: NotRequired[Annotated[list[DoseChange], Field(max_length=MOST_PROBLEMS)]]
    monitoring: NotRequired[Annotated[list[PlannedTest], Field(max_length=MOST_PROBLEMS)]]
    separate_hours: NotRequired[float | None]
    add: NotRequired[Names]
    stop: NotRequired[Names]


@tool(kind=Kind.SUBMIT)
def submit_answer(
    case: Chart,
    verdict: Verdict,
    problems: Annotated[list[StatedProblem], Field(max_length=MOST_PROBLEMS)],
    plan: ReviewPlan,
    cited_findings: Citations,
) -> None:
    """Give the verdict on the proposed drug, or on the whole list; this ends the review.

    Args:
        verdict: Whether it is started; of a whole list, whether it is kept.
        problems: What matters in this patient, with its severity; empty if nothing does.
        plan: What is done instead, or changed; empty if nothing is.
        cited_findings: At least three facts of this patient that the verdict rests on, each by its
            name: a medicine, a condition ("asthma", or "condition:asthma"), an allergy ("penicillin
            allergy"), a blood result ("creatinine", present if it is abnormal), "pregnancy".
    """
    for event in _orders(case, verdict, problems, plan):
        case.log(event.pop("tool"), **event)


def _orders(
    case: Chart, verdict: Verdict, problems: list[StatedProblem], plan: ReviewPlan
) -> Iterator[dict[str, Any]]:
    """Yield what the answer orders, in the words of the judge of safety."""
    asked: Mapping[str, Any] = case["question"]
    if verdict == "do not start":
        return
    for product in dict.fromkeys(plan.get("stop", ())):
        yield {"tool": "discontinue", "drug": product}
    partners = list(dict.fromkeys(name for one in problems for name in one["drugs"]))
    if asked_drug(asked) == LIST:
        for change in plan.get("doses", ()):
            yield {"tool": "adjust_dose", "drug": change["drug"], "with": partners}
        for test in dict.fromkeys(one["test"] for one in plan.get("monitoring", ())):
            for drug in partners:
                yield {"tool": "monitor", "drug": drug, "test": test}
        return
    dose = asked["dose"]
    for change in plan.get("doses", ()):
        if change["drug"].casefold() in (
            asked["drug"],
            load().drugs[asked["drug"]].name.casefold(),
        ):
            dose = change["daily_dose"] / asked["per_day"]
        yield {"tool": "adjust_dose", "drug": change["drug"], "with": partners}
    for test in dict.fromkeys(one["test"] for one in plan.get("monitoring", ())):
        for drug in dict.fromkeys((asked["drug"], *partners)):
            yield {"tool": "monitor", "drug": drug, "test": test}
    older = indications()[asked["indication"]].older
    given = {"dose": dose, "unit": asked["unit"], "route": asked["route"]}
    rate = (
        {"per_day": asked["per_day"]}
        if asked["per_day"] >= 1
        else {"per_week": round(7 * asked["per_day"], 2)}
    )
    yield {"tool": "prescribe", "drug": asked["drug"], **given, **rate,
           "indication": older[0] if older else asked["indication"]}  # fmt: skip
