"""PPO with GAE, the graph critic and verl's policy loss, on a tiny Qwen3 model and a walk."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from verl_recipes.critic.gae import turn_advantages
from verl_recipes.settings import CriticSettings

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("verl")
policy_loss = importlib.import_module("verl.trainer.ppo.core_algos").get_policy_loss_fn("vanilla")
Critic = importlib.import_module("verl_recipes.critic.value").Critic

TURNS, EPISODES, STEPS = 3, 32, 10
GAMMA, LAM = 0.9, 0.95  # the KACR paper's
SHOWN, SAID = (100, 101), (200, 201)  # tokens that show a state, and the two moves


def graph(goal: int, turn: int) -> dict[str, Any]:
    """Return a state: two nodes, one of which is the goal of this turn."""
    nodes = [[1.0, float(node == goal)] for node in (0, 1)]
    edges = {"leads_to": [(1 - goal, goal)]}
    return {"nodes": nodes, "edges": edges, "turns_left": TURNS - turn}


class Walk:
    """Episodes of three turns: the move to the goal that the prompt shows pays 1, any other 0."""

    def __init__(self, model: Any, generator: Any) -> None:
        self.goals = torch.randint(2, (EPISODES, TURNS), generator=generator)
        self.ids = torch.zeros(EPISODES, 0, dtype=torch.long)
        moves = []
        for turn in range(TURNS):
            shown = torch.tensor(SHOWN)[self.goals[:, turn]].unsqueeze(1)
            self.ids = torch.cat([self.ids, shown], 1)
            with torch.no_grad():
                chances = choices(model, self.ids)[:, -1].exp()
            moves.append(torch.multinomial(chances, 1, generator=generator))
            self.ids = torch.cat([self.ids, torch.tensor(SAID)[moves[-1]]], 1)
        self.moves = torch.cat(moves, 1)
        self.rewards = (self.moves == self.goals).float()

    def log_probs(self, model: Any) -> Any:
        """Return those of the moves (episodes, turns)."""
        return (
            choices(model, self.ids[:, :-1])[:, ::2].gather(2, self.moves.unsqueeze(2)).squeeze(2)
        )

    def states(self) -> list[Any]:
        return [graph(int(goal), turn) for row in self.goals for turn, goal in enumerate(row)]


def choices(model: Any, ids: Any) -> Any:
    """Return the log-probabilities of the two moves after each token."""
    return model(input_ids=ids).logits[..., list(SAID)].log_softmax(-1)


def test_ppo_learns_what_the_critic_sees(tiny_model: Path) -> None:
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(0)
    model = transformers.AutoModelForCausalLM.from_pretrained(tiny_model)
    model.eval()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
    options = {"features": 2, "relations": ["leads_to"], "gamma": GAMMA, "hidden": 8, "text": None}
    settings = CriticSettings(
        "gym_clinic.domains.kacr.critic:GraphValue", options, lr=1e-2, epochs=2
    )
    critic = Critic(settings, seed=0)
    clip = SimpleNamespace(
        clip_ratio=0.2,
        clip_ratio_low=0.2,
        clip_ratio_high=0.2,
        get=lambda name, default=None: default,
        global_batch_info={},
    )
    paid, figures = [], []
    for _ in range(STEPS):
        walk = Walk(model, generator)
        values = torch.tensor(critic.values(walk.states())).view(EPISODES, TURNS)
        found = [
            turn_advantages(rewards, before, gamma=GAMMA, lam=LAM)
            for rewards, before in zip(walk.rewards.tolist(), values.tolist(), strict=True)
        ]
        advantages = torch.tensor([row for row, _ in found])
        old = walk.log_probs(model).detach()
        for _ in range(2):
            optimizer.zero_grad()
            loss, _ = policy_loss(
                old, walk.log_probs(model), advantages, torch.ones_like(advantages), config=clip
            )
            loss.backward()
            optimizer.step()
        figures.append(critic.fit(walk.states(), [value for _, row in found for value in row]))
        paid.append(float(walk.rewards.mean()))
    assert paid[0] < 0.65
    assert sum(paid[-3:]) / 3 > 0.9
    # How much a state pays depends on the turns left and, ever more, on nothing else.
    assert figures[-1]["critic/vf_explained_var"] > 0.8
    assert figures[-1]["critic/vf_loss"] < 0.5 * figures[0]["critic/vf_loss"]
