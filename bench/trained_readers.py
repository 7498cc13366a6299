"""Trained readers of ClinGen's articles: what they earn on test, whose phrases they have not seen.

Run: ``python bench/trained_readers.py [--train N] [--limit N] [--folder DIR]``. Three logistic
models are fitted to the train split:

- passages: one of passages, labelled by the records, which tell what each experiment is evidence
  of. A passage is a paragraph of results (full text) or a sentence (abstract) with a p value.
- words, characters: bags of the words, or of the runs of 3 to 5 characters, of a whole abstract or
  of all results of an article, labelled by what the task needs: a category that is called for
  (supervisor) or a subtype that is curated (single agent).

Names of genes, persons and variants are masked, and a p value counts as small or not. An article
and a category or subtype are claimed where their chance reaches a threshold, which is chosen on dev
for the reward. The class is calculated as the rules baseline does. Needs the extra
``adversaries``.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

import gymnasium as gym
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import MultiLabelBinarizer
from threadpoolctl import threadpool_limits
from trust import show

from gym_clinic import ClinicEnv, Task
from gym_clinic.domain import CallSpec
from gym_clinic.domains.clingen.baselines import (
    Report,
    Ticket,
    Turns,
    decide,
    read_reports,
    split_sections,
)
from gym_clinic.domains.clingen.curation import Curation, literature_of
from gym_clinic.domains.clingen.evidence import CATEGORIES, SUBTYPES
from gym_clinic.domains.clingen.genetics import read_genetics, results_of
from gym_clinic.policies import Maker, load, play
from gym_clinic.taskset import first

THRESHOLDS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85)
NONE = "none"
_P_VALUE = re.compile(r"\b[Pp](?:-value)? ?([=<>]) ?(0?\.\d+)")
_NAMES = (
    (re.compile(r"\bSIMC?\d+\b"), "citation"),
    (re.compile(r"\bSIMVAR-\d+\b"), "variant"),
    (re.compile(r"\bF\d+-[IV]+-\d+\b"), "person"),
    (re.compile(r"\b(?=[A-Z0-9-]*[A-Z])(?=\w*\d|[A-Z]{3})[A-Z][A-Z0-9-]+\b"), "othergene"),
    (re.compile(r"[-−]?\d[\d.,]*"), "0"),
)
Sections = Sequence[tuple[str, str]]


class Passage(NamedTuple):
    """A passage that compares groups: its masked words and, in train, what it is evidence of."""

    words: str
    label: str


def passages(gene: str, title: str, text: str) -> list[str]:
    """Return the masked passages of a text that give a p value, with the words of its title."""
    found = []
    own = re.compile(rf"(?<![A-Za-z0-9]){re.escape(gene)}(?![A-Za-z0-9])")
    heading = " ".join(f"title_{one}" for one in _masked(own, title).split())
    for passage in text.split("\n"):
        if _P_VALUE.search(passage) and not passage.startswith(("|", "Figure")):
            found.append(f"{_masked(own, passage)} {heading}")
    return found


def _masked(own: re.Pattern[str], text: str) -> str:
    def size(found: re.Match[str]) -> str:
        return "small_p" if float(found[2]) < 0.05 and found[1] != ">" else "large_p"

    text = own.sub("owngene", _P_VALUE.sub(size, text))
    for pattern, name in _NAMES:
        text = pattern.sub(name, text)
    return text


def sentences(text: str) -> str:
    """Return a text with one sentence a line."""
    return re.sub(r"(?<=[.!?]) +(?=[A-Z(0-9])", "\n", text)


def labelled(task: Task, *, full: bool) -> list[Passage]:
    """Return the passages of a task, each with the subtype of the experiment that it tells."""
    case, written = Curation(task), literature_of(task.record).literature
    results = {one.id: one for one in written.results}
    articles = {one.pmid: one for one in written.articles}
    found = []
    for article in task.record["articles"]:
        text = (
            results_of(case.sections(article["pmid"])) if full else sentences(article["abstract"])
        )
        own = [results[key] for key in articles[article["pmid"]].results]
        for raw in text.split("\n"):
            told = [one for one in own if one.measure.lower() in raw.lower()]
            label = next((one.subtype for one in told if one.subtype), None) or NONE
            found += [Passage(words, label) for words in passages(case.gene, article["title"], raw)]
    return found


class Reader(Protocol):
    """A trained model of articles."""

    def chances(self, gene: str, title: str, text: str) -> dict[str, float]:
        """Return the chance of each subtype or category in an article."""


class PassageModel:
    """A multinomial logistic model of passages; the best passage of an article speaks for it.

    Args:
        tasks: The tasks to fit to.
        full: Whether it reads full texts; if not, abstracts.
    """

    def __init__(self, tasks: Sequence[Task], *, full: bool) -> None:
        rows = [passage for task in tasks for passage in labelled(task, full=full)]
        self._words = TfidfVectorizer(
            ngram_range=(1, 2), min_df=2, sublinear_tf=True, token_pattern=r"[\w-]+"
        )
        matrix = self._words.fit_transform([one.words for one in rows])
        self._model = LogisticRegression(C=30, max_iter=400)
        self._model.fit(matrix, [one.label for one in rows])

    def chances(self, gene: str, title: str, text: str) -> dict[str, float]:
        """Return, for each subtype, the chance of the passage that speaks most for it."""
        rows = passages(gene, title, text)
        if not rows:
            return {}
        table = self._model.predict_proba(self._words.transform(rows))
        best = np.max(table, axis=0)
        return {
            key: float(chance)
            for key, chance in zip(self._model.classes_, best, strict=True)
            if key != NONE
        }


class Bag:
    """A logistic model for each subtype, or category, of the bag of features of an article.

    Args:
        tasks: The tasks to fit to.
        full: Whether it reads full texts and names subtypes; if not, abstracts and categories.
        features: Options of the TF-IDF of its features.
    """

    def __init__(self, tasks: Sequence[Task], *, full: bool, **features: Any) -> None:
        texts, needed = [], []
        for task in tasks:
            case = Curation(task)
            for article in task.record["articles"]:
                pmid = article["pmid"]
                subtypes = {
                    item["subtype"] for item in task.gold["evidence"] if item["pmid"] == pmid
                }
                needed.append(subtypes if full else {SUBTYPES[key].category for key in subtypes})
                text = results_of(case.sections(pmid)) if full else article["abstract"]
                texts.append(bag(case.gene, article["title"], text))
        self._labels = MultiLabelBinarizer()
        self._features = TfidfVectorizer(min_df=3, sublinear_tf=True, **features)
        self._model = OneVsRestClassifier(
            LogisticRegression(C=30, max_iter=400, solver="liblinear")
        )
        matrix = self._features.fit_transform(texts)
        self._model.fit(matrix, self._labels.fit_transform(needed))

    def chances(self, gene: str, title: str, text: str) -> dict[str, float]:
        """Return the chance of each subtype or category."""
        (row,) = self._model.predict_proba(self._features.transform([bag(gene, title, text)]))
        return dict(zip(self._labels.classes_, map(float, row), strict=True))


def bag(gene: str, title: str, text: str) -> str:
    """Return title and text of an article, masked."""
    own = re.compile(rf"(?<![A-Za-z0-9]){re.escape(gene)}(?![A-Za-z0-9])")
    return _masked(own, f"{title}\n{text}")


READERS: dict[str, Callable[..., Reader]] = {
    "passages": PassageModel,
    "words": partial(Bag, ngram_range=(1, 2)),
    "characters": partial(Bag, analyzer="char_wb", ngram_range=(3, 5), max_features=200_000),
}


def chosen(
    model: Reader, ticket: Ticket, texts: Iterable[str], least: float
) -> list[tuple[str, str]]:
    """Return the (article, key) pairs with at least this chance, and the best in any case."""
    chances = {
        (one.pmid, key): chance
        for one, text in zip(ticket.articles, texts, strict=False)
        for key, chance in model.chances(ticket.gene, one.title, text).items()
    }
    best = max(chances, key=chances.__getitem__, default=None)
    return [pair for pair, chance in chances.items() if chance >= least or pair == best]


def single(env: ClinicEnv, model: Reader, least: float) -> Maker:
    """Open every article, name the likely subtypes, calculate the class."""

    def plan(ticket: Ticket) -> list[CallSpec]:
        return [("get_full_text", {"pmid": one.pmid}) for one in ticket.articles]

    def answer(ticket: Ticket, heard: Sequence[str]) -> str:
        texts = [results_of(split_sections(text)) for text in heard]
        pairs = chosen(model, ticket, texts, least)
        reports = [
            Report(
                one.pmid,
                tuple(key for pmid, key in pairs if pmid == one.pmid),
                read_genetics(text),
            )
            for one, text in zip(ticket.articles, texts, strict=True)
        ]
        evidence = [{"type": SUBTYPES[key].label, "pmid": pmid} for pmid, key in pairs]
        return json.dumps({"classification": decide(ticket, reports), "evidence": evidence})

    return lambda seed: Turns(plan, answer, env.dialect, env.max_turns)


def supervisor(env: ClinicEnv, model: Reader, least: float) -> Maker:
    """Call the sub-agents that the abstracts make likely, calculate the class from the reports."""

    def plan(ticket: Ticket) -> list[CallSpec]:
        articles = {one.pmid: one for one in ticket.articles}
        texts = [sentences(one.abstract) for one in ticket.articles]
        calls = {
            (CATEGORIES[key if key in CATEGORIES else SUBTYPES[key].category].agent, pmid)
            for pmid, key in chosen(model, ticket, texts, least)
        }
        return [
            (
                agent,
                {
                    "pmid": pmid,
                    "pmcid": articles[pmid].pmcid,
                    "gene": ticket.gene,
                    "disease": ticket.disease,
                },
            )
            for agent, pmid in sorted(calls)
        ]

    def answer(ticket: Ticket, heard: Sequence[str]) -> str:
        reports = [report for response in heard for report in read_reports(response)]
        return f"CLASSIFICATION: {decide(ticket, reports)}"

    return lambda seed: Turns(plan, answer, env.dialect, env.max_turns)


SETTINGS = {"clinic/ClinGen-v0": supervisor, "clinic/ClinGenSingle-v0": single}


def main() -> None:
    """Fit to train, tune on dev, play test once, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", type=int, help="only the first tasks of train")
    parser.add_argument("--limit", type=int, help="only the first tasks of dev and of test")
    parser.add_argument("--folder", help="a task folder instead of the embedded one")
    args = parser.parse_args()
    for name, make in SETTINGS.items():
        options = {"folder": args.folder, "policy": "matrix"} if args.folder else {}
        env: Any = gym.make(name, **options).unwrapped
        full = "Single" in name
        parts = {
            split: first(env.domain.tasks[split], args.train if split == "train" else args.limit)
            for split in ("train", "dev", "test")
        }
        print(f"{name}, {len(parts['test'])} test tasks")
        print(f"  {'':37s} {'balanced':22s} {'natural':22s} success")
        for reader, fit in READERS.items():
            model = fit(parts["train"], full=full)
            earned = {
                least: statistics.fmean(
                    play(env, task, make(env, model, least)(0)).reward for task in parts["dev"]
                )
                for least in THRESHOLDS
            }
            best = max(earned, key=earned.__getitem__)
            show(f"{reader}, from a chance of {best}", env, parts["test"], make(env, model, best))
        show("rules", env, parts["test"], load("rules", env, {}))


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
