"""The first fit: what it learns from, what it reports, and that it does what it is for."""

from __future__ import annotations

import importlib
import itertools
import random
import time
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic import ClinicEnv, ConfigError
from gym_clinic.policies import Playbook, play, scripted

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("verl")
fit = importlib.import_module("verl_recipes.cpu.fit")
tiny = importlib.import_module("verl_recipes.cpu.tiny")
written = importlib.import_module("verl_recipes.cpu.transcripts")
trajectory = importlib.import_module("verl_recipes.agent_loop.trajectory")

BUDGETS = trajectory.Budgets(prompt=1_000, response=400)
QUICK = {"near_steps": 20, "steps": 130, "looks": (), "samples": 6, "target": 0.2}
"""Enough for a domain whose prompts are a tenth of ClinGen's, at a fifth of the steps."""


@pytest.fixture(scope="module")
def env():
    return ClinicEnv("tiny_domain:INTERACTIONS")


@pytest.fixture(scope="module")
def names(env):
    return [task.id for task in env.tasks]


@pytest.fixture(scope="module")
def tokens(env, tmp_path_factory):
    folder = tiny.build(tmp_path_factory.mktemp("tokens") / "model", tiny.corpus(env), seed=0)
    return trajectory.Tokens(transformers.AutoTokenizer.from_pretrained(folder), "qwen3")


@pytest.fixture
def folder(env, tmp_path):
    return tiny.build(tmp_path / "model", tiny.corpus(env), seed=0)


def runs_of(env, task, seed=0):
    return written.runs(Playbook(env), task, random.Random(f"{seed}"))


def outcome(env, task, moves):
    plan = [action for move in moves for action in Playbook(env).write(move)]
    return play(env, task, scripted(plan)).info


@pytest.mark.parametrize(
    "name", ["clingen", "tiny_domain:INTERACTIONS", "tiny_domain:TRIAGE", "learning_domain:RHYTHM"]
)
def test_the_oracle_succeeds_and_another_answer_does_not(name):
    env = ClinicEnv(name)
    for task in env.tasks[:12]:
        right, wrong, *thinned = runs_of(env, task)
        assert right == list(env.domain.solve(task))
        assert wrong[:-1] == right[:-1]
        assert outcome(env, task, right)["success"]
        assert not outcome(env, task, wrong)["success"]
        for run in thinned:
            calls = [call for move in right[:-1] for call in move]
            kept = [call for move in run[:-1] for call in move]
            assert len(kept) < len(calls)
            assert [call for call in calls if call in kept] == kept
            assert run[-1] == right[-1] or not outcome(env, task, run)["success"]


@given(seed=st.integers(0, 10_000))
def test_runs_depend_only_on_their_seed(seed):
    env = ClinicEnv("clingen")
    for task in env.tasks[:4]:
        assert runs_of(env, task, seed) == runs_of(env, task, seed)
    drawn = {repr(runs_of(env, env.tasks[0], one)) for one in range(seed, seed + 20)}
    assert len(drawn) > 5


def test_a_transcript_is_what_a_rollout_would_be(env, tokens):
    task = env.tasks[0]
    right, *_ = found = written.transcripts(env, [task], tokens, BUDGETS, random.Random("0"))
    moves = env.domain.solve(task)
    plan = [action for move in moves for action in Playbook(env).write(move)]
    played = trajectory.Trajectory(env, task.id, tokens, BUDGETS)
    played.begin()
    for action in plan:
        said = [*tokens.tokenizer.encode(action), tokens.tokenizer.eos_token_id]
        played.take(said, [0.0] * len(said), finished=True)
    assert len(found) == 3
    assert list(right.ids) == played.ids
    first = len(played.prompt_ids)
    assert list(right.targets) == [first + at for at, own in enumerate(played.mask) if own]
    shown = tokens.tokenizer.decode([right.ids[at] for at in right.targets])
    assert shown == "".join(f"{action}<|im_end|>" for action in plan)


def test_runs_past_the_budgets_are_left_out(env, tokens):
    draw = random.Random("0")
    full = written.transcripts(env, env.tasks, tokens, BUDGETS, draw)
    spoken = sorted(len(one.ids) - one.targets[0] for one in full)
    tight = trajectory.Budgets(prompt=1_000, response=spoken[-1] - 1)
    some = written.transcripts(env, env.tasks, tokens, tight, random.Random("0"))
    assert 0 < len(some) < len(full)
    assert all(len(one.ids) - one.targets[0] <= tight.response for one in some)
    for budgets in (trajectory.Budgets(prompt=20, response=400), trajectory.Budgets(1_000, 3)):
        with pytest.raises(ConfigError, match="none of 18 tasks"):
            written.transcripts(env, env.tasks, tokens, budgets, random.Random("0"))


def test_a_step_is_on_policy_tokens_only(env, tokens, folder):
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    one = written.transcripts(env, env.tasks[:1], tokens, BUDGETS, random.Random("0"))[0]
    ids = torch.tensor(one.ids)
    expected = []
    for start in (0, one.targets[0] - 50):
        with torch.no_grad():
            log_probs = torch.log_softmax(model(ids[None, start:]).logits[0], -1)
        at = torch.tensor(one.targets) - start
        expected.append(float(-log_probs[at - 1, ids[start:][at]].mean()))
    for context, loss in zip((None, 50), expected, strict=True):
        fresh = transformers.AutoModelForCausalLM.from_pretrained(folder)
        learner = fit.Learner(fresh, [one], random.Random("0"), 10)
        learner.step(context)
        assert learner.losses == [pytest.approx(loss, abs=1e-5)]
    learner.step(None)
    assert learner.losses[1] < learner.losses[0]


