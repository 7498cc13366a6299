"""What a training step needs of each GPU's memory: arithmetic on the model's shape, not measured.

Assumed: FSDP2 with every parameter sharded over all GPUs, fp32 master weights, bf16 compute,
activations checkpointed at every layer, a micro-batch of one packed row whose every token counts as
the policy's, and flash-attn's cross-entropy, which overwrites logits by their gradient. Not
counted: CUDA's own context, NCCL's buffers and what the allocator wastes; ``FREE`` leaves room.

The letters of the formulas: P parameters, T those that are trained, A those of an adapter, G GPUs,
N tokens, H hidden size, V vocabulary, L layers, C tokens of a chunk; factors are bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gym_clinic import ConfigError
from verl_recipes.shape import Shape

GIB = float(2**30)

TARGET_LORA, TARGET_FULL = 3.0, 6.0
"""GiB per GPU that TT-OPD may need over GRPO: with LoRA, and with full fine-tuning over 8."""

WORKING_SET = 3
"""Tensors (C, V) in fp32 that the exact KL holds at once: two of logits and one product."""

PROBE_SET, PROBE_EVERY = 6, 16
"""Tensors (N / 16, V) in fp32 that a measuring step holds at once."""

FREE = 0.9
"""Share of a GPU's memory that an estimate may fill."""


@dataclass(frozen=True)
class Setting:
    """How a model is trained.

    Attributes:
        gpus: Over which it is sharded.
        tokens: Of a micro-batch, prompt included.
        lora: Rank of the adapters; 0 for full fine-tuning.
        temperature: Of the sampling; at 1 verl makes no divided copy of the logits.
        chunk: Tokens whose logits the KL holds at once, ``clinic.teacher.chunk``.
        offload: Whether the teacher waits in host memory, ``ref.fsdp_config.param_offload``.
        rollout: Share of the GPU that vLLM takes while it samples.
    """

    gpus: int = 8
    tokens: int = 12_288
    lora: int = 0
    temperature: float = 1.0
    chunk: int = 512
    offload: bool = False
    rollout: float = 0.4

    def __post_init__(self) -> None:
        for name in ("gpus", "tokens", "chunk"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)}: give a number from 1")
        if self.lora < 0:
            raise ConfigError(f"lora is {self.lora}: give a rank, or 0 for full fine-tuning")
        if not self.temperature > 0.0:
            raise ConfigError(f"temperature is {self.temperature}: give a number above 0")
        if not 0.0 <= self.rollout < 1.0:
            raise ConfigError(f"rollout is {self.rollout}: give a share of the GPU, below 1")


@dataclass(frozen=True)
class Line:
    """Something held in memory.

    Attributes:
        name: What.
        size: Bytes.
        formula: How they come about.
    """

    name: str
    size: float
    formula: str

    @property
    def gib(self) -> float:
        """The size in GiB."""
        return self.size / GIB


@dataclass(frozen=True)
class Arm:
    """One way of training.

    Attributes:
        name: ``GRPO`` or ``TT-OPD``.
        resting: What is held always.
        update: What is held through the update phase beside it.
        moments: What is held beside both, at each moment that could be the dearest.
        measuring: What a measuring step (``clinic.teacher.diagnose_every``) adds to the dearest.
    """

    name: str
    resting: tuple[Line, ...]
    update: tuple[Line, ...]
    moments: Mapping[str, tuple[Line, ...]]
    measuring: tuple[Line, ...] = ()

    @property
    def peak(self) -> str:
        """The dearest moment of an ordinary step."""
        return max(self.moments, key=lambda moment: _gib(self.moments[moment]))

    @property
    def lines(self) -> tuple[Line, ...]:
        """All that is held then."""
        return (*self.resting, *self.update, *self.moments[self.peak])

    @property
    def total(self) -> float:
        """The GiB held then."""
        return _gib(self.lines)


@dataclass(frozen=True)
class Estimate:
    """Both arms of a comparison, everything else equal.

    Attributes:
        setting: Of both.
        grpo: Without a teacher.
        ttopd: With one.
    """

    setting: Setting
    grpo: Arm
    ttopd: Arm

    @property
    def over(self) -> float:
        """GiB that TT-OPD needs over GRPO, each at its dearest moment."""
        return self.ttopd.total - self.grpo.total

    @property
    def target(self) -> float:
        """GiB that it may."""
        return TARGET_LORA if self.setting.lora else TARGET_FULL

    @property
    def meets(self) -> bool:
        """Whether it does with no more."""
        return self.over <= self.target

    def rows(self) -> list[tuple[str, float | None, float | None, str]]:
        """Return name, GiB of GRPO, GiB of TT-OPD and formula of all that either arm holds."""
        grpo, ttopd = ({line.name: line for line in arm.lines} for arm in (self.grpo, self.ttopd))
        return [
            (
                name,
                grpo[name].gib if name in grpo else None,
                ttopd[name].gib if name in ttopd else None,
                line.formula,
            )
            for name, line in {**grpo, **ttopd}.items()
        ]

    def demands(self, arm: Arm, gpu: float) -> dict[str, float]:
        """Return the GiB that each phase of an arm needs of a GPU of ``gpu`` GiB."""
        needed = {
            "sampling": _gib(arm.resting) + self.setting.rollout * gpu,
            arm.peak: arm.total,
        }
        if arm.measuring:
            needed["a measuring step"] = arm.total + _gib(arm.measuring)
        return needed


