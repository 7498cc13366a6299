"""Several environments in one run: shares, order, and what is each one's own."""

from __future__ import annotations

import importlib
from collections import Counter
from itertools import islice
from typing import Any

import pytest
from scripted_rollout import (
    INTERACTIONS,
    TRIAGE,
    Server,
    configured,
    play,
    record,
    row,
)

from gym_clinic import ClinicEnv, ConfigError
from gym_clinic.policies import Playbook

torch = pytest.importorskip("torch")
pytest.importorskip("verl")
rows = importlib.import_module("verl_recipes.agent_loop.rows")
environment = importlib.import_module("verl_recipes.agent_loop.environment")
dataset = importlib.import_module("verl.utils.dataset.rl_dataset")
trainer_utils = importlib.import_module("verl.trainer.ppo.utils")
metric_utils = importlib.import_module("verl.trainer.ppo.metric_utils")
stateful = importlib.import_module("torchdata.stateful_dataloader")

ENDLESS = "rollout_domains:ENDLESS"


def mixed(*envs: Any, **settings: Any) -> Any:
    """Return the config of a run over environments, each an id or a section."""
    listed = [one if isinstance(one, dict) else {"id": one} for one in envs]
    return configured(
        **{"data.max_prompt_length": 20_000, "data.model_type": "qwen3", "clinic.envs": listed},
        **settings,
    )


def made(tokenizer: Any, config: Any, files: str = "train", samples: int = -1) -> Any:
    return rows.ClinicRows(files, tokenizer, config.data, None, max_samples=samples)


def names(found: Any) -> list[tuple[str, str]]:
    listed = [found[index] for index in range(len(found))]
    return [(one["environment"], one["task_id"]) for one in listed]


def solved(name: str, **options: Any) -> list[str]:
    """Return what solves the first task of an environment, as its dialect writes it."""
    playbook = Playbook(ClinicEnv(name, **options))
    moves = playbook.domain.solve(playbook.env.tasks[0])
    return [action for move in moves for action in playbook.write(move)]


def test_training_rows_have_the_shares_of_the_weights(tokenizer: Any) -> None:
    dose = "rollout_domains:STOPPED"  # two tasks
    config = mixed({"id": INTERACTIONS, "weight": 3}, TRIAGE, dose, **{"clinic.shortest": 6})
    found = names(made(tokenizer, config))
    assert Counter(name for name, _ in found) == {INTERACTIONS: 18, TRIAGE: 6, dose: 6}
    assert set(Counter(found).values()) == {1, 3}  # the fewer there are, the more often
    for end in range(5, 31, 5):  # and so has every stretch of them
        counts = Counter(name for name, _ in found[:end])
        assert abs(counts[INTERACTIONS] - 0.6 * end) <= 1.0
        assert abs(counts[TRIAGE] - 0.2 * end) <= 1.0


def test_every_task_of_the_larger_environment_occurs(tokenizer: Any) -> None:
    dose = "rollout_domains:STOPPED"  # two tasks against eighteen
    config = mixed({"id": INTERACTIONS, "weight": 0.25}, {"id": dose, "weight": 1.0})
    found = names(made(tokenizer, config))
    assert Counter(name for name, _ in found) == {INTERACTIONS: 18, dose: 72}
    occurs = Counter(found)
    assert {count for (name, _), count in occurs.items() if name == INTERACTIONS} == {1}
    assert {count for (name, _), count in occurs.items() if name == dose} == {36}


def test_an_environment_that_draws_classes_evenly_does_so_beside_others(tokenizer: Any) -> None:
    uneven = "rollout_domains:UNEVEN"
    config = mixed({"id": uneven, "weight": 3}, INTERACTIONS)
    found = names(made(tokenizer, config))
    counts = Counter(name for name, _ in found)
    assert counts == {uneven: 54, INTERACTIONS: 18}
    rare = sum(task.startswith("allopurinol") for name, task in found if name == uneven)
    assert abs(rare - 27) < 12  # three standard deviations; a sixth of the tasks are
    config.data.val_files = "test"
    assert set(Counter(names(made(tokenizer, config, "test"))).values()) == {1}


def test_each_environment_names_its_own_splits(tokenizer: Any) -> None:
    config = mixed({"id": INTERACTIONS, "split": "test", "val_split": "train"}, TRIAGE)
    config.data.val_files = "test"
    splits = {
        files: {one["environment"]: one["split"] for one in made(tokenizer, config, files)}
        for files in ("train", "test")
    }
    assert splits == {
        "train": {INTERACTIONS: "test", TRIAGE: "train"},
        "test": {INTERACTIONS: "train", TRIAGE: "test"},
    }
    assert environment.splits_of(config.data, ["train"]) == splits["train"]
    config.data.val_files = "train"
    with pytest.raises(ConfigError, match=r"val_split needs data\.val_files other than"):
        made(tokenizer, config)


