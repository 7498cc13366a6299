from __future__ import annotations

import pytest

from gym_clinic.sources import source_hash

CODE = '''"""A module."""

import math


class Agent:
    """An agent."""

    limit = 3

    def act(self, text):
        """Act."""
        # Why this is so.
        return "x" + text
'''


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""A module."""', '"""Another text."""'),
        ('    """An agent."""\n', ""),
        ('"""Act."""', '"""Act\n\n        at length."""'),
        ("        # Why this is so.\n", ""),
        ("limit = 3", "limit = 3  # at most"),
        ('return "x" + text', "return (\n            'x' + text\n        )"),
        ("import math\n", "import math\n\n\n\n"),
    ],
)
def test_comments_docstrings_and_layout_do_not_change_the_hash(old: str, new: str) -> None:
    changed = CODE.replace(old, new)
    assert changed != CODE
    assert source_hash(changed) == source_hash(CODE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("limit = 3", "limit = 4"),
        ('return "x" + text', 'return "y" + text'),
        ('return "x" + text', "return text"),
        ("def act", "async def act"),
        ("class Agent", "class Other"),
        ("import math", "import cmath"),
        ("        # Why this is so.\n", '        "a text that is no docstring"\n'),
    ],
)
def test_code_changes_the_hash(old: str, new: str) -> None:
    changed = CODE.replace(old, new)
    assert source_hash(changed) != source_hash(CODE)


def test_source_may_be_bytes_in_its_own_encoding() -> None:
    assert source_hash("x = 'é'") == source_hash("# coding: latin-1\nx = 'é'".encode("latin-1"))
