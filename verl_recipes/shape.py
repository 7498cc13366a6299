"""The parameters of a language model, counted from its ``config.json`` alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gym_clinic import ConfigError

EXACT = ("qwen2", "qwen3", "qwen3_5", "qwen3_5_text")
"""Model types whose count is that of transformers' own model; others are taken for Llama's."""

_QK_NORMS = ("qwen3", "qwen3_5", "qwen3_5_text")


@dataclass(frozen=True)
class Block:
    """One layer.

    Attributes:
        linears: (inputs, outputs) of each linear map, the places of LoRA's ``all-linear``.
        other: Parameters beside their weights: biases, norms, convolutions.
    """

    linears: tuple[tuple[int, int], ...]
    other: int = 0

    @property
    def parameters(self) -> int:
        """All of them."""
        return sum(inputs * outputs for inputs, outputs in self.linears) + self.other

    def adapter(self, rank: int) -> int:
        """Return the parameters of a LoRA adapter: A is (rank, inputs), B is (outputs, rank)."""
        return sum(rank * (inputs + outputs) for inputs, outputs in self.linears)

    @property
    def width(self) -> int:
        """Outputs of all linear maps together: what a token leaves behind in the layer."""
        return sum(outputs for _, outputs in self.linears)


@dataclass(frozen=True)
class Shape:
    """A causal language model.

    Attributes:
        model_type: Of its config.
        hidden: Width of the residual stream, H.
        vocab: Entries of the embedding, V.
        tied: Whether the output head is the embedding.
        layers: The decoder's.
        vision: Of the image tower; empty where there is none.
        exact: Whether the count is exact; see :data:`EXACT`.
    """

    model_type: str
    hidden: int
    vocab: int
    tied: bool
    layers: tuple[Block, ...]
    vision: tuple[Block, ...] = ()
    exact: bool = True

    @property
    def parameters(self) -> int:
        """All of them, P."""
        embeddings = self.vocab * self.hidden * (1 if self.tied else 2)
        return embeddings + self.hidden + sum(b.parameters for b in (*self.layers, *self.vision))

    @property
    def largest(self) -> Block:
        """The decoder layer with the most parameters."""
        return max(self.layers, key=lambda block: block.parameters)

    @property
    def head(self) -> int:
        """Parameters of the output head, V x H."""
        return self.vocab * self.hidden

    def adapter(self, rank: int) -> int:
        """Return the parameters of a LoRA adapter on every linear map but the head."""
        return sum(block.adapter(rank) for block in (*self.layers, *self.vision))


def read(config: Mapping[str, Any]) -> Shape:
    """Read a ``config.json``.

    Args:
        config: The file as plain data.

    Raises:
        ConfigError: If it is no dense decoder's: a size is missing, or it has experts.
    """
    text: Mapping[str, Any] = config.get("text_config") or config
    name = str(config.get("model_type") or text.get("model_type"))
    experts = [key for key in text if "expert" in key and text[key]]
    if experts:
        raise ConfigError(f"{name} has experts ({experts[0]}); only dense models are counted")
    hidden, vocab = _size(text, "hidden_size"), _size(text, "vocab_size")
    kinds = text.get("layer_types") or _kinds(text)
    if len(kinds) != _size(text, "num_hidden_layers"):
        raise ConfigError(
            f"layer_types names {len(kinds)} layers, num_hidden_layers {text['num_hidden_layers']}"
        )
    known: dict[str, Block] = {}
    for kind in kinds:
        if kind not in known:
            mixer = _linear_attention if kind == "linear_attention" else _attention
            known[kind] = _layer(text, mixer(text, name))
    tied = config.get("tie_word_embeddings", text.get("tie_word_embeddings", False))
    vision = config.get("vision_config")
    return Shape(
        model_type=name,
        hidden=hidden,
        vocab=vocab,
        tied=bool(tied),
        layers=tuple(known[kind] for kind in kinds),
        vision=tuple(_vision(vision)) if vision else (),
        exact=name in EXACT,
    )


def _kinds(text: Mapping[str, Any]) -> list[str]:
    """Return the layers' kinds where the config does not list them."""
    count = _size(text, "num_hidden_layers")
    if "linear_num_value_heads" not in text:
        return ["full_attention"] * count
    every = int(text.get("full_attention_interval", 4))
    return [
        "linear_attention" if number % every else "full_attention" for number in range(1, count + 1)
    ]


def _layer(text: Mapping[str, Any], mixer: Block) -> Block:
    hidden, inner = _size(text, "hidden_size"), _size(text, "intermediate_size")
    mlp = ((hidden, inner), (hidden, inner), (inner, hidden))
    return Block((*mixer.linears, *mlp), mixer.other + 2 * hidden)


def _attention(text: Mapping[str, Any], name: str) -> Block:
    hidden, heads = _size(text, "hidden_size"), _size(text, "num_attention_heads")
    size = int(text.get("head_dim") or hidden // heads)
    keys = int(text.get("num_key_value_heads") or heads) * size
    queries = heads * size
    asked = 2 * queries if name.startswith("qwen3_5") else queries  # with the output's gate
    other = 2 * size if name in _QK_NORMS else 0
    if name == "qwen2":
        other += queries + 2 * keys
    elif text.get("attention_bias"):
        other += asked + 2 * keys + hidden
    return Block(((hidden, asked), (hidden, keys), (hidden, keys), (queries, hidden)), other)


def _linear_attention(text: Mapping[str, Any], name: str) -> Block:
    """Count a GatedDeltaNet, the linear layer of Qwen3.5."""
    hidden, heads = _size(text, "hidden_size"), _size(text, "linear_num_value_heads")
    size = _size(text, "linear_value_head_dim")
    keys = _size(text, "linear_num_key_heads") * _size(text, "linear_key_head_dim")
    values = heads * size
    mixed = 2 * keys + values
    linears = ((hidden, mixed), (hidden, values), (hidden, heads), (hidden, heads))
    convolution = mixed * int(text.get("linear_conv_kernel_dim", 4))
    return Block((*linears, (values, hidden)), convolution + 2 * heads + size)


def _vision(vision: Mapping[str, Any]) -> Iterator[Block]:
    """Count the image tower of Qwen3.5: patches, positions, blocks, merger."""
    width, inner = _size(vision, "hidden_size"), _size(vision, "intermediate_size")
    patch = (
        int(vision.get("in_channels", 3))
        * int(vision.get("temporal_patch_size", 2))
        * int(vision.get("patch_size", 16)) ** 2
    )
    yield Block((), patch * width + width + _size(vision, "num_position_embeddings") * width)
    biases = 3 * width + width + inner + width
    linears = ((width, 3 * width), (width, width), (width, inner), (inner, width))
    yield from [Block(linears, biases + 4 * width)] * _size(vision, "depth")
    merged = width * int(vision.get("spatial_merge_size", 2)) ** 2
    out = _size(vision, "out_hidden_size")
    yield Block(((merged, merged), (merged, out)), merged + out + 2 * width)


def _size(config: Mapping[str, Any], name: str) -> int:
    value = config.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigError(f"the model's config has no {name} (found {value!r}); is it a decoder's?")
    return value
