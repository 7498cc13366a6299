"""Trained readers of ClinGen's articles: what they earn, and what unseen phrases cost them.

Run: ``python bench/sentence_models.py [--train N] [--limit N]``. Logistic models of sentences are
fitted to the train split, whose drafts tell which sentence tells which finding: one model for each
subtype and sign of the result, one for each owner of a result. Boosted trees turn the scores of an
article's sentences into the chance of each subtype (full text) or category (abstract). They are
fitted to scores of models that had not read the article nor met a fourth of its phrases, since test
holds phrases that train does not. Thresholds are chosen on dev for the reward. The class is
calculated as the rules baseline does. Needs the extra ``adversaries``.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from sentence_features import Finding, Masks, Phrase, Sentence, features, told_sentences
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import SGDClassifier
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
from gym_clinic.domains.clingen.curation import Curation
from gym_clinic.domains.clingen.evidence import CATEGORIES, SUBTYPES
from gym_clinic.domains.clingen.genetics import Genetics, read_genetics
from gym_clinic.domains.clingen.simulator import Draft
from gym_clinic.policies import Maker, play
from gym_clinic.rewards import scale
from gym_clinic.taskset import first

FOLDS, PARTS = 3, 8
"""Folds of the train split; the models of a fold do without one in eight phrases.

