"""The one environment: a domain's tasks, played by text or by structured calls."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium as gym

from gym_clinic.action import ActionReading, Dialect
from gym_clinic.answering import OBSERVATION_LIMIT, answer_calls, answer_text, fit, written_out
from gym_clinic.calling import ACTION_LIMIT, read_calls, too_long
from gym_clinic.domain import Domain, load
from gym_clinic.episode import Episode, Task, Turn
from gym_clinic.errors import ConfigError, ServiceError
from gym_clinic.images import Illustrated, content_parts, plain
from gym_clinic.info import domain_info
from gym_clinic.names import at_least_one
from gym_clinic.spaces import ClinicalText
from gym_clinic.taskset import find_task
from gym_clinic.toolbox import Toolbox

Step = tuple[str, float, bool, bool, dict[str, Any]]


class ClinicEnv(gym.Env[str, str]):
    """A clinical system as a text environment.

    Action text is read in a dialect; calls are answered by the domain's tools; the first
    accepted answer is final. The reward is paid at the end by the domain's rubric.

    Observation:
        Text. ``reset`` returns the whole prompt (policy, tools, ticket), ``step`` what is new,
        or everything so far with ``observation="transcript"``.

    Info:
        ``reset``: ``task_id``, ``tools`` (OpenAI function schemas), ``messages`` (system and
        user message, for loops that use a chat template and pass ``tools`` to it), ``prompt``
        (the whole prompt as messages, the tools explained in text), ``max_turns``, and where
        they apply ``max_calls``, ``stop_strings`` and ``inline`` (of the dialect).
        ``step``: ``messages``, the new ones; at the end also ``rewards`` (every part),
        ``weights``, ``total``, ``success``, ``metrics`` and ``stop``.
        Both: ``images`` where the observation has any, in the order of its ``<image>`` marks;
        messages then hold OpenAI content parts. And what the domain's ``info`` adds.

    Episode end:
        Terminated by an accepted answer, or by the domain; truncated when the assistant
        messages, the calls or the text budget are used up.

    Args:
        domain: Name for :func:`gym_clinic.domain.load`.
        split: Which tasks.
        dialect: ``"hermes"``, ``"json"``, or one that the domain brings; the domain's choice by
            default.
        observation: ``"new"`` or ``"transcript"``.
        max_turns: Assistant messages before truncation; the domain's own by default. An action
            of :meth:`step` is one message.
        max_calls: Calls before truncation, for clients that execute call by call; an action
            without a call uses one. Without ``max_turns``, it is then the only such limit.
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
        dialect: str | None = None,
        observation: str = "new",
        max_turns: int | None = None,
        max_calls: int | None = None,
        text_budget: int = 1_000_000,
        response_limit: int | None = None,
        weights: Mapping[str, float] | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        given = {name: value for name, value in locals().items() if name in _ARGUMENTS}
        self._arguments = copy.deepcopy({**given, **options})  # the caller may change its own
        if observation not in ("new", "transcript"):
            raise ConfigError(f"observation is 'new' or 'transcript', not {observation!r}")
        if render_mode not in (None, "ansi"):
            raise ConfigError(f"render_mode is 'ansi' or None, not {render_mode!r}")
        self.domain: Domain = load(domain, options, also=_ARGUMENTS)
        self.dialect: Dialect = self.domain.find_dialect(
            self.domain.dialect if dialect is None else dialect
        )
        self.rubric = self.domain.rubric
        if weights is not None:
            self.rubric = self.rubric.with_weights(weights)
        self.max_calls = None if max_calls is None else at_least_one("max_calls", max_calls)
        turns = self.domain.max_turns if max_calls is None else max_calls
        self.max_turns = at_least_one("max_turns", turns if max_turns is None else max_turns)
        self.text_budget = at_least_one("text_budget", text_budget)
        limit = self.domain.response_limit if response_limit is None else response_limit
        self.response_limit = at_least_one("response_limit", limit or OBSERVATION_LIMIT)
        self.render_mode = render_mode
        self.tasks = self.domain.split(split)
        self.toolbox = Toolbox(self.domain.tools)
        self.action_space = ClinicalText(ACTION_LIMIT)
        self.observation_space = ClinicalText(OBSERVATION_LIMIT)
        self._transcript = observation == "transcript"
        how = self.dialect.explain(self.toolbox.schemas()) if self.domain.tools else ""
        self._policy = plain(self.domain.policy.strip())
        self._head = "\n\n".join(part for part in (self._policy, plain(how)) if part)
        self._episode: Episode | None = None
        self._prompt = ""

    @property
    def reward_range(self) -> tuple[float, float]:
        """The lowest and the highest reward that an episode can earn in all."""
        low, high = self.rubric.reward_range
        if self.domain.turn_range is None:
            return low, high
        least, most = self.domain.turn_range
        return low + self._paid_turns * least, high + self._paid_turns * most

    @property
    def _paid_turns(self) -> int:
        """How many turns of an episode can pay."""
        known = self.domain.paid_turns
        return self.max_turns if known is None else min(known, self.max_turns)

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
        task = self._choose({} if options is None else options)
        episode = self._episode = Episode(task, self.domain.open_case(task))
        ticket = self.domain.ticket(task)
        content: str | list[dict[str, Any]]
        if isinstance(ticket, Illustrated):
            episode.ticket_images = ticket.images
            content = content_parts(ticket.text, ticket.images)
            ticket = ticket.text
        else:
            content = ticket = plain(ticket)
        self._prompt = f"{self._head}\n\n{ticket}" if self._head else ticket
        user = {"role": "user", "content": content}
        info: dict[str, Any] = {
            "task_id": task.id,
            "tools": self.toolbox.schemas(),
            "messages": [{"role": "system", "content": self._policy}, user],
            "prompt": [{"role": "system", "content": self._head}] if self._head else [],
            "max_turns": self.max_turns,
        }
        info["prompt"].append({**user})  # what is written into one of them stays there
        if self.max_calls is not None:
            info["max_calls"] = self.max_calls
        if self.dialect.stops:
            info["stop_strings"] = list(self.dialect.stops)
        if self.dialect.inline:
            info["inline"] = True
        if episode.ticket_images:
            info["images"] = list(episode.ticket_images)
        return fit(self._prompt), info | domain_info(self.domain, episode)

    def step(self, action: str) -> Step:
        """Read an action, answer it, and judge the episode if it is over.

        Raises:
            TypeError: If the action is not text.
            gymnasium.error.ResetNeeded: If no episode is open.
        """
        if type(action) is not str:
            if not isinstance(action, str):
                raise TypeError(f"an action is text (str), got {type(action).__name__}")
            action = str.__str__(action)  # a subclass may answer to find and len as it likes
        episode = self._episode
        if episode is None or episode.stop is not None:
            episode = self._open_episode()  # raises
        reading = self.dialect.parse(action) if len(action) <= ACTION_LIMIT else too_long(action)
        return self._take(Turn(action), reading, episode)

    def step_calls(
        self,
        calls: Sequence[Mapping[str, Any]],
        text: str = "",
        *,
        same_message: bool = False,
        more: bool = False,
    ) -> Step:
        """Answer structured calls, as :meth:`step` answers the same calls written as text.

        An answer in text goes to :meth:`step`. No call at all, or no object, is a malformed call.

        Args:
            calls: ``{"id": …, "name": …, "arguments": …}``, one or more, or such objects as
                OpenAI's servers send (``{"id": …, "function": {…}}``); arguments are an object
                or its JSON text. Each tool message bears its call's id as ``tool_call_id``.
            text: What the model wrote beside them; recorded, not read.
            same_message: Whether these calls belong to the assistant message of the step before,
                as where a client executes the calls of one message one by one: they use no
                further turn.
            more: Whether further calls of this message follow, so that ``max_turns`` does not
                end the episode before them.

        Raises:
            TypeError: If the calls are no list of JSON objects, the text no text, a flag no bool.
            ConfigError: If there is no message before that they could belong to.
            gymnasium.error.ResetNeeded: If no episode is open.
        """
        requests = read_calls(calls, text, same_message, more)
        episode = self._open_episode()
        if same_message and not episode.turns:
            raise ConfigError("same_message: no message before the first step; leave it out")
        action = written_out(self.dialect, requests, text)
        reading = ActionReading(requests, "") if len(action) <= ACTION_LIMIT else too_long(action)
        return self._take(Turn(action, same_message=same_message), reading, episode, more)

    def truncate(self, reason: str) -> Step:
        """End the open episode from outside and judge it as it stands.

        Args:
            reason: Why, for ``info["stop"]``: a context length in tokens, say.

        Returns:
            As :meth:`step`: an empty observation, the reward, False, True, the info.

        Raises:
            TypeError: If the reason is no text.
            gymnasium.error.ResetNeeded: If no episode is open.
        """
        if not isinstance(reason, str):
            raise TypeError(f"the reason of truncate is text (str), got {type(reason).__name__}")
        episode = self._open_episode()
        episode.stop = reason
        info: dict[str, Any] = {"messages": [], **domain_info(self.domain, episode)}
        return "", self._judge(episode, info), False, True, info

    async def astep(self, action: str | Sequence[Mapping[str, Any]]) -> Step:
        """Step inside an asyncio loop: inline, or in a thread where the domain may wait.

        Args:
            action: Text for :meth:`step`, or calls for :meth:`step_calls`.
        """
        step: Callable[[Any], Step] = self.step if isinstance(action, str) else self.step_calls
        return await asyncio.to_thread(step, action) if self.domain.blocking else step(action)

    def fork(self) -> ClinicEnv:
        """Return an environment whose open episode is a copy, for searches over actions.

        The copy goes its own way from here: its case, turns and random source are its own.

        Raises:
            gymnasium.error.ResetNeeded: If no episode is open.
        """
        episode = self._open_episode()
        twin = copy.copy(self)
        twin._episode = episode.fork()
        twin._np_random = copy.deepcopy(self._np_random)
        return twin

    def render(self) -> str | None:
        """Return the transcript in mode ``"ansi"``."""
        return self._show() if self.render_mode == "ansi" else None

    def __copy__(self) -> ClinicEnv:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        # The domain is made anew from its name: functions do not travel, and need not.
        kept = ("spec", "_np_random", "_np_random_seed", "_episode", "_prompt")
        state = {name: getattr(self, name) for name in kept}
        return _restore, (type(self), self._arguments, state)

    def _open_episode(self) -> Episode:
        episode = self._episode
        if episode is None or episode.stop is not None:
            raise gym.error.ResetNeeded("no episode is open: call reset")
        return episode

    def _choose(self, options: Mapping[str, Any]) -> Task:
        if not isinstance(options, Mapping):
            raise ConfigError(f"reset takes options as {{'task_id': …}}, not {options!r:.80}")
        if unknown := [name for name in options if name != "task_id"]:
            raise ConfigError(f"reset takes the option 'task_id', not {unknown!r:.80}")
        if "task_id" not in options:
            return self.tasks.draw(self.np_random)
        return find_task(self.tasks, options["task_id"])

    def _take(
        self, turn: Turn, reading: ActionReading, episode: Episode, more: bool = False
    ) -> Step:
        """Answer one turn: the path of every step."""
        before = copy.deepcopy(episode.case) if self.domain.blocking else None
        try:
            if reading.requests:
                messages = answer_calls(self, reading.requests, turn, episode)
            else:
                messages = answer_text(self, reading.text, turn)
        except ServiceError:
            if before is not None:  # the step can be tried again; what it spent stays spent
                before.usage = episode.case.usage
                episode.case = before
            raise
        episode.turns.append(turn)
        episode.answer = turn.answer
        episode.shared_turns += turn.same_message
        episode.calls_used += len(reading.requests) or 1
        episode.text_used += len(turn.action) + len(turn.observation)
        done = episode.answer is not None
        if done:
            episode.stop = "answered"
        elif self.domain.ended and (reason := self.domain.ended(episode)):
            episode.stop, done = reason, True
        else:
            episode.stop = self._used_up(episode, more)
        over = episode.stop is not None
        reward = self._pay_turn(episode) if self.domain.turn_reward else 0.0
        info: dict[str, Any] = {"messages": messages, **domain_info(self.domain, episode)}
        if turn.images:
            info["images"] = episode.images if self._transcript else list(turn.images)
        if over:
            reward += self._judge(episode, info)
        observation = self._show() if self._transcript else turn.observation
        return observation, reward, done, over and not done, info

    def _used_up(self, episode: Episode, more: bool) -> str | None:
        """Return which budget is used up; ``more`` leaves the last message open."""
        if self.max_calls is not None and episode.calls_used >= self.max_calls:
            return "max_calls"
        if len(episode.turns) - episode.shared_turns >= self.max_turns + more:
            return "max_turns"
        return "text_budget" if episode.text_used >= self.text_budget else None

    def _pay_turn(self, episode: Episode) -> float:
        """Return the reward of this turn, such that no sum of them leaves the declared range."""
        assert self.domain.turn_reward is not None
        assert self.domain.turn_range is not None
        least, most = self.domain.turn_range
        reward = min(max(self.domain.turn_reward(episode), least), most)
        before = episode.turn_rewards
        after = min(max(before + reward, self._paid_turns * least), self._paid_turns * most)
        episode.turn_rewards = after
        return after - before

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
            said = plain(turn.action).encode(errors="replace").decode()  # lone surrogates
            parts += [f"[agent]\n{said}", f"[clinic]\n{turn.observation}"]
        return fit("\n\n".join(parts))


_ARGUMENTS = (
    "domain", "split", "dialect", "observation", "max_turns", "max_calls", "text_budget",
    "response_limit", "weights", "render_mode",
)  # fmt: skip
"""The environment's own arguments; all others are options of the domain."""


def _restore(kind: type[ClinicEnv], arguments: dict[str, Any], state: dict[str, Any]) -> ClinicEnv:
    """Make a pickled environment again."""
    env = kind(**arguments)
    env.__dict__.update(state)
    return env
