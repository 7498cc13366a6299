"""Rollouts without vLLM: one Ray actor a replica, over a model of transformers on the CPU."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import ray
import torch
from verl.utils.config import omega_conf_to_dataclass
from verl.workers.rollout.base import _ROLLOUT_REGISTRY, BaseRollout
from verl.workers.rollout.replica import RolloutReplica, RolloutReplicaRegistry, TokenOutput

from gym_clinic import ConfigError

NAME = "hf"
THREADS = 2

STOP_TOKENS = 64
"""Tokens at the end of a reply among which a stop string is looked for."""


class HFServer:
    """Holds the policy's weights and samples from them.

    Args:
        model_path: Folder of the model.
        length: Tokens of the longest sequence.
        stop: Tokens that end a reply.
    """

    def __init__(self, model_path: str, length: int, stop: list[int]) -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        from verl_recipes.cpu.sampler import Sampler

        torch.set_num_threads(1)
        self.model = AutoModelForCausalLM.from_pretrained(model_path, dtype=torch.float32).eval()
        self.sampler = Sampler(self.model, stop=stop, max_length=length)
        self.tokenizer = AutoTokenizer.from_pretrained(model_path)
        self.threads = ThreadPoolExecutor(THREADS)
        self.global_steps: int | None = None

    async def generate(
        self,
        request_id: str,
        prompt_ids: list[int],
        sampling_params: Mapping[str, Any],
        image_data: Any = None,
        **_: Any,
    ) -> TokenOutput:
        """Sample a reply; see :class:`verl_recipes.cpu.sampler.Sampler`."""
        if image_data:
            raise ConfigError("rollouts on the CPU read text alone; images need GPUs")
        version = self.global_steps
        wanted = dict(sampling_params)

        def work() -> Any:
            return self.sampler.generate(
                list(prompt_ids),
                max_tokens=int(wanted["max_tokens"]),
                temperature=float(wanted.get("temperature", 1.0)),
                top_p=float(wanted.get("top_p", 1.0)),
                top_k=int(wanted.get("top_k", -1)),
                seed=wanted.get("seed"),
                ends=partial(self.stopped, wanted["stop"]) if wanted.get("stop") else None,
            )

        found = await asyncio.get_running_loop().run_in_executor(self.threads, work)
        versions = ("global_steps", "min_global_steps", "max_global_steps")
        return TokenOutput(
            token_ids=list(found.token_ids),
            log_probs=list(found.log_probs),
            stop_reason=found.stop_reason,
            extra_fields=dict.fromkeys(versions, version),
        )

    def stopped(self, stops: Sequence[str], token_ids: Sequence[int]) -> bool:
        """Return whether the text of a reply has reached a stop string."""
        text = self.tokenizer.decode(list(token_ids[-STOP_TOKENS:]), skip_special_tokens=True)
        return any(stop in text for stop in stops)

    async def load_weights(
        self, weights: Mapping[str, torch.Tensor], global_steps: int | None = None
    ) -> int:
        """Take new weights; returns how many tensors."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self.threads, self.sampler.load, weights)
        self.global_steps = global_steps
        return len(weights)

    async def sleep(self) -> None:
        """Forget the prompts: what is sampled next has other weights."""
        self.sampler.clear()

    clear_kv_cache = release_kv_cache = sleep

    async def wake_up(self, *_: Any, **__: Any) -> None:
        """Do nothing: the weights never left."""

    abort_all_requests = resume_generation = resume_kv_cache = wake_up
    start_profile = stop_profile = wake_up


class HFReplica(RolloutReplica):
    """One server a replica."""

    async def launch_servers(self) -> None:
        """Start it."""
        model = omega_conf_to_dataclass(self.model_config)
        generation = model.generation_config
        stop = generation.eos_token_id if generation is not None else None
        stop = model.tokenizer.eos_token_id if stop is None else stop
        name = f"hf_server_{self.replica_rank}_0{self.name_suffix}"
        server = (
            ray.remote(HFServer)
            .options(name=name, num_cpus=0, max_concurrency=4_096)
            .remote(
                model.local_path,
                self.config.prompt_length + self.config.response_length,
                stop if isinstance(stop, list) else [stop],
            )
        )
        await server.sleep.remote()
        self.servers = [server]
        self._server_handle = server
        self._server_address = name


class HFServerAdapter(BaseRollout):
    """The trainer's side: hands the weights over."""

    def __init__(
        self, config: Any, model_config: Any, device_mesh: Any, replica_rank: int = -1, **_: Any
    ) -> None:
        super().__init__(config, model_config, device_mesh)
        ranks = self.config.tensor_model_parallel_size * self.config.data_parallel_size
        ranks *= self.config.pipeline_model_parallel_size
        rank = int(os.environ["RANK"])
        self.replica_rank = rank // ranks if replica_rank == -1 else replica_rank
        self.leads = rank % ranks == 0

    async def resume(self, tags: Any = None) -> None:
        """Do nothing: the server keeps its memory."""

    release = resume

    @torch.no_grad()
    async def update_weights(
        self,
        weights: Iterable[tuple[str, torch.Tensor]],
        wire_format: str = "named_tensors",
        global_steps: int | None = None,
        **_: Any,
    ) -> None:
        """Send the weights; all ranks iterate, since gathering a tensor is collective."""
        found = {name: tensor.detach().to("cpu", copy=True) for name, tensor in weights}
        if self.leads:
            server = ray.get_actor(f"hf_server_{self.replica_rank}_0")
            await server.load_weights.remote(found, global_steps)


# At module level: registered as soon as the module is imported, whoever imports it first.
RolloutReplicaRegistry.register(NAME, lambda: HFReplica)
_ROLLOUT_REGISTRY[(NAME, "async")] = f"{__name__}.{HFServerAdapter.__name__}"
