"""Consultation: what policies earn, what linear models read off, and how panels compare.

Run: ``python bench/consultation.py [--split test] [--limit N]``. It prints the reward of the
policies in each role; linear models of the question alone and of question and opinions, fitted to
train; the panels of the literature with the recorded members, beside a single agent with as many
replies; rounds to consensus for R = 1 to 4; a sweep of K; and the calibration of stated confidence.
``--fit-options N`` fits how much the names of options tell, to N questions, and writes it. The
linear models need the extra ``adversaries``.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import fmean
from typing import Any

import gymnasium as gym
import numpy as np
import orjson
from scipy.special import softmax

from gym_clinic import ClinicEnv, Task
from gym_clinic.case import Case
from gym_clinic.consult import Discussion, Member, presets, single_agent
from gym_clinic.domains.kacr.consulting import draw
from gym_clinic.domains.kacr.consulting.members import DEBATER, JUDGE, MEMBER, SUMMARISER
from gym_clinic.domains.kacr.consulting.setup import Setup
from gym_clinic.files import replace_file
from gym_clinic.policies import load, play
from gym_clinic.taskset import first

ID = "clinic/Consultation-v0"
ROLES = ("debater", "agent", "all")
FIT_STEPS, PENALTY = 600, 0.5


def make(**options: Any) -> ClinicEnv:
    """Return an environment."""
    env = gym.make(ID, **options).unwrapped
    assert isinstance(env, ClinicEnv)
    return env


# --- policies -----------------------------------------------------------------


def policies(split: str, limit: int | None) -> Iterator[str]:
    """Yield the reward of each policy in each role."""
    envs = [make(split=split, role=role) for role in ROLES]
    tasks = first(envs[0].tasks, limit)
    names = ("oracle", *envs[0].domain.baselines, *envs[0].domain.adversaries, "prior")
    yield f"| policy, {len(tasks)} tasks | " + " | ".join(ROLES) + " |"
    yield "|---" * (1 + len(ROLES)) + "|"
    for name in names:
        figures = []
        for env in envs:
            maker = load(name, env, {})
            played = [play(env, task, maker(seed), seed) for seed, task in enumerate(tasks)]
            figures.append(fmean(outcome.reward for outcome in played))
        yield f"| {name} | " + " | ".join(f"{figure:.3f}" for figure in figures) + " |"


# --- linear models ------------------------------------------------------------


def option_rows(task: Task, opinions: bool) -> Iterator[dict[str, float]]:
    """Yield the features of each option: words crossed with it, and all that shows of opinions."""
    record = task.record
    question = _words(f"{record['question']} {record['note']}")
    spoken: Mapping[str, Any] = record["opinions"]
    ranked = sorted(spoken, key=lambda member: -spoken[member]["confidence"])
    count = Counter(opinion["choice"] for opinion in spoken.values())
    for letter, name in record["options"].items():
        row = {f"letter={letter}": 1.0, f"option={name}": 1.0}
        row |= {f"{word}&{name}": 0.3 for word in question}
        if opinions:
            row[f"votes={count[letter]} of {len(spoken)}"] = 1.0
            row[f"rank={sum(count[other] > count[letter] for other in record['options'])}"] = 1.0
            for place, (member, opinion) in enumerate(spoken.items()):
                if opinion["choice"] == letter:
                    row |= _of_opinion(place, member, opinion, ranked, question, len(spoken))
                    row[f"{member} for {name}"] = 1.0
                    row |= {f"{word} for {name}": 0.5 for word in opinion["findings"]}
        yield row


def _of_opinion(
    place: int, member: str, opinion: Mapping[str, Any], ranked: Sequence[str],
    question: frozenset[str], panel: int,
) -> dict[str, float]:  # fmt: skip
    words = _words(opinion["explanation"])
    said = [_words(finding) for finding in opinion["findings"]]
    row = {f"word={word}": 0.5 for word in words}
    row |= {f"{member} says {finding}": 0.5 for finding in opinion["findings"]}
    row |= {f"{member} says word {word}": 0.3 for finding in said for word in finding}
    row |= {
        f"speaks={place} of {panel}": 1.0,
        f"member={member}": 1.0,
        f"confidence rank={ranked.index(member)}": 1.0,
        "confidence": opinion["confidence"],
        "length": len(opinion["explanation"]) / 200,
        "shared words": len(words & question) / 5,
        "shared findings": sum(bool(finding & question) for finding in said) / 2,
    }
    return row


def _words(text: str) -> frozenset[str]:
    return frozenset(word.strip(".,;:?()'").casefold() for word in text.split()) - {""}


def linear_model(train: Sequence[Task], test: Sequence[Task], opinions: bool, c: float) -> float:
    """Return the share of right answers of a logistic model of options."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    rows = [row for task in train for row in option_rows(task, opinions)]
    right = [letter == task.gold["answer"] for task in train for letter in task.record["options"]]
    vectors = DictVectorizer()
    model = LogisticRegression(C=c, max_iter=300, solver="liblinear")
    matrix = vectors.fit_transform(rows)
    matrix.indices, matrix.indptr = matrix.indices.astype("int32"), matrix.indptr.astype("int32")
    model.fit(matrix, right)
    hits = 0
    for task in test:
        matrix = vectors.transform(option_rows(task, opinions))
        chance = matrix @ model.coef_[0]
        hits += list(task.record["options"])[int(chance.argmax())] == task.gold["answer"]
    return hits / len(test)


