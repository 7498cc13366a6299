"""The first weights of a tiny model: it copies, and finds a value of the ticket by its label."""

from __future__ import annotations

import importlib

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("verl")
tiny = importlib.import_module("verl_recipes.cpu.tiny")

NAMES = ("Gravelord", "Sundew", "Tarn", "Bellwether", "Quill", "Osprey")
TEXTS = [
    f"Ward: {one}\nNurse: {two}\n"
    + f'{{"name":"look","arguments":{{"nurse":"{two}","ward":"{one}"}}}}'
    for one in NAMES
    for two in NAMES
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny") / "model"
    tiny.build(folder, TEXTS * 3, seed=0, vocab=600, positions=512)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    return transformers.AutoModelForCausalLM.from_pretrained(folder).eval(), tokenizer


def chance_of_last(model, ids):
    with torch.no_grad():
        return float(torch.softmax(model(torch.tensor([ids[:-1]])).logits[0, -1], -1)[ids[-1]])


def test_a_token_that_followed_before_is_proposed_again(made):
    model, _ = made
    draw = torch.Generator().manual_seed(0)
    ids = torch.randperm(550, generator=draw)[:100].tolist()
    assert chance_of_last(model, [*ids, ids[40], ids[41]]) > 0.05 > 10 / 600


def test_a_key_of_a_call_finds_the_value_behind_its_label(made):
    model, tokenizer = made
    found = []
    for ward, nurse in zip(NAMES, reversed(NAMES), strict=True):
        ticket = f"Ward: {ward}\nNurse: {nurse}\n"
        for key, wanted in (("ward", ward), ("nurse", nurse)):
            before = tokenizer.encode(
                f'{ticket}{{"name":"look","arguments":{{"{key}":"', add_special_tokens=False
            )
            value = tokenizer.encode(wanted, add_special_tokens=False)[0]
            found.append(chance_of_last(model, [*before, value]))
    assert sum(found) / len(found) > 0.05  # chance is 1 / 600
