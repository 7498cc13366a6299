"""A dialect of tags, given as data: ``<search>gout, colchicine</search>``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gym_clinic import strict_json
from gym_clinic.action.dialects import ActionReading, Request, without_thoughts
from gym_clinic.errors import ConfigError


@dataclass(frozen=True)
class Tag:
    """One tag of a tag dialect.

    Attributes:
        tool: The tool that ``<tag>content</tag>`` calls; None for a tag that is only text.
        argument: The argument that takes the content.
        separator: Splits the content into a list; None passes it whole.
    """

    tool: str | None = None
    argument: str = "query"
    separator: str | None = None


def _is_texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)


def _fault_of(content: str) -> str | None:
    try:
        strict_json.check_encodable(content)
    except ValueError as error:
        return str(error)
    return None


class Tags:
    """Actions written as tags, ``<search>gout, colchicine</search>``, given as data.

    Args:
        tags: Tag name -> what it calls.
        answers: Pattern of the observation, with ``{name}`` and ``{response}``.
        inline: Whether the answer continues the assistant's message. The closing tags of calls
            are then stop strings, so that a model stops where the answer goes.
        stops: Other stop strings.
        name: Name of the dialect.

    Raises:
        ConfigError: If the pattern of the observation holds anything else in braces.
    """

    def __init__(
        self,
        tags: Mapping[str, Tag],
        *,
        answers: str = "<result>\n{response}\n</result>",
        inline: bool = False,
        stops: Sequence[str] | None = None,
        name: str = "tags",
    ) -> None:
        try:
            answers.format(name="", response="")
        except (KeyError, IndexError, ValueError, AttributeError) as error:
            raise ConfigError(
                f"answers is a pattern with {{name}} and {{response}}, other braces doubled; "
                f"{answers!r:.80} is none ({type(error).__name__}: {error})"
            ) from None
        self.name = name
        self.tags = dict(tags)
        self.answers = answers
        self.inline = inline
        closing = [f"</{tag}>" for tag, of in self.tags.items() if of.tool] if inline else []
        self.stops: tuple[str, ...] = tuple(closing if stops is None else stops)

    def parse(self, action: str) -> ActionReading:
        """Read every known tag outside thoughts from left to right; unknown tags are text."""
        action = without_thoughts(action)
        requests: list[Request] = []
        text: list[str] = []
        start = 0
        cursor = action.find("<")
        while cursor >= 0:
            end = action.find(">", cursor + 1, cursor + 66)
            name = action[cursor + 1 : end] if end > 0 else ""
            if name not in self.tags:
                cursor = action.find("<", cursor + 1)
                continue
            text.append(action[start:cursor])
            close = action.find(f"</{name}>", end + 1)
            if close < 0 and f"</{name}>" in self.stops:
                close = len(action)  # generation stopped at the closing tag
            if close < 0:
                requests.append(Request("", {}, f"Unreadable: <{name}> without </{name}>."))
                return ActionReading(requests, "".join(text).strip())
            content = action[end + 1 : close].strip()
            tag = self.tags[name]
            if tag.tool is None:
                text.append(content)
            elif fault := _fault_of(content):
                requests.append(Request("", {}, f"Unreadable <{name}>: {fault}."))
            else:
                value: Any = content
                if tag.separator is not None:
                    value = [part.strip() for part in content.split(tag.separator) if part.strip()]
                requests.append(Request(tag.tool, {tag.argument: value}))
            start = close + len(name) + 3
            cursor = action.find("<", start)
        text.append(action[start:])
        return ActionReading(requests, "".join(text).strip())

    def write(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
        """Return one tag for each call.

        Raises:
            ConfigError: If no tag calls the tool, or what the tag takes is missing or no text.
        """
        return "\n".join(self._write_one(name, arguments) for name, arguments in calls)

    def _write_one(self, tool: str, arguments: Mapping[str, Any]) -> str:
        for name, tag in self.tags.items():
            if tag.tool == tool:
                if tag.argument not in arguments:
                    raise ConfigError(
                        f"<{name}> takes the argument {tag.argument!r} of {tool!r}, got "
                        f"{sorted(arguments)}"
                    )
                value = arguments[tag.argument]
                if tag.separator is not None:
                    if not _is_texts(value):
                        raise ConfigError(f"<{name}> takes a list of texts, got {value!r}")
                    value = f"{tag.separator} ".join(value)
                return f"<{name}>{value}</{name}>"
        known = sorted(tag.tool for tag in self.tags.values() if tag.tool)
        raise ConfigError(f"no tag calls {tool!r}; tags call {known}")

    def wrap(self, name: str, response: str) -> str:
        """Return the response in the pattern given."""
        return self.answers.format(name=name, response=response)

    def explain(self, tools: Sequence[Mapping[str, Any]]) -> str:
        """Return the tags, each with what its tool does."""
        about = {tool["function"]["name"]: tool["function"]["description"] for tool in tools}
        lines = [
            f"<{name}>…</{name}>: {about.get(tag.tool, 'your own text') if tag.tool else 'text'}"
            for name, tag in self.tags.items()
        ]
        return "# Actions\n\nAct by writing these tags:\n" + "\n".join(lines)
