"""The records of a literature: plain JSON in and out."""

from __future__ import annotations

import json

import pytest
from literature_records import draw_literature

from gym_clinic.domains.clingen.literature.records import Literature
from gym_clinic.errors import TaskError


def test_a_literature_survives_json():
    literature = draw_literature("records")
    assert Literature.from_json(json.loads(json.dumps(literature.to_json()))) == literature


def test_an_unknown_kind_of_article_is_refused():
    value = json.loads(json.dumps(draw_literature("records").to_json()))
    value["articles"][0]["kind"] = "editorial"
    with pytest.raises(TaskError, match="no literature"):
        Literature.from_json(value)