A sentence has two or three, so that about as many sentences are new to them as are new in test.
"""

BACKGROUND = 0.1
"""Share of the sentences without a finding that the sentence models are fitted to."""

THRESHOLDS = tuple(n / 20 for n in range(3, 16, 2))
SINGLES = [(key,) for key in SUBTYPES]
GROUPS = [tuple(one.key for one in category.subtypes) for category in CATEGORIES.values()]
OWNERS = ("own", "withdrawn", "other", "elsewhere", "reported", "idle", "none")
NOTHING = Finding("none", "none")
Pair = tuple[str, tuple[str, ...]]
Sections = Sequence[tuple[str, str]]


class Article(NamedTuple):
    """An article of which the sentences were masked."""

    pmid: str
    sentences: list[Sentence]
    found: list[Finding]
    shown: frozenset[str]


class SentenceModels:
    """Logistic models of sentences, one against the rest: of the labels and of the owners.

    Args:
        articles: The articles to fit to.
        without: Number of the part of all phrases, of `PARTS`, that is left out.
    """

    def __init__(self, articles: Sequence[Article], without: int | None = None) -> None:
        rng = np.random.default_rng(0)
        rows: list[tuple[list[str], Finding]] = []
        for article in articles:
            for number, found in enumerate(article.found):
                if found is NOTHING and rng.random() > BACKGROUND:
                    continue
                if all((len(pool) + at) % PARTS != without for pool, at in found.phrases):
                    rows.append((features(article.sentences, number), found))
        self._words = TfidfVectorizer(analyzer=list, min_df=2, sublinear_tf=True, dtype=np.float32)
        matrix = self._words.fit_transform([words for words, _ in rows])
        self._labels = sorted({found.label for _, found in rows})
        names = [*self._labels, *(f"by {owner}" for owner in OWNERS)]
        truth = [{found.label, f"by {found.owner}"} for _, found in rows]
        models = [_logistic(matrix, np.array([name in one for one in truth])) for name in names]
        self._weights = np.column_stack([weights for weights, _ in models])
        self._biases = np.array([bias for _, bias in models])

    def scores(self, article: Article) -> tuple[dict[str, Any], Any]:
        """Return label -> its score for each sentence, and the chances of the owners."""
        rows = [features(article.sentences, n) for n in range(len(article.sentences))]
        table = self._words.transform(rows) @ self._weights + self._biases
        owners = _chance(table[:, len(self._labels) :])
        labels = dict(zip(self._labels, table.T, strict=False))
        return labels, owners / owners.sum(axis=1, keepdims=True)

    def columns(self, article: Article, groups: Sequence[Sequence[str]], full: bool) -> Any:
        """Return what the sentences say of each group of subtypes: groups x columns."""
        scores, owners = self.scores(article)
        low = np.full(len(article.sentences), -20.0)
        plus, minus = ({key: scores.get(s + key, low) for key in SUBTYPES} for s in "+-")
        abstract = np.array([one.place == "abstract" for one in article.sentences])
        places = [abstract, ~abstract] if full else [abstract]
        every: list[Any] = []
        for keys in groups:
            ours = np.max([plus[key] for key in keys], axis=0)
            denied = np.max([minus[key] for key in keys], axis=0)
            rest = np.max([low, *(plus[key] for key in SUBTYPES if key not in keys)], axis=0)
            hint = scores.get(f"hint.{SUBTYPES[keys[0]].category}", low)
            row = [float(len(keys)), float(groups.index(keys)), abstract.sum()]
            for where in places:
                told = np.where(where, ours, -20)
                best = int(told.argmax())
                row += [told[best], denied[best], rest[best], *owners[best]]
                row += np.where(where[:, None], _chance(ours)[:, None] * owners, 0).max(0).tolist()
                row += [np.where(where, other, -20).max() for other in (denied, hint)]
                row.append((np.where(where, _chance(rest) * owners[:, 0], 0)).max())
            every.append(row)
        table = np.array(every)
        # Every row sees the chances of the others, since a rescue comes with its defect.
        own = table[:, 13::20].ravel()
        return np.hstack([table, np.tile(own, (len(table), 1))])


def _logistic(matrix: Any, true: Any) -> tuple[Any, float]:
    """Return weights and bias of a logistic model."""
    if not true.any():
        return np.zeros(matrix.shape[1]), -20.0
    model = SGDClassifier(
        loss="log_loss", alpha=1e-6, max_iter=10, tol=None, average=True, random_state=0
    )
    model.fit(matrix, true)
    return model.coef_[0], float(model.intercept_[0])


def _chance(scores: Any) -> Any:
    return 1 / (1 + np.exp(-np.clip(scores, -30, 30)))


class Setting:
    """How one id is played: what is read, and the trees that weigh what was read.

    Args:
        full: Whether full texts are read; else only abstracts.
    """

    def __init__(self, full: bool, masks: Masks) -> None:
        self.groups = SINGLES if full else GROUPS
        self._full, self._masks = full, masks
        self._trees = HistGradientBoostingClassifier(
            max_iter=150, learning_rate=0.06, max_leaf_nodes=12, random_state=0
        )
        self.models: SentenceModels
        self._kept: dict[str, list[float]] = {}

    def article(self, gene: str, disease: str, told: Mapping[str, Any], text: Sections) -> Article:
        """Mask an article; of its draft, where it is known, the findings are kept."""
        parts = [("abstract", told["abstract"]), *text]
        sentences = self._masks.read(gene, disease, parts)
        draft = Draft.from_json(told["draft"]) if "draft" in told else None
        known = told_sentences(draft) if draft else {}
        found = [known.get((one.place == "abstract", one.text), NOTHING) for one in sentences]
        shown = {one.subtype for one in draft.findings if one.status == "shown"} if draft else ()
        return Article(told["pmid"], sentences, found, frozenset(shown))

    def articles(self, task: Task) -> list[Article]:
        """Mask the articles of a task, whose texts and drafts are at hand."""
        case, record = Curation(task), task.record
        return [
            self.article(record["gene"], record["disease"], one, text)
            for one in record["articles"]
            for text in [case.sections(one["pmid"]) if self._full else ()]
        ]

    def fit(self, articles: Sequence[Article], models: Sequence[SentenceModels]) -> None:
        """Fit the trees to articles, each with the models that scored it."""
        rows = [
            model.columns(one, self.groups, self._full)
            for one, model in zip(articles, models, strict=True)
        ]
        shown = [not one.shown.isdisjoint(keys) for one in articles for keys in self.groups]
        self._trees.fit(np.vstack(rows), shown)

    def use(self, models: SentenceModels) -> Setting:
        """Read with these models from now on."""
        self.models = models
        self._kept.clear()
        return self

    def chosen(self, ticket: Ticket, texts: Sequence[Sections], least: float) -> list[Pair]:
        """Return the (article, group) pairs with at least this chance, and the best in any case."""
        chances: dict[Pair, float] = {}
        for one, text in zip(ticket.articles, texts, strict=True):
            if one.pmid not in self._kept:
                read = self.article(ticket.gene, ticket.disease, vars(one), text)
                columns = self.models.columns(read, self.groups, self._full)
                self._kept[one.pmid] = self._trees.predict_proba(columns)[:, 1].tolist()
            for keys, chance in zip(self.groups, self._kept[one.pmid], strict=True):
                chances[one.pmid, keys] = chance
        best = max(chances, key=chances.__getitem__)
        return [pair for pair, chance in chances.items() if chance >= least or pair == best]


@cache
def _genetics(text: tuple[tuple[str, str], ...]) -> Genetics:
    return read_genetics(text) or Genetics(0.0, 0, None)


def single(env: ClinicEnv, setting: Setting, least: float) -> Maker:
    """Open every article, name the likely subtypes, calculate the class."""

    def plan(ticket: Ticket) -> list[CallSpec]:
        return [("get_full_text", {"pmid": one.pmid}) for one in ticket.articles]

    def answer(ticket: Ticket, heard: Sequence[str]) -> str:
        texts = [tuple(split_sections(text)) for text in heard]
        pairs = setting.chosen(ticket, texts, least)
        reports = [
            Report(
                one.pmid,
                tuple(keys[0] for pmid, keys in pairs if pmid == one.pmid),
                _genetics(text),
            )
            for one, text in zip(ticket.articles, texts, strict=True)
        ]
        evidence = [{"type": SUBTYPES[keys[0]].label, "pmid": pmid} for pmid, keys in pairs]
        return json.dumps({"classification": decide(ticket, reports), "evidence": evidence})

    return lambda seed: Turns(plan, answer, env.dialect, env.max_turns)


def supervisor(env: ClinicEnv, setting: Setting, least: float) -> Maker:
    """Call the sub-agents that the abstracts make likely, calculate the class from the reports."""

    def plan(ticket: Ticket) -> list[CallSpec]:
        articles = {one.pmid: one for one in ticket.articles}
        return [
            (
                CATEGORIES[SUBTYPES[keys[0]].category].agent,
                {
                    "pmid": pmid,
                    "pmcid": articles[pmid].pmcid,
                    "gene": ticket.gene,
                    "disease": ticket.disease,
                },
            )
            for pmid, keys in setting.chosen(ticket, [()] * len(ticket.articles), least)
        ]

    def answer(ticket: Ticket, heard: Sequence[str]) -> str:
        reports = [report for response in heard for report in read_reports(response)]
        return f"CLASSIFICATION: {decide(ticket, reports)}"

    return lambda seed: Turns(plan, answer, env.dialect, env.max_turns)


def f1_of_sentences(models: SentenceModels, articles: Sequence[Article], known: set[Phrase]) -> str:
    """F1 of the subtype of own positive results, over the sentences that tell a finding."""
    hits = {side: [0, 0, 0] for side in (True, False)}  # right, predicted, true
    for article in articles:
        scores, owners = models.scores(article)
        names = list(scores)
        best = np.column_stack([scores[name] for name in names]).argmax(axis=1)
        for found, label, owner in zip(article.found, best, owners.argmax(axis=1), strict=True):
            if found is not NOTHING:
                true = found.label if found.owner == "own" and found.label[0] == "+" else ""
                name = names[label] if OWNERS[owner] == "own" and names[label][0] == "+" else ""
                for place, more in enumerate((name and name == true, name, true)):
                    hits[known.issuperset(found.phrases)][place] += bool(more)
    shares = {side: 2 * a / max(b + c, 1) for side, (a, b, c) in hits.items()}
    return (
        f"F1 on sentences whose phrases occur in train {shares[True]:.3f} ({hits[True][2]} own "
        f"positive results), on the others {shares[False]:.3f} ({hits[False][2]})"
    )


SETTINGS = {"clinic/ClinGen-v0": supervisor, "clinic/ClinGenSingle-v0": single}


def main() -> None:
    """Fit to train, tune on dev, play test once, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", type=int, help="only the first tasks of train")
    parser.add_argument("--limit", type=int, help="only the first tasks of dev and of test")
    args = parser.parse_args()
    envs: dict[str, Any] = {name: gym.make(name).unwrapped for name in SETTINGS}
    split = envs["clinic/ClinGen-v0"].domain.tasks
    train, dev, test = (
        first(split[name], limit)
        for name, limit in (("train", args.train), ("dev", args.limit), ("test", args.limit))
    )
    masks = Masks([Draft.from_json(a["draft"]) for task in train for a in task.record["articles"]])
    settings = {name: Setting("Single" in name, masks) for name in SETTINGS}
    read = {
        name: [(n % FOLDS, one) for n, task in enumerate(train) for one in setting.articles(task)]
        for name, setting in settings.items()
    }
    whole = read["clinic/ClinGenSingle-v0"]
    folds = [SentenceModels([one for n, one in whole if n != k], k) for k in range(FOLDS)]
    models = SentenceModels([one for _, one in whole])
    for name, make in SETTINGS.items():
        env, setting = envs[name], settings[name]
        setting.fit([one for _, one in read[name]], [folds[n] for n, _ in read[name]])
        # Dev has no phrase that train lacks; to models of a fold some of its phrases are new.
        setting.use(folds[0])
        earned = {
            least: statistics.fmean(
                play(env, task, make(env, setting, least)(0)).reward for task in dev
            )
            for least in THRESHOLDS
        }
        best = max(earned, key=earned.__getitem__)
        setting.use(models)
        on_dev = scale(earned[best], env.reward_range)
        print(f"{name}, {len(test)} test tasks; threshold {best}, {on_dev:.3f} on dev")
        show("trained readers of the evidence", env, test, make(env, setting, best))
    known = {phrase for _, one in whole for found in one.found for phrase in found.phrases}
    single_setting = settings["clinic/ClinGenSingle-v0"]
    articles = [one for task in test for one in single_setting.articles(task)]
    print(f1_of_sentences(models, articles, known))


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
