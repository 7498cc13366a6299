"""Draws the training curves of several runs as one picture."""

from __future__ import annotations

import importlib
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gym_clinic.errors import ConfigError
from gym_clinic.files import replace_file
from gym_clinic.viewer.runs import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


@dataclass(frozen=True)
class CurvePanel:
    """One of the curves.

    Attributes:
        title: What it shows.
        metrics: Names it may be logged under; the first that a run has is drawn.
        share: Whether it lies between 0 and 1.
    """

    title: str
    metrics: tuple[str, ...]
    share: bool = False

    def metric(self, run: Run) -> str | None:
        """Return the metric that is drawn of a run; None if it has none."""
        return next((name for name in self.metrics if name in run.metrics), None)


PANELS = (
    CurvePanel("Reward", ("clinic/score/mean", "critic/score/mean")),
    CurvePanel("KL", ("ttopd/kl", "actor/ppo_kl")),
    CurvePanel("Response length, tokens", ("clinic/response_tokens/mean", "response_length/mean")),
    CurvePanel("Turns", ("clinic/turns/mean", "num_turns/mean")),
    CurvePanel("Clip ratio", ("clinic/clip_ratio", "response_length/clip_ratio"), share=True),
    CurvePanel("Mixed fraction", ("clinic/mixed_fraction",), share=True),
)

_EVALUATION = re.compile(r"val-(?:core/(.+)/acc|aux/(.+)/success)/mean@(\d+)")

# Okabe and Ito's colours, which people who see few colours can tell apart as well.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555")
_DASHES: tuple[Any, ...] = ("solid", (0, (4, 1.5)))
_MARKERS = "osD^vP"
_GREY = "#666666"
_LONGEST = 44  # characters of a name

_MARKED = 30
"""Points up to which each is marked."""

_SMOOTHED = 60
"""Points from which on a running mean is drawn over the single steps."""

_STYLE: dict[str, Any] = {
    "font.size": 12,
    "axes.titlesize": 14,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.edgecolor": "#bbbbbb",
    "axes.labelcolor": _GREY,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#e6e6e6",
    "xtick.color": _GREY,
    "ytick.color": _GREY,
    "legend.frameon": False,
}


def draw(runs: Sequence[Run], out: str | Path, title: str | None = None) -> None:
    """Draw the training curves of one or more runs, overlaid, a colour each.

    Six panels: reward, KL, response length, turns, clip ratio, mixed fraction; a seventh with
    the success on evaluation tasks where any was logged. From 60 points on, a running mean is
    drawn over the single steps.

    Args:
        runs: The runs; their names are the labels of the legend.
        out: The PNG file; written beside and then put in its place.
        title: A line above the picture; without one, none.

    Raises:
        ConfigError: If matplotlib is missing, the file is no ``.png``, or no run has a metric
            to draw.
    """
    out = Path(out)
    if out.suffix.lower() != ".png":
        raise ConfigError(f"the picture is a .png file, not {out.name!r}")
    try:
        matplotlib: Any = importlib.import_module("matplotlib")
    except ImportError:
        raise ConfigError('drawing needs matplotlib: pip install "gym_clinic[plot]"') from None
    if not any(evaluations(run) or any(panel.metric(run) for panel in PANELS) for run in runs):
        known = [name for panel in PANELS for name in panel.metrics]
        names = ", ".join(run.name for run in runs) or "no run"
        raise ConfigError(f"{names}: nothing to draw; expected one of the metrics {known}")
    picture = io.BytesIO()
    # Whatever style the caller or their matplotlibrc has chosen, the picture is the same.
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **_STYLE}):
        _figure(runs, title).savefig(picture, format="png", dpi=110)
    replace_file(out, [picture.getvalue()])


def evaluations(run: Run) -> dict[str, str]:
    """Return data source -> the metric that holds the success on its evaluation tasks.

    verl logs ``val-core/<source>/acc/mean@N`` or, where the environment names it,
    ``val-aux/<source>/success/mean@N``; of several, the first kind and the largest N.
    """
    found: dict[str, tuple[bool, int, str]] = {}
    for name in run.metrics:
        if match := _EVALUATION.fullmatch(name):
            core, other, samples = match.groups()
            rank = (core is not None, int(samples), name)
            source = core or other
            found[source] = max(rank, found.get(source, rank))
    return {source: found[source][2] for source in sorted(found)}


