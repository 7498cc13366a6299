"""An experiment in words: methods, results, a table."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from gym_clinic.domains.clingen.literature.prose.labels import shorten
from gym_clinic.domains.clingen.literature.prose.pools import ArticleWriter
from gym_clinic.domains.clingen.literature.prose.style import AuthorStyle
from gym_clinic.domains.clingen.literature.records import Experiment

_PROTOCOLS: dict[str, list[tuple[str, str]]] = json.loads(
    (Path(__file__).parent / "protocols.json").read_text(encoding="utf-8")
)
_IN_TEXT = re.compile(r"[,;] (?:see )?(?:Figure|Table) \d+| \((?:Figure|Table) \d+\)")


def protocol_pools(result: Experiment) -> list[str]:
    """Return the pools on how the material was made and how the measure was taken."""
    made = (pool for start, pool in _PROTOCOLS["designs"] if result.design.startswith(start))
    measure = result.measure.casefold()
    taken = (pool for words, pool in _PROTOCOLS["measures"] if words in measure)
    return [pool for pool in (next(made, None), next(taken, None)) if pool]


def without_figures(writer: ArticleWriter, pool: str, facts: dict[str, str]) -> str:
    """Write a sentence for an abstract, where there are no figures and tables."""
    text = ""
    for _ in range(6):
        text = _IN_TEXT.sub("", writer.tell(pool, **facts))
        if not re.search(r"Figure|Table", text):
            break
    return text


def methods_of(
    writer: ArticleWriter, result: Experiment, facts: dict[str, str], short: bool
) -> str:
    """Write how an experiment was done."""
    pools = [pool for pool in protocol_pools(result) if not writer.begun(pool)]
    said = [writer.tell(pool, **facts) for pool in pools for _ in range(1 if short else 2)]
    if "control" in facts:
        said.append(writer.tell("control_methods", **facts))
    said.append(writer.tell("assay_general", **facts))
    if not short:
        said.append(writer.tell("assay_general", **facts))
    return shorten(" ".join(filter(None, said)), [result])


def experiment_paragraph(
    writer: ArticleWriter, result: Experiment, facts: dict[str, str], short: bool
) -> str:
    """Write what an experiment showed."""
    counted = result.arms[0].count is not None
    said = [writer.tell("result_lead", **facts)]
    said.append(writer.tell("counts_main" if counted else "result_main", **facts))
    for _ in range(1 if short else 2 if "control" in facts else 3):
        more = writer.tell("result_after", **facts)
        if facts["effect"] not in more or facts["effect"] not in said[1]:
            said.append(more)
    if "more" in facts:
        said.append(writer.tell("result_more", **facts))
    if "control" in facts:
        said.append(writer.tell("result_control", **facts))
    return shorten(" ".join(filter(None, said)), [result])


def results_table(
    writer: ArticleWriter, results: Sequence[Experiment], style: AuthorStyle, number: int
) -> str:
    """Write a table of all experiments of an article, with the groups that control them."""
    controls = any(arm.role == "control" for one in results for arm in one.arms)
    heads = ["measure", "group", "reference", "p"] + ["control"] * controls
    rows = [
        f"Table {number}. {writer.tell('table_results')}",
        _row(writer, *heads),
        "|---" * len(heads) + "|",
    ]
    for result in results:
        cells = {
            arm.role: f"{arm.label}: {style.value(arm, result.unit)} ({arm.n})"
            for arm in result.arms
        }
        row = [result.measure, cells["test"], cells["reference"]]
        row += [style.p_value(result.comparison.p)] + [cells.get("control", "–")] * controls
        rows.append(f"| {' | '.join(row)} |")
    return "\n".join(rows)


def _row(writer: ArticleWriter, *columns: str) -> str:
    return f"| {' | '.join(writer.clause(f'head_{one}') for one in columns)} |"
