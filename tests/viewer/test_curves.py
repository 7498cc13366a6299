"""The training curves: what is drawn of which run, and what becomes of the file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from places import ROOT

from gym_clinic import ConfigError
from gym_clinic.cli import main
from gym_clinic.viewer.curves import PANELS, draw, evaluations
from gym_clinic.viewer.runs import Run

pytest.importorskip("matplotlib")

CLINIC = {
    "clinic/score/mean": 1.0, "ttopd/kl": 2.0, "clinic/response_tokens/mean": 3.0,
    "clinic/turns/mean": 4.0, "clinic/clip_ratio": 0.5, "clinic/mixed_fraction": 0.6,
}  # fmt: skip
VERL = {
    "critic/score/mean": 11.0, "actor/ppo_kl": 12.0, "response_length/mean": 13.0,
    "num_turns/mean": 14.0, "response_length/clip_ratio": 0.15,
}  # fmt: skip
VALUE = "val-aux/clinic/ClinGen-v0/success/mean@4"


def a_run(name: str, *metrics: dict[str, float], steps: int = 3) -> Run:
    return Run(
        name,
        {
            step: {key: value + step / 100 for one in metrics for key, value in one.items()}
            for step in range(1, steps + 1)
        },
    )


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Collects every figure that is saved, and saves it small and without a layout: quicker."""
    from matplotlib.figure import Figure

    figures: list[Any] = []
    save = Figure.savefig

    def keep(self: Figure, *args: Any, **kwargs: Any) -> None:
        figures.append(self)
        self.set_layout_engine("none")
        save(self, *args, **{**kwargs, "dpi": 12})

    monkeypatch.setattr(Figure, "savefig", keep)
    return figures


def panels(figure: Any) -> dict[str, Any]:
    return {axis.get_title(loc="left"): axis for axis in figure.axes}


def values(axis: Any) -> list[list[float]]:
    return [list(line.get_ydata()) for line in axis.lines]


def test_the_first_metric_that_a_run_has_is_drawn(drawn: list[Any], tmp_path: Path) -> None:
    draw([a_run("both", CLINIC, VERL), a_run("verl", VERL)], tmp_path / "c.png")
    found = panels(drawn[0])
    assert list(found) == [panel.title for panel in PANELS]
    for panel in PANELS:
        logged = [CLINIC[panel.metrics[0]]]
        if len(panel.metrics) > 1:  # a second choice, which is drawn dashed
            logged.append(VERL[panel.metrics[1]])
            assert [line.get_linestyle() for line in found[panel.title].lines] == ["-", "--"]
        expected = [[value + step / 100 for step in (1, 2, 3)] for value in logged]
        assert values(found[panel.title]) == expected
    assert {axis.get_xlabel() for axis in found.values()} == {"step"}


def test_a_run_keeps_its_colour_and_its_name(drawn: list[Any], tmp_path: Path) -> None:
    names = ["grpo", "_ttopd", "costs $5 and $6", *(f"run {number}" for number in range(5))]
    for number in (2, 8):
        runs = [a_run(name, CLINIC, {VALUE: 0.1}) for name in names[:number]]
        draw(runs, tmp_path / "c.png", title="$")
        *panels_drawn, last = drawn[-1].axes
        colours = [[line.get_color() for line in axis.lines] for axis in panels_drawn]
        assert len(panels_drawn) == 7
        assert len(set(colours[0])) == number
        assert all(one == colours[0] for one in colours)
        legend = last.get_legend()
        assert [line.get_color() for line in legend.get_lines()] == colours[0]
        shown = [text.get_text().strip().replace("\\", "") for text in legend.get_texts()]
        assert shown == names[:number]


def test_a_metric_that_is_not_logged_is_labelled(drawn: list[Any], tmp_path: Path) -> None:
    draw([a_run("verl", VERL)], tmp_path / "c.png")
    assert not panels(drawn[0])["Mixed fraction"].lines
    assert [text.get_text() for text in panels(drawn[0])["Mixed fraction"].texts][-1] == (
        "not logged"
    )
    assert [line.get_linestyle() for line in panels(drawn[0])["KL"].lines] == ["-"]