def test_the_splits_of_an_environment_are_mixed_by_their_shares(tokenizer: Any) -> None:
    splits = {"train": 3, "test": 1}
    config = mixed({"id": INTERACTIONS, "weight": 2, "splits": splits}, {"id": TRIAGE, "weight": 2})
    found = made(tokenizer, config)
    listed = [found[index] for index in range(len(found))]
    counts = Counter((one["environment"], one["split"]) for one in listed)
    by_split = counts[INTERACTIONS, "train"], counts[INTERACTIONS, "test"]
    assert by_split[0] == pytest.approx(3 * by_split[1], abs=2)
    assert sum(by_split) == pytest.approx(counts[TRIAGE, "train"], abs=2)
    for split in splits:
        tasks = {task.id for task in ClinicEnv(INTERACTIONS, split=split).tasks}
        drawn = {one["task_id"] for one in listed if (one["environment"], one["split"]) == (
            INTERACTIONS, split)}  # fmt: skip
        assert drawn == tasks
    config.data.val_files = "test"
    validation = made(tokenizer, config, "test")
    assert {one["split"] for one in (validation[n] for n in range(len(validation)))} == {"test"}


def test_an_endless_split_beside_a_listed_one(tokenizer: Any) -> None:
    config = mixed({"id": ENDLESS, "split": "endless"}, INTERACTIONS, **{"clinic.endless_rows": 40})
    found = made(tokenizer, config)
    assert len(found) == 80
    drawn = [task for name, task in names(found) if name == ENDLESS]
    assert len(set(drawn)) == 40
    assert names(made(tokenizer, config)) == names(found)


def test_validation_has_every_task_once_and_the_environments_in_turn(tokenizer: Any) -> None:
    config = mixed({"id": INTERACTIONS, "weight": 7}, TRIAGE)
    config.data.val_files = "test"
    found = names(made(tokenizer, config, "test"))
    assert set(Counter(found).values()) == {1}
    assert {name for name, _ in found} == {INTERACTIONS, TRIAGE}
    few = names(made(tokenizer, config, "test", samples=4))
    assert [name for name, _ in few] == [INTERACTIONS, TRIAGE] * 2
    assert few == found[:4]


def test_an_interrupted_epoch_goes_on_in_the_same_order(tokenizer: Any) -> None:
    config = mixed({"id": INTERACTIONS, "weight": 2}, TRIAGE, **{"clinic.seed": 5})

    def loader() -> Any:
        found = made(tokenizer, config)
        sampler = trainer_utils.create_rl_sampler(config.data, found)
        return stateful.StatefulDataLoader(
            found, batch_size=4, sampler=sampler, collate_fn=dataset.collate_fn, drop_last=True
        )

    def drawn(batches: Any) -> list[list[tuple[str, str]]]:
        return [list(zip(one["environment"], one["task_id"], strict=True)) for one in batches]

    whole = drawn(loader())
    assert len({name for batch in whole for name, _ in batch}) == 2
    first = loader()
    before = drawn(islice(iter(first), 3))
    again = loader()
    again.load_state_dict(first.state_dict())
    assert before + drawn(again) == whole


def test_each_environment_has_its_own_dialect_turns_limits_and_record(tokenizer: Any) -> None:
    envs = [
        {"id": INTERACTIONS, "env_kwargs": {"dialect": "json", "max_turns": 2}, "turn_tokens": 90},
        {"id": TRIAGE},
    ]

    def play_one(name: str, said: Any) -> tuple[Any, Server]:
        server = Server(tokenizer, said)
        settings = {"clinic.envs": envs, "clinic.turn_tokens": 300}
        return play(tokenizer, server, task=row(name), **settings), server

    one, asked = play_one(INTERACTIONS, solved(INTERACTIONS, dialect="json").__getitem__)
    other, asked_other = play_one(TRIAGE, solved(TRIAGE).__getitem__)
    assert (record(one)["success"], record(other)["success"]) == (1.0, 1.0)
    assert one.extra_fields["environment"] == INTERACTIONS
    assert other.extra_fields["environment"] == TRIAGE
    assert {one["max_tokens"] for one in asked.asked} == {90}
    assert {one["max_tokens"] for one in asked_other.asked} == {300}
    idle, _ = play_one(INTERACTIONS, lambda turn: "Let me think.")
    assert (record(idle)["turns"], idle.num_turns) == (2.0, 2)
    assert record(one).keys() != record(other).keys()  # of parts and metrics of their own


def test_verl_keeps_the_figures_of_an_evaluation_by_environment(tokenizer: Any) -> None:
    config = mixed(INTERACTIONS, TRIAGE)
    sources = {one["environment"]: one["data_source"] for one in made(tokenizer, config)}
    assert sources == {INTERACTIONS: INTERACTIONS, TRIAGE: TRIAGE}
    records = []
    for name, right in ((INTERACTIONS, True), (TRIAGE, False), (TRIAGE, True)):
        said = solved(name).__getitem__ if right else (lambda turn: "I do not know.")
        out = play(tokenizer, said, task=row(name), **{"clinic.envs": config.clinic.envs})
        records.append((name, record(out)))
    keys = {key for _, one in records for key in one}
    found = metric_utils.process_validation_metrics(
        [name for name, _ in records],
        ["a", "b", "c"],
        {key: [one.get(key) for _, one in records] for key in keys},  # as verl's trainer fills up
    )
    assert found[INTERACTIONS]["success"]["mean@1"] == 1.0
    assert found[TRIAGE]["success"]["mean@1"] == 0.5
    for name, own in records:
        assert set(found[name]) == set(own)
