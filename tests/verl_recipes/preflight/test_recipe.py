"""A reward of anybody's own is tried before a run starts."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from scripted_rollout import INTERACTIONS, configured

from gym_clinic import ConfigError

pytest.importorskip("verl")
recipe = importlib.import_module("verl_recipes.preflight.recipe")


def results(env: str, **settings: Any) -> list[str]:
    config = configured("grpo", **{"clinic.env": env, **settings})
    return [str(found) for found in recipe.check(config)]


def test_a_reward_of_ones_own_is_tried() -> None:
    found = results(INTERACTIONS, **{"clinic.reward.mode": "own_recipe:brief_success"})
    assert found == [f"reward: {INTERACTIONS}: own_recipe:brief_success pays 0 for no answer"]
    with pytest.raises(ConfigError, match="pays nan on tiny_domain:INTERACTIONS"):
        results(INTERACTIONS, **{"clinic.reward.mode": "own_recipe:no_number"})
    assert results(INTERACTIONS) == []