def test_many_steps_are_smoothed_and_still_shown(drawn: list[Any], tmp_path: Path) -> None:
    noise = np.random.default_rng(0).normal(size=300).tolist()
    run = Run("long", {step: {"clinic/score/mean": noise[step - 1]} for step in range(1, 301)})
    draw([run], tmp_path / "c.png")
    raw, mean = panels(drawn[0])["Reward"].lines
    assert list(raw.get_ydata()) == noise
    width = 300 - len(mean.get_ydata()) + 1
    assert width % 2 == 1
    for step, value in zip(mean.get_xdata(), mean.get_ydata(), strict=True):
        around = noise[step - 1 - width // 2 : step + width // 2]
        assert len(around) == width
        assert value == pytest.approx(sum(around) / width)
    shown = [text.get_text() for text in drawn[0].legends[0].get_texts()]
    assert shown == ["long", "one step", "running mean"]


def test_evaluations_of_several_sources_have_markers_of_their_own(
    drawn: list[Any], tmp_path: Path
) -> None:
    logged = {
        "val-core/my/Derm-v0/acc/mean@2": 0.3, "val-aux/my/Derm-v0/success/mean@8": 0.9,
        VALUE: 0.4, "val-aux/clinic/ClinGen-v0/success/mean@16": 0.5,
        "val-aux/clinic/ClinGen-v0/success/std@16": 0.2, "val-aux/num_turns/mean": 2.0,
    }  # fmt: skip
    run = a_run("a", CLINIC, logged)
    assert evaluations(run) == {
        "clinic/ClinGen-v0": "val-aux/clinic/ClinGen-v0/success/mean@16",
        "my/Derm-v0": "val-core/my/Derm-v0/acc/mean@2",
    }
    draw([run, a_run("b", CLINIC)], tmp_path / "c.png")
    axis = panels(drawn[0])["Evaluation success"]
    assert [line.get_ydata()[0] for line in axis.lines] == pytest.approx([0.51, 0.31])
    markers = [line.get_marker() for line in axis.lines]
    assert len(set(markers)) == 2
    assert [line.get_marker() for line in axis.get_legend().get_lines()] == markers
    assert evaluations(a_run("b", CLINIC)) == {}


def test_an_evaluation_alone_is_drawn_too(tmp_path: Path) -> None:
    draw([Run("fresh", {0: {VALUE: 0.25}})], tmp_path / "c.png")
    assert (tmp_path / "c.png").stat().st_size > 10_000


def test_the_picture_is_a_png_and_the_same_whatever_the_style(tmp_path: Path) -> None:
    import matplotlib

    out = tmp_path / "new" / "c.png"
    draw([a_run("a", CLINIC)], out, title="A title")
    first = out.read_bytes()
    assert first.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = int.from_bytes(first[16:20], "big"), int.from_bytes(first[20:24], "big")
    assert width > 1200
    assert height > 800
    with matplotlib.rc_context({"lines.linewidth": 9, "axes.facecolor": "red", "font.size": 30}):
        draw([a_run("a", CLINIC)], out, title="A title")
        assert matplotlib.rcParams["lines.linewidth"] == 9
    assert out.read_bytes() == first
    assert [path.name for path in out.parent.iterdir()] == ["c.png"]  # nothing is left beside it


def test_mistakes_leave_the_old_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "c.png"
    out.write_bytes(b"old")
    with pytest.raises(ConfigError, match=r"nothing to draw; expected one of .*critic/score/mean"):
        draw([Run("odd", {1: {"loss": 1.0}})], out)
    with pytest.raises(ConfigError, match="no run: nothing to draw"):
        draw([], out)
    with pytest.raises(ConfigError, match=r"a \.png file, not 'c\.svg'"):
        draw([a_run("a", CLINIC)], tmp_path / "c.svg")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ConfigError, match=r'pip install "gym_clinic\[plot\]"'):
        draw([a_run("a", CLINIC)], out)
    assert out.read_bytes() == b"old"


def test_neither_a_display_nor_pyplot_is_touched(tmp_path: Path) -> None:
    code = f"""
import sys
from gym_clinic.viewer.curves import draw
from gym_clinic.viewer.runs import Run
assert "matplotlib" not in sys.modules
draw([Run("a", {{1: {{"critic/score/mean": 1.0}}}})], {str(tmp_path / "c.png")!r})
assert "matplotlib.pyplot" not in sys.modules
"""
    env = {"MPLBACKEND": "TkAgg", "PATH": "", "MPLCONFIGDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, env=env,
        cwd=ROOT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def metrics(folder: Path, text: str = "") -> Path:
    folder.mkdir(parents=True)
    lines = [json.dumps({"step": step, "data": CLINIC}) for step in (1, 2)]
    (folder / "metrics-1.jsonl").write_text("\n".join([*lines, text]), encoding="utf-8")
    return folder


def test_the_plot_command_writes_and_reports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    drawn: list[Any],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    here, there = metrics(tmp_path / "a" / "ttopd"), metrics(tmp_path / "b" / "ttopd", '{"st')
    assert main(["plot", str(here)]) == 0
    assert capsys.readouterr().out == f"{here / 'curves.png'}: ttopd up to step 2\n"
    assert (here / "curves.png").is_file()
    assert main(["plot", "a/ttopd", "b/ttopd", "--title", "Two"]) == 0
    out, err = capsys.readouterr()
    assert out == "curves.png: a/ttopd up to step 2, b/ttopd up to step 2\n"
    assert err == f"gym-clinic: {Path('b/ttopd/metrics-1.jsonl')}: " + (
        "the last line is cut short, left out\n"
    )
    assert (tmp_path / "curves.png").is_file()
    assert drawn[-1].get_suptitle() == "Two"
    assert main(["plot", str(here / "metrics-1.jsonl"), str(there), "--out", "x/y.png"]) == 0
    assert (tmp_path / "x" / "y.png").is_file()
    assert [text.get_text() for text in drawn[-1].legends[0].get_texts()] == [
        "ttopd/metrics-1", "ttopd",
    ]  # fmt: skip
    assert main(["plot", "nowhere"]) == 2
    assert "gym-clinic: no run at 'nowhere'" in capsys.readouterr().err
