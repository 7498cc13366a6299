"""The one environment: a domain's tasks, played by text."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import gymnasium as gym

from gym_clinic.action import DIALECTS, Dialect, Reading, Request
from gym_clinic.case import Case
from gym_clinic.domain import Domain, load
from gym_clinic.episode import Call, Episode, Task, Turn
from gym_clinic.errors import ConfigError, ToolError
from gym_clinic.names import at_least_one, nearest, suggest
from gym_clinic.spaces import ClinicalText
from gym_clinic.toolbox import Toolbox, to_text

ACTION_LIMIT = 500_000
"""Characters of one action that are read."""

OBSERVATION_LIMIT = 4_000_000
"""Characters of one observation."""

CALL_LIMIT = 128
"""Calls of one action that are run; further ones are recorded as failed."""


class ClinicEnv(gym.Env[str, str]):
    """A clinical system as a text environment.

    Action text is read in a dialect; calls are answered by the domain's tools; the first
    accepted answer is final. The reward is paid at the end by the domain's rubric.

    Observation:
        Text. ``reset`` returns the whole prompt (policy, tools, ticket), ``step`` what is new,
        or everything so far with ``observation="transcript"``.

    Info:
        ``reset``: ``task_id``, ``tools`` (OpenAI function schemas) and ``messages`` (system
        and user message, for loops that use a chat template and pass ``tools`` to it).
        ``step``: ``messages``, the new ones; at the end also ``rewards`` (every part),
        ``weights``, ``total``, ``success``, ``metrics`` and ``stop``.

    Episode end:
        Terminated by an accepted answer; truncated after ``max_turns`` actions or when the
        text budget is used up.

    Args:
        domain: Name for :func:`gym_clinic.domain.load`.
        split: Which tasks.
        dialect: ``"hermes"``, ``"json"``, or one that the domain brings.
        observation: ``"new"`` or ``"transcript"``.
        max_turns: Actions before truncation; the domain's own by default.
        text_budget: Characters of all actions and observations before truncation.
        response_limit: Characters of one tool response before it is cut in the middle; the
            domain's own by default, 0 for no cut.
        weights: Reward weights instead of the domain's.
        render_mode: ``"ansi"`` or None.
        options: Whatever else the domain takes, as plain JSON.

    Raises:
        ConfigError: If an argument names nothing known; the error lists what is.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        domain: str,
        *,
        split: str = "train",
        dialect: str = "hermes",
        observation: str = "new",
        max_turns: int | None = None,
        text_budget: int = 1_000_000,
        response_limit: int | None = None,
        weights: Mapping[str, float] | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if observation not in ("new", "transcript"):
            raise ConfigError(f"observation is 'new' or 'transcript', not {observation!r}")
        if render_mode not in (None, "ansi"):
            raise ConfigError(f"render_mode is 'ansi' or None, not {render_mode!r}")
        self.domain: Domain = load(domain, options)
        self.dialect: Dialect = _dialect(dialect, self.domain)
        self.rubric = self.domain.rubric
        if weights is not None:
            self.rubric = self.rubric.with_weights(weights)
        self.max_turns = at_least_one(
            "max_turns", self.domain.max_turns if max_turns is None else max_turns
        )
        self.text_budget = at_least_one("text_budget", text_budget)
        limit = self.domain.response_limit if response_limit is None else response_limit
        self.response_limit = at_least_one("response_limit", limit or OBSERVATION_LIMIT)
        self.render_mode = render_mode
        self.tasks = self.domain.split(split)
        self.toolbox = Toolbox(self.domain.tools)
        self.action_space = ClinicalText(ACTION_LIMIT)
        self.observation_space = ClinicalText(OBSERVATION_LIMIT)
        self._transcript = observation == "transcript"
        self._by_id = {task.id: task for task in self.tasks}
        how = self.dialect.explain(self.toolbox.schemas()) if self.domain.tools else ""
        self._head = "\n\n".join(part for part in (self.domain.policy.strip(), how) if part)
        self._episode: Episode | None = None
        self._prompt = ""
        self._written = 0

    @property
    def reward_range(self) -> tuple[float, float]:
        """The declared lowest and highest reward of an episode."""
        return self.rubric.reward_range

    @property
    def episode(self) -> Episode:
        """The episode, for evaluation and viewers; it holds the gold, so no policy gets it."""
        if self._episode is None:
            raise gym.error.ResetNeeded("call reset before asking for the episode")
        return self._episode

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Open a case.

        Args:
            seed: Seeds the choice of tasks.
            options: ``{"task_id": …}`` picks a task.

        Returns:
            The prompt and its info.

        Raises:
            ConfigError: If an option or a task id is unknown.
        """
        super().reset(seed=seed)
        task = self._choose(options or {})
        self._episode = Episode(task, self.domain.open_case(task))
        ticket = self.domain.ticket(task)
        self._prompt = f"{self._head}\n\n{ticket}" if self._head else ticket
        self._written = 0
        info = {
            "task_id": task.id,
            "tools": self.toolbox.schemas(),
            "messages": [
                {"role": "system", "content": self.domain.policy.strip()},
                {"role": "user", "content": ticket},
            ],
        }
        return _fit(self._prompt), info

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Read an action, answer it, and judge the episode if it is over.

        Raises:
            TypeError: If the action is not text.
            gymnasium.error.ResetNeeded: If no episode is open.
        """
        if not isinstance(action, str):
            raise TypeError(f"an action is text (str), got {type(action).__name__}")
        if type(action) is not str:
            action = str.__str__(action)  # a subclass may answer to find and len as it likes
        episode = self._episode
        if episode is None or episode.stop is not None:
            raise gym.error.ResetNeeded("the episode is over: call reset")
        turn = Turn(action)
        reading = self.dialect.parse(action) if len(action) <= ACTION_LIMIT else _too_long(action)
        if reading.requests:
            messages = self._run(reading.requests, turn, episode.case)
        else:
            messages = self._take_answer(reading.text, turn)
        episode.turns.append(turn)  # only now: a step that a service failed can be tried again
        episode.answer = turn.answer
        self._written += len(action) + len(turn.observation)
        episode.stop = self._why_over(episode)
        over = episode.stop is not None
        reward = self.domain.turn_reward(episode) if self.domain.turn_reward else 0.0
        info: dict[str, Any] = {"messages": messages}
        if over:
            reward += self._judge(episode, info)
        answered = episode.stop == "answered"
        observation = self._show() if self._transcript else turn.observation
        return observation, reward, answered, over and not answered, info

    def truncate(self, reason: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """End the open episode from outside and judge it as it stands.

        For loops with a budget of their own, such as a context length in tokens.

        Args:
            reason: Why, for ``info["stop"]``.

        Returns:
            As :meth:`step`: an empty observation, the reward, False, True, the info.

        Raises:
            gymnasium.error.ResetNeeded: If no episode is open.
        """
        episode = self._episode
        if episode is None or episode.stop is not None:
            raise gym.error.ResetNeeded("the episode is over: call reset")
        episode.stop = reason
        info: dict[str, Any] = {"messages": []}
        return "", self._judge(episode, info), False, True, info

    async def astep(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Step inside an asyncio loop: inline, or in a thread where the domain may wait."""
        if self.domain.blocking:
            return await asyncio.to_thread(self.step, action)
        return self.step(action)

    def render(self) -> str | None:
        """Return the transcript in mode ``"ansi"``."""
        return self._show() if self.render_mode == "ansi" else None

    def _choose(self, options: Mapping[str, Any]) -> Task:
        if not isinstance(options, Mapping):
            raise ConfigError(f"reset takes options as {{'task_id': …}}, not {options!r:.80}")
        if unknown := [name for name in options if name != "task_id"]:
            raise ConfigError(f"reset takes the option 'task_id', not {unknown!r:.80}")
        if "task_id" not in options:
            return self.tasks[int(self.np_random.integers(len(self.tasks)))]
        wanted = options["task_id"]
        if not isinstance(wanted, str) or wanted not in self._by_id:
            near = nearest(str(wanted), tuple(self._by_id))
            hint = f"; did you mean {near!r}?" if near else ""
            shown = repr(wanted)[:80]
            raise ConfigError(f"no task {shown} among the {len(self.tasks)} of this split{hint}")
        return self._by_id[wanted]

    def _run(self, requests: list[Request], turn: Turn, case: Case) -> list[dict[str, str]]:
        """Answer the calls of one action, in order."""
        several = len(requests) > 1 and sum(map(self._submits, requests)) > 1
        calls: list[Call] = []
        texts: list[str] = []
        messages: list[dict[str, str]] = []
        faults: list[str] = []
        for request in requests:
            name = request.name
            if request.fault is not None:
                faults.append(request.fault)
                name, response = "unreadable", request.fault
            else:
                call = Call(name, request.arguments)
                calls.append(call)
                if len(texts) >= CALL_LIMIT:
                    call.response = f"Error: not run, past the first {CALL_LIMIT} calls."
                elif several and self._submits(request):
                    call.response = "Error: not run, give one answer and no second."
                elif turn.answer is not None:
                    call.response = "Error: not run, the answer before it is final."
                else:
                    self._call(call, turn, case)
                response = call.response
            if len(texts) < CALL_LIMIT:
                if len(response) > self.response_limit:
                    response = _cut(response, self.response_limit)
                texts.append(self.dialect.wrap(name, response))
                messages.append({"role": "tool", "name": name, "content": response})
        if len(requests) > CALL_LIMIT:
            late = f"Not run: {len(requests) - CALL_LIMIT} calls past the first {CALL_LIMIT}."
            texts.append(late)
            messages.append({"role": "user", "content": late})
        turn.calls = tuple(calls)
        if faults:
            turn.faults, turn.malformed = tuple(faults), len(faults)
        turn.observation = _fit("\n".join(texts) if len(texts) > 1 else texts[0])
        return messages

    def _submits(self, request: Request) -> bool:
        found = self.toolbox.get(request.name)
        return found is not None and found.submits

    def _call(self, call: Call, turn: Turn, case: Case) -> None:
        found = self.toolbox.get(call.name)
        if found is None:
            call.response = f"Error: {self.toolbox.unknown(call.name)}"
            return
        case.writable = found.writes
        try:
            result = found.call(call.arguments, case)
        except ToolError as error:
            call.response = f"Error: {error}"
            return
        call.ok = True
        call.result = result
        if found.submits:
            turn.answer = call.arguments if result is None else result
            call.response = "Answer recorded."
        else:
            call.response = result if type(result) is str else to_text(result)

    def _take_answer(self, text: str, turn: Turn) -> list[dict[str, str]]:
        """Accept a text as the answer, or say what was expected."""
        try:
            if self.domain.read_answer is None:
                names = ", ".join(one.name for one in self.toolbox)
                raise ToolError(f"Expected a call of one of: {names}.")
            turn.answer = self.domain.read_answer(text)
            turn.observation = "Answer recorded."
        except ToolError as error:
            turn.faults = (str(error),)
            turn.observation = f"Error: {error}"
        return [{"role": "user", "content": turn.observation}]

    def _why_over(self, episode: Episode) -> str | None:
        if episode.answer is not None:
            return "answered"
        if len(episode.turns) >= self.max_turns:
            return "max_turns"
        return "text_budget" if self._written >= self.text_budget else None

    def _judge(self, episode: Episode, info: dict[str, Any]) -> float:
        score = self.rubric.score(episode)
        info["rewards"] = score.rewards
        info["weights"] = {name: float(self.rubric.weights.get(name, 0)) for name in score.rewards}
        info["total"] = score.total
        info["success"] = bool(self.domain.success(episode))
        info["metrics"] = self.domain.metrics(episode)
        info["stop"] = episode.stop
        return score.total

    def _show(self) -> str:
        parts = [self._prompt]
        for turn in self.episode.turns:
            parts += [f"[agent]\n{turn.action}", f"[clinic]\n{turn.observation}"]
        return _fit("\n\n".join(parts))


def _too_long(action: str) -> Reading:
    fault = f"Unreadable action: {len(action):,} characters; expected at most {ACTION_LIMIT:,}."
    return Reading([Request("", {}, fault)], "")


def _dialect(name: str, domain: Domain) -> Dialect:
    known = {**DIALECTS, **domain.dialects}
    if not isinstance(name, str) or name not in known:
        raise ConfigError(f"no dialect {name!r}; {suggest(str(name), known)}")
    return known[name]


def _cut(text: str, limit: int) -> str:
    """Cut the middle out of a long response, counting characters as verl does."""
    half = limit // 2
    return f"{text[:half]}...(truncated)...{text[len(text) - half :]}"


def _fit(text: str) -> str:
    """Keep an observation inside its space."""
    return text if len(text) <= OBSERVATION_LIMIT else _cut(text, OBSERVATION_LIMIT - 100)
