"""The recipe of DxSearch: its stages, its numbers, its baselines and ablations."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

from gym_clinic.domains.dxsearch.rewards import STAGES
from verl_recipes.agent_loop.environment import make_env
from verl_recipes.request import RunRequest
from verl_recipes.settings import from_config

pytest.importorskip("verl")
OmegaConf = pytest.importorskip("omegaconf").OmegaConf
composing = importlib.import_module("verl_recipes.config.compose")
checks = importlib.import_module("verl_recipes.preflight.checks")
memory = importlib.import_module("verl_recipes.preflight.memory")
schedule = importlib.import_module("verl_recipes.schedule.trainer")
settling = importlib.import_module("verl_recipes.config.settle")

PAPER = Path(composing.CONFIGS) / "paper"


def compose(method: str = "dxsearch", *overrides: str, **changes: Any) -> Any:
    request = RunRequest(**{"method": method, "steps": 3, "overrides": overrides, **changes})
    return composing.compose(request)


RELEASED = {
    "data.train_batch_size": 64,
    "data.max_response_length": 6144,
    "actor_rollout_ref.actor.ppo_mini_batch_size": 16,
    "actor_rollout_ref.actor.kl_loss_coef": 1e-3,
    "actor_rollout_ref.actor.kl_loss_type": "low_var_kl",
    "actor_rollout_ref.actor.optim.lr": 1e-6,
}
"""Setting -> value of the authors' released code."""


def test_the_stages_are_the_papers_and_each_takes_the_steps_asked_for() -> None:
    config = compose()
    stages = from_config(config).stages
    assert [dict(stage.weights) for stage in stages] == [dict(STAGES[n]) for n in (1, 2, 3, 4)]
    assert [stage.figure for stage in stages] == [
        "clinic/reward/search/mean", "clinic/reward/matching/mean",
        "clinic/reward/diagnosis/mean", "clinic/total/mean",
    ]  # fmt: skip
    assert [stage.steps for stage in stages] == [3] * 4
    assert config.trainer.total_training_steps == 12
    settling.settle(config)  # done again, it changes nothing
    assert [stage.steps for stage in from_config(config).stages] == [3] * 4
    assert config.trainer.total_training_steps == 12
    assert {result.status for result in checks.settled(config)} == {"ok"}


def test_on_gpus_the_numbers_are_those_of_the_released_code() -> None:
    config = compose(gpus=8, model="m")
    assert {name: OmegaConf.select(config, name) for name in RELEASED} == RELEASED
    assert config.actor_rollout_ref.actor.use_kl_loss
    assert not config.algorithm.filter_groups.enable
    assert config.clinic.population.reward == "exploration_dxsearch"
    assert config.clinic.population.options == {"threshold": 0.25, "window": 1024}
    adapted = compose(gpus=8, model="m", lora=8)
    assert adapted.actor_rollout_ref.actor.optim.lr == pytest.approx(1e-5)


ARMS = {
    "dxsearch": [dict(STAGES[number]) for number in (1, 2, 3, 4)],
    "dxsearch_no_exploration": [dict(STAGES[number]) for number in (1, 2, 3, 4)],
    "dxsearch_joint": [dict(STAGES[4])],
    "dxsearch_target_only": [{"search": 0.0, "matching": 0.0, "diagnosis": 0.4}],
    "dxsearch_no_evidence": [{"search": 0.0, "matching": 0.0, "diagnosis": 0.4}],
    "dxsearch_no_diagnosis": [
        {"search": 0.9, "matching": 0.05, "diagnosis": 0.0},
        {"search": 0.05, "matching": 0.9, "diagnosis": 0.0},
        {"search": 0.3, "matching": 0.3, "diagnosis": 0.0},
    ],
}
"""Method -> the weights that are paid in each of its stages."""


def test_there_is_an_arm_for_each_ablation() -> None:
    made = [name for name in composing.choices("method") if name.startswith("dxsearch")]
    assert sorted(ARMS) == made


@pytest.mark.parametrize("method", ARMS)
def test_an_arm_pays_for_its_parts_alone(method: str) -> None:
    config = compose(method)
    clinic = from_config(config)
    numbers = range(1, len(clinic.stages) + 1) if clinic.stages else [0]
    paid = []
    for number in numbers:
        data = schedule.staged_data(config.data, clinic, number)
        (weights,) = schedule.reward_weights(data).values()
        paid.append({part: weights.get(part, 0.0) for part in STAGES[4]})
    assert paid == ARMS[method]
    explores = clinic.population.reward is not None
    assert explores == (method not in ("dxsearch_no_exploration", "dxsearch_target_only"))
    (env,) = (make_env(one.id, one.options) for one in clinic.environments)
    judge = env.rubric.rewards["diagnosis"].__self__
    assert judge.couple_sigma_m == (method != "dxsearch_target_only")
    assert config.actor_rollout_ref.actor.use_kl_loss


FILES = sorted(path.stem for path in PAPER.glob("dxsearch_*.yaml"))
SIZES = {  # parameters and vocabulary of each backbone, from its card and config
    "dxsearch_qwen25_7b": (7_615_616_512, 152_064),
    "dxsearch_qwen25_14b": (14_770_033_664, 152_064),
    "dxsearch_llama31_8b": (8_030_261_248, 128_256),
    "dxsearch_baichuan_m2_32b": (32_763_876_352, 152_064),
}


@pytest.mark.parametrize(
    "paper", [FILES[0], *(pytest.param(paper, marks=pytest.mark.slow) for paper in FILES[1:])]
)
def test_a_backbones_settings_pass_the_checks_that_need_no_gpu(paper: str) -> None:
    text = (PAPER / f"{paper}.yaml").read_text()
    asked = re.search(r"--gpus (\d+)(?: --nodes (\d+))? --model (\S+) --steps (\d+)", text)
    assert asked is not None
    gpus, nodes = int(asked[1]), int(asked[2] or 1)
    config = compose(
        "dxsearch", f"+paper={paper}", gpus=gpus, nodes=nodes, model=asked[3], steps=int(asked[4])
    )
    assert {name: OmegaConf.select(config, name) for name in RELEASED} == RELEASED
    assert config.trainer.total_training_steps == 4 * int(asked[4])
    assert {result.status for result in checks.settled(config)} == {"ok"}
    count, vocabulary = SIZES[paper]
    found = memory.check(count, {"vocab_size": vocabulary}, config, gpus * nodes, 80.0)
    assert found.status == "ok"
    least, logits = re.findall(r"take ([\d.]+), logits ([\d.]+)", found.detail)[0]
    said = " ".join(text.replace("\n#", " ").split())
    assert f"# GPUs: {gpus * nodes} of 80 GB" in text
    assert f"reference {least} GiB, logits {logits}," in said
    parts = re.search(r"([\d.]+) GiB, logits ([\d.]+), layers ([\d.]+), head ([\d.]+); tog", said)
    together = re.search(r"together ([\d.]+) GiB", said)
    assert parts is not None
    assert together is not None
    assert float(together[1]) == pytest.approx(sum(map(float, parts.groups())), abs=0.25)


def test_every_backbone_has_its_sizes() -> None:
    assert sorted(SIZES) == FILES