def _figure(runs: Sequence[Run], title: str | None) -> Figure:
    # Without pyplot: no display is asked for, and no global state is left behind.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    tested = any(map(evaluations, runs))
    columns = 4 if tested else 3
    figure = Figure(figsize=(4.8 * columns, 8.4), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    colours = _colours(len(runs))
    axes: list[Axes] = list(figure.subplots(2, columns, sharex=True).ravel())
    smoothed = [_draw_panel(*one, runs, colours) for one in zip(axes, PANELS, strict=False)]
    labels = [_label(run.name) for run in runs]
    keys = [_key(colour) for colour in colours]
    if any(smoothed):
        labels += ["one step", "running mean"]
        keys += [_key(_GREY, 1, 0.6), _key(_GREY, 3)]
    if tested:
        _draw_evaluations(axes[-2], runs, colours)
        axes[-1].set_axis_off()
        axes[-1].legend(keys, labels, loc="center", fontsize=14, labelspacing=0.9)
    else:
        ncols = min(len(keys), 5)
        figure.legend(keys, labels, loc="outside lower center", ncols=ncols, fontsize=14)
    if title is not None:
        figure.suptitle(_label(title, 200), x=0.02, ha="left", fontsize=18, fontweight="bold")
    return figure


def _draw_panel(axis: Axes, panel: CurvePanel, runs: Sequence[Run], colours: Sequence[str]) -> bool:
    """Draw a panel; return whether a running mean was drawn."""
    found = {panel.metric(run) for run in runs}
    names = [name for name in panel.metrics if name in found]
    smoothed = False
    for run, colour in zip(runs, colours, strict=True):
        name = panel.metric(run)
        if name is not None:
            # Runs that log the second choice are told apart from those that log the first.
            smoothed |= _line(axis, *run.series(name), colour, _DASHES[names.index(name)])
    _finish(axis, panel.title, ", dashed: ".join(names))
    if not names:
        axis.set_yticks([])
        axis.text(0.5, 0.5, "not logged", transform=axis.transAxes, ha="center", color=_GREY)
    elif panel.share:
        axis.set_ylim(-0.03, 1.03)
    return smoothed


def _draw_evaluations(axis: Axes, runs: Sequence[Run], colours: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    sources = sorted({source for run in runs for source in evaluations(run)})
    markers = {source: _MARKERS[place % len(_MARKERS)] for place, source in enumerate(sources)}
    for run, colour in zip(runs, colours, strict=True):
        for source, metric in evaluations(run).items():
            axis.plot(
                *run.series(metric), color=colour, marker=markers[source], markersize=8,
                markeredgecolor="white", linewidth=1.2,
            )  # fmt: skip
    _finish(axis, "Evaluation success", _label(sources[0]) if len(sources) == 1 else "")
    axis.set_ylim(-0.03, 1.03)
    if len(sources) > 1:
        keys = [Line2D([], [], color=_GREY, marker=one, linestyle="") for one in markers.values()]
        axis.legend(keys, map(_label, sources), fontsize=11)


def _line(axis: Axes, steps: list[int], values: list[float], colour: str, dash: Any) -> bool:
    """Draw a curve; return whether a running mean was drawn over it."""
    import numpy as np

    if len(steps) < _SMOOTHED:
        marker = "o" if len(steps) <= _MARKED else ""
        axis.plot(
            steps, values, color=colour, linestyle=dash, linewidth=2, marker=marker, markersize=5
        )
        return False
    width = max(3, len(steps) // 25) | 1  # odd, so that a mean stands at the middle of its points
    mean = np.convolve(values, np.full(width, 1 / width), mode="valid")
    middle = steps[width // 2 : width // 2 + len(mean)]
    axis.plot(steps, values, color=colour, linestyle=dash, linewidth=0.8, alpha=0.35)
    axis.plot(middle, mean, color=colour, linestyle=dash, linewidth=2.4)
    return True


def _finish(axis: Axes, title: str, note: str) -> None:
    from matplotlib.ticker import MaxNLocator

    axis.set_title(title, pad=23)
    axis.annotate(
        note, (0, 1), xytext=(0, 7), xycoords="axes fraction", textcoords="offset points",
        color=_GREY, fontsize=9,
    ).set_in_layout(False)  # fmt: skip
    axis.set_xlabel("step")
    axis.tick_params(labelbottom=True)
    axis.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True, min_n_ticks=1))


def _key(colour: str, width: float = 4, alpha: float = 1) -> Line2D:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, linewidth=width, alpha=alpha)


def _colours(number: int) -> list[str]:
    if number <= len(_COLOURS):
        return list(_COLOURS[:number])
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    return [to_hex(colormaps["turbo"](place / (number - 1))) for place in range(number)]


def _label(text: str, longest: int = _LONGEST) -> str:
    """Return a name as it is drawn: in one line, not too long, and never read as a formula."""
    line = " ".join(text.split())
    if len(line) > longest:
        half = (longest - 1) // 2
        line = f"{line[:half]}…{line[-half:]}"
    # matplotlib reads $…$ as a formula, and leaves names that begin with _ out of a legend.
    return f" {line}".replace("$", r"\$") if line.startswith("_") else line.replace("$", r"\$")
