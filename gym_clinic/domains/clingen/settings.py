"""The two settings of a curation: a supervisor with sub-agents, and a single agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import orjson

from gym_clinic.consult import make_consultant
from gym_clinic.domain import Domain, Menu, Move
from gym_clinic.domains.clingen import baselines
from gym_clinic.domains.clingen.answers import Judgement, read_classification, read_judgement
from gym_clinic.domains.clingen.blocks import AgentCall, as_call
from gym_clinic.domains.clingen.curation import (
    Curation,
    every_call,
    gold_calls,
    gold_evidence,
    load_tasks,
    published_class,
    read_edition,
    ticket,
)
from gym_clinic.domains.clingen.debrief import explain
from gym_clinic.domains.clingen.evidence import CATEGORIES, CLASSES, SUBTYPES
from gym_clinic.domains.clingen.rewards import (
    balanced_accuracy,
    input_metrics,
    outcome_reward,
    process_reward,
    subtype_reward,
)
from gym_clinic.domains.clingen.subagents import (
    OFFLINE,
    EvidenceReport,
    conversation,
    make_tools,
)
from gym_clinic.episode import Episode, Task
from gym_clinic.errors import ConfigError
from gym_clinic.names import suggest
from gym_clinic.paths import tasks_dir
from gym_clinic.rewards import Rubric
from gym_clinic.toolbox import tool

TURNS = 2
"""Assistant turns (the supervisor paper, table 9): one batch of calls, then the synthesis."""

RESPONSE_LIMIT = 1024
"""Characters of one tool response (the supervisor paper, table 9; verl counts characters)."""

GENETICS_LIMIT = 2048
"""The same where reports tell human genetics, person by person."""

POLICIES = ("matrix", "paper")
"""What the prompts may ask for; see the data sheet."""

_SHARED = {"scale", "center"}
_CONSTANTS = {
    "scale": (0.01, 100.0),
    "center": (0.0, 1.0),
    "power": (0.1, 100.0),
    "malformed_penalty": (0.0, 100.0),
    "floor": (-100.0, 0.0),
}
"""Constants of the rewards that callers may set, with their limits."""


def supervisor(
    consultant: str | Mapping[str, Any],
    reward: str,
    process_weight: float,
    constants: Mapping[str, float],
    masked_names: bool,
    folder: str | None,
    policy: str | None,
    edition: str | None,
) -> Domain:
    """Make the domain of ``clinic/ClinGen-v0``."""
    genetics = _counts_genetics(policy, folder)
    words = read_edition(edition)

    def process(episode: Episode, **keywords: Any) -> float:
        """Cubed F1 of the calls made, less the malformed blocks (eq. 7 and 8)."""
        made, malformed = calls_made(episode)
        return process_reward(made, gold_calls(episode.task), malformed, **keywords)

    return Domain(
        name="clingen",
        policy=_policy_text("supervisor", genetics),
        tasks=load_tasks(folder, masked_names=masked_names, edition=words),
        rubric=_rubric(lambda episode: episode.answer, process, reward, process_weight, constants),
        tools=make_tools(make_consultant(consultant, OFFLINE)),
        ticket=ticket,
        open_case=partial(Curation, genetics=genetics, edition=words),
        read_answer=read_classification,
        success=_supervisor_solved,
        correct=lambda episode: episode.answer == episode.task.gold["classification"],
        metrics=_supervisor_metrics,
        aggregate=_aggregate,
        classes=published_class,
        solution=_supervisor_solution,
        menu=_supervisor_menu,
        conversation=conversation,
        baselines={"rules": partial(baselines.rules, genetics=genetics)},
        explain=lambda episode: explain(
            episode.task,
            episode.answer,
            "calls",
            *calls_made(episode),
            gold_calls(episode.task),
            _reported(episode),
            constants,
        ),
        edition=lambda: words.fingerprint if words else "",
        max_turns=TURNS,
        response_limit=GENETICS_LIMIT if genetics else RESPONSE_LIMIT,
        blocking=isinstance(consultant, Mapping),
    )


def single_agent(
    reward: str,
    process_weight: float,
    constants: Mapping[str, float],
    masked_names: bool,
    folder: str | None,
    policy: str | None,
    edition: str | None,
) -> Domain:
    """Make the domain of ``clinic/ClinGenSingle-v0``."""
    genetics = _counts_genetics(policy, folder)
    words = read_edition(edition)

    def process(episode: Episode, **keywords: Any) -> float:
        """Cubed F1 of the (pmid, subtype) pairs, less the malformed blocks (eq. 13)."""
        made = claims_made(episode)
        return subtype_reward(made, gold_evidence(episode.task), episode.malformed, **keywords)

    return Domain(
        name="clingen",
        policy=_policy_text("single", genetics),
        tasks=load_tasks(folder, masked_names=masked_names, edition=words),
        rubric=_rubric(_class_after_reading, process, reward, process_weight, constants),
        tools=(get_full_text,),
        ticket=ticket,
        open_case=partial(Curation, genetics=genetics, edition=words),
        read_answer=read_judgement,
        success=_single_solved,
        correct=lambda episode: (
            _class_after_reading(episode) == episode.task.gold["classification"]
        ),
        metrics=_single_metrics,
        aggregate=_aggregate,
        classes=published_class,
        solution=_single_solution,
        menu=_single_menu,
        baselines={"rules": partial(baselines.rules_single, genetics=genetics)},
        explain=lambda episode: explain(
            episode.task,
            _class_after_reading(episode),
            "claims",
            claims_made(episode),
            episode.malformed,
            gold_evidence(episode.task),
            _claimed(episode),
            constants,
        ),
        edition=lambda: words.fingerprint if words else "",
        max_turns=TURNS,
    )


@tool
def get_full_text(case: Curation, pmid: str) -> str:
    """Read the full text of an article.

    Args:
        pmid: PMID of the article.
    """
    return case.full_text(pmid)


def calls_made(episode: Episode) -> tuple[list[tuple[str, ...]], int]:
    """Return the well-formed calls of an episode and the number of malformed blocks.

    A failed call counts as made but matches nothing, so it gets a marker as its first part.
    """
    answered: dict[tuple[str, ...], None] = {}
    failed: dict[tuple[str, ...], None] = {}
    malformed = episode.malformed
    for call in episode.calls:
        read = as_call(call.name, call.arguments)
        if read is None:
            malformed += 1
        elif call.ok:
            answered[read] = None
        else:
            failed[read] = None
    missed = [("failed", *read) for read in failed if read not in answered]
    return [*answered, *missed], malformed


def claims_made(episode: Episode) -> list[tuple[str, ...]]:
    """Return the (pmid, subtype label) pairs of a single agent's answer.

    A claim about an article whose text was never opened counts as made but matches nothing, so it
    gets a marker as its first part.
    """
    opened = _opened(episode)
    return [
        (pmid, label) if pmid in opened else ("unread", pmid, label)
        for pmid, label in sorted(_claimed(episode))
    ]


def _opened(episode: Episode) -> set[str]:
    """Return the articles whose text was opened."""
    return {
        str(call.arguments["pmid"])
        for call in episode.calls
        if call.ok and call.name == get_full_text.name
    }


def _rubric(
    class_of: Callable[[Episode], str | None],
    process: Callable[..., float],
    reward: str,
    process_weight: float,
    constants: Mapping[str, float],
) -> Rubric:
    shares = {"outcome": 0.0, "process": 1.0, "hybrid": process_weight}
    if not isinstance(reward, str) or reward not in shares:
        raise ConfigError(f"reward must be one of {sorted(shares)}, not {reward!r}")
    if isinstance(process_weight, bool) or not isinstance(process_weight, int | float):
        raise ConfigError(f"process_weight must be a number from 0 to 1, not {process_weight!r}")
    if not 0 <= process_weight <= 1:
        raise ConfigError(f"process_weight must be a number from 0 to 1, not {process_weight!r}")
    _check_constants(constants)
    shared = {name: value for name, value in constants.items() if name in _SHARED}
    share = shares[reward]

    def outcome(episode: Episode) -> float:
        """Ordinal distance of the class from the published one (eq. 6)."""
        gold = episode.task.gold["classification"]
        return outcome_reward(class_of(episode), gold, **shared)

    scale, center = shared.get("scale", 2.0), shared.get("center", 0.5)
    return Rubric(
        {"outcome": outcome, "process": partial(process, **constants)},
        weights={"outcome": 1 - share, "process": share},
        range=(-scale * center, scale * (1 - center)),
    )


def _check_constants(constants: Mapping[str, float]) -> None:
    if not isinstance(constants, Mapping):
        raise ConfigError(f"constants must be an object, {{name: number}}, not {constants!r}")
    for name, value in constants.items():
        if name not in _CONSTANTS:
            raise ConfigError(f"no constant {name!r}; {suggest(name, _CONSTANTS)}")
        low, high = _CONSTANTS[name]
        if name == "floor" and value is None:
            continue
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not low <= value <= high:
            raise ConfigError(
                f"constant {name!r} must be a number from {low:g} to {high:g}, not {value!r}"
            )


def _reported(episode: Episode) -> set[tuple[str, str]]:
    """Return the (pmid, subtype label) pairs that sub-agents reported."""
    return {
        (call.result.pmid, label)
        for call in episode.calls
        if call.ok and isinstance(call.result, EvidenceReport)
        for label in call.result.labels
    }


def _supervisor_metrics(episode: Episode) -> dict[str, float]:
    made, malformed = calls_made(episode)
    found = _reported(episode)
    return input_metrics(
        {
            "pred_label": episode.answer,
            "gold_label": episode.task.gold["classification"],
            "pred_calls": made,
            "gold_calls": gold_calls(episode.task),
            "pred_evidence": found,
            "gold_evidence": gold_evidence(episode.task),
        }
    ) | {"malformed_blocks": float(malformed)}


def _single_metrics(episode: Episode) -> dict[str, float]:
    return input_metrics(
        {
            "pred_label": _single_class(episode.answer),
            "gold_label": episode.task.gold["classification"],
            "pred_evidence": _claimed(episode),
            "gold_evidence": gold_evidence(episode.task),
        }
    ) | {"malformed_blocks": float(episode.malformed)}


def _supervisor_solved(episode: Episode) -> bool:
    """Whether the class is right and exactly the needed calls were made."""
    metrics = _supervisor_metrics(episode)
    return all(metrics[name] == 1 for name in ("outcome_accuracy", "agent_call_accuracy"))


def _single_solved(episode: Episode) -> bool:
    """Whether class and evidence are exactly right, each claim about an article that was opened."""
    gold = episode.task.gold["classification"]
    right = set(claims_made(episode)) == gold_evidence(episode.task)
    return right and _class_after_reading(episode) == gold


def _aggregate(rows: Sequence[tuple[Task, Mapping[str, float]]]) -> dict[str, float]:
    """Return the means, and the outcome accuracy balanced over the classes that occur."""
    figures = {name: sum(row[name] for _, row in rows) / len(rows) for name in rows[0][1]}
    hits = ((task.gold["classification"], row["outcome_accuracy"]) for task, row in rows)
    return figures | {"balanced_accuracy": balanced_accuracy(hits)}


def _claimed(episode: Episode) -> set[tuple[str, str]]:
    return set(episode.answer.evidence) if isinstance(episode.answer, Judgement) else set()


def _single_class(answer: Any) -> str | None:
    return answer.classification if isinstance(answer, Judgement) else None


def _class_after_reading(episode: Episode) -> str | None:
    """Return the class of a single agent's answer; None, as of no answer, if it read no article."""
    read = _opened(episode) or not episode.task.record["articles"]
    return _single_class(episode.answer) if read else None


