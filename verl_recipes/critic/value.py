"""The loop that trains a value model: predictions, fits, figures, and what a checkpoint keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from gym_clinic import ConfigError
from gym_clinic.names import call_with_options, import_named
from verl_recipes.settings import CriticSettings

PARTS = "critic.pt"
"""File of a checkpoint that holds the critic."""


def reader(settings: CriticSettings) -> Callable[[Mapping[str, Any]], Any] | None:
    """Return how a value model reads an `info`; None without one, a ConfigError if it cannot."""
    if settings.model is None:
        return None
    read = getattr(import_named(settings.model, "value model"), "read", None)
    if not callable(read):
        raise ConfigError(f"clinic.critic.model {settings.model!r} has no static method read(info)")
    found: Callable[[Mapping[str, Any]], Any] = read
    return found


class Critic:
    """A value model and its optimiser.

    The model is a ``torch.nn.Module`` with a static method ``read(info)``, which takes what the
    model needs from the `info` of a reset or step, as plain data, and a ``forward(states)`` from a
    list of those to their values (N,). It is trained on the CPU, in this process.

    Args:
        settings: Of the model.
        seed: Of its first weights and of the order of its mini-batches.

    Attributes:
        model: The model.
        read: How it reads an info.
        fits: Calls of :meth:`fit` so far.
    """

    def __init__(self, settings: CriticSettings, seed: int) -> None:
        read = reader(settings)
        if read is None:
            raise ConfigError("clinic.critic.model names no value model")
        self.read = read
        self.settings, self.seed, self.fits = settings, seed, 0
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            maker = import_named(str(settings.model), "value model")
            self.model: nn.Module = call_with_options(maker, settings.options, "clinic.critic")
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=settings.lr)

    @torch.no_grad()
    def values(self, states: Sequence[Any]) -> list[float]:
        """Return the value of each state."""
        return [float(value) for value in self._forward(states)] if states else []

    def value_of(self, info: Mapping[str, Any]) -> float:
        """Return the value of what the info of a reset or step shows."""
        return float(self.values([self.read(info)])[0])

    def fit(self, states: Sequence[Any], returns: Sequence[float]) -> dict[str, float]:
        """Move the values of states (N,) towards the returns (N,) by their squared error.

        Returns:
            Under ``critic/``: ``vf_loss``, the mean squared error before the fit, and
            ``vf_explained_var``, 1 - Var(return - value) / Var(return), also before it, 0 where all
            returns are equal; ``vf_loss_after``; means of ``values`` and ``returns``.

        Source: KACR paper, eq. 3 and algorithm 2, line 7.
        """
        target = torch.tensor(list(returns), dtype=torch.float32)
        before = torch.tensor(self.values(states), dtype=torch.float32)
        order = torch.Generator().manual_seed(self.seed * 1_000_003 + self.fits)
        for _ in range(self.settings.epochs):
            for rows in torch.randperm(len(states), generator=order).split(self.settings.batch):
                self.optimizer.zero_grad()
                found = self._forward([states[row] for row in rows.tolist()])
                nn.functional.mse_loss(found, target[rows]).backward()
                self.optimizer.step()
        self.fits += 1
        after = torch.tensor(self.values(states), dtype=torch.float32)
        spread = float(target.var(correction=0))
        unexplained = float((target - before).var(correction=0))
        return {
            "critic/vf_loss": float((target - before).square().mean()),
            "critic/vf_loss_after": float((target - after).square().mean()),
            "critic/vf_explained_var": 1.0 - unexplained / spread if spread > 0.0 else 0.0,
            "critic/values": float(before.mean()),
            "critic/returns": float(target.mean()),
        }

    def state_dict(self) -> dict[str, Any]:
        """Return what a checkpoint keeps."""
        return {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "fits": self.fits,
            "settings": asdict(self.settings),
            "seed": self.seed,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up where :meth:`state_dict` left off."""
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.fits = int(state["fits"])

    def _forward(self, states: Sequence[Any]) -> Tensor:
        found: Tensor = self.model(list(states))
        if found.shape != (len(states),):
            raise ConfigError(
                f"clinic.critic.model returns values of shape {tuple(found.shape)} for "
                f"{len(states)} states; expected ({len(states)},)"
            )
        return found


def load(path: str | Path) -> Critic:
    """Return the critic that a run of ``--method ppo`` saved, to judge states outside training.

    Its ``value_of(info)`` is the value of what the info of a reset or step shows.

    Args:
        path: ``critic.pt``, or the folder of the checkpoint that holds it.

    Raises:
        ConfigError: If there is none, or it does not say which model it is of.
    """
    file = Path(path)
    file = file / PARTS if file.is_dir() else file
    if not file.is_file():
        raise ConfigError(
            f"no critic at {str(file)!r}; a run of --method ppo saves one with each checkpoint"
        )
    state = torch.load(file, weights_only=True, map_location="cpu")
    if not isinstance(state, Mapping) or "settings" not in state:
        raise ConfigError(f"{str(file)!r} does not name the model of its weights: it is no {PARTS}")
    made = Critic(CriticSettings(**state["settings"]), int(state["seed"]))
    made.load_state_dict(state)
    made.model.eval()
    return made
