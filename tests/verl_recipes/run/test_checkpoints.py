"""Which checkpoints of a run are kept, and that a run resumes from those that are."""

from __future__ import annotations

import shutil

import pytest

from verl_recipes.run import checkpoints


def save(root, step):
    """Save a checkpoint as verl does, and remove the old ones."""
    folder = root / f"global_step_{step}"
    (folder / "actor").mkdir(parents=True)
    (folder / "data.pt").write_text(str(step))
    (root / "latest_checkpointed_iteration.txt").write_text(str(step))
    for old in checkpoints.to_remove(root, step):
        shutil.rmtree(old)


def there(root):
    return sorted(int(folder.name.rpartition("_")[2]) for folder in root.glob("global_step_*"))


def test_the_last_two_and_the_best_are_kept(tmp_path):
    success = {2: 0.25, 4: 0.5, 6: 0.375, 8: 0.5, 10: 0.125}
    seen = {}
    for step in range(1, 12):
        save(tmp_path, step)
        seen[step] = there(tmp_path)
        if step in success:  # verl evaluates after it has saved
            checkpoints.note(tmp_path, step, success[step])
    assert seen[3] == [2, 3]
    assert seen[5] == [4, 5]  # step 4 is better than step 2
    assert seen[7] == [4, 6, 7]
    assert seen[11] == [8, 10, 11]  # as good as step 4, and later
    assert checkpoints.best(tmp_path) == (8, 0.5, tmp_path / "global_step_8")


def test_without_evaluations_the_last_two_are_kept(tmp_path):
    for step in (5, 10, 15, 20):
        save(tmp_path, step)
    assert there(tmp_path) == [15, 20]
    assert checkpoints.best(tmp_path) is None


def test_what_a_killed_run_left_does_not_count_and_what_lies_ahead_is_left_alone(tmp_path):
    for step in (1, 2, 3):
        save(tmp_path, step)
    (tmp_path / "global_step_4" / "actor").mkdir(parents=True)  # killed while it saved
    save(tmp_path, 9)
    assert there(tmp_path) == [3, 9]
    # Taken back to step 3: steps 9 and its evaluation belong to a run that was given up.
    checkpoints.note(tmp_path, 9, 1.0)
    checkpoints.note(tmp_path, 4, 0.5)
    save(tmp_path, 4)
    save(tmp_path, 5)
    assert there(tmp_path) == [4, 5, 9]
    assert checkpoints.successes(tmp_path) == {4: 0.5}
    assert checkpoints.best(tmp_path).step == 4


@pytest.mark.parametrize("kept", ["latest", "best"])
def test_a_run_resumes_from_what_is_kept(tmp_path, kept, monkeypatch):
    pytest.importorskip("verl")
    from omegaconf import OmegaConf

    from verl_recipes.schedule.stages import Schedule
    from verl_recipes.trainer import trainer as training

    for step in range(1, 6):
        save(tmp_path, step)
        checkpoints.note(tmp_path, step, 1.0 if step == 2 else 0.0)
        alarms = {**training.Alarms().state_dict(), "evaluated": step}
        state = {"alarms": alarms, "schedule": Schedule(()).state_dict()}
        (tmp_path / f"global_step_{step}" / "clinic.json").write_bytes(training.orjson.dumps(state))
    assert there(tmp_path) == [2, 4, 5]
    run = {"default_local_dir": str(tmp_path), "resume_mode": "auto"}
    if kept == "best":
        best = str(checkpoints.best(tmp_path).folder)
        run |= {"resume_mode": "resume_path", "resume_from_path": best}
    loaded = []

    class Part:
        """The workers, and the position in the data."""

        def load_checkpoint(self, local_path, **_):
            loaded.append(local_path)

        def load_state_dict(self, state):
            loaded.append(state)

    one = object.__new__(training.ClinicTrainer)
    one.config = OmegaConf.create({"trainer": {**run, "del_local_ckpt_after_load": False}})
    one.alarms, one.actor_rollout_wg, one.train_dataloader = training.Alarms(), Part(), Part()
    one.schedule = Schedule(())
    one.use_critic, one.trainer_mode = False, "sync"
    monkeypatch.setattr("torch.load", lambda path, **_: path)
    one._load_checkpoint()
    step = 5 if kept == "latest" else 2
    assert (one.global_steps, one.alarms.evaluated) == (step, step)
    folder = tmp_path / f"global_step_{step}"
    assert loaded == [str(folder / "actor"), str(folder / "data.pt")]


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
