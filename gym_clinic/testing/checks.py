"""The checks of a domain, one a function; each yields the problems it finds."""

from __future__ import annotations

import contextlib
import copy
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from gym_clinic import policies
from gym_clinic.calling import ACTION_LIMIT
from gym_clinic.case import Case
from gym_clinic.domain import CallSpec, Domain
from gym_clinic.env import ClinicEnv
from gym_clinic.episode import Call, Episode, Task, Turn
from gym_clinic.errors import ToolError
from gym_clinic.frozen import thaw
from gym_clinic.images import Illustrated, image_reference
from gym_clinic.info import domain_info
from gym_clinic.policies.moves import Playbook, scripted, write_move
from gym_clinic.policies.playing import Action, Maker, Outcome, Policy, play
from gym_clinic.policies.reachable import reachable
from gym_clinic.policies.snoop import Snoop
from gym_clinic.rewards import Rubric, scale
from gym_clinic.taskset import spread
from gym_clinic.toolbox import Kind, Tool, Toolbox

END = frozenset({"messages", "rewards", "weights", "total", "success", "metrics", "stop"})
"""The keys of info at the end of an episode, however it ended."""

HOSTILE: Mapping[str, str] = {
    "empty": "",
    "blanks": " \t\r\n ",
    "megabyte": "x" * 1_000_000,
    "megabyte of openings": "<tool_call>" * 90_000,
    "as long as is read": "<think></think>" * (ACTION_LIMIT // 15),
    "openings": "<tool_call>" * (ACTION_LIMIT // 11),
    "closings": "</tool_call></think>" * (ACTION_LIMIT // 20),
    "empty blocks": "<tool_call></tool_call>" * (ACTION_LIMIT // 23),
    "deep arrays": "[" * ACTION_LIMIT,
    "deep objects": '<tool_call>{"name": "x", "arguments": ' + '{"a":' * 600 + "1" + "}" * 601
                    + "</tool_call>",
    "deep bare objects": '{"name": "x", "arguments": ' + '{"a":' * 600 + "1" + "}" * 601,
    "NaN": '<tool_call>{"name": "x", "arguments": {"a": NaN, "b": -Infinity}}</tool_call>',
    "bare NaN": '{"name": "x", "arguments": {"a": NaN}}',
    "huge number": '<tool_call>{"name": "x", "arguments": {"a": ' + "9" * 5_000 + "}}</tool_call>",
    "duplicate keys": '<tool_call>{"name": "x", "name": "y", "arguments": {}}</tool_call>',
    "bare duplicate keys": '{"name": "x", "name": "y", "arguments": {}}',
    "half a block": '<tool_call>{"name": "x", "argu',
    "half an object": '{"name": "x", "argu',
    "half a tag": "<tool_cal",
    "unclosed thought": "<think> and then",
    "wrong types": '<tool_call>{"name": 7, "arguments": []}</tool_call>',
    "no object": "<tool_call>null</tool_call>",
    "unknown tool": '<tool_call>{"name": "no_such_tool", "arguments": {}}</tool_call>',
    "control characters": '<tool_call>{"name": "\x01\x1b[2J", "arguments": {}}</tool_call>',
    "NUL": "\x00" * 100,
    "lone surrogate": '\ud800 <tool_call>{"name": "\udfff", "arguments": {}}</tool_call>',
    "escaped surrogate": '<tool_call>{"name": "\\ud800", "arguments": {}}</tool_call>',
    "right to left": "\u202e\u2066\ufeff" * 50,
}  # fmt: skip
"""Actions that no environment may stumble over."""

_PLAIN = (dict, list, str, int, float, bool, type(None))
_IMAGES = "info['images']"  # paths, or images in memory
_OURS = (Task, Episode, Turn, Call, Case, Domain, Tool, Toolbox, Rubric, ClinicEnv)
NEAR = 0.1
"""How much more than the best constant an adversary that plays may earn."""

_CONSTANTS = ("prior", "call-search")
_PLAYERS = ("every-tool", "repeater", "rambler", "snoop", "linear")

_TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")
_SAMPLE = 40  # tasks of the split that costly checks look at


def some_tasks(env: ClinicEnv) -> list[Task]:
    """Return tasks spread evenly over the environment's split, at most 40."""
    return spread(env.tasks, _SAMPLE)


def schemas(env: ClinicEnv) -> Iterator[str]:
    """Check that the tools' schemas are what model servers and JSON schema know."""
    for tool in env.toolbox.schemas():
        function = tool["function"]
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", function["name"]):
            yield f"{function['name']!r} is no name that model servers take"
        parameters = function["parameters"]
        if parameters.get("type") != "object":
            yield f"{function['name']}: parameters must be of type object"
        for problem in _schema(parameters, parameters, "parameters"):
            yield f"{function['name']}: {problem}"


def _schema(node: Any, root: Mapping[str, Any], where: str) -> Iterator[str]:
    """Yield what is wrong with a JSON schema, of what tools' schemas are made of."""
    if isinstance(node, bool):
        return
    if not isinstance(node, dict):
        yield f"{where} is no schema"
        return
    kinds = node.get("type", "object")
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if kind not in _TYPES:
            yield f"{where}: no type {kind!r} in JSON schema"
    if "enum" in node and not (isinstance(node["enum"], list) and node["enum"]):
        yield f"{where}: enum must list something"
    fields = node.get("properties", {})
    if missing := sorted(set(node.get("required", ())) - set(fields)):
        yield f"{where}: required {missing} are not among its properties"
    if "$ref" in node:
        name = str(node["$ref"]).removeprefix("#/$defs/")
        if name not in root.get("$defs", {}):
            yield f"{where}: {node['$ref']} leads nowhere"
    for key in ("properties", "$defs"):
        for name, child in node.get(key, {}).items():
            yield from _schema(child, root, f"{where}.{name}")
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for child in node.get(key, ()):
            yield from _schema(child, root, f"{where}.{key}")
    for key in ("items", "additionalProperties"):
        if key in node:
            yield from _schema(node[key], root, f"{where}.{key}")


def kinds(env: ClinicEnv) -> Iterator[str]:
    """Check that only tools of kind WRITE change the case.

    The calls of the solution and of the menu are made on the case itself, where nothing refuses
    a write: within an episode the engine does, and the tool would raise TypeError there.
    """
    playbook, told = Playbook(env), set()
    for task in some_tasks(env)[:5]:
        case = env.domain.open_case(task)
        for name, arguments in [*_solution(env, task), *playbook.menu(task).calls]:
            found = env.toolbox.get(name)
            if found is None or name in told:
                continue
            before = case.changes
            with contextlib.suppress(ToolError):
                found.call(thaw(arguments), case)
            if found.kind is not Kind.WRITE and case.changes != before:
                told.add(name)
                yield f"{name!r} is of kind {found.kind.name} but changes the case; make it WRITE"


def _solution(env: ClinicEnv, task: Task) -> list[CallSpec]:
    texts = (text for move in env.domain.solve(task) for text in write_move(env.dialect, move))
    return [(one.name, one.arguments) for text in texts for one in env.dialect.parse(text).requests]


def form(env: ClinicEnv, task: Task) -> Iterator[str]:
    """Check a task's id, JSON, ticket and gold calls."""
    if not isinstance(task.id, str) or not task.id:
        yield "the id must be a text"
    for name in ("record", "gold"):
        try:
            orjson.dumps(getattr(task, name))
        except TypeError as error:
            yield f"{name} is not JSON: {error}"
    if not task.gold:
        yield "gold is empty"
    ticket = env.domain.ticket(task)
    if not (ticket.text if isinstance(ticket, Illustrated) else ticket).strip():
        yield "the ticket is empty"
    answer = task.gold.get("answer")
    for value in answer.values() if isinstance(answer, Mapping) else [answer]:
        if isinstance(value, str) and _told(value, task.id):
            yield f"the id contains the answer {value!r}"
    if env.domain.solution is None:
        for call in task.gold.get("calls", ()):
            if env.toolbox.get(call["name"]) is None:
                yield f"gold names a tool that is not there: {env.toolbox.unknown(call['name'])}"


def _told(answer: str, task_id: str) -> bool:
    """Return whether an id contains an answer; a short one only as a word of its own."""
    answer, task_id = answer.casefold(), task_id.casefold()
    return answer in (task_id if len(answer) > 3 else re.split(r"[^a-z0-9]+", task_id))


def solved(env: ClinicEnv, task: Task, oracle: Maker) -> Iterator[str]:
    """Check that the task's solution is answered, a success, and earns the maximum."""
    top = env.rubric.reward_range[1]
    outcome = play(env, task, oracle(0))
    for call in outcome.episode.calls:
        if not call.ok:
            yield f"a call of the solution failed: {call.response[:300]}"
    if outcome.episode.malformed:
        yield "the solution holds a call that cannot be read"
    total = outcome.info["total"]
    if env.domain.paid_turns is not None:
        total, top = outcome.reward, env.reward_range[1]
    if not math.isclose(total, top, abs_tol=1e-9):
        stop = f"{outcome.episode.stop} after {len(outcome.episode.turns)} turns"
        yield f"the oracle earns {total:g}, not the declared maximum {top:g} (stop: {stop})"
    if outcome.info["success"] is not True:
        yield "the oracle's episode is no success"


def info(env: ClinicEnv) -> Iterator[str]:
    """Check that info is plain JSON, fresh each time, and has the same keys at every end."""
    task = env.tasks[0]
    endings = {
        "answered": policies.load("oracle", env)(0),
        "silent": scripted(()),
        "unreadable": scripted(["<tool_call>{</tool_call>"] * env.max_turns),
        "too long": scripted([HOSTILE["megabyte"]]),
    }
    lasts = {ending: play(env, task, policy).info for ending, policy in endings.items()}
    stage = copy.copy(env)
    stage.reset(options={"task_id": task.id})
    *_, lasts["truncated before a turn"] = stage.truncate("budget")
    shapes = {}
    expected = END | domain_info(env.domain, stage.episode).keys()
    for ending, last in lasts.items():
        if last.keys() - {"images"} != expected:
            yield f"{ending}: info at the end has {sorted(last)}, expected {sorted(expected)}"
            continue
        shapes[ending] = {key: sorted(last[key]) for key in ("rewards", "weights", "metrics")}
        for path, value in reachable([("info", last)]):
            if type(value) not in _PLAIN:
                yield f"{ending}: {path} is a {type(value).__name__}; info is plain JSON"
        for name, figure in (last["rewards"] | last["metrics"]).items():
            if not isinstance(figure, int | float) or not math.isfinite(figure):
                yield f"{ending}: {name} is {figure!r}, expected a finite number"
    for ending, shape in shapes.items():
        if shape != shapes.get("answered", shape):
            yield f"{ending}: {shape} are other keys than when answered"
    yield from _fresh(env, task)


def _fresh(env: ClinicEnv, task: Task) -> Iterator[str]:
    """Check that writing into what was handed out changes nothing later."""
    maker = policies.load("oracle", env)
    whole, tampered = _Recorder(maker(0)), _Recorder(maker(0), tamper=True)
    first = play(env, task, whole)
    before = json.dumps(first.info, default=image_reference)
    _tamper(first.info)
    second = play(env, task, tampered)
    if whole.seen != tampered.seen:
        yield "writing into info changes what is observed later"
    if before != json.dumps(second.info, default=image_reference) or first.reward != second.reward:
        yield "writing into info changes the reward or the last info"
    third = _Recorder(maker(0))
    play(env, task, third)
    if whole.seen != third.seen:
        yield "writing into info changes the next episode"


class _Recorder:
    """Plays as another policy does, and keeps all that it was handed, as text."""

    def __init__(self, inner: Policy, *, tamper: bool = False) -> None:
        self._inner, self._tampers = inner, tamper
        self.seen: list[str] = []
        self.handed: list[tuple[str, Any]] = []

    def act(self, observation: str, info: dict[str, Any]) -> Action:
        self.seen += [observation, json.dumps(info, default=image_reference)]
        self.handed += [("observation", observation), ("info", info)]
        action = self._inner.act(observation, info)
        if self._tampers:
            _tamper(info)
        return action


def _tamper(value: Any) -> None:
    if isinstance(value, dict | list):
        for child in list(value.values() if isinstance(value, dict) else value):
            _tamper(child)
        value.clear()
        if isinstance(value, dict):
            value["gold"] = "tampered"


def gold(env: ClinicEnv, recorded: Sequence[str] = ()) -> Iterator[str]:
    """Check that nothing handed out leads to the gold, and that nothing shown depends on it.

    Args:
        env: The environment.
        recorded: Keys of the gold that tools may answer from.
    """
    maker = policies.load("oracle", env)
    tasks = some_tasks(env)
    for task in tasks[:3]:
        recorder = _Recorder(maker(0))
        play(env, task, recorder)
        held = {id(item) for _, item in reachable([("gold", task.gold)]) if _holds(item)}
        for path, item in reachable([*recorder.handed, ("env.spec", env.spec)]):
            if isinstance(item, _OURS):
                yield f"{path} is a {type(item).__name__}: a policy can reach what it holds"
            elif id(item) in held:
                yield f"{path} is a part of the gold"
            elif isinstance(item, Mapping) and "gold" in item:
                yield f"{path} has a key 'gold'"
            elif path.startswith("info") and type(item) not in _PLAIN and _IMAGES not in path:
                yield f"{path} is a {type(item).__name__}; info is plain JSON"
    for task in tasks:
        other = next((one for one in tasks if one.gold != task.gold), None)
        if other is not None:
            kept = {key: task.gold[key] for key in recorded if key in task.gold}
            yield from _blind(env, task, replace(task, gold={**other.gold, **kept}))


def _holds(item: Any) -> bool:
    return isinstance(item, Mapping | list | tuple) and len(item) > 0


def _blind(env: ClinicEnv, task: Task, swapped: Task) -> Iterator[str]:
    """Check that with another task's gold a task looks just the same to an agent."""
    domain = env.domain
    if domain.ticket(task) != domain.ticket(swapped):
        yield f"task {task.id!r}: the ticket depends on the gold"
    if domain.menu is not None and domain.menu(task) != domain.menu(swapped):
        yield f"task {task.id!r}: the menu depends on the gold"
    actions = [text for move in domain.solve(task) for text in write_move(env.dialect, move)]
    shown, again = _Recorder(scripted(actions)), _Recorder(scripted(actions))
    unjudged = copy.copy(env)  # the rubric may well stumble over a gold that is not the task's
    unjudged.rubric = Rubric({}, {})
    unjudged.domain = replace(
        domain, success=lambda _: False, metrics=lambda _: {}, turn_reward=None, turn_range=None,
        paid_turns=None,
    )  # fmt: skip
    play(unjudged, task, shown)
    play(unjudged, swapped, again)
    if shown.seen != again.seen:
        yield f"task {task.id!r}: what the tools answer depends on the gold"


def hostile(env: ClinicEnv) -> Iterator[str]:
    """Check that no action, however hostile, raises or leaves the spaces and the range."""
    task = env.tasks[0]
    for name, action in HOSTILE.items():
        recorder = _Recorder(scripted([action] * env.max_turns))
        outcome = play(env, task, recorder)
        yield from (f"{name}: {problem}" for problem in _sane(env, outcome))
        for observation in (turn.observation for turn in outcome.episode.turns):
            if not env.observation_space.contains(observation):
                yield f"{name}: an observation lies outside its space"
            elif not observation.strip():
                yield f"{name}: the observation does not say what was expected"


def _sane(env: ClinicEnv, outcome: Outcome) -> Iterator[str]:
    total = outcome.info["total"]
    if not math.isfinite(total):
        yield f"the reward is {total}"
    # The total is clipped to its range, a part is not; a penalty may fall below, by design.
    for name, reward in outcome.info["rewards"].items():
        high = env.rubric.ranges[name][1]
        if reward > high + 1e-9:
            yield f"the reward {name!r}, {reward:g}, is above its declared maximum {high:g}"


def scores(env: ClinicEnv, adversaries: Sequence[str] | None = None) -> Iterator[str]:
    """Check that chance stays in range, and that cheating is not worth it.

    An adversary that does no work must stay at half of the range or below. One that calls tools
    or knows the train split must not be much above the best constant (``prior``,
    ``call-search``): else the form of the tickets tells what is right. Trained adversaries are
    played on another split than train where there is one.

    Args:
        env: The environment.
        adversaries: Names of the adversaries; all that apply by default.
    """
    names = policies.adversaries_of(env) if adversaries is None else adversaries
    others = [split for split in ("test", "dev", *env.domain.tasks) if split in env.domain.tasks]
    unseen = next((split for split in others if split != "train"), "train")
    earned: dict[str, float] = {}
    for name in ("random", *names):
        trained = name in policies.TRAINED
        tasks = spread(env.domain.split(unseen), _SAMPLE) if trained else some_tasks(env)
        maker = policies.load(name, env)
        total = 0.0
        for seed, task in enumerate(tasks):
            player = maker(seed)
            outcome = play(env, task, player, seed)
            if env.domain.paid_turns is None:
                total += scale(outcome.info["total"], env.rubric.reward_range)
            else:
                total += scale(outcome.reward, env.reward_range)
            yield from (f"{name}, task {task.id!r}: {problem}" for problem in _sane(env, outcome))
            if isinstance(player, Snoop) and player.found is not None:
                yield f"snoop found the gold of task {task.id!r} at {player.found}"
        earned[name] = total / len(tasks)
    constant = max(0.5, *(earned.get(name, 0.0) for name in _CONSTANTS))
    for name in names:
        at_most = constant + NEAR if name in _PLAYERS else 0.5
        if name not in _CONSTANTS and earned[name] > at_most + 1e-9:
            yield (
                f"policy {name!r} earns {earned[name]:.3f} of the declared range on average; this "
                f"adversary must stay at {at_most:.3g} or below"
            )
