"""ClinGen's gene-disease validity download (CSV) -> curations, one JSON object a line.

The reader lives with the domain, whose task build draws on it too.
"""

from __future__ import annotations

import os
from pathlib import Path

from gym_clinic.domains.clingen.download import Curation, read, read_rows
from gym_clinic.errors import ConfigError
from gym_clinic.files import json_line, replace_file

__all__ = ["Curation", "read", "write_curations"]


def write_curations(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> int:
    """Convert the download to JSON Lines, one curation a line with an ISO date.

    Args:
        source: The CSV file.
        target: The file to write; it is replaced only once every row has been checked.

    Returns:
        The number of curations.

    Raises:
        ConfigError: If the source cannot be opened or is the target itself.
        TaskError: For the first broken row; nothing is written then.
    """
    if Path(source).resolve() == Path(target).resolve():
        raise ConfigError(f"{target} is the source itself; name another file to write")
    rows = list(read_rows(source))
    replace_file(Path(target), map(json_line, rows))
    return len(rows)
