"""Rewrites the paragraphs of simulated articles with a chat model and keeps what is accepted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

import orjson
from pydantic import BaseModel, Field

from gym_clinic.consult import ChatClient, Question, read_prompt
from gym_clinic.domains.clingen.curation import literature_of, load_tasks
from gym_clinic.domains.clingen.rewriting.edition import EditionFile, paragraphs
from gym_clinic.domains.clingen.rewriting.readback import (
    FactReader,
    Refusal,
    sentences_of,
)
from gym_clinic.episode import Task

PROMPT_FILE = Path(__file__).with_name("prompt.md")
ATTEMPTS = 2
"""Replies to one paragraph; the second is asked for with what was wrong in the first."""

NOT_PROSE = ("References",)
"""Sections that are left as they are."""

_HEAD = re.compile(r"(?:(?:Figure|Table) \d+\w?\. |[A-Z][a-z]+(?: [a-z]+)?: )?")


class RewrittenSentences(BaseModel):
    """What a model replies."""

    sentences: list[str] = Field(
        description="the rewritten sentences, one for each sentence given, in the same order"
    )


@dataclass
class RewriteReport:
    """What a run did.

    Attributes:
        tasks: Tasks read.
        kept: Paragraphs that were in the file before.
        paragraphs: Paragraphs asked for.
        accepted: Sentences whose rewriting says the same.
        refused: Why sentences stayed -> how many.
        examples: Why sentences stayed -> one of the refusals.
    """

    tasks: int = 0
    kept: int = 0
    paragraphs: int = 0
    accepted: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Rewriting:
    """A paragraph as it was judged: None for its text where no sentence was accepted."""

    text: str | None
    accepted: int
    refusals: tuple[Refusal, ...]


def rewrite(
    client: ChatClient,
    out: Path,
    *,
    split: str,
    limit: int | None = None,
    folder: str | None = None,
    concurrency: int = 8,
    progress: Callable[[RewriteReport], None] = lambda report: None,
) -> RewriteReport:
    """Rewrite the abstracts and sections of the tasks of a split.

    A sentence whose rewriting is refused stays as it was. Each paragraph is kept as soon as it is
    judged, so that an interrupted run goes on where it stopped.

    Args:
        client: The model.
        out: The file of the edition, made or continued.
        split: Which tasks.
        limit: How many of them, from the first; all by default.
        folder: A folder of simulated tasks instead of the embedded one.
        concurrency: Paragraphs asked for at once.
        progress: Called after each task.

    Raises:
        ConfigError: If there is no such split, or the file is not one to continue.
        ServiceError: If the server fails; what was judged before is kept.
    """
    report = RewriteReport()
    tasks = load_tasks(folder, masked_names=False)[split][:limit]
    prompt = PROMPT_FILE.read_text(encoding="utf-8")
    with EditionFile(out, client.model, prompt) as file:
        for task in tasks:
            if "literature" in task.record:
                _rewrite_task(client, task, file, concurrency, report)
            report.tasks += 1
            progress(report)
    return report


def _rewrite_task(
    client: ChatClient, task: Task, file: EditionFile, concurrency: int, report: RewriteReport
) -> None:
    reader = FactReader(literature_of(task.record).literature)
    wanted = dict.fromkeys(_prose(task))
    open_ones = [one for one in wanted if not file.edition.knows(one)]
    report.kept += len(wanted) - len(open_ones)
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="gym-clinic")
    try:
        asked = {pool.submit(_rewritten, client, reader, one): one for one in open_ones}
        for future in as_completed(asked):
            made = future.result()
            file.add(asked[future], made.text, [str(one) for one in made.refusals])
            report.paragraphs += 1
            report.accepted += made.accepted
            for one in made.refusals:
                report.refused[one.kind] += 1
                report.examples.setdefault(one.kind, one.detail)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _prose(task: Task) -> Iterator[str]:
    """Yield the paragraphs of a task's articles."""
    written = literature_of(task.record)
    for article in task.record["articles"]:
        yield from paragraphs(article["abstract"])
        for title, text in written.sections(article["pmid"]):
            if title not in NOT_PROSE:
                yield from paragraphs(text)


def _rewritten(client: ChatClient, reader: FactReader, paragraph: str) -> _Rewriting:
    """Return a paragraph with each sentence in the words of the model, if they say the same."""
    found = _HEAD.match(paragraph)
    head = found[0] if found else ""
    sentences = sentences_of(paragraph[len(head) :])
    kept = dict.fromkeys(fact for one in sentences for fact in reader.kept(one))
    question = Question(
        "rewriter",
        read_prompt(PROMPT_FILE),
        {"names": "; ".join(kept) or "none", "sentences": orjson.dumps(sentences).decode()},
        RewrittenSentences,
    )
    messages = question.messages()
    written: dict[int, str] = {}
    refused = dict.fromkeys(range(len(sentences)), Refusal("reply", "there was none"))
    for _ in range(ATTEMPTS):
        said = client.complete(messages).text
        for place, answer in enumerate(_answers(question, said, len(sentences))):
            if place in written:
                continue
            old = sentences[place]
            refusal = answer if isinstance(answer, Refusal) else reader.difference(old, answer)
            if refusal is None:
                written[place] = str(answer)
                del refused[place]
            else:
                refused[place] = Refusal(refusal.kind, f"{refusal.detail}, in: {old}")
        if not refused:
            break
        reasons = "\n".join(f"- {one}" for one in refused.values())
        messages += [
            {"role": "assistant", "content": said},
            {"role": "user", "content": f"Refused:\n{reasons}\nAnswer again, with all sentences."},
        ]
    text = head + " ".join(written.get(place, old) for place, old in enumerate(sentences))
    return _Rewriting(text if written else None, len(written), tuple(refused.values()))


def _answers(
    question: Question[RewrittenSentences], said: str, number: int
) -> Sequence[str | Refusal]:
    """Read a reply: one sentence for each sentence given, or why it cannot be read."""
    try:
        found = [one.strip() for one in question.read(said).sentences]
    except ValueError as error:
        return [Refusal("reply", str(error))] * number
    if len(found) != number:
        return [Refusal("sentences", f"{number} were given and {len(found)} came back")] * number
    return found
