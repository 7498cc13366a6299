"""A walk in the agent loop: what its turns are paid reaches their own tokens, by way of GAE."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from fake_fields import Fields
from scripted_rollout import play as roll_out
from scripted_rollout import row

from gym_clinic.domains.kacr.state import FEATURES
from gym_clinic.policies import oracle, play
from verl_recipes.agent_loop.environment import make_env
from verl_recipes.critic.gae import turn_advantages
from verl_recipes.kacr import sft
from verl_recipes.settings import ClinicSettings, CriticSettings

torch = pytest.importorskip("torch")
pytest.importorskip("verl")
tq = pytest.importorskip("transfer_queue")
OmegaConf = pytest.importorskip("omegaconf").OmegaConf
training = importlib.import_module("verl_recipes.critic.trainer")
compose = importlib.import_module("verl_recipes.config.compose").compose

ID = "clinic/DisciplineGraph-v0"
SMALL = {"iterations": 2, "nodes": 3, "disciplines": 1, "explored": 12, "description": "none"}
ROOM = {
    "actor_rollout_ref.rollout.prompt_length": 12_000,
    "actor_rollout_ref.rollout.response_length": 12_000,
}


@pytest.fixture(scope="module")
def walk(tokenizer: Any) -> tuple[list[str], Any]:
    """The actions of a right walk, and the trajectory of a policy that says them."""
    env = make_env(ID, {**SMALL, "split": "train"})
    task = env.tasks[0]
    turns = play(env, task, oracle(env)(0)).episode.turns
    actions = [turn.action for turn in turns]
    settings = {"clinic.env_kwargs": SMALL, **ROOM}
    out = roll_out(tokenizer, lambda turn: actions[turn], "kacr", row(ID, task.id), **settings)
    return actions, out


def test_a_turn_that_selects_disciplines_is_paid_and_no_other(walk: Any) -> None:
    _, out = walk
    seen = out.extra_fields["critic"]
    assert seen["rewards"] == [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]
    pays = [state["pays"] for state in seen["states"]]
    assert pays == [[2, 5], [1, 4], [0, 3], [2], [1], [0]]


def test_the_tokens_of_a_turn_are_what_the_policy_said_in_it(tokenizer: Any, walk: Any) -> None:
    actions, out = walk
    turns = out.extra_fields["critic"]["turn_ids"]
    for number, action in enumerate(actions, 1):
        own = [token for token, turn in zip(out.response_ids, turns, strict=True) if turn == number]
        assert tokenizer.decode(own, skip_special_tokens=True) == action


def test_the_advantages_of_a_walk_are_at_its_tokens(
    walk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, out = walk
    mask = torch.tensor([float(own) for own in out.response_mask])
    fields = Fields(["a_0_0"], response_mask=[mask], extra_fields=[out.extra_fields])
    fields.tags = [{}]
    for name in ("kv_batch_get", "kv_batch_put"):
        monkeypatch.setattr(tq, name, getattr(fields, name))
    made = object.__new__(training.CriticTrainer)
    made.config = OmegaConf.create({"algorithm": {"gamma": 0.9, "lam": 0.95}})
    critic = CriticSettings("gym_clinic.domains.kacr.critic:GraphValue", {"features": FEATURES})
    made.clinic = ClinicSettings(critic=critic)
    made.critic = training.Critic(critic, seed=0)
    seen = out.extra_fields["critic"]
    before = made.critic.values(seen["states"])
    made._compute_advantage(tq.KVBatchMeta(partition_id="t", keys=["a_0_0"], tags=[{}]), {})
    gains, returns = turn_advantages(seen["rewards"], before, gamma=0.9, lam=0.95)
    assert returns[0] == pytest.approx(0.9**2 + 0.9**5)
    expected = [gains[turn - 1] if turn else 0.0 for turn in seen["turn_ids"]]
    found = fields.columns["advantages"]["a_0_0"].tolist()
    assert found == pytest.approx(expected, abs=1e-5)
    assert sum(value != 0.0 for value in found) == sum(out.response_mask)


def test_right_walks_become_conversations(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    env = make_env(ID, {**SMALL, "split": "train"})
    (messages,) = sft.solved(env, [env.tasks[0]], oracle(env))
    assert [message["role"] for message in messages] == [
        "system", "user", *["assistant", "user"] * 5, "assistant",
    ]  # fmt: skip
    assert messages[2]["content"].startswith("<select>")
    assert list(sft.solved(env, [env.tasks[0]], lambda seed: Idle())) == []
    assert sft.main(["--out", str(tmp_path / "x.txt")]) == 2
    assert "written to a .jsonl or .parquet file" in capsys.readouterr().err


class Idle:
    """Says nothing."""

    def act(self, observation: str, info: Any) -> str:
        return ""
