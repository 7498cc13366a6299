"""A question to a consultant: a role prompt with its values, and the reply model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from gym_clinic import strict_json
from gym_clinic.errors import ConfigError
from gym_clinic.images import Illustrated, content_parts

if TYPE_CHECKING:
    from gym_clinic.images import Image

R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True)
class Prompt:
    """The text of a role, with ``{placeholders}``.

    ``{reply}`` stands for the format of the reply, as :func:`reply_format` describes it.

    Attributes:
        system: The role and the format of the reply; no system message if empty.
        user: The question.
        source: Origin of the prompt, for errors.
    """

    system: str
    user: str
    source: str = "the prompt"

    @cached_property
    def placeholders(self) -> frozenset[str]:
        """The names of the placeholders."""
        return _placeholders(self.system) | _placeholders(self.user)


def read_prompt(path: Path) -> Prompt:
    """Read a prompt from a Markdown file.

    The text above a line ``---`` is the system message, the text below it the user message. A
    file without such a line is a user message. A literal brace is written twice.

    Raises:
        ConfigError: The file has more than one such line, or braces around something else than a
            placeholder.
    """
    parts = [part.strip() for part in path.read_text(encoding="utf-8").split("\n---\n")]
    if len(parts) > 2:
        raise ConfigError(f"{path}: a prompt has at most one line '---', not {len(parts) - 1}")
    prompt = Prompt(system=parts[0] if len(parts) == 2 else "", user=parts[-1], source=str(path))
    try:
        wrong = sorted(name for name in prompt.placeholders if not name.isidentifier())
    except ValueError as error:
        raise ConfigError(f"{path}: {error}; a literal brace is written twice") from None
    if wrong:
        raise ConfigError(f"{path}: {wrong} are not placeholders; a literal brace is written twice")
    return prompt


@dataclass(frozen=True)
class Opinion(Generic[R]):
    """The reply of one member in one round.

    Attributes:
        member: The member's name.
        round: The round, from 1.
        reply: The reply; None if the member failed.
        choice: The vote of the member; None if it abstains or failed.
        confidence: The confidence of the member, at least 0.
        tokens: Tokens of the reply, by kind.
        failure: The reason why there is no reply; "" if there is one.
    """

    member: str
    round: int
    reply: R | None
    choice: str | None
    confidence: float
    tokens: Mapping[str, int] = field(default_factory=dict)
    failure: str = ""


@dataclass(frozen=True)
class Question(Generic[R]):
    """A question to a consultant.

    Attributes:
        role: Name of the consultant's role, for records and errors.
        prompt: The role prompt.
        values: Values of its placeholders, and further values for consultants without a
            prompt. A function without arguments is called when the prompt is written. Validators
            of the reply model find them as ``info.context``.
        reply: The pydantic model of the reply.
        round: Round of a discussion, from 1.
        opinions: The replies of the panel's members in the round before, if there was one.
        follow_up: What is asked after those replies, with the placeholders ``{opinions}`` (the
            replies of the others) and ``{reply}``, and those of `values`; the default asks to
            keep or change the reply.
        images: What its text shows, one for each ``<image>`` mark of the filled prompt.
    """

    role: str
    prompt: Prompt
    values: Mapping[str, Any]
    reply: type[R]
    round: int = 1
    opinions: tuple[Opinion[R], ...] = field(default=(), repr=False)
    follow_up: Prompt | None = None
    images: tuple[Image, ...] = field(default=(), repr=False)

    def messages(self) -> list[dict[str, Any]]:
        """The question as chat messages; with images, the user's holds OpenAI content parts.

        In a later round of a discussion, the consultant's own last reply and those of the others
        follow the question.

        Raises:
            ConfigError: The prompt has a placeholder without a value.
        """
        follow_up = self.follow_up or _DISCUSSION
        for prompt in (self.prompt, follow_up) if self.opinions else (self.prompt,):
            known = {"reply", "opinions"} if prompt is follow_up else {"reply"}
            if missing := sorted(prompt.placeholders - self.values.keys() - known):
                raise ConfigError(f"{prompt.source}: {self.role} has no value for {missing}")
        user = self._fill(self.prompt.user)
        messages = [{"role": "user", "content": user}]
        if self.prompt.system:
            messages.insert(0, {"role": "system", "content": self._fill(self.prompt.system)})
        if not self.opinions:
            return self._shown(messages)
        others = opinions_text([one for one in self.opinions if one.member != self.role])
        discussion = self._fill(follow_up.user, opinions=others)
        own = [one.reply for one in self.opinions if one.member == self.role and one.reply]
        if own:
            said = {"role": "assistant", "content": own[0].model_dump_json()}
            return [*self._shown(messages), said, {"role": "user", "content": discussion}]
        messages[-1]["content"] = f"{user}\n\n{discussion}"
        return self._shown(messages)

    def _shown(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return messages with the images in the last of them."""
        if self.images:
            shown = Illustrated(messages[-1]["content"], self.images)
            messages[-1]["content"] = content_parts(shown.text, shown.images)
        return messages

    def _fill(self, text: str, **known: str) -> str:
        values: dict[str, Any] = {}
        for name in _placeholders(text):
            value = reply_format(self.reply) if name == "reply" else {**self.values, **known}[name]
            values[name] = value() if callable(value) else value
        return text.format_map(values)

    def conversation(self, reply: R) -> list[dict[str, Any]]:
        """The question and a reply to it as chat messages, to fine-tune a model on."""
        return [*self.messages(), {"role": "assistant", "content": reply.model_dump_json()}]

    def read(self, text: str) -> R:
        """Read the reply in a model's text: one JSON object, alone or in a Markdown fence.

        Raises:
            ValueError: The text does not fit the reply model; the message says why.
        """
        return self.check(strict_json.loads(json_text(text)))

    def check(self, value: Any) -> R:
        """Convert a JSON value, or an instance of the reply model, into the reply.

        Raises:
            ValueError: It does not fit the reply model; the message names the field and the fault.
        """
        try:
            return self.reply.model_validate(value, context=self.values)
        except ValidationError as error:
            problem = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, problem["loc"])) or "the reply"
            cause = problem.get("ctx", {}).get("error")  # of a validator of our own
            said = str(cause) if isinstance(cause, ValueError) else problem["msg"]
            raise ValueError(f"{where}: {said}") from None


