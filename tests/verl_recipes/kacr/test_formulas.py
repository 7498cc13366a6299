"""The formulas of the KACR paper: the reference values, and verl's loss."""

from __future__ import annotations

import importlib
from types import SimpleNamespace
from typing import Any

import pytest

from gym_clinic import ConfigError

torch = pytest.importorskip("torch")
kacr = importlib.import_module("verl_recipes.kacr")


def close(expected: Any) -> Any:
    return pytest.approx(expected, abs=1e-9)


def test_golden_rgcn(golden: Any) -> None:
    case = golden["001_rgcn"]
    given = {name: case[name] for name in ("h0", "edges", "W", "W0", "hS", "mlp2")}
    reading = kacr.rgcn(**given)
    assert [close(row) for row in case["hL"]] == reading.hL
    assert reading.hG == close(case["hG"])
    assert reading.p == close(case["p"])
    assert kacr.rgcn(*list(given.values())[:4]).p is None
    assert kacr.rgcn(**given, activation="relu").p != close(case["p"])


def test_golden_gae(golden: Any) -> None:
    case = golden["001_gae"]
    found = kacr.gae(case["r"], case["V"], case["gamma"], case["lam"])
    for name in ("adv", "ret", "H"):
        assert getattr(found, name) == close(case[name])
    assert kacr.gae(case["r"], case["V"][:-1], case["gamma"], case["lam"]) == found


def test_golden_ppo(golden: Any) -> None:
    case, turns = golden["001_ppo"], golden["001_gae"]
    given = case["logp"], case["old"], turns["adv"], case["eps"]
    found = kacr.ppo(*given, turns["V"], turns["ret"])
    assert found.actor_maximise == close(case["actor_maximise"])
    assert found.critic_minimise == close(case["critic_minimise"])
    assert kacr.ppo(*given) == (found.actor_maximise, None)


def test_the_actors_objective_is_verls_loss() -> None:
    algos = pytest.importorskip("verl.trainer.ppo.core_algos")
    draw = torch.Generator().manual_seed(0)
    new, old, adv = torch.randn(3, 1, 12, generator=draw, dtype=torch.float64)
    adv = adv.abs()  # verl clips far negative advantages a second time
    clip = SimpleNamespace(
        clip_ratio=0.2, clip_ratio_low=0.2, clip_ratio_high=0.2,
        get=lambda name, default=None: default, global_batch_info={},
    )  # fmt: skip
    loss, _ = algos.get_policy_loss_fn("vanilla")(old, new, adv, torch.ones_like(adv), config=clip)
    found = kacr.ppo(*(row[0].tolist() for row in (new, old, adv)), 0.2)
    assert -float(loss) == pytest.approx(found.actor_maximise, abs=1e-6)


def test_horizons_count_the_turns_that_can_pay() -> None:
    found = kacr.gae([0, 0, 1] * 2, [0.0] * 6, 0.9, 0.95, pays=[2, 5])
    assert close(found.ret) == found.H  # every turn that could pay has paid


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (([1, 0], [0.1]), "1 values of 2 turns; expected 2 or 3"),
        (([1], [0.1, 0.5]), "V ends with 0.5; the value after the last turn is 0"),
        (([1], [0.1], 0.9, 0.95, [1]), "pays names turn 1 of 1"),
    ],
)
def test_lengths_that_do_not_fit_are_refused(given: Any, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        kacr.gae(*given)
