"""The case of a curation: a gene, a disease, and the articles on them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from gym_clinic.case import Case
from gym_clinic.domain import CallSpec
from gym_clinic.domains.clingen.blocks import AgentCall
from gym_clinic.domains.clingen.evidence import CATEGORIES, CLASSES, SUBTYPES, Category
from gym_clinic.domains.clingen.literature.edition import WrittenLiterature, read_literature
from gym_clinic.domains.clingen.naming import find_subtype
from gym_clinic.domains.clingen.rewriting.edition import Edition
from gym_clinic.episode import Task
from gym_clinic.errors import ConfigError, TaskError, ToolError
from gym_clinic.frozen import thaw
from gym_clinic.paths import tasks_dir
from gym_clinic.taskset import TaskFolder, TaskList, size_of

MASKED_GENE, MASKED_DISEASE = "GENE-X", "DISEASE-X"


class Curation(Case):
    """The case of one curation, for tools and sub-agents.

    Args:
        task: The task. Of its gold only the annotations of articles are kept, for the recorded
            sub-agents; the classification is not.
        genetics: Whether sub-agents are asked for human genetics too, as the matrix counts it.
        edition: In whose words simulated articles are read; their own by default.
    """

    def __init__(
        self, task: Task, *, genetics: bool = True, edition: Edition | None = None
    ) -> None:
        super().__init__(task.record)
        self.genetics = genetics
        self.edition = edition
        self.gene: str = task.record["gene"]
        self.disease: str = task.record["disease"]
        self.annotation: Sequence[Mapping[str, Any]] = task.gold["evidence"]
        self.human: Mapping[str, Mapping[str, Any]] = {
            item["pmid"]: item for item in task.gold.get("genetic", ())
        }
        self._articles = {article["pmid"]: article for article in task.record["articles"]}

    def article(self, pmid: str) -> Mapping[str, Any]:
        """Return an article by its PubMed id.

        Raises:
            ToolError: If the case has no such article.
        """
        if pmid not in self._articles:
            raise ToolError(f"no article {pmid[:40]!r} in this case; there are {[*self._articles]}")
        found: Mapping[str, Any] = self._articles[pmid]
        return found

    def sections(self, pmid: str) -> tuple[tuple[str, str], ...]:
        """Return heading and text of an article's sections.

        A simulated article is written from the records of its literature, always to the same bytes.
        """
        article = self.article(pmid)
        if "sections" in article:
            return tuple((part["title"], part["text"]) for part in article["sections"])
        written = literature_of(self).sections(pmid)
        if self.edition is not None:
            written = tuple((title, self.edition.text(text)) for title, text in written)
        mask = self.get("mask")
        if mask is None:
            return written
        hide = _hider(*mask)
        return tuple((hide(title), hide(text)) for title, text in written)

    def full_text(self, pmid: str) -> str:
        """Return title and sections of an article, with ``##`` headings."""
        parts = [f"# {self.article(pmid)['title']}"]
        parts += [f"## {title}\n{text}" for title, text in self.sections(pmid)]
        return "\n\n".join(parts)


def literature_of(record: Mapping[str, Any]) -> WrittenLiterature:
    """Return the literature of a simulated task, ready to be written."""
    return read_literature(orjson.dumps(record["literature"]), record["edition"])


def ticket(task: Task) -> str:
    """Compose the ticket: gene, disease, and title and abstract of each article."""
    record = task.record
    head = [f"Gene: {record['gene']}{_in_brackets(record.get('hgnc_id'))}"]
    head += [f"Disease: {record['disease']}{_in_brackets(record.get('mondo_id'))}"]
    head += [f"Inheritance: {record['inheritance']}"] if record.get("inheritance") else []
    head += ["", "Articles:"]
    for number, article in enumerate(record["articles"], 1):
        head += [
            "",
            f"[{number}] PMID: {article['pmid']} · PMCID: {article['pmcid']} · {article['year']}",
            f"Title: {article['title']}",
            f"Abstract: {article['abstract']}",
        ]
    return "\n".join(head)


def _in_brackets(identifier: str | None) -> str:
    return f" ({identifier})" if identifier else ""


def call_arguments(task: Task, article: Mapping[str, Any]) -> dict[str, str]:
    """Return the arguments of a call of any sub-agent on an article."""
    return {
        "pmid": article["pmid"],
        "pmcid": article["pmcid"],
        "gene": task.record["gene"],
        "disease": task.record["disease"],
    }


