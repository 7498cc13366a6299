"""The registries of settings: what they offer, and what they say of a name they do not."""

from __future__ import annotations

import pytest

from gym_clinic import ConfigError
from verl_recipes import registry
from verl_recipes.registry import Registry

SORTS: Registry[object] = Registry(
    "clinic.sort", {"up": "builtins:sorted", "down": "builtins:reversed"}, {"bogo": "it is slow"}
)
TABLES = [found for found in vars(registry).values() if isinstance(found, Registry)]


def test_a_name_stands_for_an_object() -> None:
    assert SORTS["up"] is sorted
    assert list(SORTS) == ["up", "down"]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("don", "clinic.sort: no 'don'; did you mean 'down'?"),
        ("quick", "clinic.sort: no 'quick'; choose from ['up', 'down']"),
        ("bogo", "clinic.sort 'bogo' is refused: it is slow"),
    ],
)
def test_any_other_name_is_an_error_that_says_what_would_be_right(name: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        SORTS.check(name)
    assert str(caught.value) == says


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.setting)
def test_every_entry_is_there(table: Registry[object]) -> None:
    for needed in ("torch", "verl"):
        pytest.importorskip(needed)
    assert list(table)
    for name in table:
        assert callable(table[name])
