"""A tool is a plain function; its signature and Google docstring are its schema."""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Annotated, Any, get_type_hints, overload

import orjson
import typing_extensions
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError
from typing_extensions import NotRequired

from gym_clinic import strict_json
from gym_clinic.case import Case
from gym_clinic.errors import ToolError
from gym_clinic.names import LONGEST, nearest

_TYPED_DICT: Any = vars(typing_extensions)["TypedDict"]  # made at run time, beyond static types


_OBJECTS = ("dict_type", "model_type")
"""Kinds of pydantic's errors that say, in words of Python, that an object was expected."""


class Kind(enum.Enum):
    """What a tool does to the episode.

    READ looks, WRITE changes the case, THINK only records the agent's own words, SUBMIT gives
    the answer and ends the episode.
    """

    READ = "read"
    WRITE = "write"
    THINK = "think"
    SUBMIT = "submit"


class Tool:
    """A function an agent may call.

    Args:
        function: Its parameters but ``case`` are the agent's; each must be described under
            ``Args:``.
        kind: What it does to the episode.
        name: Name the agent uses; the function's own by default.

    Attributes:
        schema: The OpenAI function schema.
        submits: Whether its kind is SUBMIT.
        writes: Whether its kind is WRITE.

    Raises:
        TypeError: If the signature or the docstring does not make a schema.
    """

    def __init__(
        self, function: Callable[..., Any], *, kind: Kind = Kind.READ, name: str | None = None
    ) -> None:
        self.function = function
        self.kind = kind
        self.submits = kind is Kind.SUBMIT
        self.writes = kind is Kind.WRITE
        self.name = name or function.__name__
        summary, about = _read_docstring(function)
        if not summary:
            raise TypeError(f"tool {self.name!r}: the docstring must say what it does")
        hints = get_type_hints(function, include_extras=True)
        fields: dict[str, Any] = {}
        required: set[str] = set()
        self._takes_case = False
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
                raise TypeError(f"tool {self.name!r}: *args, **kwargs and / have no schema")
            if parameter.name == "case":
                self._takes_case = True
                continue
            if parameter.name not in hints:
                raise TypeError(f"tool {self.name!r}: {parameter.name!r} needs a type")
            about_it = Field(description=about.get(parameter.name))
            if parameter.default is parameter.empty:
                required.add(parameter.name)
            else:
                about_it = Field(parameter.default, description=about.get(parameter.name))
            fields[parameter.name] = Annotated[hints[parameter.name], about_it]
        if missing := sorted(fields.keys() - about.keys()):
            raise TypeError(f"tool {self.name!r}: Args must describe {missing}")
        if unknown := sorted(about.keys() - fields.keys()):
            raise TypeError(f"tool {self.name!r}: Args describes {unknown}, which it does not take")
        # A typed dict is checked in half the time of a model, and is what the function takes.
        arguments = _TYPED_DICT(
            self.name,
            {key: of if key in required else NotRequired[of] for key, of in fields.items()},
        )
        arguments.__pydantic_config__ = ConfigDict(
            extra="forbid", coerce_numbers_to_str=True, allow_inf_nan=False
        )
        try:
            adapter = TypeAdapter[dict[str, Any]](arguments)
            parameters = _tidy(adapter.json_schema())
        except (PydanticSchemaGenerationError, PydanticInvalidForJsonSchema) as error:
            reason = str(error).splitlines()[0]
            raise TypeError(f"tool {self.name!r}: no schema for a parameter: {reason}") from None
        self._validate = adapter.validator.validate_python
        self.schema: dict[str, Any] = {
            "type": "function",
            "function": {"name": self.name, "description": summary, "parameters": parameters},
        }

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the plain function, unchecked."""
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"Tool({self.name!r}, {self.kind.name})"

    def call(self, arguments: dict[str, Any], case: Case) -> Any:
        """Check the agent's arguments and run the function.

        Raises:
            ToolError: If the arguments do not fit, or the function says so.
        """
        given = self.checked(arguments)
        return self.function(case=case, **given) if self._takes_case else self.function(**given)

    def checked(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return arguments that fit, converted to the types of the signature (``"5"`` to 5).

        Raises:
            ToolError: If they do not fit; the error says what would.
        """
        try:
            given: dict[str, Any] = self._validate(arguments)
        except ValidationError as error:
            raise ToolError(self._explain(error)) from None
        for where, value, right in _booleans_as_numbers(arguments, given):
            about = self.schema["function"]["parameters"]["properties"].get(where, {})
            meaning = f" ({about['description']})" if "description" in about else ""
            text = f"Input should be {right}, got {str(value).lower()}{meaning}"
            raise ToolError(f"{self.name}: argument '{where}': {text}")
        return given

    def _explain(self, error: ValidationError) -> str:
        lines = []
        fields = self.schema["function"]["parameters"]["properties"]
        for problem in error.errors(include_url=False, include_context=False)[:5]:
            where = ".".join(str(part) for part in problem["loc"])[:80]
            kind = problem["type"]
            if kind == "missing":
                about = fields.get(where, {}).get("description", "")
                lines.append(f"argument '{where}' is missing ({about})" if about else
                             f"argument '{where}' is missing")  # fmt: skip
            elif kind == "extra_forbidden":
                *place, name = problem["loc"]
                known = self._fields_at(place)
                near = nearest(str(name), tuple(known))
                right = f"did you mean '{near}'?" if near else f"it takes {known}"
                hint = f"; {right}" if known else ""
                lines.append(f"unknown argument '{where}'{hint}")
            else:
                got = _show(problem["input"])
                said = "Input should be a JSON object" if kind in _OBJECTS else problem["msg"]
                lines.append(f"argument '{where}': {said}, got {got}")
        return f"{self.name}: " + "; ".join(lines)

    def _fields_at(self, place: Sequence[str | int]) -> list[str]:
        """Return the fields of the object at a place inside the arguments, such as orders, 0."""
        node: dict[str, Any] = self.schema["function"]["parameters"]
        defined = node.get("$defs", {})
        for part in place:
            fields = node.get("properties", {})
            inner = node.get("items", {}) if isinstance(part, int) else fields.get(part, {})
            node = next(iter(inner.get("anyOf", ())), inner)
            node = defined.get(node.get("$ref", "").rpartition("/")[2], node)
            if "properties" not in node and "items" not in node:
                return []
        return list(node.get("properties", {}))


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def tool(*, kind: Kind = ..., name: str | None = ...) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    kind: Kind = Kind.READ,
    name: str | None = None,
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a function a tool; its signature and docstring become its schema.

    A parameter named ``case`` is given by the clinic and hidden from the agent.

    Args:
        function: The function, when used without arguments.
        kind: What the tool does to the episode.
        name: Name the agent uses; the function's own by default.

    Raises:
        TypeError: At import, if the definition makes no schema.
    """
    if function is not None:
        return Tool(function)
    return lambda function: Tool(function, kind=kind, name=name)


def tools_of(module: ModuleType) -> tuple[Tool, ...]:
    """Return the tools that a module defines, in the order of its text; imported ones are left out.

    Args:
        module: A module with ``@tool`` functions.
    """
    return tuple(
        item
        for item in vars(module).values()
        if isinstance(item, Tool) and item.function.__module__ == module.__name__
    )


class Toolbox:
    """The tools of a domain, by name.

    Args:
        tools: The tools, in the order they are shown.

    Attributes:
        get: Returns a tool by name, None if there is none.

    Raises:
        TypeError: If two tools share a name.
    """

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools: dict[str, Tool] = {}
        for one in tools:
            if one.name in self._tools:
                raise TypeError(f"two tools are named {one.name!r}")
            self._tools[one.name] = one
        self.get: Callable[[str], Tool | None] = self._tools.get
        self._schemas = orjson.dumps([one.schema for one in self._tools.values()])

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def schemas(self) -> list[dict[str, Any]]:
        """Return the OpenAI function schemas: a fresh copy, free to be written into."""
        schemas: list[dict[str, Any]] = orjson.loads(self._schemas)
        return schemas

    def unknown(self, name: str) -> str:
        """Return what to answer to a call of a tool that does not exist."""
        near = nearest(name, tuple(self._tools))
        hint = f"Did you mean '{near}'?" if near else f"There are: {', '.join(self._tools)}."
        return f"No tool '{name[:LONGEST]}'. {hint}"


def to_text(result: Any) -> str:
    """Return what a tool answered as the agent reads it: text as it is, all else as JSON."""
    if isinstance(result, str):
        return result
    return strict_json.dumps(result, _jsonable)


def _jsonable(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a tool returned {type(value).__name__}; return text, JSON or a model")


def _booleans_as_numbers(given: Any, read: Any, where: str = "") -> Iterator[tuple[str, bool, str]]:
    """Yield where a boolean was read as a number, the boolean, and what would be right.

    The checks read ``true`` as 1; nobody who writes it means a level, a dose or a count.
    """
    if isinstance(given, bool) and type(read) in (int, float):
        yield where, given, "a whole number" if isinstance(read, int) else "a number"
    elif isinstance(given, dict):
        fields = read if isinstance(read, dict) else getattr(read, "__dict__", {})
        for name in given.keys() & fields.keys():
            inside = f"{where}.{name}" if where else name
            yield from _booleans_as_numbers(given[name], fields[name], inside)
    elif isinstance(given, list) and isinstance(read, (list, tuple)):
        for at, (one, other) in enumerate(zip(given, read, strict=True)):
            yield from _booleans_as_numbers(one, other, f"{where}.{at}")


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


_ARG = re.compile(r"^(\w+)(?: \([^)]*\))?: (.+)$")


def _read_docstring(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """Return the summary and the ``Args:`` of a Google docstring."""
    lines = (inspect.getdoc(function) or "").splitlines()
    sections = ("Args:", "Returns:", "Raises:", "Yields:", "Source:", "Example:", "Examples:")
    head: list[str] = []
    about: dict[str, str] = {}
    section, current = "", ""
    for line in lines:
        if line in sections:
            section = line
        elif not section:
            head.append(line)
        elif section == "Args:" and line.strip():
            indent = len(line) - len(line.lstrip())
            match = _ARG.match(line.strip())
            if indent <= 4 and match:
                current = match[1]
                about[current] = match[2]
            elif current:
                about[current] += " " + line.strip()
    return " ".join(" ".join(head).split()), about


def _tidy(schema: dict[str, Any]) -> dict[str, Any]:
    """Drop pydantic's titles, which only cost tokens."""

    def clean(node: Any) -> Any:
        if isinstance(node, dict):
            return {
                key: {name: clean(value) for name, value in item.items()}
                if key in ("properties", "$defs")
                else clean(item)
                for key, item in node.items()
                if not (key == "title" and isinstance(item, str))
            }
        return [clean(item) for item in node] if isinstance(node, list) else node

    tidy: dict[str, Any] = clean(schema)
    tidy.setdefault("properties", {})
    return tidy
