from __future__ import annotations

import gymnasium as gym
import pytest
from command_runs import ID, Run


def test_list_names_every_id(run: Run) -> None:
    status, out, _ = run("list", "eval_domain")
    assert status == 0
    assert "evaluation/Fever-v0" in out
    assert "train 5, test 8" in out
    assert "-1.5..1.5" in out
    assert "clinic/ClinGen-v0" in out


def test_list_continues_after_a_broken_id(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
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
