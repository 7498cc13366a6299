from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic import Case
from gym_clinic.frozen import Frozen, freeze, thaw

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)
records = st.dictionaries(st.text(max_size=5), values, max_size=6)

RECORD: dict[str, Any] = {"name": "Ada", "labs": [{"k": 4.1}], "meds": {"a": 1}}


@given(values)
def test_thaw_undoes_freeze(value: Any) -> None:
    frozen = freeze(value)
    assert thaw(frozen) == value
    assert freeze(frozen) == frozen
    assert json.dumps(frozen) == json.dumps(value)


def test_frozen_refuses_every_change() -> None:
    frozen = freeze(RECORD)
    tries: list[Any] = [
        lambda: frozen.__setitem__("x", 1),
        lambda: frozen.__delitem__("name"),
        frozen.clear,
        frozen.popitem,
        lambda: frozen.pop("name"),
        lambda: frozen.setdefault("x", 1),
        lambda: frozen.update(x=1),
        lambda: frozen.__ior__({"x": 1}),
        lambda: frozen["meds"].update(x=1),
        lambda: frozen["labs"][0].clear(),
    ]
    for change in tries:
        with pytest.raises(TypeError, match=r"read-only; use case.edit\(key\)"):
            change()
    assert isinstance(frozen["labs"], tuple)
    assert frozen == freeze(RECORD)


def test_frozen_values_can_be_pickled() -> None:
    frozen = freeze(RECORD)
    assert copy.deepcopy(frozen) is frozen
    again = pickle.loads(pickle.dumps(frozen))
    assert again == frozen
    assert isinstance(again, Frozen)
    assert isinstance(again["meds"], Frozen)
    assert isinstance(copy.copy(frozen), Frozen)


def test_freezing_takes_a_copy() -> None:
    record = copy.deepcopy(RECORD)
    case = Case(record)
    record["labs"].append("later")
    record["name"] = "Bob"
    assert case["name"] == "Ada"
    assert len(case["labs"]) == 1


@given(records, st.data())
def test_changes_of_one_episode_are_its_own(record: dict[str, Any], data: st.DataObject) -> None:
    base = freeze(record)
    first, second = Case(base), Case(base)
    expected = copy.deepcopy(record)
    for _ in range(data.draw(st.integers(0, 4))):
        key = data.draw(st.sampled_from([*sorted(record), "new"]))
        if key in record and isinstance(record[key], list) and isinstance(expected[key], list):
            first.edit(key).append("mine")
            expected[key].append("mine")
        else:
            first[key] = "mine"
            expected[key] = "mine"
    assert {key: thaw(first[key]) for key in first} == expected
    assert len(first) == len(expected)
    assert {key: thaw(second[key]) for key in second} == record
    assert thaw(base) == record
    assert second.changes == {}


def test_reads_share_the_base_and_edits_copy_one_key() -> None:
    base = freeze(RECORD)
    case = Case(base)
    assert case["labs"] is base["labs"]
    labs = case.edit("labs")
    labs[0]["k"] = 5.5
    assert case.edit("labs") is labs
    assert case["labs"] == [{"k": 5.5}]
    assert base["labs"][0]["k"] == 4.1
    assert case["meds"] is base["meds"]
    assert case.changes == {"labs": [{"k": 5.5}]}
    case.changes["labs"].clear()
    assert case["labs"] == [{"k": 5.5}]


def test_a_case_is_a_mapping() -> None:
    case = Case(RECORD)
    case["new"] = 1
    assert list(case) == ["name", "labs", "meds", "new"]
    assert len(case) == 4
    assert "new" in case
    assert "other" not in case
    assert case.get("other", 7) == 7
    for missing in (lambda: case["other"], lambda: case.edit("other")):
        with pytest.raises(KeyError):
            missing()
