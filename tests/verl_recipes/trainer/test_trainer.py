"""What the trainer adds to verl's step: the advantages of a batch, and the figures of all drawn."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from fake_queue import Queue, buffer

from verl_recipes.schedule.stages import Schedule

pytest.importorskip("verl")
torch = pytest.importorskip("torch")
tq = pytest.importorskip("transfer_queue")
OmegaConf = pytest.importorskip("omegaconf").OmegaConf
training = importlib.import_module("verl_recipes.trainer.trainer")
settings = importlib.import_module("verl_recipes.settings")
Fields = importlib.import_module("fake_fields").Fields
OWN_KEYS = importlib.import_module("verl_recipes.agent_loop.environment").OWN_KEYS


def trainer(estimator: str = "grpo", **clinic: Any) -> Any:
    """Return a trainer without its workers."""
    one = object.__new__(training.ClinicTrainer)
    algorithm = {"adv_estimator": estimator, "gamma": 1.0, "lam": 1.0, "use_kl_in_reward": False}
    actor = {"loss_agg_mode": "token-mean"}
    one.config = OmegaConf.create(
        {
            "algorithm": algorithm,
            "actor_rollout_ref": {"rollout": {"n": 2}, "actor": actor},
            "trainer": {"default_local_dir": "no/such/folder"},
        }
    )
    one.clinic = settings.ClinicSettings(**clinic)
    one.weights, one.alarms, one.global_steps = {"a/A-v0": {}}, training.Alarms(), 1
    one.schedule, one.best = Schedule(()), None
    return one


def step(monkeypatch: pytest.MonkeyPatch, scores: dict[str, list[float]], constant: str) -> Any:
    """Store a step: groups of rows of 1, 2, … policy tokens, each after one of a tool."""
    keys = [f"{uid}_{n}_0" for uid, of in scores.items() for n in range(len(of))]
    masks = [torch.tensor([0.0] + [1.0] * (n + 1)) for n in range(len(keys))]
    flat = [score for of in scores.values() for score in of]
    rewards = [
        torch.cat([torch.zeros(len(mask) - 1), torch.tensor([score])])
        for mask, score in zip(masks, flat, strict=True)
    ]
    values = [torch.zeros(len(mask)) for mask in masks]
    uids = [key.split("_")[0] for key in keys]
    fields = Fields(keys, uid=uids, response_mask=masks, rm_scores=rewards, values=values)
    fields.tags = [{"constant": uid in constant} for uid in uids]
    for name in ("kv_batch_get", "kv_batch_put"):
        monkeypatch.setattr(tq, name, getattr(fields, name))
    return tq.KVBatchMeta(partition_id="train", keys=keys, tags=fields.tags), fields


def advantages(fields: Any) -> list[list[float]]:
    return [row.tolist() for row in fields.columns["advantages"].values()]


def test_constant_groups_have_no_advantage_and_the_mixed_ones_their_share(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    batch, fields = step(monkeypatch, {"a": [1.0, 0.0], "b": [1.0, 3.0]}, constant="b")
    metrics: dict[str, float] = {}
    trainer()._compute_advantage(batch, metrics)
    # 1 and 2 policy tokens of 10 carry an advantage; a group's is ±1/√2 with n - 1.
    scale = 10 / 3
    assert metrics["clinic/policy_scale"] == pytest.approx(scale)
    one, other, *rest = advantages(fields)
    assert one == pytest.approx([0.0, scale * 0.7071], abs=1e-3)
    assert other == pytest.approx([0.0, -scale * 0.7071, -scale * 0.7071], abs=1e-3)
    assert not any(value for row in rest for value in row)


def test_a_lone_row_has_no_advantage_and_the_controls_scale_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    batch, fields = step(monkeypatch, {"a": [1.0, 0.0], "b": [5.0]}, constant="")
    trainer(advantage_scale=-1.0)._compute_advantage(batch, {})
    one, _, lone = advantages(fields)
    assert one[1] == pytest.approx(-2.0 * 0.7071, abs=1e-3)  # 3 of 6 tokens carry one
    assert lone == [0.0] * 4


def test_single_rows_keep_their_advantage_where_a_critic_is_the_baseline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    batch, fields = step(monkeypatch, {"a": [1.0], "b": [0.0]}, constant="")
    metrics: dict[str, float] = {}
    trainer("gae")._compute_advantage(batch, metrics)
    one, other = advantages(fields)
    assert one[1] > 0.5
    assert other[1] < -0.2
    assert metrics == {}


def test_figures_are_of_all_that_were_drawn_with_the_trained_ones_beside_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """16 of 48 trajectories are trained on; those left out are short failures that were cut."""
    queue = Queue()
    for name in ("kv_list", "kv_batch_get", "kv_clear"):
        monkeypatch.setattr(tq, name, getattr(queue, name))
    monkeypatch.setattr(training.StagedTrainer, "_compute_metrics", lambda *_: None)

    def draw(first: int, last: int) -> None:
        for number in range(first, last):
            mixed = number >= 8
            queue.group(f"s000001n{number:05d}", [1.0, 0.0, 0.0, 0.0] if mixed else [0.0] * 4)
            for session in range(4):
                record = queue.records[f"s000001n{number:05d}_{session}_0"]
                turns = 4.0 if mixed else 1.0
                cut = {"turns": turns, "truncated": float(not mixed), "response_tokens": 10 * turns}
                queue.records[f"s000001n{number:05d}_{session}_0"] = (
                    dict.fromkeys(OWN_KEYS, 0.0) | record | cut
                )

    sampler = buffer(lambda count: draw(4, 12))
    draw(0, 4)
    batch, metrics = sampler.sample(1, "train", 4)
    one = trainer()
    one.replay_buffer = sampler
    one._compute_metrics(batch, metrics, {}, 1, 0)
    expected = {
        "n": (48.0, 16.0), "success": (4 / 48, 0.25), "turns/mean": (2.0, 4.0),
        "clip_ratio": (32 / 48, 0.0), "response_tokens/mean": (20.0, 40.0), "groups": (12.0, 4.0),
        "single_turn": (32 / 48, 0.0),
    }  # fmt: skip
    for name, (drawn, trained) in expected.items():
        assert metrics[f"clinic/{name}"] == pytest.approx(drawn), name
        assert metrics[f"clinic/trained/{name}"] == pytest.approx(trained), name
    assert metrics["clinic/mixed_fraction"] == pytest.approx(1 / 3)
    # Alarms read the figures of all: two thirds were cut, though none that was trained on.
    assert "67% of the trajectories truncated" in capsys.readouterr().out


@pytest.mark.parametrize(("method", "metric"), [("grpo", "correct"), ("ppo", None)])
def test_verl_makes_our_replay_buffer(method: str, metric: str | None) -> None:
    composing = importlib.import_module("verl_recipes.config.compose")
    request = importlib.import_module("verl_recipes.request").RunRequest
    more = ("clinic.max_refills=5", "clinic.stall_s=40")
    one = object.__new__(training.ClinicTrainer)
    one.config = composing.compose(request(method=method, model="tiny", overrides=more))
    one.trainer_mode = "sync"
    made = one._build_replay_buffer()
    assert type(made).__name__ == "BoundedReplayBuffer"
    assert (made.metric, made.max_refills, made.stall_s) == (metric, 5, 40.0)
    assert made.refill_fn == one._add_prompts_to_generate
