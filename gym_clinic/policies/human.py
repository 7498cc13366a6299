"""A person at the terminal."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gym_clinic import strict_json
from gym_clinic.env import ClinicEnv
from gym_clinic.errors import ConfigError, ToolError
from gym_clinic.names import nearest, suggest
from gym_clinic.policies.moves import Playbook
from gym_clinic.policies.playing import Action, Maker
from gym_clinic.policies.readable import call_line, columns, readable, reflow, tool_table, wrap
from gym_clinic.policies.typed import is_pairs, read_pairs
from gym_clinic.toolbox import Tool

_HELP = """\
Write your action, a line or several; an empty line (or the end of input) sends it. An empty line
before that does nothing. A mistake in a name or a value is told at once and uses no turn."""

_FORMS = (
    ("tool name=value …", "calls a tool; several such lines are one batch"),
    (":tool name=value …", "the same, where a line could also be read as text"),
    ('{"name": …', 'a call as JSON, {"name": "tool", "arguments": {…}}, is sent at once'),
    ("any other line", "is text, such as the answer"),
    ("/say …", "is text, where a line could also be read as a call"),
    ("/tools [name]", "shows the tools, their arguments and the values that these take"),
    ("/help", "shows this"),
    ("/quit", "leaves"),
)

_VALUES = """\
Lists and objects are written as JSON, or without quotes: cited=[{finding: fever, present: true}].
Quotes make a number a text: "5". A text without quotes ends at the next name=."""

Line = str | dict[str, Any]
"""A line of an action: text or a call ``{"name", "arguments"}``."""

_TOOL_NAME = re.compile(r"[A-Za-z][\w-]*")


class Quit(KeyboardInterrupt):
    """The person has quit; this is not an error."""


class Human:
    """Shows what is new and reads the next action, line by line.

    An action of calls only is returned as structured calls, so that a person need not know the
    dialect. Calls together with text are written into the text in the dialect of the environment.
    What could only be answered with an error, such as an unknown tool, is answered here and is
    no action.

    Args:
        env: The environment; its tools and its dialect are used.
        read: Reads a line after a prompt; raises EOFError at the end of input.
        write: Shows a text.
        width: Returns the columns that texts are wrapped to; None for no wrapping.

    Attributes:
        write: The function that shows a text; callers may replace it.
        width: The function that returns the columns; callers may replace it.
    """

    def __init__(
        self,
        env: ClinicEnv,
        read: Callable[[str], str],
        write: Callable[[str], object],
        width: Callable[[], int | None] = lambda: None,
    ) -> None:
        self._env = env
        self._read = read
        self.write = write
        self.width = width
        self._turns = self._calls = 0  # used so far
        self._max_turns: int | None = None
        self._max_calls: int | None = None
        self._example = ""

    def act(self, observation: str, info: Mapping[str, Any]) -> Action:
        """Show what is new and return what the person wrote.

        Raises:
            Quit: If the person wrote ``/quit``, or input ended before an action began.
        """
        begins = "task_id" in info
        if begins:
            self._turns = self._calls = 0
            self._max_turns, self._max_calls = info.get("max_turns"), info.get("max_calls")
            self._example = self._answer_like(info)
        self.show(observation, info)
        if begins:
            self._say("(/help says how to write actions, /tools what can be called)")
        action = self._read_action()
        self._turns += 1
        requests = action if isinstance(action, list) else self._env.dialect.parse(action).requests
        self._calls += len(requests) or 1
        return action

    def show(self, observation: str, info: Mapping[str, Any]) -> None:
        """Show what is new: at the begin the policy, the tools' names and the ticket."""
        messages = info.get("messages") or [{"role": "user", "content": observation}]
        for message in messages:
            text = _text(message["content"])
            text = reflow(text) if message["role"] == "system" else readable(text)
            if message["role"] == "tool" and len(messages) > 1:
                text = f"[{message['name']}]\n{text}"
            if text:
                self._say(text)
            if message["role"] == "system" and (names := [tool.name for tool in self._env.toolbox]):
                self._say(f"\nTools: {', '.join(names)}\n")
        for number, image in enumerate(info.get("images", ()), 1):
            self._say(f"(image {number}: {describe_image(image)})")

    def _say(self, text: str) -> None:
        self.write(wrap(text, self.width()))

    def _read_action(self) -> Action:
        lines: list[Line] = []
        while True:
            try:
                typed = self._read("… " if lines else f"{self._left()}> ")
            except EOFError:
                if not lines:
                    raise Quit("end of input") from None
                typed = ""
                ended = True
            else:
                ended = False
            try:
                line = typed.strip()
                if line.partition(" ")[0] in ("/help", "/tools", "/quit"):
                    self._obey(line)
                elif line:
                    said = line.startswith("/say ")
                    call = None if said else self._call(line)
                    text = line.removeprefix("/say ") if said else typed
                    lines.append(text if call is None else call)
                    if call is not None and lines == [call] and line[0] == "{":
                        return [call]
                elif lines:
                    return self._joined(lines)
            except ConfigError as error:
                self._say(str(error))
                if ended:
                    raise Quit("end of input") from None

    def _obey(self, line: str) -> None:
        command, _, name = line.partition(" ")
        if command == "/quit":
            raise Quit("left by /quit")
        if command == "/help":
            width = self.width() or 100
            forms = "\n".join(columns(_FORMS, width, "  "))
            self._say(f"{reflow(_HELP)}\n{forms}\n{reflow(_VALUES)}")
            self._say(f"\nHow an answer is written here (not the right one):\n{self._example}")
        elif name:
            self.write(tool_table([self._tool(name.strip())], self.width()))
        else:
            self.write(tool_table(self._env.toolbox, self.width()) or "there are no tools")

    def _answer_like(self, info: Mapping[str, Any]) -> str:
        """Return how an answer is written here: a label of the domain's menu, on any task."""
        playbook = Playbook(self._env)
        if self._env.domain.menu is not None:
            answers = playbook.menu(playbook.task(dict(info))).answers
            move = next(iter(answers.values()), "")
            if not isinstance(move, str):
                return "\n".join(call_line(name, arguments) for name, arguments in move)
            if move:
                return move
        submits = [tool for tool in self._env.toolbox if tool.submits]
        if submits:
            fields = submits[0].schema["function"]["parameters"]["properties"]
            return " ".join([submits[0].name, *(f"{name}=…" for name in fields)])
        return self._unread("") or "a line of text"

    def _unread(self, text: str) -> str:
        """Return why a text is no answer; empty if it is one."""
        read_answer = self._env.domain.read_answer
        if read_answer is None:
            names = [tool.name for tool in self._env.toolbox if tool.submits]
            return f"Text alone is no action here; the answer is given by {' or '.join(names)}."
        try:
            read_answer(text)
        except ToolError as error:
            return str(error)
        return ""

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
            ConfigError: If the text is no answer, the dialect cannot write a call, or reads none
                beside a text; the lines are then dropped.
        """
        calls = [line for line in lines if not isinstance(line, str)]
        if len(calls) == len(lines):
            return calls
        try:
            text = "\n".join(map(self._written, lines))
            reading = self._env.dialect.parse(text)
            faults = [request.fault for request in reading.requests if request.fault]
            if not reading.requests and (fault := self._unread(reading.text)):
                faults = [fault]
            if len(reading.requests) < len(calls):
                raise ConfigError(f"dialect {self._env.dialect.name!r} reads no call beside a text")
            if faults:
                raise ConfigError("\n".join(faults))
        except ConfigError as error:
            lines.clear()
            hint = ": write calls and text apart" if calls else "; /help shows an answer"
            raise ConfigError(f"{str(error).rstrip('.')}; nothing was sent{hint}") from None
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
        pairs = is_pairs(rest)
        # A name such as order_lab does not occur in prose, so the line is meant as a call.
        meant = line.startswith(":") or ("_" in name and not rest) or pairs
        if self._env.toolbox.get(name) is None:
            known = tuple(tool.name for tool in self._env.toolbox)
            written = _TOOL_NAME.fullmatch(name) is not None
            near = nearest(name, known) if "_" in name and not rest else None
            if not line.startswith(":") and not (written and (pairs or near)):
                return None
        elif not meant and "_" not in name and rest:
            return None
        tool = self._tool(name)
        fields = tool.schema["function"]["parameters"]["properties"]
        given = read_pairs(rest, {key: _kinds(schema) for key, schema in fields.items()})
        return {"name": tool.name, "arguments": self._fitting(tool, given)}

    def _fitting(self, tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return arguments that a tool takes.

        Raises:
            ConfigError: If it does not take them; the message says what it takes.
        """
        parameters = tool.schema["function"]["parameters"]
        for name in arguments:
            if name not in parameters["properties"]:
                hint = suggest(name, parameters["properties"])
                raise ConfigError(f"{tool.name} takes no argument {name!r}; {hint}")
        missing = [name for name in parameters.get("required", ()) if name not in arguments]
        if missing:
            takes = list(parameters["properties"])
            raise ConfigError(f"{tool.name} needs {missing}; it takes {takes}")
        try:
            tool.checked(arguments)
        except ToolError as error:
            raise ConfigError(f"{error}; /tools {tool.name} says what it takes") from None
        return arguments

    def _tool(self, name: str) -> Tool:
        found = self._env.toolbox.get(name)
        if found is None:
            near = nearest(name, tuple(tool.name for tool in self._env.toolbox))
            hint = f"did you mean {near!r}?" if near else "/tools shows those that there are"
            raise ConfigError(f"no tool {name!r}; {hint}")
        return found

    def _json_call(self, line: str) -> dict[str, Any] | None:
        """Return a call written as JSON; None for other JSON, such as an answer."""
        try:
            found = strict_json.loads(line)
        except ValueError:
            return None
        if not isinstance(found, dict) or not {"name"} <= found.keys() <= {"name", "arguments"}:
            return None
        tool, arguments = self._tool(str(found["name"])), found.get("arguments", {})
        if not isinstance(arguments, dict):
            raise ConfigError(f'"arguments" is an object, {{…}}, not {arguments!r:.40}')
        return {"name": tool.name, "arguments": self._fitting(tool, arguments)}


def _kinds(schema: Mapping[str, Any]) -> frozenset[str]:
    """Return the kinds of JSON that an argument takes; none where anything goes."""
    options: Sequence[Mapping[str, Any]] = (schema, *schema.get("anyOf", ()))
    return frozenset(str(option["type"]) for option in options if "type" in option)


def _text(content: Any) -> str:
    """Return the content of a message as text; its images are shown apart."""
    if isinstance(content, str):
        return content
    return "".join(part["text"] if part["type"] == "text" else "<image>" for part in content)


def describe_image(image: Any) -> str:
    """Return the path of an image, or kind and size of an image in memory."""
    if isinstance(image, str | os.PathLike):
        return os.fspath(image)
    name = getattr(image, "filename", "")
    return name or f"{image.mode}, {image.width} x {image.height} pixels, in memory"


def _columns() -> int | None:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def human(env: ClinicEnv) -> Maker:
    """Let a person act at the terminal.

    Args:
        env: The environment.
    """
    return lambda seed: Human(env, input, print, _columns)
