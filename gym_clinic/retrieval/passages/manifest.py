"""The manifest of a knowledge base: engine, tokenizer, versions, counts, content hash."""

from __future__ import annotations

import dataclasses
import sqlite3
from dataclasses import dataclass, field
from typing import Any

import orjson

from gym_clinic import strict_json
from gym_clinic.errors import ConfigError

FORMAT = 2
"""Version of the file layout; a reader supports one."""


@dataclass(frozen=True)
class BaseManifest:
    """How a base was built.

    Attributes:
        engine: ``fts5`` or ``tantivy``.
        tokenizer: Settings of the tokenizer, as the engine names them.
        versions: Package -> its version when the base was built.
        passages: Number of passages.
        duplicates: Records dropped because an earlier one has the same title and text.
        empty: Records dropped because they have no text.
        broken: Records skipped because they could not be read.
        sources: Collection -> its number of passages.
        content_hash: SHA-256 over every field of every passage in the order of the base.
        index: Folder of the index beside the file; empty if the index is inside it.
        format: Version of the file layout.
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
        """Write the manifest into a base."""
        text = orjson.dumps(dataclasses.asdict(self), option=orjson.OPT_INDENT_2).decode()
        database.execute("INSERT INTO manifest (document) VALUES (?)", (text,))

    @classmethod
    def read(cls, database: sqlite3.Connection, file: object) -> BaseManifest:
        """Read the manifest of a base.

        Raises:
            ConfigError: If the file is no knowledge base, or has another layout.
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