def json_text(text: str) -> str:
    """The JSON in a model's text, without the Markdown fence that may surround it."""
    body = text.strip()
    if body.startswith("```") and body.endswith("```") and len(body) > 6:
        first, _, rest = body[3:-3].partition("\n")
        body = rest if first.strip().casefold() in ("", "json") else body[3:-3]
    return body.strip()


def opinions_text(opinions: Sequence[Opinion[Any]]) -> str:
    """The replies of several consultants as a list, one a line; failures are left out."""
    lines = [f"- {one.member}: {one.reply.model_dump_json()}" for one in opinions if one.reply]
    return "\n".join(lines) or "(none replied)"


@lru_cache(maxsize=256)
def reply_format(model: type[BaseModel]) -> str:
    """The format of a reply in words: its fields, each with its type and description.

    Raises:
        ConfigError: A field has no description.
    """
    lines = ["Answer with one JSON object and nothing else. Its fields:"]
    for name, schema in model.model_json_schema().get("properties", {}).items():
        if "description" not in schema:
            raise ConfigError(f"the reply model {model.__name__} must describe its field {name!r}")
        lines.append(f"- {name} ({_type_in_words(schema)}): {schema['description']}")
    return "\n".join(lines)


_WORDS = {
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "null",
    "number": "a number",
    "string": "a text",
}


def _type_in_words(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(map(json.dumps, schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(map(_type_in_words, schema["anyOf"]))
    if schema.get("type") == "array":
        return f"a list; each item is {_type_in_words(schema.get('items', {}))}"
    return _WORDS.get(schema.get("type", ""), "an object")


@lru_cache(maxsize=1024)
def _placeholders(text: str) -> frozenset[str]:
    return frozenset(name for _, name, _, _ in Formatter().parse(text) if name is not None)


_DISCUSSION = read_prompt(Path(__file__).parent / "prompts" / "discuss.md")
