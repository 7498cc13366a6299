"""MMedAgent-RL: ``clinic/TriageDoctor-v0``, ``clinic/AttendingPhysician-v0``, ``…Consult-v0``.

Images, questions and specialists are simulated. Not for patient care. `triage`, `attending` and
`consult` are the data sheets of the three settings.

Source:
    "MMedAgent-RL: Optimizing Multi-Agent Collaboration for Multimodal Medical Reasoning" (in this
    folder "the paper").
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson

from gym_clinic.domain import Domain
from gym_clinic.domains.mmedagent.curriculum import difficulty, objective
from gym_clinic.domains.mmedagent.rewards import reward

__all__ = ["attending", "consult", "difficulty", "domain", "objective", "reward", "triage"]


def triage(folder: str | None = None, images: str | None = None, shown: str = "pixels") -> Domain:
    """The triage doctor: which of seven departments should see this image?

    Task:
        A small black-and-white copy of an image, and what the sender wants to know. The question
        names neither the kind of image nor the department; departments are equally frequent.

    Tools:
        None.

    Observation:
        The image and seven options, always in the same order.

    Reward:
        .5 for the format and 1 for the right department, 0 to 1.5.

    Episode end:
        A message with one answer, ``<think>…</think><answer>…</answer>``. Truncated after two
        messages.

    Source:
        The paper, section 3.1.

    Version history:
        v0: first version.

    Args:
        folder: A task folder made by an importer, instead of the embedded tasks.
        images: Where its image files lie; ``images`` in the folder by default.
        shown: ``"pixels"``, ``"caption"`` for loops without images, which gives answers away, or
            ``"nothing"``.

    Raises:
        ConfigError: If an option has no such value.
    """
    return _make("triage", folder=folder, images=images, shown=shown)


def attending(
    difficulty: str | None = None,
    specialists: int = 3,
    consultant: str = "recorded",
    folder: str | None = None,
    images: str | None = None,
    shown: str = "pixels",
) -> Domain:
    """The attending physician: a question about an image, and what three specialists say to it.

    Task:
        An image, a question with options, and the opinions of specialists who may be right, in part
        right, or all wrong. The prompt is that of table 4.

    Tools:
        None.

    Observation:
        The image, the opinions and the question.

    Reward:
        .5 for the format and 1 for the right answer, 0 to 1.5 (section 3.3).

    Episode end:
        A message with one answer, ``<think>…</think><answer>…</answer>``. Truncated after two
        messages.

    Source:
        The paper, sections 3.2 and 3.3, and table 4.

    Version history:
        v0: first version.

    Args:
        difficulty: ``"easy"`` (all specialists are right), ``"medium"`` or ``"hard"`` (none is);
            None for all three in equal shares.
        specialists: How many are heard, 0 to 3. The difficulty is always that of three.
        consultant: ``"recorded"``, or ``"rules"`` for opinions from classical features of the
            image. For those of a model, `gym-clinic tasks consult` writes a folder.
        folder: A task folder made by an importer, instead of the embedded tasks.
        images: Where its image files lie; ``images`` in the folder by default.
        shown: ``"pixels"``, ``"caption"`` for loops without images, which gives answers away, or
            ``"nothing"``.

    Raises:
        ConfigError: If an option has no such value.
    """
    return _make("attending", difficulty=difficulty, specialists=specialists,
                 consultant=consultant, folder=folder, images=images, shown=shown)  # fmt: skip


def consult(
    difficulty: str | None = None,
    specialists: int = 3,
    consultant: str | Mapping[str, Any] = "recorded",
    viewer: bool = True,
    folder: str | None = None,
    images: str | None = None,
    shown: str = "pixels",
) -> Domain:
    """The whole chain in one episode: triage, consultation of one department, decision.

    Task:
        A question with options about an image, of which a small black-and-white copy is shown at
        first.

    Tools:
        ``consult_department``, once: the right department returns the image in full quality with
        its opinions, another one opinions outside of its field. ``zoom``, ``set_window`` and
        ``measure_distance`` look closer at the image at hand.

    Observation:
        The opinions in the words of table 4, and images.

    Reward:
        .5 for the format of the final message and 1 for the right answer, 0 to 1.5. The department
        is not rewarded: a wrong one costs accuracy.

    Episode end:
        A message without calls: ``<think>…</think><answer>…</answer>``. Truncated after 8 messages.

    Source:
        The paper, section 2 (the workflow) and section 3; the copy and the viewer are ours.

    Version history:
        v0: first version.

    Args:
        difficulty: As for `attending`.
        specialists: How many of the department reply, 0 to 3, with a model up to 9.
        consultant: ``"recorded"``, ``"rules"``, or ``{"kind": "chat", "url": …, "model": …}`` for a
            model that sees images.
        viewer: Whether the viewer tools are there.
        folder: A task folder made by an importer, instead of the embedded tasks.
        images: Where its image files lie; ``images`` in the folder by default.
        shown: ``"pixels"``, ``"caption"`` for loops without images, which gives answers away, or
            ``"nothing"``.

    Raises:
        ConfigError: If an option has no such value.
    """
    return _make("consult", difficulty=difficulty, specialists=specialists, consultant=consultant,
                 viewer=viewer, folder=folder, images=images, shown=shown)  # fmt: skip


domain = attending


def _make(setting: str, **options: Any) -> Domain:
    return _cached(setting, orjson.dumps(options, option=orjson.OPT_SORT_KEYS))


@lru_cache(maxsize=32)
def _cached(setting: str, options: bytes) -> Domain:
    # Rooms with tools and images are needed only by those who play.
    from gym_clinic.domains.mmedagent import settings

    made: Domain = getattr(settings, setting)(**orjson.loads(options))
    return made
