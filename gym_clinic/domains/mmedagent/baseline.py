"""Agents without a network: triage by the texture of the copy, and decisions from the specialists.

The triage reads classical features of the image, by weights that were fitted to train
(``triage.json``, written by ``python bench/mmedagent.py --fit-triage``). It imports nothing of the
renderer. The decision follows the specialists, whom no rule here can contradict; what reading the
image is worth beyond them is measured by the network of ``bench/image_reader.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson
from numpy.typing import NDArray

from gym_clinic.domains.mmedagent import adversaries
from gym_clinic.domains.mmedagent.departments import specialties, triage_options
from gym_clinic.domains.mmedagent.reading import Decider, ReadTicket
from gym_clinic.domains.mmedagent.tools import consult_department

if TYPE_CHECKING:
    from PIL.Image import Image

CELLS = 8
"""The copy is described in 8 x 8 cells."""

SIDE = 64
"""Pixels at which it is described."""


def describe(image: Image) -> NDArray[np.float64]:
    """Return the classical features of an image: brightness, contrast and edges of each cell."""
    grey = np.asarray(image.convert("L").resize((SIDE, SIDE)), dtype=np.float64) / 255.0
    down, across = np.abs(np.diff(grey, axis=0))[:, :-1], np.abs(np.diff(grey, axis=1))[:-1]
    down, across = np.pad(down, ((0, 1), (0, 1))), np.pad(across, ((0, 1), (0, 1)))
    parts = [_cells(grey).mean(axis=2), _cells(grey).std(axis=2),
             _cells(down).mean(axis=2), _cells(across).mean(axis=2)]  # fmt: skip
    return np.concatenate([part.ravel() for part in parts], dtype=np.float64)


def _cells(field: NDArray[np.float64]) -> NDArray[np.float64]:
    step = SIDE // CELLS
    split = field.reshape(CELLS, step, CELLS, step).transpose(0, 2, 1, 3)
    cells: NDArray[np.float64] = split.reshape(CELLS, CELLS, step * step)
    return cells


@lru_cache(maxsize=1)
def _weights() -> tuple[NDArray[np.float64], NDArray[np.float64], list[str]]:
    found = orjson.loads(Path(__file__).with_name("triage.json").read_bytes())
    return np.array(found["weights"]), np.array(found["bias"]), list(found["specialties"])


def department_by_texture(image: Image) -> str:
    """Return the specialty that an image most looks like."""
    weights, bias, named = _weights()
    return named[int(np.argmax(weights @ describe(image) + bias))]


def _seen(info: Mapping[str, Any]) -> Image | None:
    images = info.get("images", ())
    return images[-1] if images else None


def _triage(ticket: ReadTicket, info: Mapping[str, Any]) -> str:
    image = _seen(info)
    if image is None:
        return next(iter(ticket.options))
    specialty = department_by_texture(image)
    return next(label for label, name in triage_options().items() if name == specialty)


def _refer(ticket: ReadTicket, info: Mapping[str, Any], env: Any) -> list[str]:
    """Return the referral to the department that the copy looks like."""
    image = _seen(info)
    specialty = specialties()[0] if image is None else department_by_texture(image)
    return _referral(env, specialty)


def _refer_always(
    ticket: ReadTicket, info: Mapping[str, Any], env: Any, specialty: str
) -> list[str]:
    return _referral(env, specialty)


def _referral(env: Any, specialty: str) -> list[str]:
    return [env.dialect.write([(consult_department.name, {"department": specialty})])]


def triage_rules(env: Any) -> Callable[[int], Decider]:
    """Make the triage doctor that goes by texture."""
    return lambda seed: Decider(_triage)


def rules(env: Any) -> Callable[[int], Decider]:
    """Make the attending physician that follows the majority."""
    return lambda seed: Decider(adversaries.majority)


def consult_baselines() -> dict[str, Callable[..., Any]]:
    """Return the baselines of a consultation: refer by texture, then decide.

    ``no-referral`` decides without any; ``one-department`` always refers to the first.
    """

    def make(decide: Any, refer: Any, env: Any) -> Callable[[int], Decider]:
        return lambda seed: Decider(decide, before=partial(refer, env=env))

    always = partial(_refer_always, specialty=specialties()[0])
    chosen = {
        "rules": (adversaries.majority, _refer),
        "one-department": (adversaries.majority, always),
        **{name: (decide, _refer) for name, decide in adversaries.COPYING.items()},
    }
    made = {name: partial(make, decide, refer) for name, (decide, refer) in chosen.items()}
    return {**adversaries.deciders(copying=False), **made}
