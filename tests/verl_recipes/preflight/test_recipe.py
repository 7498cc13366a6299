"""A critic and a reward of anybody's own are tried before a run starts."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from scripted_rollout import INTERACTIONS, configured

from gym_clinic import ConfigError

pytest.importorskip("verl")
torch = pytest.importorskip("torch")
recipe = importlib.import_module("verl_recipes.preflight.recipe")

GRAPH = {
    "model": "verl_recipes.critic.graph:GraphValue",
    "options": {"features": 2, "relations": ["checked"], "hidden": 4},
}


class Reckless(torch.nn.Module):  # type: ignore[misc,name-defined]
    """Reads what is not there after a step."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))

    @staticmethod
    def read(info: Any) -> Any:
        return info["max_turns"]

    def forward(self, states: Any) -> Any:
        return self.weight.expand(len(states))


def results(env: str, **settings: Any) -> list[str]:
    config = configured("grpo", **{"clinic.env": env, **settings})
    return [str(found) for found in recipe.check(config)]


def test_a_critic_that_reads_the_info_is_said_to() -> None:
    found = results("graph_domain:GRAPHS", **{"clinic.critic": GRAPH})
    assert found == [f"critic: graph_domain:GRAPHS: {GRAPH['model']} reads its info"]


@pytest.mark.parametrize(
    ("critic", "says"),
    [
        (GRAPH, r"the critic needs info\['graph'\]; the environment has"),
        ({"model": f"{__name__}:Reckless"}, "after a step: KeyError: 'max_turns'"),
        ({"model": f"{__name__}:GRAPH"}, "has no static method"),
        ({**GRAPH, "options": {"features": 2}}, r"needs the option \['relations'\]"),
    ],
)
def test_a_critic_that_cannot_is_refused(critic: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        results(INTERACTIONS, **{"clinic.critic": critic})


def test_a_reward_of_ones_own_is_tried() -> None:
    found = results(INTERACTIONS, **{"clinic.reward.mode": "own_recipe:brief_success"})
    assert found == [f"reward: {INTERACTIONS}: own_recipe:brief_success pays 0 for no answer"]
    with pytest.raises(ConfigError, match="pays nan on tiny_domain:INTERACTIONS"):
        results(INTERACTIONS, **{"clinic.reward.mode": "own_recipe:no_number"})
    assert results(INTERACTIONS) == []
