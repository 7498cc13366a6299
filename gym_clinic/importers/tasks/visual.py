"""Questions about images, as every benchmark of visual questions becomes them.

Each question becomes a task::

    {"id": "slake-3f9c0a71be52d604",
     "record": {"question": "…", "options": {"A": "yes", "B": "no"}, "image": "xmlab0/source.jpg",
                "modality": "CT", "kind": "presence"},
     "gold": {"answer": "B"}, "provenance": "slake"}

The paper of MMedAgent-RL evaluates multiple choice alone. So questions that yes or no answers are
kept, and those that name their choices ("left or right?"). Open ones are left out, or get
distractors: the answers to other questions of the same kind in the same file. Their record then has
``"distractors": "same file"``. Questions that one file answers in two ways are left out, all of
them.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from string import ascii_uppercase
from typing import Any

import orjson

from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts.typed_json import make_record
from gym_clinic.importers.formats.json import json_value
from gym_clinic.importers.tasks.multiple_choice import MultipleChoice
from gym_clinic.reading import numbered_lines

YES_NO = ("yes", "no")
OPEN = ("leave_out", "distractors")
DISTRACTORS = 3
"""Wrong options that an open question gets."""

_APART = re.compile(r",?\s+or\s+|\s*,\s*|\s+vs\.?\s+")
_NO_CHOICE = frozenset(
    {"no", "not", "with", "without", "weighted", "lower", "upper", "small", "large"}
)
"""Words that are only half of a choice."""

_EDGES = " .?!:;\"'"


@dataclass(frozen=True)
class VisualQuestion:
    """A question of a benchmark, before it has options.

    Attributes:
        place: File and place within, for errors.
        question: What is asked.
        answer: What is right: a text, or the label of an option where there are options.
        image: Path of the image below the folder of the images.
        modality: Kind of image, as the benchmark says it.
        kind: Kind of question, as the benchmark says it.
        options: Label -> text, where the benchmark has them.
    """

    place: str
    question: str
    answer: str
    image: str
    modality: str
    kind: str
    options: tuple[tuple[str, str], ...] = ()


def visual_tasks(
    benchmark: str,
    path: str | os.PathLike[str],
    questions: Iterable[VisualQuestion],
    open_answers: str = "leave_out",
    images: str | None = None,
) -> Iterator[Task]:
    """Yield the tasks of questions.

    Args:
        benchmark: Name of the benchmark; it becomes the provenance and begins the id.
        path: The file, for errors.
        questions: Its questions.
        open_answers: ``"leave_out"`` or ``"distractors"``.
        images: The folder of the images: questions whose image is not there are left out.

    Raises:
        ConfigError: If an option has no such value.
        TaskError: For a question without text, or whose answer is no option; or if none is left.
    """
    if open_answers not in OPEN:
        raise ConfigError(f"open_answers is one of {list(OPEN)}, not {open_answers!r}")
    if images is not None and not Path(images).is_dir():
        raise ConfigError(f"images is the folder of the images; {images!r} is none")
    shown = list(questions)
    if images is not None:
        shown = [asked for asked in shown if (Path(images) / asked.image).is_file()]
    answers: dict[tuple[str, str], set[str]] = defaultdict(set)
    for asked in shown:
        answers[asked.image, plain(asked.question)].add(plain(asked.answer))
    alike = _answers_by_kind(shown)
    made = 0
    for asked in shown:
        if len(answers[asked.image, plain(asked.question)]) > 1:
            continue
        closed = _with_options(asked)
        if closed is None and open_answers == "distractors":
            closed = _with_distractors(asked, alike)
        if closed is not None:
            made += 1
            yield _task(benchmark, closed, drawn=closed.kind != asked.kind)
    if not made:
        raise TaskError(
            f"{os.fspath(path)}: no question has an image and options that can be read; expected "
            f"closed questions of {benchmark}"
        )


def plain(text: str) -> str:
    """Return a text in lower case, without blanks and marks at its ends."""
    return " ".join(text.casefold().split()).strip(_EDGES)


def choices_in(question: str, answer: str) -> tuple[str, ...]:
    """Return the choices that a question names, the answer among them; none if it names none.

    >>> choices_in("Is the mass on the left or right?", "Right")
    ('left', 'right')
    >>> choices_in("Which is the biggest in this image, lung, liver or heart?", "Liver")
    ('lung', 'liver', 'heart')
    >>> choices_in("Where is the mass?", "Left")
    ()
    """
    chunks = [plain(chunk) for chunk in _APART.split(plain(question))]
    wanted, size = plain(answer), len(plain(answer).split())
    if len(chunks) < 2 or not size:
        return ()
    first, last = chunks[0].split(), chunks[-1].split()
    named = [" ".join(first[-size:]), *chunks[1:-1], " ".join(last[:size])]
    if len(named) > 2 and first[0] in ("which", "what", "where"):
        named = named[1:]  # "which is larger, the liver or the spleen": the stem ends at the comma
    fits = all(
        len(choice.split()) == size and choice not in _NO_CHOICE and not re.search(r"[()]", choice)
        for choice in named
    )
    one_noun = size == 1 or len({choice.split()[-1] for choice in named}) == 1
    if not (fits and one_noun and named.count(wanted) == 1 and len(set(named)) == len(named)):
        return ()
    return tuple(named)


def read_rows(path: Path, expected: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the fields of each row of a JSON array or of JSON Lines.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: If it is neither; the text names the file.
    """
    if path.suffix in (".jsonl", ".ndjson"):
        rows: Any = []
        for number, line in numbered_lines(path):
            if line.strip():
                rows.append((f"{path} line {number}", _parsed(line, f"{path} line {number}")))
    else:
        found = json_value(path, expected)
        if not isinstance(found, list):
            raise TaskError(f"{path}: expected {expected}")
        rows = [(f"{path} row {number}", row) for number, row in enumerate(found, 1)]
    for place, row in rows:
        if not isinstance(row, dict):
            raise TaskError(f"{place}: expected a JSON object")
        yield place, row


