"""A person at the terminal."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

from gym_clinic import strict_json
from gym_clinic.env import ClinicEnv
from gym_clinic.errors import ConfigError
from gym_clinic.names import nearest
from gym_clinic.policies.playing import Maker

_HELP = """\
Write your action; an empty line (or end of input) sends it. An empty action is sent by an
empty line on its own.
  :tool name=value …   calls a tool; quote values with blanks, and several such lines are one
                       batch where the dialect allows it
  {"name": …           a bare JSON call is sent at once
  /tools               lists the tools and their arguments
  /help                shows this
  /quit                leaves"""


class Quit(KeyboardInterrupt):
    """The person has left; no error."""


class Human:
    """Prints what was observed and reads the next action, line by line.

    Calls may be written as ``:tool name=value …``: values of string arguments are taken as
    they are, all others are read as JSON. Any other line is sent as it was typed.

    Args:
        env: The environment; its dialect writes the calls.
        read: Reads a line after a prompt; raises EOFError at the end of input.
        write: Shows a text.
    """

    def __init__(
        self,
        env: ClinicEnv,
        read: Callable[[str], str],
        write: Callable[[str], object],
    ) -> None:
        self._env = env
        self._read = read
        self._write = write

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Show the observation and return what the person wrote.

        Raises:
            Quit: If the person wrote ``/quit``, or input ended before an action began.
        """
        self._write(observation)
        if "task_id" in info:
            self._write("(/help says how to write actions)")
        lines: list[str] = []
        while True:
            try:
                line = self._read("… " if lines else "> ")
            except EOFError:
                if not lines:
                    raise Quit("end of input") from None
                break
            if line.strip() in ("/help", "/tools", "/quit"):
                self._command(line.strip())
                continue
            if not line.strip():
                break
            try:
                call = self._call(line) if line.startswith(":") else None
            except ConfigError as error:
                self._write(str(error))
                continue
            lines.append(line if call is None else call)
            if len(lines) == 1 and self._is_whole(lines[0]):
                break
        return "\n".join(lines)

    def _command(self, command: str) -> None:
        if command == "/quit":
            raise Quit("left by /quit")
        if command == "/help":
            self._write(_HELP)
        else:
            for one in self._env.toolbox:
                function = one.schema["function"]
                fields = function["parameters"]["properties"]
                self._write(f":{one.name} {' '.join(f'{name}=…' for name in fields)}")
                self._write(f"    {function['description']}")
                for name, field in fields.items():
                    self._write(f"    {name}: {field.get('description', '')}")

    def _is_whole(self, line: str) -> bool:
        """Return whether a line is a call that must stand alone in its action."""
        return self._env.dialect.name == "json" and bool(self._env.dialect.parse(line).requests)

    def _call(self, line: str) -> str:
        """Write ``:tool name=value …`` as a call.

        Raises:
            ConfigError: If it cannot be read; the text says why.
        """
        try:
            name, *pairs = shlex.split(line[1:])
        except ValueError as error:
            raise ConfigError(f"not a call: {error}; expected :tool name=value …") from None
        known = tuple(one.name for one in self._env.toolbox)
        found = self._env.toolbox.get(name)
        if found is None:
            near = nearest(name, known)
            hint = f"did you mean {near!r}?" if near else f"there are {list(known)}"
            raise ConfigError(f"no tool {name!r}; {hint}")
        fields = found.schema["function"]["parameters"]["properties"]
        arguments: dict[str, Any] = {}
        for pair in pairs:
            key, equals, value = pair.partition("=")
            if not equals:
                raise ConfigError(f"expected name=value, got {pair!r}; {name} takes {list(fields)}")
            arguments[key] = _value(value, fields.get(key, {}))
        return self._env.dialect.write([(name, arguments)])


def _value(text: str, schema: dict[str, Any]) -> Any:
    """Read a value as JSON, unless its argument is a string or it is no JSON."""
    if schema.get("type") == "string":
        return text
    try:
        return strict_json.loads(text)
    except ValueError:
        return text


def human(env: ClinicEnv) -> Maker:
    """Let a person act at the terminal.

    Args:
        env: The environment.
    """
    return lambda seed: Human(env, input, print)