def estimate(shape: Shape, setting: Setting) -> Estimate:
    """Estimate the memory of both arms.

    Args:
        shape: The model.
        setting: How it is trained.
    """
    s = setting
    trained = shape.adapter(s.lora) if s.lora else shape.parameters
    frozen = [Line("frozen weights", 4 * shape.parameters / s.gpus, "4P/G")] if s.lora else []
    resting = (
        *frozen,
        Line("trained weights, fp32", 4 * trained / s.gpus, "4T/G"),
        Line("Adam's moments", 8 * trained / s.gpus, "8T/G"),
    )
    update = (
        Line("gradients", 4 * trained / s.gpus, "4T/G"),
        Line("checkpoints of layers", 2 * s.tokens * shape.hidden * len(shape.layers), "2NHL"),
    )
    teacher = _teacher(shape, s)
    measuring = (
        Line("gradients of the other term", 4 * trained / s.gpus, "4T/G"),
        Line(
            "compared distributions",
            4 * shape.vocab * s.tokens / PROBE_EVERY * PROBE_SET,
            f"{PROBE_SET} * 4VN/{PROBE_EVERY}",
        ),
    )
    return Estimate(
        setting,
        Arm("GRPO", resting, update, _grpo(shape, s)),
        Arm("TT-OPD", (*resting, *teacher), update, _ttopd(shape, s), measuring),
    )


def checkpoint(shape: Shape, *, lora: int, teacher: bool) -> int:
    """Return the bytes of one checkpoint over all GPUs.

    Weights twice, as shards and in Hugging Face's format; Adam's moments; the teacher: all fp32.

    Args:
        shape: The model.
        lora: Rank of the adapters, 0 for full fine-tuning.
        teacher: Whether there is one.
    """
    trained = shape.adapter(lora) if lora else shape.parameters
    shards = shape.parameters + (trained if lora else 0)
    return 4 * (shards + shape.parameters) + 8 * trained + (4 * trained if teacher else 0)


def _teacher(shape: Shape, s: Setting) -> tuple[Line, ...]:
    if s.lora:
        return (Line("teacher's adapter, fp32", 4 * shape.adapter(s.lora) / s.gpus, "4A/G"),)
    if s.offload:
        return ()
    return (Line("teacher, fp32", 4 * shape.parameters / s.gpus, "4P/G"),)


def _grpo(shape: Shape, s: Setting) -> dict[str, tuple[Line, ...]]:
    logits = 2 * s.tokens * shape.vocab
    whole, one = 2 * shape.head, shape.largest
    divided = [Line("logits over temperature", logits, "2NV")] if s.temperature != 1.0 else []
    head = Line("head, gathered", whole, "2VH")
    of_head = [] if s.lora else [Line("gradient of the head", whole, "2VH")]
    reduced = [] if s.lora else [Line("its gradient, to be reduced", 6 * one.parameters, "6P_l")]
    passed = 2 * s.tokens * (2 * one.width + 8 * shape.hidden)
    return {
        "policy loss": (Line("logits", logits, "2NV"), *divided, head),
        "backward of the policy loss": (
            Line("logits", logits, "2NV"),
            *divided,
            head,
            *of_head,
            Line("a layer, gathered ahead", 2 * one.parameters, "2P_l"),
        ),
        "backward of a layer": (
            Line("two layers, gathered", 4 * one.parameters, "2 * 2P_l"),
            *reduced,
            Line("activations of a layer", passed, "about 2N(2W + 8H)"),
        ),
    }


def _ttopd(shape: Shape, s: Setting) -> dict[str, tuple[Line, ...]]:
    plain = _grpo(shape, s)
    whole = 2 * shape.head
    # A teacher's head of its own is gathered until the distillation is done.
    own = [] if s.lora else [Line("teacher's head, gathered", whole, "2VH")]
    states = Line("hidden states and their gradient", 6 * s.tokens * shape.hidden, "3 * 2NH")
    summed = [] if s.lora else [Line("gradient of the head, fp32", 2 * whole, "4VH")]
    stored = [] if s.lora else [Line("gradient of the head by the KL", whole, "2VH")]
    scaled = [] if s.lora else [Line("the same, scaled", whole, "2VH")]
    of_head = [] if s.lora else [Line("gradient of the head", whole, "2VH")]
    chunked = 4 * min(s.chunk, s.tokens) * shape.vocab * WORKING_SET
    head = Line("head, gathered", whole, "2VH")
    # Both distil before the student's logits exist.
    distilling = {
        "distillation": (
            head,
            *own,
            states,
            Line("logits of a chunk", chunked, f"{WORKING_SET} * 4CV"),
            *summed,
        ),
        "end of the distillation": (head, *own, states, *summed, *stored),
    }
    policy = {
        name: (*plain[name], states, *stored)
        for name in ("policy loss", "backward of the policy loss")
    }
    return {
        **distilling,
        **policy,
        "backward of the distillation": (
            *plain["backward of the policy loss"][-1:],
            head,
            *of_head,
            states,
            *stored,
            *scaled,
        ),
        "backward of a layer": plain["backward of a layer"],
    }


def _gib(lines: tuple[Line, ...]) -> float:
    return sum(line.gib for line in lines)
