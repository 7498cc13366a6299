"""The options of DxSearch, checked: an error says what would be right."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any, get_args

from gym_clinic.domains.dxsearch.rewards import STAGES, Change, ZeroMode
from gym_clinic.embedded import EMBEDDED
from gym_clinic.errors import ConfigError
from gym_clinic.names import suggest

TASKS, SITE = "tasks", "site"
"""Values of own_records: those that the tasks were proved with, and those of each site."""

RECORDS = "records"
"""Folder of the records beside imported tasks."""

LEAST_SIMILAR, MOST_SIMILAR = 0.7, 0.95
"""Thresholds of near-duplicates that the paper tries (extended data table 1)."""

MOST_IRRELEVANT = 100
"""Irrelevant patients shown beside the references of a match, at most."""


def check_stage(stage: Any) -> None:
    """Raise a ConfigError unless there is such a stage."""
    if isinstance(stage, bool) or not isinstance(stage, int) or stage not in STAGES:
        raise ConfigError(f"stage is one of {list(STAGES)}, not {stage!r}")


def check_choice(what: str, value: Any, allowed: Collection[str]) -> None:
    """Raise a ConfigError unless an option has one of its values."""
    if not isinstance(value, str) or value not in allowed:
        raise ConfigError(f"no {what} {value!r}; {suggest(str(value), allowed)}")


def check_flags(**flags: Any) -> None:
    """Raise a ConfigError unless all are true or false."""
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise ConfigError(f"{name} is true or false, not {value!r}")


def check_scoring(zero_mode: Any, change: Any, too_little: Any) -> None:
    """Raise a ConfigError unless these are options of the reward of matching."""
    check_choice("zero_mode", zero_mode, get_args(ZeroMode))
    check_choice("change", change, get_args(Change))
    _check_number("too_little", too_little, -1.0, 0.0)


def check_patients(patients: Any, near_duplicates: Any) -> None:
    """Raise a ConfigError unless this names a database of patients, and a threshold or none."""
    if patients is not None and not isinstance(patients, str):
        raise ConfigError(f"patients is {EMBEDDED!r}, a folder, or None, not {patients!r}")
    if patients not in (None, EMBEDDED) and not Path(patients).is_dir():
        raise ConfigError(
            f"no folder of patients {patients!r}; give {EMBEDDED!r}, a folder or None"
        )
    if near_duplicates is not None:
        _check_number("near_duplicates", near_duplicates, LEAST_SIMILAR, MOST_SIMILAR)


def check_irrelevant(irrelevant: Any) -> None:
    """Raise a ConfigError unless this is a number of patients."""
    whole = isinstance(irrelevant, int) and not isinstance(irrelevant, bool)
    if not whole or not 0 <= irrelevant <= MOST_IRRELEVANT:
        raise ConfigError(
            f"irrelevant is a number of patients from 0 to {MOST_IRRELEVANT}, not {irrelevant!r}"
        )


def check_own(folder: Any, own_records: Any) -> None:
    """Raise a ConfigError unless these name a task folder and records of one's own, or none."""
    if folder is not None and not (isinstance(folder, str) and Path(folder).is_dir()):
        raise ConfigError(
            f"no task folder {folder!r}; make one with 'gym-clinic cases import', or give None"
        )
    if own_records in (None, TASKS, SITE):
        return
    if not (isinstance(own_records, str) and Path(own_records).is_dir()):
        raise ConfigError(
            f"no folder of patients {own_records!r}; own_records is {TASKS!r}, {SITE!r}, the "
            "folder of a database, or None"
        )


def _check_number(name: str, value: Any, low: float, high: float) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not low <= value <= high:
        raise ConfigError(f"{name} is a number from {low:g} to {high:g}, not {value!r}")
