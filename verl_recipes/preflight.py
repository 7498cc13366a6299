"""Everything that is looked at before a run: what each check needs is found out once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gym_clinic import ClinicEnv, ConfigError
from gym_clinic.errors import ClinicError
from verl_recipes import machine, memory, pretrained
from verl_recipes.findings import MISSING, OK, WARNING, Finding, required
from verl_recipes.pretrained import longest_prompt, template_fault
from verl_recipes.shape import Shape, read
from verl_recipes.trajectory import Tokens, make_env

if TYPE_CHECKING:
    from verl_recipes.launch import Wanted


@dataclass(frozen=True)
class Asked:
    """What a run would be started with.

    Attributes:
        env: The environment's id, or ``module:NAME`` of a domain.
        model: Folder or name of a model; None for a tiny one made at set-up.
        gpus: GPUs a node; 0 for the CPU.
        nodes: Nodes.
        address: Of a Ray cluster; None starts one here.
        method: How to learn.
        lora: Rank of the adapter; 0 for full fine-tuning.
        out: Folder of the run.
        overrides: Further settings.
    """

    env: str = "clinic/ClinGen-v0"
    model: str | None = None
    gpus: int = 0
    nodes: int = 1
    address: str | None = None
    method: str = "ttopd"
    lora: int = 0
    out: Path = Path("runs")
    overrides: tuple[str, ...] = ()


class Check:
    """One look at everything; what several checks need is found out once.

    Args:
        asked: What a run would be started with.
    """

    def __init__(self, asked: Asked | Wanted) -> None:
        self.asked = asked
        self.gpus: list[machine.Gpu] = []
        self.undownloaded = ""  # why there is no folder of the model named
        self.playable = False  # what needs config and environment waits until both are there

    def quick(self) -> Iterator[Finding]:
        """Yield what takes seconds; every run begins with it."""
        yield machine.python()
        yield from machine.packages("gpu" if self.asked.gpus else "cpu")
        yield self._accelerators()
        yield machine.cluster(self.asked.address, self.asked.gpus, self.asked.nodes)
        composed = list(_tried("config", self._config))
        yield from composed
        if not required(composed):
            yield from self._budgets()
            played = list(_tried("environment", self._environment))
            yield from played
            self.playable = not required(played)
        yield from _tried("model", self._model)
        yield machine.host(self.asked.gpus)
        yield machine.disk(self.asked.out, self._checkpoint())
        yield machine.shared_memory(self.asked.gpus)

    def all(self) -> Iterator[Finding]:
        """Yield every finding."""
        yield from self.quick()
        if self.playable:
            yield from _tried("prompts", self._prompts)
            yield from _tried("GPU memory", self._fits)

    @cached_property
    def env(self) -> ClinicEnv:
        """The environment, on the split it would be trained on."""
        return self._env(str(self.config.data.train_files))

    @cached_property
    def folder(self) -> Path | None:
        """The model's folder; None where it is only made or downloaded when a run starts."""
        if self.asked.model is None:
            return None
        try:
            return pretrained.locate(self.asked.model)
        except pretrained.NotDownloadedError as error:
            self.undownloaded = str(error)
            return None

    @cached_property
    def config(self) -> Any:
        """The composed config."""
        from verl_recipes.compose import compose

        stack = "gpu" if self.asked.gpus else "cpu"
        return compose(stack, self.asked.method, self.asked.overrides)

    @cached_property
    def shape(self) -> Shape | None:
        """The model's shape, None where there is no model yet."""
        return None if self.folder is None else read(pretrained.config_of(self.folder))

    @cached_property
    def estimate(self) -> memory.Estimate | None:
        """The memory of both arms, None without GPUs or a model."""
        if not self.asked.gpus or self.shape is None:
            return None
        actor, rollout = (self.config.actor_rollout_ref[one] for one in ("actor", "rollout"))
        setting = memory.Setting(
            gpus=self.asked.gpus * self.asked.nodes,
            tokens=int(
                actor.ppo_max_token_len_per_gpu
                if actor.use_dynamic_bsz
                else actor.ppo_micro_batch_size_per_gpu * self._longest()
            ),
            lora=self.asked.lora,
            temperature=float(rollout.temperature),
            chunk=int(self.config.clinic.teacher.get("chunk", memory.Setting.chunk)),
            offload=bool(self.config.actor_rollout_ref.ref.fsdp_config.param_offload),
            rollout=float(rollout.gpu_memory_utilization),
        )
        return memory.estimate(self.shape, setting)

    def _env(self, split: str) -> ClinicEnv:
        options = {**self.config.clinic.env_kwargs, "split": split}
        return make_env(self.asked.env, options, tuple(self.config.clinic.modules))

    def _accelerators(self) -> Finding:
        asked = self.asked
        if not asked.gpus:
            return Finding("GPUs", OK, "none asked for; the run is on the CPU")
        self.gpus, told = machine.gpus()
        if asked.address and not self.gpus:
            return Finding("GPUs", OK, "none here; those of the cluster count")
        return machine.accelerators(self.gpus, told, 0 if asked.address else asked.gpus)

    def _environment(self) -> Iterator[Finding]:
        data = self.config.data
        splits = [str(data.train_files), str(data.val_files)]
        counts = [f"{len(self._env(split).tasks)} tasks of split {split}" for split in splits]
        yield Finding("environment", OK, f"{self.asked.env}: {', '.join(counts)}")

    def _model(self) -> Iterator[Finding]:
        if self.folder is None:
            yield self._no_model()
            return
        config = pretrained.config_of(self.folder)
        yield from _tried("model", self._counted)
        yield pretrained.weights(self.folder)
        yield pretrained.family(config["model_type"])
        if self.playable:
            yield from _positions(config, self._longest())
            yield from _tried("chat template", self._template)

    def _no_model(self) -> Finding:
        if self.asked.model is None:
            if self.asked.gpus:
                return Finding("model", MISSING, "none named", "on GPUs name one: MODEL=")
            return Finding("model", OK, "none named: a tiny one is made at set-up")
        unseen = "until then it is not checked, and every node downloads it by itself"
        return Finding("model", WARNING, self.undownloaded, unseen)

    def _counted(self) -> Iterator[Finding]:
        try:
            counted = self.shape
        except ConfigError as error:
            yield Finding("model", WARNING, f"{self.folder}: {error}", "there is no estimate of it")
            return
        assert counted is not None
        size = f"{counted.parameters:,} parameters"
        exactly = "" if counted.exact else ", counted as Llama's"
        yield Finding("model", OK, f"{self.folder}: {size}{exactly}")

    def _template(self) -> Iterator[Finding]:
        assert self.folder is not None
        name = "chat template"
        if self.config.clinic.tools != "native":
            yield Finding(name, OK, "not used for tools: the prompt explains them")
            return
        env = self.env
        _, info = env.reset(options={"task_id": env.tasks[0].id})
        tokenizer = pretrained.tokenizer_of(self.folder)
        if fault := template_fault(tokenizer, info["tools"]):
            yield Finding(
                name, MISSING, f"{self.asked.model}: {fault}",
                "choose an instruction-tuned model that calls tools, or set clinic.tools=text",
            )  # fmt: skip
            return
        fault = pretrained.dialect_fault(tokenizer, info["tools"], env.dialect)
        if fault and not self.config.clinic.tool_parser:
            remedy = "set clinic.tool_parser to verl's parser of this family"
            yield Finding(name, WARNING, fault, remedy)
            return
        yield Finding(name, OK, f"shows {len(info['tools'])} tools and their answers")

    def _checkpoint(self) -> int | None:
        try:
            if self.shape is None:
                return None
        except ConfigError:
            return None
        teacher = self.asked.method != "grpo"
        return memory.checkpoint(self.shape, lora=self.asked.lora, teacher=teacher)

    def _prompts(self) -> Iterator[Finding]:
        if self.folder is None:
            return
        from verl_recipes.rows import shortest

        clinic, data = self.config.clinic, self.config.data
        tokens = Tokens(
            pretrained.tokenizer_of(self.folder),
            pretrained.config_of(self.folder)["model_type"],
            native=clinic.tools == "native",
        )
        for split in dict.fromkeys((str(data.train_files), str(data.val_files))):
            env = self._env(split)
            found = longest_prompt(env, tokens, shortest(env, clinic.shortest))
            limit = int(data.max_prompt_length)
            name = f"prompts of {split}"
            detail = f"the longest of {found.tasks}, of task {found.task_id!r}, has "
            detail += f"{found.length:,} tokens; data.max_prompt_length is {limit:,}"
            if found.length <= limit:
                yield Finding(name, OK, detail)
            elif clinic.overlong == "skip":
                yield Finding(name, WARNING, detail, "what is longer is left out of the run")
            else:
                yield Finding(name, MISSING, detail, "raise it, or set clinic.overlong=skip")

    def _longest(self) -> int:
        """Return the tokens that a trajectory may have."""
        return int(self.config.data.max_prompt_length + self.config.data.max_response_length)

    def _config(self) -> Iterator[Finding]:
        stack, data = "gpu" if self.asked.gpus else "cpu", self.config.data
        detail = f"stack {stack}, method {self.asked.method}: prompts up to "
        detail += f"{data.max_prompt_length:,} tokens, responses up to {data.max_response_length:,}"
        yield Finding("config", OK, detail)

    def _budgets(self) -> Iterator[Finding]:
        """Check that a micro-batch holds the longest trajectory; without, verl ends the run."""
        actor, rollout = (self.config.actor_rollout_ref[one] for one in ("actor", "rollout"))
        budgets = {}
        if actor.use_dynamic_bsz:
            budgets["actor.ppo_max_token_len_per_gpu"] = actor.ppo_max_token_len_per_gpu
        if rollout.log_prob_use_dynamic_bsz:
            name = "log_prob_max_token_len_per_gpu"
            budgets[f"rollout.{name}"] = rollout[name]
        for name, tokens in budgets.items():
            if tokens < self._longest():
                detail = f"actor_rollout_ref.{name} is {tokens:,}; a trajectory may have "
                detail += f"{self._longest():,} tokens, and verl ends the run at the first such"
                yield Finding("micro-batch", MISSING, detail, f"set it to {self._longest()}")

    def _fits(self) -> Iterator[Finding]:
        if self.estimate is None:
            return
        both = self.estimate
        arm = both.grpo if self.asked.method == "grpo" else both.ttopd
        name = "GPU memory"
        if not self.gpus:
            yield Finding(name, OK, f"{arm.name} needs {arm.total:.1f} GiB ({arm.peak})")
            return
        size = min(gpu.gib for gpu in self.gpus)
        needed = both.demands(arm, size)
        worst = max(needed, key=needed.__getitem__)
        detail = f"{arm.name} needs {needed[worst]:.1f} of {size:.0f} GiB ({worst})"
        remedy = "use more GPUs, LORA, or a smaller actor.ppo_max_token_len_per_gpu"
        if needed[worst] <= memory.FREE * size:
            yield Finding(name, OK, detail)
        else:
            status = MISSING if needed[worst] > size else WARNING
            yield Finding(name, status, detail, remedy)


def _positions(config: Mapping[str, Any], longest: int) -> Iterator[Finding]:
    """Check that a model reads as many tokens as a trajectory may have."""
    known = (config.get("text_config") or config).get("max_position_embeddings")
    if isinstance(known, int) and known < longest:
        detail = f"the model reads {known:,} tokens, a trajectory may have {longest:,}"
        remedy = "lower data.max_response_length or data.max_prompt_length"
        yield Finding("positions", MISSING, detail, remedy)


def _tried(name: str, look: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """Yield what a check finds; what stops it is a finding too."""
    try:
        yield from look()
    except ImportError as error:
        yield Finding(name, MISSING, f"not checked: {error}", "install the packages named above")
    except (ClinicError, OSError) as error:
        yield Finding(name, MISSING, str(error))
