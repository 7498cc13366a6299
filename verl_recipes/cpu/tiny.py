"""A tiny Qwen3 model, and a tokenizer trained on the very texts that it will read."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    GenerationConfig,
    PreTrainedTokenizerFast,
    Qwen3Config,
    Qwen3ForCausalLM,
)

from gym_clinic import ClinicEnv, ConfigError, Task
from gym_clinic.names import at_least_one
from gym_clinic.policies import oracle, play
from gym_clinic.taskset import spread
from verl_recipes.agent_loop.environment import opening
from verl_recipes.cpu.copying import WIDE, HeadShape, link_labels, teach_copying
from verl_recipes.cpu.values import LabelledValues

END, PAD = "<|im_end|>", "<|endoftext|>"

CONTROL = (PAD, "<|im_start|>", END)
"""Tokens that a reply's text does not show."""

MARKUP = (
    "<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>",
)  # fmt: skip
"""Tokens that it does; the environment reads them."""

UNIT = 32
"""Width that goes with each query head."""

_CHUNKS = Regex(
    r"\p{N}{1,2}"  # two digits at a time: identifiers are copied in few, well-known pieces
    r"| ?[^\s\p{L}\p{N}][^\s\p{N}]*[^\s\p{L}\p{N}]"  # JSON between two values is one piece
    r"| ?\p{L}+| ?[^\s\p{L}\p{N}]|\s"
)

MOST_TEXT = 12_000_000
"""Characters of prompts that a tokenizer is trained on, more or less."""

_LINE_ENDS = re.compile("\n|" + "|".join(map(re.escape, CONTROL)))

LINE, STANDING = 60, 4_000
"""Characters of a line that may become one token, and of all such lines of a prompt."""

TEMPLATE = """\
{%- macro text(content) -%}
{%- if content is string -%}{{- content -}}
{%- else -%}{%- for part in content or [] -%}{{- part.text -}}{%- endfor -%}{%- endif -%}
{%- endmacro -%}
{%- set policy = messages[0].role == 'system' -%}
{%- if policy or tools -%}
{{- '<|im_start|>system\\n' -}}
{%- if policy -%}{{- text(messages[0].content) -}}{%- endif -%}
{%- if tools -%}
{%- if policy -%}{{- '\\n\\n' -}}{%- endif -%}
{{- '# Tools\\n\\nThese functions answer calls:\\n<tools>\\n' -}}
{%- for tool in tools -%}{{- tool | tojson(separators=(',', ':')) ~ '\\n' -}}{%- endfor -%}
{{- '</tools>\\n\\nWrite a call between <tool_call> and </tool_call>, as JSON with "name" and ' -}}
{{- '"arguments". Calls of one message are answered together.' -}}
{%- endif -%}
{{- '<|im_end|>\\n' -}}
{%- endif -%}
{%- for message in messages -%}
{%- if message.role == 'tool' -%}
{%- if loop.first or loop.previtem.role != 'tool' -%}{{- '<|im_start|>user\\n' -}}{%- endif -%}
{{- '<tool_response>\\n' ~ text(message.content) ~ '\\n</tool_response>' -}}
{%- if loop.last or loop.nextitem.role != 'tool' -%}{{- '<|im_end|>' -}}{%- endif -%}
{{- '\\n' -}}
{%- elif message.role == 'assistant' -%}
{{- '<|im_start|>assistant\\n' -}}
{%- if message.reasoning_content -%}
{{- '<think>\\n' ~ message.reasoning_content ~ '\\n</think>\\n\\n' -}}
{%- endif -%}
{{- text(message.content) -}}
{%- for call in message.tool_calls or [] -%}
{%- if not loop.first or message.content -%}{{- '\\n' -}}{%- endif -%}
{%- set made = call.function or call -%}
{%- set given = made.arguments -%}
{{- '<tool_call>\\n{"name":"' ~ made.name ~ '","arguments":' -}}
{{- given if given is string else given | tojson(separators=(',', ':')) -}}
{{- '}\\n</tool_call>' -}}
{%- endfor -%}
{{- '<|im_end|>\\n' -}}
{%- elif not loop.first or message.role != 'system' -%}
{{- '<|im_start|>' ~ message.role ~ '\\n' ~ text(message.content) ~ '<|im_end|>\\n' -}}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{- '<|im_start|>assistant\\n' -}}
{%- if enable_thinking is defined and not enable_thinking -%}
{{- '<think>\\n\\n</think>\\n\\n' -}}
{%- endif -%}
{%- endif -%}
"""
"""Chat template: the roles and markup of Qwen3's, in wording of its own."""


