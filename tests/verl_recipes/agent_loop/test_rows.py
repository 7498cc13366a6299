"""Tasks as verl's data rows, of registered ids and of anybody's domain."""

from __future__ import annotations

import importlib
import logging
from collections import Counter
from typing import Any

import pytest

from gym_clinic import ClinicEnv, ConfigError
from gym_clinic.taskset import TaskList
from verl_recipes.agent_loop.environment import PromptLengthError, make_env
from verl_recipes.agent_loop.tokens import Tokens
from verl_recipes.agent_loop.trajectory import Budgets, Trajectory
from verl_recipes.request import RunRequest

torch = pytest.importorskip("torch")
pytest.importorskip("verl")
OmegaConf = pytest.importorskip("omegaconf").OmegaConf
compose = importlib.import_module("verl_recipes.config.compose").compose
prompts = importlib.import_module("verl_recipes.agent_loop.prompts")
rows = importlib.import_module("verl_recipes.agent_loop.rows")
dataset = importlib.import_module("verl.utils.dataset.rl_dataset")
create_rl_dataset = importlib.import_module("verl.trainer.ppo.utils").create_rl_dataset

INTERACTIONS, TRIAGE = "tiny_domain:INTERACTIONS", "tiny_domain:TRIAGE"
UNEVEN = "rollout_domains:UNEVEN"


@pytest.fixture(scope="module")
def run() -> Any:
    return compose(RunRequest(method="grpo", model="tiny"))


def made(run: Any, tokenizer: Any, split: Any = "train", samples: int = -1, **clinic: Any) -> Any:
    """Make the rows as verl does, from the config of a run."""
    config = run.copy()
    OmegaConf.set_struct(config, False)
    config.data.max_prompt_length = clinic.pop("limit", 400)
    config.clinic = {**config.clinic, "env": INTERACTIONS, **clinic}
    return rows.ClinicRows(split, tokenizer, config.data, None, max_samples=samples)


def ids(found: Any) -> list[str]:
    return [found[index]["task_id"] for index in range(len(found))]


def lengths(tokenizer: Any, **options: Any) -> dict[str, int]:
    env = ClinicEnv(INTERACTIONS)
    tokens = Tokens(tokenizer, "qwen3", **options)
    return {task.id: len(prompts.prompt(env, task, tokens)) for task in env.tasks}


@pytest.mark.parametrize(
    ("env", "modules", "domain"),
    [(INTERACTIONS, (), INTERACTIONS), ("tiny/Triage-v0", ("tiny_domain",), TRIAGE)],
)
@pytest.mark.parametrize("split", ["train", "test"])
def test_there_is_one_row_for_each_task(
    run: Any, tokenizer: Any, env: str, modules: tuple[str, ...], domain: str, split: str
) -> None:
    found = made(run, tokenizer, split, env=env, modules=list(modules))
    tasks = ClinicEnv(domain, split=split).tasks
    assert ids(found) == [one.id for one in tasks]
    row = found[1]
    assert (row["split"], row["index"], row["draw"]) == (split, 1, 0)
    assert (row["data_source"], row["agent_name"]) == (env, "clinic")
    assert row["extra_info"] == {"index": 1}
    assert row["raw_prompt"][0]["content"] == tasks[1].id
    assert row["dummy_tensor"].shape == (1,)
    assert found[0].keys() == found[len(found) - 1].keys()


def test_the_shipped_id_has_rows(run: Any, tokenizer: Any) -> None:
    found = made(run, tokenizer, "dev", env="clinic/ClinGen-v0", shortest=3, limit=20_000)
    assert len(found) == 3
    env = make_env("clinic/ClinGen-v0", {"split": "dev"})
    assert set(ids(found)) <= {task.id for task in env.tasks}


def test_a_row_names_all_that_a_trajectory_needs(run: Any, tokenizer: Any) -> None:
    found = made(run, tokenizer, env_kwargs={"max_turns": 2})
    row = found[0]
    env = make_env(row["data_source"], {"split": row["split"], "max_turns": 2})
    one = Trajectory(env, row["task_id"], Tokens(tokenizer, "qwen3"), Budgets(400, 10))
    one.begin()
    assert len(one.prompt_ids) == lengths(tokenizer)[row["task_id"]]
    assert found.pools[0].env.max_turns == 2


def test_only_the_shortest_prompts_are_kept(run: Any, tokenizer: Any) -> None:
    tickets = {task.id: len(task.ticket) for task in ClinicEnv(INTERACTIONS).tasks}
    wanted = sorted(tickets, key=lambda name: (tickets[name], name))
    assert ids(made(run, tokenizer, shortest=4)) == wanted[:4]
    assert len(made(run, tokenizer, shortest=1_000)) == len(tickets)


