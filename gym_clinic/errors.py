"""Whose mistake it was: the agent's, the data's, the caller's or an outside service's."""

from __future__ import annotations


class ClinicError(Exception):
    """Any error that gym_clinic raises on purpose."""


class ToolError(ClinicError):
    """A mistake of the agent; its text becomes the observation."""


class TaskError(ClinicError):
    """A mistake in task or import data; its text names the file, line and field."""


class ConfigError(ClinicError, ValueError):
    """A mistake of the caller: an unknown name, a wrong option, a missing extra."""


class ServiceError(ClinicError):
    """An outside service (a model server) failed; the episode is reported, never scored."""


class Terminated(KeyboardInterrupt):
    """A run was ended by SIGTERM; it stops as it does from the keyboard."""
