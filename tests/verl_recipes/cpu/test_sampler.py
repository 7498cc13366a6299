"""The CPU sampler: exact against a whole forward pass, and the same to the bit, always."""

from __future__ import annotations

import importlib
import math
import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gym_clinic import ConfigError

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
module = importlib.import_module("verl_recipes.cpu.sampler")
Sampler, pick, BLOCK = module.Sampler, module.pick, module.BLOCK

VOCAB, STOP = 61, 7
EDGES = (1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK - 1, 2 * BLOCK, 2 * BLOCK + 37)


def make_model(seed=0, **changes):
    sizes = {
        "vocab_size": VOCAB,
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "head_dim": 16,
        "initializer_range": 0.3,
        "tie_word_embeddings": True,
    }
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return transformers.Qwen3ForCausalLM(transformers.Qwen3Config(**(sizes | changes)))


@pytest.fixture(scope="module")
def model():
    return make_model()


def make_sampler(model, **changes):
    return Sampler(model, **({"stop": [STOP], "max_length": 4 * BLOCK} | changes))


def prompt_of(length, seed=0):
    draw = random.Random(f"{seed}")
    return [draw.randrange(VOCAB) for _ in range(length)]


def say(sampler, prompt, seed=0, tokens=24, temperature=0.9, **more):
    return sampler.generate(prompt, max_tokens=tokens, temperature=temperature, seed=seed, **more)


def whole(model, prompt, reply, temperature=1.0):
    """Log-probabilities of a reply by one pass over everything, without any cache."""
    with torch.no_grad():
        logits = model(torch.tensor([[*prompt, *reply]])).logits[0, len(prompt) - 1 : -1]
    return torch.log_softmax(logits / temperature, -1)


@pytest.mark.parametrize("length", EDGES)
@pytest.mark.parametrize("temperature", [0.8, 1.0])
def test_log_probs_are_those_of_a_whole_pass(model, length, temperature):
    prompt = prompt_of(length)
    said = say(make_sampler(model, stop=[]), prompt, temperature=temperature)
    expected = whole(model, prompt, said.token_ids, temperature)
    expected = expected[range(len(said.token_ids)), said.token_ids]
    assert len(said.token_ids) == len(said.log_probs) == 24
    torch.testing.assert_close(torch.tensor(said.log_probs), expected, atol=1e-5, rtol=0)


@given(
    length=st.sampled_from(EDGES),
    before=st.lists(st.sampled_from(EDGES), max_size=3),
    seed=st.integers(0, 2**63),
)
def test_remembered_prompts_change_no_bit(model, length, before, seed):
    warm, prompt = make_sampler(model), prompt_of(2 * BLOCK + 37)
    for other in before:
        say(warm, prompt[:other], seed=1)
    assert say(warm, prompt[:length], seed) == say(make_sampler(model), prompt[:length], seed)


@pytest.mark.parametrize("length", EDGES)
def test_a_second_turn_is_the_same_with_and_without_the_first(model, length):
    sampler = make_sampler(model)
    prompt = prompt_of(length)
    first = say(sampler, prompt)
    further = [*prompt, *first.token_ids, *prompt_of(30, seed=1)]
    warm = say(sampler, further, seed=5)
    sampler.clear()
    assert warm == say(sampler, further, seed=5)


def test_samples_of_one_prompt_are_the_same_from_many_threads(model):
    prompts = [prompt_of(BLOCK + 20, seed=0), prompt_of(50, seed=1)]
    wanted = [(prompts[number % 2], number) for number in range(16)]
    alone = [say(make_sampler(model), prompt, seed) for prompt, seed in wanted]
    shared = make_sampler(model, cache=1)  # the two prompts drive one another out
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda one: say(shared, *one), wanted))
    assert together == alone
    assert len({tuple(one.token_ids) for one in alone}) > 8


def test_a_prompt_is_read_once_and_what_it_shares_with_others_too(model):
    read = []
    hook = model.register_forward_hook(
        lambda _, args, kwargs, out: read.append(kwargs["input_ids"].shape[1]), with_kwargs=True
    )
    sampler = make_sampler(model, cache=2)
    prompt = prompt_of(2 * BLOCK + 10)
    try:
        say(sampler, prompt, tokens=1)
        assert read == [BLOCK, BLOCK, 10]
        say(sampler, prompt, tokens=1, seed=1)
        assert len(read) == 3
        say(sampler, [*prompt, 1, 2], tokens=1)
        assert read[3:] == [12]
        say(sampler, [*prompt[:BLOCK], 3], tokens=1)  # drives out the first
        assert read[4:] == [1]
        say(sampler, prompt, tokens=1)
        assert read[5:] == [10]
        sampler.clear()
        say(sampler, prompt, tokens=1)
        assert read[6:] == [BLOCK, BLOCK, 10]
    finally:
        hook.remove()


