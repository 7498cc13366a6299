"""Facts that serve as well as those of the reference plan."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.clinical.judging.equivalents import share_found

WANTED = {"record:allergies": True, "told:a": True, "told:b": True, "lab:x": True, "site:y": False}
INSTEAD = (
    {"keys": ["told:a", "told:b"], "of": [
        {"finding": f"told:{one}", "present": True} for one in "abcd"]},
    {"keys": ["lab:x"], "sets": [
        [{"finding": "lab:x", "present": True}],
        [{"finding": "study:u", "present": True}, {"finding": "study:v", "present": True}]]},
)  # fmt: skip


def having(*keys: str) -> Callable[[str, bool], bool]:
    return lambda key, present: key in keys


@pytest.mark.parametrize(
    ("found", "share"),
    [
        ((), 0.0),
        (("record:allergies", "told:a", "told:b", "lab:x", "site:y"), 1.0),
        (("record:allergies", "told:c", "told:d", "lab:x", "site:y"), 1.0),
        (("told:a", "told:b", "told:c", "told:d"), 0.4),  # no more than the group has keys
        (("study:u", "study:v"), 0.2),
        (("study:u",), 0.1),  # a set that is found in part
        (("lab:x", "study:u", "study:v"), 0.2),  # one set counts
    ],
)
def test_others_serve_in_their_place(found: tuple[str, ...], share: float) -> None:
    assert share_found(WANTED, INSTEAD, having(*found)) == pytest.approx(share)


def test_without_groups_each_key_counts_by_itself() -> None:
    assert share_found(WANTED, (), having("told:a", "told:c")) == pytest.approx(0.2)
    assert share_found({}, INSTEAD, having()) == 1.0


def test_presence_counts_where_it_is_cited() -> None:
    absent = share_found(WANTED, INSTEAD, lambda key, present: key == "site:y" and not present)
    assert absent == pytest.approx(0.2)


ALL = sorted({*WANTED, "told:c", "told:d", "study:u", "study:v"})


@given(st.sets(st.sampled_from(ALL)), st.sampled_from(ALL))
def test_more_never_counts_less_and_never_more_than_all(found: set[str], one: str) -> None:
    before = share_found(WANTED, INSTEAD, having(*found))
    after = share_found(WANTED, INSTEAD, having(*found, one))
    assert 0 <= before <= after <= 1
    plain = share_found(WANTED, (), having(*found))
    assert before >= plain - 1e-9