def test_a_prompt_that_is_too_long_stops_or_is_left_out(
    run: Any, tokenizer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    length = lengths(tokenizer)
    longest = max(length, key=length.__getitem__)
    limit = sorted(length.values())[len(length) // 2]
    over = [name for name, value in length.items() if value > limit]
    assert over
    says = (
        rf"^{INTERACTIONS}: {len(over)} of {len(length)} prompts exceed "
        rf"data.max_prompt_length={limit}; the longest, of task '{longest}', has "
        rf"{length[longest]} tokens. Raise the limit, or set clinic.overlong=skip"
    )
    with pytest.raises(PromptLengthError, match=says):
        made(run, tokenizer, limit=limit)
    with caplog.at_level(logging.WARNING):
        found = made(run, tokenizer, limit=limit, overlong="skip")
    assert ids(found) == [name for name in length if name not in over]
    assert f"{len(over)} of {len(length)} prompts exceed {limit} tokens" in caplog.text
    with pytest.raises(ConfigError, match=r"no task of split 'train' is left"):
        made(run, tokenizer, limit=10, overlong="skip")


def test_a_limit_that_the_longest_prompt_meets(run: Any, tokenizer: Any) -> None:
    limit = max(lengths(tokenizer).values())
    assert len(made(run, tokenizer, limit=limit)) == 18
    with pytest.raises(PromptLengthError):
        made(run, tokenizer, limit=limit - 1)


def test_prompts_are_measured_as_the_rollout_writes_them(run: Any, tokenizer: Any) -> None:
    limit = max(lengths(tokenizer).values())
    other = run.copy()
    other.data.apply_chat_template_kwargs = {"enable_thinking": False}
    with pytest.raises(PromptLengthError):
        made(other, tokenizer, limit=limit)
    as_text = max(lengths(tokenizer, native=False).values())
    assert as_text != limit
    assert len(made(run, tokenizer, limit=as_text, tools="text")) == 18
    with pytest.raises(PromptLengthError):
        made(run, tokenizer, limit=as_text - 1, tools="text")


def drug(name: str) -> str:
    return name.partition("-")[0]


def test_training_rows_are_drawn_as_the_environment_draws(run: Any, tokenizer: Any) -> None:
    found = ids(made(run, tokenizer, env=UNEVEN))
    tasks = ClinicEnv(UNEVEN).tasks
    assert len(found) == 30  # as many of each drug as there are tasks of the more frequent one
    assert abs(Counter(map(drug, found))["allopurinol"] - 15) < 9  # three standard deviations
    assert {*found} <= {*tasks.ids()}
    assert found == ids(made(run, tokenizer, env=UNEVEN))
    assert found != ids(made(run, tokenizer, env=UNEVEN, seed=1))


def test_rows_ask_the_draw_of_the_split(
    run: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TaskList, "draw", lambda tasks, source: tasks[16])
    assert {*ids(made(run, tokenizer, env=UNEVEN))} == {"allopurinol-1"}


def test_the_rows_of_few_tasks_are_drawn_evenly_too(run: Any, tokenizer: Any) -> None:
    # Tickets of allopurinol are longer by a letter, so one of them is left.
    found = ids(made(run, tokenizer, env=UNEVEN, shortest=16))
    assert {*map(drug, found)} == {"colchicine", "allopurinol"}
    assert len({name for name in found if drug(name) == "allopurinol"}) == 1
    assert abs(Counter(map(drug, found))["allopurinol"] - 15) < 9


def test_an_evaluation_has_every_task_once_whatever_the_draw(run: Any, tokenizer: Any) -> None:
    found = ids(made(run, tokenizer, "test", env=UNEVEN))
    assert sorted(found) == sorted(task.id for task in ClinicEnv(UNEVEN, split="test").tasks)
    other = run.copy()
    other.data.train_files = "test"  # "train" is then what is evaluated
    found = ids(made(other, tokenizer, "train", env=UNEVEN))
    assert sorted(found) == sorted(ClinicEnv(UNEVEN).tasks.ids())


@pytest.mark.parametrize(("samples", "count"), [(-1, 18), (5, 5), (1_000, 18)])
def test_no_more_rows_than_requested(run: Any, tokenizer: Any, samples: int, count: int) -> None:
    found = made(run, tokenizer, samples=samples)
    assert len(found) == count
    assert ids(found) == [task.id for task in ClinicEnv(INTERACTIONS).tasks][:count]


@pytest.mark.parametrize(
    ("split", "clinic", "says"),
    [
        ("train", {"env": "clinic/ClinGn-v0"}, "no environment 'clinic/ClinGn-v0'; did you mean"),
        ("train", {"env": "tiny_domain:TRIAG"}, "did you mean 'TRIAGE'?"),
        ("train", {"modules": ["no_such"]}, "no module 'no_such'"),
        ("tran", {}, "did you mean 'train'?"),
        (["train", "test"], {}, "data files name one split each, not ['train', 'test']"),
        ("train", {"sed": 3}, "there is no setting clinic.sed"),
        ("train", {"env_kwargs": {"max_turn": 3}}, "max_turn"),
    ],
)
def test_a_mistake_names_what_would_be_right(
    run: Any, tokenizer: Any, split: Any, clinic: dict[str, Any], says: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        made(run, tokenizer, split, **clinic)
    assert says in str(caught.value)


def test_verl_finds_the_rows(run: Any, tokenizer: Any) -> None:
    config = run.copy()
    config.clinic.env = INTERACTIONS
    assert dataset.get_dataset_class(config.data).__name__ == "ClinicRows"
    found = create_rl_dataset(config.data.train_files, config.data, tokenizer, None, is_train=True)
    assert len(found) == 18
    batch = dataset.collate_fn([found[0], found[1]])
    assert list(batch["task_id"]) == ids(found)[:2]
