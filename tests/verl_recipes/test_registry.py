"""The registries of settings: what they offer, and what they say of a name they do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import own_recipe
import pytest

from gym_clinic import ConfigError
from verl_recipes import registry
from verl_recipes.registry import HINTS, REWARDS, TRAINERS, Registry, extended
from verl_recipes.settings import read

SORTS: Registry[object] = Registry(
    "clinic.sort",
    {"up": "builtins:sorted", "down": "builtins:reversed"},
    ("items",),
    {"bogo": "it is slow"},
)
TABLES = [found for found in vars(registry).values() if isinstance(found, Registry)]


def test_a_name_stands_for_an_object() -> None:
    assert SORTS["up"] is sorted
    assert list(SORTS) == ["up", "down"]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("don", "clinic.sort: no 'don'; did you mean 'down'? (or module:NAME of your own)"),
        (
            "quick",
            "clinic.sort: no 'quick'; choose from ['up', 'down'] (or module:NAME of your own)",
        ),
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


# --- one's own ---

REWARD, HINT = "own_recipe:brief_success", "own_recipe:sober"


def test_a_name_of_ones_own_is_what_the_module_holds() -> None:
    assert REWARDS[REWARD] is own_recipe.brief_success
    assert HINTS[HINT] is own_recipe.sober
    assert read({"reward": {"mode": REWARD}}).reward.mode == REWARD
    taught = {"teacher": {"enabled": True}, "hints": {"mode": HINT}}
    assert read(taught).hints.mode == HINT


@pytest.mark.parametrize(
    ("section", "says"),
    [
        (
            {"reward": {"mode": "own_recipe:brief_succes"}},
            "clinic.reward.mode: own_recipe has no choice 'brief_succes'; did you mean "
            "'brief_success'?",
        ),
        (
            {"reward": {"mode": "own_recipes:brief"}},
            "clinic.reward.mode: no module 'own_recipes' for a choice",
        ),
        ({"reward": {"mode": ":brief"}}, "names no choice; expected 'package.module:NAME'"),
        (
            {"reward": {"mode": "own_recipe:METHOD"}},
            "clinic.reward.mode: 'own_recipe:METHOD' is a dict; expected a function of (record, "
            "settings)",
        ),
        (
            {"reward": {"mode": "own_recipe:needs_more"}},
            "'own_recipe:needs_more' cannot be called: too many positional arguments; expected a "
            "function of (record, settings)",
        ),
        (
            {"hints": {"mode": "own_recipe:sobr"}},
            "clinic.hints.mode: own_recipe has no choice 'sobr'; did you mean 'sober'?",
        ),
        ({"teacher": {"reduce": "own_recipe:sobre"}}, "did you mean 'sober'?"),
    ],
)
def test_a_mistake_in_such_a_name_says_what_would_be_right(
    section: dict[str, Any], says: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        read(section)
    assert says in str(caught.value)


def test_a_module_that_lacks_something_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lacking_recipe.py").write_text("import no_such_package\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigError, match=r"clinic\.reward\.mode: No module named 'no_such_packag"):
        read({"reward": {"mode": "lacking_recipe:pay"}})


def test_a_trainer_of_ones_own_is_what_it_extends() -> None:
    pytest.importorskip("verl")
    assert [extended(name) for name in TRAINERS] == list(TRAINERS)
    assert extended("own_recipe:OwnTrainer") == "ttopd"
    with pytest.raises(ConfigError, match="is no trainer of ours; extend one of"):
        extended("own_recipe:sober_config")
