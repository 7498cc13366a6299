"""A trained critic outside training: its file, and the confidence that it gives to an answer."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from gym_clinic.domains.kacr.critic.network import GraphValue
from gym_clinic.errors import ConfigError
from gym_clinic.files import replace_file
from gym_clinic.names import check_options

FILE = "graph_critic.safetensors"
"""Name of the file in the folder of a checkpoint."""

OPTIONS = "gym_clinic.graph_critic"
"""Key of the file's metadata that holds the options of its network."""


def save_critic(model: GraphValue, path: str | os.PathLike[str]) -> Path:
    """Save a critic as one safetensors file, with the options of its network.

    A reader sees the old file or the new one, never a part.

    Args:
        model: The network.
        path: The file, or an existing folder, in which it is called ``graph_critic.safetensors``.

    Returns:
        The file.
    """
    file = _file(path)
    weights = {name: value.contiguous() for name, value in model.state_dict().items()}
    replace_file(file, [save(weights, {OPTIONS: json.dumps(model.options)})])
    return file


class GraphCritic:
    """A trained critic that judges; it never learns.

    Args:
        model: Its network.

    Attributes:
        model: The network.
    """

    def __init__(self, model: GraphValue) -> None:
        self.model = model.eval()

    @torch.no_grad()
    def confidence(
        self, graph: Mapping[str, Any], question: str, answer: str = "", rationale: str = ""
    ) -> float:
        """Return p of an answer, from 0 to 1: the c of eq. 5 to 7.

        p was trained as the share of the payable return that a state of the walk earns. That it
        says something about whether the option is right is the paper's assumption, which is
        measured apart from how well values are calibrated.

        Args:
            graph: The agent's subgraph, with ``nodes`` and ``edges`` of a :class:`GraphState`.
            question: The question, with its options if they are to be read.
            answer: The option that the agent chose.
            rationale: Its explanation.

        Raises:
            ConfigError: If the graph is not of the shape that the critic was trained on.
        """
        state = {**graph, "question": question, "answer": answer, "rationale": rationale}
        return float(self.model.probabilities([state])[0])

    @torch.no_grad()
    def value(self, graph: Mapping[str, Any]) -> float:
        """Return V of a state of the walk."""
        return float(self.model([graph])[0])


def load_critic(path: str | os.PathLike[str]) -> GraphCritic:
    """Return a critic that :func:`save_critic` saved.

    Args:
        path: The file, or the folder that holds ``graph_critic.safetensors``, such as a
            ``checkpoints/global_step_N`` of a run of ``--method kacr``.

    Raises:
        ConfigError: If there is no such file, or it is damaged or no critic.
    """
    file = _file(path)
    if not file.is_file():
        raise ConfigError(
            f"no critic at {str(file)!r}; a run of --method kacr saves one with each checkpoint"
        )
    try:
        with safe_open(file, framework="pt") as opened:
            options = json.loads((opened.metadata() or {})[OPTIONS])
            weights = {name: opened.get_tensor(name) for name in list(opened.keys())}
    except (SafetensorError, KeyError, ValueError) as error:
        raise ConfigError(f"{str(file)!r} is no graph critic: {error}") from None
    check_options(GraphValue, options, str(file))
    model = GraphValue(**options)
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        said = " ".join(str(error).split())
        raise ConfigError(f"{str(file)!r} does not fit its own options: {said}") from None
    return GraphCritic(model)


def _file(path: str | os.PathLike[str]) -> Path:
    found = Path(path)
    return found / FILE if found.is_dir() else found
