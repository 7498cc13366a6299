"""From a command line to a config, and the mistakes that end it."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from places import ROOT

pytest.importorskip("verl")

from omegaconf import OmegaConf
from verl.utils.config import omega_conf_to_dataclass

from gym_clinic import ConfigError
from verl_recipes import __main__ as program
from verl_recipes.config.compose import compose
from verl_recipes.request import RunRequest, check_request, run_folder, train_request

DOCUMENTS = [ROOT / "README.md", ROOT / "docs" / "training.md"]
MAKE = [
    line.split("#")[0].strip()
    for document in DOCUMENTS
    for block in re.findall(r"^```bash\n(.*?)^```$", document.read_text("utf-8"), re.M | re.S)
    for line in block.splitlines()
    if line.startswith("make ")
]


def request(tmp_path, **changes):
    return RunRequest(**{"steps": 3, "model": "tiny", "out": tmp_path / "run", **changes})


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
def test_documented_commands_compose_and_verl_reads_them(command, tmp_path, monkeypatch):
    name, *arguments = as_arguments(command)
    assert name == "train"
    if "my_package.derm:DERMATOLOGY" in arguments:
        arguments[arguments.index("my_package.derm:DERMATOLOGY")] = "clinic/ClinGenSingle-v0"
        arguments = [one for one in arguments if not one.startswith("clinic.modules")]
    monkeypatch.chdir(tmp_path)
    asked = train_request(arguments)
    config = compose(asked)
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
    name, *arguments = as_arguments(command)
    assert name == "check"
    assert check_request(arguments).gpus == 8


def test_lora_frees_the_place_of_the_reference_model(tmp_path):
    assert compose(request(tmp_path)).actor_rollout_ref.actor.use_kl_loss
    adapted = compose(request(tmp_path, lora=8))
    assert adapted.actor_rollout_ref.model.lora_rank == 8
    assert not adapted.actor_rollout_ref.actor.use_kl_loss
    assert "hf_model" not in adapted.actor_rollout_ref.actor.checkpoint.save_contents
    paper = compose(request(tmp_path, gpus=8, overrides=("+paper=ttopd_9b",)))
    assert paper.actor_rollout_ref.model.lora_rank == 64
    assert paper.actor_rollout_ref.actor.use_kl_loss
    assert paper.actor_rollout_ref.actor.kl_loss_coef == 0.01


def test_a_kl_to_the_base_model_needs_an_adapter(tmp_path):
    beta = ("actor_rollout_ref.actor.kl_loss_coef=0.01",)
    with pytest.raises(ConfigError, match="needs LORA"):
        compose(request(tmp_path, overrides=beta))
    config = compose(request(tmp_path, lora=8, overrides=beta))
    assert config.actor_rollout_ref.actor.use_kl_loss


def test_a_path_with_a_quote_and_a_space_survives(tmp_path):
    odd = tmp_path / "it's a run"
    config = compose(request(tmp_path, out=odd))
    assert config.trainer.default_local_dir == str(odd / "checkpoints")


def test_a_run_in_use_is_not_overwritten(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_folder(None, "grpo", resume=False) == Path("runs/grpo")
    used = tmp_path / "runs" / "grpo"
    used.mkdir(parents=True)
    (used / "metrics-1.jsonl").write_text("{}\n")
    assert run_folder(None, "grpo", resume=False) == Path("runs/grpo-2")
    with pytest.raises(ConfigError, match="RESUME=1"):
        run_folder(used, "grpo", resume=False)
    with pytest.raises(ConfigError, match="no checkpoint"):
        run_folder(used, "grpo", resume=True)
    (used / "checkpoints").mkdir()
    with pytest.raises(ConfigError, match="no checkpoint"):  # it was stopped before the first one
        run_folder(used, "grpo", resume=True)
    (used / "checkpoints" / "latest_checkpointed_iteration.txt").write_text("1")
    assert run_folder(used, "grpo", resume=True) == used


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "--env", "clinic/ClinGem-v0"], "did you mean 'clinic/ClinGen-v0'"),
        (["train", "--method", "ttop"], "did you mean 'ttopd'"),
        (["train", "--gpus", "8"], "name a model"),
        (["train", "--model", "no/such/folder/anywhere"], "no/such/folder/anywhere"),
        (["train", "clinic.teacher.decai=0.9"], "decai"),
        (["train", "clinic.teacher.decay=1.5"], "less than or equal to 1"),
        (["train", "clinic.teacher.estimator=k1"], "expected gradient of zero"),
        (["trian"], "did you mean 'train'"),
    ],
)
def test_mistakes_are_reported_before_anything_is_made(
    arguments, message, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert program.main(arguments) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.safetensors"))