def test_greedy_takes_the_likeliest_at_every_place(model):
    prompt = prompt_of(40)
    said = say(make_sampler(model, stop=[]), prompt, temperature=0)
    expected = whole(model, prompt, said.token_ids)
    assert said.token_ids == expected.argmax(-1).tolist()
    torch.testing.assert_close(
        torch.tensor(said.log_probs), expected.max(-1).values, atol=1e-5, rtol=0
    )
    assert say(make_sampler(model, stop=[]), prompt, top_k=1).token_ids == said.token_ids
    assert say(make_sampler(model, stop=[]), prompt, top_p=1e-9).token_ids == said.token_ids


def test_log_probs_ignore_top_p_and_top_k(model):
    prompt = prompt_of(40)
    said = say(make_sampler(model, stop=[]), prompt, temperature=0.7, top_k=3, top_p=0.9)
    expected = whole(model, prompt, said.token_ids, 0.7)[range(24), said.token_ids]
    torch.testing.assert_close(torch.tensor(said.log_probs), expected, atol=1e-5, rtol=0)


def test_a_reply_ends_by_a_stop_token_or_by_a_limit(model):
    prompt = prompt_of(20)
    free = say(make_sampler(model, stop=[]), prompt, tokens=200)
    stop = free.token_ids[9]
    cut = free.token_ids.index(stop) + 1
    ended = say(make_sampler(model, stop=[stop]), prompt, tokens=200)
    assert (ended.token_ids, ended.stop_reason) == (free.token_ids[:cut], "completed")
    assert ended.log_probs == free.log_probs[:cut]
    short = say(make_sampler(model, stop=[]), prompt, tokens=5)
    assert (short.token_ids, short.stop_reason) == (free.token_ids[:5], "length")
    tight = say(make_sampler(model, stop=[], max_length=23), prompt, tokens=200)
    assert (tight.token_ids, tight.stop_reason) == (free.token_ids[:3], "length")
    for full in (
        say(make_sampler(model, max_length=20), prompt),
        say(make_sampler(model, max_length=10), prompt),
        say(make_sampler(model), prompt, tokens=0),
    ):
        assert (full.token_ids, full.log_probs, full.stop_reason) == ([], [], "length")


def test_randomness_comes_from_the_seed_alone(model):
    sampler, prompt = make_sampler(model, stop=[]), prompt_of(20)
    torch.manual_seed(3)
    state = torch.get_rng_state()
    assert say(sampler, prompt, 1) == say(sampler, prompt, 1) != say(sampler, prompt, 2)
    assert say(sampler, prompt, None) != say(sampler, prompt, None)
    assert torch.equal(state, torch.get_rng_state())


def test_new_weights_replace_cached_prompts():
    sampler, prompt = make_sampler(make_model(0), stop=[]), prompt_of(BLOCK + 5)
    old = say(sampler, prompt)
    fresh = make_model(1)
    weights = fresh.state_dict()
    del weights["lm_head.weight"]  # tied
    sampler.load(weights)
    assert say(sampler, prompt) == say(make_sampler(fresh, stop=[]), prompt) != old
    with pytest.raises(ValueError, match=r"model\.norm\.weight"):
        sampler.load({name: w for name, w in weights.items() if name != "model.norm.weight"})
    with pytest.raises(ValueError, match="surplus"):
        sampler.load(weights | {"surplus": torch.zeros(1)})


def test_draws_follow_the_distribution():
    logits = torch.tensor([0.0, 1.0, -1.0, -math.inf, 2.0])
    chances = torch.softmax(logits / 0.8, -1)
    draw = torch.Generator().manual_seed(0)
    count = torch.zeros(5)
    for _ in range(4_000):
        token, log_prob = pick(logits, draw, 0.8, 1.0, -1)
        count[token] += 1
        assert log_prob == pytest.approx(math.log(chances[token]), abs=1e-6)
    assert count[3] == 0
    deviation = (count / 4_000 - chances).abs()
    assert (deviation <= 4 * (chances * (1 - chances) / 4_000).sqrt()).all()


@example(logits=[0.0, -5.960464477539063e-08, 0.0], top_p=0.5, top_k=-1, seed=0)
@given(
    logits=st.lists(st.floats(-8, 8, width=32), min_size=2, max_size=9),
    top_p=st.floats(0.05, 1.0),
    top_k=st.sampled_from([-1, 1, 2, 3, 20]),
    seed=st.integers(0, 1_000),
)
def test_a_draw_stays_within_the_cuts(logits, top_p, top_k, seed):
    values = torch.tensor(logits)
    token, _ = pick(values, torch.Generator().manual_seed(seed), 1.0, top_p, top_k)
    chances = torch.softmax(values.double(), -1)
    better = chances[chances > chances[token] + 1e-6]  # single precision tells no finer
    if top_k > 0:
        assert len(better) < top_k
        chances = chances.sort(descending=True).values[:top_k]
    assert float(better.sum() / chances.sum()) < top_p + 1e-6


def test_another_kind_of_model_is_refused():
    sliding = make_model(use_sliding_window=True, sliding_window=8, max_window_layers=1)
    with pytest.raises(ConfigError, match="full attention"):
        make_sampler(sliding)
