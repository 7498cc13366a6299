"""The first fit: what it learns from, what it reports, and that it does what it is for."""

from __future__ import annotations

import importlib
import itertools
import random
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic import ClinicEnv, ConfigError
from gym_clinic.policies import Playbook, play, scripted
from verl_recipes.agent_loop.prompts import shortest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("verl")
fit = importlib.import_module("verl_recipes.cpu.fit")
groups = importlib.import_module("verl_recipes.cpu.groups")
lessons = importlib.import_module("verl_recipes.cpu.learner")
model = importlib.import_module("verl_recipes.cpu.model")
tiny = importlib.import_module("verl_recipes.cpu.tiny")
written = importlib.import_module("verl_recipes.cpu.transcripts")
load = importlib.import_module("verl_recipes.ttopd.hints").load
trajectory = importlib.import_module("verl_recipes.agent_loop.trajectory")

BUDGETS = trajectory.Budgets(prompt=1_000, response=400)
HINTS = load()


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


def runs_of(env, task, seed=0, write=written.right_and_wrong):
    return write(Playbook(env), task, random.Random(f"{seed}"))


def calls_of(run):
    return [call for move in run[:-1] for call in move]


def is_right(env, task, moves):
    plan = [action for move in moves for action in Playbook(env).write(move)]
    episode = play(env, task, scripted(plan)).episode
    return env.domain.is_correct(episode)


@pytest.mark.parametrize(
    "name", ["clingen", "tiny_domain:INTERACTIONS", "tiny_domain:TRIAGE", "learning_domain:RHYTHM"]
)
def test_the_oracle_succeeds_and_another_answer_does_not(name):
    env = ClinicEnv(name)
    for task in env.tasks[:12]:
        right, wrong, *thinned = runs_of(env, task)
        assert right == list(env.domain.solve(task))
        assert wrong[:-1] == right[:-1]
        assert is_right(env, task, right)
        assert not is_right(env, task, wrong)
        for run in thinned:
            calls = [call for move in right[:-1] for call in move]
            kept = [call for move in run[:-1] for call in move]
            assert len(kept) < len(calls)
            assert [call for call in calls if call in kept] == kept
            assert run[-1] == right[-1] or not is_right(env, task, run)


@pytest.mark.parametrize(
    ("name", "several"),
    [
        ("clingen", True),
        ("tiny_domain:INTERACTIONS", False),
        ("tiny_domain:TRIAGE", False),
        ("learning_domain:RHYTHM", False),
    ],
)
def test_runs_differ_in_their_calls_where_the_oracle_makes_several(name, several):
    assert written.asks_several(ClinicEnv(name)) is several


def test_thorough_runs_succeed_and_hasty_ones_do_not():
    env = ClinicEnv("clingen")
    counts = []
    for seed, task in enumerate(shortest(env, 40)):
        right, wrong = runs_of(env, task, seed, written.thorough_and_hasty)
        *before, answer = env.domain.solve(task)
        needed = calls_of([*before, answer])
        assert right[-1] == answer != wrong[-1]
        assert is_right(env, task, right)
        assert not is_right(env, task, wrong)
        made = calls_of(right)
        assert made[: len(needed)] == needed
        assert len({repr(call) for call in made}) == len(made)
        assert len(made) in (*written.THOROUGH, len(needed))
        assert len(calls_of(wrong)) == 1
        assert not needed or calls_of(wrong)[0] in needed
        counts.append(len(made))
    assert {*written.THOROUGH} <= {*counts}


@pytest.mark.parametrize("write", [written.right_and_wrong, written.thorough_and_hasty])
@given(seed=st.integers(0, 10_000))
def test_runs_depend_only_on_their_seed(write, seed):
    env = ClinicEnv("clingen")
    for task in env.tasks[:4]:
        assert runs_of(env, task, seed, write) == runs_of(env, task, seed, write)
    drawn = {repr(runs_of(env, env.tasks[0], one, write)) for one in range(seed, seed + 20)}
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
    assert [one.success for one in found[:2]] == [True, False]
    assert [one.calls for one in found] == [2, 2, 1]  # the answer is a call too
    assert list(right.ids) == played.ids
    first = len(played.prompt_ids)
    assert list(right.targets) == [first + at for at, own in enumerate(played.mask) if own]
    shown = tokens.tokenizer.decode([right.ids[at] for at in right.targets])
    assert shown == "".join(f"{action}<|im_end|>" for action in plan)


def test_a_hinted_run_has_the_hint_where_the_teacher_reads_it(env, tokens):
    one = written.transcripts(env, env.tasks[:1], tokens, BUDGETS, random.Random("0"))[0]
    hint = tokens.plain("\n\nIt went well.")
    hinted = one.hinted(hint)
    shown = tokens.tokenizer.decode(hinted.ids[: hinted.targets[0]])
    assert shown.endswith("\n\nIt went well.<|im_end|>\n<|im_start|>assistant\n")
    assert [hinted.ids[at] for at in hinted.targets] == [one.ids[at] for at in one.targets]


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


