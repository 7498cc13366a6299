"""Which tokens are credited with a reward, where the policy decides when to stop and tools answer.

Two ways to get it wrong are known: to normalise rewards by the number of the turn, which is biased
once the policy decides how many there are (verl issue 7244), and to begin the reward-to-go anew at
the tokens of a tool (verl issue 6376). Advantages are those of the trainer, by verl's estimators.
"""

from __future__ import annotations

import importlib
import math
import statistics
from collections.abc import Callable, Sequence
from typing import Any

import pytest

pytest.importorskip("verl")
torch = pytest.importorskip("torch")
tq = pytest.importorskip("transfer_queue")
OmegaConf = pytest.importorskip("omegaconf").OmegaConf
training = importlib.import_module("verl_recipes.trainer.trainer")
settings = importlib.import_module("verl_recipes.settings")
Fields = importlib.import_module("fake_fields").Fields

Rows = list[list[float]]

STOP = [1.0]
GO_ON = [1.0, 0.0, 0.0, 1.0]
"""Masks of the responses: one turn; a turn, two tokens of a tool, another turn."""


def advantages(
    monkeypatch: pytest.MonkeyPatch,
    masks: Sequence[Sequence[float]],
    rewards: Sequence[float],
    *,
    by_std: bool = False,
    values: Sequence[Sequence[float]] | None = None,
    **algorithm: Any,
) -> Rows:
    """Return what the trainer makes of one group of trajectories, each paid at its end."""
    one = object.__new__(training.ClinicTrainer)
    chosen = {
        "adv_estimator": "grpo", "gamma": 1.0, "lam": 1.0, "use_kl_in_reward": False,
        "norm_adv_by_std_in_grpo": by_std,
    }  # fmt: skip
    actor = {"loss_agg_mode": "token-mean"}
    one.config = OmegaConf.create(
        {
            "algorithm": {**chosen, **algorithm},
            "actor_rollout_ref": {"rollout": {"n": len(masks)}, "actor": actor},
        }
    )
    one.clinic = settings.ClinicSettings()
    keys = [f"a_{session}_0" for session in range(len(masks))]
    paid = [[0.0] * (len(mask) - 1) + [of] for mask, of in zip(masks, rewards, strict=True)]
    fields = Fields(
        keys,
        uid=["a"] * len(keys),
        response_mask=[torch.tensor(mask) for mask in masks],
        rm_scores=[torch.tensor(row) for row in paid],
        values=[torch.tensor(row) for row in values or [[0.0] * len(mask) for mask in masks]],
    )
    fields.tags = [{}] * len(keys)
    for name in ("kv_batch_get", "kv_batch_put"):
        monkeypatch.setattr(tq, name, getattr(fields, name))
    one._compute_advantage(tq.KVBatchMeta(partition_id="train", keys=keys, tags=fields.tags), {})
    return [row.tolist() for row in fields.columns["advantages"].values()]


# --- the policy decides when to stop ---

SAMPLES = 3


def gradient(chance: float, credit: Callable[[list[bool]], list[float]]) -> float:
    """Return the expected policy gradient by the logit of going on, exactly: over all groups.

    Args:
        chance: Of going on after the first turn.
        credit: Advantages of the first turn, from which members of a group went on.
    """
    expected = 0.0
    for on in range(SAMPLES + 1):
        group = [True] * on + [False] * (SAMPLES - on)
        often = math.comb(SAMPLES, on) * chance**on * (1 - chance) ** (SAMPLES - on)
        slopes = [1 - chance if went_on else -chance for went_on in group]
        found = zip(credit(group), slopes, strict=True)
        expected += often * statistics.fmean(advantage * slope for advantage, slope in found)
    return expected


def normalised_by_turn(stopped: list[float], went_on: list[float]) -> Any:
    """Return the advantage of the first turn by the construction of issue 7244."""

    def credit(group: list[bool]) -> list[float]:
        rewards = [went_on if on else stopped for on in group]
        found = [0.0] * len(group)
        for turn in range(max(map(len, rewards))):
            there = [row for row, of in enumerate(rewards) if len(of) > turn]
            mean = statistics.fmean(rewards[row][turn] for row in there)
            for row in there:
                found[row] += rewards[row][turn] - mean
        return found

    return credit


