"""The command line, as people and scripts use it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import eval_domain
import gymnasium as gym
import pytest
from chat_server import ChatServer
from places import ROOT, SUPPORT

from gym_clinic import Task
from gym_clinic.catalog import find
from gym_clinic.cli import main
from gym_clinic.commands.terminal import options, visible
from gym_clinic.errors import ConfigError, ServiceError
from gym_clinic.paths import tasks_dir

PATH = os.pathsep.join(map(str, (SUPPORT, ROOT)))
ID = f"eval_domain:{eval_domain.ID}"


def dead(env: Any) -> Any:
    """A policy whose server cannot be reached, before any episode."""
    raise ServiceError("nobody listens there")


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def command(*argv: object) -> tuple[int, str, str]:
        status = main([str(one) for one in argv])
        out, err = capsys.readouterr()
        return status, out, err

    return command


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    for argv in (
        ["--version"], ["--help"], ["eval", "--help"], ["tasks", "import", "--help"],
        ["export", "sft", "--help"], ["plot", "--help"],
    ):  # fmt: skip
        with pytest.raises(SystemExit) as ended:
            main(argv)
        assert ended.value.code == 0
    text = capsys.readouterr().out
    assert text.startswith("gym-clinic 0.")
    for command in ("list", "info", "play", "eval", "tasks", "export", "plot", "doctor"):
        assert f"\n    {command} " in text
    assert "clingen-articles" in text


def test_list_names_every_id(run: Run) -> None:
    status, out, _ = run("list", "eval_domain")
    assert status == 0
    assert "evaluation/Fever-v0" in out
    assert "train 5, test 8" in out
    assert "-1.5 to 1.5" in out
    assert "clinic/ClinGen-v0" in out


def test_list_goes_on_where_an_id_is_broken(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = gym.envs.registration.EnvSpec(
        id="evaluation/Broken-v0",
        entry_point="gym_clinic.env:ClinicEnv",
        kwargs={"domain": "no_such_module:X"},
    )
    monkeypatch.setitem(gym.registry, spec.id, spec)
    status, out, _ = run("list")
    assert status == 0
    assert "cannot be made" in out
    assert "evaluation/Fever-v0" in out


def test_info_is_a_data_sheet(run: Run) -> None:
    status, out, _ = run("info", ID, "--prompt", "--split", "test")
    assert status == 0
    for part in (
        "A small domain and policies",
        "train 5, test 8",
        "read_temperature (read): Read the temperature.",
        "    route: Where it was taken: oral or rectal.",
        "note (think)",
        "total: -1.5 to 1.5",
        "process: weight 0.5, from -1 to 1",
        "max_turns = None",
        "Does this child have fever?",
    ):
        assert part in out
    assert "gold-" not in out
    assert "weight 2," in run("info", ID, "--set", 'weights={"process": 2}')[1]


def test_play_shows_every_turn_in_a_pipe(run: Run) -> None:
    task = eval_domain.DOMAIN.tasks["test"][2]
    status, out, _ = run("play", ID, "--policy", "oracle", "--task-id", task.id)
    assert status == 0
    assert "\x1b" not in out
    order = [
        task.id, "[clinic]", task.ticket, "[turn 1: agent]", "read_temperature",
        "[turn 1: read_temperature]", f"{task.record['celsius']} °C", "[turn 2: agent]", "FEVER:",
        "answered, solved; reward 1.500 of -1.5 to 1.5, scaled 1.000",
    ]  # fmt: skip
    place = 0
    for part in order:
        place = out.index(part, place)


def test_play_shows_what_could_move_a_cursor(run: Run) -> None:
    status, out, _ = run("play", ID, "--policy", "eval_domain:Scribbler")
    assert status == 0
    assert "and\\x85" in out
    assert visible("a\x1b[2Jb\tc\nd") == "a\\x1b[2Jb\tc\nd"


def test_a_person_plays(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    task = eval_domain.DOMAIN.tasks["test"][0]
    lines = f":read_temperature route={task.record['route']}\n\n{task.gold['answer']}\n\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    status, out, _ = run("play", ID, "--task-id", task.id)
    assert status == 0
    assert "answered, solved; reward 1.500" in out
    assert out.count(task.ticket) == 1
    monkeypatch.setattr("sys.stdin", io.StringIO("/quit\n"))
    status, _, err = run("play", ID)
    assert status == 130
    assert "left" in err


def test_eval_prints_a_table_and_says_where_it_is(run: Run, tmp_path: Path) -> None:
    status, out, err = run("eval", ID, "--policy", "oracle", "--trials", 2, "--out", tmp_path / "r")
    assert status == 0
    assert "scaled reward" in out
    assert f"Written to {tmp_path / 'r'}" in out
    assert "16/16" in err
    names = {"trace.jsonl", "timing.jsonl", "summary.json", "summary.md", "run.json"}
    assert names <= {path.name for path in (tmp_path / "r").iterdir()}


def test_eval_json_is_the_summary(run: Run, tmp_path: Path) -> None:
    out_dir = tmp_path / "r"
    argv = ("eval", ID, "--policy", "random", "--out", out_dir, "--json", "--no-progress")
    status, out, err = run(*argv, "--limit", 2, "--set", "max_turns=3")
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert found == json.loads((out_dir / "summary.json").read_text(encoding="utf-8"))
    assert found["env_options"] == {"max_turns": 3}
    assert found["episodes"] == 8


def test_eval_compares_several_policies(run: Run, tmp_path: Path) -> None:
    argv = ("--trials", 1, "--out", tmp_path, "--no-progress")
    status, out, _ = run("eval", ID, "--policy", "oracle", "silent", "eval_domain:Nurse", *argv)
    assert status == 0
    assert out.index("oracle") < out.index("silent") < out.index("eval_domain:Nurse")
    for folder in ("oracle", "silent", "eval_domain-Nurse"):
        assert (tmp_path / folder / "summary.json").exists()
    table = (tmp_path / "comparison.md").read_text(encoding="utf-8")
    assert "| oracle | 8 | 1.500 | 1.000 | 1.000 to 1.000 | 1.000 | 1.000 |" in table


def test_options_reach_the_policy_they_name(run: Run, tmp_path: Path) -> None:
    flaky = "eval_domain:Flaky"
    argv = ("--trials", 1, "--out", tmp_path, "--no-progress", "--json")
    status, out, err = run(
        "eval", ID, "--policy", "oracle", flaky, *argv,
        "--option", f"{flaky}.path={tmp_path / 'never'}", "--option", f"{flaky}.every=2",
    )  # fmt: skip
    assert status == 0
    oracle, other = json.loads(out)
    assert oracle["policy_options"] == {}
    assert other["policy_options"]["every"] == 2
    assert 0 < other["errors"] < 8
    assert f"{other['errors']} of 8 episodes were failed by a service" in err
    assert "the line is dead" in err


def test_eval_of_a_server_that_fails(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("httpx")
    # Nothing listens on the discard port of this machine.
    argv = ("--url", "http://127.0.0.1:9", "--model", "m", "--option", "retries=0")
    status, out, err = run(
        "eval", ID, "--policy", "chat", *argv, "--trials", 1, "--limit", 2,
        "--out", tmp_path, "--json", "--no-progress",
    )  # fmt: skip
    assert status == 3
    found = json.loads(out)
    assert (found["episodes"], found["errors"], found["reward"]["mean"]) == (2, 2, None)
    assert found["policy_options"] == {"retries": 0, "url": "http://127.0.0.1:9", "model": "m"}
    assert "2 of 2 episodes" in err


def test_eval_of_a_chat_model(run: Run, tmp_path: Path, chat_server: ChatServer) -> None:
    pytest.importorskip("httpx")
    call = '<tool_call>{"name": "note", "arguments": {"text": "hot"}}</tool_call>'

    def answer(handler: Any) -> None:
        first = len(chat_server.requests[-1]["messages"]) == 2
        chat_server.answer(call if first else "FEVER: yes")(handler)

    chat_server.script = [answer]
    argv = ("--url", chat_server.url, "--model", "m", "--trials", 1, "--no-progress", "--json")
    # One at a time, so that the last request is the one that is answered.
    status, out, _ = run(
        "eval", ID, "--policy", "chat", *argv, "--out", tmp_path, "--concurrency", 1
    )
    assert status == 0
    found = json.loads(out)
    assert (found["errors"], found["turns"]["mean"], found["calls"]["mean"]) == (0, 2.0, 1.0)
    assert found["usage"]["completion_tokens"] == 8 * 2 * 7
    assert found["usage"]["replies"] == 16
    asked = len(chat_server.requests)
    assert run("eval", ID, "--policy", "chat", *argv, "--out", tmp_path)[0] == 0
    assert len(chat_server.requests) == asked  # another concurrency is the same run


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["info", "Fever-v0"], "no id 'Fever-v0'; did you mean 'evaluation/Fever-v0'?"),
        (["info", "evaluation/fever"], "did you mean 'evaluation/Fever-v0'?"),
        (["info", "CartPole-v1"], "'CartPole-v1' is no clinic environment"),
        (["info", "no_such_module:x/Y-v0"], "no module 'no_such_module'"),
        (["list", "no_such_module"], "no module 'no_such_module'"),
        (["play", ID, "--policy", "oracel"], "did you mean 'oracle'?"),
        (["play", ID, "--policy", "oracle", "--task-id", "f0"], "no task 'f0' among the 8"),
        (["play", ID, "--policy", "oracle", "--split", "exam"], "no split 'exam'"),
        (["play", ID, "--policy", "oracle", "--set", "max_turn=3"], "max_turn"),
        (["play", ID, "--policy", "oracle", "--set", "max_turns=0.5"], "whole number from 1"),
        (["play", ID, "--policy", "oracle", "--option", "x"], "written key=value, not 'x'"),
        (["play", ID, "--policy", "oracle", "--url", "x"], "add --policy chat"),
        (["eval", ID, "--policy", "oracle", "--trials", "0", "--out", "x"], "trials is a whole"),
        (
            ["eval", ID, "--policy", "oracle", "--set", "split=train", "--out", "x"],
            "is not set this way",
        ),
        (["tasks", "validate", "no_such_domain"], "no domain 'no_such_domain'"),
        (["tasks", "import", "clingen-csv", "no.csv", "x.jsonl"], "no.csv"),
    ],
)
def test_mistakes_are_named_without_a_traceback(
    argv: list[str],
    said: str,
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    status, _, err = run(*argv)
    assert status == 2
    assert err.startswith("gym-clinic: ")
    assert said in err
    assert "Traceback" not in err
    assert not list(tmp_path.iterdir())


def test_a_service_that_fails_at_once_is_exit_3(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(eval_domain.DOMAIN.baselines, "dead", dead)
    status, _, err = run("play", ID, "--policy", "dead")
    assert (status, err) == (3, "gym-clinic: nobody listens there\n")


def test_ctrl_c_is_exit_130(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eval_domain, "_left", [0])
    argv = ("--concurrency", 1, "--out", tmp_path, "--no-progress")
    status, _, err = run("eval", ID, "--policy", "eval_domain:Impatient", *argv)
    assert status == 130
    assert "the same command goes on" in err
    assert "Traceback" not in err


def test_validate_finds_a_broken_task(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    status, out, _ = run("tasks", "validate", eval_domain.ID, "eval_domain")
    assert status == 0
    assert out.count("all well") == 2
    good = eval_domain.DOMAIN.tasks["test"][0]
    call = {"name": "read_temprature", "arguments": {"route": "oral"}}
    bad = Task("f1", good.record, {"answer": "FEVER: yes", "calls": [call]}, good.ticket)
    monkeypatch.setitem(eval_domain.DOMAIN.tasks, "dev", [bad, good])
    status, out, _ = run("tasks", "validate", eval_domain.ID)
    assert status == 1
    assert "problems" in out
    assert "Did you mean 'read_temperature'?" in out
    assert f"task {good.id!r}: the id also stands in" in out


def test_tasks_build_writes_where_it_is_told(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gym_clinic.domains.clingen import build

    # All three splits take half a minute; a few tasks show the way as well.
    def few(pairs: list[Any], seed: int) -> dict[str, Any]:
        return {"dev": build.build_split("dev", pairs[:20], seed)}

    monkeypatch.setattr(build, "build", few)
    status, out, _ = run("tasks", "build", "clingen", "--out", tmp_path / "new", "--seed", 5)
    assert status == 0
    assert "dev 20" in out
    lines = (tmp_path / "new" / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["provenance"] for line in lines] == ["synthetic"] * 20
    # The module is the same command: same arguments, same bytes.
    build.main(["--out", str(tmp_path / "same"), "--seed", "5"])
    again = (tmp_path / "same" / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    assert again == lines


def test_tasks_build_shows_the_arguments_of_its_builder(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["tasks", "build", "clingen", "--help"])
    out = capsys.readouterr().out
    assert ended.value.code == 0
    assert out.startswith("usage: gym-clinic tasks build clingen [-h] [--out DIR]")
    assert "--facts FILE" in out
    status, _, err = run("tasks", "build", "clingen", "--facts", "no.jsonl")
    assert (status, err.startswith("gym-clinic: cannot read no.jsonl")) == (2, True)


def test_validate_takes_arguments_of_the_environment(run: Run, tmp_path: Path) -> None:
    embedded = tasks_dir("clingen") / "dev.jsonl"
    lines = embedded.read_text(encoding="utf-8").splitlines(keepends=True)[:2]
    (tmp_path / "dev.jsonl").write_text("".join(lines), encoding="utf-8")
    chosen = ("--set", f"folder={tmp_path}")
    status, out, _ = run("tasks", "validate", "clinic/ClinGen-v0", *chosen)
    assert (status, out) == (0, "clinic/ClinGen-v0: dev 2: all well\n")
    status, out, _ = run("tasks", "validate", "clingen", *chosen, "--set", "reward=process")
    assert (status, out.count("dev 2: all well")) == (0, 2)
    (tmp_path / "test.jsonl").write_text("".join(lines), encoding="utf-8")
    status, out, _ = run("tasks", "validate", "clinic/ClinGenSingle-v0", *chosen)
    assert (status, "the id also stands in dev" in out) == (1, True)
    assert run("tasks", "validate", "eval_domain", "--set", "max_turns=2")[0] == 0
    assert run("tasks", "validate", "eval_domain", "--set", "max_turns=1")[0] == 1
    status, _, err = run("tasks", "validate", "eval_domain", "--set", f"folder={tmp_path}")
    assert (status, "folder" in err) == (2, True)


def test_broken_imports_write_nothing(run: Run, tmp_path: Path) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.jsonl"
    source.write_text("not,the\ndownload,at all\n")
    status, _, err = run("tasks", "import", "clingen-csv", source, target)
    assert status == 2
    assert "in.csv" in err
    assert not target.exists()
    (tmp_path / "a.json").write_text("[]")
    argv = ("tasks", "import", "clingen-articles", tmp_path / "a.json", tmp_path, tmp_path / "t")
    assert run(*argv)[0] == 2
    status, _, err = run(*argv, "--panels", tmp_path / "a.json")
    assert (status, "panel -> split" in err) == (2, True)
    assert not (tmp_path / "t").exists()


def test_doctor(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    status, out, _ = run("doctor")
    assert status == 0
    assert "clinic/ClinGen-v0: the oracle earns 1, the highest reward" in out
    assert "evaluation/Fever-v0: the oracle earns 1.5" in out
    monkeypatch.setenv("GYM_CLINIC_DATA", str(tmp_path))
    status, out, _ = run("doctor")
    assert status == 1
    assert "broken data tasks: ConfigError: $GYM_CLINIC_DATA has no folder 'tasks'" in out


def test_own_policies_are_found_beside_the_command(tmp_path: Path) -> None:
    (tmp_path / "my_policy.py").write_text(
        "class Mine:\n    def act(self, observation, info):\n        return 'FEVER: yes'\n"
    )
    env = {**os.environ, "PYTHONPATH": PATH}
    script = (  # as the installed command does, whose sys.path lacks the working folder
        "import sys; sys.path = [one for one in sys.path if one]; "
        "from gym_clinic.cli import main; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "play", ID, "--policy", "my_policy:Mine"],
        cwd=tmp_path, env=env, capture_output=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert b"FEVER: yes" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX pipe")
def test_a_reader_who_has_seen_enough_is_no_error() -> None:
    env = {**os.environ, "PYTHONPATH": PATH}
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "gym_clinic.cli", "info", ID, "--prompt"],
        stdout=writing, stderr=subprocess.PIPE, env=env, timeout=60,
    )  # fmt: skip
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


def test_options_are_json_or_text() -> None:
    assert options(["a=1", "b=true", "c=x=y", "d=[1]", "e="]) == {
        "a": 1, "b": True, "c": "x=y", "d": [1], "e": "",
    }  # fmt: skip
    with pytest.raises(ConfigError, match="key=value, not '=1'"):
        options(["=1"])


def test_find_takes_ids_with_and_without_module() -> None:
    assert find(ID) == find(eval_domain.ID) == eval_domain.ID
    with pytest.raises(ConfigError, match="did you mean 'clinic/ClinGen-v0'"):
        find("clingen")
