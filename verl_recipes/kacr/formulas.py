"""The formulas of the KACR paper on plain numbers, by the code that training runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from gym_clinic import ConfigError
from gym_clinic.domains.kacr.critic import convolve, horizon
from gym_clinic.domains.kacr.critic.network import ACTIVATIONS
from verl_recipes.critic.gae import turn_advantages

Vector = Sequence[float]
Matrix = Sequence[Vector]


class GraphReading(NamedTuple):
    """What the critic makes of a graph.

    Attributes:
        hL: The nodes after the last convolution (N, H).
        hG: Their mean (H,).
        p: The probability; None without the text and MLP_2.
    """

    hL: list[list[float]]
    hG: list[float]
    p: float | None


class TurnAdvantages(NamedTuple):
    """What generalised advantage estimation makes of an episode, each (T,).

    Attributes:
        adv: Advantages.
        ret: Returns, which the critic fits.
        H: The largest return from each turn on, so that V = p * H with p in [0, 1].
    """

    adv: list[float]
    ret: list[float]
    H: list[float]


class PPOObjectives(NamedTuple):
    """The two objectives of PPO.

    Attributes:
        actor_maximise: Mean of the clipped surrogate.
        critic_minimise: Mean squared error of the values; None without them.
    """

    actor_maximise: float
    critic_minimise: float | None


def rgcn(
    h0: Matrix, edges: Mapping[str, Sequence[Sequence[int]]],
    W: Sequence[Mapping[str, Matrix]], W0: Sequence[Matrix],
    hS: Vector | None = None, mlp2: Sequence[tuple[Matrix, Vector]] | None = None,
    activation: str = "sigmoid",
) -> GraphReading:  # fmt: skip
    """Return what the critic makes of a graph.

    Args:
        h0: Features of the nodes (N, H_0).
        edges: Relation -> pairs (j, i): i hears j.
        W: Of each layer: relation -> W_r (H_l+1, H_l).
        W0: Of each layer: W_0 (H_l+1, H_l).
        hS: The text's vector (H_L,).
        mlp2: Weights and bias of each layer of MLP_2, with tanh between and a sigmoid at the end.
        activation: ``sigmoid`` as printed, or ``relu``.

    Source: KACR paper, eq. 1 and 2, and p = MLP_2((h_S + h_G) / 2).
    """
    if activation not in ACTIVATIONS:
        raise ConfigError(f"activation is one of {list(ACTIVATIONS)}, not {activation!r}")
    nodes = _double(h0)
    pairs = {name: torch.tensor(found).reshape(-1, 2).long() for name, found in edges.items()}
    for weights, own in zip(W, W0, strict=True):
        by_relation = {name: _double(weight) for name, weight in weights.items()}
        nodes = convolve(nodes, pairs, by_relation, _double(own), ACTIVATIONS[activation])
    mean, chance = nodes.mean(0), None
    if hS is not None and mlp2 is not None:
        joint = (_double(hS) + mean) / 2
        for number, (weight, bias) in enumerate(mlp2):
            joint = _double(weight) @ (joint if not number else joint.tanh()) + _double(bias)
        chance = float(torch.sigmoid(joint).squeeze())
    return GraphReading(nodes.tolist(), mean.tolist(), chance)


def gae(
    r: Vector, V: Vector, gamma: float = 0.9, lam: float = 0.95, pays: Sequence[int] | None = None
) -> TurnAdvantages:
    """Return advantages, returns and horizons of an episode.

    Args:
        r: Rewards of the turns (T,).
        V: Values of the states before the turns (T,), or with that of the end, which is 0 (T + 1,).
        gamma: Discount a turn; the paper's .9.
        lam: Decay of the advantage a turn; the paper's .95.
        pays: Positions of the turns that can pay, for H; all by default.

    Raises:
        ConfigError: If the lengths do not fit, or the end has another value than 0.

    Source: KACR paper, eq. 3 and 4.
    """
    turns = len(r)
    if len(V) not in (turns, turns + 1):
        raise ConfigError(f"{len(V)} values of {turns} turns; expected {turns} or {turns + 1}")
    if any(V[turns:]):
        raise ConfigError(f"V ends with {V[-1]}; the value after the last turn is 0")
    can = range(turns) if pays is None else pays
    if beyond := [turn for turn in can if not 0 <= turn < turns]:
        raise ConfigError(f"pays names turn {beyond[0]} of {turns}")
    advantages, returns = turn_advantages(r, V[:turns], gamma=gamma, lam=lam)
    largest = [horizon(gamma, [k - turn for k in can if k >= turn]) for turn in range(turns)]
    return TurnAdvantages(advantages, returns, largest)


def ppo(
    logp: Vector, old: Vector, adv: Vector, eps: float = 0.2,
    V: Vector | None = None, ret: Vector | None = None,
) -> PPOObjectives:  # fmt: skip
    """Return the objectives of actor and critic.

    The actor's is verl's own loss in training; a test holds the two together.

    Args:
        logp: Log-probabilities of the actions under the policy (T,).
        old: Under the policy that acted (T,).
        adv: Advantages (T,).
        eps: Clip; the paper's .2.
        V: Values (T,), or with that of the end (T + 1,).
        ret: Returns (T,).

    Source: KACR paper, eq. 3.
    """
    advantages = _double(adv)
    ratio = (_double(logp) - _double(old)).exp()
    surrogate = torch.minimum(ratio * advantages, ratio.clamp(1 - eps, 1 + eps) * advantages)
    error = None
    if V is not None and ret is not None:
        error = float((_double(V)[: len(ret)] - _double(ret)).square().mean())
    return PPOObjectives(float(surrogate.mean()), error)


def _double(values: Vector | Matrix) -> Tensor:
    return torch.as_tensor(values, dtype=torch.float64)