@pytest.mark.parametrize("chance", [0.1, 0.5, 0.8])
@pytest.mark.parametrize(
    ("stopped", "went_on"), [([1.0], [0.0, 1.0]), ([0.25], [0.5, 0.5]), ([1.0], [1.0, -0.5])]
)
def test_credit_is_unbiased_where_the_policy_decides_when_to_stop(
    chance: float, stopped: list[float], went_on: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    def credit(group: list[bool]) -> list[float]:
        rewards = [sum(went_on if on else stopped) for on in group]
        masks = [GO_ON if on else STOP for on in group]
        found = advantages(monkeypatch, masks, rewards)
        for row, mask in zip(found, masks, strict=True):
            # All policy tokens of a trajectory have one advantage, those of tools none.
            assert row == pytest.approx([row[0] * ours for ours in mask])
        return [row[0] for row in found]

    # Of the return that is maximised; a group's own mean as the baseline takes 1/n of it.
    true = chance * (1 - chance) * (sum(went_on) - sum(stopped))
    shrunk = (SAMPLES - 1) / SAMPLES
    assert gradient(chance, credit) == pytest.approx(shrunk * true, abs=1e-6)
    biased = gradient(chance, normalised_by_turn(stopped, went_on))
    assert abs(biased - shrunk * true) > 0.02  # so the case can tell the two apart


def test_turns_that_pay_the_same_in_sum_are_no_reason_to_stop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also with the deviation of the group, as GRPO has it; by turn, stopping would be paid."""
    found = advantages(monkeypatch, [STOP, GO_ON, GO_ON], [1.0, 1.0, 1.0], by_std=True)
    assert found == [[0.0] * len(mask) for mask in (STOP, GO_ON, GO_ON)]
    assert normalised_by_turn([1.0], [0.0, 1.0])([False, True, True])[0] > 0.5


# --- a tool answers in between ---


def spread(values: Sequence[float], mask: Sequence[float], fill: float) -> list[float]:
    """Return values of policy tokens with others in the places of a tool's tokens."""
    left = iter(values)
    return [next(left) if ours else fill for ours in mask]


@pytest.mark.parametrize("estimator", ["grpo", "gae"])
@pytest.mark.parametrize(("gamma", "lam"), [(1.0, 1.0), (0.5, 1.0), (0.9, 0.8)])
def test_the_answers_of_tools_change_no_credit(
    estimator: str, gamma: float, lam: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A token before the answer is credited as if the next one of the policy came at once."""
    masks = [[1.0, 1.0, 0.0, 0.0, 1.0, 1.0], [1.0, 0.0, 1.0, 1.0]]
    rewards, values = [1.0, -0.5], [[0.1, 0.4, 0.2, 0.7], [0.3, -0.2, 0.5]]
    how = {"adv_estimator": estimator, "gamma": gamma, "lam": lam}
    plain = advantages(
        monkeypatch, [[1.0] * len(row) for row in values], rewards, values=values, **how
    )
    told = [spread(row, mask, 9.0) for row, mask in zip(values, masks, strict=True)]
    found = advantages(monkeypatch, masks, rewards, values=told, **how)
    for row, mask, expected in zip(found, masks, plain, strict=True):
        ours = [value for value, kept in zip(row, mask, strict=True) if kept]
        assert ours == pytest.approx(expected, abs=1e-5)
    assert plain[0][0] != 0.0


def test_the_reward_to_go_reaches_the_turn_before_a_tool() -> None:
    """The case of verl issue 6376, with the estimator that a critic goes with."""
    gae = importlib.import_module("verl.trainer.ppo.core_algos").compute_gae_advantage_return
    reward, mask = torch.tensor([[0.0, 0.0, 1.0]]), torch.tensor([[1.0, 0.0, 1.0]])
    _, returns = gae(reward, torch.zeros(1, 3), mask, gamma=0.5, lam=1.0)
    assert (returns[0, 0].item(), returns[0, 2].item()) == (0.5, 1.0)
