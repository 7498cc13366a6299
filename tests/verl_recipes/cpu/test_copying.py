"""Values of a ticket: each is one token, and the first weights find it behind its label."""

from __future__ import annotations

import importlib
import itertools
import random

import pytest

from gym_clinic import ClinicEnv
from gym_clinic.policies import Playbook
from verl_recipes.agent_loop.prompts import shortest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("verl")
copying = importlib.import_module("verl_recipes.cpu.copying")
fit = importlib.import_module("verl_recipes.cpu.fit")
learning = importlib.import_module("verl_recipes.cpu.learner")
tiny = importlib.import_module("verl_recipes.cpu.tiny")
values = importlib.import_module("verl_recipes.cpu.values")
written = importlib.import_module("verl_recipes.cpu.transcripts")
load = importlib.import_module("verl_recipes.ttopd.hints").load
trajectory = importlib.import_module("verl_recipes.agent_loop.trajectory")

TASKS = 12


@pytest.fixture(scope="module")
def env():
    return ClinicEnv("clingen")


@pytest.fixture(scope="module")
def named(env):
    found = values.LabelledValues()
    found.read(env, shortest(env, TASKS))
    return found


@pytest.fixture(scope="module")
def folder(env, named, tmp_path_factory):
    out = tmp_path_factory.mktemp("tiny") / "model"
    return tiny.build(out, tiny.corpus(env, most=40), seed=0, vocab=2_000, named=named)


@pytest.fixture(scope="module")
def tokens(folder):
    return trajectory.Tokens(transformers.AutoTokenizer.from_pretrained(folder), "qwen3")


@pytest.fixture
def model(folder):
    return transformers.AutoModelForCausalLM.from_pretrained(folder).eval()


@pytest.fixture(scope="module")
def lessons(env, tokens):
    budgets = trajectory.Budgets(prompt=4_000, response=2_000)
    return written.transcripts(env, shortest(env, TASKS), tokens, budgets, random.Random("0"))


def test_values_stand_behind_a_label_of_the_name_of_their_argument(env, named):
    assert named.labels == {
        "disease": {"Disease: ": None},
        "gene": {"Gene: ": None},
        "pmcid": {"PMCID: ": None},
        "pmid": {"PMID: ": None},
    }
    for task in shortest(env, TASKS):
        for _, arguments in Playbook(env).menu(task).calls:
            assert {*arguments.values()} <= named.values.keys()


def test_an_environment_without_labels_has_no_values():
    for name in ("tiny_domain:INTERACTIONS", "tiny_domain:TRIAGE", "learning_domain:RHYTHM"):
        found = values.LabelledValues()
        env = ClinicEnv(name)
        found.read(env, env.tasks)
        assert found == values.LabelledValues()


def test_a_value_is_one_token_and_reads_as_it_is_written(env, named, tokens):
    known = {*tiny.value_tokens(tokens.tokenizer)}
    assert len(known) == len(named.values)
    for value in named.values:
        text = f'"x":"{value}"}}'
        ids = tokens.plain(text)
        assert tokens.text(ids) == text
        assert [tokens.text([one]) for one in ids if one in known] == [value]
    gene = next(value for value in named.values if value.isupper())
    assert not known & {*tokens.plain(f"{gene}x")}  # a part of a word is none


def test_the_first_weights_copy_the_value_behind_a_label(model, tokens, lessons):
    known = {*tiny.value_tokens(tokens.tokenizer)}
    alone, any_article = [], []
    for run in lessons[:6]:
        ids = torch.tensor(run.ids)
        with torch.no_grad():
            chances = model(ids[None]).logits[0].softmax(-1)
        ticket = sorted(known & {*run.ids[: run.targets[0]]})
        for at in run.targets:
            if run.ids[at] in known:
                several = tokens.text([run.ids[at]]).startswith("SIM")  # one an article
                (any_article if several else alone).append(
                    float(chances[at - 1, ticket if several else ids[at]].sum())
                )
    assert min(len(alone), len(any_article)) > 10
    assert sum(alone) / len(alone) > 0.9  # chance is one in thousands
    assert sum(any_article) / len(any_article) > 0.9


@pytest.mark.slow
def test_copying_is_held_while_a_model_learns(model, tokens, lessons):
    known = tiny.value_tokens(tokens.tokenizer)
    size = model.config.head_dim
    before = {name: one.detach().clone() for name, one in model.named_parameters()}
    told = fit.hint_tokens(load(), tokens)
    learner = learning.Learner(model, lessons, told, random.Random("0"), learning.LONG, known)
    learner.step(320)
    after = dict(model.named_parameters())

    def held(name, *part):
        return torch.equal(before[name][part], after[name][part])

    embedding = "model.embed_tokens.weight"
    assert held(embedding, known)
    assert not torch.equal(before[embedding], after[embedding])
    for layer in (0, model.config.num_hidden_layers - 1):
        for part in ("q_proj", "k_proj", "v_proj"):
            name = f"model.layers.{layer}.self_attn.{part}.weight"
            assert held(name, slice(size))
            assert not held(name, slice(size, None))
        name = f"model.layers.{layer}.self_attn.o_proj.weight"
        assert held(name, slice(None), slice(size))
        assert not held(name, slice(None), slice(size, None))


@pytest.mark.slow
def test_calls_are_taught_to_name_the_article_that_the_first_weights_copy(model, tokens, lessons):
    known = tiny.value_tokens(tokens.tokenizer)
    told, draw = {True: [()], False: [()]}, random.Random("0")
    learner = learning.Learner(model, lessons[:6], told, draw, learning.LONG, known)
    pairs = []
    for run in lessons[:6]:
        taught = learning._as_copied(model, run, known)
        assert (taught.ids, taught.targets) == (run.ids, run.targets)
        for place, token in zip(run.targets, taught.said, strict=True):
            assert token == run.ids[place] or {token, run.ids[place]} <= {*known}
        copied = [token for token in taught.said if token in known]
        assert {*copied} <= {*run.ids}
        shown = [tokens.text([token]) for token in copied]
        # Of the first call: later ones stand behind what the run names, not behind what is taught.
        pairs += [
            next((a, b) for a, b in itertools.pairwise(shown) if b.startswith("SIMC")),
        ]
        seen = learner._without_copies(taught)
        assert not {*seen.said} & {*known}
        assert len(seen.targets) == len(seen.said) == len(taught.said) - len(copied)
    assert all(one.removeprefix("SIM") == other.removeprefix("SIMC") for one, other in pairs)
