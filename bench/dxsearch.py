"""DxSearch: what policies earn, what the vignette alone gives away, and what a step costs.

Run: ``python bench/dxsearch.py [--splits test ...] [--limit N]``. For each split the scaled reward,
Acc@1, Acc@5 and Hit@20 of the oracle, the rules with and without reading, the copied references,
the encoder and every trick, and of two policies with irrelevant patients in each match; Acc@1 of a
linear model of the vignette, which is fitted to train, and what it earns if it searches its guess;
and the time of each tool call beside that of its retrieval. A linear model needs the extra
``adversaries``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from statistics import fmean, median
from typing import Any

import gymnasium as gym
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline

from gym_clinic import ClinicEnv, Task
from gym_clinic.domain import CallSpec
from gym_clinic.domains.dxsearch.reading import Investigator, one_line, present_in
from gym_clinic.policies import load, play
from gym_clinic.rewards import scale
from gym_clinic.taskset import first

ID = "clinic/DxSearch-v0"
SPLITS = ("dev", "test", "test_vocabulary", "test_sparse")
POLICIES = ("oracle", "rules", "rules-without-reading", "copied-references", "encoder")

IRRELEVANT = 20
"""Irrelevant patients mixed into each match, to measure their exclusion."""


def make(split: str, **options: Any) -> ClinicEnv:
    """Return the environment of a split."""
    env = gym.make(ID, split=split, **options).unwrapped
    assert isinstance(env, ClinicEnv)
    return env


def linear_model() -> Pipeline:
    """Return a logistic model of the words of the vignettes of train."""
    tasks = first(make("train").tasks)
    model = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True),
        LogisticRegression(C=30.0, max_iter=300),
    )
    return model.fit([task.ticket for task in tasks], [task.gold["names"][0] for task in tasks])


def guessing(model: Pipeline, env: ClinicEnv) -> Callable[[int], Investigator]:
    """Make the policy that matches the findings, and searches and answers what the model says."""

    def plan(ticket: str) -> Iterator[CallSpec]:
        (chances,) = model.predict_proba([ticket])
        ranked = [str(model.classes_[place]) for place in (-chances).argsort()[:5]]
        yield "match_patients", {"phenotypes": one_line(present_in(ticket)) or ["Fatigue"]}
        yield "search_literature", {"source": "WIKI", "queries": one_line(ranked[:3])}
        yield "submit_diagnoses", {"diagnoses": ranked}

    return lambda seed: Investigator(plan, env.dialect)


def row(name: str, env: ClinicEnv, tasks: Sequence[Task], maker: Any) -> str:
    """Return the line of one policy."""
    played = [play(env, task, maker(seed), seed) for seed, task in enumerate(tasks)]
    figures = [fmean(scale(outcome.reward, env.reward_range) for outcome in played)]
    for metric in ("acc_at_1", "acc_at_5", "hit_at_20"):
        figures.append(fmean(outcome.info["metrics"][metric] for outcome in played))
    return f"| {name} | " + " | ".join(f"{figure:.3f}" for figure in figures) + " |"


def costs(env: ClinicEnv, tasks: Sequence[Task]) -> Iterator[str]:
    """Yield the median time of a step for each tool, and its ratio to the retrieval it makes."""
    sources = env.domain.open_case(tasks[0]).sources
    for tag, content, retrieve in (
        ("match", "Fever, Cough, Fatigue",
         lambda: sources.matcher().match(["Fever", "Cough", "Fatigue"], 20)),
        ("lookup", "Gout, Asthma, Pneumonia",
         lambda: sources.guideline_index().lookup(["Gout", "Asthma", "Pneumonia"], 10)),
        ("search", "|WIKI| gout, asthma, pneumonia",
         lambda: [sources.search("WIKI", query) for query in ("gout", "asthma", "pneumonia")]),
    ):  # fmt: skip
        step, alone = [], []
        for task in tasks:
            env.reset(options={"task_id": task.id})
            begun = time.perf_counter()
            env.step(f"<reason>r</reason><{tag}>{content}</{tag}>")
            step.append(time.perf_counter() - begun)
            begun = time.perf_counter()
            retrieve()
            alone.append(time.perf_counter() - begun)
        ratio = median(step) / median(alone)
        yield f"{tag}: a step {1e3 * median(step):.2f} ms, {ratio:.2f} times its retrieval"


def at_once(count: int) -> str:
    """Play many episodes in turns in one process."""
    envs = [make("test") for _ in range(count)]
    begun = time.perf_counter()
    for seed, env in enumerate(envs):
        env.reset(seed=seed)
    actions = [
        "<reason>r</reason><match>Fever, Cough, Fatigue</match>",
        "<reason>r</reason><lookup>Gout, Asthma</lookup>",
        "<reason>r</reason><search>|WIKI| gout</search>",
        r"<reason>r</reason><diagnose>\textbf{Gout}</diagnose>",
    ]
    for action in actions:
        for env in envs:
            env.step(action)
    taken = time.perf_counter() - begun
    return f"{count} episodes at once: {taken:.1f} s, {count * len(actions) / taken:.0f} steps a s"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", nargs="+", choices=SPLITS, default=list(SPLITS))
    parser.add_argument("--limit", type=int, help="tasks of each split instead of all")
    parser.add_argument("--at-once", type=int, default=512, help="concurrent episodes")
    args = parser.parse_args()
    model = linear_model()
    for split in args.splits:
        env = make(split)
        tasks = first(env.tasks, args.limit)
        print(f"\n{split}, {len(tasks)} tasks\n")
        print("| policy | scaled | Acc@1 | Acc@5 | Hit@20 |\n|---|---|---|---|---|")
        for name in (*POLICIES, *env.domain.adversaries):
            print(row(name, env, tasks, load(name, env, {})), flush=True)
        noisy = make(split, irrelevant=IRRELEVANT)
        for name in ("rules", "copied-references"):
            title = f"{name}, {IRRELEVANT} irrelevant patients"
            print(row(title, noisy, tasks, load(name, noisy, {})), flush=True)
        print(row("linear model of the vignette", env, tasks, guessing(model, env)), flush=True)
    env = make("test")
    print()
    for line in costs(env, first(env.tasks, 50)):
        print(line)
    print(at_once(args.at_once))


if __name__ == "__main__":
    main()