def _supervisor_solution(task: Task) -> Sequence[Move]:
    calls = tuple(_spec(call) for call in gold_calls(task))
    return [*([calls] if calls else []), f"CLASSIFICATION: {task.gold['classification']}"]


def _spec(call: AgentCall) -> tuple[str, dict[str, str]]:
    agent, pmid, pmcid, gene, disease = call
    return agent, {"pmid": pmid, "pmcid": pmcid, "gene": gene, "disease": disease}


def _supervisor_menu(task: Task) -> Menu:
    return Menu(every_call(task), {label: f"CLASSIFICATION: {label}" for label in CLASSES})


def _single_solution(task: Task) -> Sequence[Move]:
    evidence = sorted(gold_evidence(task))
    first = [article["pmid"] for article in task.record["articles"][:1]]
    pmids = dict.fromkeys(pmid for pmid, _ in evidence) or first
    calls = tuple(("get_full_text", {"pmid": pmid}) for pmid in pmids)
    answer = _write_judgement(task.gold["classification"], evidence)
    return [*([calls] if calls else []), answer]


def _single_menu(task: Task) -> Menu:
    pmids = [article["pmid"] for article in task.record["articles"]]
    claims = {"no evidence": (), "every subtype": tuple(SUBTYPES)}
    claims |= {subtype.label: (subtype.key,) for subtype in SUBTYPES.values()}
    claims |= {
        f"all {category.label}": tuple(subtype.key for subtype in category.subtypes)
        for category in CATEGORIES.values()
    }
    answers: dict[str, Move] = {
        f"{label}, {claim}": _write_judgement(
            label, [(pmid, SUBTYPES[key].label) for pmid in pmids for key in keys]
        )
        for label, (claim, keys) in product(CLASSES, claims.items())
    }
    return Menu(tuple(("get_full_text", {"pmid": pmid}) for pmid in pmids), answers)


def _write_judgement(label: str, evidence: Sequence[tuple[str, str]]) -> str:
    items = [{"type": subtype, "pmid": pmid} for pmid, subtype in evidence]
    return orjson.dumps({"classification": label, "evidence": items}).decode()


def _counts_genetics(policy: str | None, folder: str | None) -> bool:
    """Whether human genetics is asked for and counted, as it is by the matrix."""
    if policy is not None and policy not in POLICIES:
        raise ConfigError(f"policy must be one of {list(POLICIES)}, not {policy!r}")
    return policy == "matrix" or (policy is None and folder is None)


def _policy_text(setting: str, genetics: bool) -> str:
    name = f"policy_{setting}.md" if genetics else f"policy_{setting}_paper.md"
    return (tasks_dir("clingen") / name).read_text(encoding="utf-8")
