"""KACR step I: what policies earn on the walk, and what the question alone gives away.

Run: ``python bench/kacr.py [--splits test ...] [--disciplines 1 5] [--limit N]``. For each split
and K the scaled reward, the same where symptoms mislead, and discipline hit, recall at K and hit at
1 of the oracle, the rules with and without the way back, the degree heuristic, every trick, the
most frequent disciplines, and linear models of the question alone that are fitted to train: they
rank all disciplines, and walk so that the first of them is offered. The strongest is to be
published. A linear model needs the extra ``adversaries``.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

import gymnasium as gym
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MultiLabelBinarizer

from gym_clinic import ClinicEnv, Task, embedded
from gym_clinic.domains.kacr.adversaries import ADVERSARIES
from gym_clinic.domains.kacr.reading import Chooser, Step, Walker
from gym_clinic.policies import load, play
from gym_clinic.rewards import scale
from gym_clinic.taskset import first

ID = "clinic/DisciplineGraph-v0"
SPLITS = ("dev", "test")
POLICIES = ("oracle", "rules", "rules-forward", "degree")

MODELS: Mapping[str, Mapping[str, Any]] = {
    "words": {"ngram_range": (1, 2), "sublinear_tf": True},
    "characters": {"analyzer": "char_wb", "ngram_range": (2, 4), "sublinear_tf": True},
}
"""Linear models of the question: what their features are made of."""


def make(split: str, disciplines: int) -> ClinicEnv:
    """Return the environment of a split with a K."""
    env = gym.make(ID, split=split, disciplines=disciplines).unwrapped
    assert isinstance(env, ClinicEnv)
    return env


def most_frequent() -> list[str]:
    """Return the disciplines, those that are right most often in train first."""
    tasks = first(make("train", 1).tasks)
    count = Counter(name for task in tasks for name in task.gold["disciplines"])
    return [name for name, _ in count.most_common()]


def fit(features: Mapping[str, Any]) -> tuple[Pipeline, MultiLabelBinarizer]:
    """Return a logistic model of the right disciplines of a question, fitted to train."""
    tasks = first(make("train", 1).tasks)
    labels = MultiLabelBinarizer()
    right = labels.fit_transform([list(task.gold["disciplines"]) for task in tasks])
    model = make_pipeline(
        TfidfVectorizer(min_df=2, **features),
        OneVsRestClassifier(LogisticRegression(C=30.0, solver="liblinear")),
    )
    return model.fit([task.ticket for task in tasks], right), labels


def ranking_walker(rank: Callable[[str], Sequence[str]], env: ClinicEnv) -> Callable[[int], Walker]:
    """Make the policy that ranks disciplines by the question, and walks so that they are offered.

    It prefers diseases of its first disciplines, and symptoms that lead to many of these.
    """
    graph = embedded.graph()
    ids = {(node.kind, node.name): node.id for node in graph.nodes}

    def begin() -> Chooser:
        ranked: list[str] = []

        def choose(step: Step) -> list[str]:
            if not ranked:
                ranked.extend(rank(step.question))
            place = {name: number for number, name in enumerate(ranked)}
            if step.kind == "discipline":
                return sorted(step.candidates, key=lambda name: place.get(name, len(place)))
            if step.kind == "symptom":
                return list(step.candidates)

            def worth(name: str) -> int:
                near = graph.beside([ids["disease", name]], "discipline")
                return min(place.get(graph.node(key).name, len(place)) for key in near)

            return sorted(step.candidates, key=worth)

        return choose

    return lambda seed: Walker(begin, env.dialect)


def model_ranking(features: Mapping[str, Any]) -> Callable[[str], Sequence[str]]:
    """Return how a fitted model ranks the disciplines for a question."""
    model, labels = fit(features)

    def rank(question: str) -> Sequence[str]:
        (chances,) = model.predict_proba([question])
        return [str(labels.classes_[place]) for place in np.argsort(-chances)]

    return rank


def row(name: str, env: ClinicEnv, tasks: Sequence[Task], maker: Any) -> str:
    """Return the line of one policy."""
    played = [play(env, task, maker(seed), seed) for seed, task in enumerate(tasks)]
    scaled = [scale(outcome.reward, env.reward_range) for outcome in played]
    misled = [value for value, task in zip(scaled, tasks, strict=True) if task.gold["misleading"]]
    figures = [fmean(scaled), fmean(misled) if misled else 0.0]
    for metric in ("discipline_hit", "recall_at_k", "hit_at_1"):
        figures.append(fmean(outcome.info["metrics"][metric] for outcome in played))
    return f"| {name} | " + " | ".join(f"{figure:.3f}" for figure in figures) + " |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", nargs="+", choices=SPLITS, default=["test"])
    parser.add_argument("--disciplines", nargs="+", type=int, default=[1, 5], help="values of K")
    parser.add_argument("--limit", type=int, help="tasks of each split instead of all")
    args = parser.parse_args()
    constant = most_frequent()
    rankings: dict[str, Callable[[str], Sequence[str]]] = {
        "most frequent disciplines": lambda question: constant
    }
    for name, features in MODELS.items():
        rankings[f"linear model of the question, {name}"] = model_ranking(features)
    for split in args.splits:
        for count in args.disciplines:
            env = make(split, count)
            tasks = first(env.tasks, args.limit)
            print(f"\n{split}, {len(tasks)} tasks, K = {count}\n")
            print(
                "| policy | scaled | misled | hit | recall@K | hit@1 |\n|---|---|---|---|---|---|"
            )
            for policy in (*POLICIES, *ADVERSARIES):
                print(row(policy, env, tasks, load(policy, env, {})), flush=True)
            for name, rank in rankings.items():
                print(row(name, env, tasks, ranking_walker(rank, env)), flush=True)


if __name__ == "__main__":
    main()
