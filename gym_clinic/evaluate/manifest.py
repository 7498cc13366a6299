"""The settings of a run in its folder: what makes two runs the same one."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gym_clinic.errors import ConfigError
from gym_clinic.evaluate.trace import JOURNAL, TRACE, encode
from gym_clinic.files import replace_file
from gym_clinic.policies.registry import without_connection

MANIFEST = "run.json"

_log = logging.getLogger(__name__)

CODE = "policy_code"
"""Field of the hashes of the policy's files; runs of earlier versions lack it."""

_LATER = (CODE, "policy_version", "policy_name")
"""Fields that runs of earlier versions lack."""


def open_run(folder: Path, settings: Mapping[str, Any]) -> None:
    """Write the settings of a run, or check them against the run in the folder.

    Where ``trials`` or ``limit`` is larger than that of the run in the folder, the connection to
    a server is another one, or nothing was scored yet, the settings are written again. A run of
    an earlier version does not say with which code of the policy it was made: a warning says so,
    and it stays unknown.

    Raises:
        ConfigError: If the folder holds another run; it names what differs.
    """
    manifest = folder / MANIFEST
    try:
        wanted = json.loads(encode(settings))
    except TypeError as error:
        raise ConfigError(f"options must be plain JSON: {error}") from None
    if manifest.is_file():
        found = read_manifest(folder)
        known = {name: value for name, value in wanted.items() if name in found or
                 name not in _LATER}  # fmt: skip
        differs = list(_differences(found, known))
        if differs and _holds_scores(folder):
            raise ConfigError(
                f"{folder} holds a run with {'; '.join(differs)}. Choose another --out to start "
                "anew"
            )
        if differs:  # nothing that was scored could be mixed with the new
            known = wanted
        elif CODE not in found:
            _log.warning(
                "the run in %s does not say with which code of the policy it was made: whether "
                "that has changed since is unknown",
                folder,
            )
        if known == found:
            return
        wanted = known
    elif any((folder / name).exists() for name in (TRACE, JOURNAL)):
        raise ConfigError(f"{folder} holds a trace but no {MANIFEST}; choose another --out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replace_file(manifest, [json.dumps(wanted, indent=2).encode(), b"\n"])
    except OSError as error:
        raise ConfigError(f"cannot write to {folder}: {error}") from None


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read the settings of the run in a folder.

    Raises:
        ConfigError: If they are not there, or unreadable.
    """
    manifest = folder / MANIFEST
    try:
        found = json.loads(manifest.read_bytes())
    except OSError as error:
        raise ConfigError(f"no run in {str(folder)!r}: {MANIFEST}: {error.strerror}") from None
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ConfigError(f"{manifest} is not the manifest of a run; choose another --out")
    return found


def _holds_scores(folder: Path) -> bool:
    """Whether a folder holds an episode that was scored, or a line that cannot be read."""
    for name in (TRACE, JOURNAL):
        if (folder / name).is_file():
            with (folder / name).open("rb") as lines:
                if any(_is_scored(line) for line in lines):
                    return True
    return False


def _is_scored(line: bytes) -> bool:
    try:
        row = json.loads(line)
    except ValueError:
        return True
    return not isinstance(row, dict) or row.get("error") is None


def _differences(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[str]:
    """Yield what differs between the run in a folder and the run that is asked for."""
    for name, value in wanted.items():
        before = found.get(name)
        if before == value:
            continue
        if name in ("trials", "limit"):
            if _count(before) > _count(value):
                yield f"{_shown(name, before)}, not {value}: they can be raised, not lowered"
        elif name == CODE:
            yield from _changed_files(before, value)
        elif name == "policy_version":
            yield f"version {before!r} of the policy, which is now {value!r}"
        elif name == "tools":
            yield "other tools"
        elif name == "policy_options":
            policy = str(wanted.get("policy_name", wanted["policy"]))
            old, new = (without_connection(policy, options) for options in (before or {}, value))
            for option in [*old, *(option for option in new if option not in old)]:
                if old.get(option) != new.get(option):
                    yield f"the policy's option {option} {_said(old, option)}, not " + _said(
                        new, option
                    )
        else:
            yield f"{name} {before!r}, not {value!r}"


def _said(options: Mapping[str, Any], option: str) -> str:
    return repr(options[option]) if option in options else "left out"


def _changed_files(before: Any, now: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence of the files of a policy that have changed, come or gone."""
    old: Mapping[str, str] = before if isinstance(before, Mapping) else {}
    for what, names in (
        ("changed", [name for name, digest in now.items() if old.get(name, digest) != digest]),
        ("joined the policy's code", [name for name in now if name not in old]),
        ("left the policy's code", [name for name in old if name not in now]),
    ):
        if names:
            yield f"another policy: {', '.join(names)} {what} since this run began"


def _count(value: Any) -> float:
    """Return a number of trials or tasks; None stands for all."""
    return math.inf if value is None else float(value)


def _shown(name: str, value: Any) -> str:
    if name == "limit":
        return "all tasks" if value is None else f"a limit of {value} tasks"
    return f"{value} {name}"
