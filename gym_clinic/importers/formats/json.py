"""Files that are one JSON value, read at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gym_clinic import strict_json
from gym_clinic.errors import TaskError
from gym_clinic.reading import read_text


def json_value(path: Path, expected: str) -> Any:
    """Read a file that is one JSON value; duplicate keys are errors.

    Args:
        path: The file.
        expected: What the file should hold, for errors.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: If it is not UTF-8 or not JSON; the text names the file.
    """
    data = read_text(path)
    try:
        return strict_json.loads(data.decode())
    except UnicodeDecodeError as error:
        raise TaskError(f"{path}: not UTF-8 at byte {error.start}; expected {expected}") from None
    except ValueError as error:
        raise TaskError(f"{path}: {error}; expected {expected}") from None
