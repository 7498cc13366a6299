"""PPO's step: which tokens get the advantage of which turn, and what the critic learns of it."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
from fake_fields import Fields
from scripted_rollout import TRIAGE, Server, play, record, right, row

import verl_recipes.critic
from gym_clinic import ClinicEnv, ConfigError
from verl_recipes.critic.gae import turn_advantages
from verl_recipes.request import RunRequest
from verl_recipes.settings import ClinicSettings, CriticSettings

torch = pytest.importorskip("torch")
pytest.importorskip("verl")
tq = pytest.importorskip("transfer_queue")
OmegaConf = pytest.importorskip("omegaconf").OmegaConf
training = importlib.import_module("verl_recipes.critic.trainer")
compose = importlib.import_module("verl_recipes.config.compose").compose
load_critic = importlib.import_module("gym_clinic.domains.kacr.critic").load_critic

WORDS = "verl_recipes.critic.words:WordsValue"
GRAPH_VALUE = "gym_clinic.domains.kacr.critic:GraphValue"


def trainer(**settings: Any) -> Any:
    """Return a trainer without its workers."""
    one = object.__new__(training.CriticTrainer)
    one.config = OmegaConf.create({"algorithm": {"gamma": 0.9, "lam": 0.95}})
    one.clinic = ClinicSettings(critic=CriticSettings(model=WORDS, **settings))
    one.critic = training.Critic(one.clinic.critic, seed=0)
    return one


TURNS = [[1, 1, 0, 2], [1, 0, 0, 2, 2, 0, 3]]
REWARDS = [[0.0, 1.0], [1.0, 0.0, 1.0]]


def stored(monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """Store two trajectories of two and three turns, one that failed, and a padding row of verl."""
    keys = [f"a_{number}_0" for number in range(4)]
    masks = [torch.tensor([float(turn > 0) for turn in turns]) for turns in TURNS]
    extra: list[dict[str, Any]] = [
        {"critic": {"states": [[n, turn] for turn in range(max(turns))], "rewards": rewards,
                    "turn_ids": turns}}
        for n, (turns, rewards) in enumerate(zip(TURNS, REWARDS, strict=True))
    ]  # fmt: skip
    masks += [torch.zeros(3), torch.zeros(1)]
    fields = Fields(keys, response_mask=masks, extra_fields=[*extra, {}, extra[0]])
    fields.tags = [{}, {}, {}, {"is_padding": True}]
    for name in ("kv_batch_get", "kv_batch_put"):
        monkeypatch.setattr(tq, name, getattr(fields, name))
    return tq.KVBatchMeta(partition_id="train", keys=keys, tags=fields.tags), fields


def test_all_tokens_of_a_turn_have_its_advantage(monkeypatch: pytest.MonkeyPatch) -> None:
    batch, fields = stored(monkeypatch)
    made = trainer()
    before = made.critic.values([[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]])
    metrics: dict[str, float] = {}
    made._compute_advantage(batch, metrics)
    for number, values in ((0, before[:2]), (1, before[2:])):
        found = [
            fields.columns[name][f"a_{number}_0"].tolist() for name in ("advantages", "returns")
        ]
        for tokens, by_turn in zip(
            found, turn_advantages(REWARDS[number], values, gamma=0.9, lam=0.95), strict=True
        ):
            expected = [by_turn[turn - 1] if turn else 0.0 for turn in TURNS[number]]
            assert tokens == pytest.approx(expected, abs=1e-6)
    assert fields.columns["advantages"]["a_2_0"].tolist() == [0.0] * 3
    assert fields.columns["advantages"]["a_3_0"].tolist() == [0.0]
    assert {"critic/vf_loss", "critic/vf_explained_var"} <= metrics.keys()
    assert made.critic.fits == 1


def test_the_calibration_of_p_is_of_the_values_before_the_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    batch, fields = stored(monkeypatch)
    made = trainer()
    options = {"features": 1, "relations": [], "text": None, "hidden": 2}
    made.critic = training.Critic(CriticSettings(GRAPH_VALUE, options), seed=0)
    for key, turns in (("a_0_0", 2), ("a_1_0", 3)):
        fields.columns["extra_fields"][key]["critic"]["states"] = [
            {"nodes": [[1.0]], "edges": {}, "turns_left": turns - turn} for turn in range(turns)
        ]
    chance = made.critic.values([{"nodes": [[1.0]], "edges": {}, "turns_left": 1}])[0]
    shares = [0.9 / 1.9, 1.0, 1.81 / 2.71, 0.9 / 1.9, 1.0]
    metrics: dict[str, float] = {}
    made._compute_advantage(batch, metrics)
    expected = sum(shares) / 5 - chance  # every p is the same, so there is one bin
    assert metrics["critic/p_calibration_error"] == pytest.approx(abs(expected), abs=1e-5)
    assert metrics["critic/p_brier"] == pytest.approx(
        sum((share - chance) ** 2 for share in shares) / 5, abs=1e-5
    )


def test_a_checkpoint_keeps_the_critic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training.ClinicTrainer, "save_parts", lambda *_: None)
    monkeypatch.setattr(training.ClinicTrainer, "load_parts", lambda *_: None)
    one, other = trainer(), trainer()
    one.critic.fit([[1], [2]], [0.0, 1.0])
    one.save_parts(tmp_path / "global_step_1")
    other.load_parts(tmp_path / "global_step_1")
    assert other.critic.values([[1], [2]]) == one.critic.values([[1], [2]])
    assert other.critic.fit([[1]], [1.0]) == one.critic.fit([[1]], [1.0])


def test_a_saved_critic_judges_an_info_outside_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training.ClinicTrainer, "save_parts", lambda *_: None)
    one = trainer(options={"slots": 32, "hidden": 4})
    _, info = ClinicEnv(TRIAGE).reset(seed=0)
    one.critic.fit([one.critic.read(info)], [1.0])
    folder = tmp_path / "global_step_1"
    one.save_parts(folder)
    for path in (folder, folder / "critic.pt", str(folder)):
        found = verl_recipes.critic.load(path)
        assert found.value_of(info) == one.critic.value_of(info)
        assert (found.fits, found.settings.options) == (1, {"slots": 32, "hidden": 4})
    with pytest.raises(ConfigError, match="no critic at"):
        verl_recipes.critic.load(tmp_path)
    torch.save({"model": {}}, tmp_path / "critic.pt")
    with pytest.raises(ConfigError, match="does not name the model"):
        verl_recipes.critic.load(tmp_path)


def test_a_checkpoint_holds_a_graph_critic_as_consultations_load_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training.ClinicTrainer, "save_parts", lambda *_: None)
    one = trainer()
    options = {"features": 2, "relations": ["checked"], "hidden": 4}
    one.critic = training.Critic(CriticSettings(GRAPH_VALUE, options), seed=0)
    one.save_parts(tmp_path / "global_step_1")
    state = {"nodes": [[1.0, 0.0]], "edges": {}, "turns_left": 1, "question": "Which?"}
    found = load_critic(tmp_path / "global_step_1")
    assert found.value(state) == one.critic.values([state])[0]
    assert verl_recipes.critic.load(tmp_path / "global_step_1").values([state]) == [
        found.value(state)
    ]


# --- what a trajectory brings ---


def test_a_trajectory_brings_a_state_and_a_reward_for_each_turn(tokenizer: Any) -> None:
    out = play(tokenizer, right, "ppo")
    found = out.extra_fields["critic"]
    assert len(found["states"]) == len(found["rewards"]) == out.num_turns == 2
    assert sum(found["rewards"]) == pytest.approx(record(out)["score"])
    assert len(found["turn_ids"]) == len(out.response_mask)
    assert found["states"][0] != found["states"][1]
    assert "critic" not in play(tokenizer, right).extra_fields


def test_a_trajectory_that_is_cut_off_has_as_many_rewards_as_turns(tokenizer: Any) -> None:
    server = Server(tokenizer, lambda turn: "word " * 100)
    short = {"actor_rollout_ref.rollout.response_length": 40}
    out = play(tokenizer, server, "ppo", row(TRIAGE), **short)
    found = out.extra_fields["critic"]
    assert len(found["rewards"]) == len(found["states"]) == out.num_turns == 1


def test_a_shaped_reward_is_paid_at_the_last_turn(tokenizer: Any) -> None:
    settings = {"clinic.reward.mode": "env_plus_length", "clinic.reward.l_max": 100}
    plain = play(tokenizer, right, "ppo").extra_fields["critic"]["rewards"]
    out = play(tokenizer, right, "ppo", **settings)
    found = out.extra_fields["critic"]["rewards"]
    assert found[:-1] == plain[:-1]
    assert sum(found) == pytest.approx(out.reward_score)
    assert found[-1] != plain[-1]


def test_the_graph_of_a_domain_reaches_the_critic(tokenizer: Any) -> None:
    options = {"features": 2, "relations": ["checked"], "text": None, "hidden": 4}
    model = {"model": GRAPH_VALUE, "options": options}
    name = "graph_domain:GRAPHS"
    out = play(tokenizer, right, "ppo", row(name), **{"clinic.critic": model})
    before, after = out.extra_fields["critic"]["states"]
    assert (before["edges"]["checked"], len(after["edges"]["checked"])) == ([], 1)
    critic = training.Critic(CriticSettings(**model), seed=0)
    first, second = critic.values([before, after])
    assert first != second


# --- the method ---


def test_the_method_has_the_papers_numbers() -> None:
    config = compose(RunRequest(method="ppo", model="tiny"))
    assert (config.algorithm.gamma, config.algorithm.lam) == (0.9, 0.95)
    assert config.actor_rollout_ref.actor.clip_ratio == 0.2
    assert (config.clinic.critic.lr, config.clinic.critic.batch) == (5e-5, 8)
    assert not config.critic.enable


@pytest.mark.parametrize(
    ("method", "override", "says"),
    [
        ("ppo", "clinic.critic.model=null", "goes with --method ppo"),
        ("grpo", f"clinic.critic.model={WORDS}", "goes with --method ppo"),
        ("ppo", "critic.enable=true", "needs one critic"),
        ("ppo", "clinic.critic.batch=0", "clinic.critic.batch: Input should be greater than 0"),
        (
            "ppo",
            "clinic.critic.lr=-1",
            "clinic.critic.lr: Input should be greater than or equal to 0",
        ),
    ],
)
def test_a_critic_without_its_method_is_refused(method: str, override: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        compose(RunRequest(method=method, model="tiny", overrides=(override,)))
