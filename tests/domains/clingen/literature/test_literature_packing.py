"""The records of a literature: compact JSON in and out."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from literature_records import draw_literature

from gym_clinic.domains.clingen.dossiers import read_dossiers
from gym_clinic.domains.clingen.evidence import CLASSES
from gym_clinic.domains.clingen.literature import world
from gym_clinic.domains.clingen.literature.packing import pack, unpack
from gym_clinic.errors import TaskError
from gym_clinic.files import json_line

MOST_BYTES = 6000


def read_again(literature):
    return unpack(json.loads(json.dumps(pack(literature))))


@pytest.mark.parametrize("seed", range(10))
def test_a_literature_survives_json(seed):
    literature = draw_literature(f"records {seed}")
    assert read_again(literature) == literature


@pytest.mark.population
def test_a_drawn_literature_survives_json_and_is_small(some):
    dossiers = read_dossiers()
    sizes = []
    for place, key in enumerate(some(sorted(dossiers.pairs))[:150]):
        try:
            drawn = world.draw_literature(
                "packing", dossiers.pairs[key], dossiers, CLASSES[place % 5]
            )
        except TaskError:
            continue
        assert read_again(drawn) == drawn
        sizes.append(len(json_line(pack(drawn))))
    assert sum(sizes) / len(sizes) <= MOST_BYTES


def test_a_comparison_that_does_not_follow_is_kept():
    literature = draw_literature("records")
    first = literature.results[0]
    changed = replace(first, comparison=replace(first.comparison, p=0.1234))
    odd = replace(literature, results=(changed, *literature.results[1:]))
    assert read_again(odd) == odd


@pytest.mark.parametrize(
    "break_it",
    [
        lambda value: value["articles"][0].__setitem__(2, "editorial"),
        lambda value: value["persons"][0][3].append(99),
        lambda value: value["results"][0].__setitem__(6, None),
        lambda value: value.pop("about"),
        lambda value: value["variants"][0].extend([1] * 9),
    ],
)
def test_what_is_no_literature_is_refused(break_it):
    value = json.loads(json.dumps(pack(draw_literature("records"))))
    break_it(value)
    with pytest.raises(TaskError, match="no literature"):
        unpack(value)
