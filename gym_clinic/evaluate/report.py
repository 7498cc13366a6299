"""A summary for people: the same tables in a terminal and in Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gym_clinic.domain import Table
from gym_clinic.errors import ConfigError
from gym_clinic.evaluate.intervals import Interval, Spread
from gym_clinic.evaluate.summary import Summary
from gym_clinic.names import suggest

if TYPE_CHECKING:
    from rich.console import JustifyMethod
    from rich.table import Table as RichTable

FAILURES = 20
"""Maximum number of causes of failures in a report."""

FIXED = (
    "success", "reward", "failed", "episodes", "success_interval", "scaled", "scaled_interval",
    "turns", "calls",
)  # fmt: skip
"""Columns of a comparison that every run has, beside the parts of the reward and metrics."""

NONE = "–"
"""Cell of a figure without a value."""

LONGEST_WORD = 60
"""Characters of a word that no table breaks."""

GAP = 2
"""Spaces between two columns."""


class Grid(Table):
    """A table that is printed in a given width, or written as Markdown."""

    def markdown(self) -> str:
        """Return the table in Markdown."""
        lines = [
            _line(self.columns),
            _line(("---", *("---:" for _ in self.columns[1:]))),
            *map(_line, self.rows),
        ]
        return f"## {self.title}\n\n" + "\n".join(lines) + "\n"

    def widths(self, width: int) -> list[int]:
        """Return the width of each column such that the table fits and no word is broken.

        Args:
            width: Characters of a line; a table of longer words is wider.
        """
        columns = [
            [heading.replace("_", " "), *(row[number] for row in self.rows)]
            for number, heading in enumerate(self.columns)
        ]
        # A heading breaks between words, a figure such as "0.1 to 0.2" does not.
        least = [min(longest_word(cells), LONGEST_WORD) for cells in columns]
        most = [max(len(line) for cell in cells for line in cell.split("\n")) for cells in columns]
        spare = width - sum(least) - GAP * (len(columns) - 1)
        widths = list(least)
        by_need = sorted(range(len(columns)), key=lambda number: most[number] - least[number])
        for place, number in enumerate(by_need):
            share = max(0, spare) // (len(columns) - place)
            widths[number] += min(most[number] - least[number], share)
            spare -= widths[number] - least[number]
        return widths

    def rich(self, width: int, *, figures: bool = True) -> RichTable:
        """Return the table without its title for a rich console.

        Args:
            width: Characters of a line.
            figures: All columns but the first hold figures, which are aligned to the right.
        """
        from rich.box import SIMPLE_HEAD
        from rich.table import Table as RichTable
        from rich.text import Text

        table = RichTable(
            header_style="bold", box=SIMPLE_HEAD, padding=(0, GAP - 1, 0, 0), show_edge=False,
            pad_edge=False,
        )  # fmt: skip
        for number, (column, size) in enumerate(zip(self.columns, self.widths(width), strict=True)):
            justify: JustifyMethod = "right" if figures and number else "left"
            head = column.replace("_", " ")  # so that a long heading breaks between words
            table.add_column(Text(head), justify=justify, overflow="fold", width=size)
        for row in self.rows:
            table.add_row(*map(Text, row))
        return table

    def parts(self, width: int) -> list[Grid]:
        """Return the table in parts that fit a width, each with the first column.

        Args:
            width: Characters of a line; a part has at least two columns, even where they are wider.
        """
        sizes = [
            max(map(len, (*(row[number] for row in self.rows), *column.split("_")))) + GAP
            for number, column in enumerate(self.columns)
        ]
        chosen: list[list[int]] = []
        room = 0
        for number, size in enumerate(sizes[1:], 1):
            if not chosen or size > room:
                chosen.append([])
                room = width - sizes[0] + GAP  # none after the last
            chosen[-1].append(number)
            room -= size
        parts = [
            Grid(
                self.title if not place else f"{self.title}, continued",
                tuple(self.columns[number] for number in (0, *numbers)),
                tuple(tuple(row[number] for number in (0, *numbers)) for row in self.rows),
            )
            for place, numbers in enumerate(chosen)
        ]
        return parts or [self]


def longest_word(texts: Iterable[str]) -> int:
    """Return the length of the longest word, which no line should break."""
    return max((len(word) for text in texts for word in text.split()), default=0)


def tables(summary: Summary) -> list[Grid]:
    """Return the tables of one run."""
    low, high = summary.reward_range
    figures: list[tuple[str, Interval]] = [
        (f"reward (declared {low:g} to {high:g})", summary.reward),
        ("scaled reward", summary.scaled),
        ("success", summary.success),
        *((f"reward part: {name}", interval) for name, interval in summary.rewards.items()),
        *summary.metrics.items(),
        ("turns", summary.turns),
        ("calls", summary.calls),
    ]
    grids = [
        Grid(
            f"{summary.policy} on {summary.id}, {summary.split}",
            ("figure", "mean", "95% interval", "min", "max"),
            tuple((name, *_cells(interval)) for name, interval in figures),
        )
    ]
    if summary.balanced:
        grids.append(
            Grid(
                f"Means of {len(summary.classes)} classes, each of the same weight",
                ("figure", "mean", "95% interval"),
                tuple(
                    (name, mean_cell(one), range_cell(one))
                    for name, one in summary.balanced.items()
                ),
            )
        )
    if summary.trials > 1:
        grids.append(
            Grid(
                "Over several trials of a task",
                ("k", "pass@k", "95% interval", "pass^k", "95% interval "),
                tuple(
                    (k, mean_cell(one), range_cell(one), mean_cell(every), range_cell(every))
                    for (k, one), every in zip(
                        summary.pass_at_k.items(), summary.pass_hat_k.values(), strict=True
                    )
                ),
            )
        )
    grids.append(
        Grid(
            "Episodes",
            ("what", "number"),
            (
                ("tasks", f"{summary.tasks:,}"),
                *((f"of class {name}", f"{n:,}") for name, n in summary.classes.items()),
                ("trials of each", f"{summary.trials:,}"),
                ("episodes", f"{summary.episodes:,}"),
                *_failed(summary),
                *((f"ended: {stop}", f"{number:,}") for stop, number in summary.stops.items()),
                *((f"used: {name}", f"{amount:,}") for name, amount in summary.usage.items()),
            ),
        )
    )
    return grids


def _failed(summary: Summary) -> list[tuple[str, str]]:
    """Return how many episodes failed, by whose mistake."""
    by = Counter(str(failed["failed_by"]) for failed in summary.failures)
    rows = [("failed by a service, not scored", f"{by['service']:,}")]
    if by["policy"]:
        rows.append(("failed by an exception of the policy, not scored", f"{by['policy']:,}"))
    return rows


def failures(summary: Summary) -> Grid:
    """Return the causes of failed episodes, the most frequent first.

    Errors that differ in numbers only (a port, a count, a time) are one cause.
    """
    causes: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for failed in summary.failures:
        kind = re.sub(r"\d+", "#", str(failed["error"]))
        causes.setdefault((str(failed["failed_by"]), kind), []).append(failed)
    ordered = sorted(causes.items(), key=lambda cause: -len(cause[1]))
    return Grid(
        f"Failed: {summary.errors:,} of {summary.episodes:,} episodes, not scored",
        ("episodes", "failed by", "error", "first task", "trial"),
        tuple(
            (f"{len(all_of_it):,}", by, str(all_of_it[0]["error"]), str(all_of_it[0]["task_id"]),
             str(all_of_it[0]["trial"]))
            for (by, _), all_of_it in ordered[:FAILURES]
        ),
    )  # fmt: skip


def markdown(summary: Summary) -> str:
    """Return the report of one run in Markdown."""
    options = "".join(
        f"- {what}: `{dict(values)}`\n"
        for what, values in (
            ("Environment options", summary.env_options),
            ("Policy options", summary.policy_options),
        )
        if values
    )
    head = (
        f"# {summary.policy} on {summary.id}\n\n"
        f"- Split: {summary.split}, data {summary.data}, gym_clinic {summary.version}, "
        f"seed {summary.seed}\n{options}"
        "- Intervals: 95%, bootstrap over tasks\n"
    )
    grids = [*tables(summary), *([failures(summary)] if summary.errors else [])]
    return "\n".join([head, *(grid.markdown() for grid in grids)])


def compare(summaries: Sequence[Summary], columns: Sequence[str] | None = None) -> Grid:
    """Return one table of several runs, a row for each: success, reward and its parts first.

    Args:
        summaries: The runs, in the order of the rows.
        columns: The columns instead of all, in this order.

    Raises:
        ConfigError: If runs of one id and split differ in tasks or scoring, or there is no such
            column.
    """
    known: dict[tuple[str, str], str] = {}
    for summary in summaries:
        data = known.setdefault((summary.id, summary.split), summary.data)
        if data != summary.data:
            raise ConfigError(
                f"{summary.policy} on {summary.id}, {summary.split} was run with the data "
                f"{summary.data}, others with {data}: tasks or scoring differ; run them again "
                "with the same"
            )
    ids = list(dict.fromkeys(summary.id for summary in summaries))
    rows = [_figures(summary) for summary in summaries]
    names = list(dict.fromkeys(name for row in rows for name in row))
    for column in columns or ():
        if column not in names:
            raise ConfigError(f"no column {column!r}; {suggest(column, names)}")
    chosen = list(names if columns is None else dict.fromkeys(columns))
    return Grid(
        f"Policies on {', '.join(ids)}",
        ("policy", *chosen),
        tuple(
            (
                summary.policy if len(ids) == 1 else f"{summary.policy}, {summary.id}",
                *(row.get(name, NONE) for name in chosen),
            )
            for summary, row in zip(summaries, rows, strict=True)
        ),
    )


def first_columns(summaries: Sequence[Summary]) -> list[str]:
    """Return the columns that a comparison shows first: success, reward and its parts."""
    parts = dict.fromkeys(name for summary in summaries for name in summary.rewards)
    failed = ["failed"] if any(summary.errors for summary in summaries) else []
    return ["success", "reward", *map(_part, parts), *failed]


def _part(name: str) -> str:
    """Return the column of a part of the reward."""
    return f"part_{name}" if name in FIXED else name


def _figures(summary: Summary) -> dict[str, str]:
    """Return the figures of a run by column."""
    fixed = dict(
        zip(
            FIXED,
            (
                mean_cell(summary.success), mean_cell(summary.reward), f"{summary.errors:,}",
                f"{summary.episodes:,}", range_cell(summary.success), mean_cell(summary.scaled),
                range_cell(summary.scaled), mean_cell(summary.turns), mean_cell(summary.calls),
            ),
            strict=True,
        )
    )  # fmt: skip
    parts = {_part(name): mean_cell(interval) for name, interval in summary.rewards.items()}
    figures = {name: fixed.pop(name) for name in ("success", "reward")} | parts | fixed
    for name, interval in summary.metrics.items():
        figures[f"metric_{name}" if name in figures else name] = mean_cell(interval)
    return figures


def _cells(interval: Interval) -> tuple[str, ...]:
    ends = (interval.min, interval.max) if isinstance(interval, Spread) else (None, None)
    return (
        mean_cell(interval),
        range_cell(interval),
        *("" if e is None else _show(e) for e in ends),
    )


def mean_cell(interval: Interval) -> str:
    """Return the mean of an interval as a cell."""
    return NONE if interval.mean is None else _show(interval.mean)


def range_cell(interval: Interval) -> str:
    """Return the ends of an interval as a cell."""
    if interval.low is None or interval.high is None:
        return NONE
    return f"{_show(interval.low)} to {_show(interval.high)}"


def _show(value: float) -> str:
    return f"{value:.3f}"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