def every_call(task: Task) -> tuple[CallSpec, ...]:
    """Return the calls of all six sub-agents on all articles."""
    return tuple(
        (category.agent, call_arguments(task, article))
        for article in task.record["articles"]
        for category in CATEGORIES.values()
    )


def gold_calls(task: Task) -> list[AgentCall]:
    """Return the calls that the annotated evidence requires, without duplicates, in order."""
    articles = {article["pmid"]: article for article in task.record["articles"]}
    wanted: dict[AgentCall, None] = {}
    for item in task.gold["evidence"]:
        given = call_arguments(task, articles[item["pmid"]])
        agent = category_of(item["subtype"]).agent
        wanted[agent, given["pmid"], given["pmcid"], given["gene"], given["disease"]] = None
    return list(wanted)


def gold_evidence(task: Task) -> set[tuple[str, str]]:
    """Return the annotated (pmid, subtype label) pairs."""
    return {(item["pmid"], SUBTYPES[item["subtype"]].label) for item in task.gold["evidence"]}


def published_class(task: Task) -> str:
    """Return the published class of a task."""
    return str(task.gold["classification"])


def category_of(subtype: str) -> Category:
    """Return the category of a subtype key."""
    return CATEGORIES[SUBTYPES[subtype].category]


def mask(task: Task) -> Task:
    """Return a task with gene and disease replaced by placeholders in all texts.

    Of a simulated literature the name of the gene's product is hidden with the gene.
    """
    gene, disease = task.record["gene"], task.record["disease"]
    simulated = "literature" in task.record
    product = literature_of(task.record).literature.product if simulated else None
    names = (gene, disease, product)
    hide = _hider(*names)

    def walk(value: Any) -> Any:
        if isinstance(value, str):
            return hide(value)
        if isinstance(value, Mapping):
            return {
                name: thaw(item) if name == "literature" else walk(item)
                for name, item in value.items()
            }
        return [walk(item) for item in value] if isinstance(value, list | tuple) else value

    record = walk(task.record) | {
        "gene": MASKED_GENE,
        "disease": MASKED_DISEASE,
        "hgnc_id": "",
        "mondo_id": "",
        "panel": "",
        "mask": names,
    }
    gold = walk(task.gold) | {"classification": task.gold["classification"]}
    return Task(task.id, record, gold, provenance=task.provenance)


@lru_cache(maxsize=256)
def _hider(gene: str, disease: str, product: str | None) -> Callable[[str], str]:
    """Return a function that replaces the names, ignoring case.

    The gene goes in all its forms: of a mouse or a fish, of a copy in zebrafish (``gene1a``), or as
    part of a longer name.
    """
    diseases = "|".join(map(re.escape, dict.fromkeys((disease, _plain(disease)))))
    products = f"|{re.escape(product)}" if product else ""
    pattern = re.compile(
        rf"(?P<disease>{diseases})"
        rf"|(?<![A-Za-z0-9])[hmz]?(?:{re.escape(gene)}[ab]?{products})(?![A-Za-z0-9])",
        re.IGNORECASE,
    )
    return lambda text: pattern.sub(
        lambda found: MASKED_DISEASE if found["disease"] else MASKED_GENE, text
    )


def _plain(disease: str) -> str:
    """The name of a disease without the words after the last comma, as in running text."""
    return disease.rpartition(",")[0] or disease


def load_tasks(
    folder: str | None, *, masked_names: bool, edition: Edition | None = None
) -> Mapping[str, Sequence[Task]]:
    """Return the splits of a task folder: the embedded one, or one made by the importer.

    Args:
        folder: The folder; the embedded one by default.
        masked_names: Whether gene and disease are hidden.
        edition: In whose words abstracts are shown; their own by default.

    Raises:
        ConfigError: If `folder` is not the path of a task folder, or `masked_names` no boolean.
        TaskError: On the first reading of a split, if a task is not a curation.
    """
    if folder is not None and not isinstance(folder, str):
        raise ConfigError(f"folder is the path of a task folder, not {folder!r}")
    if not isinstance(masked_names, bool):
        raise ConfigError(f"masked_names is true or false, not {masked_names!r}")
    source = TaskFolder(Path(folder) if folder else tasks_dir("clingen"))
    return Splits(source, masked_names=masked_names, edition=edition)


def read_edition(path: str | None) -> Edition | None:
    """Read the edition that an option names, if it names one.

    Raises:
        ConfigError: If it is no path, or there is no edition.
    """
    if path is not None and not isinstance(path, str):
        raise ConfigError(f"edition is the path of a rewritten edition, not {path!r}")
    return None if path is None else Edition(Path(path))


