"""From a command line to a config, and a run watched from outside."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from places import ROOT

pytest.importorskip("verl")

from omegaconf import OmegaConf
from verl.utils.config import omega_conf_to_dataclass

from gym_clinic import ConfigError
from verl_recipes import __main__ as program
from verl_recipes import launch
from verl_recipes.cpu import tiny
from verl_recipes.run import model as prepare
from verl_recipes.run import report as tell
from verl_recipes.run import supervisor as watch

DOCUMENTS = [ROOT / "README.md", ROOT / "docs" / "training.md"]
MAKE = [
    line.split("#")[0].strip()
    for document in DOCUMENTS
    for block in re.findall(r"^```bash\n(.*?)^```$", document.read_text("utf-8"), re.M | re.S)
    for line in block.splitlines()
    if line.startswith("make ")
]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("launch") / "model"
    tiny.build(folder, ["a prompt of no account"] * 3, seed=0, vocab=512, hidden=64, positions=512)
    return prepare.Model(str(folder), "qwen3")


def wanted(tmp_path, **changes):
    given = {
        "method": "ttopd",
        "env": "clinic/ClinGen-v0",
        "steps": 3,
        "model": None,
        "gpus": 0,
        "nodes": 1,
        "address": None,
        "out": tmp_path / "run",
        "resume": False,
    }
    return launch.Wanted(**{**given, **changes})


def as_arguments(command):
    """What make would run, without the program's name."""
    done = subprocess.run(
        ["make", "-n", *shlex.split(command)[1:]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    (line,) = [
        one for one in done.stdout.replace("\\\n", " ").splitlines() if " -m verl_recipes " in one
    ]
    return shlex.split(line)[3:]


@pytest.mark.parametrize("command", [one for one in MAKE if "train" in one])
def test_documented_commands_compose_and_verl_reads_them(command, model, tmp_path, monkeypatch):
    name, *arguments = as_arguments(command)
    assert name == "train"
    if "my_package.derm:DERMATOLOGY" in arguments:
        arguments[arguments.index("my_package.derm:DERMATOLOGY")] = "clinic/ClinGenSingle-v0"
        arguments = [one for one in arguments if not one.startswith("clinic.modules")]
    monkeypatch.chdir(tmp_path)
    asked = launch.read(arguments)
    config = launch.configure(asked, model)
    assert config.trainer.device == ("cuda" if asked.gpus else "cpu")
    assert config.trainer.n_gpus_per_node == max(asked.gpus, 1)
    assert config.actor_rollout_ref.rollout.name == ("vllm" if asked.gpus else "hf")
    OmegaConf.resolve(config)
    for section in ("actor", "rollout"):
        omega_conf_to_dataclass(config.actor_rollout_ref[section])


def test_there_are_commands_for_both_worlds():
    assert any("GPUS=8" in one for one in MAKE)
    assert any("GPUS" not in one for one in MAKE)


@pytest.mark.parametrize("command", [one for one in MAKE if "cluster-check" in one])
def test_documented_checks_are_read(command):
    from verl_recipes.preflight import command as check

    name, *arguments = as_arguments(command)
    assert name == "check"
    assert check._read(arguments).gpus == 8


def test_lora_frees_the_place_of_the_reference_model(model, tmp_path):
    assert launch.configure(wanted(tmp_path), model).actor_rollout_ref.actor.use_kl_loss
    adapted = launch.configure(wanted(tmp_path, lora=8), model)
    assert adapted.actor_rollout_ref.model.lora_rank == 8
    assert not adapted.actor_rollout_ref.actor.use_kl_loss
    assert "hf_model" not in adapted.actor_rollout_ref.actor.checkpoint.save_contents
    paper = launch.configure(wanted(tmp_path, gpus=8, overrides=("+paper=ttopd_9b",)), model)
    assert paper.actor_rollout_ref.model.lora_rank == 64
    assert paper.actor_rollout_ref.actor.use_kl_loss
    assert paper.actor_rollout_ref.actor.kl_loss_coef == 0.01


def test_a_kl_to_the_base_model_needs_an_adapter(model, tmp_path):
    beta = ("actor_rollout_ref.actor.kl_loss_coef=0.01",)
    with pytest.raises(ConfigError, match="needs LORA"):
        launch.configure(wanted(tmp_path, overrides=beta), model)
    config = launch.configure(wanted(tmp_path, lora=8, overrides=beta), model)
    assert config.actor_rollout_ref.actor.use_kl_loss


def test_a_path_with_a_quote_and_a_space_survives(model, tmp_path):
    odd = tmp_path / "it's a run"
    config = launch.configure(wanted(tmp_path, out=odd), model)
    assert config.trainer.default_local_dir == str(odd / "checkpoints")


def test_a_run_in_use_is_not_overwritten(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert launch.folder(None, "grpo", resume=False) == Path("runs/grpo")
    used = tmp_path / "runs" / "grpo"
    used.mkdir(parents=True)
    (used / "metrics-1.jsonl").write_text("{}\n")
    assert launch.folder(None, "grpo", resume=False) == Path("runs/grpo-2")
    with pytest.raises(ConfigError, match="RESUME=1"):
        launch.folder(used, "grpo", resume=False)
    with pytest.raises(ConfigError, match="no checkpoint"):
        launch.folder(used, "grpo", resume=True)
    (used / "checkpoints").mkdir()
    assert launch.folder(used, "grpo", resume=True) == used


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["train", "--env", "clinic/ClinGem-v0"], "did you mean 'clinic/ClinGen-v0'"),
        (["train", "--method", "ttop"], "did you mean 'ttopd'"),
        (["train", "--gpus", "8"], "name a model"),
        (["train", "--model", "no/such/folder/anywhere"], "no/such/folder/anywhere"),
        (["train", "clinic.teacher.decai=0.9"], "decai"),
        (["train", "clinic.teacher.decay=1.5"], "from 0 to 1"),
        (["train", "clinic.teacher.estimator=k1"], "expected gradient of zero"),
        (["trian"], "did you mean 'train'"),
    ],
)
def test_mistakes_are_told_before_anything_is_made(arguments, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert program.main(arguments) == 2
    assert told in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.safetensors"))


def test_a_missing_extra_is_told_with_the_line_that_installs_it(monkeypatch, capsys):
    real = program.pins.survey("cpu")
    absent = program.pins.State(real[0].pin, None, "missing")
    monkeypatch.setattr(program.pins, "survey", lambda world: [absent, *real[1:]])
    assert program.main(["train"]) == 2
    told = capsys.readouterr().err
    assert absent.pin.name in told
    assert 'pip install -e ".[train-cpu]"' in told


def config_in(folder):
    folder.mkdir(exist_ok=True)
    path = folder / "config.yaml"
    OmegaConf.save({"ray_kwargs": {"ray_init": {"runtime_env": {"env_vars": {"A": "1"}}}}}, path)
    return path


def instead(monkeypatch, code):
    monkeypatch.setattr(watch, "command", lambda path: [sys.executable, "-c", code, str(path)])


def test_steps_are_shown_once_with_their_alarms(tmp_path, monkeypatch, capsys):
    row = {
        "clinic/score/mean": 0.5,
        "clinic/success": 0.25,
        "clinic/mixed_fraction": 1.0,
        "clinic/turns/mean": 2.0,
        "clinic/response_tokens/mean": 10.0,
        "ttopd/kl": 0.125,
        "timing_s/step": 1.5,
    }
    path = config_in(tmp_path / "run")
    lines = [{"step": 0, "data": {"val/turns": 2.0}}, {"step": 1, "data": row}]
    (tmp_path / "run" / "later").write_text("".join(json.dumps(one) + "\n" for one in lines))
    instead(
        monkeypatch,
        "import pathlib, sys; out = pathlib.Path(sys.argv[1]).parent;"
        "print('(worker) ALARM step 1: too few turns', flush=True);"
        "(out / 'later').rename(out / 'metrics-0.jsonl')",
    )
    assert watch.watch(path, 3, 60.0) == 0
    shown = capsys.readouterr().out
    assert shown.count("step    1/3  score +0.500  success 0.25") == 1
    assert "KL 0.1250" in shown
    assert "ALARM step 1: too few turns" in shown


def test_a_failed_run_says_why(tmp_path, monkeypatch, capsys):
    instead(
        monkeypatch,
        "import pathlib, sys; out = pathlib.Path(sys.argv[1]).parent;"
        "(out / 'failure.txt').write_text('RolloutStalledError: the server is dead\\n');"
        "sys.exit(1)",
    )
    assert watch.watch(config_in(tmp_path / "run"), 3, 60.0) == 1
    assert "RolloutStalledError: the server is dead" in capsys.readouterr().err


SLEEPER = """
import pathlib, subprocess, sys, time
out = pathlib.Path(sys.argv[1]).parent
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
(out / "new").write_text(str(child.pid))
(out / "new").rename(out / "pid")
time.sleep(600)
"""
"""A run that says nothing and has started a process of its own."""

LAUNCHER = """
import pathlib, sys
from verl_recipes import launch
from verl_recipes.run import supervisor as watch
watch.command = lambda path: [sys.executable, "-c", sys.argv[2], str(path)]
launch.read = lambda argv: pathlib.Path(sys.argv[1])
launch.train = lambda path: watch.watch(path, 3, 600.0)
sys.exit(launch.main())
"""


def wait(over):
    until = time.monotonic() + 60
    while not over():
        assert time.monotonic() < until
        time.sleep(0.05)


def gone(pid):
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"


def test_a_silent_run_is_ended_with_all_it_started(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(watch, "GRACE_S", 0.5)
    instead(monkeypatch, SLEEPER)
    assert watch.watch(config_in(tmp_path / "run"), 3, 1.0) == 1
    assert "no sign of life" in capsys.readouterr().err
    pid = (tmp_path / "run" / "pid").read_text()
    wait(lambda: gone(pid))


@pytest.mark.parametrize(("how", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_launcher_that_is_ended_ends_its_run(how, status, tmp_path):
    path = config_in(tmp_path / "run")
    launcher = subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, str(path), SLEEPER], cwd=ROOT, start_new_session=True
    )
    wait((tmp_path / "run" / "pid").exists)
    launcher.send_signal(how)
    assert launcher.wait(timeout=60) == status
    pid = (tmp_path / "run" / "pid").read_text()
    wait(lambda: gone(pid))


def test_evaluations_stand_beside_one_another(capsys):
    from gym_clinic.viewer.runs import Run

    env = "clinic/X-v0"

    def row(success):
        return {
            f"val-core/{env}/acc/mean@1": success,
            f"val-aux/{env}/success/mean@1": success,
            f"val-aux/{env}/reward/process/mean@1": -1.0,
            "clinic/success": 0.9,
        }

    tell.print_evaluations(Run("r", {0: row(0.25), 3: {"clinic/success": 1.0}, 5: row(0.75)}), env)
    printed = capsys.readouterr().out
    assert "step 0" in printed
    assert "step 5" in printed
    assert re.search(r"success\W+0\.250\W+0\.750", printed)
    assert "reward/process" in printed
