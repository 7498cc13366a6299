"""Action text -> what the agent asked for, in one of several dialects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gym_clinic.exports import lazy_names

if TYPE_CHECKING:
    from gym_clinic.action.dialects import DIALECTS as DIALECTS
    from gym_clinic.action.dialects import ActionReading as ActionReading
    from gym_clinic.action.dialects import Dialect as Dialect
    from gym_clinic.action.dialects import Request as Request
    from gym_clinic.action.dialects import as_request as as_request
    from gym_clinic.action.dialects import no_request as no_request
    from gym_clinic.action.dialects import read_call as read_call
    from gym_clinic.action.dialects import without_thoughts as without_thoughts
    from gym_clinic.action.tags import Tag as Tag
    from gym_clinic.action.tags import Tags as Tags

_HOMES = {
    "DIALECTS": "dialects",
    "Dialect": "dialects",
    "ActionReading": "dialects",
    "Request": "dialects",
    "Tag": "tags",
    "Tags": "tags",
    "as_request": "dialects",
    "no_request": "dialects",
    "read_call": "dialects",
    "without_thoughts": "dialects",
}

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES)