def linear_models(split: str, limit: int | None) -> Iterator[str]:
    """Yield the accuracy of the linear models, for several strengths of regularisation."""
    train, test = first(make(split="train").tasks), first(make(split=split).tasks, limit)
    answers = Counter(task.gold["answer"] for task in train)
    constant = answers.most_common(1)[0][0]
    share = fmean(task.gold["answer"] == constant for task in test)
    yield f"best constant {share:.3f}"
    for opinions in (False, True):
        figures = {c: linear_model(train, test, opinions, c) for c in (0.03, 0.3, 3.0)}
        what = "question and opinions" if opinions else "question alone"
        said = ", ".join(f"C={c:g}: {figure:.3f}" for c, figure in figures.items())
        yield f"linear model of {what}: {said}; strongest {max(figures.values()):.3f}"


# --- panels -------------------------------------------------------------------


def discussed(name: str, task: Task, setup: Setup, **settings: Any) -> Discussion[Any]:
    """Return the discussion of the recorded members under a preset."""
    case = Case(task.record)
    members = [Member(member, MEMBER) for member in setup.names(case)]
    panel = presets()[name].panel(
        members,
        options=list(case["options"]),
        debater=Member("debater", DEBATER),
        judge=Member("judge", JUDGE),
        summariser=SUMMARISER,
        **settings,
    )
    return panel.discuss(setup.question(case), case, list(case["options"]))


def panels(tasks: Sequence[Task]) -> Iterator[str]:
    """Yield accuracy, rounds, consensus and replies of each preset, and of a single agent."""
    setup = Setup("debater")
    yield "| panel | right | rounds | unanimous | tied | replies | single agent at equal replies |"
    yield "|---|---|---|---|---|---|---|"
    for name in presets():
        found = [discussed(name, task, setup) for task in tasks]
        replies = [sum(len(played.opinions) + len(played.debated) for played in one.rounds)
                   for one in found]  # fmt: skip
        alone = []
        for task, amount in zip(tasks, replies, strict=True):
            case = Case(task.record)
            member = Member(task.record["seat"], MEMBER)
            options = list(case["options"])
            alone.append(single_agent(member, setup.question(case), case, options, replies=amount))
        figures = (
            _right(found, tasks),
            fmean(len(one.rounds) for one in found),
            fmean(one.unanimous for one in found),
            fmean(bool(one.tied) for one in found),
            fmean(replies),
            _right(alone, tasks),
        )
        yield f"| {name} | " + " | ".join(f"{figure:.2f}" for figure in figures) + " |"
    informed = fmean(
        task.record["opinions"][task.gold["informed"]]["choice"] == task.gold["answer"]
        for task in tasks
    )
    voted = [opinion["choice"] == task.gold["answer"] for task in tasks
             for opinion in task.record["opinions"].values()]  # fmt: skip
    yield f"the best-informed member is right in {informed:.3f}, all members in {fmean(voted):.3f}"


def _right(found: Sequence[Discussion[Any]], tasks: Sequence[Task]) -> float:
    return fmean(one.choice == task.gold["answer"] for one, task in zip(found, tasks, strict=True))


