"""Which checkpoints of a run are kept, and that a run resumes from those that are."""

from __future__ import annotations

import shutil

import pytest

from verl_recipes.trainer import checkpoints


def save(root, step, best=None):
    """Save a checkpoint as verl does, and remove the old ones."""
    folder = checkpoints.folder_of(root, step)
    (folder / "actor").mkdir(parents=True)
    (folder / "data.pt").write_text(str(step))
    (root / "latest_checkpointed_iteration.txt").write_text(str(step))
    for old in checkpoints.to_remove(root, step, best):
        shutil.rmtree(old)


def there(root):
    return sorted(int(folder.name.rpartition("_")[2]) for folder in root.glob("global_step_*"))


def test_the_last_two_and_the_best_are_kept(tmp_path):
    seen = {}
    for step in range(1, 12):
        save(tmp_path, step, best=None if step < 3 else 2 if step < 7 else 6)
        seen[step] = there(tmp_path)
    assert seen[2] == [1, 2]
    assert seen[5] == [2, 4, 5]
    assert seen[7] == [6, 7]
    assert seen[11] == [6, 10, 11]


def test_what_a_killed_run_left_does_not_count_and_what_lies_ahead_is_left_alone(tmp_path):
    for step in (1, 2, 3):
        save(tmp_path, step)
    (tmp_path / "global_step_4" / "actor").mkdir(parents=True)  # killed while it saved
    save(tmp_path, 9)
    assert there(tmp_path) == [3, 9]
    save(tmp_path, 4)  # taken back to step 3: step 9 belongs to a run that was given up
    save(tmp_path, 5)
    assert there(tmp_path) == [4, 5, 9]


def test_verl_removes_old_checkpoints_after_it_has_saved(tmp_path):
    pytest.importorskip("verl")
    from types import SimpleNamespace

    from verl.trainer.ppo.checkpoint_callback import build_checkpoint_callback

    from verl_recipes.config.compose import compose
    from verl_recipes.request import RunRequest

    callback = build_checkpoint_callback(compose(RunRequest(model="tiny", out=tmp_path)))
    elsewhere = []  # what the other nodes are told
    nodes = SimpleNamespace(remove_checkpoint=elsewhere.append)
    for step in (1, 2, 3, 4, 5):
        folder = checkpoints.folder_of(tmp_path, step)
        folder.mkdir()
        (folder / "data.pt").write_text("")
        made = SimpleNamespace(best=(2, 0.9) if step > 1 else None, actor_rollout_wg=nodes)
        callback.on_save(trainer=made, global_step=step, checkpoint_dir=str(folder))
    assert there(tmp_path) == [2, 4, 5]
    assert elsewhere == [str(checkpoints.folder_of(tmp_path, step)) for step in (1, 3)]


def trainer(root, **run):
    """Return a trainer without its workers; it notes what is loaded."""
    pytest.importorskip("verl")
    from omegaconf import OmegaConf

    from verl_recipes.schedule.stages import Schedule
    from verl_recipes.trainer import trainer as training

    loaded = []

    class Part:
        """The workers, and the position in the data."""

        def load_checkpoint(self, local_path, **_):
            loaded.append(local_path)

        def load_state_dict(self, state):
            loaded.append(state)

    one = object.__new__(training.ClinicTrainer)
    run = {"default_local_dir": str(root), "del_local_ckpt_after_load": False, **run}
    one.config = OmegaConf.create({"trainer": run})
    one.alarms, one.schedule, one.best = training.Alarms(), Schedule(()), None
    one.actor_rollout_wg, one.train_dataloader = Part(), Part()
    one.use_critic, one.trainer_mode, one.global_steps = False, "sync", 0
    one.loaded = loaded
    return one


def evaluate(one, monkeypatch, success):
    """Let a trainer evaluate, and write its state as after a step."""
    from verl_recipes.trainer.trainer import StagedTrainer

    figures = {"val-aux/clinic/A-v0/success/mean@1": success, "val-aux/num_turns/mean": 2.0}
    monkeypatch.setattr(StagedTrainer, "_validate", lambda _: dict(figures))
    found = one._validate()
    assert (found["val/success"], found["val/turns"]) == (success, 2.0)
    if one.global_steps:
        one._save_state()


@pytest.mark.parametrize("kept", ["latest", "best"])
def test_a_run_resumes_from_what_is_kept(tmp_path, kept, monkeypatch):
    one = trainer(tmp_path)
    evaluate(one, monkeypatch, 1.0)  # before the first step: there is no checkpoint of it
    assert one.best is None
    for step, success in ((1, 0.5), (2, 0.75), (3, 0.0), (4, 0.0), (5, 0.5)):
        save(tmp_path, step, one.best and one.best[0])
        one.global_steps = one.alarms.evaluated = step
        evaluate(one, monkeypatch, success)
    assert there(tmp_path) == [2, 4, 5]
    assert one.best == (2, 0.75)
    step = 5 if kept == "latest" else 2
    folder = checkpoints.folder_of(tmp_path, step)
    run = {"resume_mode": "auto"}
    if kept == "best":
        run = {"resume_mode": "resume_path", "resume_from_path": str(folder)}
    two = trainer(tmp_path, **run)
    monkeypatch.setattr("torch.load", lambda path, **_: path)
    two._load_checkpoint()
    assert (two.global_steps, two.alarms.evaluated, two.best) == (step, step, (2, 0.75))
    assert two.loaded == [str(folder / "actor"), str(folder / "data.pt")]
    evaluate(two, monkeypatch, 0.75)
    assert two.best == (step, 0.75)  # of equal ones the last


def test_the_success_of_an_evaluation_is_the_mean_over_environments():
    metrics = {
        "val-aux/clinic/A-v0/success/mean@4": 0.25,
        "val-aux/clinic/B-v0/success/mean@4": 0.75,
        "val-aux/clinic/A-v0/success/std@4": 9.0,
        "val-core/clinic/A-v0/acc/mean@4": 0.25,
        "val-aux/clinic/A-v0/metric/success/mean@4": 9.0,
    }
    assert checkpoints.validation_success(metrics) == 0.5
    assert checkpoints.validation_success({"val/turns": 3.0}) is None