class Splits(Mapping[str, TaskList]):
    """Splits whose tasks are checked, and masked on request, when first read.

    In train each class is equally likely to be drawn, although two published curations in three
    are Definitive.
    """

    def __init__(
        self,
        source: Mapping[str, Sequence[Task]],
        *,
        masked_names: bool,
        edition: Edition | None = None,
    ) -> None:
        self._source = source
        self._masked = masked_names
        self._edition = edition
        self._read: dict[str, TaskList] = {}

    def __getitem__(self, split: str) -> TaskList:
        if split not in self._read:
            tasks = tuple(with_subtype_keys(task) for task in self._source[split])
            for task in tasks:
                check(task)
            if self._edition is not None:
                tasks = tuple(_in_edition(split, tasks, self._edition))
            if self._masked:
                tasks = tuple(mask(task) for task in tasks)
            self._read[split] = TaskList(tasks, published_class if split == "train" else None)
        return self._read[split]

    def size(self, split: str) -> int:
        """Return the number of tasks of a split, without reading them."""
        return size_of(self._source, split)

    def __contains__(self, split: object) -> bool:
        return split in self._source

    def __iter__(self) -> Iterator[str]:
        return iter(self._source)

    def __len__(self) -> int:
        return len(self._source)


def _in_edition(split: str, tasks: Sequence[Task], edition: Edition) -> Iterator[Task]:
    """Yield tasks with their abstracts in the words of an edition."""
    articles = (article for task in tasks for article in task.record["articles"])
    if not any(edition.knows(article["abstract"]) for article in articles):
        raise ConfigError(
            f"{edition.path} holds no paragraph of the split {split!r}: the edition was made from "
            "another split or from other tasks"
        )
    for task in tasks:
        yield replace(task, record=edition.shown(task.record))


def with_subtype_keys(task: Task) -> Task:
    """Return a task whose evidence names subtypes by key, not as curators wrote them.

    Raises:
        TaskError: For an unknown subtype, with the task's id and the nearest name.
    """
    evidence = task.gold.get("evidence")
    names = [item.get("subtype") for item in evidence or () if isinstance(item, Mapping)]
    if not isinstance(evidence, tuple) or all(name in SUBTYPES for name in names):
        return task
    try:
        keys = [
            {**item, "subtype": find_subtype(item["subtype"]).key}
            if isinstance(item, Mapping) and isinstance(item.get("subtype"), str)
            else item
            for item in evidence
        ]
    except ConfigError as error:
        raise TaskError(f"task {task.id}: {error}") from None
    return replace(task, gold={**task.gold, "evidence": keys})


def check(task: Task) -> None:
    """Check that a task is a curation.

    Raises:
        TaskError: If it is not; the message gives the task's id and the field.
    """
    needs = {"gene", "disease", "articles"}
    if missing := sorted(needs - task.record.keys()):
        raise TaskError(f"task {task.id}: record lacks {missing}")
    if task.gold.get("classification") not in CLASSES:
        got = task.gold.get("classification")
        raise TaskError(f"task {task.id}: gold.classification is {got!r}; choose from {CLASSES}")
    pmids = set()
    for article in task.record["articles"]:
        fields = {"pmid", "pmcid", "year", "title", "abstract"}
        if missing := sorted(fields - article.keys()):
            raise TaskError(f"task {task.id}: an article lacks {missing}")
        if "sections" not in article and "literature" not in task.record:
            raise TaskError(f"task {task.id}: article {article['pmid']} has no text")
        pmids.add(article["pmid"])
    evidence = task.gold.get("evidence")
    if not isinstance(evidence, tuple):
        raise TaskError(f"task {task.id}: gold.evidence must be an array")
    for item in evidence:
        fields = {"pmid", "subtype", "summary"}
        missing = sorted(fields - item.keys()) if isinstance(item, Mapping) else sorted(fields)
        if missing:
            raise TaskError(f"task {task.id}: an item of evidence lacks {missing}")
        if item["pmid"] not in pmids:
            raise TaskError(
                f"task {task.id}: evidence from {item['pmid']!r}, not one of its articles"
            )
        if item["subtype"] not in SUBTYPES:
            raise TaskError(
                f"task {task.id}: unknown subtype {item['subtype']!r}; choose from {[*SUBTYPES]}"
            )
