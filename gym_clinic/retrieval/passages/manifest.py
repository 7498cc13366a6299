"""What a knowledge base says of itself: how it was built, and of what."""

from __future__ import annotations

import dataclasses
import sqlite3
from dataclasses import dataclass, field
from typing import Any

import orjson

from gym_clinic import strict_json
from gym_clinic.errors import ConfigError

FORMAT = 1
"""Layout of the file; a reader knows one."""


@dataclass(frozen=True)
class BaseManifest:
    """How a base was built; it answers in the same way ever after.

    Attributes:
        engine: ``fts5`` or ``tantivy``.
        tokenizer: How texts and queries become terms, in the engine's words.
        versions: Package -> the version that built the base.
        passages: Number of passages.
        duplicates: Records dropped because an earlier one has the same title and text.
        empty: Records dropped because they have no text.
        broken: Records skipped because they could not be read.
        sources: Collection -> its number of passages.
        content_hash: SHA-256 over every field of every passage in the order of the base.
        index: Folder of the index beside the file; empty if the index is inside it.
        format: Layout of the file.
    """

    engine: str
    tokenizer: str
    versions: dict[str, str]
    passages: int
    duplicates: int
    empty: int
    broken: int
    sources: dict[str, int] = field(default_factory=dict)
    content_hash: str = ""
    index: str = ""
    format: int = FORMAT

    def write(self, database: sqlite3.Connection) -> None:
        """Write it into a base."""
        text = orjson.dumps(dataclasses.asdict(self), option=orjson.OPT_INDENT_2).decode()
        database.execute("INSERT INTO manifest (document) VALUES (?)", (text,))

    @classmethod
    def read(cls, database: sqlite3.Connection, file: object) -> BaseManifest:
        """Read it from a base.

        Raises:
            ConfigError: If the file is no knowledge base, or one of another layout.
        """
        try:
            row = database.execute("SELECT document FROM manifest").fetchone()
            document: Any = strict_json.loads(row[0]) if row else {}
        except (sqlite3.DatabaseError, ValueError) as error:
            raise ConfigError(
                f"{file} is no knowledge base ({error}); 'gym-clinic kb build' makes one"
            ) from None
        layout = document.get("format") if isinstance(document, dict) else None
        if layout != FORMAT:
            raise ConfigError(
                f"{file} has the layout {layout!r}, this version of gym_clinic reads {FORMAT}; "
                "build it again with 'gym-clinic kb build'"
            )
        if odd := document.keys() ^ {one.name for one in dataclasses.fields(cls)}:
            raise ConfigError(
                f"the manifest of {file} has too many or too few fields: {sorted(odd)}; "
                "build it again with 'gym-clinic kb build'"
            )
        return cls(**document)
