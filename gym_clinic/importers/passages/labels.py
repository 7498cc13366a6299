"""What a caller says of passages whose records do not say it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Labels:
    """Labels of the passages of one source.

    Attributes:
        source: The collection.
        category: Kind of text.
        licence: Terms of use.
        document: Name of the document, for formats that hold none; without it, that of the file.
    """

    source: str
    category: str = ""
    licence: str = ""
    document: str = ""
