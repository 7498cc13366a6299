"""Rewrites the paragraphs of simulated articles with a chat model and keeps what is accepted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

import orjson
from pydantic import BaseModel, Field

from gym_clinic.consult import ChatClient, Question, read_prompt
from gym_clinic.domains.clingen.curation import literature_of, load_tasks
from gym_clinic.domains.clingen.rewriting.edition import EditionFile, key_of, paragraphs
from gym_clinic.domains.clingen.rewriting.readback import FactReader, Refusal
from gym_clinic.episode import Task

PROMPT_FILE = Path(__file__).with_name("prompt.md")
ATTEMPTS = 2
"""Replies to one paragraph; the second is asked for with what was wrong in the first."""

NOT_PROSE = ("References",)
"""Sections that are left as they are."""

_HEAD = re.compile(r"(?:(?:Figure|Table) \d+\w?\. |[A-Z][a-z]+(?: [a-z]+)?: )?")
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z0-9(])")


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
        accepted: Paragraphs whose rewriting says the same.
        refused: Why templates stayed -> how many.
        examples: Why templates stayed -> one of the refusals.
    """

    tasks: int = 0
    kept: int = 0
    accepted: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)


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

    Each paragraph is kept as soon as it is judged, so that an interrupted run goes on where it
    stopped.

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
    known = {**file.edition.texts, **file.edition.refused}
    wanted = dict.fromkeys(_prose(task))
    open_ones = [one for one in wanted if key_of(one) not in known]
    report.kept += len(wanted) - len(open_ones)
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="gym-clinic")
    try:
        asked = {pool.submit(_rewritten, client, reader, one): one for one in open_ones}
        for future in as_completed(asked):
            source, answer = asked[future], future.result()
            if isinstance(answer, Refusal):
                file.refuse(source, str(answer))
                report.refused[answer.kind] += 1
                report.examples.setdefault(answer.kind, answer.detail)
            else:
                file.accept(source, answer)
                report.accepted += 1
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


def _rewritten(client: ChatClient, reader: FactReader, paragraph: str) -> str | Refusal:
    """Return a paragraph in the words of the model, or why they were refused."""
    found = _HEAD.match(paragraph)
    head = found[0] if found else ""
    sentences = _SENTENCE.split(paragraph[len(head) :])
    kept = dict.fromkeys(fact for one in sentences for fact in reader.kept(one))
    question = Question(
        "rewriter",
        read_prompt(PROMPT_FILE),
        {"names": "; ".join(kept) or "none", "sentences": orjson.dumps(sentences).decode()},
        RewrittenSentences,
    )
    messages = question.messages()
    refused = Refusal("reply", "there was none")
    for _ in range(ATTEMPTS):
        said = client.complete(messages).text
        try:
            written = [one.strip() for one in question.read(said).sentences]
        except ValueError as error:
            refused = Refusal("reply", str(error))
        else:
            difference = reader.difference(sentences, written)
            if difference is None:
                return head + " ".join(written)
            refused = difference
        again = f"Refused, {refused}. Answer again."
        messages += [
            {"role": "assistant", "content": said},
            {"role": "user", "content": again},
        ]
    return refused
