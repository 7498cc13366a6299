"""What policies are worth on MMedAgent: copying, cheap tricks, and models that read the image.

    python bench/mmedagent.py            adversaries and linear models, by kind of question
    python bench/mmedagent.py --cnn      also a small network that sees image and votes (minutes)

Accuracies on test; models are fitted to train. Needs scikit-learn, for the network torch.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import gymnasium as gym
import numpy as np
import orjson
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gym_clinic import ClinicEnv, Task
from gym_clinic.domains.mmedagent import baseline
from gym_clinic.domains.mmedagent.adversaries import COPYING, TRICKS
from gym_clinic.domains.mmedagent.baseline import department_by_texture, describe
from gym_clinic.domains.mmedagent.departments import department_of, specialties
from gym_clinic.domains.mmedagent.pictures import copy_of, image_of
from gym_clinic.domains.mmedagent.reading import ReadTicket
from gym_clinic.domains.mmedagent.specialists import plurality
from gym_clinic.domains.mmedagent.specialists.opinions import recorded_opinions
from gym_clinic.taskset import first

ATTENDING, CONSULT = "clinic/AttendingPhysician-v0", "clinic/MultimodalConsult-v0"

TRIAGE_FIT = 700
"""Tasks of train that the triage by texture is fitted to."""

Guess = Callable[[Task], str]
"""Task -> the label that is answered."""


def tasks_of(split: str, limit: int | None = None) -> list[Task]:
    env = gym.make(ATTENDING, split=split).unwrapped
    assert isinstance(env, ClinicEnv)
    return first(env.tasks, limit)


def kind_of(task: Task) -> str:
    return str(task.record["kind"])


def ticket(task: Task) -> ReadTicket:
    record = task.record
    return ReadTicket(record["question"], record["options"], tuple(record["votes"]), "")


def accuracy(guess: Guess, tasks: Sequence[Task]) -> dict[str, float]:
    """Return the accuracy in all, by level and by kind of question."""
    hits: dict[str, list[bool]] = defaultdict(list)
    for task in tasks:
        hit = guess(task) == task.gold["answer"]
        for group in ("all", task.gold["level"], f"kind {kind_of(task)}"):
            hits[group].append(hit)
    return {group: fmean(values) for group, values in hits.items()}


def constants(train: Sequence[Task]) -> dict[str, Guess]:
    """Return kind -> the best constant on train: a label, or the text of an option."""
    best = {}
    for kind in sorted({kind_of(task) for task in train}):
        own = [task for task in train if kind_of(task) == kind]
        texts = Counter(text for task in own for text in task.record["options"].values())
        guesses: list[Guess] = [label_guess(label) for label in "ABCDE"]
        guesses += [text_guess(text) for text, _ in texts.most_common(12)]
        best[kind] = max(guesses, key=lambda guess: accuracy(guess, own)["all"])
    return best


def label_guess(label: str) -> Guess:
    return lambda task: label


def text_guess(text: str) -> Guess:
    def guess(task: Task) -> str:
        return next((label for label, said in task.record["options"].items() if said == text), "A")

    return guess


class OptionModel:
    """A logistic model that scores the options of a task one by one.

    Args:
        features: Task and label -> what it sees, as words.
        train: What it is fitted to.
    """

    def __init__(self, features: Callable[[Task, str], str], train: Sequence[Task]) -> None:
        self._features = features
        texts, right = [], []
        for task in train:
            for label in task.record["options"]:
                texts.append(features(task, label))
                right.append(label == task.gold["answer"])
        self._model = make_pipeline(
            TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"\S+", sublinear_tf=True),
            LogisticRegression(C=3.0, max_iter=500),
        ).fit(texts, right)

    def __call__(self, task: Task) -> str:
        """Return the label of the best option."""
        labels = list(task.record["options"])
        scores = self._model.predict_proba([self._features(task, label) for label in labels])[:, 1]
        return labels[int(np.argmax(scores))]


def seen_without_image(task: Task, label: str) -> str:
    """Return question, options, their lengths and places as words; no image and no votes."""
    options = task.record["options"]
    text = options[label]
    lengths = sorted(options.values(), key=len)
    marks = [f"label={label}", f"longest={lengths[-1] == text}", f"shortest={lengths[0] == text}",
             f"count={len(options)}", f"kind={kind_of(task)}", f"kind+text={kind_of(task)}:{text}",
             f"question+text={task.record['question']}:{text}".replace(" ", "_"),
             f"modality+text={task.record['modality']}:{text}".replace(" ", "_")]  # fmt: skip
    return " ".join([*marks, task.record["question"], text.replace(" ", "_")])


def seen_votes(task: Task, label: str) -> str:
    """Return what the specialists say for and against an option, as words; no image."""
    votes = list(task.record["votes"])
    count = Counter(votes)
    pattern = "-".join(map(str, sorted(count.values(), reverse=True)))
    binary = len(task.record["options"]) == 2
    own = f"votes={count[label]}:pattern={pattern}:binary={binary}"
    said = [task.record["options"][vote].replace(" ", "_") for vote in votes]
    specialty = department_of(task.record)
    return " ".join([own, f"{own}:{specialty}", *(f"{specialty}:{text}>" for text in said),
                     seen_without_image(task, label)])  # fmt: skip


def rationale_adversary(train: Sequence[Task], test: Sequence[Task]) -> tuple[float, float]:
    """Return how often a model of a rationale's words tells right from wrong, and the base rate."""

    def rows(tasks: Sequence[Task]) -> tuple[list[str], list[bool]]:
        texts, right = [], []
        for task in tasks:
            specialty = str(department_of(task.record))
            for reply in recorded_opinions(task.record, specialty, inside=True, count=3):
                texts.append(f"{specialty} {kind_of(task)} {reply.rationale}")
                right.append(reply.answer == task.gold["answer"])
        return texts, right

    model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression(max_iter=500))
    model.fit(*rows(train))
    texts, right = rows(test)
    base = fmean(right)
    return float(model.score(texts, right)), max(base, 1 - base)