def build(
    out: Path,
    prompts: Iterable[str],
    *,
    seed: int,
    vocab: int = 4096,
    hidden: int = 128,
    layers: int = 2,
    positions: int = 8192,
    tied: bool = True,
    named: LabelledValues | None = None,
    standing: Sequence[str] = (),
) -> Path:
    """Make a model that can only copy, and a tokenizer, in a folder as transformers reads it.

    Args:
        out: The folder; one that exists is replaced.
        prompts: Texts to train the tokenizer on, as from :func:`corpus`.
        seed: Of the weights.
        vocab: Entries of the tokenizer beside those of ``named``; where the texts do not yield as
            many, reserved ones.
        hidden: Width, a multiple of 64: a query head for each 32, two to each key head.
        layers: Decoder layers; two are the fewest that can copy from the prompt, which they can
            from the start if ``tied``.
        positions: Longest sequence.
        tied: Whether the output layer is the embedding.
        named: Values that the calls copy: each is one token, the heads are wider, and if ``tied``
            the model finds it from the start behind its label.

    Returns:
        The folder.

    Raises:
        ConfigError: If a size cannot be.
    """
    layers, positions = at_least_one("layers", layers), at_least_one("positions", positions)
    if at_least_one("hidden", hidden) % (2 * UNIT):
        raise ConfigError(f"hidden is a multiple of {2 * UNIT}, not {hidden}")
    named = named or LabelledValues()
    heads = WIDE if named.values else HeadShape()
    tokenizer = train_tokenizer(
        prompts, vocab=vocab, positions=positions, named=named, standing=standing
    )
    end, pad = tokenizer.convert_tokens_to_ids([END, PAD])
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        intermediate_size=3 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=hidden // UNIT,
        num_key_value_heads=hidden // (2 * UNIT),
        head_dim=heads.size,
        max_position_embeddings=positions,
        rope_parameters={"rope_type": "default", "rope_theta": heads.theta},
        tie_word_embeddings=tied,
        eos_token_id=end,
        pad_token_id=pad,
        initializer_range=0.05,
        dtype="float32",
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Qwen3ForCausalLM(config)
    if layers > 1 and tied:
        teach_copying(model, torch.Generator().manual_seed(seed), heads)
        link_labels(model, tokenizer, named.labels)
    model.generation_config = GenerationConfig(eos_token_id=[end], pad_token_id=pad)
    with replacing(out) as beside:
        model.save_pretrained(beside)
        tokenizer.save_pretrained(beside)
    return out


def train_tokenizer(
    texts: Iterable[str],
    *,
    vocab: int,
    positions: int,
    named: LabelledValues | None = None,
    standing: Sequence[str] = (),
) -> Any:
    """Train a byte-level tokenizer with Qwen's special tokens and our chat template.

    Args:
        texts: What to train on; any other text can be written too, in more tokens.
        vocab: Entries beside those of ``named``.
        positions: Longest sequence.
        named: Values and labels that are one token each.
        standing: Lines that are one token each, see :func:`standing_lines`.

    Returns:
        The tokenizer, as transformers wraps it.

    Raises:
        ConfigError: If there are fewer entries than bytes and special tokens.
    """
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    named = named or LabelledValues()
    values = list(named.values)
    labels = list(dict.fromkeys(chain.from_iterable(named.labels.values())))
    labels += standing
    own = len(CONTROL) + len(MARKUP)
    if at_least_one("vocab", vocab) < len(alphabet) + own:
        raise ConfigError(
            f"vocab is {vocab}; bytes and special tokens alone are {len(alphabet) + own}"
        )
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(_CHUNKS, "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    raw.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab - own,
        min_frequency=2,
        initial_alphabet=alphabet,
        show_progress=False,
    )
    control = [AddedToken(one, special=True, normalized=False) for one in CONTROL]
    plain = [AddedToken(one, special=False, normalized=False) for one in (*MARKUP, *labels)]
    whole = [AddedToken(one, normalized=False, single_word=True) for one in values]
    raw.train_from_iterator(_between([*control, *plain, *whole], texts), trainer)
    raw.add_special_tokens(control)
    raw.add_tokens([*plain, *whole])
    missing = vocab + len(values) + len(labels) - raw.get_vocab_size()
    raw.add_special_tokens([f"<|reserved_{number}|>" for number in range(missing)])
    return PreTrainedTokenizerFast(
        tokenizer_object=raw,
        eos_token=END,
        pad_token=PAD,
        chat_template=TEMPLATE,
        model_max_length=positions,
        clean_up_tokenization_spaces=False,
    )


