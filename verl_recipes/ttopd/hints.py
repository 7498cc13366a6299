"""Hints about a trajectory's outcome for the teacher, and checks that nobody else reads them.

The teacher reads a hint between prompt and response; the student never does (TT-OPD paper,
section 4.2). A hint says how the trajectory ended, in one of several wordings, and nothing of
what the answer is.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import AfterValidator, ConfigDict, Field, StringConstraints, TypeAdapter
from pydantic.dataclasses import dataclass

from gym_clinic import ConfigError
from verl_recipes.registry import HINTS

TEMPLATES = Path(__file__).with_name("hints.yaml")
"""Our own templates."""

ECHO_WORDS = 6
"""Fewest words in a row that count as an echo; shorter runs are common speech."""

_SENTENCE = re.compile(r"(?<=[.!?])\s")
_GAPS = re.compile(r"[\W_]+")
_ACCENTS = re.compile("[\u0300-\u036f]")


Text = Annotated[
    str,
    StringConstraints(pattern=r"\w"),
    AfterValidator(lambda text: " ".join(text.split())),
]
Texts = Annotated[tuple[Text, ...], Field(min_length=1)]


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Hints:
    """Templates by outcome; the first sentence of each says the outcome.

    Attributes:
        correct: Reinforcing: for trajectories that succeeded.
        incorrect: Corrective: for those that failed.
    """

    correct: Texts
    incorrect: Texts

    def of_size(self, size: str) -> Hints:
        """Return the same hints, cut to their first sentences in size ``outcome``."""
        if size == "sentence":
            return self
        first = [
            tuple(_SENTENCE.split(text, maxsplit=1)[0] for text in texts)
            for texts in (self.correct, self.incorrect)
        ]
        return Hints(*first)

    def text(self, success: bool, key: str, mode: str = "outcome") -> str:
        """Return the hint of a trajectory; ``mode`` is one of ``registry.HINTS``.

        ``key`` names the trajectory. Wording and coin are drawn from its digest, so it has to be
        the same in a resumed run, and to say nothing of the outcome.
        """
        digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=9).digest()
        return HINTS[mode](self, success, digest)


def outcome(hints: Hints, success: bool, digest: bytes) -> str:
    """Return a hint of mode ``outcome``: one of the wordings for how the trajectory ended."""
    choices = hints.correct if success else hints.incorrect
    return choices[int.from_bytes(digest[1:], "big") % len(choices)]


def shuffled(hints: Hints, success: bool, digest: bytes) -> str:
    """Return a hint of mode ``shuffled``, the control arm: independent of the outcome.

    Each trajectory tosses a fair coin. A permutation inside the group would not do: in a group that
    all succeeded every hint would still be right, so that hints would correlate with the outcome
    over tasks of unequal difficulty. The coin needs no other trajectory; its price is that half of
    the hints are reinforcing, however rare success is.
    """
    # Of a byte of its own, so that the wording does not show the coin.
    return outcome(hints, bool(digest[0] & 1), digest)


def none(hints: Hints, success: bool, digest: bytes) -> str:
    """Return a hint of mode ``none``: no text."""
    return ""


@lru_cache(maxsize=8)
def load(path: str | Path | None = None) -> Hints:
    """Read a file of templates, once a process.

    Args:
        path: A YAML file with the keys ``correct`` and ``incorrect``, each a list of texts;
            None for our own.

    Raises:
        ConfigError: If the file cannot be read, or holds anything else.
    """
    file = TEMPLATES if path is None else Path(path)
    try:
        found = yaml.safe_load(file.read_text(encoding="utf-8"))
        return TypeAdapter(Hints).validate_python(found)
    except (OSError, ValueError, yaml.YAMLError) as error:
        said = " ".join(str(error).split())
        raise ConfigError(f"no hints can be read from {str(file)!r}: {said}") from None


def leaks_gold(text: str, answers: Iterable[str]) -> list[str]:
    """Return the answers that a text names, in their order.

    Whole words, whatever their capitals, accents, hyphens and punctuation. A single letter or
    digit has to stand as it is written, so that the article "a" is not option "A"; a bare sign
    such as "+" is found anywhere.
    """
    words, written = f" {_words(text)} ", set(_GAPS.split(text))

    def named(answer: str) -> bool:
        wanted = _words(answer)
        if len(wanted) > 1:
            return f" {wanted} " in words
        if wanted:
            return _GAPS.sub("", answer) in written
        return bool(answer.strip()) and answer.strip() in text

    return [answer for answer in answers if named(answer)]


def shares_ngram(ids: Sequence[int], hint_ids: Sequence[int], n: int = 8) -> bool:
    """Return whether tokens hold a run of ``n`` of a hint's tokens, or of all if it is shorter.

    What the student reads, and every evaluation prompt, must hold none. The same words
    may be cut into other tokens at either end of the hint; :func:`echo` compares words.
    """
    n = min(n, len(hint_ids))
    runs = {tuple(hint_ids[at : at + n]) for at in range(len(hint_ids) - n + 1)}
    starts = {run[0] for run in runs if run}
    return any(
        token in starts and tuple(ids[at : at + n]) in runs
        for at, token in enumerate(ids[: len(ids) - n + 1])
    )


def echo(text: str, hint: str) -> float:
    """Return the share of a hint's words that a rollout repeats in one run.

    A student that never reads hints cannot repeat them, so above 0 something leaks, or the student
    has learned the teacher's hints by heart.

    Returns:
        Longest common run of words over the hint's words, in [0, 1]; 0 for a run shorter than
        six words (than the hint, if that is shorter still).
    """
    spoken, words = f" {_words(text)} ", _words(hint).split()
    least = min(ECHO_WORDS, len(words))
    longest = max(least - 1, 0)
    for start in range(len(words)):
        while start + longest < len(words) and (
            f" {' '.join(words[start : start + longest + 1])} " in spoken
        ):
            longest += 1
    return longest / len(words) if words and longest >= least else 0.0


def static_checks(hints: Hints, answers: Iterable[str]) -> list[str]:
    """Return what the templates leak, a sentence each; none if all is well.

    Args:
        hints: The templates.
        answers: Every label or text that may be an answer of the environment.
    """
    asked = list(dict.fromkeys(answers))
    return [
        f"hint {number} for {outcome} trajectories names the answer {answer!r}; reword it: {text!r}"
        for outcome, texts in (("correct", hints.correct), ("incorrect", hints.incorrect))
        for number, text in enumerate(texts, 1)
        for answer in leaks_gold(text, asked)
    ]


def _words(text: str) -> str:
    """Return a text as bare words, one space apart."""
    if not text.isascii():
        text = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return _GAPS.sub(" ", text.casefold()).strip()