def losses(model, run, context):
    """Return the negative log-likelihoods of the policy's tokens of a run."""
    start = 0 if context is None else run.targets[0] - context
    ids, at = torch.tensor(run.ids[start:]), torch.tensor(run.targets) - start
    with torch.no_grad():
        log_probs = torch.log_softmax(model(ids[None]).logits[0], -1)
    return -log_probs[at - 1, ids[at]]


def test_a_step_is_on_the_policy_tokens_of_a_right_and_a_wrong_run(env, tokens, folder):
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    right, wrong, _ = written.transcripts(env, env.tasks[:1], tokens, BUDGETS, random.Random("0"))
    told = {True: [()], False: [()]}  # a hint of no tokens
    for context in (None, 50):
        one, other = (losses(model, run, context) for run in (right, wrong))
        for course, expected in (
            (lessons.BRIEF, (one.mean() + other.mean()) / 2),
            (lessons.LONG, torch.cat([one, other]).mean()),
        ):
            fresh = transformers.AutoModelForCausalLM.from_pretrained(folder)
            learner = lessons.Learner(fresh, [right, wrong], told, random.Random("0"), course)
            learner.step(context)
            assert learner.losses == [pytest.approx(float(expected), abs=1e-4)]
    learner.step(None)
    assert learner.losses[1] < learner.losses[0]


def test_every_transcript_comes_once_before_any_comes_again():
    order = lessons._shuffled(list(range(7)), random.Random("0"))
    rounds = [tuple(itertools.islice(order, 7)) for _ in range(4)]
    assert all(sorted(one) == [*range(7)] for one in rounds)
    assert len(set(rounds)) == 4


def test_a_hint_informs_where_it_makes_its_own_runs_likelier(env, tokens, folder, monkeypatch):
    runs = written.transcripts(env, env.tasks[:2], tokens, BUDGETS, random.Random("0"))
    told = {True: [[7]], False: [[8]]}
    likely = {(True, True): -1.0, (True, False): -3.0, (False, False): -2.0, (False, True): -2.5}

    def judged(model, one):
        return likely[one.success, one.ids[one.hint_at] == 7]

    monkeypatch.setattr(fit, "_log_likelihood", judged)
    right = sum(one.success for one in runs)
    wrong = len(runs) - right
    share, nats = fit.informs(None, runs, told)
    assert share == 1.0
    assert nats == pytest.approx((2.0 * right + 0.5 * wrong) / len(runs))
    likely[False, True] = -1.0
    assert fit.informs(None, runs, told)[0] == pytest.approx(right / len(runs))


@pytest.mark.slow
def test_a_fit_mixes_groups_and_makes_hints_inform(tmp_path):
    env = ClinicEnv("learning_domain:RHYTHM")
    texts = [*tiny.corpus(env), *HINTS.correct, *HINTS.incorrect]
    folder = tiny.build(tmp_path / "model", texts, seed=0, vocab=512, hidden=64, positions=512)
    budgets = trajectory.Budgets(prompt=256, response=96, turn=40)
    names = [task.id for task in env.tasks]
    goals = fit.Goals(calls=1.0, informed=0.8)  # a third of the runs it learns from do not look
    report = fit.first_fit(folder, env, names, HINTS, budgets=budgets, seed=0, goals=goals)
    assert report.reached, report
    assert 0 < report.look.success < 1
    assert f"{report.look.mixed:.0%} of 4 groups" in str(report)


@pytest.mark.slow
def test_a_fit_is_reproducible_to_the_bit(env, names, folder, tmp_path):
    again = tiny.build(tmp_path / "again", tiny.corpus(env), seed=0)
    before = (folder / "model.safetensors").read_bytes()
    few = {"near_steps": 2, "steps": 2, "look_every": 2, "samples": 1, "groups": 2}
    reports = [
        fit.first_fit(one, env, names, HINTS, budgets=BUDGETS, seed=4, **few)
        for one in (folder, again)
    ]
    timeless = [{**vars(one), "seconds": 0} for one in reports]
    assert timeless[0] == timeless[1]
    assert reports[0].steps == 4
    after = (folder / "model.safetensors").read_bytes()
    assert before != after == (again / "model.safetensors").read_bytes()
    transformers.AutoModelForCausalLM.from_pretrained(folder)
    assert len(transformers.AutoTokenizer.from_pretrained(folder)) == 4096


@pytest.mark.slow
def test_further_environments_are_learned_from(env, names, tmp_path, monkeypatch):
    taught = []
    transcripts = fit.transcripts

    def noted(one, tasks, *others):
        taught.append((one, len(tasks)))
        return transcripts(one, tasks, *others)

    monkeypatch.setattr(fit, "transcripts", noted)
    other = ClinicEnv("tiny_domain:TRIAGE")
    few = {"near_steps": 1, "steps": 1, "samples": 1, "groups": 2, "taught": 5}
    model.make_tiny(tmp_path / "both", env, names, BUDGETS, seed=0, also=[other], **few)
    assert taught == [(env, 5), (other, 5), (env, 2)]  # the last are held apart
    alone = tiny.build(tmp_path / "alone", tiny.corpus(env), seed=0)
    text = next(tiny.corpus(other))
    both, one = (
        transformers.AutoTokenizer.from_pretrained(folder) for folder in (tmp_path / "both", alone)
    )
    assert len(both.encode(text)) < 0.7 * len(one.encode(text))


