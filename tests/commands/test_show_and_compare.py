from __future__ import annotations

import json
from pathlib import Path

import eval_domain
import pytest
from command_runs import ID, Run
from eval_runs import play

from gym_clinic import ConfigError
from gym_clinic.evaluate import cost_of_run, read_prices
from gym_clinic.evaluate.cost import TokenPrice
from gym_clinic.evaluate.paired import compare_runs, read_results

TASK = eval_domain.DOMAIN.tasks["test"][0].id


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of two trials each."""
    folder = tmp_path_factory.mktemp("runs")
    play("Nurse", folder / "nurse")
    play("Guesser", folder / "guesser")
    return folder


def test_show_prints_an_episode_with_its_debrief(run: Run, runs: Path) -> None:
    status, out, err = run("show", runs / "nurse", TASK)
    assert (status, err) == (0, "")
    row = json.loads((runs / "nurse" / "trace.jsonl").read_text().splitlines()[0])
    for message in row["messages"]:
        for line in message["content"].splitlines():
            assert line in out
    for part in ("[turn 1: agent]", "[turn 2: agent]", "Reward", "process", "+0.500", "1.500"):
        assert part in out
    assert "not played again" not in out
    assert "What was right" in out


def test_show_selects_trials_and_policies(run: Run, runs: Path) -> None:
    out = run("show", runs, TASK).out
    assert out.count(", trial 0") == 2
    out = run("show", runs, TASK, "--trial", 0, 1, "--policy", "eval_domain:Guesser").out
    assert (out.count(", trial 0"), out.count(", trial 1")) == (1, 1)
    assert "eval_domain:Nurse on" not in out


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (("nurse", f"{TASK}0"), f"did you mean '{TASK}'?"),
        (("nurse", "x"), "has no task 'x'; it has "),
        (("nurze", TASK), "did you mean"),
        (("nurse", TASK, "--trial", 7), "has no trial 7"),
        (("nurse", TASK, "--policy", "eval_domain:Nurze"), "did you mean 'eval_domain:Nurse'?"),
    ],
)
def test_wrong_names_are_answered_with_the_nearest(
    run: Run, runs: Path, wrong: tuple[str, ...], says: str
) -> None:
    folder, *rest = wrong
    status, _, err = run("show", runs / folder, *rest)
    assert status == 2
    assert says in err


def test_show_of_a_failed_episode_is_its_traceback(run: Run, tmp_path: Path) -> None:
    found = play("Clumsy", tmp_path, trials=4)
    failed = found.failures[0]
    out = run("show", tmp_path, failed["task_id"], "--trial", failed["trial"]).out
    assert "failed, not scored" in out
    assert 'raise ZeroDivisionError("no readings to average")' in out


def test_show_of_other_tasks_says_why_there_is_no_debrief(run: Run, tmp_path: Path) -> None:
    play("Nurse", tmp_path, limit=1)
    trace = tmp_path / "trace.jsonl"
    row = json.loads(trace.read_text().splitlines()[0])
    trace.write_text(json.dumps({**row, "data": "0" * 16}) + "\n")
    status, out, _ = run("show", tmp_path, row["task_id"])
    assert status == 0
    assert "No debrief" in out
    assert "recorded on other tasks" in out


def test_show_of_an_episode_that_would_end_otherwise_says_so(run: Run, tmp_path: Path) -> None:
    play("Nurse", tmp_path, limit=1, trials=1)
    trace = tmp_path / "trace.jsonl"
    row = json.loads(trace.read_text())
    row["reward"] = row["total"] = 1.25
    trace.write_text(json.dumps(row) + "\n")
    out = run("show", tmp_path, row["task_id"]).out
    assert "it would end otherwise today" in out
    assert "adjustments" in out  # the rows add up all the same
    assert "-0.250" in out


def test_compare_gives_the_paired_difference(
    run: Run, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "140")  # in 80 an interval may stand on two lines
    status, out, err = run("compare", runs / "guesser", runs / "nurse", "--tasks", 3)
    assert (status, err) == (0, "")
    found = compare_runs(read_results(runs / "guesser"), read_results(runs / "nurse"))
    reward = found.figures["reward"]
    assert reward.second == 1.5
    assert reward.difference.mean == pytest.approx(reward.second - reward.first)
    assert reward.difference.low is not None
    assert reward.difference.low < reward.difference.mean < reward.difference.high  # type: ignore[operator]
    gaps = [abs(task.difference) for task in found.tasks]
    assert gaps == sorted(gaps, reverse=True)
    assert f"{reward.difference.low:.3f} to {reward.difference.high:.3f}" in out
    assert found.tasks[0].task_id in out
    assert "Cost of an episode" in out
    itself = compare_runs(read_results(runs / "nurse"), read_results(runs / "nurse"))
    assert {one.difference.mean for one in itself.figures.values()} == {0.0}
    printed = json.loads(run("compare", runs / "guesser", runs / "nurse", "--json").out)
    assert printed["figures"]["reward"]["difference"]["mean"] == reward.difference.mean


def test_compare_says_what_the_runs_do_not_share(run: Run, runs: Path, tmp_path: Path) -> None:
    play("Nurse", tmp_path / "few", limit=3, trials=1, env_options={"max_turns": 3})
    status, out, _ = run("compare", runs / "nurse", tmp_path / "few")
    assert status == 0
    assert "different tasks: 3 in common, 5 only in" in out
    assert "env_options differs: {} in" in out
    assert "trials differs: 2 in" in out


def test_runs_with_other_fingerprints_are_not_compared(
    run: Run, runs: Path, tmp_path: Path
) -> None:
    play("Nurse", tmp_path / "other", trials=1)
    manifest = tmp_path / "other" / "run.json"
    settings = json.loads(manifest.read_text())
    for changed, says in (
        ({"data": "0" * 16}, "tasks or scoring differ"),
        ({"split": "dev"}, "different splits"),
        ({"id": "x"}, "different environments"),
    ):
        manifest.write_text(json.dumps(settings | changed))
        status, _, err = run("compare", runs / "nurse", tmp_path / "other")
        assert status == 2
        assert says in err
    status, _, err = run("compare", runs, tmp_path / "other")
    assert "holds several runs; choose one of" in err


def test_a_price_table_gives_the_cost_of_an_episode(run: Run, runs: Path, tmp_path: Path) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text('{"eval_domain:Guesser": {"input": 1, "output": 2000000}}')
    assert read_prices(prices) == {"eval_domain:Guesser": TokenPrice(1.0, 2e6)}
    cost = cost_of_run(runs / "guesser", read_prices(prices))
    assert (cost.completion_tokens, cost.money) == (6.0, 12.0)  # two turns of three tokens
    assert cost.seconds is not None
    assert cost_of_run(runs / "nurse", read_prices(prices)).money is None  # it uses no tokens
    out = run("compare", runs / "nurse", runs / "guesser", "--prices", prices).out
    assert "12.0000" in out


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[]", "a price table is"),
        ('{"m": {"input": 1}}', "'m': a price table is"),
        ('{"m": {"input": 1, "output": -1}}', "'output' is a number from 0, not -1"),
        ('{"m": {"input": true, "output": 1}}', "'input' is a number from 0, not True"),
        ("{", "prices.json: "),
        ('{"other": {"input": 1, "output": 1}}', "no model 'eval_domain:Guesser'"),
    ],
)
def test_wrong_prices_are_named(runs: Path, tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "prices.json"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        cost_of_run(runs / "guesser", read_prices(path))
    assert says in str(caught.value)


def test_tokens_of_consultants_have_their_own_price(tmp_path: Path) -> None:
    about = {
        "policy": "two",
        "policy_options": {"model": "mine"},
        "env_options": {"consultant": {"kind": "chat", "model": "theirs"}},
    }
    (tmp_path / "run.json").write_text(json.dumps(about))
    row = {
        "id": ID, "env_options": {}, "data": "", "split": "test", "task_id": "a", "trial": 0,
        "calls": [], "success": True, "error": None,
        "usage": {"prompt_tokens": 1000, "completion_tokens": 10,
                  "consultant_prompt_tokens": 500, "consultant_completion_tokens": 100},
    }  # fmt: skip
    lone = {**row, "task_id": "b", "usage": {"prompt_tokens": 3000, "completion_tokens": 30}}
    lines = [json.dumps(row), json.dumps(lone)]
    (tmp_path / "trace.jsonl").write_text("\n".join(lines) + "\n")
    found = cost_of_run(tmp_path, {"mine": TokenPrice(1, 10), "theirs": TokenPrice(4, 8)})
    assert (found.prompt_tokens, found.completion_tokens) == (2000, 20)
    assert found.consultant_tokens == 300
    assert found.money == pytest.approx((2000 + 200 + 250 * 4 + 50 * 8) / 1e6)
    assert found.seconds is None
