"""What patients have beside their problems is as common among them as in life."""

from __future__ import annotations

from collections import Counter
from random import Random

from gym_clinic.simulate.clinic.telling.incidental import common_first, irrelevant_complaints


def test_a_complaint_that_is_ten_times_as_common_is_drawn_about_ten_times_as_often() -> None:
    known = {(one.finding, one.cause): one for one in irrelevant_complaints()}
    rare = known["Ankle pain", "a sprain"]
    often = known["Knee pain", "an old sports injury"]
    assert often.common == 10 * rare.common
    others = [one for one in known.values() if one not in (rare, often)]
    first = Counter[str]()
    for seed in range(4000):
        first[common_first([rare, *others, often], Random(seed))[0].finding] += 1
    assert 5 < first["Knee pain"] / first["Ankle pain"] < 20
    assert len(common_first([rare, *others, often], Random(0))) == len(known)
