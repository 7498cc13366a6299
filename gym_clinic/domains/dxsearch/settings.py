"""The domain of DxSearch, put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from gym_clinic.action import Tag, Tags
from gym_clinic.domain import CallSpec, Domain, Menu, Move
from gym_clinic.domains.dxsearch import adversaries, baseline
from gym_clinic.domains.dxsearch.debrief import explain
from gym_clinic.domains.dxsearch.judge import Judge, aggregate
from gym_clinic.domains.dxsearch.limits import SHOWN
from gym_clinic.domains.dxsearch.options import (
    RECORDS,
    TASKS,
    check_choice,
    check_flags,
    check_irrelevant,
    check_own,
    check_patients,
    check_scoring,
    check_stage,
)
from gym_clinic.domains.dxsearch.reading import one_line, present_in
from gym_clinic.domains.dxsearch.rewards import STAGES
from gym_clinic.domains.dxsearch.sources import DxCase, Sources, literature_of, summariser_of
from gym_clinic.domains.dxsearch.tasks import SITES, make_task
from gym_clinic.domains.dxsearch.tools import (
    lookup_guidelines,
    match_patients,
    search_literature,
    submit_diagnoses,
)
from gym_clinic.domains.dxsearch.transcript import Limits
from gym_clinic.episode import Task
from gym_clinic.names import at_least_one
from gym_clinic.paths import tasks_dir
from gym_clinic.taskset import EndlessTasks, TaskFolder

MAX_TURNS = 12
"""Assistant messages: seven actions at most, and some that are refused."""

TAGS = "dxsearch"

_REPLY = "<{tag}>\n{{response}}\n</{tag}>"

DIALECT = Tags(
    {
        "reason": Tag(),
        "lookup": Tag(lookup_guidelines.name, "diseases", ",", answer=_REPLY.format(tag="guide")),
        "match": Tag(match_patients.name, "phenotypes", ",", answer=_REPLY.format(tag="refer")),
        "search": Tag(
            search_literature.name,
            "queries",
            ",",
            form="|{source}| {queries}",
            answer=_REPLY.format(tag="result"),
        ),
        "diagnose": Tag(
            submit_diagnoses.name,
            "diagnoses",
            item=r"\\textbf\{([^{}]*)\}",
            item_form=r"\textbf{{{}}}",
        ),
    },
    inline=True,
    before="<reason>Next step.</reason>",
    name=TAGS,
)
"""The tags of the paper (A.1)."""

ABLATIONS: Mapping[str, tuple[str, ...]] = {
    "full": (),
    "no-evidence": ("matching", "search"),
    "no-diagnosis": ("diagnosis",),
    "target-only": ("matching", "search"),
}
"""Reward -> the parts that are left out; target-only also uncouples diagnosis from matching."""

BASELINES: Mapping[str, Callable[..., Any] | str] = {
    "rules": baseline.rules,
    "rules-without-reading": baseline.without_reading,
    "encoder": "gym_clinic.domains.dxsearch.direct:encoder",
    "vanilla": "gym_clinic.domains.dxsearch.direct:vanilla",
    "panel": "gym_clinic.domains.dxsearch.direct:panel",
    "rag-prompting": "gym_clinic.policies.chat:chat",
    **adversaries.CEILINGS,
}
"""Policies beside those of every domain; RAG without training is a chat model with A.1."""

MOST_ANSWERS = 24
"""Diseases that the menu offers as constant answers: those with most patients."""


def make_domain(
    stage: int,
    reward: str,
    guidelines: bool,
    patients: str | None,
    literature: str | Mapping[str, Any] | None,
    summariser: str | Mapping[str, Any] | None,
    limits: Mapping[str, Any] | None,
    passages: int,
    near_duplicates: float | None,
    folder: str | None,
    own_records: str | None,
    irrelevant: int,
    couple_sigma_m: bool,
    zero_mode: Any,
    change: Any,
    too_little: float,
) -> Domain:
    """Return the domain; the options are those of the data sheet."""
    check_stage(stage)
    check_choice("reward", reward, ABLATIONS)
    check_flags(guidelines=guidelines, couple_sigma_m=couple_sigma_m)
    check_scoring(zero_mode, change, too_little)
    check_patients(patients, near_duplicates)
    check_own(folder, own_records)
    check_irrelevant(irrelevant)
    allowed = Limits.of(limits)
    sources = Sources(
        guidelines=guidelines,
        patients=patients,
        own_records=_records_of(folder, own_records),
        literature=literature_of(literature),
        summariser=summariser_of(summariser),
        limits=allowed,
        passages=at_least_one("passages", passages),
        matches=SHOWN,
        near_duplicates=near_duplicates,
        irrelevant=irrelevant,
    )
    judge = Judge(
        allowed, couple_sigma_m and reward != "target-only", zero_mode, change, too_little
    )
    weights = {name: 0.0 if name in ABLATIONS[reward] else weight
               for name, weight in STAGES[stage].items()}  # fmt: skip
    tags = (tasks_dir("dxsearch") / "tags.md").read_text(encoding="utf-8")
    policy = (tasks_dir("dxsearch") / "policy.md").read_text(encoding="utf-8")
    return Domain(
        name="dxsearch",
        policy=f"{policy.strip()}\n\n{tags.strip()}",
        tasks=_tasks_of(folder),
        rubric=judge.rubric(weights),
        tools=(lookup_guidelines, match_patients, search_literature, submit_diagnoses),
        open_case=partial(DxCase, sources=sources),
        success=judge.solved,
        metrics=judge.metrics,
        info=judge.info,
        aggregate=aggregate,
        explain=partial(explain, judge),
        solution=solution,
        menu=menu,
        classes=lambda task: "rare" if task.gold["rare"] else "common",
        baselines=BASELINES,
        adversaries=adversaries.ADVERSARIES,
        dialects={TAGS: DIALECT},
        dialect=TAGS,
        max_turns=MAX_TURNS,
        blocking=isinstance(summariser, Mapping) or isinstance(literature, Mapping),
    )  # fmt: skip


def _tasks_of(folder: str | None) -> Mapping[str, Any]:
    """Return the splits of a folder of imported tasks, or those that ship."""
    if folder is not None:
        return TaskFolder(Path(folder))
    shipped = TaskFolder(tasks_dir("dxsearch"), tuple(SITES))
    endless = EndlessTasks(lambda seed: make_task(f"endless:{seed}", "train"), "dx")
    return {**{split: shipped[split] for split in shipped}, "endless": endless}


def _records_of(folder: str | None, own_records: str | None) -> str | None:
    """Return the records to match beside the database: ``"site"``, a folder, or None."""
    if own_records != TASKS:
        return own_records
    beside = Path(folder) / RECORDS if folder is not None else None
    return str(beside) if beside is not None and beside.is_dir() else None


def solution(task: Task) -> Sequence[Move]:
    """Return the moves of a perfect agent: one match that hits, one search, the diagnosis."""
    name = task.gold["names"][0]
    search = {"source": "WIKI", "queries": [name.replace(",", " ")]}
    return [
        ((match_patients.name, {"phenotypes": list(task.gold["query"])}),),
        ((search_literature.name, dict(task.gold.get("search", search))),),
        ((submit_diagnoses.name, {"diagnoses": [name]}),),
    ]


def menu(task: Task) -> Menu:
    """Return what can be done from the text of a case alone."""
    found = one_line(present_in(task.ticket)) or ["Fatigue"]
    common = adversaries.common_diseases()
    calls: tuple[CallSpec, ...] = (
        (match_patients.name, {"phenotypes": found}),
        (match_patients.name, {"phenotypes": found[: max(2, len(found) // 2)]}),
        (lookup_guidelines.name, {"diseases": list(common[:10])}),
        *((search_literature.name, {"source": source, "queries": [" ".join(found[:3])]})
          for source in ("WIKI", "PMC", "BOOK")),
    )  # fmt: skip
    answers: dict[str, Move] = {
        disease: ((submit_diagnoses.name, {"diagnoses": [disease]}),)
        for disease in common[:MOST_ANSWERS]
    }
    answers["the five commonest"] = ((submit_diagnoses.name, {"diagnoses": list(common[:5])}),)
    return Menu(calls, answers)