def test_the_same_fit_is_done_once(env, names, tmp_path, monkeypatch):
    few = {"near_steps": 1, "steps": 1, "samples": 1, "groups": 2, "taught": 5, "vocab": 600}
    few |= {"cache": tmp_path / "cache", "seed": 0}
    first = model.make_tiny(tmp_path / "one", env, names, BUDGETS, **few)

    def again(*_, **__):
        raise AssertionError("a second fit")

    monkeypatch.setattr(model, "first_fit", again)
    assert model.make_tiny(tmp_path / "two", env, names, BUDGETS, **few) == first
    one, two = ({x.name: x.read_bytes() for x in (tmp_path / n).iterdir()} for n in ("one", "two"))
    assert one == two
    for changes in ({"seed": 1}, {"steps": 2}, {"texts": HINTS.of_size("outcome")}):
        with pytest.raises(AssertionError, match="a second fit"):
            model.make_tiny(tmp_path / "three", env, names, BUDGETS, **{**few, **changes})


def test_a_model_that_learned_nothing_is_reported_as_that(env, names, folder):
    budgets = trajectory.Budgets(prompt=1_000, response=60)
    report = fit.first_fit(
        folder, env, names, HINTS, budgets=budgets, seed=0,
        near_steps=0, steps=1, groups=2, samples=2,
    )  # fmt: skip
    assert (report.look.mixed, report.look.success, report.reached) == (0.0, 0.0, False)
    assert report.steps == 1


def test_a_fit_stops_as_soon_as_its_goals_are_reached(env, names, folder):
    nothing = fit.Goals(mixed=0.0, calls=0.0, informed=0.0)
    report = fit.first_fit(
        folder, env, names, HINTS, budgets=BUDGETS, seed=0, goals=nothing,
        near_steps=0, steps=4, look_every=1, groups=2, samples=1,
    )  # fmt: skip
    assert report.reached
    assert report.steps == 1


def test_no_more_calls_are_asked_for_than_the_runs_make(env, names, folder):
    asked = fit.Goals(mixed=0.0, calls=9.0, informed=0.0)
    budgets = trajectory.Budgets(prompt=1_000, response=60)
    few = {"near_steps": 0, "steps": 1, "groups": 2, "samples": 1, "taught": 2}
    report = fit.first_fit(folder, env, names, HINTS, budgets=budgets, seed=0, goals=asked, **few)
    assert 0.0 < report.goals.calls <= 2.0


@pytest.mark.slow
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
        folder, env, names[:10], HINTS, budgets=BUDGETS, seed=0,
        near_steps=0, steps=1, groups=4, samples=1, taught=12,
    )  # fmt: skip
    held = {task.id for task in asked}
    taught = {task.id for task in learned[:12]}
    assert {task.id for task in learned[12:]} == held  # only to see whether hints inform
    assert len(held) == 4
    assert held < set(names[:10])
    assert len(taught) == 12  # the other six, and six more of the environment
    assert set(names[:10]) - held < taught
    assert not held & taught


@dataclass
class Coin:
    """A player that succeeds as it was told, makes as many calls, and counts."""

    outcomes: dict
    asked: list

    def play(self, task, sample):
        self.asked.append((task, sample))
        return bool(self.outcomes[task][sample]), self.outcomes[task][sample]


def test_a_group_is_sampled_until_it_is_mixed_and_twice_at_least():
    coin = Coin({"a": [1, 0, 1, 1], "b": [0, 0, 0, 3], "c": [1, 1, 1, 1]}, [])
    look = groups.sample_groups(coin, ["a", "b", "c"], 4, least=0.5)
    assert look == groups.Look(mixed=2 / 3, success=3 / 6, calls=3 / 6)
    assert [task for task, _ in coin.asked] == ["a", "b", "c", "a", "b", "c", "b", "c", "b", "c"]


def test_groups_with_too_few_calls_are_left_after_two_samples():
    for least, mixed in ((0.1, 0.0), (0.0, 1.0)):
        coin = Coin({"a": [0, 0, 1], "b": [0, 0, 1]}, [])
        assert groups.sample_groups(coin, ["a", "b"], 3, least=least).mixed == mixed


def test_groups_of_which_no_sample_succeeds_are_left_after_two():
    few, many = [f"{number}" for number in range(7)], [f"{number}" for number in range(8)]
    for tasks, samples in ((few, 4), (many, 2)):
        coin = Coin({task: [0] * 4 for task in tasks}, [])
        assert groups.sample_groups(coin, tasks, 4, least=0.0).mixed == 0.0
        assert len(coin.asked) == samples * len(tasks)


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
            fit.first_fit(folder, env, chosen, HINTS, **({"budgets": BUDGETS, "seed": 0} | changes))
    assert (folder / "model.safetensors").read_bytes() == weights
