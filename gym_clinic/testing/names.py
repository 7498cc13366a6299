"""Strange names in every text field of every tool: names that vanish, other scripts, digits, marks.

A call answers whatever its texts say; it never raises. And a text without a letter or digit names
nothing: where a tool refuses a word that does not exist, it refuses such a text too.
"""

from __future__ import annotations

import copy
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import lru_cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from gym_clinic.env import ClinicEnv
from gym_clinic.episode import Task
from gym_clinic.errors import ToolError
from gym_clinic.frozen import thaw
from gym_clinic.policies.moves import Playbook
from gym_clinic.taskset import spread
from gym_clinic.toolbox import Tool

NONSENSE = "qxzvwk jyqx"
"""A name of nothing."""

CALLS_OF_EPISODE = 25
"""Calls before the episode is ended and judged."""

SAMPLE = 6
"""Tasks of which the usual arguments of tools are taken."""

KINDS = ("vanishing", "fillers", "strange", "long", "mixed")
"""Kinds of strange names."""

TRIED, FEW = 40, 4
"""Arguments that are tried for a tool without usual ones, and how many are kept."""

USUAL = 0.85
"""Share of the calls that begin from usual arguments, where there are any."""

Arguments = dict[str, Any]
Place = tuple[str | int, ...]
Guard = Callable[[str], AbstractContextManager[Any]]


@lru_cache(maxsize=1)
def pools() -> Mapping[str, list[str]]:
    """Return the strange names, by kind."""
    read = json.loads(Path(__file__).with_name("names.json").read_text("utf-8"))
    return {**read, "long": [text * times for text, times in read["long"]]}


def texts_of(value: Any, place: Place = ()) -> Iterator[Place]:
    """Yield the place of every text in arguments."""
    if isinstance(value, str):
        yield place
    elif isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from texts_of(inner, (*place, key))


def replaced(arguments: Arguments, place: Place, text: str) -> Arguments:
    """Return a copy of arguments with another text at a place."""
    changed = copy.deepcopy(arguments)
    within: Any = changed
    for key in place[:-1]:
        within = within[key]
    within[place[-1]] = text
    return changed


def usual_calls(env: ClinicEnv) -> Iterator[tuple[Task, str, Arguments]]:
    """Yield a task, a tool and its arguments, from solutions and menus of some tasks."""
    playbook = Playbook(env)
    for task in spread(env.tasks, SAMPLE):
        solved = [move for move in env.domain.solve(task) if not isinstance(move, str)]
        calls = [*(call for move in solved for call in move), *playbook.menu(task).calls]
        yield from ((task, name, thaw(arguments)) for name, arguments in calls)


class NameFuzzer:
    """Draws calls of an environment's tools with strange names in them.

    Args:
        env: The environment.
        seed: Seeds the calls.

    Attributes:
        random: Where the calls are drawn from; it may be replaced.
        usual: Tool -> arguments from the solutions and menus of tasks.
    """

    def __init__(self, env: ClinicEnv, seed: int = 0) -> None:
        self.env = env
        self.random = Random(seed)
        self.usual: dict[str, list[Arguments]] = {}
        self._words: dict[str, list[str]] = {}
        for _, name, arguments in usual_calls(env):
            self.usual.setdefault(name, []).append(arguments)
            for field, value in arguments.items():
                if isinstance(value, str):
                    self._words.setdefault(field, []).append(value)
        self._known = sorted({word for words in self._words.values() for word in words})
        self._tools = [tool for tool in env.toolbox if _parameters(tool)["properties"]]
        for tool in self._tools:
            if tool.name not in self.usual:
                self.usual[tool.name] = list(self._answered(tool))

    def _answered(self, tool: Tool) -> Iterator[Arguments]:
        """Yield arguments made by the schema of a tool that it answers; a few at most."""
        task = self.env.tasks[0]
        parameters = _parameters(tool)
        made = (self._value("", parameters, parameters.get("$defs", {})) for _ in range(TRIED))
        yield from islice((call for call in made if _answers(self.env, task, tool, call)), FEW)

    def call(self) -> dict[str, Any] | None:
        """Return a call with strange names in one or several texts; None if no tool takes any."""
        if not self._tools:
            return None
        weights = [_texts(tool) for tool in self._tools]
        tool = self.random.choices(self._tools, weights)[0]
        arguments = self._arguments(tool)
        places = list(texts_of(arguments))
        count = min(len(places), self.random.choice((1, 1, 2, 9)))
        for place in self.random.sample(places, count):
            arguments = replaced(arguments, place, self._name())
        return {"name": tool.name, "arguments": arguments}

    def _name(self) -> str:
        kind = self.random.choices(KINDS, (3, 3, 3, 1, 4))[0]
        if kind == "fillers":
            return " ".join(self.random.choices(pools()[kind], k=self.random.randint(1, 3)))
        if kind != "mixed":
            return self.random.choice(pools()[kind])
        other = self.random.choice(pools()[self.random.choice(("vanishing", "fillers", "strange"))])
        parts = [self.random.choice(self._known or ["fever"]), other]
        self.random.shuffle(parts)
        text = self.random.choice((" ", "", "/", ", ", "-")).join(parts)
        place = self.random.randrange(len(text) + 1)
        return text[:place] + self.random.choice(pools()["marks"]) + text[place:]

    def _arguments(self, tool: Tool) -> Arguments:
        """Return usual arguments of a tool, or such as its schema names."""
        usual = self.usual.get(tool.name)
        if usual and self.random.random() < USUAL:
            return copy.deepcopy(self.random.choice(usual))
        made: Arguments = self._value("", _parameters(tool), _parameters(tool).get("$defs", {}))
        return made

    def _value(self, name: str, schema: Mapping[str, Any], defined: Mapping[str, Any]) -> Any:
        """Return a value as a schema asks for it."""
        if "$ref" in schema:
            return self._value(name, defined[schema["$ref"].rpartition("/")[2]], defined)
        if options := schema.get("anyOf"):
            return self._value(name, self.random.choice(options), defined)
        if options := schema.get("enum") or ("const" in schema and [schema["const"]]):
            return self.random.choice(options)
        kind = schema.get("type")
        if kind == "string":
            quoted = re.findall(r'"([^"]+)"', schema.get("description", ""))
            words = [*quoted, *self._words.get(name, ())] or self._known
            return self.random.choice([*words, NONSENSE])
        if kind == "array":
            items = schema.get("items", {"type": "string"})
            return [self._value(name, items, defined) for _ in range(self.random.randint(0, 3))]
        if kind == "object":
            needed = schema.get("required", ())
            return {
                key: self._value(key, inner, defined)
                for key, inner in schema.get("properties", {}).items()
                if key in needed or self.random.random() < 0.5
            }
        if kind in ("integer", "number"):
            least = int(schema.get("minimum", schema.get("exclusiveMinimum", 0)))
            most = int(schema.get("maximum", schema.get("exclusiveMaximum", least + 100)))
            return self.random.randint(least, max(most, least))
        return self.random.random() < 0.5 if kind == "boolean" else None


