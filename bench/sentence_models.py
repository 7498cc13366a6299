"""Trained readers of ClinGen's articles: what they earn on test, whose phrases they have not seen.

Run: ``python bench/sentence_models.py [--train N] [--limit N] [--folder DIR]``. A logistic model
of passages is fitted to the train split, whose records tell what each experiment is evidence of: a
passage is a paragraph of results (full text) or a sentence (abstract) with a p value. Names of
genes, persons and variants are masked, and a p value counts as small or not. A pair of article and
subtype is claimed where the best passage reaches a threshold, which is chosen on dev for the
reward. The class is calculated as the rules baseline does. Needs the extra ``adversaries``.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
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
from gym_clinic.policies import Maker, play
from gym_clinic.taskset import first

THRESHOLDS = tuple(n / 20 for n in range(3, 18, 2))
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


class PassageModel:
    """A multinomial logistic model of passages.

    Args:
        rows: The passages to fit to.
    """

    def __init__(self, rows: Sequence[Passage]) -> None:
        self._words = TfidfVectorizer(
            ngram_range=(1, 2), min_df=2, sublinear_tf=True, token_pattern=r"[\w-]+"
        )
        matrix = self._words.fit_transform([one.words for one in rows])
        self._model = LogisticRegression(C=30, max_iter=400)
        self._model.fit(matrix, [one.label for one in rows])

    def chances(self, rows: Sequence[str]) -> dict[str, float]:
        """Return, for each subtype, the chance of the passage that speaks most for it."""
        if not rows:
            return {}
        table = self._model.predict_proba(self._words.transform(rows))
        best = np.max(table, axis=0)
        return {
            key: float(chance)
            for key, chance in zip(self._model.classes_, best, strict=True)
            if key != NONE
        }


def chosen(
    model: PassageModel, ticket: Ticket, texts: Iterable[str], least: float
) -> list[tuple[str, str]]:
    """Return the (article, subtype) pairs with at least this chance, and the best in any case."""
    chances = {
        (one.pmid, key): chance
        for one, text in zip(ticket.articles, texts, strict=False)
        for key, chance in model.chances(passages(ticket.gene, one.title, text)).items()
    }
    best = max(chances, key=chances.__getitem__, default=None)
    return [pair for pair, chance in chances.items() if chance >= least or pair == best]


def single(env: ClinicEnv, model: PassageModel, least: float) -> Maker:
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


def supervisor(env: ClinicEnv, model: PassageModel, least: float) -> Maker:
    """Call the sub-agents that the abstracts make likely, calculate the class from the reports."""

    def plan(ticket: Ticket) -> list[CallSpec]:
        articles = {one.pmid: one for one in ticket.articles}
        texts = [sentences(one.abstract) for one in ticket.articles]
        calls = {
            (CATEGORIES[SUBTYPES[key].category].agent, pmid)
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


def f1(model: PassageModel, rows: Sequence[Passage]) -> float:
    """F1 of the subtype over passages that are evidence."""
    hits = claimed = 0
    for row in rows:
        chances = model.chances([row.words])
        best = max(chances, key=chances.__getitem__)
        said = best if chances[best] >= 0.5 else NONE
        claimed += said != NONE
        hits += said == row.label != NONE
    true = sum(row.label != NONE for row in rows)
    return 2 * hits / max(claimed + true, 1)


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
        rows = {
            split: [one for task in tasks for one in labelled(task, full=full)]
            for split, tasks in parts.items()
        }
        model = PassageModel(rows["train"])
        earned = {
            least: statistics.fmean(
                play(env, task, make(env, model, least)(0)).reward for task in parts["dev"]
            )
            for least in THRESHOLDS
        }
        best = max(earned, key=earned.__getitem__)
        print(
            f"{name}: F1 of passages, train {f1(model, rows['train']):.3f}, "
            f"test {f1(model, rows['test']):.3f}; threshold {best}"
        )
        show("models of passages", env, parts["test"], make(env, model, best))


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
