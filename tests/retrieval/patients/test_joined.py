"""Several patient databases searched as one find what one database of all cases finds."""

from __future__ import annotations

import pytest

from gym_clinic.errors import ConfigError
from gym_clinic.retrieval import HashedNgrams, JoinedPatients, PatientCase, PatientMatcher


def case(name: str, *phenotypes: str) -> PatientCase:
    return PatientCase(name, f"disease of {name}", phenotypes, "synthetic")


FIRST = [case("a", "Amber glow", "Blue gait"), case("c", "Cold ears")]
SECOND = [case("b", "Amber glow"), case("d", "Cold ears", "Blue gait", "Dry wit")]


def matcher(cases: list[PatientCase], size: int = 512) -> PatientMatcher:
    return PatientMatcher(cases, HashedNgrams(size))


@pytest.mark.parametrize("query", [["Amber glow"], ["Blue gait", "Cold ears"], ["Amber gait"]])
@pytest.mark.parametrize("limit", [1, 3, 20])
def test_joined_databases_find_what_one_finds(query: list[str], limit: int) -> None:
    joined, whole = JoinedPatients(matcher(FIRST), matcher(SECOND)), matcher(FIRST + SECOND)
    scores = [found.score for found in joined.match(iter(query), limit, exclude={"d"})]
    assert scores == [found.score for found in whole.match(query, limit, exclude={"d"})]
    for similarity in ("query", "mutual"):
        near = joined.near_duplicates(query, 0.6, similarity)
        assert near == whole.near_duplicates(query, 0.6, similarity)


def test_what_cannot_be_joined_is_refused() -> None:
    with pytest.raises(ConfigError, match="case 'a' is in two databases"):
        JoinedPatients(matcher(FIRST), matcher(FIRST))
    with pytest.raises(ConfigError, match="cannot be joined: their similarities differ"):
        JoinedPatients(matcher(FIRST), matcher(SECOND, 1024))
    with pytest.raises(ConfigError, match="no patient database to join"):
        JoinedPatients()
    with pytest.raises(ConfigError, match="phenotypes is a list of names"):
        JoinedPatients(matcher(FIRST)).match("Amber glow")
