"""A dialect of tags, given as data: ``<search>gout, colchicine</search>``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from string import Formatter
from typing import Any

from gym_clinic import strict_json
from gym_clinic.action.dialects import ActionReading, Request, without_thoughts
from gym_clinic.errors import ConfigError


@dataclass(frozen=True)
class Tag:
    r"""One tag of a tag dialect.

    Attributes:
        tool: The tool that ``<tag>content</tag>`` calls; None for a tag that is only text.
        argument: The argument that takes the content.
        separator: Splits the content into a list; None passes it whole.
        form: How several arguments are written in one content, such as ``"|{source}| {queries}"``;
            the separator then splits ``argument`` alone. Space around each argument is ignored.
        item: Pattern with one group, such as ``\\textbf\{([^{}]*)\}``: the content is
            read as the list of what the group finds, whatever else it holds.
        item_form: How one item is written, such as ``\textbf{{{}}}``; needed with ``item``.
        answer: Pattern of the observation of this tag, with ``{name}`` and ``{response}``; that
            of the dialect if None.

    Raises:
        ConfigError: If the form lacks the argument, or a pattern is broken.
    """

    tool: str | None = None
    argument: str = "query"
    separator: str | None = None
    form: str | None = None
    item: str | None = None
    item_form: str | None = None
    answer: str | None = None

    def __post_init__(self) -> None:
        if self.form is not None and self.argument not in self._names:
            raise ConfigError(f"the form {self.form!r} lacks the argument {{{self.argument}}}")
        if (self.item is None) != (self.item_form is None):
            raise ConfigError("item and item_form belong together: how items are read and written")
        if self.item is not None and self._item.groups != 1:
            raise ConfigError(f"item is a pattern with one group, not {self.item!r}")

    @property
    def arguments(self) -> list[str]:
        """The arguments that the content holds."""
        return self._names or [self.argument]

    @cached_property
    def _names(self) -> list[str]:
        """The arguments of the form."""
        return [name for _, name, _, _ in Formatter().parse(self.form or "") if name]

    @cached_property
    def _item(self) -> re.Pattern[str]:
        return re.compile(self.item or "()")

    @cached_property
    def _content(self) -> re.Pattern[str]:
        """The pattern of a content in the form: each argument but the last is one short run."""
        parts = []
        for text, name, _, _ in Formatter().parse(self.form or ""):
            parts.append(re.escape(text.strip()))
            if name == self._names[-1]:
                parts.append(rf"\s*(?P<{name}>.*)")
            elif name:
                parts.append(rf"\s*(?P<{name}>[^|\s]{{1,80}})\s*")
        return re.compile("".join(parts), re.DOTALL)

    def read(self, content: str) -> dict[str, Any]:
        """Return the arguments that a content holds.

        Raises:
            ValueError: If it is not in the form.
        """
        if self.item is not None:
            return {self.argument: [found.strip() for found in self._item.findall(content)]}
        values: dict[str, Any] = {self.argument: content}
        if self.form is not None:
            found = self._content.fullmatch(content)
            if found is None:
                raise ValueError(f"expected {self.form}")
            values = {name: value.strip() for name, value in found.groupdict().items()}
        if self.separator is not None:
            parts = values[self.argument].split(self.separator)
            values[self.argument] = [part.strip() for part in parts if part.strip()]
        return values

    def write(self, arguments: Mapping[str, Any]) -> str:
        """Return the content that holds these arguments.

        Raises:
            ValueError: If the content is a list and the argument is none.
        """
        value = arguments[self.argument]
        if self.separator is not None or self.item_form is not None:
            if not _is_texts(value):
                raise ValueError(f"takes a list of texts, got {value!r}")
            if self.item_form is not None:
                value = [self.item_form.format(text) for text in value]
            value = f"{self.separator or ','} ".join(value)
        if self.form is None:
            return str(value)
        return self.form.format(**{**arguments, self.argument: value})


def _check_answer(pattern: str) -> None:
    try:
        pattern.format(name="", response="")
    except (KeyError, IndexError, ValueError, AttributeError) as error:
        raise ConfigError(
            f"answers is a pattern with {{name}} and {{response}}, other braces doubled; "
            f"{pattern!r:.80} is none ({type(error).__name__}: {error})"
        ) from None


def _request(name: str, tag: Tag, content: str) -> Request:
    try:
        return Request(tag.tool or "", tag.read(content))
    except ValueError as error:
        return Request("", {}, f"Unreadable <{name}>: {error}.")


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
        before: What is written before each call, where the format asks for some text there.
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
        before: str = "",
        name: str = "tags",
    ) -> None:
        for pattern in (answers, *(tag.answer for tag in tags.values() if tag.answer)):
            _check_answer(pattern)
        self.name = name
        self.tags = dict(tags)
        self.answers = answers
        self._answers = {tag.tool: tag.answer or answers for tag in tags.values() if tag.tool}
        self.inline = inline
        self.before = before
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
                requests.append(_request(name, tag, content))
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
                if missing := [key for key in tag.arguments if key not in arguments]:
                    raise ConfigError(
                        f"<{name}> takes the argument {missing[0]!r} of {tool!r}, got "
                        f"{sorted(arguments)}"
                    )
                try:
                    return f"{self.before}<{name}>{tag.write(arguments)}</{name}>"
                except ValueError as error:
                    raise ConfigError(f"<{name}> {error}") from None
        known = sorted(tag.tool for tag in self.tags.values() if tag.tool)
        raise ConfigError(f"no tag calls {tool!r}; tags call {known}")

    def wrap(self, name: str, response: str) -> str:
        """Return the response in the pattern of the tag that called, or that of the dialect."""
        return self._answers.get(name, self.answers).format(name=name, response=response)

    def explain(self, tools: Sequence[Mapping[str, Any]]) -> str:
        """Return the tags, each with what its tool does."""
        about = {tool["function"]["name"]: tool["function"]["description"] for tool in tools}
        lines = [
            f"<{name}>…</{name}>: {about.get(tag.tool, 'your own text') if tag.tool else 'text'}"
            for name, tag in self.tags.items()
        ]
        return "# Actions\n\nAct by writing these tags:\n" + "\n".join(lines)
