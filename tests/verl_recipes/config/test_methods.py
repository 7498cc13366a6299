"""Methods, trainers, rewards and hints of anybody's own, from the command to verl's registry."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import own_recipe
import pytest
from places import ROOT
from scripted_rollout import play, record, right

from gym_clinic import ConfigError
from verl_recipes.registry import OWN_TRAINER
from verl_recipes.request import RunRequest, run_folder
from verl_recipes.settings import from_config

pytest.importorskip("verl")
compose = importlib.import_module("verl_recipes.config.compose").compose
hints = importlib.import_module("verl_recipes.ttopd.hints")


def composed(method: str, *overrides: str) -> Any:
    return compose(RunRequest(method=method, model="tiny", overrides=overrides))


def test_a_method_of_ones_own_changes_what_it_names() -> None:
    config = composed("own_recipe:METHOD")
    clinic = from_config(config)
    assert (clinic.reward.mode, clinic.hints.mode) == (
        "own_recipe:brief_success", "own_recipe:sober",
    )  # fmt: skip
    assert clinic.env_kwargs == {"max_turns": 5}
    assert clinic.teacher == from_config(composed("ttopd")).teacher
    variables = config.ray_kwargs.ray_init.runtime_env.env_vars
    assert config.trainer.v1.trainer_mode == variables[OWN_TRAINER] == "own_recipe:OwnTrainer"


def test_without_defaults_it_changes_the_control() -> None:
    config = composed("own_recipe:PLAIN")
    assert not config.clinic.teacher.enabled
    assert config.clinic.reward.mode == "own_recipe:brief_success"
    assert OWN_TRAINER not in config.ray_kwargs.ray_init.runtime_env.env_vars


def test_settings_of_the_command_line_come_after_it() -> None:
    assert composed("own_recipe:PLAIN", "clinic.reward.mode=env").clinic.reward.mode == "env"


@pytest.mark.parametrize(
    ("method", "says"),
    [
        ("own_recipe:METHD", "own_recipe has no method 'METHD'; did you mean 'METHOD'?"),
        ("own_recip:METHOD", "no module 'own_recip' for a method"),
        ("own_recipe:sober", "method 'own_recipe:sober' is a function; expected a mapping of set"),
        ("own_recipe:TWO", "defaults is a list with one method, such as ['ttopd'], not ['ttopd',"),
        ("own_recipe:UNKNOWN", "no method 'ttopdd'; did you mean 'ttopd'?"),
        ("own_recipe:MISSPELT", "Key 'mod' is not in struct"),
    ],
)
def test_a_mistake_in_a_method_is_named(method: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        composed(method)
    assert says in str(caught.value)


def test_the_teacher_goes_with_the_trainer_that_is_extended() -> None:
    own = "trainer.v1.trainer_mode=own_recipe:OwnTrainer"
    with pytest.raises(ConfigError, match=r"clinic\.teacher\.enabled=False goes with"):
        composed("grpo", own)
    assert composed("ttopd", own).clinic.teacher.enabled


def test_a_run_of_it_has_a_folder_by_its_name(tmp_path: Path) -> None:
    assert run_folder(None, "own_recipe:METHOD", resume=False) == Path("runs/METHOD")


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ("clinic.env_kwargs={max_turns: 3}", {"max_turns": 3}),
        ("clinic.env_kwargs.max_turns=3", {"max_turns": 3}),
        ("+clinic.env_kwargs.max_turns=3", {"max_turns": 3}),
        ("clinic.env_kwargs={}", {}),
        (
            "clinic.env_kwargs={weights: {outcome: 1.0}, dialect: json}",
            {"weights": {"outcome": 1.0}, "dialect": "json"},
        ),
    ],
)
def test_objects_with_free_keys_take_any_key(key: str, found: dict[str, Any]) -> None:
    assert from_config(composed("grpo", key)).env_kwargs == found


def test_options_of_a_critic_are_free_too() -> None:
    config = composed("ppo", "clinic.critic.options={slots: 64}", "clinic.critic.options.hidden=8")
    assert from_config(config).critic.options == {"slots": 64, "hidden": 8}


@pytest.mark.parametrize("key", ["clinic.sed=3", "clinic.reward.rmax=1", "actor_rollout_ref.x=1"])
def test_another_key_that_is_not_there_is_refused_and_says_plus(key: str) -> None:
    with pytest.raises(ConfigError, match=r"is not in struct.*is added by \+KEY=VALUE"):
        composed("grpo", key)


def test_the_agent_loop_pays_and_hints_by_ones_own(tokenizer: Any) -> None:
    modes = {"reward": "own_recipe:brief_success", "hints": "own_recipe:sober"}
    settings = {f"clinic.{section}.mode": mode for section, mode in modes.items()}
    out = play(tokenizer, right, "ttopd", **settings)
    assert out.reward_score == pytest.approx(1.0 - 0.1 * record(out)["calls"])
    assert hints.load().correct[0] in tokenizer.decode(out.hint_ids)


def run(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths, **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.slow
def test_modules_of_the_working_directory_are_found(tmp_path: Path) -> None:
    source = Path(own_recipe.__file__).read_text(encoding="utf-8")
    (tmp_path / "folder_recipe.py").write_text(source.replace("own_recipe:", "folder_recipe:"))
    method = ("-m", "verl_recipes", "check", "--method", "folder_recipe:METHOD")
    found = run(tmp_path, *method)
    assert "method folder_recipe:METHOD: up to" in found.stdout, found.stdout + found.stderr
    wrong = run(tmp_path, "-m", "verl_recipes", "check", "clinic.reward.mode=folder_recipe:breif")
    assert "folder_recipe has no choice 'breif'" in wrong.stdout


@pytest.mark.slow
def test_verl_knows_a_trainer_of_ones_own_in_every_process(tmp_path: Path) -> None:
    support = os.pathsep.join([str(ROOT), str(ROOT / "tests" / "support")])
    look = "from verl.trainer.ppo.v1 import get_trainer_cls as get; "
    look += "print(get('own_recipe:OwnTrainer'))"
    variables = {
        "VERL_USE_EXTERNAL_MODULES": "verl_recipes.plugin",
        "VERL_USE_EXTERNAL_PLUGINS": "none",
        OWN_TRAINER: "own_recipe:OwnTrainer",
        "PYTHONPATH": support,
    }
    found = run(tmp_path, "-c", look, **variables)
    assert "<class 'own_recipe.OwnTrainer'>" in found.stdout, found.stderr