def sweeps(tasks: Sequence[Task]) -> Iterator[str]:
    """Yield consensus by rounds of discussion, and accuracy by K."""
    for rounds in (0, 1, 2, 3, 4):
        found = [discussed("kacr", task, Setup("debater"), rounds=1 + rounds) for task in tasks]
        agreed = fmean(one.unanimous for one in found)
        yield f"R = {rounds}: unanimous {agreed:.3f}, right {_right(found, tasks):.3f}"
    for k in (1, 2, 3, 4, 5):
        found = [discussed("kacr", task, Setup("debater", k=k)) for task in tasks]
        yield f"K = {k}: right {_right(found, tasks):.3f}"


def ablations(split: str, limit: int | None) -> Iterator[str]:
    """Yield what the rules earn, and the error of stated confidence, under each flag."""
    flags: Mapping[str, dict[str, Any]] = {
        "all": {},
        "without confidence": {"confidence": None},
        "single-round reasoning (N = 1)": {"reasoning": 1},
        "single-round discussion (R = 1)": {"rounds": 1},
        "K = 3": {"k": 3},
    }
    for name, options in flags.items():
        env = make(split=split, role="agent", **options)
        tasks = first(env.tasks, limit)
        rows = []
        for policy in ("oracle", "rules"):
            maker = load(policy, env, {})
            played = [play(env, task, maker(seed), seed) for seed, task in enumerate(tasks)]
            rows.append([(one.episode.task, one.info["metrics"]) for one in played])
        figures = [env.domain.aggregate(row) for row in rows]
        yield (
            f"{name}: vote with the oracle on one seat {figures[0]['panel_right']:.3f}, with the "
            f"rules {figures[1]['panel_right']:.3f}, own answer of the rules "
            f"{figures[1]['own_right']:.3f}; calibration error of all that was stated "
            f"{figures[1]['calibration_error']:.3f}"
        )


# --- weights of the wrong options ---------------------------------------------


def fit_options(count: int, workers: int = 2) -> str:
    """Fit which options are rather right by their names alone, and write the strengths.

    A conditional logit over consultations that are drawn without regard to their options.
    """
    with ProcessPoolExecutor(workers) as pool:
        drawn = list(filter(None, pool.map(_options_of, range(count), chunksize=50)))
    keys = sorted({key for options, _ in drawn for key in options})
    place = {key: number for number, key in enumerate(keys)}
    sets = np.array([[place[key] for key in options] for options, _ in drawn])
    right = np.array([options.index(key) for options, key in drawn])
    rows = np.arange(len(drawn))
    strengths, mean, square = (np.zeros(len(keys)) for _ in range(3))
    for step in range(1, FIT_STEPS + 1):  # Adam
        chances = softmax(strengths[sets], axis=1)
        slope = -PENALTY * strengths
        np.add.at(slope, sets.ravel(), -chances.ravel())
        np.add.at(slope, sets[rows, right], 1.0)
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        scale = np.sqrt(square / (1 - 0.999**step)) + 1e-8
        strengths = strengths + 0.1 * mean / (1 - 0.9**step) / scale
    often = Counter(key for _, key in drawn)
    fitted = {key: round(float(strengths[place[key]]), 3) for key in keys if often[key] >= 3}
    path = Path(draw.__file__).with_name("option_strengths.json")
    replace_file(path, [orjson.dumps(fitted, option=orjson.OPT_INDENT_2), b"\n"])
    hits = float((strengths[sets].argmax(axis=1) == right).mean())
    return f"{len(fitted)} diseases; their names alone tell {hits:.2f} of {len(drawn):,} drawn"


def _options_of(seed: int) -> tuple[tuple[str, ...], str] | None:
    """Return the options and the right one of a consultation, whatever its options tell."""
    drawn = draw.drawn_unthinned(f"fit:{seed}", "train")
    return None if drawn is None else (drawn.options, drawn.question.condition)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--split", choices=("dev", "test"), default="test")
    parser.add_argument("--limit", type=int, help="tasks instead of all")
    parser.add_argument("--fit-options", type=int, metavar="N", help="questions to fit to")
    args = parser.parse_args()
    if args.fit_options:
        print(fit_options(args.fit_options))
        return
    tasks = first(make(split=args.split).tasks, args.limit)
    for lines in (
        policies(args.split, args.limit),
        linear_models(args.split, args.limit),
        panels(tasks),
        sweeps(tasks),
        ablations(args.split, args.limit),
    ):
        for line in lines:
            print(line, flush=True)
        print()


if __name__ == "__main__":
    main()