def play_strange(fuzzer: NameFuzzer, calls: int, guard: Guard) -> Iterator[str]:
    """Play episodes of calls with strange names, each judged at its end; yield what is wrong.

    Args:
        fuzzer: Draws the calls.
        calls: How many.
        guard: Text that names a call -> the block in which it runs; the block may record what is
            raised in it.
    """
    env = fuzzer.env
    low, high = env.reward_range
    tasks = spread(env.tasks, SAMPLE)
    left = calls
    while left > 0:
        env.reset(options={"task_id": fuzzer.random.choice(tasks).id})
        where = ""
        for number in range(min(left, CALLS_OF_EPISODE)):
            call = fuzzer.call()
            if call is None:
                return
            left -= 1
            where = f"call {json.dumps(call):.700}"
            over = True
            with guard(where):
                shown, *_, done, cut, _ = env.step_calls([call], same_message=number > 0, more=True)
                over = done or cut
                if shown not in env.observation_space:
                    yield f"{where}: the observation lies outside its space"
            if over:
                break
        with guard(f"the end after {where}"):
            reward = env.truncate("enough")[1] if env.episode.stop is None else low
            if not math.isfinite(reward) or not low - 1e-9 <= reward <= high + 1e-9:
                yield f"after {where}: the reward is {reward}"


def believed(env: ClinicEnv, guard: Guard) -> Iterator[str]:
    """Yield the fields of tools that refuse a word that does not exist, but take one of no letter.

    Args:
        env: The environment.
        guard: As for :func:`play_strange`.
    """
    looked_at: set[tuple[str, Place]] = set()
    for task, name, arguments in usual_calls(env):
        tool = env.toolbox.get(name)
        for place in texts_of(arguments):
            field = (name, tuple(key for key in place if isinstance(key, str)))
            if tool is None or field in looked_at or not _answers(env, task, tool, arguments):
                continue
            looked_at.add(field)
            if _answers(env, task, tool, replaced(arguments, place, NONSENSE)):
                continue  # free text
            for text in filter(str.strip, pools()["vanishing"]):
                with guard(f"{name}, {place}, {text!r}"):
                    if _answers(env, task, tool, replaced(arguments, place, text)):
                        yield f"{name} takes {text!r} for {'.'.join(map(str, field[1]))}"


def _answers(env: ClinicEnv, task: Task, tool: Tool, arguments: Arguments) -> bool:
    """Return whether a tool answers a call that is the first of an episode."""
    case = env.domain.open_case(task)
    try:
        tool.call(copy.deepcopy(arguments), case)
    except ToolError:
        return False
    return True


def _texts(tool: Tool) -> int:
    """Return how often a tool is drawn: once for each text that it takes, at least once."""
    written = json.dumps(_parameters(tool))
    return max(written.count('"type": "string"') - written.count('"enum"'), 1)


def _parameters(tool: Tool) -> Mapping[str, Any]:
    parameters: Mapping[str, Any] = tool.schema["function"]["parameters"]
    return parameters
