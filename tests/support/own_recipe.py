"""A recipe of anybody's own: a reward, hints, a trainer and a method, each named module:NAME."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from verl_recipes.settings import RewardSettings


def brief_success(record: Mapping[str, float], settings: RewardSettings) -> float:
    """Return 1 for a success, less a tenth a call."""
    return record["success"] - 0.1 * record["calls"]


def sober(hints: Any, success: bool, digest: bytes) -> str:
    """Return the first hint of the outcome, whatever the digest."""
    return str((hints.correct if success else hints.incorrect)[0])


def no_number(record: Mapping[str, float], settings: RewardSettings) -> float:
    """Return no number."""
    return float("nan")


def needs_more(record: Mapping[str, float]) -> float:
    """Take too few arguments."""
    return record["total"]


def sober_config(config: Any) -> Any:
    """Return no trainer."""
    return config


def __getattr__(name: str) -> Any:
    # Where verl is not installed, the rest can be imported all the same.
    if name == "OwnTrainer":
        from verl_recipes.ttopd.trainer import TTOPDTrainer

        made = type("OwnTrainer", (TTOPDTrainer,), {"__module__": __name__})
        globals()[name] = made
        return made
    raise AttributeError(name)


METHOD: dict[str, Any] = {
    "defaults": ["ttopd"],
    "clinic": {
        "reward": {"mode": "own_recipe:brief_success"},
        "hints": {"mode": "own_recipe:sober"},
        "env_kwargs": {"max_turns": 5},
    },
    "trainer": {"v1": {"trainer_mode": "own_recipe:OwnTrainer"}},
}

PLAIN = {"clinic": {"reward": {"mode": "own_recipe:brief_success"}}}
MISSPELT = {"clinic": {"reward": {"mod": "env"}}}
TWO = {"defaults": ["ttopd", "grpo"]}
UNKNOWN = {"defaults": ["ttopdd"]}