def triage_models(train: Sequence[Task], test: Sequence[Task]) -> Iterator[tuple[str, float]]:
    """Yield the accuracy of triage by simple figures of the copy that the triage doctor sees."""
    by: dict[str, Callable[[Any], Any]] = {
        "colour (mean and spread of each channel)": lambda image: [
            *image.mean(axis=(0, 1)), *image.std(axis=(0, 1))],
        "histogram of grey values": lambda image: np.histogram(image, 32, (0, 256))[0],
    }  # fmt: skip
    for what, features in by.items():
        fitted = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2_000))
        fitted.fit(*_triage_rows(features, train))
        yield what, float(fitted.score(*_triage_rows(features, test)))


def _triage_rows(features: Callable[[Any], Any], tasks: Sequence[Task]) -> tuple[Any, list[str]]:
    images = (np.asarray(copy_of(task.record).convert("RGB"), dtype=float) for task in tasks)
    return np.array([features(image) for image in images]), [
        str(department_of(task.record)) for task in tasks
    ]


def row(name: str, figures: Mapping[str, float], kinds: Sequence[str]) -> str:
    shown = [figures.get(group, float("nan")) for group in ("all", "easy", "medium", "hard")]
    shown += [figures.get(f"kind {kind}", float("nan")) for kind in kinds]
    return f"| {name} | " + " | ".join(f"{value:.3f}" for value in shown) + " |"


def report(limit: int | None, cnn: bool, extra: int, epochs: int) -> None:
    """Print the tables."""
    train, test = tasks_of("train", limit), tasks_of("test", limit)
    kinds = sorted({kind_of(task) for task in test})
    print("| policy | all | easy | medium | hard | " + " | ".join(kinds) + " |")
    print("|" + "---|" * (5 + len(kinds)))
    best = constants(train)
    players: dict[str, Guess] = {
        "best constant of the kind": lambda task: best[kind_of(task)](task)
    }
    for name, decide in {**TRICKS, **COPYING}.items():
        players[name] = lambda task, decide=decide: decide(ticket(task), {})
    players["linear model without image and votes"] = OptionModel(seen_without_image, train)
    players["linear model of the votes, without image"] = OptionModel(seen_votes, train)
    for name, guess in players.items():
        print(row(name, accuracy(guess, test), kinds), flush=True)
    if cnn:
        from image_reader import fit_reader

        for what, picture in (("the image", image_of), ("the copy", copy_of)):
            reader = fit_reader(train, extra, epochs, picture)
            for votes in (False, True) if what == "the image" else (False,):
                name = f"network of {what}" + " and the votes" * votes
                print(row(name, accuracy(reader.guess(votes), test), kinds), flush=True)
    for where, votes in (("the right department", "votes"), ("another department", "outside")):
        share = fmean(plurality(list(task.record[votes])) == task.gold["answer"] for task in test)
        print(f"consultation: majority of {where}: {share:.3f}")
    score, base = rationale_adversary(train, test)
    print(f"\nright or wrong from the words of a rationale: {score:.3f}, base rate {base:.3f}")
    triage = [*triage_models(train, test),
              ("texture (the rules)", fmean(
                  department_by_texture(copy_of(task.record)) == department_of(task.record)
                  for task in test))]  # fmt: skip
    for what, value in triage:
        print(f"triage by {what}: {value:.3f}; a constant {1 / len(specialties()):.3f}")


def fit_triage() -> None:
    """Write the weights of the triage by texture, fitted to train."""
    tasks = tasks_of("train", TRIAGE_FIT)
    seen = np.array([describe(copy_of(task.record)) for task in tasks])
    scaler = StandardScaler().fit(seen)
    fitted = LogisticRegression(C=0.02, max_iter=2_000)
    fitted.fit(scaler.transform(seen), [str(department_of(task.record)) for task in tasks])
    weights = fitted.coef_ / scaler.scale_
    bias = fitted.intercept_ - weights @ scaler.mean_
    found = {"about": "Fitted to train by python bench/mmedagent.py --fit-triage.",
             "specialties": list(fitted.classes_), "bias": np.round(bias, 3).tolist(),
             "weights": np.round(weights, 2).tolist()}  # fmt: skip
    path = Path(baseline.__file__).with_name("triage.json")
    path.write_bytes(orjson.dumps(found) + b"\n")


def memory(count: int) -> str:
    """Open many episodes of few tasks at once, and count the images that are held."""
    envs = [gym.make(ATTENDING, split="test").unwrapped for _ in range(count)]
    ids = [task.id for task in tasks_of("test", 8)]
    begun = time.perf_counter()
    shown = [env.reset(options={"task_id": ids[number % 8]})[1]["images"][0]
             for number, env in enumerate(envs)]  # fmt: skip
    taken = time.perf_counter() - begun
    return (f"{count} episodes of 8 tasks at once: {len({id(image) for image in shown})} images "
            f"held, {1e3 * taken / count:.1f} ms a reset")  # fmt: skip


def main() -> None:
    """Print all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, help="tasks of each split instead of all")
    parser.add_argument("--cnn", action="store_true", help="fit the network, too")
    parser.add_argument("--extra", type=int, default=8_000, help="endless tasks it also reads")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--fit-triage", action="store_true", help="write triage.json and end")
    args = parser.parse_args()
    if args.fit_triage:
        fit_triage()
        return
    print(memory(64))
    report(args.limit, args.cnn, args.extra, args.epochs)


if __name__ == "__main__":
    main()
