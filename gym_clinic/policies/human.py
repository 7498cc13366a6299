"""A person at the terminal."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gym_clinic import strict_json
from gym_clinic.env import ClinicEnv
from gym_clinic.errors import ConfigError
from gym_clinic.names import suggest
from gym_clinic.policies.playing import Action, Maker

_HELP = """\
Write your action, a line or several; an empty line (or the end of input) sends it. An empty line
before that does nothing.
  tool name=value …   calls a tool; quote values with blanks. Several such lines are one batch
  :tool name=value …  the same, where a line could also be read as text
  {"name": …          a call as JSON, {"name": "tool", "arguments": {…}}, is sent at once
  any other line      is text, such as the answer
  /tools              lists the tools and their arguments
  /help               shows this
  /quit               leaves"""

Line = str | dict[str, Any]
"""A line of an action: text or a call ``{"name", "arguments"}``."""


class Quit(KeyboardInterrupt):
    """The person has quit; this is not an error."""


class Human:
    """Shows the observation and reads the next action, line by line.

    An action of calls only is returned as structured calls, so that a person need not know the
    dialect. Calls together with text are written into the text in the dialect of the environment.

    Args:
        env: The environment; its tools and its dialect are used.
        read: Reads a line after a prompt; raises EOFError at the end of input.
        write: Shows a text.

    Attributes:
        write: The function that shows a text; callers may replace it.
    """

    def __init__(
        self, env: ClinicEnv, read: Callable[[str], str], write: Callable[[str], object]
    ) -> None:
        self._env = env
        self._read = read
        self.write = write
        self._turns = self._calls = 0  # used so far
        self._max_turns: int | None = None
        self._max_calls: int | None = None

    def act(self, observation: str, info: Mapping[str, Any]) -> Action:
        """Show the observation and return what the person wrote.

        Raises:
            Quit: If the person wrote ``/quit``, or input ended before an action began.
        """
        self.write(observation)
        for number, image in enumerate(info.get("images", ()), 1):
            self.write(f"(image {number}: {describe_image(image)})")
        if "task_id" in info:
            self._turns = self._calls = 0
            self._max_turns, self._max_calls = info.get("max_turns"), info.get("max_calls")
            self.write("(/help says how to write actions)")
        action = self._read_action()
        self._turns += 1
        requests = action if isinstance(action, list) else self._env.dialect.parse(action).requests
        self._calls += len(requests) or 1
        return action

    def _read_action(self) -> Action:
        lines: list[Line] = []
        while True:
            try:
                typed = self._read("… " if lines else f"{self._left()}> ")
            except EOFError:
                if not lines:
                    raise Quit("end of input") from None
                return self._joined(lines)
            try:
                if typed.strip() in ("/help", "/tools", "/quit"):
                    self._obey(typed.strip())
                elif typed.strip():
                    call = self._call(typed.strip())
                    lines.append(typed if call is None else call)
                    if call is not None and lines == [call] and typed.lstrip()[0] == "{":
                        return [call]
                elif lines:
                    return self._joined(lines)
            except ConfigError as error:
                self.write(str(error))

    def _obey(self, command: str) -> None:
        if command == "/quit":
            raise Quit("left by /quit")
        usages = "\n".join(_usage(tool.schema) for tool in self._env.toolbox)
        self.write(_HELP if command == "/help" else usages or "there are no tools")

    def _left(self) -> str:
        """Return the turns or calls that are left, such as ``"3 turns left "``."""
        for limit, used, what in (
            (self._max_calls, self._calls, "calls"),
            (self._max_turns, self._turns, "turns"),
        ):
            if limit is not None:
                left = max(limit - used, 0)
                return f"{left} {what if left != 1 else what[:-1]} left "
        return ""

    def _joined(self, lines: list[Line]) -> Action:
        """Return the lines as calls if all of them are calls, else as one text.

        Raises:
            ConfigError: If the dialect cannot write a call, or none beside a text; the lines are
                then dropped.
        """
        calls = [line for line in lines if not isinstance(line, str)]
        if len(calls) == len(lines):
            return calls
        try:
            text = "\n".join(map(self._written, lines))
            if len(self._env.dialect.parse(text).requests) < len(calls):
                raise ConfigError(f"dialect {self._env.dialect.name!r} reads no call beside a text")
        except ConfigError as error:
            lines.clear()
            raise ConfigError(f"{error}; nothing was sent: write calls and text apart") from None
        return text

    def _written(self, line: Line) -> str:
        if isinstance(line, str):
            return line
        return self._env.dialect.write([(line["name"], line["arguments"])])

    def _call(self, line: str) -> dict[str, Any] | None:
        """Return the call that a line writes; None if it is text.

        Raises:
            ConfigError: If it is meant as a call but is not a valid one; the message says why.
        """
        if line.startswith("{"):
            return self._json_call(line)
        name, _, rest = line.removeprefix(":").partition(" ")
        # A name such as order_lab does not occur in prose, so the line is meant as a call.
        meant = line.startswith(":") or "_" in name
        if not line.startswith(":") and self._env.toolbox.get(name) is None:
            return None
        try:
            pairs = shlex.split(rest)
        except ValueError as error:
            if not meant:
                return None
            raise ConfigError(f"not a call: {error}; expected tool name=value …") from None
        if not meant and not all("=" in pair for pair in pairs):
            return None
        return {"name": name, "arguments": self._arguments(name, pairs)}

    def _arguments(self, name: str, pairs: Sequence[str]) -> dict[str, Any]:
        fields = self._parameters(name)["properties"]
        arguments = {}
        for pair in pairs:
            key, equals, value = pair.partition("=")
            if not equals:
                raise ConfigError(
                    f"expected name=value, got {pair!r}; {name} takes {list(fields)}; a value with "
                    'spaces stands in quotes, name="some words"'
                )
            if key not in fields:
                raise ConfigError(f"{name} takes no argument {key!r}; {suggest(key, fields)}")
            arguments[key] = _value(value, fields[key])
        missing = [
            key for key in self._parameters(name).get("required", ()) if key not in arguments
        ]
        if missing:
            raise ConfigError(f"{name} needs {missing}; it takes {list(fields)}")
        return arguments

    def _parameters(self, name: str) -> dict[str, Any]:
        found = self._env.toolbox.get(name)
        if found is None:
            known = [one.name for one in self._env.toolbox]
            raise ConfigError(f"no tool {name!r}; {suggest(name, known)}")
        parameters: dict[str, Any] = found.schema["function"]["parameters"]
        return parameters

    def _json_call(self, line: str) -> dict[str, Any] | None:
        """Return a call written as JSON; None for other JSON, such as an answer."""
        try:
            found = strict_json.loads(line)
        except ValueError:
            return None
        if not isinstance(found, dict) or not {"name"} <= found.keys() <= {"name", "arguments"}:
            return None
        self._parameters(str(found["name"]))
        return {"name": str(found["name"]), "arguments": found.get("arguments", {})}


def describe_image(image: Any) -> str:
    """Return the path of an image, or kind and size of an image in memory."""
    if isinstance(image, str | os.PathLike):
        return os.fspath(image)
    name = getattr(image, "filename", "")
    return name or f"{image.mode}, {image.width} x {image.height} pixels, in memory"


def _usage(schema: Mapping[str, Any]) -> str:
    """Return the usage of a tool and the description of its arguments."""
    function = schema["function"]
    fields = function["parameters"]["properties"]
    return "\n".join(
        [
            " ".join([function["name"], *(f"{name}=…" for name in fields)]),
            f"    {function['description']}",
            *(f"    {name}: {field.get('description', '')}" for name, field in fields.items()),
        ]
    )


def _value(text: str, schema: Mapping[str, Any]) -> Any:
    """Read a value as JSON; as text if its argument takes text or it is not JSON."""
    kinds = {one.get("type") for one in (schema, *schema.get("anyOf", ()))}
    if "string" in kinds and not ("null" in kinds and text == "null"):
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
