"""Whole runs through verl on this machine: Ray, FSDP2, the transfer queue, rollouts.

Seven starts of Ray: a run that is killed and the same run resumed; a run that learns until its
rollout server dies; a run with the sign of the advantages flipped; verl's own command, from the
checkout and from elsewhere; DxSearch through its four stages, with a model that knows nothing. The
launcher's lock keeps them apart, and apart from any other run on the machine.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time

import pytest
from places import ROOT, SUPPORT
from plain_command import arguments, documented

pytest.importorskip("verl")

import prove_learning

from gym_clinic.viewer import read_run
from verl_recipes.run.lock import only_run

pytestmark = pytest.mark.slow

LIMIT = 1200
"""Seconds that a run may take on a busy machine; a run that hangs is a failure, not a wait."""

STEPS = 10
"""Steps after which learning shows."""


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def model(room):
    return prove_learning.model(room, 0)


@pytest.fixture
def start(room, model):
    """Start runs; those that still run at the end of the test are ended."""
    started = []

    def begin(arm, out, steps, *more, overrides=()):
        method, own = prove_learning.ARMS[arm]
        settings = (*prove_learning.SHARED, *own, *overrides)
        arguments = ["--method", method, "--env", prove_learning.ENV, "--model", str(model)]
        arguments += ["--steps", str(steps), "--out", str(out), *more, *settings]
        run = subprocess.Popen(
            # If the tests themselves are killed, the run still ends.
            ["timeout", str(LIMIT), sys.executable, "-m", "verl_recipes", "train", *arguments],
            env={**os.environ, "PYTHONPATH": f"{SUPPORT}{os.pathsep}{ROOT}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        started.append(run)
        return run

    yield begin
    for run in started:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGTERM)
            run.communicate()


def wait(run, out, reached):
    """Wait until a run has reached a point; it must not end before."""
    while not reached():
        assert run.poll() is None, run.communicate()[0] + log_of(out)
        time.sleep(0.05)


def log_of(out):
    log = out / "log.txt"
    return log.read_text(encoding="utf-8", errors="replace")[-4000:] if log.is_file() else ""


def logged(out, step):
    """Whether a run has logged a step."""
    return any(f'"step":{step},' in one.read_text() for one in out.glob("metrics-*.jsonl"))


SAME = ("actor/loss", "actor/grad_norm", "ttopd/kl", "clinic/score/mean", "ttopd/teacher_distance")


def test_a_killed_run_continues_as_if_it_had_not_been_killed(start, room):
    out = room / "killed"
    every = ("trainer.save_freq=1", "clinic.teacher.every=1", "clinic.teacher.diagnose_every=2")
    latest = out / "checkpoints" / "latest_checkpointed_iteration.txt"
    run = start("ttopd", out, 5, overrides=(*every, "trainer.val_before_train=true"))
    wait(run, out, lambda: logged(out, 3))  # a step is saved before it is logged
    os.killpg(run.pid, signal.SIGINT)  # the launcher ends what it started
    printed, _ = run.communicate(timeout=LIMIT)
    assert "step 0" in printed.replace("   ", "")
    assert "RESUME=1" in printed
    (first,) = out.glob("metrics-*.jsonl")
    # Back to the checkpoint of step 2, as if the run had been killed in step 3.
    shutil.rmtree(out / "checkpoints" / "global_step_3")
    latest.write_text("2")

    run = start("ttopd", out, 3, "--resume", overrides=(*every, "trainer.test_freq=3"))
    printed, _ = run.communicate(timeout=LIMIT)
    assert run.returncode == 0, printed + log_of(out)
    assert "step    3/3" in printed
    for line in ("metrics", "plot", "model", "log"):
        assert f"\n{line} " in printed
    assert (out / "curves.png").stat().st_size > 10_000
    (second,) = set(out.glob("metrics-*.jsonl")) - {first}
    before, after = read_run(first).steps[3], read_run(second).steps[3]
    for name in SAME:
        assert after[name] == pytest.approx(before[name], abs=1e-6), name
    assert (out / "checkpoints" / "global_step_3" / "teacher").is_dir()


def gain(out):
    """Return how much the mean reward rose from the first three steps to the last three."""
    _, rewards = read_run(out).series("clinic/total/mean")
    return statistics.fmean(rewards[STEPS - 3 : STEPS]) - statistics.fmean(rewards[:3])


def test_a_run_learns_and_ends_when_its_rollout_server_dies(start, room):
    out = room / "grpo"
    run = start("grpo", out, 500, overrides=("clinic.stall_s=60",))
    wait(run, out, lambda: logged(out, STEPS))
    assert kill_server(run.pid)
    printed, _ = run.communicate(timeout=LIMIT)
    assert run.returncode == 1, printed
    assert "the run failed" in printed
    assert "server" in printed
    assert gain(out) > 0.15


def test_a_run_unlearns_with_the_sign_flipped(start, room):
    out = room / "flipped"
    run = start("flipped", out, STEPS)
    printed, _ = run.communicate(timeout=LIMIT)
    assert run.returncode == 0, printed + log_of(out)
    assert gain(out) < 0.0


def packages():
    """Every file of the packages, and of hydra in the checkout, that is not compiled."""
    rooms = [ROOT / name for name in ("gym_clinic", "verl_recipes", "outputs")]
    return {path for room in rooms for path in room.rglob("*") if "__pycache__" not in path.parts}


@pytest.mark.parametrize(("method", "lora"), [("grpo", 0), ("ttopd", 4)])
def test_the_command_of_the_guide_trains_as_the_launcher_does(method, lora, room, model):
    """Full fine-tuning from the checkout, an adapter from a folder elsewhere."""
    transformers, peft = pytest.importorskip("transformers"), pytest.importorskip("peft")
    start = ROOT if not lora else room / "elsewhere"
    start.mkdir(exist_ok=True)
    out, before = room / f"plain-{method}", packages()
    own = dict(one.split("=", 1) for one in prove_learning.SHARED)
    del own["actor_rollout_ref.actor.optim.lr"]  # the default of the stack is to train
    own |= {
        "stack": "cpu", "method": method, "clinic.env": prove_learning.ENV,
        "actor_rollout_ref.model.path": str(model), "actor_rollout_ref.model.lora_rank": str(lora),
        "trainer.n_gpus_per_node": "1", "trainer.total_training_steps": "2",
        "trainer.test_freq": "2", "trainer.save_freq": "2",
        # As the guide has it: relative to where it is started; in the checkout nothing may be left.
        "trainer.default_local_dir": f"{os.path.relpath(out, start)}/checkpoints",
    }  # fmt: skip
    exported = documented()[0] | {"VERL_PLATFORM": "cpu"}
    with only_run("the command of the guide"):
        done = subprocess.run(
            ["timeout", str(LIMIT), sys.executable, "-m", "verl.trainer.main_ppo",
             *arguments(**own)],
            cwd=start, capture_output=True, text=True, check=False,
            env={**os.environ, **exported, "PYTHONPATH": f"{SUPPORT}{os.pathsep}{ROOT}"},
        )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert packages() == before
    assert not lora or list(start.iterdir()) == []
    assert sorted(path.name.split("-")[0] for path in out.iterdir()) == [
        "checkpoints", "config.yaml", "evaluations", "metrics",
    ]  # fmt: skip
    (metrics,) = out.glob("metrics-*.jsonl")
    assert set(read_run(metrics).steps) >= {1, 2}
    saved = out / "checkpoints" / "global_step_2"
    base = transformers.AutoModelForCausalLM.from_pretrained(model)
    if not lora:
        trained = transformers.AutoModelForCausalLM.from_pretrained(saved / "actor" / "huggingface")
        pairs = zip(trained.parameters(), base.parameters(), strict=True)
        assert any(bool((one != other).any()) for one, other in pairs)
        return
    assert not list((saved / "actor" / "huggingface").glob("*.safetensors"))
    adapted = peft.PeftModel.from_pretrained(base, saved / "adapter")
    learnt = [one for name, one in adapted.named_parameters() if "lora_B" in name]
    assert learnt
    assert all(bool(one.any()) for one in learnt)  # an adapter begins with B = 0


def test_dxsearch_goes_through_its_stages(room):
    from verl_recipes.agent_loop.environment import make_env
    from verl_recipes.cpu import tiny

    texts = list(tiny.corpus(make_env("clinic/DxSearch-v0", {"split": "dev"}), most=20))
    model = tiny.build(room / "blank", texts, seed=0, vocab=700, hidden=64, positions=4096)
    out = room / "dxsearch"
    settings = (
        "data.train_batch_size=2", "actor_rollout_ref.actor.ppo_mini_batch_size=2",
        "data.max_prompt_length=2048", "data.max_response_length=512", "clinic.turn_tokens=96",
        "clinic.shortest=8", "actor_rollout_ref.rollout.n=2", "trainer.val_before_train=false",
        "trainer.test_freq=-1", "trainer.save_freq=4",
    )  # fmt: skip
    done = subprocess.run(
        ["timeout", str(LIMIT), sys.executable, "-m", "verl_recipes", "train",
         "--method", "dxsearch", "--model", str(model), "--steps", "1", "--out", str(out),
         *settings],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:] + log_of(out)
    for number, stage in enumerate(("search", "matching", "diagnosis", "joint"), 1):
        assert f"STAGE {number} of 4 '{stage}' begins at step {number}" in done.stdout
    steps = read_run(out).steps
    assert [steps[number]["stage/number"] for number in (1, 2, 3, 4)] == [1, 2, 3, 4]
    assert [steps[number]["stage/weight/matching"] for number in (1, 2)] == [0.05, 0.9]
    for number in (1, 2, 3, 4):
        for name in ("clinic/score/mean", "stage/target", "actor/kl_loss", "actor/grad_norm"):
            assert math.isfinite(steps[number][name]), name
        assert 0.0 <= steps[number]["clinic/zero_std_fraction"] <= 1.0
        assert steps[number]["stage/kl_coef"] == pytest.approx(1e-3)
    state = json.loads((out / "checkpoints" / "global_step_4" / "clinic.json").read_bytes())
    assert len(state["population"]["seen"]) == 4 * 2 * 2
    assert state["schedule"]["number"] == 4


def kill_server(leader):
    """Kill the rollout server of the run that a process leads; Ray names its workers."""
    import psutil

    family = {one.pid for one in psutil.Process(leader).children(recursive=True)}
    for one in psutil.process_iter(["pid", "cmdline"]):
        if one.pid in family and "HFServer" in " ".join(one.info["cmdline"] or []):
            one.kill()
            return True
    return False
