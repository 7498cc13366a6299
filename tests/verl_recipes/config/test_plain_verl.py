"""The documented command of verl: composed by hydra, checked by verl, and enough for our rows."""

from __future__ import annotations

import importlib
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from places import ROOT

from verl_recipes.registry import TRAINERS

pytest.importorskip("verl")
main_ppo = importlib.import_module("verl.trainer.main_ppo")
GUIDE = ROOT / "docs" / "training.md"


def documented() -> list[str]:
    """Return the arguments of the command in the guide."""
    blocks = re.findall(r"```bash\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    found = [block for block in blocks if "-m verl.trainer.main_ppo" in block]
    assert len(found) == 1
    line = found[0].split("-m verl.trainer.main_ppo", 1)[1]
    return shlex.split(line.replace("\\\n", " "))


def started(monkeypatch: pytest.MonkeyPatch, folder: Path, *more: str) -> Any:
    """Call verl's command as the guide does, and return the config that it would train with."""
    given: list[Any] = []
    monkeypatch.setattr(main_ppo, "run_ppo", lambda config, task_runner_class: given.append(config))
    monkeypatch.chdir(ROOT)
    quiet = [f"hydra.run.dir={folder}", "hydra.output_subdir=null"]
    monkeypatch.setattr(sys, "argv", ["main_ppo", *documented(), *more, *quiet])
    main_ppo.main()
    assert len(given) == 1
    return given[0]


def test_verl_takes_the_documented_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tokenizer: Any
) -> None:
    config = started(
        monkeypatch, tmp_path, "clinic.env=tiny_domain:INTERACTIONS", "data.val_files=test"
    )
    assert config.clinic.env == config.data.clinic.env == "tiny_domain:INTERACTIONS"
    assert config.trainer.total_training_steps == 60
    trainers = importlib.import_module("verl.trainer.ppo.v1")
    expected = TRAINERS["clinic"]  # registers it, as the plugin does
    assert trainers.get_trainer_cls(config.trainer.v1.trainer_mode) is expected
    imports = importlib.import_module("verl.utils.import_utils")
    loops = imports.resolve_config_path(
        config.actor_rollout_ref.rollout.agent.agent_loop_config_path
    )
    assert Path(loops) == ROOT / "verl_recipes" / "config" / "agent_loop.yaml"
    rows = importlib.import_module("verl.trainer.ppo.utils").create_rl_dataset(
        config.data.train_files, config.data, tokenizer, None, is_train=True
    )
    assert type(rows).__name__ == "ClinicRows"
    assert len(rows) >= config.data.train_batch_size
    assert rows[0]["agent_name"] == config.actor_rollout_ref.rollout.agent.default_agent_loop


@pytest.mark.parametrize("method", ["ttopd", "ppo"])
def test_any_method_goes_with_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, method: str
) -> None:
    config = started(monkeypatch, tmp_path, f"method={method}")
    assert config.trainer.v1.trainer_mode == method