def test_every_transcript_comes_once_before_any_comes_again():
    found = [written.Transcript((number, number), (1,)) for number in range(7)]
    order = fit._shuffled(found, random.Random("0"))
    rounds = [tuple(itertools.islice(order, 7)) for _ in range(4)]
    assert all(sorted(one.ids for one in a) == [x.ids for x in found] for a in rounds)
    assert len(set(rounds)) == 4


@pytest.mark.slow
def test_a_fit_makes_groups_mixed(env, names, folder):
    report = fit.first_fit(folder, env, names, budgets=BUDGETS, seed=4, seconds=1e6, **QUICK)
    assert report.reached
    assert 0.2 <= report.fraction <= 1
    assert 0 < report.success < 1
    assert (report.groups, report.samples, report.cut) == (9, 6, False)
    assert report.steps == 150
    assert f"{report.fraction:.0%} of 9 groups" in str(report)


def test_a_fit_is_reproducible_to_the_bit(env, names, folder, tmp_path):
    again = tiny.build(tmp_path / "again", tiny.corpus(env), seed=0)
    before = (folder / "model.safetensors").read_bytes()
    few = {"near_steps": 6, "steps": 6, "looks": (), "samples": 1, "groups": 2}
    reports = [
        fit.first_fit(one, env, names, budgets=BUDGETS, seed=4, seconds=1e6, **few)
        for one in (folder, again)
    ]
    timeless = [{**vars(one), "seconds": 0} for one in reports]
    assert timeless[0] == timeless[1]
    assert reports[0].steps == 12
    after = (folder / "model.safetensors").read_bytes()
    assert before != after == (again / "model.safetensors").read_bytes()
    transformers.AutoModelForCausalLM.from_pretrained(folder)
    assert len(transformers.AutoTokenizer.from_pretrained(folder)) == 4096


def test_a_model_that_learned_nothing_is_reported_as_that(env, names, folder):
    budgets = trajectory.Budgets(prompt=1_000, response=60)
    report = fit.first_fit(
        folder, env, names, budgets=budgets, seed=0, seconds=1e6,
        near_steps=0, steps=1, groups=3, samples=3,
    )  # fmt: skip
    assert (report.fraction, report.success, report.reached) == (0.0, 0.0, False)
    assert report.steps == 1


def test_the_time_limit_ends_it_and_is_reported(env, names, folder):
    report = fit.first_fit(folder, env, names, budgets=BUDGETS, seed=0, seconds=1e-9)
    assert report.cut
    assert not report.reached
    assert report.steps == 2  # one of each kind
    assert "time limit" in str(report)


def test_groups_use_tasks_outside_the_training_set(env, names, folder, monkeypatch):
    learned, asked = [], []
    transcripts, look = fit.transcripts, fit.sample_groups
    monkeypatch.setattr(
        fit, "transcripts", lambda e, tasks, *a: learned.extend(tasks) or transcripts(e, tasks, *a)
    )
    monkeypatch.setattr(
        fit,
        "sample_groups",
        lambda p, tasks, *a, **k: asked.extend(tasks) or look(p, tasks, *a, **k),
    )
    fit.first_fit(
        folder, env, names[:10], budgets=BUDGETS, seed=0, seconds=1e-9, groups=4, taught=12
    )
    held = {task.id for task in asked}
    taught = {task.id for task in learned}
    assert len(held) == 4
    assert held < set(names[:10])
    assert len(taught) == 12  # the other six, and six more of the environment
    assert set(names[:10]) - held < taught
    assert not held & taught


@dataclass
class Coin:
    """A player that succeeds as it was told, and counts."""

    outcomes: dict
    asked: list

    def succeeds(self, task, sample):
        self.asked.append((task, sample))
        return self.outcomes[task][sample]


def test_a_group_is_sampled_until_it_is_mixed():
    coin = Coin({"a": [1, 0, 1, 1], "b": [0, 0, 0, 1], "c": [1, 1, 1, 1]}, [])
    look = fit.sample_groups(coin, ["a", "b", "c"], 4, patient=False, until=time.monotonic() + 60)
    assert look == fit.Look(fraction=2 / 3, success=pytest.approx(3 / 6))
    assert [task for task, _ in coin.asked] == ["a", "b", "c", "a", "b", "c", "b", "c", "b", "c"]


def test_groups_without_contrast_are_dropped_except_at_the_last_look():
    later = {"a": [0, 0, 1], "b": [0, 0, 1]}
    until = time.monotonic() + 60
    for patient, fraction in ((False, 0.0), (True, 1.0)):
        found = fit.sample_groups(Coin(later, []), ["a", "b"], 3, patient=patient, until=until)
        assert found.fraction == fraction
    coin = Coin(later, [])
    late = fit.sample_groups(coin, ["a", "b"], 3, patient=True, until=time.monotonic() - 1)
    assert (late, coin.asked) == (fit.Look(0.0, 0.0), [])


def test_what_cannot_be_fitted_is_named(env, names, folder):
    weights = (folder / "model.safetensors").read_bytes()
    for chosen, changes, named in (
        (["nobody", *names], {}, "nobody"),
        (names[:1], {}, "two tasks"),
        (names, {"steps": 0}, "steps"),
        (names, {"groups": 0}, "groups"),
        (names, {"budgets": trajectory.Budgets(1_000, 3)}, "max_response_length"),
    ):
        with pytest.raises(ConfigError, match=named):
            fit.first_fit(folder, env, chosen, **({"budgets": BUDGETS, "seed": 0} | changes))
    assert (folder / "model.safetensors").read_bytes() == weights
