"""The file of an edition: paragraphs by the hash of their source, as JSON Lines.

The first line names the model and the prompt; each further line is a paragraph: its new text, None
where it stays as it was, and why sentences were refused. A line that was cut off by an interruption
is left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import orjson

from gym_clinic.errors import ConfigError
from gym_clinic.files import json_line, lock
from gym_clinic.reading import numbered_lines

FORMAT = "gym_clinic edition of clingen"
LEAST_WORDS = 5
"""Shorter lines, such as the head of a table, are not rewritten."""


def key_of(paragraph: str) -> str:
    """Return the key of a paragraph."""
    return hashlib.sha256(paragraph.encode()).hexdigest()[:24]


def paragraphs(text: str) -> Iterator[str]:
    """Yield the lines of a text that are prose; rows of tables are not."""
    for line in text.split("\n"):
        if not line.startswith("|") and len(line.split()) >= LEAST_WORDS:
            yield line


class Edition:
    """An edition to read, from its file.

    Args:
        path: The file.

    Attributes:
        head: The first line: the model and a hash of the prompt.
        texts: Key -> the text; None where the paragraph stays as it was.

    Raises:
        ConfigError: If there is no such file, or it is no edition.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.head: Mapping[str, Any] = {}
        self.texts: dict[str, str | None] = {}
        for number, line in numbered_lines(path):
            if not line.endswith(b"\n"):
                break  # an interrupted run wrote half of it
            self._read(number, line)
        if not self.head:
            raise ConfigError(f"{path} is empty; 'gym-clinic tasks rewrite' makes an edition")

    def _read(self, number: int, line: bytes) -> None:
        try:
            row = orjson.loads(line)
            if number == 1:
                if row["format"] != FORMAT:
                    raise ValueError(row["format"])
                self.head = {name: str(row[name]) for name in ("format", "model", "prompt")}
            else:
                self.texts[row["key"]] = row["text"]
        except (ValueError, KeyError, TypeError):
            wanted = "lines as 'gym-clinic tasks rewrite clingen' writes them"
            raise ConfigError(
                f"{self.path}, line {number}: no edition; expected {wanted}"
            ) from None

    @property
    def fingerprint(self) -> str:
        """Model and hash of the accepted texts: what results depend on."""
        texts = orjson.dumps(self.texts, option=orjson.OPT_SORT_KEYS)
        return f"edition by {self.head['model']} {hashlib.sha256(texts).hexdigest()[:16]}"

    def knows(self, text: str) -> bool:
        """Whether a paragraph of a text was judged."""
        return any(key_of(one) in self.texts for one in paragraphs(text))

    def text(self, text: str) -> str:
        """Return a text with each paragraph in the words of this edition, where it has some."""
        return "\n".join(self.texts.get(key_of(line)) or line for line in text.split("\n"))

    def shown(self, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the record of a task with its abstracts in the words of this edition."""
        articles = [
            {**article, "abstract": self.text(article["abstract"])}
            for article in record["articles"]
        ]
        return {**record, "articles": articles}


class EditionFile:
    """An edition to continue: whole lines are appended, by one process at a time.

    Args:
        path: The file; made if it is missing.
        model: The model that rewrites.
        prompt: The text of the prompt.

    Raises:
        ConfigError: If the file is no edition, one of another model or prompt, or in use.
    """

    def __init__(self, path: Path, model: str, prompt: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        head = {"format": FORMAT, "model": model, "prompt": key_of(prompt)}
        with ExitStack() as opened:
            self._file: IO[bytes] = opened.enter_context(path.open("a+b", buffering=0))
            self._open(path, head)
            opened.pop_all()  # it stays open

    def _open(self, path: Path, head: Mapping[str, Any]) -> None:
        if not lock(self._file):
            raise ConfigError(f"{path} is being written by another process")
        self._file.seek(0)
        written = self._file.read()
        if b"\n" not in written and json_line(head).startswith(written):
            self._file.truncate(0)
            self._file.write(json_line(head))
            written = json_line(head)
        self.edition = Edition(path)
        for name in ("model", "prompt"):
            if self.edition.head[name] != head[name]:
                raise ConfigError(
                    f"{path} is an edition of another {name}, {self.edition.head[name]!r}; "
                    "give another --out"
                )
        self._file.truncate(written.rindex(b"\n") + 1)

    def __enter__(self) -> EditionFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, paragraph: str, text: str | None, refused: Sequence[str] = ()) -> None:
        """Keep how a paragraph was judged.

        Args:
            paragraph: The paragraph.
            text: Its new text; None if it stays as it was.
            refused: Why sentences stay as they were.
        """
        row = {"key": key_of(paragraph), "text": text, "refused": [*refused]}
        self.edition.texts[key_of(paragraph)] = text
        self._file.write(json_line(row))
