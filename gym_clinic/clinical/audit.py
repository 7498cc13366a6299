"""What can be told about the answer without reading evidence, and what splits have in common.

Linear models are trained on the tickets of train and tried on those of test. One sees the form
alone: lengths, counts, order, times of day, presence of fields. The other reads all words. Both
need the extra ``adversaries``.
"""

from __future__ import annotations

import importlib
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError
from gym_clinic.facts import words

FEATURES = 5000
"""Words and pairs of words that the model of words sees, at most."""

GRAM = 8
"""Words in a row that count as the same text."""

_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_NAME = re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Master|Dr)\.? [A-Z][\w'-]+|\b[A-Z][\w'-]+ [A-Z][\w'-]+\b")
_CLOCK = re.compile(r"\b(\d{1,2}):(\d{2})\b")

Label = Callable[[Task], str]


@dataclass(frozen=True)
class AuditReport:
    """Accuracies on test of models trained on train; 0 to 1.

    Attributes:
        constant: Of the most frequent class of train.
        form: Of a model of the ticket's form.
        words: Of a model of the ticket's words.
    """

    constant: float
    form: float
    words: float

    @property
    def closed(self) -> float:
        """The share of the gap between the best constant and 1 that the words close."""
        return (self.words - self.constant) / max(1 - self.constant, 1e-9)


def audit(train: Sequence[Task], test: Sequence[Task], label: Label) -> AuditReport:
    """Return what models of the tickets know of the class.

    Args:
        train: The tasks of train.
        test: The tasks of test.
        label: The class of a task.

    Raises:
        ConfigError: If scikit-learn is missing.
    """
    known = [label(task) for task in train]
    wanted = [label(task) for task in test]
    most = Counter(known).most_common(1)[0][0]
    constant = sum(one == most for one in wanted) / len(wanted)
    form = _accuracy(_dictionary(), [form_of(t) for t in train], known,
                     [form_of(t) for t in test], wanted)  # fmt: skip
    texts = _accuracy(_bag(), [t.ticket for t in train], known, [t.ticket for t in test], wanted)
    return AuditReport(constant, form, texts)


def form_of(task: Task) -> dict[str, float]:
    """Return the form of a ticket as named numbers."""
    text = task.ticket
    clocks = _CLOCK.findall(text)
    found = {
        "characters": math.log1p(len(text)),
        "lines": float(text.count("\n")),
        "numbers": float(len(_NUMBER.findall(text))),
        "sentences": float(len(re.findall(r"[.!?](?:\s|$)", text))),
        "commas": float(text.count(",")),
        "questions": float(text.count("?")),
        "brackets": float(text.count("(")),
        "hour": float(clocks[0][0]) if clocks else -1.0,
    }
    for number, line in enumerate(text.splitlines()):
        if ":" in line[:40]:
            found[f"field {line.split(':')[0][:40].casefold()}"] = float(number)
        found[f"length of line {number}"] = math.log1p(len(line))
    for place, character in enumerate(task.id[-4:]):
        found[f"id {place} {character}"] = 1.0
    return found


def _learning(name: str) -> Any:
    try:
        return importlib.import_module(f"sklearn.{name}")
    except ImportError:
        raise ConfigError(
            'the audit needs scikit-learn: pip install "gym_clinic[adversaries]"'
        ) from None


def _dictionary() -> Any:
    return _learning("feature_extraction").DictVectorizer()


def _bag() -> Any:
    text = _learning("feature_extraction.text")
    return text.TfidfVectorizer(
        ngram_range=(1, 2), sublinear_tf=True, min_df=2, max_features=FEATURES
    )


def _accuracy(
    vectors: Any, train: Sequence[Any], known: Sequence[str], test: Sequence[Any],
    wanted: Sequence[str],
) -> float:  # fmt: skip
    if len(set(known)) < 2:
        return sum(one == known[0] for one in wanted) / len(wanted)
    scaled = _learning("preprocessing").MaxAbsScaler()
    model = _learning("linear_model").LogisticRegression(max_iter=200, C=3.0)
    model.fit(scaled.fit_transform(vectors.fit_transform(train)), list(known))
    given = model.predict(scaled.transform(vectors.transform(test)))
    return sum(str(one) == other for one, other in zip(given, wanted, strict=True)) / len(wanted)


def grams(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the runs of eight words of a text, with names and numbers masked.

    >>> list(grams("Mr Ash came at 09:40 with pain in his chest"))
    [('#name', 'came', 'at', '#', 'with', 'pain', 'in', 'his'), \
('came', 'at', '#', 'with', 'pain', 'in', 'his', 'chest')]
    """
    masked = _NUMBER.sub(" zznumberzz ", _NAME.sub(" zznamezz ", text))
    marks = {"zznumberzz": "#", "zznamezz": "#name"}
    plain = [marks.get(one, one) for one in words(masked)]
    yield from (tuple(plain[at : at + GRAM]) for at in range(len(plain) - GRAM + 1))


def shared_grams(train: Iterable[str], test: Iterable[str]) -> float:
    """Return the share of the runs of eight words of test that occur in train; 0 to 1."""
    known = {one for text in train for one in grams(text)}
    found = [one in known for text in test for one in grams(text)]
    return sum(found) / len(found) if found else 0.0


def repeated_notes(train: Iterable[str], test: Iterable[str]) -> float:
    """Return the share of the texts of test that occur whole in train, names and numbers aside."""
    known = {_skeleton(text) for text in train}
    found = [_skeleton(text) in known for text in test]
    return sum(found) / len(found) if found else 0.0


def _skeleton(text: str) -> tuple[str, ...]:
    return words(_NUMBER.sub(" ", _NAME.sub(" ", text)))