def _between(added: Sequence[AddedToken], texts: Iterable[str]) -> Iterator[str]:
    """Yield what stands between added tokens, lest it be learned a second time as plain text."""
    cutter = Tokenizer(models.WordLevel({"between": 0}, unk_token="between"))
    cutter.add_tokens(list(added))
    for text in texts:
        found = cutter.encode(text)
        for token, (start, end) in zip(found.ids, found.offsets, strict=True):
            if token == 0:
                yield text[start:end]


def value_tokens(tokenizer: Any) -> list[int]:
    """Return the tokens that are values which calls copy."""
    return [token for token, one in tokenizer.added_tokens_decoder.items() if one.single_word]


def corpus(env: ClinicEnv, *, native: bool = True, most: int = 1000) -> Iterator[str]:
    """Yield the texts of an environment: each prompt as the chat template writes it, and a run.

    Args:
        env: Its tasks; where there are more than ``most``, evenly spaced ones, and fewer where
            the first prompt is long.
        native: Whether tools are shown by the chat template.
        most: Tasks.
    """
    solve = oracle(env)
    length = max(map(len, _prompts(env, spread(env.tasks, 1), native)))
    for task in spread(env.tasks, min(at_least_one("most", most), max(MOST_TEXT // length, 1))):
        yield from _prompts(env, [task], native)
        for turn in play(env, task, solve(0)).episode.turns:
            yield turn.action
            yield turn.observation


def standing_lines(env: ClinicEnv, *, native: bool = True) -> list[str]:
    """Return the long lines that stand in every prompt of an environment: tools and policy.

    A tiny model cannot read fifty descriptions of tools, and a run on the CPU pays for each of
    their tokens. Where they make up most of a prompt, each line is one token.

    Args:
        env: The environment.
        native: Whether tools are shown by the chat template.
    """
    first, *others = (
        dict.fromkeys(_LINE_ENDS.split(text))
        for text in _prompts(env, spread(env.tasks, 8), native)
    )
    lines = [line for line in first if len(line) >= LINE and all(line in one for one in others)]
    return lines if sum(map(len, lines)) > STANDING else []


def _prompts(env: ClinicEnv, tasks: Iterable[Task], native: bool) -> Iterator[str]:
    template = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.BPE()))
    for task in tasks:
        _, info = env.reset(options={"task_id": task.id})
        messages, tools = opening(info, native=native)
        yield str(
            template.apply_chat_template(
                messages,
                tools=tools,
                chat_template=TEMPLATE,
                add_generation_prompt=True,
                tokenize=False,
            )
        )


@contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """Give a folder to write into, and put it in the place of another when all went well.

    Args:
        folder: The folder to replace, or to make.
    """
    beside = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    old = folder.with_name(f".{folder.name}.{os.getpid()}.old")
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        shutil.rmtree(beside, ignore_errors=True)  # of a process that was killed
        beside.mkdir()
        yield beside
        if folder.exists():
            folder.rename(old)
        try:
            beside.rename(folder)
        except OSError:
            if old.exists():
                old.rename(folder)
            raise
    finally:
        for leftover in (beside, old):
            shutil.rmtree(leftover, ignore_errors=True)
