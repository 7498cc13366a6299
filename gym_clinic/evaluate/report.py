"""A summary for people: the same tables in a terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gym_clinic.errors import ConfigError
from gym_clinic.evaluate.intervals import Interval, Spread
from gym_clinic.evaluate.summary import Summary

if TYPE_CHECKING:
    from rich.console import JustifyMethod
    from rich.table import Table

FAILURES = 20
"""Maximum number of failed episodes in a report."""


@dataclass(frozen=True)
class Grid:
    """A table of text.

    Attributes:
        title: Its heading.
        columns: The headings of the columns.
        rows: The cells.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """Return the table in Markdown."""
        lines = [
            _line(self.columns),
            _line(("---", *("---:" for _ in self.columns[1:]))),
            *map(_line, self.rows),
        ]
        return f"## {self.title}\n\n" + "\n".join(lines) + "\n"

    def rich(self, *, figures: bool = True) -> Table:
        """Return the table for a rich console.

        Args:
            figures: All columns but the first hold figures, which are aligned to the right.
        """
        from rich.box import SIMPLE_HEAD
        from rich.table import Table
        from rich.text import Text

        table = Table(
            title=Text(self.title), title_justify="left", header_style="bold", box=SIMPLE_HEAD,
            padding=(0, 1, 0, 0),
        )  # fmt: skip
        for number, column in enumerate(self.columns):
            justify: JustifyMethod = "right" if figures and number else "left"
            head = Text(column.replace("_", " "))  # so that a long heading breaks between words
            table.add_column(head, justify=justify, overflow="fold")
        for row in self.rows:
            table.add_row(*map(Text, row))
        return table


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
                tuple((name, _mean(one), _ends(one)) for name, one in summary.balanced.items()),
            )
        )
    if summary.trials > 1:
        grids.append(
            Grid(
                "Over several trials of a task",
                ("k", "pass@k", "95% interval", "pass^k", "95% interval "),
                tuple(
                    (k, _mean(one), _ends(one), _mean(every), _ends(every))
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
                ("failed by a service, not scored", f"{summary.errors:,}"),
                *((f"ended: {stop}", f"{number:,}") for stop, number in summary.stops.items()),
                *((f"used: {name}", f"{amount:,}") for name, amount in summary.usage.items()),
            ),
        )
    )
    return grids


def failures(summary: Summary) -> Grid:
    """Return the table of the episodes that a service failed; at most the first 20."""
    return Grid(
        f"Failed by a service: {summary.errors:,} of {summary.episodes:,} episodes, not scored",
        ("task", "trial", "error"),
        tuple(
            (failed["task_id"], str(failed["trial"]), failed["error"])
            for failed in summary.failures[:FAILURES]
        ),
    )


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


def compare(summaries: Sequence[Summary]) -> Grid:
    """Return one table of several runs, a row for each.

    Args:
        summaries: The runs, in the order of the rows.

    Raises:
        ConfigError: If runs of one id and split differ in tasks or scoring.
    """
    known: dict[tuple[str, str], str] = {}
    for one in summaries:
        if (data := known.setdefault((one.id, one.split), one.data)) != one.data:
            raise ConfigError(
                f"{one.policy} on {one.id}, {one.split} was run with the data {one.data}, others "
                f"with {data}: tasks or scoring differ; run them again with the same"
            )
    ids = list(dict.fromkeys(summary.id for summary in summaries))
    metrics = list(dict.fromkeys(name for summary in summaries for name in summary.metrics))
    errors = any(summary.errors for summary in summaries)
    rows = []
    for one in summaries:
        name = one.policy if len(ids) == 1 else f"{one.policy}, {one.id}"
        rows.append(
            (
                name,
                f"{one.episodes:,}",
                *((f"{one.errors:,}",) if errors else ()),
                _mean(one.reward),
                _mean(one.scaled),
                _ends(one.scaled),
                _mean(one.success),
                *(_mean(one.metrics.get(metric, Interval())) for metric in metrics),
            )
        )
    return Grid(
        f"Policies on {', '.join(ids)}",
        (
            "policy",
            "episodes",
            *(("errors",) if errors else ()),
            "reward",
            "scaled",
            "95% interval",
            "success",
            *metrics,
        ),
        tuple(rows),
    )


def _cells(interval: Interval) -> tuple[str, ...]:
    ends = (interval.min, interval.max) if isinstance(interval, Spread) else (None, None)
    return (_mean(interval), _ends(interval), *("" if e is None else _show(e) for e in ends))


def _mean(interval: Interval) -> str:
    return "–" if interval.mean is None else _show(interval.mean)


def _ends(interval: Interval) -> str:
    if interval.low is None or interval.high is None:
        return "–"
    return f"{_show(interval.low)} to {_show(interval.high)}"


def _show(value: float) -> str:
    return f"{value:.3f}"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
