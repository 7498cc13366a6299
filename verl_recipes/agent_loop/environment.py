"""The environment of a trajectory: how it is made, its messages, its images, its faults."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import gymnasium as gym
import orjson

from gym_clinic import ClinicEnv, ConfigError
from gym_clinic.errors import ClinicError
from gym_clinic.images import MARK
from gym_clinic.names import import_module, suggest
from verl_recipes import settings
from verl_recipes.stage_settings import EnvironmentSettings

Messages = list[dict[str, Any]]
Step = tuple[str, float, bool, bool, dict[str, Any]]
"""What ``env.step`` returns."""

OWN_KEYS = (
    "score", "total", "success", "correct", "acc", "fault", "truncated", "turns",
    "policy_tokens", "response_tokens", "prompt_tokens", "calls", "distinct_tools", "malformed",
    "dropped_turns", "hint_echo", "retries",
)  # fmt: skip
"""Keys of every record, whatever the environment."""


class PromptLengthError(ConfigError):
    """A task whose prompt does not fit; the text names the task and both lengths."""


class EnvironmentFaultError(ClinicError):
    """The environment failed under a trajectory; the trajectory is recorded and not trained on."""


@contextmanager
def blaming_the_environment(task_id: str) -> Iterator[None]:
    """Turn what an environment raises into an :class:`EnvironmentFaultError`.

    Except a ConfigError: a mistake of the caller, such as an unknown task, would fail them all.
    """
    try:
        yield
    except ConfigError:
        raise
    except Exception as error:
        raise EnvironmentFaultError(f"task {task_id!r}: {type(error).__name__}: {error}") from error


def make_env(name: str, options: Mapping[str, Any], modules: Sequence[str] = ()) -> ClinicEnv:
    """Make the environment that trajectories are played in.

    Args:
        name: A registered id, or ``module:NAME`` of a domain.
        options: Further arguments of the environment.
        modules: Modules to import first; they register ids of their own.

    Raises:
        ConfigError: If the name means nothing; the error names what is near.
    """
    for module in modules:
        import_module(module, "module that registers environments")
    if "/" not in name and ":" in name:
        return ClinicEnv(name, **options)
    if name not in gym.registry:
        known = [one for one in gym.registry if one.startswith("clinic/")] or list(gym.registry)
        raise ConfigError(f"no environment {name!r}; {suggest(name, known)}")
    env = gym.make(name, disable_env_checker=True, **options).unwrapped
    if not isinstance(env, ClinicEnv):
        raise ConfigError(f"{name!r} is a {type(env).__name__}; expected a {ClinicEnv.__name__}")
    return env


def open_all(data: Any, files: str | Sequence[str]) -> dict[str, ClinicEnv]:
    """Make the environments of a run by id, each at the split that ``files`` stands for.

    Args:
        data: verl's ``data`` section, which carries ours as ``clinic``.
        files: ``data.train_files`` or ``data.val_files``.

    Raises:
        ConfigError: If one cannot be made; the error names it.
    """
    clinic, splits = settings.from_config(data), splits_of(data, files)
    opened = {}
    for one in clinic.environments:
        options = {**one.options, "split": splits[one.id]}
        try:
            opened[one.id] = make_env(one.id, options, clinic.modules)
        except ConfigError as error:
            raise ConfigError(f"{one.id}: {error}") from error
    return opened


def open_splits(data: Any, files: str | Sequence[str]) -> list[tuple[str, str, float, ClinicEnv]]:
    """Make the environments of a run at every split that they play.

    Returns:
        Id, split, share of all rows, and the environment; arguments as for :func:`open_all`.
    """
    clinic, found = settings.from_config(data), []
    splits, training = splits_of(data, files), is_training(data, files)
    for one in clinic.environments:
        shares = one.shares(_only(files)) if training else {splits[one.id]: 1.0}
        for split, share in shares.items():
            env = make_env(one.id, {**one.options, "split": split}, clinic.modules)
            found.append((one.id, split, one.weight * share / sum(shares.values()), env))
    return found


def splits_of(data: Any, files: str | Sequence[str]) -> dict[str, str]:
    """Return the split that each environment plays, the first of several; arguments as above.

    Raises:
        ConfigError: If training and validation cannot be told apart.
    """
    named, training, found = _only(files), is_training(data, files), {}
    for one in settings.from_config(data).environments:
        if training and one.val_split and is_training(data, data.val_files):
            raise ConfigError(
                f"clinic.envs: {one.id}: val_split needs data.val_files other than "
                f"data.train_files; both are {named!r}"
            )
        found[one.id] = next(iter(one.shares(named))) if training else one.val_split or named
    return found


def is_training(data: Any, files: str | Sequence[str]) -> bool:
    """Return whether data files are those of training; arguments as for :func:`open_all`."""
    return _only(files) == _only(data.train_files)


def _only(files: str | Sequence[str]) -> str:
    """Return the one split that data files name."""
    names = [files] if isinstance(files, str) else list(files)
    if len(names) != 1:
        raise ConfigError(f"data files name one split each, not {names}")
    return str(names[0])


def open_env(clinic: settings.ClinicSettings, one: EnvironmentSettings, split: str) -> ClinicEnv:
    """Return the environment that the trajectories of a split copy; it is made once a process."""
    options = orjson.dumps({**one.options, "split": split})
    with _OPENING:  # the first trajectories ask all at once
        return _open(one.id, options, clinic.modules)


_OPENING = threading.Lock()


@lru_cache(maxsize=64)
def _open(name: str, options: bytes, modules: tuple[str, ...]) -> ClinicEnv:
    return make_env(name, orjson.loads(options), modules)


def opening(
    info: Mapping[str, Any], *, native: bool
) -> tuple[Messages, list[dict[str, Any]] | None]:
    """Return the messages that open an episode, as verl's builders take them, and the tools.

    The chat template shows the tools where ``native`` is set; else the system message does, and
    there are None. It never does where answers continue the model's own message: no template
    writes those.
    """
    shown = native and not info.get("inline", False)
    messages = [dict(one) for one in info["messages" if shown else "prompt"] if one["content"]]
    return with_images(messages, info.get("images", ())), list(
        info["tools"]
    ) or None if shown else None


def with_images(messages: Messages, images: Sequence[Any]) -> Messages:
    """Return messages with PIL images in place of data URLs; without images, the same messages.

    Args:
        messages: As the environment gives them.
        images: Paths or PIL images, in the order of the messages' image parts.
    """
    if not images:
        return messages
    from PIL import Image

    found = iter(images)

    def opened(part: dict[str, Any]) -> dict[str, Any]:
        if part["type"] != "image_url":
            return part
        image = next(found)
        if not isinstance(image, Image.Image):
            with Image.open(image) as file:
                image = file.convert("RGB")
        return {"type": "image", "image": image.convert("RGB")}

    return [
        {**one, "content": [opened(part) for part in one["content"]]}
        if isinstance(one["content"], list)
        else one
        for one in messages
    ]


def images_in(messages: Messages) -> list[Any]:
    """Return the images of messages, in order."""
    return [
        part["image"]
        for one in messages
        if isinstance(one["content"], list)
        for part in one["content"]
        if part["type"] == "image"
    ]


def in_parts(text: str, images: Sequence[Any]) -> str | list[dict[str, Any]]:
    """Return a text with one ``<image>`` mark for each image as content parts; or the text."""
    if not images:
        return text
    parts: list[dict[str, Any]] = []
    for number, words in enumerate(text.split(MARK)):
        if number:
            parts.append({"type": "image", "image": images[number - 1]})
        if words:
            parts.append({"type": "text", "text": words})
    return parts
