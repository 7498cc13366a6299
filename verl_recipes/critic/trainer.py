"""PPO: verl's policy update with advantages by turn from a critic of one's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from omegaconf import DictConfig
from transfer_queue import KVBatchMeta
from verl.trainer.ppo.v1.trainer_base import register_trainer

from gym_clinic.domains.kacr.critic import GraphValue, measure_calibration, save_critic
from verl_recipes.critic.gae import turn_advantages
from verl_recipes.critic.value import PARTS, Critic
from verl_recipes.trainer.trainer import ClinicTrainer


@register_trainer("ppo")
class CriticTrainer(ClinicTrainer):
    """PPO with generalised advantages over turns (KACR paper, section 3.1.3 and appendix D).

    verl updates the policy; the values, their advantages and the critic are ours.

    Attributes:
        critic: The value model.
    """

    def __init__(self, config: DictConfig) -> None:
        super().__init__(config)
        self.critic = Critic(self.clinic.critic, self.clinic.seed)

    def _compute_advantage(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> KVBatchMeta:
        masks = self._get(batch, "response_mask")
        fields = self._get(batch, "extra_fields")
        seen = [
            None if tag.get("is_padding") else found.get("critic")
            for tag, found in zip(batch.tags, fields, strict=True)
        ]
        states = [state for row in seen if row for state in row["states"]]
        predicted = self.critic.values(states)
        values = iter(predicted)
        how = self.config.algorithm
        advantages, returns, targets = [], [], []
        for row, mask, change in zip(seen, masks, self._changes(batch), strict=True):
            gains, totals, turns = [0.0], [0.0], [0] * len(mask)
            if row:
                before = [next(values) for _ in row["states"]]
                rewards = [*row["rewards"][:-1], row["rewards"][-1] + change]
                gain, total = turn_advantages(rewards, before, gamma=how.gamma, lam=how.lam)
                gains, totals, turns = gains + gain, totals + total, row["turn_ids"]
                targets += total
            # Turn 0 is what the policy did not write.
            advantages.append(torch.tensor(gains)[turns] * mask * self.clinic.advantage_scale)
            returns.append(torch.tensor(totals)[turns] * mask)
        if targets:
            if isinstance(self.critic.model, GraphValue):
                metrics |= self._calibration(states, predicted, targets)
            metrics |= self.critic.fit(states, targets)
        return self._put(batch, advantages=advantages, returns=returns)

    def _calibration(
        self, states: Sequence[Any], values: Sequence[float], returns: Sequence[float]
    ) -> dict[str, float]:
        """Return how far p was from the share of the payable return that came, before the fit."""
        shares = [
            (value / largest, min(max(total / largest, 0.0), 1.0))
            for value, total, largest in zip(
                values, returns, self.critic.model.horizons(states), strict=True
            )
            if largest > 0.0
        ]
        if not shares:
            return {}
        found = measure_calibration([p for p, _ in shares], [share for _, share in shares])
        return {"critic/p_calibration_error": found.error, "critic/p_brier": found.brier}

    def _check(self, metrics: Mapping[str, float]) -> None:
        # Groups are not compared here, so it does not matter how many are mixed.
        super()._check({k: v for k, v in metrics.items() if k != "clinic/mixed_fraction"})

    def save_parts(self, folder: Path) -> None:
        """Save the critic, and what GRPO saves; a graph critic also as consultations load it."""
        super().save_parts(folder)
        folder.mkdir(parents=True, exist_ok=True)
        if isinstance(self.critic.model, GraphValue):
            save_critic(self.critic.model, folder)
        beside = folder / f"{PARTS}.part"
        torch.save(self.critic.state_dict(), beside)
        beside.replace(folder / PARTS)

    def load_parts(self, folder: Path) -> None:
        """Restore the critic, and what GRPO saves."""
        super().load_parts(folder)
        self.critic.load_state_dict(torch.load(folder / PARTS, weights_only=True))