def text_field(row: dict[str, Any], name: str, place: str) -> str:
    """Return a field that is a text, or a number as text.

    Raises:
        TaskError: If it is missing, empty or something else.
    """
    value = row.get(name)
    text = str(value) if isinstance(value, int | float) and value is not True else value
    if not isinstance(text, str) or not text.strip():
        raise TaskError(f"{place}, field {name}: expected a text, got {value!r:.60}")
    return text.strip()


def _parsed(line: bytes, place: str) -> Any:
    try:
        return orjson.loads(line)
    except ValueError as error:
        raise TaskError(f"{place}: {error}") from None


def _answers_by_kind(questions: list[VisualQuestion]) -> dict[str, list[str]]:
    """Kind -> the answers to its open questions, each once, in order."""
    kinds: dict[str, dict[str, str]] = defaultdict(dict)
    for asked in questions:
        if _with_options(asked) is None:
            for kind in (asked.kind, ""):
                kinds[kind].setdefault(plain(asked.answer), asked.answer)
    return {kind: list(answers.values()) for kind, answers in kinds.items()}


def _with_options(asked: VisualQuestion) -> VisualQuestion | None:
    """Return a question with options and the label of its answer; None for an open one."""
    if asked.options:
        return asked
    answer = plain(asked.answer)
    texts = YES_NO if answer in YES_NO else choices_in(asked.question, asked.answer)
    if not texts:
        return None
    labelled = tuple(zip(ascii_uppercase, texts, strict=False))
    label = next(label for label, text in labelled if text == answer)
    return replace(asked, options=labelled, answer=label)


def _with_distractors(asked: VisualQuestion, alike: dict[str, list[str]]) -> VisualQuestion | None:
    """Return an open question with answers to other questions as options, in drawn order."""
    random = Random(f"{asked.image}:{asked.question}")
    own = plain(asked.answer)
    wrong: list[str] = []
    for kind in (asked.kind, ""):
        pool = [
            text for text in alike.get(kind, ()) if plain(text) not in {own, *map(plain, wrong)}
        ]
        wrong += random.sample(pool, min(DISTRACTORS - len(wrong), len(pool)))
    if not wrong:
        return None
    texts = [asked.answer, *wrong]
    random.shuffle(texts)
    labelled = tuple(zip(ascii_uppercase, texts, strict=False))
    label = next(label for label, text in labelled if text == asked.answer)
    return replace(asked, options=labelled, answer=label, kind=f"{asked.kind}, open")


def _task(benchmark: str, asked: VisualQuestion, *, drawn: bool) -> Task:
    checked = make_record(MultipleChoice, asked.place, question=asked.question,
                          options=dict(asked.options), answer=asked.answer)  # fmt: skip
    record: dict[str, Any] = {
        "question": checked.question,
        "options": checked.options,
        "image": asked.image,
        "modality": asked.modality,
        "kind": asked.kind.removesuffix(", open") or "question",
    }
    if drawn:
        record["distractors"] = "same file"
    told = [checked.question, asked.image, list(checked.options.values())]
    digest = hashlib.sha256(orjson.dumps(told)).hexdigest()[:16]
    return Task(f"{benchmark}-{digest}", record, {"answer": checked.answer}, provenance=benchmark)
