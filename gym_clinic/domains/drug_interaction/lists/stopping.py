"""What follows when medicines of a list are stopped: a condition must not go untreated."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from gym_clinic.domains.drug_interaction.checks.duplicates import shared_class
from gym_clinic.domains.drug_interaction.checks.formulary import (
    Indication,
    indications,
    kinds_of,
    treats,
)
from gym_clinic.domains.drug_interaction.checks.instead import (
    NO_SUBSTITUTE,
    also_right,
    alternatives,
    is_sound,
)
from gym_clinic.domains.drug_interaction.checks.problems import (
    DrugProblem,
    ReviewProfile,
    Taken,
    excluded,
)
from gym_clinic.domains.drug_interaction.checks.risks import pair_risk
from gym_clinic.domains.drug_interaction.checks.watching import sets_the_dose, with_a_level
from gym_clinic.facts import load
from gym_clinic.facts.named_drugs import is_a


@dataclass(frozen=True)
class StoppedMedicine:
    """A medicine of a list that is stopped.

    Attributes:
        taken: The medicine.
        treated: Whether something else treats what it was taken for, or nothing needs to.
        by: What is usually given instead.
        also: What a guideline accepts instead as well.
        watch: What is watched then: a dose of what goes on was set beside it.
    """

    taken: Taken
    treated: bool
    by: tuple[str, ...]
    also: tuple[str, ...] = ()
    watch: tuple[str, ...] = ()

    @property
    def replaced(self) -> bool:
        """Whether something must be given instead."""
        return bool(self.by) and not self.treated

    @property
    def waits(self) -> bool:
        """Whether what it was taken for may go untreated for a time."""
        indication = taken_for(self.taken)
        return indication is not None and indication.name in _table()["may wait"]


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Sequence[str]]:
    text = Path(__file__).with_name("essential.json").read_text(encoding="utf-8")
    table: Mapping[str, Sequence[str]] = json.loads(text)
    return table


def essential(drug: str) -> bool:
    """Return whether a drug is not stopped where another of its problem can be."""
    return any(is_a(drug, ref) for ref in _table()["drugs"])


def may_be_stopped(who: ReviewProfile, problems: Sequence[DrugProblem]) -> list[str]:
    """Return what a patient buys that may be stopped though no problem asks for it."""
    asked = {drug for one in problems for drug in one.drugs}
    bought = (one.regimen.drug for one in who.medicines if one.bought)
    ends = (one for one in bought if one in _table()["may be stopped"] or excluded(one, who))
    return [one for one in ends if one not in asked]


def stoppable(problem: DrugProblem) -> list[str]:
    """Return the drugs of which stopping one answers a problem; none where it is not called for.

    What is bought is stopped before what is prescribed, and an essential drug only if it was begun
    in the last days, or no other is left.
    """
    bought = [drug for one in problem.remedies if one.kind == "stop" for drug in one.drugs]
    if bought:
        return sorted(bought)
    if "avoid" not in problem.actions:
        return []
    drugs = sorted(problem.drugs)
    return [one for one in drugs if not essential(one) or one in problem.begun] or drugs


def lowered_first(problem: DrugProblem) -> list[str]:
    """Return the drugs of a problem that are stopped step by step: a lower dose is the first.

    What is contraindicated or brings an allergy is not gone on with, and what was begun lately may
    be stopped at once.
    """
    if problem.severity == "contraindicated" or problem.kind == "allergy":
        return []
    return [drug for drug in stoppable(problem)
            if drug not in problem.begun
            and any(is_a(drug, ref) for ref in _table()["lowered first"])]  # fmt: skip


def stopped_drugs(problems: Sequence[DrugProblem], first: str | None = None) -> list[str]:
    """Return what is stopped to answer the problems: the drug of most, of those the newest.

    Args:
        problems: Problems of a list that matter.
        first: A drug that is stopped in any case.
    """

    def order(drug: str) -> tuple[int, bool, bool]:
        of_these = any(is_a(drug, ref) for ref in _table()["stopped first"])
        return ends.count(drug), drug in new, of_these

    stopped = [] if first is None else [first]
    left = [one for one in problems if one.actions[0] == "avoid"
            or any(each.kind == "stop" for each in one.remedies[:1])]  # fmt: skip
    while left := [one for one in left if not {*stopped} & {*stoppable(one)}]:
        ends = [drug for one in left for drug in stoppable(one)]
        new = {drug for one in left for drug in one.begun}
        stopped.append(max(sorted({*ends}), key=order))
    return stopped


def taken_for(one: Taken) -> Indication | None:
    """Return the indication that a medicine of a list is taken for; None if none is known.

    It is one that lists the drug, or else another drug of its class. A drug that is listed for one
    use alone is taken for that, whichever condition made it needed.
    """
    drug, reason = one.regimen.drug, one.reason
    asked = [each for each in indications().values()
             if reason in (each.disease, each.lives_with, *each.presents)
             or (reason and reason in each.why)]  # fmt: skip
    if not asked and reason in load().conditions:
        uses = [each for each in indications().values()
                if any(other.drug == drug for other in each.options)]  # fmt: skip
        asked = uses if len(uses) == 1 else []
    asked.sort(key=lambda each: reason not in (each.disease, each.lives_with))
    own = [each for each in asked if any(other.drug == drug for other in each.options)]
    classes = kinds_of(drug)
    alike = [each for each in asked
             if any(classes & kinds_of(other.drug) for other in each.options)]  # fmt: skip
    return next(iter([*own, *alike]), None)


def _treated(one: Taken, kept: Collection[Taken]) -> bool:
    """Whether what a medicine is taken for goes on being treated, or nothing need treat it."""
    indication = taken_for(one)
    if one.bought:
        return True
    if indication is None:
        named = one.reason in load().conditions or essential(one.regimen.drug)
        return not named or any(other.reason == one.reason for other in kept)
    drugs = [other.regimen.drug for other in kept if not other.bought]
    return any(
        treats(drug, indication) or shared_class(drug, one.regimen.drug) is not None
        for drug in drugs
        if drug not in NO_SUBSTITUTE
    )


def without(who: ReviewProfile, drugs: Collection[str]) -> ReviewProfile:
    """Return a patient who took some drugs until today."""
    kept = tuple(one for one in who.medicines if one.regimen.drug not in drugs)
    return replace(who, medicines=kept, ended=(*who.ended, *((drug, 0.0) for drug in drugs)))


def after_stopping(
    drug: str, who: ReviewProfile, problems: Sequence[DrugProblem]
) -> StoppedMedicine:
    """Return what follows when a drug of a list is stopped, with all that is stopped beside it.

    Args:
        drug: The drug.
        who: The patient with the whole list.
        problems: Problems of the list that matter.
    """
    one = next(each for each in who.medicines if each.regimen.drug == drug)
    gone, indication = stopped_drugs(problems, drug), taken_for(one)
    kept = without(who, gone)
    by = [] if indication is None or one.bought else alternatives(indication, drug, kept)
    fit = tuple(each for each in by if each not in gone)
    also = also_right(indication, drug, kept) if indication is not None and fit else []
    watch = _set_beside(drug, kept.medicines)
    return StoppedMedicine(one, _treated(one, kept.medicines), fit, tuple(also), watch)


def _set_beside(drug: str, kept: Collection[Taken]) -> tuple[str, ...]:
    """The values that are watched of two, by which the dose of what goes on was set.

    Without an inducer or inhibitor the INR moves, and warfarin is dosed anew.
    """
    found: dict[str, None] = {}
    for one in kept:
        value, risk = with_a_level().get(one.regimen.drug), pair_risk(drug, one.regimen.drug)
        if value is not None and risk is not None and sets_the_dose(value):
            found |= {each.watch: None for each in risk.remedies if each.watch == value}
    return tuple(found)


@lru_cache(maxsize=1)
def _substitutes() -> tuple[Sequence[Mapping[str, Sequence[str]]], frozenset[str]]:
    text = Path(__file__).with_name("substitutes.json").read_text(encoding="utf-8")
    table = json.loads(text)
    return table["rows"], frozenset(table["never"])


UNKNOWN_USE = Indication("home", "", (), (), None, None, ())
"""What a medicine is taken for that no indication lists."""


def sound_instead(
    end: StoppedMedicine, who: ReviewProfile, problems: Sequence[DrugProblem]
) -> list[str]:
    """Return what may be given for a stopped medicine too, and earns nothing: it does no harm.

    It is of a class of what is usually given (another SSRI, another ACE inhibitor), or an authored
    table has it, and it brings this patient no problem.

    Args:
        end: The medicine that is stopped.
        who: The patient with the whole list.
        problems: Problems of the list that matter.
    """
    one, drug = end.taken, end.taken.regimen.drug
    gone = stopped_drugs(problems, drug)
    kept, use = without(who, gone), taken_for(one)
    rows, never = _substitutes()
    table = [ref for row in rows if _holds(row, one, who) for ref in row["by"]]
    given = () if use is None or one.bought else (*use.options, *use.also)
    near = [
        name for name in load().drugs
        if any(is_a(name, ref) for ref in table)
        or any(shared_class(name, each.drug) is not None for each in given)
    ]  # fmt: skip
    near += [ref for ref in table if ref not in near and not ref.startswith("class:")]
    listed = {*gone, *end.by, *end.also, *never}
    asked = use or UNKNOWN_USE
    return [name for name in near if name not in listed and is_sound(asked, name, kept)]


def _holds(row: Mapping[str, Sequence[str]], one: Taken, who: ReviewProfile) -> bool:
    """Whether a row of the table is about a stopped medicine of a patient."""
    return (
        ("stopped" not in row or any(is_a(one.regimen.drug, ref) for ref in row["stopped"]))
        and ("for" not in row or one.reason in row["for"])
        and ("with" not in row or not who.conditions.isdisjoint(row["with"]))
    )


def stopped_medicines(
    who: ReviewProfile, problems: Sequence[DrugProblem]
) -> Iterator[StoppedMedicine]:
    """Yield what follows for each drug that a plan may stop."""
    for drug in sorted({drug for one in problems for drug in stoppable(one)}):
        yield after_stopping(drug, who, problems)


def leaves_untreated(who: ReviewProfile, problems: Sequence[DrugProblem]) -> bool:
    """Return whether the usual plan leaves a condition untreated that cannot wait.

    The tables then know nothing that could be given instead.
    """
    ends = (after_stopping(drug, who, problems) for drug in stopped_drugs(problems))
    return any(not one.treated and not one.by and not one.waits for one in ends)


def replacements(who: ReviewProfile, problems: Sequence[DrugProblem]) -> list[str]:
    """Return what the usual plan gives instead of what it stops."""
    gone, added = stopped_drugs(problems), list[str]()
    kept = without(who, gone)
    for drug in gone:
        end = after_stopping(drug, who, problems)
        indication = taken_for(end.taken)
        if not end.replaced or indication is None or {*added} & {*end.by}:
            continue
        fit = [one for one in alternatives(indication, drug, kept) if one in end.by]
        chosen = next(iter([*fit, *end.by]))
        added.append(chosen)
        regimen = next(one for one in indication.options if one.drug == chosen)
        kept = replace(kept, medicines=(*kept.medicines, Taken(regimen)))
    return added
